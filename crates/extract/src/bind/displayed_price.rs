//! Prices that nothing names: sums that stand by themselves behind the heading.
//!
//! Many pages name their elements by what a style compiler made up, so that only the layout tells a reader which sum is the price:
//! it stands alone or with few words, behind the heading and before any other thing's.

use std::ops::Range;

use super::element_names::is_struck;
use super::pool::{Candidate, Pool};
use super::price_context::{NET_WEIGHT, context_weight};
use super::target::TargetField;
use super::text_nodes::{TextNodes, with_cents};
use super::unrelated::UnrelatedParts;
use crate::evidence::Evidence;
use crate::normalise::{is_range, normalise};
use crate::page::{Method, truncate};
use crate::typed::{NumberStyle, money_amounts};

/// Bytes of visible text behind the heading that are looked at.
const NEAR_BYTES: usize = 6_000;
/// Bytes of visible text above the heading that are looked at.
const ABOVE_BYTES: usize = 800;
/// Bytes of visible text that are looked at where there is no heading.
const MAX_BYTES: usize = 200_000;
/// Longest line with a price; longer ones are sentences.
const MAX_LINE_BYTES: usize = 120;
/// Most letters on a line beside its sums.
const MAX_LETTERS: usize = 40;
/// Longest line above a sum that may be its label.
const MAX_LABEL_BYTES: usize = 40;
/// Bytes of visible text between a struck price and the one that is valid.
const MAX_BESIDE_BYTES: usize = 240;
/// With tax by without tax, the lowest and the highest rates of the world.
const MIN_TAXED: f64 = 1.02;
const MAX_TAXED: f64 = 1.30;
/// Sums that are taken into account.
const MAX_SUMS: usize = 40;

/// A sum behind the heading.
#[derive(Debug, Clone, PartialEq)]
struct DisplayedPrice {
    /// With its currency, as the page has it.
    quote: String,
    /// As a normaliser reads it.
    written: String,
    amount: f64,
    /// Where it begins in the visible text.
    at: usize,
    html_range: Option<Range<usize>>,
    /// Named as an old one, or crossed out.
    struck: bool,
    /// Crossed out.
    crossed: bool,
    /// 0 to 1: how much the words around it let it be the price.
    context_weight: f64,
}

/// Adds sums that stand by themselves behind the heading, and takes from what a struck sum says where the valid one stands
/// beside it.
pub(crate) fn collect(
    evidence: &Evidence<'_>,
    unrelated: &UnrelatedParts,
    texts: &TextNodes,
    targets: &[TargetField<'_>],
    pools: &mut [Pool],
) {
    if !targets.iter().any(|target| target.has_concept("price")) {
        return;
    }
    let mut sums = read(evidence, unrelated, texts);
    taxed(&mut sums);
    let start = evidence.heading.map_or(0, |node| evidence.tree.text_range(node).start);
    for (target, pool) in
        targets.iter().zip(pools.iter_mut()).filter(|(target, _)| target.has_concept("price"))
    {
        let mut amounts: Vec<f64> = Vec::new();
        for sum in sums.iter().filter(|sum| !sum.struck && sum.context_weight > 0.0 && sum.amount > 0.0) {
            let Some(value) = normalise(&sum.written, target.form, target.shape, NumberStyle::Prose) else {
                continue;
            };
            let near = match sum.at.checked_sub(start).filter(|_| evidence.heading.is_some()) {
                Some(0..1_500) => 1.0,
                Some(1_500..4_000) | None => 0.87,
                Some(_) => 0.7,
            };
            let later = match amounts.iter().position(|known| same(*known, sum.amount)) {
                Some(index) => index,
                None => {
                    amounts.push(sum.amount);
                    amounts.len() - 1
                }
            };
            let mut score = 0.37 * sum.context_weight * near;
            for _ in 0..later.min(8) {
                score *= 0.8;
            }
            let (quote, html_range) = (sum.quote.clone(), sum.html_range.clone());
            pool.add(Candidate { value, quote, method: Method::Text, score, html_range });
        }
        struck(&sums, pool);
        minor_units(pool);
    }
}

/// A sum that is named as an old one is valid all the same where the page says what it is without tax.
fn taxed(sums: &mut [DisplayedPrice]) {
    for at in 0..sums.len() {
        let Some(gross) = sums.get(at).filter(|sum| sum.struck && !sum.crossed).map(|sum| sum.amount) else {
            continue;
        };
        let of_it = |sum: &DisplayedPrice| {
            let share = gross / sum.amount;
            same(sum.context_weight, NET_WEIGHT) && (MIN_TAXED..MAX_TAXED).contains(&share)
        };
        if sums.iter().any(of_it) {
            for net in sums.iter_mut().filter(|sum| of_it(sum)) {
                net.struck = true;
            }
            if let Some(sum) = sums.get_mut(at) {
                sum.struck = false;
            }
        }
    }
}

/// What the page strikes out is what the thing was, whatever its data for machines says, if a lower sum stands beside it.
fn struck(sums: &[DisplayedPrice], pool: &mut Pool) {
    for old in sums.iter().filter(|sum| sum.struck) {
        let valid = sums.iter().find(|sum| {
            !sum.struck
                && sum.context_weight > 0.7
                && sum.at.abs_diff(old.at) < MAX_BESIDE_BYTES
                && sum.amount < old.amount
                && sum.amount > old.amount * 0.05
        });
        if valid.is_none() {
            continue;
        }
        for candidate in
            pool.iter_mut().filter(|candidate| amount(candidate).is_some_and(|found| same(found, old.amount)))
        {
            candidate.score *= 0.4;
        }
    }
}

/// Programs count in cents: a whole number that is a hundred times what the page shows is no price.
fn minor_units(pool: &mut Pool) {
    let shown: Vec<f64> = pool
        .iter_mut()
        .filter(|candidate| candidate.method != Method::EmbeddedState && candidate.score > 0.2)
        .filter_map(|candidate| amount(candidate))
        .collect();
    for candidate in pool.iter_mut().filter(|candidate| candidate.method == Method::EmbeddedState) {
        if amount(candidate).is_some_and(|found| {
            found.fract() == 0.0 && found >= 100.0 && shown.iter().any(|shown| same(shown * 100.0, found))
        }) {
            candidate.score *= 0.2;
        }
    }
}

fn amount(candidate: &Candidate) -> Option<f64> {
    candidate.value.as_f64().or_else(|| candidate.value.as_str()?.parse().ok())
}

fn same(left: f64, right: f64) -> bool {
    (left - right).abs() < 0.001
}

/// The signed sums near the heading that stand on lines of few words, those behind it first.
fn read(evidence: &Evidence<'_>, unrelated: &UnrelatedParts, texts: &TextNodes) -> Vec<DisplayedPrice> {
    let tree = &evidence.tree;
    let visible = tree.text();
    let Some(heading) = evidence.heading else {
        return within(evidence, unrelated, texts, 0..visible.len().min(MAX_BYTES));
    };
    let start = tree.text_range(heading).start;
    let mut found = within(evidence, unrelated, texts, start..start.saturating_add(NEAR_BYTES));
    // Some pages show the price above the name.
    found.extend(within(evidence, unrelated, texts, start.saturating_sub(ABOVE_BYTES)..start));
    found
}

/// The signed sums of a part of the visible text.
fn within(
    evidence: &Evidence<'_>,
    unrelated: &UnrelatedParts,
    texts: &TextNodes,
    part: Range<usize>,
) -> Vec<DisplayedPrice> {
    let tree = &evidence.tree;
    let visible = tree.text();
    let mut start = part.start.min(visible.len());
    while !visible.is_char_boundary(start) {
        start += 1;
    }
    let near = truncate(visible.get(start..).unwrap_or_default(), part.end.saturating_sub(start));
    let mut found = Vec::new();
    let mut at = start;
    let mut above = "";
    for line in near.split_inclusive('\n') {
        if evidence.tree.interrupt().spend(1 + line.len() / 64) {
            break;
        }
        let begin = at;
        at += line.len();
        let line = line.trim_end();
        let label = std::mem::replace(&mut above, line);
        let sums: Vec<_> =
            if line.len() <= MAX_LINE_BYTES { money_amounts(line).take(8).collect() } else { Vec::new() };
        let letters = line.chars().filter(|found| found.is_alphabetic()).count();
        if sums.is_empty() || letters > MAX_LETTERS + 6 * sums.len() {
            continue;
        }
        // What stands between a sum and the one before it makes a range of them, or does not.
        let ranged = |nth: usize| {
            let before = nth.checked_sub(1).and_then(|nth| sums.get(nth)).zip(sums.get(nth));
            before.is_some_and(|(low, high)| {
                is_range(line.get(low.range.end..high.range.start).unwrap_or_default())
            })
        };
        for (nth, money) in sums.iter().enumerate() {
            let signed = |nth: usize| sums.get(nth).is_some_and(|money| money.currency.is_some());
            if ranged(nth) || !(signed(nth) || (ranged(nth + 1) && signed(nth + 1))) {
                continue;
            }
            let range = begin + money.range.start..begin + money.range.end;
            let node = texts.within(&range).last().map(|(_, node)| *node);
            let Some(node) = node.filter(|node| !unrelated.contains(*node)) else { continue };
            let before_from =
                nth.checked_sub(1).and_then(|nth| sums.get(nth)).map_or(0, |before| before.range.end);
            let before = line.get(before_from..money.range.start).unwrap_or_default();
            let after_to = sums.get(nth + 1).map_or(line.len(), |next| next.range.start);
            let after = line.get(money.range.end..after_to).unwrap_or_default();
            let own_line = context_weight(before, after);
            // A label on the line above: "RRP" and then the sum.
            let labelled = before_from == 0
                && before.trim().is_empty()
                && label.len() <= MAX_LABEL_BYTES
                && money_amounts(label).next().is_none();
            let context_weight = if labelled { own_line.min(context_weight(label, "")) } else { own_line };
            let quote = line.get(money.range.clone()).unwrap_or_default().to_owned();
            let point = texts.cents(visible, &range);
            let written = point.map_or_else(|| quote.clone(), |point| with_cents(&quote, point));
            let amount = match point {
                Some(_) => money_amounts(&written).next().and_then(|money| money.decimal.parse().ok()),
                None => money.decimal.parse().ok(),
            };
            let Some(amount) = amount else { continue };
            let struck = std::iter::once(node)
                .chain(tree.ancestors(node).take(4))
                .any(|node| tree.text_of(node).len() <= 80 && is_struck(evidence, node, tree.text_of(node)));
            let html_range = texts.within(&range);
            let html_range = html_range.first().zip(html_range.last()).and_then(|((_, first), (_, last))| {
                Some(evidence.html_range_of(*first)?.start..evidence.html_range_of(*last)?.end)
            });
            let crossed = tree.ancestors(node).take(4).any(|node| tree.is(node, &["del", "s", "strike"]));
            found.push(DisplayedPrice {
                quote,
                written,
                amount,
                at: range.start,
                html_range,
                struck,
                crossed,
                context_weight,
            });
            if found.len() >= MAX_SUMS {
                return found;
            }
        }
    }
    found
}
