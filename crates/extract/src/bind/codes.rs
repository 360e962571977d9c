//! Codes of things for sale: an identifier in the URL, and a code that the page labels.

use super::pool::{Candidate, Pool};
use super::target::TargetField;
use super::words::words;
use crate::evidence::Evidence;
use crate::normalise::normalise;
use crate::page::Method;
use crate::typed::NumberStyle;

/// Lower bound on the score of a value after a label. Below it, the label only contains a name.
pub(super) const MIN_LABEL_SCORE: f64 = 0.35;
/// Shortest code that decides by its label, in letters and digits. Shorter ones are sizes and counts.
const MIN_LABELLED_BYTES: usize = 4;

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
            let own = bare_value(candidate);
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
            let own = bare_value(candidate);
            candidate.html_range.is_some()
                && candidate.score > 0.6
                && own.len() >= 6
                && address.contains(&own)
        });
        for candidate in pool.iter_mut().filter(|_| shown) {
            let own = bare_value(candidate);
            if candidate.html_range.is_none() && !address.contains(&own) {
                candidate.score *= 0.7;
            }
        }
        for (text, score) in url_codes(evidence) {
            if let Some(value) = normalise(&text, target.form, target.shape, NumberStyle::Prose) {
                pool.add(Candidate { value, quote: text, method: Method::Url, score, html_range: None });
            }
        }
        prefer_labelled(pool);
    }
}

/// If all labels of the page that name a code have the same one beside them, a reader takes it: a code that
/// only machines see belongs to a variant, a warehouse or the shop's software.
fn prefer_labelled(pool: &mut Pool) {
    let mut labelled: Option<String> = None;
    for candidate in pool.iter_mut().filter(|candidate| is_labelled(candidate)) {
        let own = bare_value(candidate);
        if labelled.as_ref().is_some_and(|known| *known != own) {
            return;
        }
        labelled = Some(own);
    }
    let Some(labelled) = labelled.filter(|code| code.len() >= MIN_LABELLED_BYTES) else { return };
    for candidate in pool.iter_mut() {
        if bare_value(candidate) == labelled {
            candidate.score = 1.0 - (1.0 - candidate.score) * 0.5;
        } else if candidate.html_range.is_none() {
            candidate.score *= 0.4;
        }
    }
}

/// Whether a candidate is one word after a label that is known as a whole.
fn is_labelled(candidate: &Candidate) -> bool {
    candidate.score >= MIN_LABEL_SCORE
        && candidate.method.is_beside_label()
        && candidate.value.as_str().is_some_and(|text| !text.contains(char::is_whitespace))
}

fn bare_value(candidate: &Candidate) -> String {
    candidate.value.as_str().map(bare).unwrap_or_default()
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
        // Before it, a letter or two may mark the kind of page: `p-4001389-red-cup`.
        let first = parts.iter().enumerate().find(|(nth, part)| *nth > 0 || !is_mark(part));
        if let Some((_, first)) = first.filter(|(_, part)| parts.len() > 1 && is_code(part)) {
            found.push(((*first).to_owned(), base - 0.05));
        }
    }
    found
}

/// Whether a part of a slug is only a letter or two.
fn is_mark(text: &str) -> bool {
    text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_code(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (4..=40).contains(&text.len())
        && digits >= 2
        && text.chars().all(|found| found.is_ascii_alphanumeric() || matches!(found, '-' | '_' | '.'))
        && digits * 3 >= text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::page::Page;

    #[test]
    fn urls_contain_identifiers() {
        let rows = [
            ("https://shop.example/cup-12345", "12345"),
            ("https://shop.example/p/98765432", "98765432"),
            ("https://shop.example/view?id=4411&x=1", "4411"),
            ("https://shop.example/cup-x3410048.html", "3410048"),
            ("https://shop.example/P-3410048-red-cup.htm", "3410048"),
            ("https://shop.example/3410048-red-cup", "3410048"),
        ];
        for (url, expected) in rows {
            let page = Page::new(url.parse().unwrap(), "");
            let evidence = Evidence::read(&page);
            let found = url_codes(&evidence);
            assert!(found.iter().any(|(code, _)| code == expected), "{url}: {found:?}");
        }
    }

    #[test]
    fn the_only_labelled_code_wins_against_codes_for_machines() {
        fn code(value: &str, method: Method, score: f64) -> Candidate {
            Candidate { value: Value::from(value), quote: value.to_owned(), method, score, html_range: None }
        }
        let best = |labelled: &[&str]| {
            let mut pool = Pool::default();
            pool.add(code("10206131", Method::JsonLd, 0.9));
            pool.add(code("10206131", Method::EmbeddedState, 0.4));
            labelled.iter().for_each(|text| pool.add(code(text, Method::Label, 0.45)));
            prefer_labelled(&mut pool);
            pool.choices().first().map(|choice| choice.value.clone())
        };
        let rows: [(&[&str], &str); 4] = [
            (&["287807"], "287807"),
            (&["287807", "287807"], "287807"),
            (&["287807", "287808"], "10206131"),
            (&["12"], "10206131"),
        ];
        for (labelled, expected) in rows {
            assert_eq!(best(labelled), Some(Value::from(expected)), "{labelled:?}");
        }
    }
}
