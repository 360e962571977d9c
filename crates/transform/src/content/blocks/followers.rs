//! Leaves out what follows an article: its comments, the next articles of a page that has no end, and the
//! links to other pages of the site.
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

/// Lower bounds on the links after a text that are left out, and on the words of each.
const MIN_LINKS: usize = 3;
const MIN_LINK_WORDS: u32 = 3;

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
    /// Drops the comments below an article, the articles after it, and the links after its last paragraph.
    /// `title` is its heading.
    pub(crate) fn drop_followers(&self, tree: &Tree, title: &Range<usize>, kept: &mut [bool]) {
        let Some(heading) = self.list.get(title.start).filter(|_| !title.is_empty()) else { return };
        let text = Text { blocks: self, title, kept: &*kept };
        let mut found = text.next_articles(heading);
        found.extend(text.comments(tree, heading));
        if !found.is_empty() {
            let is_found = |_: usize, block: &Block| found.iter().any(|range| range.contains(&block.element));
            self.drop_with_headings(title, kept, is_found);
        }
        // Comments may follow the links.
        let left = Text { blocks: self, title, kept: &*kept };
        let links = left.last_links();
        if let Some(first) = links {
            self.drop_with_headings(title, kept, |at, _| at >= first);
        }
    }

    /// Drops kept blocks, and the headings right before them.
    fn drop_with_headings(
        &self,
        title: &Range<usize>,
        kept: &mut [bool],
        is_dropped: impl Fn(usize, &Block) -> bool,
    ) {
        let mut follows_dropped = false;
        for (at, (block, kept)) in self.list.iter().zip(kept).enumerate().rev() {
            if is_dropped(at, block) {
                follows_dropped |= *kept;
                *kept = false;
            } else if *kept {
                *kept = !(follows_dropped && block.heading > 0 && at >= title.end);
                follows_dropped = false;
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

    /// The first of the links after the last paragraph, if they are nearly all that follows it, and lead to
    /// other pages of the site. A list of sources leads to other sites.
    fn last_links(&self) -> Option<usize> {
        let blocks = self.blocks.list.iter().zip(self.kept).enumerate().skip(self.title.end);
        let kept = blocks.filter(|(_, (_, kept))| **kept).map(|(at, (block, _))| (at, block));
        let last = kept.clone().rfind(|(_, block)| block.is_prose()).map(|(at, _)| at)?;
        let after = kept.filter(|(at, _)| *at > last);
        let (mut words, mut link_words, mut count, mut own) = (0_u32, 0_u32, 0_usize, 0_usize);
        let mut first = None;
        for (at, block) in after {
            words = words.saturating_add(block.words);
            link_words = link_words.saturating_add(block.link_words);
            if block.is_link_alone() && block.words >= MIN_LINK_WORDS {
                first = first.or(Some(at));
                count += 1;
                own += usize::from(block.outside_links == 0);
            }
        }
        let is_links = count >= MIN_LINKS && own * 5 >= count * 4 && link_words / 2 >= words / 3;
        first.filter(|_| is_links && self.has_text_before(last + 1))
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
    fn links_to_other_pages_after_the_last_paragraph_are_dropped() {
        let text = format!("<h1>Title</h1>{}", prose(120));
        let links = |count: usize, address: &str| -> String {
            (0..count).map(|_| format!("<li><a href={address}>Title of a page</a></li>")).collect()
        };
        let rows = [
            ("with a heading", format!("{text}<h3>More</h3><ul>{}</ul>", links(3, "/a")), "++----"),
            ("with a date", format!("{text}<ul>{}</ul><p>May 2024</p>", links(3, "/a")), "++----"),
            ("after a short paragraph", format!("{text}<p>Bye</p><ul>{}</ul>", links(3, "/a")), "+++---"),
            ("alone", format!("{text}<ul>{}</ul>", links(3, "/a")), "++---"),
            ("two", format!("{text}<ul>{}</ul>", links(2, "/a")), "++++"),
            ("to other sites", format!("{text}<ul>{}</ul>", links(3, "https://b.example/a")), "+++++"),
            ("within the page", format!("{text}<ul>{}</ul>", links(3, "'#a'")), "+++++"),
            ("before a paragraph", format!("{text}<ul>{}</ul>{}", links(3, "/a"), prose(20)), "++++++"),
            (
                "among more text",
                format!("{text}<ul>{}</ul>{}", links(3, "/a"), "<p>a b c d e".repeat(6)),
                "+++++++++++",
            ),
            ("a list page", format!("<h1>Title</h1>{}<ul>{}</ul>", prose(20), links(3, "/a")), "+++++"),
        ];
        for (name, html, expected) in rows {
            assert_eq!(marks(&html), expected, "{name}");
        }
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
