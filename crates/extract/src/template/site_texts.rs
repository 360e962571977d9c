//! Learns which texts recur on the pages of a template, to clean titles and find labels.

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};
use std::hash::Hasher;
use std::ops::Range;

use siphasher::sip::SipHasher13;

use super::recurring::{FoundLabel, Recurring};
use super::short_texts::{FollowingText, ShortText, text_key, title_place};
use super::title_parts;
use crate::bind::{folded, overlap};
use crate::evidence::{Evidence, LabelledValue, MAX_PAIRS, is_teaser};
use crate::markup::NodeId;
use crate::page::{Method, Page};

/// Pages of a template that [`SiteTexts`] learns from; more add little.
pub const MAX_TAUGHT_PAGES: usize = 8;
/// Upper bound on the texts of a template; further ones are not learned.
const MAX_TEXTS: usize = 14_000;
/// Upper bound on the labels that a page gets because they recur.
const MAX_LABELS: usize = 200;
/// Longest value of such a label, in bytes.
const MAX_VALUE_BYTES: usize = 400;
/// Upper bound on the headings that may replace one of the template.
const MAX_HEADINGS: usize = 64;
/// A title says nothing about its page if at least this many other pages have the same one.
const MIN_SAME_TITLES: usize = 2;

/// The texts that recur on the pages of a template: what is constant over pages is the template, what varies
/// is a value.
///
/// It learns from the first [`MAX_TAUGHT_PAGES`] pages of a job, before any of them is read. Then every page
/// is compared with the others, the first one too, so a result depends only on which pages these are. Pages
/// with the same text count once. It holds hashes, at most 14,000, and takes at most 1 MB.
///
/// ```
/// use gleaner_extract::model::scripted::block_on;
/// use gleaner_extract::{Extractor, Page, Shape, SitePosition, SiteTexts, Task};
/// use serde_json::json;
///
/// let html = |name: &str| format!("<title>{name} | Cup House</title><h1>{name}</h1>");
/// let red = Page::new("https://shop.example/cups/red".parse()?, html("Red cup"));
/// let blue = Page::new("https://shop.example/cups/blue".parse()?, html("Blue cup"));
/// let mut texts = SiteTexts::new();
/// texts.learn(&red);
/// texts.learn(&blue);
/// let position = SitePosition { cluster: "shop.example/cups/*", alike: false, texts: Some(&texts) };
/// let shape = Shape::from_schema(&json!({ "properties": { "name": { "type": "string" } } }))?;
/// let extractor = Extractor::model_free();
/// let found = block_on(extractor.page_among(None, position, &red, Task::new(&shape)));
/// assert_eq!(found.page.extraction.data, json!({ "name": "Red cup" }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SiteTexts {
    /// The hashes of the pages.
    pages: Vec<u64>,
    /// By place.
    texts: HashMap<u64, KnownText>,
    /// The pages that have these parts in their titles.
    title_parts: HashMap<u64, usize>,
}

/// What is known of a text in a place.
#[derive(Debug, Clone, Copy, Default)]
struct KnownText {
    /// The pages that have it.
    pages: usize,
    /// The text that follows it on one of them.
    next: Option<u64>,
    /// Whether another text follows it on another page.
    varies: bool,
}

/// What the other pages change in the evidence of a page.
#[derive(Debug)]
struct Lesson {
    recurring: Recurring,
    title: String,
    heading: Option<NodeId>,
    pairs: Vec<LabelledValue>,
}

impl SiteTexts {
    /// Knows no page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether it learns from no further page.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.pages.len() >= MAX_TAUGHT_PAGES
    }

    /// Learns from a page, unless it has learned from enough.
    pub fn learn(&mut self, page: &Page) {
        if !self.is_full() {
            self.learn_evidence(&Evidence::read(page));
        }
    }

    /// Learns from the evidence of a page, which must be as it was read.
    pub(crate) fn learn_evidence(&mut self, evidence: &Evidence<'_>) {
        let own = page_key(evidence);
        if self.is_full() || self.pages.contains(&own) {
            return;
        }
        let texts = ShortText::read(evidence);
        // A page that was read in part would teach that it lacks the rest.
        if evidence.tree.interrupt().is_raised() {
            return;
        }
        self.pages.push(own);
        let mut seen = HashSet::new();
        for text in texts.into_iter().filter(|text| seen.insert(text.place)) {
            let is_full = self.texts.len() >= MAX_TEXTS;
            let known = match self.texts.entry(text.place) {
                Entry::Vacant(_) if is_full => continue,
                entry => entry.or_default(),
            };
            known.pages += 1;
            if let Some(FollowingText { text: next, .. }) = text.following {
                known.varies |= *known.next.get_or_insert(next) != next;
            }
        }
        for part in title_parts::keys(&evidence.title) {
            *self.title_parts.entry(part).or_default() += 1;
        }
    }

    /// Changes the evidence of a page by what recurs on the other pages: its title loses the parts that
    /// recur, a heading that recurs is not its main heading, and values after recurring labels are labelled
    /// values. Evidence of the only page stays as it is.
    pub(crate) fn inform(&self, evidence: &mut Evidence<'_>) {
        let Some(lesson) = self.lesson(evidence) else { return };
        evidence.title = lesson.title;
        evidence.heading = lesson.heading;
        evidence.pairs.extend(lesson.pairs);
        evidence.recurring = Some(lesson.recurring);
    }

    fn lesson(&self, evidence: &Evidence<'_>) -> Option<Lesson> {
        let own = usize::from(self.pages.contains(&page_key(evidence)));
        let others = self.pages.len().checked_sub(own).filter(|others| *others > 0)?;
        let known_text = |place: u64| {
            let known = self.texts.get(&place).copied().unwrap_or_default();
            KnownText { pages: known.pages.saturating_sub(own), ..known }
        };
        let mut recurring = Recurring::default();
        // The texts of the page: whether all their occurrences recur, and whether all are in menus.
        let mut texts: HashMap<u64, (bool, bool)> = HashMap::new();
        let mut labels = Vec::new();
        for text in ShortText::read(evidence) {
            let known = known_text(text.place);
            let (recurs, in_menu) = texts.entry(text.text).or_insert((true, true));
            *recurs &= is_recurring(known.pages, others);
            *in_menu &= text.in_menu;
            if is_label(&text, known, others) && labels.len() < MAX_LABELS {
                labels.push(text);
            }
        }
        recurring.template = texts.iter().filter(|(_, (recurs, _))| *recurs).map(|(key, _)| *key).collect();
        let menu_entries = texts.iter().filter(|(_, (recurs, in_menu))| *recurs && *in_menu);
        recurring.menu_entries = menu_entries.map(|(key, _)| *key).collect();
        let part_recurs = |part: &u64| {
            let pages = self.title_parts.get(part).map_or(0, |pages| pages.saturating_sub(own));
            2 * pages > others
        };
        recurring.title_parts = title_parts::keys(&evidence.title).into_iter().filter(part_recurs).collect();
        let same_titles = text_key(&evidence.title).map_or(0, |title| known_text(title_place(title)).pages);
        let title = if same_titles >= MIN_SAME_TITLES && is_recurring(same_titles, others) {
            ""
        } else {
            evidence.title.get(recurring.clean_title(&evidence.title)).unwrap_or_default()
        };
        let heading = main_heading(evidence, &mut recurring, title);
        let pairs = label_values(evidence, labels, &mut recurring);
        Some(Lesson { recurring, title: title.to_owned(), heading, pairs })
    }
}

/// Whether a text recurs that this many of the other pages have.
fn is_recurring(pages: usize, others: usize) -> bool {
    pages >= others.min(2) && 3 * pages >= others
}

/// Whether a text of a page recurs before texts that differ.
fn is_label(text: &ShortText, known: KnownText, others: usize) -> bool {
    let Some(following) = &text.following else { return false };
    let recurs = known.pages > 0 && 3 * known.pages >= others && !text.in_menu;
    recurs && known.next.is_some_and(|next| known.varies || next != following.text)
}

/// The main heading: that of the evidence, unless it recurs and the title does not repeat it. Then it is the
/// first one that does not recur.
fn main_heading(evidence: &Evidence<'_>, recurring: &mut Recurring, title: &str) -> Option<NodeId> {
    let tree = &evidence.tree;
    let heading = evidence.heading?;
    let text = tree.text_of(heading);
    if overlap(text, title) > 0.5 {
        // Several pages about one thing, such as its sizes.
        if let Some(key) = text_key(text) {
            recurring.template.remove(&key);
        }
        return Some(heading);
    }
    let recurs = |text: &str| recurring.is_template(text) || recurring.is_title_part(text);
    if !recurs(text) {
        return Some(heading);
    }
    let headings = tree.nodes().filter(|node| tree.is(*node, &["h1"]) && !tree.is_hidden(*node));
    headings.take(MAX_HEADINGS).find(|node| {
        let text = tree.text_of(*node);
        !text.is_empty() && !recurs(text) && !is_teaser(tree, *node)
    })
}

/// Adds recurring labels, and returns their values that the page's other labels do not state.
fn label_values(
    evidence: &Evidence<'_>,
    labels: Vec<ShortText>,
    recurring: &mut Recurring,
) -> Vec<LabelledValue> {
    if labels.is_empty() {
        return Vec::new();
    }
    let keys = |label: &str, value: &str| Some((text_key(label)?, text_key(value)?));
    let mut stated: HashSet<(u64, u64)> =
        evidence.pairs.iter().filter_map(|pair| keys(&pair.label, &pair.value)).collect();
    let mut pairs = Vec::new();
    for label in labels {
        let Some(FollowingText { node, range, text: value_key }) = label.following else { continue };
        let text = |range: Range<usize>| evidence.tree.text().get(range).unwrap_or_default();
        let (written, value) = (text(label.range), text(range.clone()));
        let words = folded(written);
        let has_space = evidence.pairs.len() + pairs.len() < MAX_PAIRS && value.len() <= MAX_VALUE_BYTES;
        if has_space && stated.insert((label.text, value_key)) {
            let (label, value) = (written.to_owned(), value.to_owned());
            let (method, text) = (Method::Label, Some(range.clone()));
            pairs.push(LabelledValue { label, value, method, node: Some(node), text });
        }
        recurring.labels.push(FoundLabel { key: label.text, words, value: range });
    }
    recurring.labels.sort_by_key(|label| label.value.start);
    pairs
}

/// The hash of a page by its title and its visible text.
fn page_key(evidence: &Evidence<'_>) -> u64 {
    let text = evidence.tree.text();
    evidence.tree.interrupt().spend(text.len() / 64);
    let mut hasher = SipHasher13::new();
    hasher.write(evidence.title.as_bytes());
    hasher.write_u8(0);
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract_pages;
    use crate::schema::Shape;
    use crate::template::short_texts::MAX_PAGE_TEXTS;
    use serde_json::json;

    fn pages(htmls: &[&str]) -> Vec<Page> {
        let page = |(at, html): (usize, &&str)| {
            Page::new("https://shop.example/".parse().unwrap(), format!("{html}<p>Text {at}</p>"))
        };
        htmls.iter().enumerate().map(page).collect()
    }

    /// A title, a heading, and labels with their values.
    type Informed = (String, String, Vec<(String, String)>);

    /// What each page says once the pages are learned in this order.
    fn informed(pages: &[Page], order: &[usize]) -> Vec<Informed> {
        let mut texts = SiteTexts::new();
        order.iter().for_each(|at| texts.learn(&pages[*at]));
        let inform = |page: &Page| {
            let mut evidence = Evidence::read(page);
            texts.inform(&mut evidence);
            let pairs = evidence.pairs.iter().map(|pair| (pair.label.clone(), pair.value.clone())).collect();
            let heading = evidence.heading.map_or("", |node| evidence.tree.text_of(node)).to_owned();
            (evidence.title.clone(), heading, pairs)
        };
        pages.iter().map(inform).collect()
    }

    #[test]
    fn titles_lose_what_recurs_from_two_pages_on() {
        let rows: [(&[&str], &[&str]); 8] = [
            (&["Red cup | Cup House", "Blue pot | Cup House"], &["Red cup", "Blue pot"]),
            (&["Cup House: Red cup", "Cup House: Blue pot"], &["Red cup", "Blue pot"]),
            (
                &["Dune by F. Herbert (Paperback): cups.example", "Emma by J. Austen: cups.example"],
                &["Dune by F. Herbert (Paperback)", "Emma by J. Austen"],
            ),
            (
                &["Red - Cups - House", "Blue - Cups - House", "Old - Pots - House", "New - Pots - House"],
                &["Red - Cups", "Blue - Cups", "Old - Pots", "New - Pots"],
            ),
            (&["Red cup | Cup House"], &["Red cup | Cup House"]),
            (&["Red cup", "Blue cup"], &["Red cup", "Blue cup"]),
            (&["Cup House", "Cup House"], &["Cup House", "Cup House"]),
            (&["Cup House", "Cup House", "Cup House"], &["", "", ""]),
        ];
        for (titles, expected) in rows {
            let htmls: Vec<String> = titles.iter().map(|title| format!("<title>{title}</title>")).collect();
            let htmls: Vec<&str> = htmls.iter().map(String::as_str).collect();
            let order: Vec<usize> = (0..titles.len()).collect();
            let found = informed(&pages(&htmls), &order);
            let found: Vec<&str> = found.iter().map(|(title, ..)| title.as_str()).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_heading_that_recurs_is_not_the_main_heading() {
        let rows = [
            (
                [
                    "<title>Red cup | House of Cups</title><h1>House of Cups</h1><h1>Red cup</h1>",
                    "<title>Blue pot | House of Cups</title><h1>House of Cups</h1>",
                ],
                ["Red cup", ""],
            ),
            (
                [
                    "<title>Dune (Paperback) | Books</title><h1>Dune</h1>",
                    "<title>Dune (Hardcover) | Books</title><h1>Dune</h1>",
                ],
                ["Dune", "Dune"],
            ),
        ];
        for (htmls, expected) in rows {
            let found = informed(&pages(&htmls), &[0, 1]);
            let found: Vec<&str> = found.iter().map(|(_, heading, _)| heading.as_str()).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn texts_before_texts_that_vary_are_labels() {
        let html = |publisher: &str, pages: &str| {
            let book = format!("<p><b>Publisher</b> <i>{publisher}</i> <b>Pages</b> {pages}");
            format!("{book} <b>Format</b> <i>Book</i></p>")
        };
        let (one, two) = (html("Penguin", "412"), html("Gallimard", "96"));
        let pages = pages(&[&one, &two]);
        let found = informed(&pages, &[0, 1]);
        let pair = |label: &str, value: &str| (label.to_owned(), value.to_owned());
        for expected in [pair("Publisher", "Gallimard"), pair("Pages", "96")] {
            assert!(found[1].2.contains(&expected), "{expected:?} {found:?}");
        }
        assert!(found[1].2.iter().all(|(label, _)| label != "Format"), "{found:?}");
        assert_eq!(informed(&pages, &[1, 0]), found);
        assert!(informed(&pages, &[1])[1].2.iter().all(|(label, _)| label != "Publisher"));
    }

    #[test]
    fn a_labelled_value_may_be_the_same_on_all_pages() {
        let html = |name: &str| {
            format!("<title>{name} | Acme</title><h1>{name}</h1><dl><dt>Brand</dt><dd>Acme</dd></dl>")
        };
        let htmls = ["Red cup", "Blue pot", "Old jug"].map(html);
        let pages = pages(&htmls.each_ref().map(String::as_str));
        let shape = json!({ "properties": { "name": { "type": "string" }, "brand": { "type": "string" } } });
        let found = extract_pages(&pages, &Shape::from_schema(&shape).unwrap());
        let names = ["Red cup", "Blue pot", "Old jug"];
        for (found, name) in found.iter().zip(names) {
            assert_eq!(found.data, json!({ "name": name, "brand": "Acme" }));
        }
    }

    #[test]
    fn what_is_learned_is_bounded() {
        let mut texts = SiteTexts::new();
        for page in 0..MAX_TEXTS / MAX_PAGE_TEXTS + 2 {
            let html: String = (0..100_000).map(|at| format!("<p>text {page} {at}")).collect();
            texts.learn(&Page::new("https://x.example/".parse().unwrap(), html));
            assert!(texts.texts.len() <= MAX_TEXTS.min((page + 1) * MAX_PAGE_TEXTS));
        }
        assert_eq!(texts.texts.len(), MAX_TEXTS);
        let small = pages(&["<p>a", "<p>b", "<p>c", "<p>d", "<p>e", "<p>f", "<p>g", "<p>h", "<p>i"]);
        small.iter().for_each(|page| texts.learn(page));
        assert!(texts.is_full() && texts.pages.len() == MAX_TAUGHT_PAGES);
    }
}
