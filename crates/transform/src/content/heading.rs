//! Finds the heading that is the page's title.
//!
//! Readers expect the title first, but the training data of the model leaves it out. So a rule finds it by
//! its words: the `h1` that agrees with the page's titles, or the page's only `h1`.

use std::collections::HashSet;
use std::ops::Range;

use super::blocks::{Block, Blocks};
use crate::page::title_parts::Site;
use crate::tree::{NodeId, Tag, Tree};
use crate::words::{letters, words};

/// The names of a page and of its site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageNames<'a> {
    /// The title of the metadata, without the name of the site.
    pub(crate) title: &'a str,
    /// The whole `<title>`.
    pub(crate) full_title: &'a str,
    /// `og:title`.
    pub(crate) og_title: &'a str,
    /// `og:site_name`.
    pub(crate) site_name: &'a str,
    /// The host of the page's URL.
    pub(crate) host: &'a str,
}

/// A longer heading is not a title, in bytes.
const MAX_BYTES: usize = 600;

/// Upper bound on the headings compared with the title. Menus and teasers may hold hundreds.
const MAX_HEADINGS: usize = 1_000;

/// A heading that shares at least this part of its words with the page's titles agrees with them.
const MIN_AGREEMENT: f32 = 0.5;

/// A heading with its blocks and its text.
#[derive(Debug)]
struct Heading {
    blocks: Range<usize>,
    level: u8,
    text: String,
    /// It is inside `main` or `article`.
    in_text: bool,
    /// It is inside the navigation, the footer or an aside, or hidden.
    beside: bool,
}

/// How well a heading matches the title, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TitleMatch {
    /// It has the same letters as a title.
    Equal,
    /// It contains a title, or a title contains it.
    Contained,
    /// It shares most of its words with the titles.
    Similar,
    /// It differs, but it is the only `h1`.
    OnlyH1,
}

/// The blocks of the heading that is the page's title; an empty range without one.
pub(crate) fn of_page(tree: &Tree, blocks: &Blocks, names: &PageNames<'_>) -> Range<usize> {
    let headings = headings(tree, blocks);
    let titles = Titles::of(names);
    let h1_count = headings.iter().filter(|heading| heading.level == 1 && !heading.beside).count();
    let ranked = headings.into_iter().filter_map(|heading| {
        let title_match = titles.match_heading(&heading, h1_count == 1)?;
        Some(((heading.level > 1, title_match, !heading.in_text, heading.blocks.start), heading.blocks))
    });
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, blocks)| blocks).unwrap_or_default()
}

/// The titles of a page, prepared for comparison with headings.
struct Titles {
    letters: [String; 3],
    words: HashSet<String>,
    /// The site; `None` if the page's title is the name of the site.
    site: Option<Site>,
}

impl Titles {
    fn of(names: &PageNames<'_>) -> Self {
        let titles = [names.title, names.full_title, names.og_title];
        Self {
            letters: titles.map(letters),
            words: titles.iter().flat_map(|title| words(title)).collect(),
            site: Some(Site::new(names.host, names.site_name)).filter(|site| !site.is_named_by(names.title)),
        }
    }

    fn match_heading(&self, heading: &Heading, is_only_h1: bool) -> Option<TitleMatch> {
        let own = letters(&heading.text);
        if !own.is_empty() && self.letters.contains(&own) {
            return Some(TitleMatch::Equal);
        }
        if heading.level > 1 || self.site.as_ref().is_some_and(|site| site.is_named_by(&heading.text)) {
            return None;
        }
        let contains = |title: &String| {
            let (short, long) = if own.len() < title.len() { (&own, title) } else { (title, &own) };
            short.chars().count() > 3 && long.contains(short.as_str())
        };
        if self.letters.iter().any(contains) {
            return Some(TitleMatch::Contained);
        }
        let own = words(&heading.text);
        let shared = own.iter().filter(|word| self.words.contains(*word)).count();
        if own.len() >= 2 && shared as f32 >= MIN_AGREEMENT * own.len() as f32 {
            return Some(TitleMatch::Similar);
        }
        (is_only_h1 && !heading.beside).then_some(TitleMatch::OnlyH1)
    }
}

/// The headings of a page that may be its title, in order.
fn headings(tree: &Tree, blocks: &Blocks) -> Vec<Heading> {
    let mut found: Vec<(NodeId, Heading)> = Vec::new();
    let mut read = HashSet::new();
    for (at, block) in blocks.list.iter().enumerate() {
        if block.heading() == 0 || block.invisible {
            continue;
        }
        let Some(node) = blocks.nodes_of(block).first().and_then(|node| enclosing_heading(tree, *node))
        else {
            continue;
        };
        if let Some((last, heading)) = found.last_mut()
            && *last == node
            && heading.blocks.end == at
        {
            heading.blocks.end = at + 1;
            continue;
        }
        let beside = is_beside(block);
        if block.heading() > 1 && (beside || found.len() >= MAX_HEADINGS) {
            continue;
        }
        if found.len() >= 2 * MAX_HEADINGS {
            break;
        }
        // Each heading is read once: one that is too long to be a title may have thousands of blocks.
        if !read.insert(node) {
            continue;
        }
        let text = tree.folded_text(node, MAX_BYTES);
        if text.len() > MAX_BYTES || text.is_empty() {
            continue;
        }
        let heading =
            Heading { blocks: at..at + 1, level: block.heading(), text, in_text: block.is_in_text(), beside };
        found.push((node, heading));
    }
    found.into_iter().map(|(_, heading)| heading).collect()
}

/// True if a block is where no title is: hidden, or in the navigation, the footer or an aside. The header may
/// hold the title.
fn is_beside(block: &Block) -> bool {
    block.is_hidden() || block.is_navigation_or_footer() || block.is_aside()
}

fn enclosing_heading(tree: &Tree, node: NodeId) -> Option<NodeId> {
    tree.ancestors(node).take(8).find(|ancestor| {
        matches!(tree.tag(*ancestor), Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
    })
}
