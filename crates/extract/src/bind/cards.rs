//! Cards: records of a list as repeated elements in the main part of a page.
//!
//! Menus, headers and footers, parts about other things and adverts hold no records. Cards that state nothing
//! of what the list asks for beside a name are that list only if the page calls them so.

use std::collections::BTreeMap;

use super::element_names::names_of;
use super::list_values::PageView;
use super::pool::{Candidate, Record};
use super::shown_prices::{WantedPrice, is_former, only_of, within};
use super::target::{NameIndex, TargetField};
use super::words::{folded, words};
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::normalise::normalise;
use crate::page::{Method, truncate};
use crate::typed::{is_buy_label, money_amounts};

/// Upper bound on the records of a group.
const MAX_CARDS: usize = 20_000;
/// Upper bound on the groups of similar elements that are tried.
const MAX_GROUPS: usize = 12;
/// Longest text of a card that counts for the size of its group, in bytes.
const MAX_COUNTED_BYTES: usize = 400;
/// Longest text of an element that is a value, in bytes.
const MAX_VALUE_BYTES: usize = 400;
/// Upper bound on the words of a class.
const MAX_CLASSES: usize = 8;
/// Elements around the cards whose names may name the list.
const MAX_AROUND: usize = 3;
/// Fewest cards with a heading that are a list without a name.
const MIN_HEADED: usize = 3;

const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
/// Attributes that name an element.
const NAMING: [&str; 4] = ["class", "itemprop", "id", "data-field"];

/// Words in the names of adverts.
const AD_NAMES: [&str; 10] = [
    "ad",
    "ads",
    "advert",
    "adverts",
    "advertisement",
    "sponsored",
    "sponsor",
    "promoted",
    "promo",
    "anzeige",
];
/// First lines of adverts, in folded words.
const AD_LINES: [&str; 14] = [
    "ad",
    "advert",
    "advertisement",
    "sponsored",
    "promoted",
    "anzeige",
    "werbung",
    "gesponsert",
    "publicité",
    "sponsorisé",
    "patrocinado",
    "publicidad",
    "sponsorizzato",
    "広告",
];

/// Lists of anything: their cards may state nothing but a heading with a link.
const ANYTHING: [&str; 5] = ["link", "result", "item", "entry", "page"];
/// Lists of texts: the same, but nothing is for sale there.
const TEXTS: [&str; 6] = ["article", "post", "story", "news", "headline", "blog"];

/// Scores of what a card states, by where it stands.
mod score {
    /// In an element that the page calls so.
    pub(super) const NAMED: f64 = 0.7;
    /// Behind a label with a colon.
    pub(super) const LABELLED: f64 = 0.65;
    /// In the heading.
    pub(super) const HEADING: f64 = 0.6;
    /// As the only amount of its kind.
    pub(super) const AMOUNT: f64 = 0.55;
    /// As the address of the link around the heading, or in it.
    pub(super) const OWN_LINK: f64 = 0.55;
    /// As the address of another link or an image.
    pub(super) const ADDRESS: f64 = 0.5;
    /// As the text of a link.
    pub(super) const LINK: f64 = 0.45;
}

/// The records of each group of cards that may be the list with this name.
pub(super) fn read(
    view: &PageView<'_, '_>,
    targets: &[TargetField<'_>],
    names: &NameIndex,
    list_name: &str,
) -> Vec<Vec<Record>> {
    let evidence = view.evidence;
    let wanted = singular_words(list_name);
    let sums: Vec<Option<WantedPrice>> = targets.iter().map(WantedPrice::of).collect();
    let mut found = Vec::new();
    for group in groups(view) {
        let read = |card: &NodeId| {
            let record = record(view, *card, (targets, &sums), names);
            states_more_than_addresses(&record, targets).then_some(record)
        };
        let cards = group.iter().take(MAX_CARDS);
        let cards = cards.take_while(|_| !evidence.tree.interrupt().spend(targets.len()));
        let records: Vec<Record> = cards.filter_map(read).collect();
        let fits = || {
            states_any(&records, targets, is_telling)
                || is_named(evidence, &group, &wanted)
                || (are_any(evidence, &group, &wanted) && are_headed(evidence, &group))
        };
        if records.len() >= 2 && fits() {
            found.push(with_names(records, targets));
        }
    }
    found
}

/// Whether a field tells one kind of thing from another: all things have names, links and images.
pub(super) fn is_telling(target: &TargetField<'_>) -> bool {
    !["name", "url", "image", "description"].iter().any(|concept| target.has_concept(concept))
}

/// Whether one of the records states a field of a kind.
pub(super) fn states_any(
    records: &[Record],
    targets: &[TargetField<'_>],
    is_kind: fn(&TargetField<'_>) -> bool,
) -> bool {
    let stated = records.iter().flat_map(|record| &record.values);
    let mut kinds =
        stated.filter_map(|(pointer, _)| targets.iter().find(|target| target.pointer == *pointer));
    kinds.any(is_kind)
}

/// The words of a list's name, each in the singular.
pub(super) fn singular_words(name: &str) -> Vec<String> {
    let singular = |word: String| match (word.strip_suffix("ies"), word.strip_suffix('s')) {
        (Some(stem), _) if !stem.is_empty() => format!("{stem}y"),
        (_, Some(stem)) if stem.len() > 2 => stem.to_owned(),
        _ => word,
    };
    words(name).into_iter().map(singular).collect()
}

fn states_more_than_addresses(record: &Record, targets: &[TargetField<'_>]) -> bool {
    let is_address = |target: &TargetField<'_>| target.has_concept("url") || target.has_concept("image");
    !record.values.is_empty()
        && (targets.iter().all(is_address)
            || states_any(std::slice::from_ref(record), targets, |target| {
                !(target.has_concept("url") || target.has_concept("image"))
            }))
}

/// The records without those that lack the name that others have: they are no cards of the list.
fn with_names(mut records: Vec<Record>, targets: &[TargetField<'_>]) -> Vec<Record> {
    let Some(name) = targets.iter().find(|target| target.has_concept("name")) else { return records };
    let has_name = |record: &Record| record.values.iter().any(|(pointer, _)| *pointer == name.pointer);
    if records.iter().filter(|record| has_name(record)).count() * 2 > records.len() {
        records.retain(has_name);
    }
    records
}

/// Whether the page calls a group what the list is called: by an element's name, by its classes, or by the
/// heading above it.
fn is_named(evidence: &Evidence<'_>, group: &[NodeId], wanted: &[String]) -> bool {
    let tree = &evidence.tree;
    let (Some(first), Some(last)) = (group.first(), wanted.last()) else { return false };
    let says = |name: &str| singular_words(name).contains(last);
    let mut around = std::iter::once(*first).chain(tree.ancestors(*first).take(MAX_AROUND));
    let is_so = |node: NodeId| {
        let is_wide = tree.is(node, &["main", "body", "html"]);
        let mut named = names_of(evidence, node).flatten();
        !is_wide && (says(tree.name(node)) || named.any(|word| says(word.as_str())))
    };
    let heading = || {
        let before = tree.nodes().take_while(|node| node < first);
        before.filter(|node| tree.is(*node, &HEADINGS)).last()
    };
    around.any(is_so) || heading().is_some_and(|node| says(tree.text_of(node)))
}

/// Whether a list's name says no more than that its cards are things or texts, and they may be these.
fn are_any(evidence: &Evidence<'_>, group: &[NodeId], wanted: &[String]) -> bool {
    let has_sum = |card: &NodeId| {
        let text = evidence.tree.text_of(*card);
        money_amounts(truncate(text, MAX_COUNTED_BYTES)).any(|money| money.currency.is_some())
    };
    wanted.iter().all(|word| {
        let word = word.as_str();
        ANYTHING.contains(&word) || (TEXTS.contains(&word) && !group.iter().take(MAX_CARDS).any(has_sum))
    })
}

/// Whether each card of a group has a heading with a link.
fn are_headed(evidence: &Evidence<'_>, group: &[NodeId]) -> bool {
    let tree = &evidence.tree;
    let is_headed = |card: &NodeId| {
        let is_linked = |node: NodeId| {
            let mut links = tree.within(node).chain(tree.ancestors(node));
            tree.is(node, &HEADINGS) && links.any(|node| tree.is(node, &["a"]))
        };
        tree.within(*card).any(is_linked)
    };
    group.len() >= MIN_HEADED && group.iter().take(MAX_CARDS).all(is_headed)
}

/// Groups of siblings with the same markup in the main part, the largest first.
fn groups(view: &PageView<'_, '_>) -> Vec<Vec<NodeId>> {
    let evidence = view.evidence;
    let tree = &evidence.tree;
    let mut by_parent: BTreeMap<(NodeId, String), Vec<NodeId>> = BTreeMap::new();
    for node in tree.nodes() {
        let name = tree.name(node);
        if name.is_empty()
            || tree.is_hidden(node)
            || tree.is(node, &["option", "br", "p", "td", "th", "dt", "dd", "span"])
        {
            continue;
        }
        // A link is a card only with several lines.
        if tree.is(node, &["a"]) && !tree.text_of(node).contains('\n') {
            continue;
        }
        let Some(parent) = tree.parent(node) else { continue };
        let class = tree.attribute(node, "class").unwrap_or_default();
        // The first class is the kind; later classes are states such as `first` and `selected`.
        let kind = class.split_whitespace().next().unwrap_or_default();
        by_parent.entry((parent, format!("{} {kind}", name.to_ascii_lowercase()))).or_default().push(node);
    }
    let mut found: Vec<Vec<NodeId>> = by_parent.into_values().filter(|group| group.len() >= 2).collect();
    found.retain(|group| {
        group
            .first()
            .is_some_and(|card| !view.is_of_site(*card) && !evidence.unrelated().in_related_section(*card))
    });
    let is_own =
        |card: NodeId| evidence.heading.is_some_and(|heading| card <= heading && heading < tree.end(card));
    for group in &mut found {
        group.retain(|card| !is_own(*card) && !is_advert(evidence, *card));
    }
    found.retain(|group| group.len() >= 2);
    let size = |group: &Vec<NodeId>| -> usize {
        group.iter().map(|node| tree.text_of(*node).len().min(MAX_COUNTED_BYTES)).sum()
    };
    found.sort_by_cached_key(|group| std::cmp::Reverse(size(group)));
    found.truncate(MAX_GROUPS);
    found
}

/// Whether a card is an advert between the others.
fn is_advert(evidence: &Evidence<'_>, card: NodeId) -> bool {
    let tree = &evidence.tree;
    let first = tree.text_of(card).lines().next().unwrap_or_default();
    names_of(evidence, card).flatten().any(|word| AD_NAMES.contains(&word.as_str()))
        || AD_LINES.contains(&folded(first).as_str())
}

/// The values of a card while it is read: the best candidate for each field.
struct CardValues<'v, 's> {
    targets: &'v [TargetField<'s>],
    /// The amounts that the fields ask for.
    sums: &'v [Option<WantedPrice>],
    best: Vec<Option<Candidate>>,
}

impl CardValues<'_, '_> {
    /// Offers a text. Of equally good ones, the first counts.
    fn offer(&mut self, evidence: &Evidence<'_>, at: usize, text: &str, node: NodeId, score: f64) {
        let Some(target) = self.targets.get(at) else { return };
        if self.is_better(at, score)
            && let Some(value) = normalise(text, target.form, target.shape, evidence.style())
        {
            let (quote, html_range) = (text.to_owned(), evidence.html_range_of(node));
            self.set(at, Candidate { value, quote, method: Method::Markup, score, html_range });
        }
    }

    fn is_better(&self, at: usize, score: f64) -> bool {
        self.best.get(at).is_some_and(|known| known.as_ref().is_none_or(|known| known.score < score))
    }

    fn set(&mut self, at: usize, candidate: Candidate) {
        if let Some(slot) = self.best.get_mut(at) {
            *slot = Some(candidate);
        }
    }
}

fn record(
    view: &PageView<'_, '_>,
    card: NodeId,
    (targets, sums): (&[TargetField<'_>], &[Option<WantedPrice>]),
    names: &NameIndex,
) -> Record {
    let evidence = view.evidence;
    let tree = &evidence.tree;
    let mut found = CardValues { targets, sums, best: targets.iter().map(|_| None).collect() };
    amounts(view, card, &mut found);
    // The card itself may be the link.
    for node in std::iter::once(card).chain(tree.within(card)) {
        if tree.interrupt().spend(targets.len()) {
            break;
        }
        if !tree.name(node).is_empty() && !tree.is_hidden(node) {
            of_element(evidence, card, node, names, &mut found);
        }
    }
    for line in tree.text_of(card).lines() {
        if let Some((label, value)) = line.split_once(':') {
            for (at, weight) in names.exactly(&folded(label)) {
                found.offer(evidence, *at, value.trim(), card, score::LABELLED * weight);
            }
        }
    }
    let values = targets
        .iter()
        .zip(found.best)
        .filter_map(|(target, found)| Some((target.pointer.clone(), found?)))
        .collect();
    Record { values }
}

/// Offers the amounts of a card, each to the fields that ask for its kind. Where several amounts are of one
/// kind, none is taken.
fn amounts(view: &PageView<'_, '_>, card: NodeId, found: &mut CardValues<'_, '_>) {
    let evidence = view.evidence;
    let (targets, sums) = (found.targets, found.sums);
    if sums.iter().all(Option::is_none) {
        return;
    }
    let shown = within(evidence, view.texts(), evidence.tree.text_range(card), &|_| true);
    for (at, (target, wanted)) in targets.iter().zip(sums).enumerate() {
        let only = wanted.and_then(|wanted| only_of(&shown, wanted));
        if let Some(candidate) = only.and_then(|shown| shown.candidate(target, score::AMOUNT)) {
            found.set(at, Candidate { method: Method::Markup, ..candidate });
        }
    }
}

/// Offers what an element of a card states.
fn of_element(
    evidence: &Evidence<'_>,
    card: NodeId,
    node: NodeId,
    names: &NameIndex,
    found: &mut CardValues<'_, '_>,
) {
    let tree = &evidence.tree;
    let text = tree.text_of(node);
    let targets = found.targets;
    let is_heading = tree.is(node, &HEADINGS);
    let is_link = tree.is(node, &["a"]) && !text.contains('\n') && !is_buy_label(text);
    for (at, target) in targets.iter().enumerate() {
        if target.has_concept("name") && node != card && text.contains(char::is_alphabetic) {
            if is_heading {
                found.offer(evidence, at, text, node, score::HEADING);
            } else if is_link {
                found.offer(evidence, at, text, node, score::LINK);
            }
        }
        if target.has_concept("url")
            && let Some(href) = tree.attribute(node, "href").filter(|_| tree.is(node, &["a"]))
        {
            let mut near = tree.within(node).chain(tree.ancestors(node));
            let is_own = near.any(|node| node >= card && tree.is(node, &HEADINGS));
            found.offer(evidence, at, &href, node, if is_own { score::OWN_LINK } else { score::ADDRESS });
        }
        if target.has_concept("image")
            && let Some(src) = tree.attribute(node, "src").filter(|_| tree.is(node, &["img", "source"]))
        {
            found.offer(evidence, at, &src, node, score::ADDRESS);
        }
    }
    if node == card || text.is_empty() || text.len() > MAX_VALUE_BYTES {
        return;
    }
    for (key, value) in tree.attributes(node).iter().copied() {
        if !NAMING.iter().any(|known| known.eq_ignore_ascii_case(key)) {
            continue;
        }
        for name in value.split_whitespace().take(MAX_CLASSES) {
            for (at, weight) in names.within(&words(name)) {
                let is_sum = found.sums.get(at).is_some_and(Option::is_some);
                // Amounts with a currency are read by what the card calls them.
                let is_shown = is_sum
                    && (is_former(evidence, node)
                        || money_amounts(text).any(|money| money.currency.is_some())
                        || money_amounts(text).count() != 1);
                if !is_shown {
                    found.offer(evidence, at, text, node, score::NAMED * weight);
                }
            }
        }
    }
}
