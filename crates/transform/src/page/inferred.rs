//! Infers the publication date and the author from the text of a page that does not declare them.
//!
//! The date is beside the heading: right above it or in the lines after it. Dates further away belong to
//! listed pages, to comments, or to events in the text. So the nearest date counts, and none after the
//! heading of a later section or in a teaser. A date marked as an update counts only if there is no other.

use std::collections::HashSet;

use gleaner_types::Metadata;

use super::byline;
use super::date::{self, DateOrder};
use super::metadata::Declared;
use super::title::MAX_HEADING_BYTES;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::words::letters;

/// Upper bound on the length of a line with the publication date, in bytes.
const MAX_LINE_BYTES: usize = 160;

/// Upper bound on the text between the heading and a date beside it, in bytes.
const MAX_BESIDE_BYTES: usize = 500;

/// Added to the distance of a date outside `<time>`, in bytes of text.
const UNMARKED_PENALTY: usize = 100;

/// Multiplies the distance of a date before the heading, where unrelated dates are more common.
const BEFORE_WEIGHT: usize = 3;

/// Upper bound on the headings compared with the title.
const MAX_HEADINGS: usize = 64;

/// From this much text after the heading on, another heading begins a later section, in bytes.
const MIN_SECTION_BYTES: usize = 200;

/// Upper bound on the distance of a date to the teaser that it belongs to, in elements.
const MAX_TEASER_DISTANCE: usize = 8;

/// Upper bound on the text of a teaser, in bytes.
const MAX_TEASER_BYTES: usize = 600;

/// Upper bound on the tree edges of a teaser that are examined.
const MAX_TEASER_EDGES: usize = 120;

/// Upper bound on the headings of a teaser that are examined.
const MAX_TEASER_HEADINGS: usize = 4;

/// Upper bound on the dates of a page whose place is examined. Later ones do not count.
const MAX_DATES: usize = 1_000;

/// A link with more text than this is a teaser, in bytes.
const MAX_LINK_BYTES: usize = 60;

/// A date in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FoundDate {
    date: String,
    /// Bytes of text before it.
    offset: usize,
    /// It is in a `<time>` element.
    marked: bool,
}

impl FoundDate {
    /// The distance to an offset, in bytes of text.
    fn distance(&self, from: usize) -> usize {
        self.offset.abs_diff(from) + if self.marked { 0 } else { UNMARKED_PENALTY }
    }
}

/// The dates nearest to the heading on both sides; without a heading, to the start of the page.
#[derive(Debug, Default)]
struct Nearest {
    /// The offset of the heading.
    heading: usize,
    before: Option<FoundDate>,
    after: Option<FoundDate>,
    last: Option<FoundDate>,
}

impl Nearest {
    fn add(&mut self, found: FoundDate) {
        let heading = self.heading;
        if self.after.as_ref().is_none_or(|known| found.distance(heading) < known.distance(heading)) {
            self.after = Some(found.clone());
        }
        self.last = Some(found);
    }

    /// Moves the heading to a later offset.
    fn set_heading(&mut self, offset: usize) {
        self.heading = offset;
        self.before = self.last.clone();
        self.after = None;
    }

    /// The nearest date and its weighted distance.
    fn take(self) -> Option<(String, usize)> {
        let heading = self.heading;
        let weighted = |found: FoundDate, weight: usize| {
            let distance = found.distance(heading).saturating_mul(weight);
            (distance, found.date)
        };
        let before = self.before.map(|found| weighted(found, BEFORE_WEIGHT));
        let after = self.after.map(|found| weighted(found, 1));
        let nearest = after.into_iter().chain(before).min_by_key(|(distance, _)| *distance);
        nearest.map(|(distance, date)| (date, distance))
    }
}

/// Fills in the date and the author if the page does not declare them.
pub(super) fn read(tree: &Tree, metadata: &mut Metadata, declared: Declared) {
    let mut reader = Reader {
        order: DateOrder::of_language(metadata.language.as_deref()),
        wants_date: !declared.date,
        wants_author: !declared.author,
        title: letters(metadata.title.as_deref().unwrap_or_default()),
        ..Reader::default()
    };
    if reader.wants_date {
        reader.find_title(tree);
    }
    let mut walk = Walk::new(tree, NodeId::DOCUMENT);
    while let Some(edge) = walk.next() {
        let Edge::Enter(node) = edge else { continue };
        if tree.kind(node) == Kind::Text {
            reader.text(tree, node);
        } else if (tree.tag(node).is_invisible() && tree.tag(node) != Tag::Head)
            || !reader.element(tree, node)
        {
            walk.skip_children();
        }
    }
    reader.finish(metadata);
}

#[derive(Debug)]
struct Reader {
    order: DateOrder,
    wants_date: bool,
    wants_author: bool,
    /// The letters of the title, to recognize its heading.
    title: String,
    /// The heading of the page and the elements around it.
    around_title: HashSet<NodeId>,
    /// A later section has begun.
    in_section: bool,
    /// Dates whose place was examined.
    dates: usize,
    headings: usize,
    /// An `h1` was found.
    has_h1: bool,
    /// The heading with the words of the title was found.
    title_found: bool,
    /// Bytes of text so far.
    offset: usize,
    /// The label that the text before gives the next date.
    label: DateLabel,
    /// A date marked as that of publication.
    marked_date: Option<String>,
    published: Nearest,
    updated: Nearest,
    author: Option<String>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            order: DateOrder::MonthFirst,
            wants_date: false,
            wants_author: false,
            title: String::new(),
            around_title: HashSet::new(),
            in_section: false,
            dates: 0,
            headings: 0,
            has_h1: false,
            title_found: false,
            offset: 0,
            label: DateLabel::None,
            marked_date: None,
            published: Nearest::default(),
            updated: Nearest::default(),
            author: None,
        }
    }
}

/// The meaning that a text gives the date in it or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateLabel {
    None,
    Updated,
    Unrelated,
}

impl DateLabel {
    fn of(text: &str) -> Self {
        if text.len() > MAX_LINE_BYTES {
            Self::None
        } else if date::marks_unrelated(text) {
            Self::Unrelated
        } else if date::marks_update(text) {
            Self::Updated
        } else {
            Self::None
        }
    }
}

impl Reader {
    /// Finds the heading of the page: the one with the words of the title, or the first `h1`.
    fn find_title(&mut self, tree: &Tree) {
        let headings =
            tree.all_elements().filter(|node| matches!(tree.tag(*node), Tag::H1 | Tag::H2 | Tag::H3));
        let mut first = None;
        let mut found = None;
        for node in headings.take(MAX_HEADINGS) {
            if !self.title.is_empty() && letters(&tree.folded_text(node, MAX_HEADING_BYTES)) == self.title {
                found = Some(node);
                break;
            }
            first = first.or_else(|| Some(node).filter(|node| tree.tag(*node) == Tag::H1));
        }
        if let Some(title) = found.or(first) {
            self.around_title = std::iter::once(title).chain(tree.ancestors(title)).collect();
        }
    }

    /// True if a node belongs to something else than the page's text: the navigation, a comment, or a teaser.
    /// A teaser is a link with a heading or with much text, or a small box whose heading is a link.
    fn is_elsewhere(&mut self, tree: &Tree, node: NodeId) -> bool {
        self.dates += 1;
        if self.dates > MAX_DATES {
            return true;
        }
        let mut small = true;
        for around in tree.ancestors(node).take(MAX_TEASER_DISTANCE) {
            if self.around_title.contains(&around) {
                return false;
            }
            let is_nested = || tree.ancestors(around).any(|outer| tree.tag(outer) == Tag::Article);
            let is_comment =
                || tree.attribute(around, Attr::Itemtype).is_some_and(|kind| kind.ends_with("/Comment"));
            let found = match tree.tag(around) {
                Tag::Body | Tag::Main => return false,
                Tag::Nav => true,
                Tag::A => is_teaser_link(tree, around),
                Tag::Article => is_nested() || is_comment(),
                _ => is_comment(),
            };
            small = small && has_at_most(tree, around, MAX_TEASER_BYTES);
            if found || (small && !self.around_title.is_empty() && has_linked_heading(tree, around)) {
                return true;
            }
        }
        false
    }

    fn text(&mut self, tree: &Tree, node: NodeId) {
        let text = tree.text(node);
        let line = text.trim();
        if line.is_empty() {
            return;
        }
        if self.wants_date && text.len() < MAX_LINE_BYTES {
            let own = DateLabel::of(line);
            if text.bytes().any(|byte| byte.is_ascii_digit())
                && let Some(date) = date::in_line(text, self.order)
                && !self.in_section
                && !self.is_elsewhere(tree, node)
            {
                let label = if own == DateLabel::None { self.label } else { own };
                if self.marked_date.is_none() && date::marks_first_publication(line) {
                    self.marked_date = Some(date);
                } else {
                    self.add_date(date, false, label);
                }
                self.label = DateLabel::None;
            } else {
                self.label = own;
            }
        }
        if self.wants_author && self.author.is_none() && self.has_h1 && text.len() < 80 {
            self.author = byline::of_line(text);
        }
        self.offset += line.len();
    }

    /// Reads an element. False if its content has been read too.
    fn element(&mut self, tree: &Tree, node: NodeId) -> bool {
        let tag = tree.tag(node);
        if tag.heading_level().is_some() {
            self.heading(tree, node, tag);
        }
        let property = tree.attribute(node, Attr::Itemprop).unwrap_or_default();
        if self.wants_author && self.author.is_none() && !matches!(tag, Tag::Meta | Tag::Link) {
            let rel = tree.attribute(node, Attr::Rel).unwrap_or_default();
            if property == "author"
                || rel.split_ascii_whitespace().any(|word| word == "author")
                || byline::has_author_class(tree, node)
            {
                self.author = byline::name(&tree.folded_text(node, 120));
            }
        }
        let marked = matches!(property, "datePublished" | "dateCreated");
        if !self.wants_date || !(marked || tag == Tag::Time) {
            return true;
        }
        let value = tree.attribute(node, Attr::Datetime).or_else(|| tree.attribute(node, Attr::Content));
        let read = |text: &str| date::normalize(text, self.order);
        let Some(date) = value.and_then(read).or_else(|| read(&tree.folded_text(node, 80))) else {
            return true;
        };
        if (self.in_section && !marked) || self.is_elsewhere(tree, node) {
            return tag != Tag::Time;
        }
        if marked {
            self.marked_date.get_or_insert(date);
            return true;
        }
        let class = tree.attribute(node, Attr::Class).unwrap_or_default();
        let is_update =
            property == "dateModified" || (class.contains("updated") && !class.contains("published"));
        let label = if is_update { DateLabel::Updated } else { self.label };
        self.add_date(date, true, label);
        self.label = DateLabel::None;
        false
    }

    fn heading(&mut self, tree: &Tree, node: NodeId, tag: Tag) {
        let has_heading = self.title_found || self.has_h1;
        self.in_section |= has_heading && self.offset >= self.published.heading + MIN_SECTION_BYTES;
        let is_candidate = matches!(tag, Tag::H1 | Tag::H2 | Tag::H3);
        if !is_candidate || self.title_found || self.headings >= MAX_HEADINGS {
            return;
        }
        self.headings += 1;
        self.title_found =
            !self.title.is_empty() && letters(&tree.folded_text(node, MAX_HEADING_BYTES)) == self.title;
        if self.title_found || (tag == Tag::H1 && !self.has_h1) {
            self.has_h1 |= tag == Tag::H1;
            self.in_section = false;
            self.published.set_heading(self.offset);
            self.updated.set_heading(self.offset);
        }
    }

    fn add_date(&mut self, date: String, marked: bool, label: DateLabel) {
        let found = FoundDate { date, offset: self.offset, marked };
        match label {
            DateLabel::None => self.published.add(found),
            DateLabel::Updated => self.updated.add(found),
            DateLabel::Unrelated => {}
        }
    }

    fn finish(self, metadata: &mut Metadata) {
        if let Some(name) = self.author {
            byline::set(metadata, &[name]);
        }
        if !self.wants_date {
            return;
        }
        let (published, updated) = (self.published.take(), self.updated.take());
        let beside = |found: &&(String, usize)| found.1 <= MAX_BESIDE_BYTES;
        let certain =
            self.marked_date.or_else(|| published.as_ref().filter(beside).map(|(date, _)| date.clone()));
        if certain.is_some() {
            metadata.published_time = certain;
        } else if metadata.published_time.is_none() {
            let updated = updated.as_ref();
            metadata.published_time =
                updated.filter(beside).or(published.as_ref()).or(updated).map(|(date, _)| date.clone());
        }
    }
}

/// True if a link leads to another page and has a heading or much text.
fn is_teaser_link(tree: &Tree, link: NodeId) -> bool {
    leads_away(tree, link)
        && (!has_at_most(tree, link, MAX_LINK_BYTES)
            || Walk::new(tree, link).take(MAX_TEASER_EDGES).any(|edge| is_heading(tree, edge).is_some()))
}

/// True if an element has a heading that is a link to another page.
fn has_linked_heading(tree: &Tree, element: NodeId) -> bool {
    let headings = Walk::new(tree, element).take(MAX_TEASER_EDGES).filter_map(|edge| is_heading(tree, edge));
    headings.take(MAX_TEASER_HEADINGS).any(|heading| {
        let inside = Walk::new(tree, heading).take(MAX_TEASER_EDGES).filter_map(|edge| match edge {
            Edge::Enter(node) => Some(node),
            Edge::Leave(_) => None,
        });
        let around = tree.ancestors(heading).take(MAX_TEASER_DISTANCE);
        inside.chain(around).any(|node| tree.tag(node) == Tag::A && leads_away(tree, node))
    })
}

/// True if an element is small: at most so many bytes of text, and few nodes.
fn has_at_most(tree: &Tree, element: NodeId, bytes: usize) -> bool {
    let (mut edges, mut text) = (0, 0);
    for edge in Walk::new(tree, element) {
        edges += 1;
        if let Edge::Enter(node) = edge {
            text += tree.text(node).trim().len();
        }
        if edges > MAX_TEASER_EDGES || text > bytes {
            return false;
        }
    }
    true
}

/// The heading that a step of a walk enters.
fn is_heading(tree: &Tree, edge: Edge) -> Option<NodeId> {
    match edge {
        Edge::Enter(node) => tree.tag(node).heading_level().map(|_| node),
        Edge::Leave(_) => None,
    }
}

/// True if a link leads to another page.
fn leads_away(tree: &Tree, link: NodeId) -> bool {
    tree.attribute(link, Attr::Href)
        .is_some_and(|href| !href.trim().is_empty() && !href.trim().starts_with('#'))
}

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::resolver::Resolver;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn the_date_beside_the_heading_is_the_publication_date() {
        let filler = "Clay is fired in a kiln, slowly at first and then hotter and hotter. ".repeat(8);
        let rows = [
            ("after the heading", "<h1>T</h1><p>May 5, 2024</p>", Some("2024-05-05")),
            (
                "right before the heading",
                "<p>May 5, 2024 • 7 minutes</p><h1>T</h1>FILL<h2>More</h2><p>June 6, 2024",
                Some("2024-05-05"),
            ),
            ("far before the heading", "<p>June 6, 2024</p>FILL<h1>T</h1><p>May 5, 2024", Some("2024-05-05")),
            (
                "a date of another page",
                "<h1>T</h1><p>May 5, 2024</p>FILL<time datetime=2024-06-06>x</time>",
                Some("2024-05-05"),
            ),
            (
                "an update",
                "<h1>T</h1><p>Updated on June 6, 2024</p><p>Published May 5, 2024",
                Some("2024-05-05"),
            ),
            ("only an update", "<h1>T</h1><p>Last updated:</p> <p>June 6, 2024", Some("2024-06-06")),
            (
                "an update by class",
                "<h1>T</h1><time class=updated datetime=2024-06-06></time><p>May 5, 2024",
                Some("2024-05-05"),
            ),
            (
                "a date of a member",
                "<h1>T</h1><dl><dt>Joined:</dt><dd>Jun 6, 2020</dd></dl><p>Tue May 5, 2024 1:47 am",
                Some("2024-05-05"),
            ),
            (
                "the heading is the title",
                "<h1>Forum</h1><time datetime=2026-06-06>now</time>FILL<h2>Title</h2><p>May 5, 2024",
                Some("2024-05-05"),
            ),
            (
                "marked in words",
                "<h1>T</h1><p>June 6, 2024</p><p>Originally published on May 5, 2024 in print",
                Some("2024-05-05"),
            ),
            (
                "marked by an attribute",
                "<h1>T</h1><p>June 6, 2024</p>FILL<p itemprop=datePublished>May 5, 2024",
                Some("2024-05-05"),
            ),
            ("Chinese", "<h1>T</h1><p>发布时间：2024年5月5日 10:20 来源：陶艺网", Some("2024-05-05")),
            (
                "a teaser in a link",
                "<h1>T</h1><p>x<section><a href=/o><h3>Other</h3><time datetime=2024-06-06>x</time></a></section>",
                None,
            ),
            (
                "a teaser with a linked heading",
                "<h1>T</h1><p>x<ul><li><h3><a href=/o>Other</a></h3><span>June 6, 2024</span></ul>",
                None,
            ),
            (
                "a teaser before the heading",
                "<div><a href=/o>Another page of this site with a title of more than sixty letters <time>June 6, 2024</time></a></div><h1>T</h1><p>x",
                None,
            ),
            (
                "a comment",
                "<article><h1>T</h1><p>x<article><time datetime=2024-06-06>x</time>y</article></article>",
                None,
            ),
            (
                "a comment by its type",
                "<h1>T</h1><p>x<div itemscope itemtype=https://schema.org/Comment><time itemprop=dateCreated datetime=2024-06-06>x</time></div>",
                None,
            ),
            (
                "a comment far below",
                "<h1>T</h1>FILL<h2>1 comment</h2><div><time datetime=2024-06-06>x</time></div>",
                None,
            ),
            (
                "a later section",
                "<h1>T</h1><p>Clay is fired slowly at first and then hotter and hotter, for the whole night and the day after it, until the flame is white and the cones fall. Then it is left to cool for as long as it was hot, with its door shut.</p><h2>Comments</h2><p>June 6, 2024",
                None,
            ),
            (
                "before a teaser",
                "<h1>T</h1><p>May 5, 2024</p><ul><li><a href=/o><h3>Other</h3><time datetime=2024-06-06>x</time></a></ul>",
                Some("2024-05-05"),
            ),
            (
                "linked to the archive",
                "<h1>T</h1><a href=/2024/05><time datetime=2024-05-05>May 5</time></a>",
                Some("2024-05-05"),
            ),
            (
                "after a second heading",
                "<h1>T</h1><h2>What the potters know</h2><p>May 5, 2024</p>FILL",
                Some("2024-05-05"),
            ),
            (
                "in a linked heading's article",
                "<article><header><h1><a href=/a>T</a></h1><time datetime=2024-05-05>x</time></header>FILL</article>",
                Some("2024-05-05"),
            ),
            ("in a sentence", "<h1>T</h1><p>Our first office, in the old town, opened on May 5, 2004", None),
        ];
        for (name, html, expected) in rows {
            let html = format!("<title>Title</title>{}", html.replace("FILL", &filler));
            let tree = parse(&html, ParseOptions::default());
            let url = Url::parse("https://example.org/a").unwrap();
            let metadata = super::super::metadata::read(&tree, &url, &Resolver::of_tree(&url, &tree));
            assert_eq!(metadata.published_time.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_date_in_words_in_json_ld_ranks_below_one_beside_the_heading() {
        let linked = "<script type=application/ld+json>{\"@type\":\"Article\",\"datePublished\":\"Jun 06, 2024\"}</script>";
        for (html, expected) in
            [("<h1>T</h1><p>May 5, 2023</p>", "2023-05-05"), ("<h1>T</h1><p>x", "2024-06-06")]
        {
            let tree = parse(&format!("{linked}{html}"), ParseOptions::default());
            let url = Url::parse("https://example.org/a").unwrap();
            let metadata = super::super::metadata::read(&tree, &url, &Resolver::of_tree(&url, &tree));
            assert_eq!(metadata.published_time.as_deref(), Some(expected), "{html}");
        }
    }
}
