//! Lists in one text with a label, in `meta` elements, and in columns of tables.

use super::items::{html_range, is_term};
use super::page_view::PageView;
use super::rating::is_elsewhere;
use super::subject::Subject;
use super::vocabulary::ItemKind;
use super::{FoundItem, FoundList};
use crate::evidence::LabelledValue;
use crate::markup::NodeId;
use crate::page::Method;

/// Score of a text between commas with a label that is exactly a name of the list.
const LABEL_SCORE: f64 = 0.5;
/// Score of a column with such a header.
const COLUMN_SCORE: f64 = 0.6;
/// Score of repeated `meta` elements, one for each term.
const META_SCORE: f64 = 0.62;
/// Score of a `meta` element with all terms, which pages write for search engines.
const SEARCH_META_SCORE: f64 = 0.42;
/// Longest text that is split, in bytes.
const MAX_TEXT_BYTES: usize = 4_000;
/// Longest part of a text, in bytes.
const MAX_PART_BYTES: usize = 90;
/// Longest part of a text, in words.
const MAX_PART_WORDS: usize = 8;
/// Upper bound on the labels of a page that name the list.
const MAX_LABELS: usize = 8;
/// Upper bound on the parts of a text.
const MAX_PARTS: usize = 100;
/// `meta` elements with one term each.
const TERM_METAS: [&str; 4] = ["article:tag", "video:tag", "book:tag", "og:video:tag"];
/// `meta` elements with all terms.
const TERMS_METAS: [&str; 3] = ["keywords", "news_keywords", "parsely-tags"];

/// The best such list.
pub(super) fn read(view: &PageView<'_, '_>, subject: &Subject) -> Option<FoundList> {
    let found = [labels(view, subject), column(view, subject), metas(view, subject)];
    found.into_iter().flatten().rev().max_by(|left, right| left.score.total_cmp(&right.score))
}

/// `Tags: a, b, c`
fn labels(view: &PageView<'_, '_>, subject: &Subject) -> Option<FoundList> {
    let least = match subject.kind {
        kind if is_term(kind) => 1,
        ItemKind::Ingredients => 3,
        ItemKind::Any => 2,
        _ => return None,
    };
    let tree = &view.evidence.tree;
    let named = view.evidence.pairs.iter().filter(|pair| {
        pair.method != Method::Meta && !tree.interrupt().spend(1) && subject.fit(&pair.label) >= 1.0
    });
    named.take(MAX_LABELS).find_map(|pair| {
        let parts = parts(&pair.value);
        let node = pair.node.or_else(|| text_node(view, pair))?;
        if parts.len() < least || is_elsewhere(view, subject.kind, node, 0.0) {
            return None;
        }
        let items = parts.into_iter().map(|text| item_of(view, pair, text)).collect();
        Some(FoundList { score: LABEL_SCORE, method: pair.method, items })
    })
}

/// The text node where the value of a line starts.
fn text_node(view: &PageView<'_, '_>, pair: &LabelledValue) -> Option<NodeId> {
    let start = pair.text.as_ref()?.start;
    view.texts().within(&(start..usize::MAX)).first().map(|(_, node)| *node)
}

fn item_of(view: &PageView<'_, '_>, pair: &LabelledValue, text: &str) -> FoundItem {
    let tree = &view.evidence.tree;
    let html_range = pair.node.and_then(|node| {
        let within = tree.text_range(node);
        let at = within.start + tree.text().get(within)?.find(text)?;
        html_range(tree, node, &(at..at + text.len()))
    });
    FoundItem { text: text.to_owned(), quote: text.to_owned(), html_range }
}

/// The parts of a text between commas, outside brackets; empty if they are no short terms.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let text = text.trim();
    // What follows a bar on the same line is something else.
    let text = if text.contains([',', '，', '、', ';']) {
        text.split(['|', '\n']).next().unwrap_or(text)
    } else {
        text
    };
    if text.len() > MAX_TEXT_BYTES {
        return Vec::new();
    }
    let mut depth = 0_usize;
    let is_separator = |found: char| match found {
        '(' | '[' | '（' => {
            depth += 1;
            false
        }
        ')' | ']' | '）' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0 && matches!(found, ',' | ';' | '，' | '、' | '|' | '·' | '•' | '\n'),
    };
    let parts: Vec<&str> = text
        .split(is_separator)
        .map(|part| part.trim().trim_start_matches('#'))
        .filter(|part| part.contains(char::is_alphanumeric))
        .take(MAX_PARTS)
        .collect();
    let is_short =
        |part: &&str| part.len() <= MAX_PART_BYTES && part.split_whitespace().count() <= MAX_PART_WORDS;
    if parts.iter().all(is_short) { parts } else { Vec::new() }
}

/// The cells of a column whose header is a name of the list.
fn column(view: &PageView<'_, '_>, subject: &Subject) -> Option<FoundList> {
    let tree = &view.evidence.tree;
    view.evidence.tables.iter().find_map(|table| {
        let column = table.headers.iter().position(|header| subject.fit(header) >= 1.0)?;
        if tree.interrupt().spend(table.rows.len()) || view.evidence.unrelated().contains(table.node) {
            return None;
        }
        let cells = table.rows.iter().filter_map(|row| row.get(column));
        let items: Vec<FoundItem> = cells
            .filter(|cell| cell.text.contains(char::is_alphanumeric))
            .take(MAX_PARTS)
            .map(|cell| FoundItem {
                text: cell.text.clone(),
                quote: cell.text.clone(),
                html_range: view.evidence.html_range_of(cell.node),
            })
            .collect();
        (items.len() >= 2).then_some(FoundList { score: COLUMN_SCORE, method: Method::Table, items })
    })
}

/// The terms in `meta` elements.
fn metas(view: &PageView<'_, '_>, subject: &Subject) -> Option<FoundList> {
    if subject.kind != ItemKind::Keywords || subject.fit("keywords") < 1.0 {
        return None;
    }
    let of = |names: &[&str]| -> Vec<&LabelledValue> {
        let is_named = |pair: &&LabelledValue| {
            pair.method == Method::Meta && names.iter().any(|name| pair.label.eq_ignore_ascii_case(name))
        };
        view.evidence.pairs.iter().filter(is_named).take(MAX_PARTS).collect()
    };
    let found = |score: f64, texts: Vec<&str>| {
        let mut items: Vec<FoundItem> = Vec::new();
        for text in texts {
            if !items.iter().any(|item| item.text.eq_ignore_ascii_case(text)) {
                items.push(FoundItem { text: text.to_owned(), quote: text.to_owned(), html_range: None });
            }
        }
        FoundList { score, method: Method::Meta, items }
    };
    let terms = of(&TERM_METAS);
    if !terms.is_empty() {
        return Some(found(META_SCORE, terms.into_iter().map(|pair| pair.value.trim()).collect()));
    }
    let all = of(&TERMS_METAS);
    let texts = parts(&all.first()?.value);
    (texts.len() > 1).then(|| found(SEARCH_META_SCORE, texts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_into_short_terms() {
        let rows: [(&str, &[&str]); 6] = [
            ("rust, web; crawling", &["rust", "web", "crawling"]),
            ("Water, Sugar (cane, beet), Salt", &["Water", "Sugar (cane, beet)", "Salt"]),
            ("a、b，c", &["a", "b", "c"]),
            ("#rust, #web | Share this", &["rust", "web"]),
            ("one", &["one"]),
            ("It was a long day, and nobody at all had thought of the rain that came", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(parts(text), expected, "{text}");
        }
    }
}
