//! Infers the publication date and the author from the text of a page that does not declare them.
//!
//! The date is beside the heading: right above it or in the lines after it. Dates further away belong to
//! listed pages, to comments, or to events in the text. So the nearest date counts. A date marked as an
//! update counts only if there is no other.

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
    let mut walk = Walk::new(tree, NodeId::DOCUMENT);
    while let Some(edge) = walk.next() {
        let Edge::Enter(node) = edge else { continue };
        if tree.kind(node) == Kind::Text {
            reader.text(tree.text(node));
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
    fn text(&mut self, text: &str) {
        let line = text.trim();
        if line.is_empty() {
            return;
        }
        if self.wants_date && text.len() < MAX_LINE_BYTES {
            let own = DateLabel::of(line);
            if text.bytes().any(|byte| byte.is_ascii_digit())
                && let Some(date) = date::in_line(text, self.order)
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
        if matches!(tag, Tag::H1 | Tag::H2 | Tag::H3) {
            self.heading(tree, node);
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

    fn heading(&mut self, tree: &Tree, node: NodeId) {
        if self.title_found || self.headings >= MAX_HEADINGS {
            return;
        }
        self.headings += 1;
        self.title_found =
            !self.title.is_empty() && letters(&tree.folded_text(node, MAX_HEADING_BYTES)) == self.title;
        if self.title_found || (tree.tag(node) == Tag::H1 && !self.has_h1) {
            self.has_h1 |= tree.tag(node) == Tag::H1;
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
