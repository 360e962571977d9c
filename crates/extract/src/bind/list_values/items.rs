//! The items of a list without what pages put around them: bullets, numbers, captions, buttons.

use hashbrown::HashSet;
use std::ops::Range;

use super::labelled;
use super::lists::{ListForm, ListItem, PageList};
use super::outline::text_at;
use super::vocabulary::ItemKind;
use crate::markup::{Kind, NodeId, Tree};
use crate::normalise::fold_spaces;

/// Upper bound on the nodes of an item that are examined.
const MAX_ITEM_NODES: usize = 500;
/// Upper bound on the elements around an item's text that are examined.
const MAX_WRAPPERS: usize = 8;
/// Elements within an item that are no part of its text.
const NO_TEXT: [&str; 7] = ["figure", "figcaption", "button", "aside", "select", "form", "video"];
/// Signs before an item.
const BULLETS: &str = "•·▪▫▢☐☑☒✓✔✅►▸▶‣◦●○■□◆◇➤➔→»*";
/// Signs around a short term.
const SEPARATORS: &str = ",;|/#·•›»，、";
/// Words for a step before its number.
const STEP_WORDS: &str = "\
    step|schritt|étape|etape|paso|passo|stap|krok|korak|шаг|крок|стъпка|steg|trin|vaihe|adım|lépés|pasul|\
    samm|solis|žingsnis|βήμα|ステップ|手順|工程|步骤|步驟|단계|שלב|الخطوة|خطوة|langkah|bước";
/// Labels of advertisements between items.
const ADVERTISEMENTS: &str = "\
    advertisement|advertising|ad|ads|sponsored|anzeige|werbung|publicité|publicidad|pubblicità|advertentie|\
    reklama|reklame|реклама|annons|annonse|annonce|mainos|reklam|hirdetés|publicitate|διαφήμιση|広告|广告|廣告|\
    광고|פרסומת|إعلان|iklan|quảng cáo";

/// An item with its clean text.
#[derive(Debug, Clone)]
pub(super) struct CleanItem {
    pub(super) text: String,
    /// Its element, and its range in [`Tree::text`].
    pub(super) node: NodeId,
    pub(super) range: Range<usize>,
}

/// The clean items of a list, in order. Captions and controls between the items are left out.
pub(super) fn clean(tree: &Tree<'_>, list: &PageList<'_>, kind: ItemKind) -> Vec<CleanItem> {
    let own = |item: &ListItem| match kind {
        ItemKind::People => text_at(tree, &item.text).lines().next().unwrap_or_default().to_owned(),
        _ => readable(tree, list.form, item),
    };
    let is_control = |item: &ListItem| list.form != ListForm::Lines && is_control(tree, item.node);
    let controls = list.items.iter().filter(|item| is_control(item)).count();
    if is_term(kind) && controls * 2 > list.items.len() {
        return Vec::new();
    }
    let mut items: Vec<(CleanItem, bool)> = list
        .items
        .iter()
        .map(|item| {
            let found = CleanItem { text: own(item), node: item.node, range: item.text.clone() };
            (found, is_control(item) || is_extra(tree, list, item, kind))
        })
        .collect();
    // What most items are is not extra: linked ingredients, terms in bold.
    let extra = items.iter().filter(|(_, is_extra)| *is_extra).count();
    if extra * 2 < items.len() {
        items.retain(|(_, is_extra)| !is_extra);
    }
    let is_numbered = items.len() > 1
        && items.iter().enumerate().all(|(at, (item, _))| leading_number(&item.text) == Some(at + 1));
    let mut seen: HashSet<String> = HashSet::new();
    let mut found = Vec::with_capacity(items.len());
    for (mut item, _) in items {
        item.text = stripped(&item.text, kind, is_numbered).to_owned();
        let is_repeated = is_term(kind) && !seen.insert(item.text.to_lowercase());
        if item.text.contains(char::is_alphanumeric) && !is_repeated && !is_advertisement(&item.text) {
            found.push(item);
        }
    }
    let parts = match found.as_slice() {
        [only] if matches!(kind, ItemKind::Keywords | ItemKind::Categories) => parts(tree, only),
        _ => Vec::new(),
    };
    if parts.len() > 1 { parts } else { found }
}

/// The terms of an item that lists them between commas; empty if it is one link.
fn parts(tree: &Tree<'_>, item: &CleanItem) -> Vec<CleanItem> {
    let mut nodes = std::iter::once(item.node).chain(tree.within(item.node)).take(MAX_ITEM_NODES);
    if nodes.any(|node| tree.is(node, &["a"]) && tree.text_of(node).trim().len() >= item.text.len()) {
        return Vec::new();
    }
    let whole = tree.text().get(item.range.clone()).unwrap_or_default();
    let mut from = 0;
    let mut found = Vec::new();
    for part in labelled::parts(&item.text) {
        let Some(at) = whole.get(from..).and_then(|rest| rest.find(part)) else { return Vec::new() };
        let start = item.range.start + from + at;
        from += at + part.len();
        found.push(CleanItem { text: part.to_owned(), node: item.node, range: start..start + part.len() });
    }
    found
}

/// Whether all that an element says are controls: buttons, and links that lead nowhere, such as "Share".
fn is_control(tree: &Tree<'_>, node: NodeId) -> bool {
    let letters = |node: NodeId| tree.text_of(node).chars().filter(|found| found.is_alphanumeric()).count();
    let (mut within, mut skipped_to) = (0, node);
    for inner in std::iter::once(node).chain(tree.within(node)).take(MAX_ITEM_NODES) {
        if inner >= skipped_to && acts(tree, inner) {
            within += letters(inner);
            skipped_to = tree.end(inner);
        }
    }
    within > 0 && within == letters(node)
}

/// Whether an element is a control.
fn acts(tree: &Tree<'_>, node: NodeId) -> bool {
    let is_idle = |href: &str| href.trim() == "#" || href.trim_start().starts_with("javascript:");
    tree.is(node, &["button"])
        || tree.attribute(node, "role").is_some_and(|role| role.eq_ignore_ascii_case("button"))
        || (tree.is(node, &["a"]) && tree.attribute(node, "href").is_some_and(|href| is_idle(&href)))
}

/// Whether the items are short terms.
pub(super) const fn is_term(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Keywords | ItemKind::Categories | ItemKind::Trail | ItemKind::People)
}

/// The text of an item without its pictures, their captions and its controls.
fn readable(tree: &Tree<'_>, form: ListForm, item: &ListItem) -> String {
    let nodes = tree.end(item.node).index().saturating_sub(item.node.index());
    if form == ListForm::Lines || nodes > MAX_ITEM_NODES {
        return fold_spaces(text_at(tree, &item.text));
    }
    let mut out = String::new();
    let mut skipped_to = item.node;
    let mut last = item.text.start;
    for node in tree.within(item.node) {
        if node < skipped_to {
            continue;
        }
        if tree.is(node, &NO_TEXT) {
            skipped_to = tree.end(node);
        } else if let Some(Kind::Text { .. }) = tree.kind(node) {
            let range = tree.text_range(node);
            if tree.text().get(last..range.start).is_none_or(|between| !between.is_empty()) {
                out.push(' ');
            }
            last = range.end;
            out.push_str(tree.text().get(range).unwrap_or_default());
        }
    }
    fold_spaces(&out)
}

/// Whether an item is a caption of the items below it, or a control: all of its text is a link, a button, a
/// heading or in bold, it ends with a colon, or it is a list of its own.
fn is_extra(tree: &Tree<'_>, list: &PageList<'_>, item: &ListItem, kind: ItemKind) -> bool {
    if is_term(kind) {
        return false;
    }
    let text = text_at(tree, &item.text);
    if text.ends_with([':', '：']) {
        return true;
    }
    match list.form {
        ListForm::Lines => return false,
        ListForm::Rows => return !tree.children(item.node).any(|cell| tree.is(cell, &["td"])),
        _ => {}
    }
    let is_list = |node: NodeId| tree.is(node, &["ul", "ol"]) && !tree.text_of(node).is_empty();
    if kind != ItemKind::Steps && tree.within(item.node).take(MAX_ITEM_NODES).any(is_list) {
        return true;
    }
    let is_all = |node: NodeId| tree.text_of(node) == text;
    let wrappers = tree.within(item.node).filter(|node| !tree.name(*node).is_empty()).take(MAX_WRAPPERS);
    let names = ["a", "button", "b", "strong", "h2", "h3", "h4", "h5", "h6"];
    wrappers
        .take_while(|node| is_all(*node) || tree.text_of(*node).is_empty())
        .any(|node| is_all(node) && tree.is(node, &names))
}

fn stripped(text: &str, kind: ItemKind, is_numbered: bool) -> &str {
    let text = without_bullet(text);
    match kind {
        ItemKind::Steps => without_number(text, is_numbered),
        kind if is_term(kind) => {
            text.trim_matches(|found: char| found.is_whitespace() || SEPARATORS.contains(found))
        }
        _ => text,
    }
}

fn without_bullet(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let is_dash = matches!(first, '-' | '–' | '—') && after.starts_with(char::is_whitespace);
        if !is_dash && !BULLETS.contains(first) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// A step without "1.", "Step 1:" or, in a list with a number before each step, "1".
fn without_number(text: &str, is_numbered: bool) -> &str {
    let word_end = text.find(|found: char| !found.is_alphabetic()).unwrap_or(text.len());
    let (word, after) = text.split_at_checked(word_end).unwrap_or((text, ""));
    let word = word.to_lowercase();
    let is_word = STEP_WORDS.split('|').any(|known| known == word);
    let rest = if is_word { after.trim_start() } else { text };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let Some(behind) = rest.get(digits..).filter(|_| (1..=2).contains(&digits)) else {
        // Numbers in a circle.
        return text.trim_start_matches(|found: char| matches!(found, '\u{2460}'..='\u{2473}')).trim_start();
    };
    let is_mark =
        |found: char| matches!(found, '.' | ')' | ':' | '．' | '）' | '：' | '、' | '-' | '–' | '—');
    let body = behind.trim_start_matches(|found: char| is_mark(found) || found.is_whitespace());
    let is_point = behind.starts_with(['.', ')', ':', '．', '）', '：', '、'])
        && !behind.chars().nth(1).is_some_and(|found| found.is_ascii_digit());
    if is_word || is_numbered || is_point { body } else { text }
}

/// The number that a text starts with.
fn leading_number(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits.min(4))?.parse().ok()
}

fn is_advertisement(text: &str) -> bool {
    let text = text.to_lowercase();
    let text = text.trim_matches(|found: char| !found.is_alphanumeric());
    ADVERTISEMENTS.split('|').any(|known| known == text)
}

/// The range in the HTML of a part of the visible text within an element.
pub(super) fn html_range(tree: &Tree<'_>, node: NodeId, text: &Range<usize>) -> Option<Range<usize>> {
    let mut range: Option<Range<usize>> = None;
    for inner in std::iter::once(node).chain(tree.within(node)).take(4 * MAX_ITEM_NODES) {
        if let Some(Kind::Text { at, end }) = tree.kind(inner) {
            let own = tree.text_range(inner);
            if own.start < text.end && text.start < own.end {
                let start = range.map_or(at, |known| known.start);
                range = Some(start..end);
            }
        }
    }
    range
}

#[cfg(test)]
mod tests {
    use super::super::lists;
    use super::*;
    use gleaner_types::Interrupt;

    #[test]
    fn items_are_clean() {
        let rows: [(&str, ItemKind, &[&str]); 12] = [
            (
                "<ul><li>▢ 2 eggs<li>- <b>1 cup</b> milk<li>Advertisement</ul>",
                ItemKind::Ingredients,
                &["2 eggs", "1 cup milk"],
            ),
            (
                "<ul><li><b>For the dough:</b><li>flour<li>2.5 dl water</ul>",
                ItemKind::Ingredients,
                &["flour", "2.5 dl water"],
            ),
            (
                "<ul><li><a href=/f>flour</a><li><a href=/e>eggs</a></ul>",
                ItemKind::Ingredients,
                &["flour", "eggs"],
            ),
            (
                "<ul><li>flour<li>eggs<li><button>Add to list</button></ul>",
                ItemKind::Ingredients,
                &["flour", "eggs"],
            ),
            (
                "<ol><li>1. Mix.<li>Schritt 2: Backen.<li><p>Stir<figure><figcaption>Pic</figure></ol>",
                ItemKind::Steps,
                &["Mix.", "Backen.", "Stir"],
            ),
            (
                "<ol><li><span>1</span> 2 eggs in<li><span>2</span> stir</ol>",
                ItemKind::Steps,
                &["2 eggs in", "stir"],
            ),
            ("<ul><li>2 eggs in<li>stir</ul>", ItemKind::Steps, &["2 eggs in", "stir"]),
            ("<ul><li><a>#rust</a>,<li>Rust<li>web ›</ul>", ItemKind::Keywords, &["rust", "web"]),
            ("<ul><li>web, rust, crawling</ul>", ItemKind::Keywords, &["web", "rust", "crawling"]),
            ("<ul><li><a href=#>Save</a> <a href=#>Share</a></ul>", ItemKind::People, &[]),
            (
                "<ol><li>Mix it all.<li>Bake it.<li><span role=button>Save</span></ol>",
                ItemKind::Steps,
                &["Mix it all.", "Bake it."],
            ),
            ("<ul><li><p>Ada Holm<p>Soprano<li>Bo Lind</ul>", ItemKind::People, &["Ada Holm", "Bo Lind"]),
        ];
        for (html, kind, expected) in rows {
            let tree = Tree::parse(html, &Interrupt::never());
            let list = lists::read(&tree).into_iter().next().unwrap();
            let found: Vec<String> = clean(&tree, &list, kind).into_iter().map(|item| item.text).collect();
            assert_eq!(found, expected, "{html}");
        }
    }
}
