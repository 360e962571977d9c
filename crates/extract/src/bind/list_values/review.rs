//! Lists of reviews: repeated cards with a text and its author, date or rating.

use std::ops::Range;

use super::items::html_range;
use super::lists::{ListForm, PageList};
use super::outline::{Outline, text_at, trimmed};
use super::page_view::PageView;
use super::question::smallest;
use crate::bind::element_names::names_of;
use crate::bind::page::leaves;
use crate::bind::pool::Candidate;
use crate::bind::records::Record;
use crate::bind::target::TargetField;
use crate::bind::text_nodes::TextNodes;
use crate::bind::words::{folded, words};
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::normalise::{ValueForm, normalise};
use crate::page::Method;
use crate::plan::to_f64;
use crate::schema::Field;
use crate::typed::{NumberStyle, amounts};

/// Score of a review.
const SCORE: f64 = 0.55;
/// Lower bound on the share of cards that are reviews.
const MIN_SHARE: f64 = 0.6;
/// Upper bound on the lists that are examined.
const MAX_LISTS: usize = 50;
/// Upper bound on the elements of a card that are examined.
const MAX_NODES: usize = 300;
/// Upper bound on the elements of all cards that are examined. The cards of lists within lists overlap.
const MAX_PAGE_NODES: usize = 150_000;
/// Upper bound on the elements around the cards that may name them.
const MAX_CLIMB: usize = 4;
/// Shortest text of a review, in bytes.
const MIN_TEXT_BYTES: usize = 20;
/// Longest author, date or rating, in bytes.
const MAX_FACT_BYTES: usize = 60;
/// Longest title of a review, in bytes.
const MAX_TITLE_BYTES: usize = 120;
/// Names of a list of reviews, of its part of the page and of its heading.
const LIST_NAMES: &str = "\
    review|reviews|customer reviews|user reviews|testimonial|testimonials|comment|comments|ratings|\
    opinions|feedback|bewertung|bewertungen|kundenbewertungen|rezensionen|kommentare|avis|avis clients|\
    commentaires|reseñas|opiniones|comentarios|avaliações|recensioni|recensies|beoordelingen|opinie|\
    recenze|recenzie|hodnocení|hodnotenie|vélemények|recenzii|отзывы|відгуки|omdömen|recensioner|\
    anmeldelser|arvostelut|yorumlar|değerlendirmeler|レビュー|口コミ|评论|評論|评价|리뷰|후기|ביקורות|المراجعات";
/// Names of the parts of a review.
const AUTHOR_NAMES: &str =
    "author|reviewer|user|username|customer|nickname|name|by|autor|auteur|autore|verfasser|kunde|автор";
const RATING_NAMES: &str = "rating|ratings|stars|star|score|bewertung|note|sterne|valoración|оценка";
const DATE_NAMES: &str = "date|time|published|created|datum|fecha|data|дата";
const TEXT_NAMES: &str = "\
    text|review|review text|review body|body|content|comment|message|description|quote|texto|texte|testo|\
    текст|kommentar|commentaire|comentario|bewertung";
const TITLE_NAMES: &str = "title|headline|heading|subject|summary|titel|titre|título|titolo|заголовок";

/// Words before the end of a scale: "4 out of 5".
const SCALE_WORDS: &str = "of|von|sur|de|su|di|van|z|ze|из|з|av|af|tähdestä|üzerinden";

/// What a field of a review asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Author,
    Rating,
    Date,
    Text,
    Title,
}

/// A text of a card with its element and its range in the visible text, if it is visible.
struct Fact {
    part: Part,
    text: String,
    node: NodeId,
    range: Option<Range<usize>>,
}

/// The reviews that the page shows; empty if the fields do not ask for reviews.
pub(super) fn read(view: &PageView<'_, '_>, fields: &[Field], name: &str) -> Vec<Record> {
    let (targets, _) = leaves(fields);
    let wanted: Vec<(Part, &TargetField<'_>)> =
        targets.iter().filter_map(|target| Some((part_of(target)?, target))).collect();
    let has = |part: Part| wanted.iter().any(|(own, _)| *own == part);
    if !is_one_of(LIST_NAMES, &folded(name)) || !has(Part::Text) || wanted.len() * 2 < targets.len() {
        return Vec::new();
    }
    let evidence = view.evidence;
    let tree = &evidence.tree;
    let named = view.lists().iter().filter(|list| {
        matches!(list.form, ListForm::Ordered | ListForm::Unordered | ListForm::Siblings)
            && list.items.len() > 1
            && !view.evidence.unrelated().in_related_section(list.first())
            && is_named(evidence, view.outline(), list)
    });
    let mut best: Vec<Record> = Vec::new();
    let mut left = MAX_PAGE_NODES;
    for list in named.take(MAX_LISTS) {
        let size = |card: NodeId| tree.end(card).index().saturating_sub(card.index()).min(MAX_NODES);
        let all: usize = list.items.iter().map(|item| size(item.node)).sum();
        let Some(rest) = left.checked_sub(all) else { continue };
        left = rest;
        let cards: Vec<Vec<Fact>> =
            list.items.iter().map(|item| facts(evidence, view.texts(), item.node, &item.text)).collect();
        let is_review = |facts: &&Vec<Fact>| {
            let has = |part: Part| facts.iter().any(|fact| fact.part == part);
            has(Part::Text) && (has(Part::Author) || has(Part::Rating) || has(Part::Date))
        };
        let reviews: Vec<Record> =
            cards.iter().filter(is_review).map(|facts| record(evidence, facts, &wanted)).collect();
        if to_f64(reviews.len()) >= MIN_SHARE * to_f64(list.items.len()) && reviews.len() > best.len() {
            best = reviews;
        }
    }
    best.retain(|record| !record.values.is_empty());
    best
}

/// What a field asks for; `None` if reviews have no such part.
fn part_of(target: &TargetField<'_>) -> Option<Part> {
    let own = folded(target.name);
    let scope = target.scope.last().filter(|_| matches!(own.as_str(), "name" | "value"));
    let own = scope.map_or_else(|| own.clone(), |scope| folded(scope));
    let rows = [
        (Part::Rating, RATING_NAMES),
        (Part::Author, AUTHOR_NAMES),
        (Part::Text, TEXT_NAMES),
        (Part::Title, TITLE_NAMES),
        (Part::Date, DATE_NAMES),
    ];
    let by_name = rows.into_iter().find(|(_, names)| is_one_of(names, &own)).map(|(part, _)| part);
    let is_date = matches!(target.form, ValueForm::Date | ValueForm::Moment);
    by_name.or_else(|| is_date.then_some(Part::Date)).or_else(|| {
        let last = words(&own).pop()?;
        rows.into_iter().find(|(_, names)| is_one_of(names, &last)).map(|(part, _)| part)
    })
}

fn is_one_of(names: &str, name: &str) -> bool {
    names.split('|').any(|known| known == name)
}

/// Whether a class, an id or a heading says that the items are reviews.
fn is_named(evidence: &Evidence<'_>, outline: &Outline, list: &PageList<'_>) -> bool {
    let tree = &evidence.tree;
    let around = std::iter::once(list.first()).chain(tree.ancestors(list.first()));
    let by_name = around
        .take(MAX_CLIMB)
        .any(|node| names_of(evidence, node).flatten().any(|word| is_one_of(LIST_NAMES, word)));
    by_name
        || outline.above(list.first()).take(2).any(|heading| {
            let title = text_at(tree, &heading.text);
            words(title).len() <= 5 && words(title).iter().any(|word| is_one_of(LIST_NAMES, word))
        })
}

/// The parts of a card, at most one of each kind.
fn facts(evidence: &Evidence<'_>, texts: &TextNodes, card: NodeId, text: &Range<usize>) -> Vec<Fact> {
    let tree = &evidence.tree;
    let mut found: Vec<Fact> = Vec::new();
    let mut add = |part: Part, text: String, node: NodeId, range: Option<Range<usize>>| {
        if !text.is_empty() && !found.iter().any(|known| known.part == part) {
            found.push(Fact { part, text, node, range });
        }
    };
    if let Some((node, range)) = body(evidence, texts, text) {
        add(Part::Text, text_at(tree, &range).to_owned(), node, Some(range));
    }
    for node in tree.within(card).take(MAX_NODES).filter(|node| !tree.name(*node).is_empty()) {
        let range = trimmed(tree, tree.text_range(node));
        let own = text_at(tree, &range);
        let names = names_of(evidence, node);
        let is_called = |part: &str| names.clone().flatten().any(|word| is_one_of(part, word));
        if let Some(rating) = rating(evidence, node, own, is_called(RATING_NAMES)) {
            add(Part::Rating, rating, node, (!own.is_empty()).then(|| range.clone()));
            continue;
        }
        if own.is_empty() || own.contains('\n') {
            continue;
        }
        if tree.is(node, &["time"]) || (own.len() <= MAX_FACT_BYTES && is_called(DATE_NAMES)) {
            let stated = tree.attribute(node, "datetime").unwrap_or_default();
            let date = if stated.trim().is_empty() { own } else { &*stated };
            add(Part::Date, date.to_owned(), node, Some(range));
        } else if own.len() <= MAX_FACT_BYTES
            && !own.contains(|digit: char| digit.is_ascii_digit())
            && (tree.is(node, &["cite"]) || is_called(AUTHOR_NAMES))
        {
            add(Part::Author, own.to_owned(), node, Some(range));
        } else if own.len() <= MAX_TITLE_BYTES
            && (tree.is(node, &["h2", "h3", "h4", "h5", "h6"]) || is_called(TITLE_NAMES))
        {
            add(Part::Title, own.to_owned(), node, Some(range));
        }
    }
    found
}

/// The text of a review: the longest line with the paragraphs beside it.
fn body(evidence: &Evidence<'_>, texts: &TextNodes, card: &Range<usize>) -> Option<(NodeId, Range<usize>)> {
    let tree = &evidence.tree;
    let mut start = card.start;
    let mut longest = start..start;
    for line in tree.text().get(card.clone())?.split_inclusive('\n') {
        let range = trimmed(tree, start..start + line.len());
        start += line.len();
        if range.len() > longest.len() {
            longest = range;
        }
    }
    if longest.len() < MIN_TEXT_BYTES {
        return None;
    }
    let node = smallest(tree, texts, &longest)?;
    let parent = tree.parent(node).filter(|parent| {
        let around = tree.text_range(*parent);
        tree.is(node, &["p"]) && around.start >= card.start.saturating_sub(1) && around.end <= card.end + 1
    });
    let Some(parent) = parent else { return Some((node, longest)) };
    let mut range = longest;
    for paragraph in tree.children(parent).take(MAX_NODES).filter(|child| tree.is(*child, &["p"])) {
        let own = trimmed(tree, tree.text_range(paragraph));
        if own.len() >= MIN_TEXT_BYTES {
            range = range.start.min(own.start)..range.end.max(own.end);
        }
    }
    Some((parent, range))
}

/// The rating that an element states: stars, "4 out of 5" in its text or its label, or a number in an element
/// that is named a rating.
fn rating(evidence: &Evidence<'_>, node: NodeId, text: &str, is_named: bool) -> Option<String> {
    let tree = &evidence.tree;
    if text.chars().all(|found| matches!(found, '★' | '☆' | '⭐' | ' ')) {
        let stars = text.chars().filter(|found| matches!(found, '★' | '⭐')).count();
        if (1..=5).contains(&stars) {
            return Some(stars.to_string());
        }
    }
    let stated = ["aria-label", "title", "alt", "data-rating", "data-score"].iter().find_map(|name| {
        let label = tree.attribute(node, name)?;
        number(&label, is_named || name.starts_with("data"))
    });
    let text = Some(text).filter(|text| text.len() <= MAX_FACT_BYTES && !text.contains('\n'));
    stated.or_else(|| number(text?, is_named))
}

/// The first of two numbers if the second is the end of a scale, or the only number up to 5 if it is named a
/// rating.
fn number(text: &str, is_named: bool) -> Option<String> {
    if text.len() > MAX_TITLE_BYTES {
        return None;
    }
    let found: Vec<_> = amounts(text, NumberStyle::Prose).take(3).collect();
    let value = |written: &str| written.parse::<f64>().unwrap_or(f64::NAN);
    match found.as_slice() {
        [own, scale]
            if matches!(scale.decimal.as_str(), "5" | "10")
                && value(&own.decimal) <= value(&scale.decimal) =>
        {
            let between = text.get(own.range.end..scale.range.start)?.trim().to_lowercase();
            let is_scale = between == "/" || is_one_of(SCALE_WORDS, between.rsplit(' ').next()?);
            is_scale.then(|| own.decimal.clone())
        }
        [only] if is_named && (0.0..=5.0).contains(&value(&only.decimal)) => Some(only.decimal.clone()),
        _ => None,
    }
}

/// The record of a review.
fn record(evidence: &Evidence<'_>, facts: &[Fact], wanted: &[(Part, &TargetField<'_>)]) -> Record {
    let values = wanted.iter().filter_map(|(part, target)| {
        let fact = facts.iter().find(|fact| fact.part == *part)?;
        let value = normalise(&fact.text, target.form, target.shape, NumberStyle::Prose)?;
        let html_range = fact.range.as_ref().and_then(|range| html_range(&evidence.tree, fact.node, range));
        let quote = fact.text.clone();
        let candidate = Candidate { value, quote, method: Method::Markup, score: SCORE, html_range };
        Some((target.pointer.clone(), candidate))
    });
    Record { values: values.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use crate::schema::Shape;
    use serde_json::json;

    #[test]
    fn reviews_are_read_from_cards() {
        let card = |name: &str, date: &str, stars: u8, text: &str| {
            format!(
                "<li class=r><h4>{name}'s view</h4><span class=author>{name}</span>\
                 <time datetime={date}>then</time><i aria-label='{stars} out of 5'></i>\
                 <div><p>{text}</p><p>And a second paragraph.</p></div><button>Report</button>"
            )
        };
        let html = format!(
            "<ul class=menu><li>Home<li>Shop<li>Help</ul><h2>Kundenbewertungen</h2><ul>{}{}</ul>",
            card("Ada Holm", "2024-03-01", 4, "It holds tea and it looks good."),
            card("Bo Lind", "2024-03-02", 5, "The best cup that I have ever had."),
        );
        let shape = Shape::from_schema(&json!({ "properties": {
            "author": { "type": "string" }, "date": { "type": "string", "format": "date" },
            "rating": { "type": "number" }, "text": { "type": "string" },
        } }))
        .unwrap();
        let page = Page::new("https://shop.example/cup".parse().unwrap(), html.as_str());
        let evidence = Evidence::read(&page);
        let view = PageView::new(&evidence);
        let found = read(&view, shape.fields(), "reviews");
        let first: Vec<(String, serde_json::Value)> =
            found[0].values.iter().map(|(pointer, value)| (pointer.clone(), value.value.clone())).collect();
        let expected = [
            ("/author", json!("Ada Holm")),
            ("/date", json!("2024-03-01")),
            ("/rating", json!(4)),
            ("/text", json!("It holds tea and it looks good. And a second paragraph.")),
        ];
        assert_eq!(first, expected.map(|(pointer, value)| (pointer.to_owned(), value)));
        assert_eq!(found.len(), 2);
        assert!(read(&view, shape.fields(), "orders").is_empty());
    }
}
