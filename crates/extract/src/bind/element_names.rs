//! Finds values by the classes, ids and attribute names of elements.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::pool::{Candidate, Pool};
use super::price_context::context_weight;
use super::target::{NameIndex, TargetField};
use super::text_nodes::{TextNodes, with_cents};
use super::words::words;
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::normalise::{ValueForm, normalise};
use crate::page::Method;
use crate::typed::{NumberStyle, money_amounts};

/// Longest text of an element that counts as one value, in bytes.
const MAX_TEXT: usize = 240;
/// The start of the names of attributes with data of the page's own.
const DATA: &str = "data-";

/// Words in the classes and ids around an amount that is not the asking price.
const OTHER_PRICE_WORDS: [&str; 49] = [
    "old",
    "was",
    "list",
    "rrp",
    "msrp",
    "strike",
    "striked",
    "strikethrough",
    "del",
    "before",
    "regular",
    "original",
    "save",
    "saving",
    "savings",
    "discount",
    "shipping",
    "delivery",
    "month",
    "monthly",
    "installment",
    "per",
    "unit",
    "filter",
    "range",
    "total",
    "subtotal",
    "cart",
    "basket",
    "minicart",
    "points",
    "previous",
    "crossed",
    "retail",
    "coupon",
    "alt",
    "min",
    "max",
    "pricechange",
    "lieferung",
    "versand",
    "deposit",
    "trade",
    "warranty",
    "insurance",
    "from",
    "excl",
    "net",
    "netto",
];

/// Words in the classes and ids around the asking price.
const PRICE_WORDS: [&str; 11] =
    ["new", "now", "current", "final", "sale", "special", "selling", "sell", "our", "actual", "reduced"];

/// The words of each name of an element.
pub(super) fn names_of<'e>(
    evidence: &'e Evidence<'_>,
    node: NodeId,
) -> impl ExactSizeIterator<Item = &'e [String]> + Clone {
    evidence.names().of(node)
}

/// Adds the values of elements whose names match a property: `class="product-price"`, `id=sku`,
/// `data-brand="..."`, `<input name=productId>`.
pub(crate) fn collect(
    evidence: &Evidence<'_>,
    texts: &TextNodes,
    targets: &[TargetField<'_>],
    names: &NameIndex,
    pools: &mut [Pool],
) {
    let tree = &evidence.tree;
    let heading = evidence.heading.map(|node| tree.text_range(node).end);
    let mut seen: BTreeMap<usize, u32> = BTreeMap::new();
    let mut struck: Vec<String> = Vec::new();
    // The fields that each name of an element has, and that each name of an attribute has.
    let fields_of = evidence.names().map(tree.interrupt(), |words| names.within(words));
    let mut data_names = DataNames::new(names);
    for node in tree.nodes() {
        let name = tree.name(node);
        if name.is_empty() || tree.is(node, &["script", "style", "html", "body", "head", "link"]) {
            continue;
        }
        if evidence.unrelated().in_related_section(node) {
            continue;
        }
        let is_unrelated = evidence.unrelated().contains(node);
        attributes(evidence, node, targets, &mut data_names, pools, is_unrelated);
        let text = tree.text_of(node);
        if text.is_empty() || text.len() > MAX_TEXT || tree.is_hidden(node) {
            continue;
        }
        for (number, run) in evidence.names().numbers_of(node).iter().zip(names_of(evidence, node)) {
            let found = fields_of.get(*number as usize).map_or(&[][..], Vec::as_slice);
            for (at, weight) in found.iter().copied() {
                let (Some(target), Some(pool)) = (targets.get(at), pools.get_mut(at)) else { continue };
                let count = seen.entry(at).or_default();
                let mut score = 0.42 * weight;
                // A longer name is more likely about something near the value.
                #[expect(clippy::cast_precision_loss, reason = "a name has few words")]
                let precise = 1.0 / (1.0 + 0.12 * (run.len().saturating_sub(1)) as f64);
                score *= precise;
                match target.form {
                    ValueForm::Price if is_struck(evidence, node, text) => {
                        struck.extend(money_amounts(text).take(2).map(|money| money.decimal));
                        score *= 0.35;
                    }
                    ValueForm::Price => match price_fit(evidence, node, text, heading) {
                        Some(fit) => score *= fit,
                        None => continue,
                    },
                    ValueForm::Availability => {}
                    ValueForm::Code | ValueForm::Gtin if text.len() > 60 => continue,
                    _ if target.is_textual() && text.len() > 80 && !target.has_concept("description") => {
                        score *= 0.4;
                    }
                    _ if target.is_textual() => score *= 0.85,
                    _ => {}
                }
                if is_unrelated {
                    score *= 0.15;
                }
                let sum = (target.form == ValueForm::Price)
                    .then(|| sum_text(evidence, texts, node, text))
                    .flatten();
                let value = sum.as_deref().unwrap_or_else(|| value_text(target, text));
                let Some(value) = normalise(value, target.form, target.shape, NumberStyle::Prose) else {
                    continue;
                };
                *count += 1;
                // The first is most likely the main entity's.
                score *= f64::max(1.0 - 0.02 * f64::from(*count - 1), 0.6);
                pool.add(Candidate {
                    value,
                    quote: text.to_owned(),
                    method: Method::Markup,
                    score,
                    html_range: evidence.html_range_of(node),
                });
            }
        }
    }
    // A struck amount is not the price, wherever else it occurs, if there is another one.
    for (_, pool) in targets.iter().zip(pools.iter_mut()).filter(|(target, _)| target.has_concept("price")) {
        let is_old = |value: &serde_json::Value| {
            let written = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            struck.iter().any(|old| old.parse::<f64>().ok() == written.parse::<f64>().ok())
        };
        if !struck.is_empty() && pool.iter_mut().any(|other| other.score > 0.25 && !is_old(&other.value)) {
            let weak = |method| matches!(method, Method::Markup | Method::EmbeddedState);
            for candidate in pool.iter_mut().filter(|old| weak(old.method) && is_old(&old.value)) {
                candidate.score *= 0.5;
            }
        }
    }
}

/// Whether the amount is crossed out or has the name of an old price.
pub(super) fn is_struck(evidence: &Evidence<'_>, node: NodeId, text: &str) -> bool {
    let tree = &evidence.tree;
    let old =
        ["old", "was", "before", "previous", "strike", "strikethrough", "crossed", "rrp", "msrp", "original"];
    text.len() <= 80
        && (names_of(evidence, node).flatten().any(|word| old.contains(&word.as_str()))
            || std::iter::once(node)
                .chain(tree.ancestors(node).take(3))
                .any(|above| tree.is(above, &["del", "s", "strike"])))
}

/// The amount of an element whose decimal point comes from the style sheet.
fn sum_text(evidence: &Evidence<'_>, texts: &TextNodes, node: NodeId, text: &str) -> Option<String> {
    let tree = &evidence.tree;
    let visible = tree.text();
    let all = tree.text_range(node);
    let start = all.start + visible.get(all)?.find(text)?;
    let sum = money_amounts(text).next()?.range;
    let point = texts.cents(visible, &(start + sum.start..start + sum.end))?;
    Some(with_cents(text.get(sum)?, point))
}

/// The value of an element without its own label: "Brand: ACME" is ACME.
fn value_text<'t>(target: &TargetField<'_>, text: &'t str) -> &'t str {
    match target.form {
        ValueForm::Text
        | ValueForm::Names
        | ValueForm::Place
        | ValueForm::Term
        | ValueForm::Code
        | ValueForm::Gtin => match text.split_once([':', '：']) {
            Some((label, value))
                if label.len() < 40 && !value.trim().is_empty() && !value.starts_with("//") =>
            {
                value.trim()
            }
            _ => text,
        },
        _ => text,
    }
}

/// How well an element fits as the price; `None` if it is certainly another amount.
fn price_fit(evidence: &Evidence<'_>, node: NodeId, text: &str, heading: Option<usize>) -> Option<f64> {
    let tree = &evidence.tree;
    if text.len() > 80 {
        return None;
    }
    let sums: Vec<_> = money_amounts(text).take(4).collect();
    let [first, rest @ ..] = sums.as_slice() else { return None };
    let refused = |word: &String| OTHER_PRICE_WORDS.contains(&word.as_str());
    let own = names_of(evidence, node).flatten();
    let words = context_weight(
        text.get(..first.range.start).unwrap_or_default(),
        text.get(first.range.end..rest.first().map_or(text.len(), |next| next.range.start))
            .unwrap_or_default(),
    );
    // The names of the element count as much as the words around the amount.
    let words = f64::max(words, 0.2);
    let mut fit: f64 = if own.clone().any(refused) {
        0.35
    } else if own.clone().any(|word| PRICE_WORDS.contains(&word.as_str())) {
        1.2
    } else {
        1.0
    };
    fit *= words;
    for above in tree.ancestors(node).take(3) {
        let around = names_of(evidence, above).flatten();
        if tree.text_of(above).len() < text.len() + 30
            && around.clone().count() < 24
            && around.clone().any(refused)
        {
            fit = f64::min(fit, 0.5);
        }
    }
    if first.currency.is_none() {
        fit *= 0.75;
    }
    if !rest.is_empty() && rest.iter().any(|other| other.decimal != first.decimal) {
        fit *= 0.5;
    }
    // The price follows the heading at a short distance.
    if let Some(heading) = heading {
        let at = tree.text_range(node).start;
        if at < heading {
            fit *= 0.6;
        } else if at - heading > 6_000 {
            fit *= 0.55;
        } else if at - heading < 1_500 {
            fit *= 1.25;
        }
    }
    if tree.attribute(node, "id").is_some() {
        fit *= 1.1;
    }
    Some(fit)
}

/// A name of an attribute with the fields that it may state.
struct DataName {
    words: Vec<String>,
    fields: Vec<(usize, f64)>,
}

/// The names of attributes and of controls, each read once.
struct DataNames<'n, 'a> {
    index: &'n NameIndex,
    names: Vec<DataName>,
    /// By the name, and whether capitals mean nothing in it.
    numbers: HashMap<(&'a str, bool), usize>,
}

impl<'n, 'a> DataNames<'n, 'a> {
    fn new(index: &'n NameIndex) -> Self {
        Self { index, names: Vec::new(), numbers: HashMap::new() }
    }

    /// The number of a name.
    fn number(&mut self, name: &'a str, is_any_case: bool) -> usize {
        *self.numbers.entry((name, is_any_case)).or_insert_with(|| {
            let words = if is_any_case { words(&name.to_ascii_lowercase()) } else { words(name) };
            self.names.push(DataName { fields: self.index.within(&words), words });
            self.names.len() - 1
        })
    }
}

/// Adds values in attributes: `data-price="5"`, `<input name=sku value=12>`.
fn attributes<'a>(
    evidence: &Evidence<'a>,
    node: NodeId,
    targets: &[TargetField<'_>],
    names: &mut DataNames<'_, 'a>,
    pools: &mut [Pool],
    is_unrelated: bool,
) {
    let tree = &evidence.tree;
    let input = tree.is(node, &["input", "button", "meta"]);
    let (mut named, mut stated) = (None, None);
    let mut data: Vec<(usize, &str)> = Vec::new();
    for (key, value) in tree.attributes(node).iter().copied() {
        let is_key = |known: &str| input && key.eq_ignore_ascii_case(known);
        if is_key("name") || (is_key("id") && named.is_none()) {
            named = Some(value);
        } else if is_key("value") {
            stated = Some(value);
        } else if let Some((start, name)) = key.split_at_checked(DATA.len())
            && start.eq_ignore_ascii_case(DATA)
            && !value.is_empty()
            && value.len() <= MAX_TEXT
        {
            data.push((names.number(name, true), value));
        }
    }
    if let (Some(name), Some(value)) = (named, stated)
        && value.len() <= MAX_TEXT
        && !value.is_empty()
    {
        data.push((names.number(name, false), value));
    }
    for (number, value) in data.into_iter().take(16) {
        let Some(DataName { words: name, fields }) = names.names.get(number) else { continue };
        for (at, weight) in fields.iter().copied() {
            let (Some(target), Some(pool)) = (targets.get(at), pools.get_mut(at)) else { continue };
            if target.is_textual() && target.concept.is_none() && name.len() > 2 {
                continue;
            }
            let value = crate::markup::decode(value);
            let style = if target.form == ValueForm::Price && !value.contains(',') {
                NumberStyle::Data
            } else {
                NumberStyle::Prose
            };
            let Some(found) = normalise(&value, target.form, target.shape, style) else { continue };
            if target.form == ValueForm::Price
                && (matches!(found.as_str(), Some("0"))
                    || name.iter().any(|word| OTHER_PRICE_WORDS.contains(&word.as_str())))
            {
                continue;
            }
            let mut score = if input { 0.34 } else { 0.3 } * weight;
            if name.len() > 2 {
                score *= 0.8;
            }
            if is_unrelated {
                score *= 0.3;
            }
            pool.add(Candidate {
                value: found,
                quote: value.into_owned(),
                method: Method::Markup,
                score,
                html_range: None,
            });
        }
    }
}
