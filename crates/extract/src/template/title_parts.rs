//! Splits titles at separators and removes the parts that recur on a site.

use std::collections::BTreeSet;
use std::ops::Range;

use super::short_texts::text_key;

/// Longest title that is split into parts, in bytes.
const MAX_TITLE_BYTES: usize = 600;
/// Upper bound on the parts of a title; the last one contains the rest.
const MAX_PARTS: usize = 16;

/// The parts of a title between separators, in order. A title that is too long is one part.
pub(super) fn parts(title: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    if title.len() <= MAX_TITLE_BYTES {
        let mut before = ' ';
        let mut chars = title.char_indices().peekable();
        while let Some((at, own)) = chars.next() {
            let is_spaced = before.is_whitespace();
            let then_space = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
            if found.len() + 1 < MAX_PARTS && separates(own, is_spaced, then_space) {
                push(title, start..at, &mut found);
                start = at + own.len_utf8();
            }
            before = own;
        }
    }
    push(title, start..title.len(), &mut found);
    found
}

/// Whether a character separates the parts of a title. A dash does between spaces only, and a colon before
/// a space: `T-shirt` and `10:30` are one part each.
const fn separates(found: char, after_space: bool, before_space: bool) -> bool {
    match found {
        '|' | '｜' | '¦' | '»' | '«' | '›' | '‹' | '•' | '：' => true,
        '-' | '–' | '—' | '−' | '~' | '/' | '·' | '*' => after_space && before_space,
        ':' => before_space,
        _ => false,
    }
}

fn push(title: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = title.get(range.clone()).unwrap_or_default();
    let start = range.start + (part.len() - part.trim_start().len());
    let length = part.trim().len();
    if length > 0 {
        found.push(start..start + length);
    }
}

/// The hashes of the parts of a title, each once.
pub(super) fn keys(title: &str) -> BTreeSet<u64> {
    parts(title).into_iter().filter_map(|part| title.get(part).and_then(text_key)).collect()
}

/// The longest run of parts that do not recur; the whole title if all or none of them do.
pub(super) fn clean(title: &str, recurs: impl Fn(u64) -> bool) -> Range<usize> {
    let mut best = 0..0;
    let mut run: Option<Range<usize>> = None;
    let mut any = false;
    for part in parts(title) {
        if title.get(part.clone()).and_then(text_key).is_some_and(&recurs) {
            any = true;
            run = None;
            continue;
        }
        let own = run.map_or(part.start, |run| run.start)..part.end;
        if own.len() > best.len() {
            best = own.clone();
        }
        run = Some(own);
    }
    if any && !best.is_empty() { best } else { 0..title.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_split_at_separators_only() {
        let rows: [(&str, &[&str]); 7] = [
            ("Red T-shirt - Shop", &["Red T-shirt", "Shop"]),
            ("Dune (Paperback): shop.example", &["Dune (Paperback)", "shop.example"]),
            ("Shop|Red cup", &["Shop", "Red cup"]),
            ("At 10:30 and/or later", &["At 10:30 and/or later"]),
            ("A » B » ", &["A", "B"]),
            ("| - |", &[]),
            ("", &[]),
        ];
        for (title, expected) in rows {
            let found: Vec<&str> = parts(title).into_iter().filter_map(|part| title.get(part)).collect();
            assert_eq!(found, expected, "{title}");
        }
        assert_eq!(parts(&"a | ".repeat(100)).len(), MAX_PARTS);
        assert_eq!(parts(&"a | ".repeat(1_000)).len(), 1);
    }

    #[test]
    fn the_longest_own_run_is_left() {
        let rows = [
            ("Red cup | Kitchen | Shop", "Red cup | Kitchen"),
            ("Shop: Red cup | Shop", "Red cup"),
            ("Red cup - Shop - 12", "Red cup"),
            ("Shop", "Shop"),
            ("Red cup", "Red cup"),
        ];
        let shop = text_key("shop").unwrap();
        for (title, expected) in rows {
            let own = clean(title, |key| key == shop);
            assert_eq!(title.get(own), Some(expected), "{title}");
        }
    }
}
