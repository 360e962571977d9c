//! What the text of a page says of its day and its author, where nothing declares them.
//!
//! The day stands beside the heading, right above it or in the lines after it; dates further off are those of other
//! pages that this one lists, of comments, or of what the text tells. So the nearest counts, and what says that it is the
//! day of a change only where there is no other.

use gleaner_types::Metadata;

use super::byline;
use super::date::{self, DateOrder};
use super::metadata::Declared;
use super::title::MAX_HEADING_BYTES;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::words::letters;

/// A text longer than this is no line that gives a date, in bytes.
const MAX_LINE_BYTES: usize = 160;

/// A date is beside the heading if there is no more text than this between them, in bytes.
const BESIDE: usize = 500;

/// What is no `<time>` counts as if it were so much further off, in bytes of text.
const UNMARKED: usize = 100;

/// Before the heading stand the dates of other things as well: one there counts as if it were so many times as far off.
const BEFORE_WEIGHT: usize = 3;

/// At most so many headings are compared with the title.
const MAX_HEADINGS: usize = 64;

/// A date and where it stands, in bytes of text from the start of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FoundDate {
    date: String,
    offset: usize,
    /// Does an element say that it is a date?
    marked: bool,
}

impl FoundDate {
    /// How far it is off a offset.
    fn distance(&self, from: usize) -> usize {
        self.offset.abs_diff(from) + if self.marked { 0 } else { UNMARKED }
    }
}

/// The dates nearest to the heading on both of its sides; to the start of a page without one.
#[derive(Debug, Default)]
struct Nearest {
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

    /// The heading stands here, and not where it was thought to be.
    fn head(&mut self, offset: usize) {
        self.heading = offset;
        self.before = self.last.clone();
        self.after = None;
    }

    /// The nearest, and how far it is off.
    fn take(self) -> Option<(String, usize)> {
        let heading = self.heading;
        let weighed = |found: FoundDate, weight: usize| {
            let distance = found.distance(heading).saturating_mul(weight);
            (distance, found.date)
        };
        let before = self.before.map(|found| weighed(found, BEFORE_WEIGHT));
        let after = self.after.map(|found| weighed(found, 1));
        let nearest = after.into_iter().chain(before).min_by_key(|(distance, _)| *distance);
        nearest.map(|(distance, date)| (date, distance))
    }
}

/// Fills in what the page does not declare.
pub(super) fn read(tree: &Tree, metadata: &mut Metadata, declared: Declared) {
    let mut reader = Reader {
        order: DateOrder::of_language(metadata.language.as_deref()),
        wants_day: !declared.day,
        wants_name: !declared.author,
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
    wants_day: bool,
    wants_name: bool,
    /// The title's letters, to know its heading by.
    title: String,
    headings: usize,
    /// Is there a heading, and is it the title?
    headed: bool,
    is_title: bool,
    /// Bytes of text so far.
    offset: usize,
    /// What the text before says of the date that comes next.
    label: DateLabel,
    /// What says itself that it is the day of publication.
    day: Option<String>,
    days: Nearest,
    changes: Nearest,
    name: Option<String>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            order: DateOrder::MonthFirst,
            wants_day: false,
            wants_name: false,
            title: String::new(),
            headings: 0,
            headed: false,
            is_title: false,
            offset: 0,
            label: DateLabel::None,
            day: None,
            days: Nearest::default(),
            changes: Nearest::default(),
            name: None,
        }
    }
}

/// What a text says of the date in it or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateLabel {
    None,
    Change,
    Other,
}

impl DateLabel {
    fn of(text: &str) -> Self {
        if text.len() > MAX_LINE_BYTES {
            Self::None
        } else if date::is_of_other(text) {
            Self::Other
        } else if date::is_of_change(text) {
            Self::Change
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
        if self.wants_day && text.len() < MAX_LINE_BYTES {
            let own = DateLabel::of(line);
            if text.bytes().any(|byte| byte.is_ascii_digit())
                && let Some(date) = date::in_line(text, self.order)
            {
                let label = if own == DateLabel::None { self.label } else { own };
                if self.day.is_none() && date::is_of_first(line) {
                    self.day = Some(date);
                } else {
                    self.found(date, false, label);
                }
                self.label = DateLabel::None;
            } else {
                self.label = own;
            }
        }
        if self.wants_name && self.name.is_none() && self.headed && text.len() < 80 {
            self.name = byline::of_line(text);
        }
        self.offset += line.len();
    }

    /// Reads an element; false where what is in it has been read too.
    fn element(&mut self, tree: &Tree, node: NodeId) -> bool {
        let tag = tree.tag(node);
        if matches!(tag, Tag::H1 | Tag::H2 | Tag::H3) {
            self.heading(tree, node);
        }
        let property = tree.attribute(node, Attr::Itemprop).unwrap_or_default();
        if self.wants_name && self.name.is_none() && !matches!(tag, Tag::Meta | Tag::Link) {
            let rel = tree.attribute(node, Attr::Rel).unwrap_or_default();
            if property == "author"
                || rel.split_ascii_whitespace().any(|word| word == "author")
                || byline::is_named_so(tree, node)
            {
                self.name = byline::name(&tree.folded_text(node, 120));
            }
        }
        let marked = matches!(property, "datePublished" | "dateCreated");
        if !self.wants_day || !(marked || tag == Tag::Time) {
            return true;
        }
        let value = tree.attribute(node, Attr::Datetime).or_else(|| tree.attribute(node, Attr::Content));
        let read = |text: &str| date::normalize(text, self.order);
        let Some(date) = value.and_then(read).or_else(|| read(&tree.folded_text(node, 80))) else {
            return true;
        };
        if marked {
            self.day.get_or_insert(date);
            return true;
        }
        let class = tree.attribute(node, Attr::Class).unwrap_or_default();
        let changed =
            property == "dateModified" || (class.contains("updated") && !class.contains("published"));
        let label = if changed { DateLabel::Change } else { self.label };
        self.found(date, true, label);
        self.label = DateLabel::None;
        false
    }

    fn heading(&mut self, tree: &Tree, node: NodeId) {
        if self.is_title || self.headings >= MAX_HEADINGS {
            return;
        }
        self.headings += 1;
        self.is_title =
            !self.title.is_empty() && letters(&tree.folded_text(node, MAX_HEADING_BYTES)) == self.title;
        if self.is_title || (tree.tag(node) == Tag::H1 && !self.headed) {
            self.headed |= tree.tag(node) == Tag::H1;
            self.days.head(self.offset);
            self.changes.head(self.offset);
        }
    }

    fn found(&mut self, date: String, marked: bool, label: DateLabel) {
        let found = FoundDate { date, offset: self.offset, marked };
        match label {
            DateLabel::None => self.days.add(found),
            DateLabel::Change => self.changes.add(found),
            DateLabel::Other => {}
        }
    }

    fn finish(self, metadata: &mut Metadata) {
        if let Some(name) = self.name {
            byline::set(metadata, &[name]);
        }
        if !self.wants_day {
            return;
        }
        let (day, change) = (self.days.take(), self.changes.take());
        let beside = |found: &&(String, usize)| found.1 <= BESIDE;
        let sure = self.day.or_else(|| day.as_ref().filter(beside).map(|(date, _)| date.clone()));
        if sure.is_some() {
            metadata.published_time = sure;
        } else if metadata.published_time.is_none() {
            let change = change.as_ref();
            metadata.published_time =
                change.filter(beside).or(day.as_ref()).or(change).map(|(date, _)| date.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::resolver::Resolver;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn the_day_beside_the_heading_is_the_pages() {
        let filler = "Clay is fired in a kiln, slowly at first and then hotter and hotter. ".repeat(8);
        let rows = [
            ("after it", "<h1>T</h1><p>May 5, 2024</p>", Some("2024-05-05")),
            (
                "right before it",
                "<p>May 5, 2024 • 7 minutes</p><h1>T</h1>FILL<h2>More</h2><p>June 6, 2024",
                Some("2024-05-05"),
            ),
            ("far before it", "<p>June 6, 2024</p>FILL<h1>T</h1><p>May 5, 2024", Some("2024-05-05")),
            (
                "a list of other pages",
                "<h1>T</h1><p>May 5, 2024</p>FILL<time datetime=2024-06-06>x</time>",
                Some("2024-05-05"),
            ),
            (
                "a later version",
                "<h1>T</h1><p>Updated on June 6, 2024</p><p>Published May 5, 2024",
                Some("2024-05-05"),
            ),
            ("only a later version", "<h1>T</h1><p>Last updated:</p> <p>June 6, 2024", Some("2024-06-06")),
            (
                "a later version by class",
                "<h1>T</h1><time class=updated datetime=2024-06-06></time><p>May 5, 2024",
                Some("2024-05-05"),
            ),
            (
                "of a member",
                "<h1>T</h1><dl><dt>Joined:</dt><dd>Jun 6, 2020</dd></dl><p>Tue May 5, 2024 1:47 am",
                Some("2024-05-05"),
            ),
            (
                "the heading is the title",
                "<h1>Forum</h1><time datetime=2026-06-06>now</time>FILL<h2>Title</h2><p>May 5, 2024",
                Some("2024-05-05"),
            ),
            (
                "said outright",
                "<h1>T</h1><p>June 6, 2024</p><p>Originally published on May 5, 2024 in print",
                Some("2024-05-05"),
            ),
            (
                "marked",
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
    fn a_day_that_json_ld_gives_in_words_counts_less_than_one_beside_the_heading() {
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
