//! The amounts of money that a page shows, each with what it is: the price, the former one, the cost of
//! delivery, one payment of several, the price of a night, a total.
//!
//! These are different properties. An amount that the page calls one of them is no value of another, and the
//! only amount that it calls so is the value of the field that asks for it.

use std::ops::Range;

use serde_json::Value;

use super::element_names::names_of;
use super::pool::{Candidate, Pool};
use super::price_context::{role_of, with_tax};
use super::price_words::PriceRole;
use super::target::TargetField;
use super::text_nodes::{TextNodes, with_cents};
use super::words::folded;
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::normalise::{ValueForm, is_range, normalise};
use crate::page::Method;
use crate::typed::{NumberStyle, money_amounts};

/// Longest line with amounts that is read, in bytes; longer lines are running text.
const MAX_LINE_BYTES: usize = 200;
/// Longest line above an amount that may be its label, in bytes.
const MAX_LABEL_BYTES: usize = 40;
/// Upper bound on the words of a label without a colon.
const MAX_LABEL_WORDS: usize = 2;
/// Longest text of an element that is a former price as a whole, in bytes.
const MAX_STRUCK_BYTES: usize = 80;
/// Elements around an amount that are looked at.
const MAX_AROUND: usize = 4;
/// Upper bound on the amounts of a line.
const MAX_PER_LINE: usize = 8;
/// Upper bound on the amounts of a page.
const MAX_SHOWN: usize = 400;
/// The score of the only amount that a page calls what a field asks for.
const SURE_SCORE: f64 = 0.6;

/// Names of elements with a former price.
const FORMER_NAMES: [&str; 10] =
    ["old", "was", "before", "previous", "strike", "strikethrough", "crossed", "rrp", "msrp", "original"];

/// Words of lines that are no labels of an amount, such as `Free delivery`.
const FREE: [&str; 8] =
    ["free", "gratis", "kostenlos", "kostenlose", "kostenfrei", "gratuit", "gratuite", "gratuita"];

/// Words in the names of fields that ask for an amount of money.
const SUMS: [&str; 11] = [
    "price",
    "cost",
    "costs",
    "payment",
    "fee",
    "amount",
    "rate",
    "instalment",
    "installment",
    "charge",
    "savings",
];
/// Amounts that are paid for a period as a rule, by their concepts.
const OF_PERIODS: [&str; 4] = ["salary", "salary min", "salary max", "rent"];
/// Words that ask for the price of a night.
const NIGHT: [&str; 2] = ["night", "nightly"];
/// Words that ask for one of several payments.
const INSTALMENT: [&str; 6] =
    ["instalment", "installment", "monthly", "month", "instalments", "installments"];
/// Words that ask for what is saved.
const SAVING: [&str; 2] = ["saving", "savings"];
/// Words that ask for a share.
const SHARES: [&str; 3] = ["percent", "percentage", "pct"];
/// Words that ask for the price that the maker recommends.
const RECOMMENDED: [&str; 7] = ["rrp", "msrp", "srp", "uvp", "retail", "recommended", "suggested"];
/// Words that ask for a price that no longer holds.
const FORMER: [&str; 6] = ["was", "old", "previous", "before", "strike", "former"];
/// Names of taxes on what is sold.
const TAXES: [&str; 10] = ["vat", "tax", "taxes", "gst", "mwst", "dph", "btw", "tva", "iva", "moms"];
/// Words that ask for an amount without tax, and for one with it.
const WITHOUT: [&str; 7] = ["ex", "excl", "excluding", "without", "net", "netto", "before"];
const WITH: [&str; 7] = ["inc", "incl", "including", "with", "gross", "brutto", "after"];

/// An amount of money that the page shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShownPrice {
    /// As a decimal number.
    decimal: String,
    role: PriceRole,
    /// Whether the page says that it is with tax, or without.
    with_tax: Option<bool>,
    /// As on the page.
    quote: String,
    /// The same with the decimal point that the style sheet gives it.
    written: String,
    html_range: Option<Range<usize>>,
}

impl ShownPrice {
    /// The amount as a candidate for a field.
    pub(crate) fn candidate(&self, target: &TargetField<'_>, score: f64) -> Option<Candidate> {
        let value = normalise(&self.written, target.form, target.shape, NumberStyle::Prose)?;
        let (quote, html_range) = (self.quote.clone(), self.html_range.clone());
        Some(Candidate { value, quote, method: Method::Text, score, html_range })
    }
}

/// What a field asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WantedPrice {
    role: PriceRole,
    with_tax: Option<bool>,
    /// Whether a former price and a recommended one are the same to it.
    is_any_former: bool,
}

impl WantedPrice {
    /// What amount a field asks for; `None` if it asks for none or its name does not tell.
    pub(crate) fn of(target: &TargetField<'_>) -> Option<Self> {
        let words: Vec<&str> = target.folded.split(' ').collect();
        let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
        let is_former = target.has_concept("list price");
        let is_of_work_or_home = OF_PERIODS.iter().any(|concept| target.has_concept(concept));
        if is_of_work_or_home
            || has(&SHARES)
            || (target.form != ValueForm::Price && !has(&SUMS) && !is_former)
        {
            return None;
        }
        let is_of_tax = has(&TAXES) || has(&["net", "netto", "gross", "brutto"]);
        let with_tax = match (has(&WITHOUT), has(&WITH)) {
            (true, false) if is_of_tax => Some(false),
            (false, true) if is_of_tax => Some(true),
            _ => None,
        };
        let role = if has(&NIGHT) {
            PriceRole::Night
        } else if has(&["total"]) {
            PriceRole::Total
        } else if has(&INSTALMENT) {
            PriceRole::Instalment
        } else if target.has_concept("shipping price") {
            PriceRole::Shipping
        } else if has(&["deposit"]) {
            PriceRole::Deposit
        } else if has(&SAVING) || (has(&["discount"]) && has(&["amount"])) {
            PriceRole::Saving
        } else if is_former && has(&RECOMMENDED) {
            PriceRole::Recommended
        } else if is_former {
            PriceRole::Former
        } else if target.has_concept("price") || with_tax.is_some() {
            PriceRole::Asked
        } else {
            return None;
        };
        Some(Self { role, with_tax, is_any_former: is_former && !has(&RECOMMENDED) && !has(&FORMER) })
    }

    /// Whether it asks for another amount than the price.
    const fn is_special(self) -> bool {
        !matches!(self.role, PriceRole::Asked) || self.with_tax.is_some()
    }

    /// Whether an amount is what it asks for.
    fn is(self, shown: &ShownPrice) -> bool {
        let is_former = self.is_any_former && shown.role == PriceRole::Recommended;
        (shown.role == self.role || is_former) && (self.with_tax.is_none() || self.with_tax == shown.with_tax)
    }

    /// Whether an amount may be what it asks for. `is_asked_shown` says that the page shows a price that
    /// nothing calls another amount.
    fn may_be(self, shown: &ShownPrice, is_asked_shown: bool) -> bool {
        if self.is(shown) {
            return true;
        }
        let is_price = self.role == PriceRole::Asked && self.with_tax.is_none();
        match shown.role {
            PriceRole::Night | PriceRole::PerUnit => is_price,
            PriceRole::Instalment | PriceRole::Total => is_price && !is_asked_shown,
            // A total may be all that there is to pay.
            PriceRole::Asked => self.role == PriceRole::Total,
            _ => false,
        }
    }
}

/// The only amount of some that is what a field asks for. A price may be that of a night.
pub(super) fn only_of(shown: &[ShownPrice], wanted: WantedPrice) -> Option<&ShownPrice> {
    let is_asked_shown = shown.iter().any(|shown| shown.role == PriceRole::Asked);
    let fits = |found: &&ShownPrice| {
        wanted.is(found) || (!is_asked_shown && found.role == PriceRole::Night && wanted.may_be(found, false))
    };
    let mut found = shown.iter().filter(fits);
    let first = found.next()?;
    found.all(|other| same(&other.decimal, &first.decimal)).then_some(first)
}

/// The amounts of a page outside parts about other things.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShownPrices {
    all: Vec<ShownPrice>,
    is_asked_shown: bool,
}

impl ShownPrices {
    /// Reads them if a field asks for an amount.
    pub(crate) fn read(evidence: &Evidence<'_>, texts: &TextNodes, targets: &[TargetField<'_>]) -> Self {
        if !targets.iter().any(|target| WantedPrice::of(target).is_some()) {
            return Self::default();
        }
        let whole = 0..evidence.tree.text().len();
        let all = within(evidence, texts, whole, &|node| !evidence.unrelated().contains(node));
        let is_asked_shown = all.iter().any(|shown| shown.role == PriceRole::Asked);
        Self { all, is_asked_shown }
    }

    /// The only amount that the page calls what a field asks for, if that is another one than the price.
    fn only(&self, wanted: WantedPrice) -> Option<&ShownPrice> {
        if wanted.is_special() { only_of(&self.all, wanted) } else { None }
    }

    /// Adds to each field the only amount that the page calls what it asks for.
    pub(crate) fn collect(&self, targets: &[TargetField<'_>], pools: &mut [Pool]) {
        for (target, pool) in targets.iter().zip(pools) {
            let shown = WantedPrice::of(target).and_then(|wanted| self.only(wanted));
            if let Some(candidate) = shown.and_then(|shown| shown.candidate(target, SURE_SCORE)) {
                pool.add(candidate);
            }
        }
    }

    /// Whether a value is the only amount that the page calls what the field asks for.
    pub(crate) fn is_sure(&self, target: &TargetField<'_>, value: &Value) -> bool {
        let shown = WantedPrice::of(target).and_then(|wanted| self.only(wanted));
        shown.is_some_and(|shown| same(&shown.decimal, &text_of(value)))
    }

    /// Whether a value may be what a field asks for: the page does not show it, or not only as another amount.
    /// `is_labelled` says that a label of the field stands beside it.
    pub(crate) fn allow(&self, target: &TargetField<'_>, value: &Value, is_labelled: bool) -> bool {
        let Some(wanted) = WantedPrice::of(target) else { return true };
        let text = text_of(value);
        let mut shown = self.all.iter().filter(|shown| same(&shown.decimal, &text)).peekable();
        if shown.peek().is_none() {
            return true;
        }
        let is_disputed = wanted.is_special() && self.only(wanted).is_none();
        shown.any(|shown| {
            let is_plain = shown.role == PriceRole::Asked;
            (wanted.may_be(shown, self.is_asked_shown) && !(is_disputed && wanted.is(shown)))
                || (is_labelled && is_plain)
        })
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether two decimal numbers are the same.
fn same(left: &str, right: &str) -> bool {
    match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(left), Ok(right)) => (left - right).abs() < 0.001,
        _ => false,
    }
}

/// The amounts with a currency in a part of the visible text, in the elements that `counts` accepts.
pub(crate) fn within(
    evidence: &Evidence<'_>,
    texts: &TextNodes,
    part: Range<usize>,
    counts: &dyn Fn(NodeId) -> bool,
) -> Vec<ShownPrice> {
    let mut found = Vec::new();
    let mut at = part.start;
    let mut above = "";
    for line in evidence.tree.text().get(part).unwrap_or_default().split_inclusive('\n') {
        if evidence.tree.interrupt().spend(1 + line.len() / 64) || found.len() >= MAX_SHOWN {
            break;
        }
        let begin = at;
        at += line.len();
        let line = line.trim_end();
        let label = std::mem::replace(&mut above, line);
        if line.len() <= MAX_LINE_BYTES && line.bytes().any(|byte| byte.is_ascii_digit()) {
            read_line(evidence, texts, (begin, line, label), counts, &mut found);
        }
    }
    found
}

/// Reads the amounts of a line that starts at a place of the visible text and stands below another line.
fn read_line(
    evidence: &Evidence<'_>,
    texts: &TextNodes,
    (begin, line, above): (usize, &str, &str),
    counts: &dyn Fn(NodeId) -> bool,
    found: &mut Vec<ShownPrice>,
) {
    let visible = evidence.tree.text();
    let sums: Vec<_> = money_amounts(line).take(MAX_PER_LINE).collect();
    let between = |start: usize, end: usize| line.get(start..end).unwrap_or_default();
    let mut before_from = 0;
    // Whether the words before an amount belong to the amount before them: `£83 ex. VAT £100 inc. VAT`.
    let mut is_claimed = false;
    for (nth, sum) in sums.iter().enumerate() {
        let before = between(before_from, sum.range.start);
        let is_end_of_range = nth > 0 && is_range(before);
        let next = sums.get(nth + 1);
        let after = between(sum.range.end, next.map_or(line.len(), |next| next.range.start));
        let is_joined = next.is_some_and(|next| is_range(after) && next.currency.is_some());
        let is_first = before_from == 0;
        let own_before = if is_claimed { "" } else { before };
        before_from = sum.range.end;
        is_claimed = false;
        if is_end_of_range || !(sum.currency.is_some() || is_joined) {
            continue;
        }
        let range = begin + sum.range.start..begin + sum.range.end;
        let Some((_, node)) = texts.within(&range).last() else { continue };
        let is_labelled = is_first && before.trim().is_empty() && is_label(above);
        let before = if is_labelled { above } else { own_before };
        let is_of_next = next.is_some_and(|next| {
            let next = begin + next.range.start..begin + next.range.end;
            let words = after.find(char::is_alphanumeric).map(|at| range.end + at);
            let text = texts.within(&next).first().map(|(text, _)| text.start);
            match text.zip(words) {
                Some((text, words)) if text >= range.end => text <= words,
                _ => before.contains(char::is_alphabetic),
            }
        });
        let after = if is_of_next { "" } else { after };
        let (mut role, is_behind) = role_of(before, after);
        let tax = with_tax(before, after);
        is_claimed = is_behind || with_tax("", after).is_some();
        // A badge above the price is no label: `Discount`.
        if is_labelled && role == PriceRole::Saving {
            role = PriceRole::Asked;
        }
        if role == PriceRole::Asked && is_former(evidence, *node) {
            role = PriceRole::Former;
        }
        if !counts(*node) {
            continue;
        }
        let quote = between(sum.range.start, sum.range.end).to_owned();
        let point = texts.cents(visible, &range);
        let written = point.map_or_else(|| quote.clone(), |point| with_cents(&quote, point));
        let decimal = point.and_then(|_| money_amounts(&written).next()).map(|sum| sum.decimal);
        let decimal = decimal.unwrap_or_else(|| sum.decimal.clone());
        let html_range = texts.within(&range);
        let html_range = html_range.first().zip(html_range.last()).and_then(|((_, first), (_, last))| {
            Some(evidence.html_range_of(*first)?.start..evidence.html_range_of(*last)?.end)
        });
        found.push(ShownPrice { decimal, role, with_tax: tax, quote, written, html_range });
    }
}

/// Whether a line is a label of what stands below: it ends with a colon, or is nothing but such a label.
fn is_label(line: &str) -> bool {
    let line = line.trim();
    let is_short = !line.is_empty() && line.len() <= MAX_LABEL_BYTES;
    let is_whole = || {
        let words = folded(line);
        let mut words = words.split(' ');
        let is_plain = |word: &str| !FREE.contains(&word) && !word.contains(char::is_numeric);
        words.clone().count() <= MAX_LABEL_WORDS && words.all(is_plain)
    };
    is_short && money_amounts(line).next().is_none() && (line.ends_with([':', '：']) || is_whole())
}

/// Whether an amount is crossed out, or an element of its own calls it a former price.
pub(super) fn is_former(evidence: &Evidence<'_>, node: NodeId) -> bool {
    let tree = &evidence.tree;
    let mut around = std::iter::once(node).chain(tree.ancestors(node).take(MAX_AROUND));
    around.any(|node| {
        let text = tree.text_of(node);
        let is_named =
            || names_of(evidence, node).flatten().any(|word| FORMER_NAMES.contains(&word.as_str()));
        let is_crossed = tree.is(node, &["del", "s", "strike"]);
        text.len() <= MAX_STRUCK_BYTES
            && (is_crossed || (is_named() && money_amounts(text).take(2).count() == 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    /// The amounts of a page with their roles.
    fn shown(html: &str) -> Vec<(String, PriceRole)> {
        let page = Page::new("https://shop.example/a".parse().unwrap(), html);
        let evidence = Evidence::read(&page);
        let texts = TextNodes::read(&evidence);
        let found = within(&evidence, &texts, 0..evidence.tree.text().len(), &|_| true);
        found.into_iter().map(|shown| (shown.decimal, shown.role)).collect()
    }

    #[test]
    fn amounts_are_what_the_page_calls_them() {
        let rows: [(&str, &[(&str, PriceRole)]); 12] = [
            (
                "<p><del>$79.00</del> <ins>$59.00</ins></p>",
                &[("79.00", PriceRole::Former), ("59.00", PriceRole::Asked)],
            ),
            (
                "<p class='price was-now'><s>$79</s> $59</p>",
                &[("79", PriceRole::Former), ("59", PriceRole::Asked)],
            ),
            (
                "<span class=old-price>$79</span> <span class=price>$59</span>",
                &[("79", PriceRole::Former), ("59", PriceRole::Asked)],
            ),
            ("<p>Was $79, now $59</p>", &[("79", PriceRole::Former), ("59", PriceRole::Asked)]),
            ("<dl><dt>Delivery</dt><dd>$5</dd></dl>", &[("5", PriceRole::Shipping)]),
            ("<p>Free delivery tomorrow</p><p>$59</p>", &[("59", PriceRole::Asked)]),
            ("<p>$45.00 – $65.00</p>", &[("45.00", PriceRole::Asked)]),
            (
                "<p>£129 per night</p><p>£387 total for 3 nights</p>",
                &[("129", PriceRole::Night), ("387", PriceRole::Total)],
            ),
            ("<p>59 € statt 79 €</p>", &[("59", PriceRole::Asked), ("79", PriceRole::Former)]),
            ("<p>Save 20%</p><p>$59</p>", &[("59", PriceRole::Asked)]),
            ("<p>Free delivery</p><p>$59</p>", &[("59", PriceRole::Asked)]),
            ("<p>45 million people, $45 million</p>", &[("45000000", PriceRole::Asked)]),
        ];
        for (html, expected) in rows {
            let expected: Vec<(String, PriceRole)> =
                expected.iter().map(|(sum, role)| ((*sum).to_owned(), *role)).collect();
            assert_eq!(shown(html), expected, "{html}");
        }
    }

    #[test]
    fn words_between_two_amounts_belong_to_one() {
        let html = "<p><b>£83.33 <small>ex. VAT</small></b> <b>£100.00 <small>inc. VAT</small></b></p>";
        let page = Page::new("https://shop.example/a".parse().unwrap(), html);
        let evidence = Evidence::read(&page);
        let texts = TextNodes::read(&evidence);
        let found = within(&evidence, &texts, 0..evidence.tree.text().len(), &|_| true);
        let taxes: Vec<Option<bool>> = found.iter().map(|shown| shown.with_tax).collect();
        assert_eq!(taxes, [Some(false), Some(true)]);
        let html = "<b>6 290 Kč</b> <i>bez DPH 5 198 Kč</i>";
        let page = Page::new("https://shop.example/a".parse().unwrap(), html);
        let evidence = Evidence::read(&page);
        let texts = TextNodes::read(&evidence);
        let found = within(&evidence, &texts, 0..evidence.tree.text().len(), &|_| true);
        let taxes: Vec<Option<bool>> = found.iter().map(|shown| shown.with_tax).collect();
        assert_eq!(taxes, [None, Some(false)]);
    }
}
