//! The heading that is the page's title.
//!
//! A reader expects it first, and the truth that the model was trained on leaves it out. So it is found by its own
//! words, not by the model: the `h1` that says what the page calls itself, or the page's one `h1`.

use std::collections::HashSet;
use std::ops::Range;

use super::blocks::{Block, Blocks};
use crate::page::title_parts::Site;
use crate::tree::{NodeId, Tag, Tree};
use crate::words::{letters, words};

/// What a page calls itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'a> {
    /// The title as the metadata have it, without the name of the site.
    pub(crate) title: &'a str,
    /// All of `<title>`.
    pub(crate) whole: &'a str,
    /// `og:title`.
    pub(crate) social: &'a str,
    /// `og:site_name`.
    pub(crate) site: &'a str,
    pub(crate) host: &'a str,
}

/// Longer headings are no titles, in bytes.
const MAX_BYTES: usize = 600;

/// Upper bound on the headings compared with the title. Menus and teasers hold hundreds.
const MAX_HEADINGS: usize = 1_000;

/// A heading with this share of its words in the page's title says the same.
const AGREEMENT: f32 = 0.5;

/// A heading of a page: its blocks, and its text.
#[derive(Debug)]
struct Heading {
    blocks: Range<usize>,
    level: u8,
    text: String,
    /// It stands in the main content by its elements, or at least in nothing that surrounds one.
    in_text: bool,
    beside: bool,
}

/// How surely a heading is the title, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    /// It is the title, letter by letter.
    Title,
    /// It is all of the title but for a few words, or the other way round.
    PartOfTitle,
    /// It shares most of its words with the title.
    Alike,
    /// It says something else, but it is the only `h1`.
    Alone,
}

/// The blocks of the heading that is the page's title; none if no heading is.
pub(crate) fn of_page(tree: &Tree, blocks: &Blocks, named: &Named<'_>) -> Range<usize> {
    let headings = headings(tree, blocks);
    let titles = Titles::of(named);
    let firsts = headings.iter().filter(|heading| heading.level == 1 && !heading.beside).count();
    let ranked = headings.into_iter().filter_map(|heading| {
        let says = titles.says(&heading, firsts == 1)?;
        Some(((heading.level > 1, says, !heading.in_text, heading.blocks.start), heading.blocks))
    });
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, blocks)| blocks).unwrap_or_default()
}

/// The titles of a page, as headings are compared with them.
struct Titles {
    letters: [String; 3],
    words: HashSet<String>,
    /// The site, unless its name is the page's title.
    site: Option<Site>,
}

impl Titles {
    fn of(named: &Named<'_>) -> Self {
        let titles = [named.title, named.whole, named.social];
        Self {
            letters: titles.map(letters),
            words: titles.iter().flat_map(|title| words(title)).collect(),
            site: Some(Site::new(named.host, named.site)).filter(|site| !site.is_named_by(named.title)),
        }
    }

    fn says(&self, heading: &Heading, alone: bool) -> Option<Says> {
        let own = letters(&heading.text);
        if !own.is_empty() && self.letters.contains(&own) {
            return Some(Says::Title);
        }
        if heading.level > 1 || self.site.as_ref().is_some_and(|site| site.is_named_by(&heading.text)) {
            return None;
        }
        let contains = |title: &String| {
            let (short, long) = if own.len() < title.len() { (&own, title) } else { (title, &own) };
            short.chars().count() > 3 && long.contains(short.as_str())
        };
        if self.letters.iter().any(contains) {
            return Some(Says::PartOfTitle);
        }
        let own = words(&heading.text);
        let shared = own.iter().filter(|word| self.words.contains(*word)).count();
        if own.len() >= 2 && shared as f32 >= AGREEMENT * own.len() as f32 {
            return Some(Says::Alike);
        }
        (alone && !heading.beside).then_some(Says::Alone)
    }
}

/// The headings of a page that can be its title, in order.
fn headings(tree: &Tree, blocks: &Blocks) -> Vec<Heading> {
    let mut found: Vec<(NodeId, Heading)> = Vec::new();
    let mut read = HashSet::new();
    for (at, block) in blocks.list.iter().enumerate() {
        if block.heading() == 0 || block.unseen {
            continue;
        }
        let Some(node) = blocks.nodes_of(block).first().and_then(|node| heading_around(tree, *node)) else {
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
        // One that is too long to be a title may have thousands of blocks.
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

/// Stands a heading where no title stands? The header of a page is no such place.
fn is_beside(block: &Block) -> bool {
    block.is_hidden() || block.is_framing() || block.is_aside()
}

fn heading_around(tree: &Tree, node: NodeId) -> Option<NodeId> {
    tree.ancestors(node)
        .take(8)
        .find(|around| matches!(tree.tag(*around), Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6))
}
