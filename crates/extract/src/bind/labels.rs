//! Finds values by their labels: `meta` elements, definition lists, tables, labelled lines.

use super::concept::is_known;
use super::pool::{Candidate, Pool};
use super::target::{NameIndex, TargetField};
use super::words::folded;
use crate::evidence::{Evidence, LabelledValue};
use crate::normalise::{ValueForm, normalise};
use crate::page::Method;
use crate::typed::NumberStyle;

/// Adds the values of `meta` elements, definition lists, tables and labelled lines.
pub(crate) fn collect(
    evidence: &Evidence<'_>,
    targets: &[TargetField<'_>],
    names: &NameIndex,
    pools: &mut [Pool],
) {
    for pair in &evidence.pairs {
        if evidence.tree.interrupt().spend(1) {
            return;
        }
        if pair.method == Method::Meta {
            let known = names.of_meta(&pair.label);
            for (at, weight) in known {
                add(targets, pools, *at, pair, 0.62 * weight, NumberStyle::Data, evidence);
            }
            if known.is_empty() {
                for (at, weight) in names.exactly(&folded(&pair.label)) {
                    add(targets, pools, *at, pair, 0.4 * weight, NumberStyle::Prose, evidence);
                }
            }
            continue;
        }
        let label = folded(&pair.label);
        let base = match pair.method {
            Method::DefinitionList | Method::Table => 0.6,
            _ => 0.5,
        };
        for (at, weight) in names.exactly(&label) {
            add(targets, pools, *at, pair, base * weight, NumberStyle::Prose, evidence);
        }
        // "EAN code (GTIN)" and "Our item number" contain the name with a word or two around it.
        let words: Vec<String> = label.split(' ').map(str::to_owned).collect();
        if (2..=5).contains(&words.len()) && names.exactly(&label).is_empty() {
            for (at, weight) in names.within(&words) {
                // "Age that the maker recommends" is not a maker.
                let text = targets.get(at).is_some_and(TargetField::is_textual);
                if text && words.len() > 2 {
                    continue;
                }
                add(targets, pools, at, pair, base * 0.6 * weight, NumberStyle::Prose, evidence);
            }
        }
    }
    inline(evidence, targets, names, pools);
}

fn add(
    targets: &[TargetField<'_>],
    pools: &mut [Pool],
    at: usize,
    pair: &LabelledValue,
    score: f64,
    style: NumberStyle,
    evidence: &Evidence<'_>,
) {
    let (Some(target), Some(pool)) = (targets.get(at), pools.get_mut(at)) else { return };
    if evidence.tree.interrupt().spend(1) {
        return;
    }
    // A line may continue with the next label: the value of an identifier comes first.
    let text = match (pair.method, target.form) {
        (Method::Label, ValueForm::Code | ValueForm::Gtin) => first_words(&pair.value),
        (Method::Label, _) if target.is_textual() && target.concept.is_some() => {
            pair.value.split(['|', '\n']).next().unwrap_or_default()
        }
        _ => pair.value.as_str(),
    };
    // The value "More of the brand: Acme" contains a label itself.
    let text =
        if target.has_concept("brand") { text.rsplit([':', '：']).next().unwrap_or(text) } else { text };
    let Some(value) = normalise(text, target.form, target.shape, style) else { return };
    if target.form == ValueForm::Price && value.as_str() == Some("0") {
        return;
    }
    let long =
        target.is_textual() && text.len() > 80 && target.concept.is_some() && pair.method == Method::Label;
    let html_range = pair.node.map(|node| evidence.html_range_of(node)).unwrap_or_default();
    let score = if long { score * 0.4 } else { score };
    pool.add(Candidate { value, quote: text.trim().to_owned(), method: pair.method, score, html_range });
}

/// The words up to where the next label could start.
fn first_words(text: &str) -> &str {
    let text = text.trim();
    text.split(['|', '•', ';', '\n', '(', '['])
        .next()
        .unwrap_or_default()
        .trim()
        .split("  ")
        .next()
        .unwrap_or_default()
}

/// Adds the values of lines such as `SKU 12345` and `Art. nr. 12345`, in which only the name separates the
/// label from the value.
fn inline(evidence: &Evidence<'_>, targets: &[TargetField<'_>], names: &NameIndex, pools: &mut [Pool]) {
    if !targets.iter().any(|target| matches!(target.form, ValueForm::Code | ValueForm::Gtin)) {
        return;
    }
    for line in evidence.tree.text().lines() {
        if evidence.tree.interrupt().spend(1) {
            return;
        }
        if line.len() > 120 || line.contains(':') {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().take(6).collect();
        // The longest known label: "Article number XY" is not an article called "number XY".
        let known = (1..words.len().min(4)).rev().find_map(|length| {
            let (label, value) = words.split_at_checked(length)?;
            let label = folded(&label.join(" "));
            is_known(&label).then_some((label, value))
        });
        if let Some((label, value)) = known {
            for (at, weight) in names.exactly(&label) {
                let (Some(target), Some(pool)) = (targets.get(*at), pools.get_mut(*at)) else { continue };
                let text = value.join(" ");
                if !matches!(target.form, ValueForm::Code | ValueForm::Gtin)
                    || value.len() > 2
                    || label.len() < 3
                {
                    continue;
                }
                if let Some(value) = normalise(&text, target.form, target.shape, NumberStyle::Prose) {
                    pool.add(Candidate {
                        value,
                        quote: text,
                        method: Method::Label,
                        score: 0.42 * weight,
                        html_range: None,
                    });
                }
            }
        }
    }
}
