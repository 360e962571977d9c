//! Readers for things for sale: a button that buys, links that name a brand, a currency beside the price.

use std::sync::LazyLock;

use serde_json::Value;

use super::phrases::WordSearch;
use super::pool::{Candidate, Choice, Pool};
use super::price_context::context_weight;
use super::target::TargetField;
use super::text_nodes::TextNodes;
use super::words::{folded, words};
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::normalise::{ValueForm, normalise};
use crate::page::Method;
use crate::typed::{NumberStyle, is_buy_label, money_amounts, stock};

/// Bytes of visible text after the heading in which a phrase is about the main entity.
const NEAR_HEADING: usize = 4_000;

/// Longest line with such a phrase, in bytes; longer lines are running text.
const MAX_LINE_BYTES: usize = 90;

/// Adds phrases about stock near the heading, and buttons that buy.
pub(crate) fn availability(
    evidence: &Evidence<'_>,
    texts: &TextNodes,
    targets: &[TargetField<'_>],
    pools: &mut [Pool],
) {
    let tree = &evidence.tree;
    for (target, pool) in
        targets.iter().zip(pools.iter_mut()).filter(|(target, _)| target.form == ValueForm::Availability)
    {
        let start = evidence.heading.map_or(0, |node| tree.text_range(node).start);
        let near = crate::page::truncate(tree.text().get(start..).unwrap_or_default(), NEAR_HEADING);
        let mut next = start;
        for line in near.split_inclusive('\n') {
            let at = next;
            next += line.len();
            let line = line.trim_end();
            if line.len() > MAX_LINE_BYTES
                || texts
                    .within(&(at..at + line.len()))
                    .first()
                    .is_some_and(|(_, node)| evidence.unrelated().contains(*node))
            {
                continue;
            }
            for sentence in sentences(line) {
                let Some(state) = stock(sentence).filter(|_| !is_condition(sentence)) else { continue };
                let Some(value) = normalise(sentence, target.form, target.shape, NumberStyle::Prose) else {
                    continue;
                };
                // A short line is a statement; a long one may be about delivery, sizes or other shops.
                let score = match (state.is_orderable(), sentence.len()) {
                    (false, ..=40) => 0.45,
                    (false, _) => 0.3,
                    (true, ..=40) => 0.42,
                    (true, _) => 0.25,
                };
                pool.add(Candidate {
                    value,
                    quote: sentence.to_owned(),
                    method: Method::Text,
                    score,
                    html_range: None,
                });
            }
        }
        let Some(in_stock) = normalise("in stock", target.form, target.shape, NumberStyle::Prose) else {
            continue;
        };
        for node in tree.nodes().filter(|node| tree.is(*node, &["button", "input", "a", "span", "div"])) {
            let text = tree.text_of(node);
            if text.len() > 60 {
                continue;
            }
            let mut quote = (!text.is_empty() && is_buy_label(text)).then(|| text.to_owned());
            if quote.is_none() && tree.is(node, &["button", "input", "a"]) {
                quote = ["value", "title", "aria-label", "id", "class", "name"]
                    .iter()
                    .filter_map(|key| tree.attribute(node, key))
                    .find(|value| {
                        value.len() < 200 && is_buy_label(&value.replace(['-', '_'], " "))
                            || is_buy_label(value)
                    })
                    .map(std::borrow::Cow::into_owned);
            }
            if let Some(quote) = quote.filter(|_| tree.attribute(node, "disabled").is_none()) {
                pool.add(Candidate {
                    value: in_stock.clone(),
                    quote,
                    method: Method::Markup,
                    score: 0.4,
                    html_range: evidence.html_range_of(node),
                });
                break;
            }
        }
    }
}

/// The sentences of a line.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(['.', '!', '?', '。'])
        .map(|part| part.trim().trim_end_matches(['.', '!', '。']).trim_end())
        .filter(|part| !part.is_empty())
}

/// Words that make a sentence conditional.
const CONDITIONS: [&str; 16] = [
    "if",
    "when",
    "once",
    "whenever",
    "unless",
    "wenn",
    "falls",
    "sobald",
    "cuando",
    "quand",
    "lorsque",
    "quando",
    "als",
    "wanneer",
    "jakmile",
    "когда",
];

static CONDITION_SEARCH: LazyLock<WordSearch> = LazyLock::new(|| WordSearch::new(CONDITIONS.into_iter()));

/// Whether a sentence is conditional, such as "if it is in stock" and "tell me when it is back in stock".
pub(super) fn is_condition(sentence: &str) -> bool {
    // Most sentences have none of the words, so they need not be split.
    CONDITION_SEARCH.may_have(sentence)
        && words(sentence).iter().any(|word| CONDITIONS.contains(&word.as_str()))
}

/// Words in the addresses of pages about a brand.
const BRAND_PATHS: [&str; 24] = [
    "brand",
    "brands",
    "manufacturer",
    "manufacturers",
    "maker",
    "vendor",
    "vendors",
    "designer",
    "designers",
    "marca",
    "marcas",
    "marke",
    "marken",
    "marque",
    "marques",
    "merk",
    "merken",
    "hersteller",
    "fabricant",
    "fabricante",
    "producent",
    "znacka",
    "vyrobce",
    "varumarke",
];

/// Upper bound on the links and images that may name a brand.
const MAX_BRAND_LINKS: usize = 3_000;

/// Upper bound on the brands that links and images name.
const MAX_BRANDS: usize = 8;

/// Longest name of a brand, in bytes.
const MAX_BRAND_BYTES: usize = 48;

/// Bytes of visible text around the heading in which a link to the page of a brand is about the main entity.
const NEAR_BRAND: usize = 1_500;

/// Adds the texts of links and images that start the heading or the title, as names of things start with
/// their brands, and those of links to the page of a brand. A score this low decides nothing alone.
fn brand_links(evidence: &Evidence<'_>, targets: &[TargetField<'_>], pools: &mut [Pool]) {
    let tree = &evidence.tree;
    let wholes = [folded(evidence.headline()), folded(&evidence.title)];
    let heading = evidence.heading.map_or(0, |node| tree.text_range(node).start);
    let mut found: Vec<(String, NodeId, f64)> = Vec::new();
    for node in tree.nodes().filter(|node| tree.is(*node, &["a", "img"])).take(MAX_BRAND_LINKS) {
        let alt = if tree.is(node, &["img"]) { tree.attribute(node, "alt") } else { None };
        let text = alt.as_deref().unwrap_or_else(|| tree.text_of(node)).trim();
        if text.is_empty() || text.len() > MAX_BRAND_BYTES || found.len() >= MAX_BRANDS {
            continue;
        }
        let name = folded(text);
        let starts = |whole: &String| {
            whole.strip_prefix(name.as_str()).is_some_and(|rest| rest.len() > 1 && rest.starts_with(' '))
        };
        let is_near = tree.text_range(node).start.abs_diff(heading) <= NEAR_BRAND;
        let link = std::iter::once(node).chain(tree.parent(node)).find(|node| tree.is(*node, &["a"]));
        let leads_to_brand = || {
            let address = link.and_then(|link| tree.attribute(link, "href")).unwrap_or_default();
            words(&address).iter().any(|word| BRAND_PATHS.contains(&word.as_str()))
        };
        let score = if name.is_empty() {
            continue;
        } else if is_near && leads_to_brand() {
            0.22
        } else if wholes.iter().any(starts) {
            0.18
        } else {
            continue;
        };
        if !found.iter().any(|(known, _, _)| known == text) {
            found.push((text.to_owned(), node, score));
        }
    }
    for (target, pool) in
        targets.iter().zip(pools.iter_mut()).filter(|(target, _)| target.has_concept("brand"))
    {
        for (text, node, score) in &found {
            let Some(value) = normalise(text, target.form, target.shape, NumberStyle::Prose) else {
                continue;
            };
            pool.add(Candidate {
                value,
                quote: text.clone(),
                method: Method::Markup,
                score: *score,
                html_range: evidence.html_range_of(*node),
            });
        }
    }
}

/// Adds the brands that links name, and lowers the score of unlikely brands: dates and sizes, which have more
/// digits than letters, and the page's own title.
pub(crate) fn brands(evidence: &Evidence<'_>, targets: &[TargetField<'_>], pools: &mut [Pool]) {
    if targets.iter().any(|target| target.has_concept("brand")) {
        brand_links(evidence, targets, pools);
    }
    let title = words(&evidence.title);
    for (_, pool) in targets.iter().zip(pools.iter_mut()).filter(|(target, _)| target.has_concept("brand")) {
        for candidate in pool.iter_mut() {
            let Some(text) = candidate.value.as_str() else { continue };
            let letters = text.chars().filter(|found| found.is_alphabetic()).count();
            let digits = text.chars().filter(char::is_ascii_digit).count();
            if letters < digits || letters == 0 || (title.len() > 2 && words(text) == title) {
                candidate.score *= 0.3;
            }
        }
    }
}

/// Adds the amount that the page's description names, if it names one: a description for search engines is
/// about the page.
pub(crate) fn described(evidence: &Evidence<'_>, targets: &[TargetField<'_>], pools: &mut [Pool]) {
    for (target, pool) in
        targets.iter().zip(pools.iter_mut()).filter(|(target, _)| target.has_concept("price"))
    {
        for pair in evidence.pairs.iter().filter(|pair| pair.method == Method::Meta) {
            if !matches!(
                pair.label.to_ascii_lowercase().as_str(),
                "description" | "og:description" | "og:title"
            ) {
                continue;
            }
            let mut signed = money_amounts(&pair.value).take(16).filter(|money| {
                let before = pair.value.get(..money.range.start).unwrap_or_default();
                let after = pair.value.get(money.range.end..).unwrap_or_default();
                money.currency.is_some() && context_weight(before, after) > 0.9
            });
            let (Some(only), None) = (signed.next(), signed.next()) else { continue };
            let Some(quote) = pair.value.get(only.range) else { continue };
            if let Some(value) = normalise(quote, target.form, target.shape, NumberStyle::Prose) {
                let quote = quote.to_owned();
                pool.add(Candidate { value, quote, method: Method::Meta, score: 0.36, html_range: None });
            }
        }
    }
}

/// Adds the sign beside the chosen price, if the schema asks for a currency.
pub(crate) fn currency(
    evidence: &Evidence<'_>,
    targets: &[TargetField<'_>],
    pools: &mut [Pool],
    price: Option<&Choice>,
) {
    let Some(price) = price else { return };
    let amount = match &price.value {
        Value::String(text) => text.parse::<f64>().ok(),
        other => other.as_f64(),
    };
    let Some(amount) = amount else { return };
    for (target, pool) in targets
        .iter()
        .zip(pools.iter_mut())
        .filter(|(target, _)| matches!(target.form, ValueForm::Currency | ValueForm::CurrencyCode))
    {
        // The symbol wins if the schema asks for it; otherwise the code of structured data wins by its own
        // score.
        let shown = target.shape.description.to_lowercase();
        let score = if shown.contains("symbol") || shown.contains("as shown") { 0.95 } else { 0.4 };
        if score > 0.9 {
            for code in pool.iter_mut().filter(|candidate| {
                candidate
                    .value
                    .as_str()
                    .is_some_and(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()))
            }) {
                code.score *= 0.5;
            }
        }
        let text = evidence.tree.text();
        let start = evidence.heading.map_or(0, |node| evidence.tree.text_range(node).start);
        let behind = text.get(start..).unwrap_or_default();
        let beside = |part: &str| -> Option<(String, String)> {
            part.lines()
                .filter(|line| line.len() < 300)
                .flat_map(|line| {
                    money_amounts(line)
                        .take(8)
                        .collect::<Vec<_>>()
                        .into_iter()
                        .map(move |money| (line, money))
                })
                .find_map(|(line, money)| {
                    let same = money.decimal.parse::<f64>().is_ok_and(|found| (found - amount).abs() < 0.001);
                    let sign = money.currency.filter(|_| same)?;
                    Some((sign, line.get(money.range)?.to_owned()))
                })
        };
        // A price whose decimal point comes from the style sheet does not occur as such in the text.
        let within = || {
            let quotes = price.proofs.iter().map(|proof| proof.quote.as_str());
            quotes.filter(|quote| quote.len() < 80).find_map(|quote| {
                let sign = money_amounts(quote).find_map(|money| money.currency)?;
                Some((sign, quote.to_owned()))
            })
        };
        if let Some((sign, quote)) = beside(behind).or_else(|| beside(text)).or_else(within)
            && let Some(value) = normalise(&sign, target.form, target.shape, NumberStyle::Prose)
        {
            pool.add(Candidate { value, quote, method: Method::Text, score, html_range: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bind::leaf_targets;
    use crate::page::Page;
    use crate::schema::Shape;

    #[test]
    fn links_name_brands() {
        let rows = [
            ("<h1>Red cup</h1><a href=/brands/acme>Acme Home</a>", "Acme Home"),
            ("<h1>Red cup</h1><a href='/list?manufacturers_id=7'><img src=a.gif alt=Acme></a>", "Acme"),
            ("<nav><a href=/x>Acme Home</a></nav><h1>Acme Home red cup</h1>", "Acme Home"),
            ("<h1>Acme red cup</h1><a href=/cups>Cups</a><a href=/y>Acme red cup</a>", ""),
        ];
        let shape = Shape::from_schema(&json!({ "properties": { "brand": { "type": "string" } } })).unwrap();
        let targets = leaf_targets(&shape);
        for (html, expected) in rows {
            let page = Page::new("https://shop.example/cup".parse().unwrap(), html);
            let mut pools = [Pool::default()];
            brand_links(&Evidence::read(&page), &targets, &mut pools);
            let best = pools[0].best().and_then(|best| best.value.as_str()).unwrap_or_default();
            assert_eq!(best, expected, "{html}");
        }
    }
}
