//! Leaves out what follows an article: its comments, and the next articles of a page that has no end.
//!
//! Comments and further articles are texts like the article itself, so the model keeps many of them, most of
//! all where their names are in another language than English. The structure of a page tells them apart in
//! every language. Comments are like records with dates, after the text and without headings, which can be
//! linked to or answered. The next article has a heading of its own, as high as the title of the page. Posts
//! of a forum and reviews of a product are content, so this is only for pages that are articles.

use std::collections::HashMap;
use std::ops::Range;

use super::{Block, Blocks, Element, Run};
use crate::tree::{Attr, NodeId, Tag, Tree};

/// Lower bound on the kept words of prose between the title and what follows the article.
const MIN_TEXT_WORDS: u32 = 100;

/// A page with more articles after the first is a list of articles.
const MAX_NEXT_ARTICLES: usize = 5;

/// Upper bound on the articles of a page that are read.
const MAX_ARTICLES: usize = 40;

/// Upper bound on the runs of records that are read.
const MAX_RUNS: usize = 64;

/// Lower bound on the words and the blocks of a comment, as means: its text, and who wrote it when.
const MIN_COMMENT_WORDS: u32 = 5;
const MIN_COMMENT_BLOCKS: u32 = 2;

/// Upper bound on the words of a block that is a date.
const MAX_DATE_WORDS: u32 = 8;

/// Headings up to this level head a part of an article, and no comment.
const MAX_PART_LEVEL: u8 = 3;

/// Upper bound on the distance of the element around comments and their form to the list of comments.
const MAX_FORM_DISTANCE: usize = 3;

/// Upper bound on the text fields of a page that are read, and on the elements around each.
const MAX_FIELDS: usize = 16;
const MAX_FIELD_DEPTH: usize = 24;

/// Upper bound on the kept words of prose beside the comments in the element around them and their form.
const MAX_OTHER_WORDS: u32 = 40;

/// Elements that comments are.
const RECORD_TAGS: [Tag; 4] = [Tag::Li, Tag::Div, Tag::Article, Tag::Section];

/// Like siblings, as indices in [`Blocks::elements`].
#[derive(Debug, Default)]
struct Records {
    starts: Vec<u32>,
    /// The index after the last descendant of the last one.
    end: u32,
}

/// What a record has.
#[derive(Debug, Default, Clone, Copy)]
struct RecordMarks {
    dated: bool,
    headed: bool,
    /// A link to a part of a page.
    anchored: bool,
}

/// The number of records that have each of the [`RecordMarks`], and the words of all.
#[derive(Debug, Default, Clone, Copy)]
struct Marks {
    dated: usize,
    headed: usize,
    anchored: usize,
    words: u32,
}

impl Run {
    /// True if the elements may be comments by their number and size.
    const fn may_be_comments(&self) -> bool {
        self.count >= 2
            && self.totals.words >= self.count.saturating_mul(MIN_COMMENT_WORDS)
            && self.totals.blocks >= self.count.saturating_mul(MIN_COMMENT_BLOCKS)
    }
}

impl Blocks {
    /// Drops the comments below an article and the articles after it. `title` is its heading.
    pub(crate) fn drop_followers(&self, tree: &Tree, title: &Range<usize>, kept: &mut [bool]) {
        let Some(heading) = self.list.get(title.start).filter(|_| !title.is_empty()) else { return };
        let text = Text { blocks: self, title, kept: &*kept };
        let mut found = text.next_articles(heading);
        found.extend(text.comments(tree, heading));
        if found.is_empty() {
            return;
        }
        let mut heads_dropped = false;
        for (at, (block, kept)) in self.list.iter().zip(kept).enumerate().rev() {
            if found.iter().any(|range| range.contains(&block.element)) {
                *kept = false;
                heads_dropped = true;
            } else {
                // A heading right before them says what they are.
                *kept &= !(heads_dropped && block.heading > 0 && at >= title.end);
                heads_dropped = false;
            }
        }
    }
}

/// The text of an article.
struct Text<'b> {
    blocks: &'b Blocks,
    title: &'b Range<usize>,
    kept: &'b [bool],
}

impl Text<'_> {
    /// The elements of the articles after the first.
    fn next_articles(&self, heading: &Block) -> Vec<Range<u32>> {
        let own = self.blocks.innermost(heading, Tag::Article);
        let start = own.and_then(|own| self.element(own)).map_or(heading.element + 1, |own| own.end);
        let mut found: Vec<Range<u32>> = Vec::new();
        let later = self.blocks.articles.iter().filter(|number| **number >= start);
        for number in later.take(MAX_ARTICLES) {
            let Some(element) = self.element(*number) else { continue };
            let range = *number..element.end;
            let is_inside = found.last().is_some_and(|last| last.contains(number));
            if !is_inside && self.is_next_article(heading, &range) {
                found.push(range);
            }
        }
        if found.len() > MAX_NEXT_ARTICLES { Vec::new() } else { found }
    }

    /// True if an article has a heading as high as the title of the page, but another one.
    fn is_next_article(&self, heading: &Block, range: &Range<u32>) -> bool {
        let list = &self.blocks.list;
        let Some(first) = self.first_of(range) else { return false };
        let own = list.iter().skip(first).take_while(|block| range.contains(&block.element));
        let mut headings = own.filter(|block| block.heading > 0);
        headings.next().is_some_and(|own| own.heading == heading.heading && own.hash != heading.hash)
            && self.has_text_before(first)
    }

    /// The elements of the comments, with their form.
    fn comments(&self, tree: &Tree, heading: &Block) -> Vec<Range<u32>> {
        let mut found: Vec<Range<u32>> = Vec::new();
        let runs = self.runs(heading);
        if runs.is_empty() {
            return found;
        }
        let fields: Vec<NodeId> = tree.elements_with_tag(Tag::Textarea).take(MAX_FIELDS).collect();
        for records in runs {
            let Some(start) = records.starts.first().copied() else { continue };
            let range = start..records.end;
            if found.iter().any(|known| known.contains(&start)) {
                continue;
            }
            let Some(first) = self.first_of(&range).filter(|first| self.has_text_before(*first)) else {
                continue;
            };
            let (count, marks) = (records.starts.len(), self.marks(tree, &records, first));
            if marks.dated * 3 < count * 2 || marks.headed * 3 >= count {
                continue;
            }
            if let Some(around) = self.with_form(tree, heading, &range, &fields) {
                found.push(around);
            } else if marks.anchored * 3 >= count * 2 && marks.words / 2 <= self.prose(self.title.end..first)
            {
                // A page of dated entries without a form may be a report by the minute.
                found.push(range);
            }
        }
        found
    }

    /// The runs of like elements after the title that may be comments, in the order of their first elements.
    fn runs(&self, heading: &Block) -> Vec<Records> {
        let mut found: Vec<Records> = Vec::new();
        let mut known: HashMap<u32, usize> = HashMap::new();
        for (number, element) in (0_u32..).zip(&self.blocks.elements) {
            let is_record = RECORD_TAGS.iter().any(|tag| *tag as u8 == element.tag);
            if number <= heading.element || !is_record || element.totals.words == 0 {
                continue;
            }
            let run = self.blocks.runs.get(element.run as usize).copied().unwrap_or_default();
            if !run.may_be_comments() || (found.len() == MAX_RUNS && !known.contains_key(&element.run)) {
                continue;
            }
            let at = *known.entry(element.run).or_insert(found.len());
            if at == found.len() {
                found.push(Records::default());
            }
            if let Some(records) = found.get_mut(at) {
                records.starts.push(number);
                records.end = element.end;
            }
        }
        found.retain(|records| records.starts.len() > 1);
        found
    }

    /// What records have. `first` is the index of their first block.
    fn marks(&self, tree: &Tree, records: &Records, first: usize) -> Marks {
        let mut each = vec![RecordMarks::default(); records.starts.len()];
        let ends = records.starts.iter().skip(1).chain([&records.end]);
        for ((start, end), own) in records.starts.iter().zip(ends).zip(&mut each) {
            for element in self.blocks.elements.get(*start as usize..*end as usize).unwrap_or_default() {
                own.dated |= element.tag == Tag::Time as u8;
                own.anchored |= element.tag == Tag::A as u8
                    && tree.attribute(element.node, Attr::Href).is_some_and(|href| href.contains('#'));
            }
        }
        let mut words = 0_u32;
        for block in self.blocks.list.iter().skip(first) {
            if block.element >= records.end {
                break;
            }
            let number = records.starts.partition_point(|start| *start <= block.element);
            let Some(own) = number.checked_sub(1).and_then(|at| each.get_mut(at)) else { continue };
            own.dated |= block.digits > 0 && block.words <= MAX_DATE_WORDS && block.heading == 0;
            own.headed |= (1..=MAX_PART_LEVEL).contains(&block.heading);
            words = words.saturating_add(block.words);
        }
        let count = |mark: fn(&RecordMarks) -> bool| each.iter().filter(|own| mark(own)).count();
        Marks {
            dated: count(|own| own.dated),
            headed: count(|own| own.headed),
            anchored: count(|own| own.anchored),
            words,
        }
    }

    /// The innermost element around records that has a text field too, if it holds no other text of the page.
    fn with_form(
        &self,
        tree: &Tree,
        heading: &Block,
        records: &Range<u32>,
        fields: &[NodeId],
    ) -> Option<Range<u32>> {
        let mut number = self.element(records.start)?.parent;
        for _ in 0..=MAX_FORM_DISTANCE {
            let element = self.element(number)?;
            let around = number..element.end;
            if around.contains(&heading.element) {
                return None;
            }
            let is_around = |field: &NodeId| {
                tree.ancestors(*field).take(MAX_FIELD_DEPTH).any(|node| node == element.node)
            };
            if fields.iter().any(is_around) {
                let beside = self.blocks.list.iter().zip(self.kept).filter(|(block, kept)| {
                    let is_beside = around.contains(&block.element) && !records.contains(&block.element);
                    **kept && is_beside && block.is_prose()
                });
                let words = beside.map(|(block, _)| block.words).fold(0, u32::saturating_add);
                return (words <= MAX_OTHER_WORDS).then_some(around);
            }
            number = element.parent;
        }
        None
    }

    fn element(&self, number: u32) -> Option<&Element> {
        self.blocks.elements.get(number as usize)
    }

    /// The index of the first block within some elements.
    fn first_of(&self, range: &Range<u32>) -> Option<usize> {
        self.blocks.list.iter().position(|block| range.contains(&block.element))
    }

    /// True if the text of the article is long enough to stand alone.
    fn has_text_before(&self, at: usize) -> bool {
        self.prose(self.title.end..at) >= MIN_TEXT_WORDS
    }

    /// The kept words of prose in some blocks.
    fn prose(&self, range: Range<usize>) -> u32 {
        let (list, kept) = (self.blocks.list.get(range.clone()), self.kept.get(range));
        let blocks = list.into_iter().flatten().zip(kept.into_iter().flatten());
        let prose = blocks.filter(|(block, kept)| **kept && block.is_prose());
        prose.map(|(block, _)| block.words).fold(0, u32::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    /// The marks of a page whose blocks are all kept before: `-` for a block that is dropped.
    fn marks(html: &str) -> String {
        let tree = parse(html, ParseOptions::default());
        let url = "https://example.org/".parse().unwrap();
        let blocks = collect(&tree, &View::whole(&tree), &url);
        let title = blocks.list.iter().position(|block| block.heading == 1).unwrap();
        let mut kept = vec![true; blocks.list.len()];
        blocks.drop_followers(&tree, &(title..title + 1), &mut kept);
        kept.iter().map(|kept| if *kept { '+' } else { '-' }).collect()
    }

    fn prose(words: usize) -> String {
        format!("<p>{}</p>", "word ".repeat(words))
    }

    fn comments(count: usize, extra: &str) -> String {
        (0..count).map(|_| format!("<li><b>Ana</b><p>5.3.2024</p>{}{extra}</li>", prose(20))).collect()
    }

    #[test]
    fn comments_after_the_text_of_an_article_are_dropped() {
        let article = format!("<article><h1>Title</h1>{}</article>", prose(120));
        let form = "<form><textarea></textarea></form>";
        let answer = "<a href='#c'>x</a>";
        let all_kept = "+".repeat(80);
        let rows = [
            ("with a form", format!("<section><ol>{}</ol>{form}</section>", comments(2, "")), "------"),
            (
                "with a heading in their section",
                format!("<section><h3>2</h3><ol>{}</ol>{form}</section>", comments(2, "")),
                "-------",
            ),
            (
                "with a heading before it",
                format!("<h3>2</h3><section><ol>{}</ol>{form}</section>", comments(2, "")),
                "-------",
            ),
            ("with anchors", format!("<ol>{}</ol>", comments(2, answer)), "--------"),
            ("without both", format!("<ol>{}</ol>", comments(2, "")), "++++++"),
            ("one", format!("<section><ol>{}</ol>{form}</section>", comments(1, "")), "+++"),
            (
                "parts with headings",
                format!("<section><ol>{}</ol>{form}</section>", comments(2, "<h3>Part</h3>")),
                "++++++++",
            ),
            (
                "beside other text",
                format!("<section>{}<ol>{}</ol>{form}</section>", prose(60), comments(2, "")),
                "+++++++",
            ),
            (
                "records without dates",
                format!("<section><ol>{}</ol>{form}</section>", comments(2, "").replace("5.3.2024", "now")),
                "++++++",
            ),
            ("more than the text", format!("<ol>{}</ol>", comments(20, answer)), all_kept.as_str()),
        ];
        for (name, html, expected) in rows {
            assert_eq!(marks(&format!("{article}{html}")), format!("++{expected}"), "{name}");
        }
        let short = article.replacen(&prose(120), &prose(90), 1);
        let html = format!("{short}<section><ol>{}</ol>{form}</section>", comments(2, ""));
        assert_eq!(marks(&html), "++++++++", "below a short text");
    }

    #[test]
    fn the_next_article_is_dropped() {
        let article = |title: &str| format!("<article><h1>{title}</h1>{}</article>", prose(120));
        let lower = article("Two").replace("h1", "h2");
        let all_kept = "+".repeat(14);
        let rows = [
            ("as high as the title", article("One") + &article("Two") + &article("Three"), "++----"),
            ("lower than the title", article("One") + &lower, "++++"),
            ("with the same title", article("One") + &article("One"), "++++"),
            ("inside", format!("<article><h1>One</h1>{}{}</article>", prose(120), article("Two")), "++++"),
            (
                "after a text without an article",
                format!("<h1>One</h1>{}{}", prose(120), article("Two")),
                "++--",
            ),
            ("after too short a text", format!("<h1>One</h1>{}{}", prose(90), article("Two")), "++++"),
            ("a list of articles", article("One") + &article("Two").repeat(6), all_kept.as_str()),
        ];
        for (name, html, expected) in rows {
            assert_eq!(marks(&html), expected, "{name}");
        }
    }
}
