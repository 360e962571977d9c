//! How likely a list of the page is the one that a property asks for.

use super::items::{CleanItem, clean, is_term};
use super::lists::{ListForm, MIN_SIBLINGS, PageList};
use super::outline::{label_before, text_at};
use super::page_view::{PagePlace, PageView};
use super::subject::Subject;
use super::vocabulary::{ItemKind, says_category};
use crate::bind::element_names::names_of;
use crate::bind::words::words;
use crate::markup::NodeId;
use crate::plan::to_f64;

/// Lower bound on the score of a list that is taken.
pub(super) const MIN_SCORE: f64 = 0.4;
/// Lower bound on the evidence of names for a list whose items are read at all.
const MIN_EVIDENCE: f64 = 0.3;
/// Upper bound on the score of a list.
const MAX_SCORE: f64 = 0.9;
/// Weight of a label or a heading that is exactly a name of the list.
const ABOVE_WEIGHT: f64 = 0.62;
/// Weight of a class or an id that is exactly a name of the list.
const NAME_WEIGHT: f64 = 0.5;
/// Weight of links whose `rel` is a name of the list.
const RELATION_WEIGHT: f64 = 0.55;
/// Weight of links whose addresses have a name of the list as a part.
const ADDRESS_WEIGHT: f64 = 0.42;
/// Bytes of visible text between a heading and its list; beyond them, the heading counts half.
const NEAR_HEADING_BYTES: usize = 600;
/// Bytes of visible text between a heading and a list of short terms.
const NEAR_TERMS_BYTES: usize = 120;
/// Longest label that says that a list has categories, in bytes.
const MAX_CATEGORY_LABEL: usize = 40;
/// Lower bound on the fit of the names of a list that name it.
const MIN_NAME: f64 = 0.7;
/// Upper bound on the items whose links are examined.
const MAX_SAMPLE: usize = 20;
/// Upper bound on the names of an element that say what it is; more are those of a page or a card.
const MAX_NAMES: usize = 4;
/// Upper bound on short terms; more of them are an index of the site.
const MAX_TERMS: usize = 40;
/// Lower bound on the share of items that have a property, if the list has it.
const MOST: f64 = 0.8;

/// The rating of a list.
#[derive(Debug)]
pub(super) struct Rating {
    /// 0 to 1.
    pub(super) score: f64,
    /// Whether a class or an id names it.
    pub(super) is_named: bool,
    /// The heading above it that names it.
    pub(super) heading: Option<NodeId>,
    pub(super) items: Vec<CleanItem>,
}

/// What stands above a list.
#[derive(Debug)]
struct Above {
    fit: f64,
    heading: Option<NodeId>,
    /// Whether the label before the list says that it has categories.
    is_category: bool,
}

/// Rates a list; `None` if it is not the one that the property asks for.
pub(super) fn rate(view: &PageView<'_, '_>, subject: &Subject, list: &PageList<'_>) -> Option<Rating> {
    // Two lines are a paragraph or, below "Line-up", two names.
    let is_pair = list.form == ListForm::Lines && list.items.len() < MIN_SIBLINGS;
    if is_pair && (subject.kind != ItemKind::People || subject.fit("line up") < 1.0) {
        return None;
    }
    let above = above(view, subject, list);
    let name = name_fit(view, subject, list);
    let link = link_evidence(view, subject, list);
    let mut doubt = (1.0 - ABOVE_WEIGHT * above.fit) * (1.0 - NAME_WEIGHT * name) * (1.0 - link);
    if 1.0 - doubt < MIN_EVIDENCE || is_elsewhere(view, subject.kind, list.first(), above.fit) {
        return None;
    }
    // The categories of a site are no keywords.
    let asks_keywords = subject.kind == ItemKind::Keywords && subject.fit("keywords") >= 1.0;
    if asks_keywords && (above.is_category || are_categories(view, list)) {
        return None;
    }
    let mut items = clean(&view.evidence.tree, list, subject.kind);
    if items.len() > 1 && items.first().is_some_and(|first| subject.fit(&first.text) >= 1.0) {
        items.remove(0);
    }
    let is_linked = link >= RELATION_WEIGHT || (link > 0.0 && name > MIN_NAME);
    let is_sure = is_term(subject.kind) && (above.fit >= 1.0 || is_linked);
    let least = if is_sure { 1 } else { 2 };
    if items.len() < least {
        return None;
    }
    let form = form(view, subject.kind, list, &items);
    doubt *= 1.0 - form.support;
    let mut score = (1.0 - doubt) * form.fit;
    // Short terms that are neither links nor labelled are badges.
    if is_term(subject.kind) && form.support <= 0.0 && above.fit < 0.7 {
        score *= 0.75;
    }
    let score = f64::min(score, MAX_SCORE);
    (score >= MIN_SCORE).then_some(Rating { score, is_named: name > MIN_NAME, heading: above.heading, items })
}

/// The clean items of a list that continues another; `None` if it has another form.
pub(super) fn continuation(
    view: &PageView<'_, '_>,
    subject: &Subject,
    list: &PageList<'_>,
) -> Option<Vec<CleanItem>> {
    let items = clean(&view.evidence.tree, list, subject.kind);
    let fits = !items.is_empty() && form(view, subject.kind, list, &items).fit >= 0.7;
    (fits && !is_elsewhere(view, subject.kind, list.first(), 1.0)).then_some(items)
}

/// The label before a list or the headings above it.
fn above(view: &PageView<'_, '_>, subject: &Subject, list: &PageList<'_>) -> Above {
    let tree = &view.evidence.tree;
    let text = list.text();
    // What follows a colon is a value: "Weight: 2 kg".
    let label = label_before(tree, text.start).unwrap_or_default().trim_end_matches([':', '：', ' ']);
    let label = label.rsplit([':', '：']).next().unwrap_or_default();
    let described = tree.attribute(list.parent, "aria-label").unwrap_or_default();
    let own = list.items.first().filter(|_| list.form == ListForm::Lines);
    let own = own.map_or("", |line| text_at(tree, &line.text));
    let fits = [label, &*described, own].into_iter().map(|label| subject.fit(label));
    let is_category = label.len() <= MAX_CATEGORY_LABEL && says_category(&words(label));
    let mut best = Above { fit: fits.fold(0.0, f64::max), heading: None, is_category };
    let mut is_other = subject.is_other(label);
    for (step, heading) in view.outline().above(list.first()).take(3).enumerate() {
        let title = text_at(tree, &heading.text);
        let mut fit = subject.fit(title);
        // The title of the page names the list only if it says nothing else.
        if is_other || (heading.rank == 1 && fit < 1.0) {
            fit = 0.0;
        }
        let gap = text.start.saturating_sub(heading.text.end);
        fit *= match (step, is_term(subject.kind)) {
            (0, _) if gap <= 2 => 1.0,
            // What stands between is more likely the list.
            (0, true) if gap <= NEAR_TERMS_BYTES => 0.75,
            (_, true) => 0.0,
            (0, false) if gap <= NEAR_HEADING_BYTES => 0.9,
            (0, false) => 0.5,
            (_, false) => 0.8,
        };
        is_other |= subject.is_other(title);
        if fit > 0.0 && (fit >= best.fit || best.heading.is_none()) {
            best.heading = Some(heading.node);
            best.fit = f64::max(best.fit, fit);
        }
    }
    best
}

/// How well the names of the list, of its items and of the elements around it alone fit.
fn name_fit(view: &PageView<'_, '_>, subject: &Subject, list: &PageList<'_>) -> f64 {
    let tree = &view.evidence.tree;
    let fit =
        |node: NodeId| names_of(view.evidence, node).map(|name| subject.class_fit(name)).fold(0.0, f64::max);
    let most = list.text().len() * 2 + 120;
    let around = std::iter::once(list.parent)
        .chain(tree.ancestors(list.parent))
        .take_while(|node| tree.text_of(*node).len() <= most)
        .zip([1.0, 0.95, 0.9, 0.8])
        .map(|(node, weight)| weight * fit(node));
    around.fold(fit(list.first()), f64::max)
}

/// Evidence of links: their relation to the page and their addresses.
fn link_evidence(view: &PageView<'_, '_>, subject: &Subject, list: &PageList<'_>) -> f64 {
    if !is_term(subject.kind) {
        return 0.0;
    }
    let tree = &view.evidence.tree;
    let (mut related, mut addressed, mut all) = (0, 0, 0);
    for item in list.items.iter().take(MAX_SAMPLE) {
        all += 1;
        let Some(link) = link_in(view, item.node) else { continue };
        let relation = tree.attribute(link, "rel").unwrap_or_default().to_ascii_lowercase();
        let is_category = relation.split(' ').any(|word| word == "category");
        related += usize::from(
            relation.split(' ').any(|word| subject.fit(word) >= 1.0 && (word != "tag" || !is_category)),
        );
        let address = tree.attribute(link, "href").unwrap_or_default();
        addressed += usize::from(
            !is_foreign(view, &address)
                && folders(&address).any(|folder| subject.class_fit(&words(folder)) >= 1.0),
        );
    }
    let is_most = |count: usize| to_f64(count) >= MOST * to_f64(all);
    match (is_most(related), is_most(addressed)) {
        (true, _) => RELATION_WEIGHT,
        (_, true) => ADDRESS_WEIGHT,
        _ => 0.0,
    }
}

/// The folders of an address, the first ones only.
fn folders(address: &str) -> impl Iterator<Item = &str> {
    let folders = address.rsplit_once('/').map_or("", |(folders, _)| folders.trim_end_matches('/'));
    folders.split('/').skip(1).take(12)
}

/// Whether an address is on another site: the tags of an embedded post are not the page's.
fn is_foreign(view: &PageView<'_, '_>, address: &str) -> bool {
    let site = |host: Option<&str>| {
        let host = host.unwrap_or_default();
        let start = host.rmatch_indices('.').nth(1).map_or(0, |(at, _)| at + 1);
        host.get(start..).unwrap_or_default().to_owned()
    };
    let url = view.evidence.url.join(address);
    url.is_ok_and(|url| site(url.host_str()) != site(view.evidence.url.host_str()))
}

/// Whether the names of a list or the links of most items say that they are categories of the site.
fn are_categories(view: &PageView<'_, '_>, list: &PageList<'_>) -> bool {
    let tree = &view.evidence.tree;
    let says = |node: NodeId| {
        let names = names_of(view.evidence, node);
        names.len() <= MAX_NAMES && says_category(&names.collect::<Vec<_>>().concat())
    };
    if says(list.parent) || says(list.first()) {
        return true;
    }
    let is_category = |link: NodeId| {
        let relation = tree.attribute(link, "rel").unwrap_or_default();
        let address = tree.attribute(link, "href").unwrap_or_default();
        relation.split(' ').any(|word| word.eq_ignore_ascii_case("category"))
            || folders(&address).map(words).any(|folder| folder.len() == 1 && says_category(&folder))
    };
    let sample = list.items.iter().take(MAX_SAMPLE);
    let links = sample.clone().filter_map(|item| link_in(view, item.node));
    to_f64(links.filter(|link| is_category(*link)).count()) >= MOST * to_f64(sample.count())
}

/// The link that an item is, or its first one.
fn link_in(view: &PageView<'_, '_>, item: NodeId) -> Option<NodeId> {
    let tree = &view.evidence.tree;
    std::iter::once(item).chain(tree.within(item).take(10)).find(|node| tree.is(*node, &["a"]))
}

/// Whether the list at a node belongs to the site or to other things than the page's main entity. `above` is
/// how well what stands above it names the list.
pub(super) fn is_elsewhere(view: &PageView<'_, '_>, kind: ItemKind, first: NodeId, above: f64) -> bool {
    // Terms stand in footers and beside related things, but not below a heading of such things.
    let is_unrelated = if is_term(kind) {
        above < 1.0 && view.evidence.unrelated().in_related_section(first)
    } else {
        view.evidence.unrelated().contains(first)
    };
    is_unrelated || view.place(first) == PagePlace::Site
}

/// What the form of a list says about its kind.
#[derive(Debug, Clone, Copy)]
struct Form {
    /// How well it fits the kind, 0 to 1.
    fit: f64,
    /// Evidence that the form alone gives, 0 to 1.
    support: f64,
}

fn form(view: &PageView<'_, '_>, kind: ItemKind, list: &PageList<'_>, items: &[CleanItem]) -> Form {
    let count = to_f64(items.len().max(1));
    let widths = || items.iter().map(|item| width(&item.text));
    let mean = to_f64(widths().sum()) / count;
    let share =
        |is: &dyn Fn(&CleanItem) -> bool| to_f64(items.iter().filter(|&item| is(item)).count()) / count;
    let linked = share(&|item| link_in(view, item.node).is_some());
    match kind {
        ItemKind::Ingredients => {
            let amounts = share(&|item| has_amount(&item.text));
            if mean > 120.0 {
                Form { fit: 0.0, support: 0.0 }
            } else if amounts >= 0.4 {
                Form { fit: 1.0, support: 0.25 }
            } else {
                // Links without amounts may be a menu of ingredients.
                Form { fit: if linked >= MOST { 0.6 } else { 0.85 }, support: 0.0 }
            }
        }
        ItemKind::Steps => {
            let is_sentence =
                |item: &CleanItem| width(&item.text) >= 30 || item.text.ends_with(['.', '!', '。', '．']);
            let support = if list.form == ListForm::Ordered { 0.15 } else { 0.0 };
            let fit = if mean < 12.0 {
                0.0
            } else if support > 0.0 || share(&is_sentence) >= 0.5 {
                1.0
            } else {
                0.6
            };
            Form { fit, support }
        }
        ItemKind::Keywords | ItemKind::Categories | ItemKind::People => {
            let is_long = mean > 45.0 || widths().any(|width| width > 90);
            let has_digit = |item: &CleanItem| item.text.contains(|found: char| found.is_ascii_digit());
            let is_other = kind == ItemKind::People && share(&has_digit) > 0.2;
            let fit = if is_long || is_other || items.len() > MAX_TERMS { 0.0 } else { 1.0 };
            Form { fit, support: if linked >= MOST { 0.15 } else { 0.0 } }
        }
        ItemKind::Any => Form { fit: if mean > 400.0 { 0.3 } else { 1.0 }, support: 0.0 },
        ItemKind::Trail | ItemKind::Images => Form { fit: 0.0, support: 0.0 },
    }
}

/// The width of a text in Latin letters: signs of East Asian scripts take two.
fn width(text: &str) -> usize {
    text.chars().map(|found| if found >= '\u{2e80}' { 2 } else { 1 }).sum()
}

/// Whether a text states an amount: a digit or a fraction.
fn has_amount(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}
