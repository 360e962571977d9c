//! Readers for things for sale: a button that buys, an identifier in the URL, a currency beside the price.

use serde_json::Value;

use super::pool::{Candidate, Choice, Pool};
use super::price_context::context_weight;
use super::target::TargetField;
use super::text_nodes::TextNodes;
use super::unrelated::UnrelatedParts;
use super::words::words;
use crate::evidence::Evidence;
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
    unrelated: &UnrelatedParts,
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
                    .is_some_and(|(_, node)| unrelated.contains(*node))
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
            let disabled = tree.attributes(node).any(|(key, _)| key.eq_ignore_ascii_case("disabled"));
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
            if let Some(quote) = quote.filter(|_| !disabled) {
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

/// Whether a sentence is conditional, such as "if it is in stock" and "tell me when it is back in stock".
fn is_condition(sentence: &str) -> bool {
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
    words(sentence).iter().any(|word| CONDITIONS.contains(&word.as_str()))
}

/// Adjusts the scores of identifiers by the page's URL: an identifier in the URL is likely the main entity's,
/// and one that only the URL contains is a candidate.
pub(crate) fn identifiers(evidence: &Evidence<'_>, targets: &[TargetField<'_>], pools: &mut [Pool]) {
    // The path names the thing; a query often records how the visitor got there.
    let mut address = bare(evidence.url.path());
    for (key, value) in evidence.url.query_pairs().take(32) {
        if names_thing(&key) {
            address.push('/');
            address.push_str(&bare(&value));
        }
    }
    for (target, pool) in targets.iter().zip(pools.iter_mut()).filter(|(target, _)| target.has_concept("sku"))
    {
        for candidate in pool.iter_mut() {
            let own = candidate.value.as_str().map(bare).unwrap_or_default();
            let plain = candidate.quote.split_whitespace().count() <= 2;
            if own.len() >= 6 && plain && address.contains(&own) {
                candidate.score = 1.0 - (1.0 - candidate.score) * 0.45;
            } else if own.len() >= 4 && plain && address.contains(&own) {
                candidate.score = 1.0 - (1.0 - candidate.score) * 0.6;
            }
        }
        // If the page shows an identifier that its URL contains, another one in data for machines belongs to
        // a variant or a warehouse.
        let shown = pool.iter_mut().any(|candidate| {
            let own = candidate.value.as_str().map(bare).unwrap_or_default();
            candidate.html_range.is_some()
                && candidate.score > 0.6
                && own.len() >= 6
                && address.contains(&own)
        });
        for candidate in pool.iter_mut().filter(|_| shown) {
            let own = candidate.value.as_str().map(bare).unwrap_or_default();
            if candidate.html_range.is_none() && !address.contains(&own) {
                candidate.score *= 0.7;
            }
        }
        for (text, score) in url_codes(evidence) {
            if let Some(value) = normalise(&text, target.form, target.shape, NumberStyle::Prose) {
                pool.add(Candidate { value, quote: text, method: Method::Url, score, html_range: None });
            }
        }
    }
}

fn bare(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|found| found.to_ascii_lowercase()).collect()
}

/// Whether this is the name of a query parameter that identifies a thing.
fn names_thing(key: &str) -> bool {
    let names = ["id", "pid", "sku", "product", "products", "item", "goods", "variant", "code", "childsku"];
    words(key).iter().any(|word| names.contains(&word.as_str()))
}

/// Parts of the URL that look like an identifier, with their scores.
fn url_codes(evidence: &Evidence<'_>) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for (key, value) in evidence.url.query_pairs().take(32) {
        if names_thing(&key) && is_code(&value) {
            found.push((value.into_owned(), 0.34));
        }
    }
    let segments: Vec<&str> =
        evidence.url.path_segments().into_iter().flatten().filter(|part| !part.is_empty()).collect();
    for (depth, segment) in segments.iter().rev().take(3).enumerate() {
        let segment = segment
            .rsplit_once('.')
            .map_or(*segment, |(name, suffix)| if suffix.len() <= 5 { name } else { segment });
        let base = if depth == 0 { 0.36 } else { 0.31 };
        if is_code(segment) && !segment.contains(['-', '_']) {
            found.push((segment.to_owned(), base + 0.04));
            continue;
        }
        // The last word of a slug, then the first.
        let parts: Vec<&str> = segment.split(['-', '_', '~']).filter(|part| !part.is_empty()).collect();
        if let Some(last) = parts.last().filter(|part| is_code(part)) {
            found.push(((*last).to_owned(), base - 0.02));
            // A leading letter marks the kind of page: `p4001389`, `x3410048`.
            let digits = last.trim_start_matches(|found: char| found.is_ascii_alphabetic());
            if digits.len() + 1 == last.len()
                && digits.len() >= 5
                && digits.bytes().all(|byte| byte.is_ascii_digit())
            {
                found.push((digits.to_owned(), base + 0.01));
            }
        }
        if let Some(first) = parts.first().filter(|part| parts.len() > 1 && is_code(part)) {
            found.push(((*first).to_owned(), base - 0.05));
        }
    }
    found
}

fn is_code(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (4..=40).contains(&text.len())
        && digits >= 2
        && text.chars().all(|found| found.is_ascii_alphanumeric() || matches!(found, '-' | '_' | '.'))
        && digits * 3 >= text.len()
}

/// Lowers the score of unlikely brands: dates and sizes, which have more digits than letters, and the page's
/// own title.
pub(crate) fn brands(evidence: &Evidence<'_>, targets: &[TargetField<'_>], pools: &mut [Pool]) {
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
    use super::*;
    use crate::page::Page;

    #[test]
    fn urls_contain_identifiers() {
        let rows = [
            ("https://shop.example/cup-12345", "12345"),
            ("https://shop.example/p/98765432", "98765432"),
            ("https://shop.example/view?id=4411&x=1", "4411"),
            ("https://shop.example/cup-x3410048.html", "3410048"),
        ];
        for (url, expected) in rows {
            let page = Page::new(url.parse().unwrap(), "");
            let evidence = Evidence::read(&page);
            let found = url_codes(&evidence);
            assert!(found.iter().any(|(code, _)| code == expected), "{url}: {found:?}");
        }
    }
}
