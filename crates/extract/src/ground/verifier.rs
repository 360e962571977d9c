//! Verifies the claims of a model: the quote is on the page, and the value follows from it.

use std::ops::Range;

use serde_json::Value;

use super::clause::{AdjacentAnswer, adjacent_answer, clause, is_negated, is_unchecked};
use super::number::{claimed_number, find_number};
use super::token::is_complete_token;
use super::visible_text::{VisibleText, widened};
use super::{FoldedText, LinkTable};
use crate::bind::TargetField;
use crate::leaf::MissingReason;
use crate::normalise::{ValueForm, fold_spaces, normalise};
use crate::schema::ShapeKind;
use crate::typed::{NumberStyle, date};

/// Upper bound on the claims of one answer; further claims are refused.
pub const MAX_CLAIMS: usize = 20_000;

/// The outcome of verifying a claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ClaimOutcome {
    /// The value from the normaliser, with the words of the page and their position in the Markdown.
    Verified { value: Value, quote: String, span: Range<usize> },
    /// The claim is not proved, for this reason.
    Refused(MissingReason),
}

/// Verifies claims against a page.
#[derive(Debug)]
pub(crate) struct ClaimVerifier<'p> {
    markdown: &'p str,
    folded: FoldedText,
    visible: VisibleText,
    links: &'p LinkTable,
    claims: usize,
}

impl<'p> ClaimVerifier<'p> {
    pub(crate) fn new(markdown: &'p str, links: &'p LinkTable) -> Self {
        Self {
            markdown,
            folded: FoldedText::new(markdown),
            visible: VisibleText::new(markdown),
            links,
            claims: 0,
        }
    }

    /// Verifies a claim against the page. `from` is the position in the Markdown at which the search starts.
    pub(crate) fn verify(
        &mut self,
        target: &TargetField<'_>,
        value: &Value,
        quote: Option<&str>,
        from: usize,
    ) -> ClaimOutcome {
        self.claims += 1;
        if self.claims > MAX_CLAIMS {
            return ClaimOutcome::Refused(MissingReason::Unsure);
        }
        if value.is_null() {
            return ClaimOutcome::Refused(MissingReason::NotFound);
        }
        if value.is_object() || value.is_array() {
            return ClaimOutcome::Refused(MissingReason::WrongType);
        }
        let claimed = match value {
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        if claimed.is_empty() {
            return ClaimOutcome::Refused(MissingReason::NotFound);
        }
        // An address must be one of the page's links.
        if target.form == ValueForm::Url && target.shape.choices.is_empty() {
            return match self.links.resolve(&claimed) {
                Some(url) => {
                    let at = quote.and_then(|quote| self.folded.find(quote, from)).unwrap_or(from..from);
                    ClaimOutcome::Verified { value: Value::from(url), quote: url.to_owned(), span: at }
                }
                None => ClaimOutcome::Refused(MissingReason::QuoteNotOnPage),
            };
        }
        // A value in the page's own words can serve as its quote.
        let quote = quote.map(str::trim).filter(|quote| !quote.is_empty());
        let Some(quote) =
            quote.or_else(|| (target.shape.kind != ShapeKind::Boolean).then_some(claimed.as_str()))
        else {
            return ClaimOutcome::Refused(MissingReason::NoQuote);
        };
        let Some(span) = self.folded.find(quote, from) else {
            return ClaimOutcome::Refused(MissingReason::QuoteNotOnPage);
        };
        let words = self.markdown.get(span.clone()).unwrap_or_default();
        let line = widened(self.markdown, &span, |found, _| found == '\n');
        let line = self.markdown.get(line).unwrap_or_default();
        let found = QuotedText { text: self.visible.text(), range: self.visible.range(&span), line };
        match derive_value(target, value, &claimed, &found) {
            Some(value) => ClaimOutcome::Verified { value, quote: words.trim().to_owned(), span },
            None => ClaimOutcome::Refused(MissingReason::NotInQuote),
        }
    }
}

/// A quote in its text.
#[derive(Debug)]
struct QuotedText<'t> {
    text: &'t str,
    range: Range<usize>,
    /// The line of the Markdown, including its marks.
    line: &'t str,
}

impl<'t> QuotedText<'t> {
    fn words(&self) -> &'t str {
        self.text.get(self.range.clone()).unwrap_or_default()
    }

    /// Whether the clause around the quote agrees with the quote. `in stock` of `not in stock` does not.
    fn keeps_its_sense(&self, target: &TargetField<'_>) -> bool {
        let (words, clause) = (self.words(), clause(self.text, &self.range));
        let whole = statement(target, clause);
        is_negated(words) == is_negated(clause) && (whole.is_none() || whole == statement(target, words))
    }
}

/// The value that follows from the page's words, if it is the claimed one.
fn derive_value(
    target: &TargetField<'_>,
    value: &Value,
    claimed: &str,
    found: &QuotedText<'_>,
) -> Option<Value> {
    let (shape, words) = (target.shape, found.words());
    let states = !shape.choices.is_empty()
        || shape.kind == ShapeKind::Boolean
        || target.form == ValueForm::Availability;
    if states && !found.keeps_its_sense(target) {
        return None;
    }
    if !shape.choices.is_empty() {
        if is_number(claimed) {
            find_number(found.text, &found.range, claimed_number(claimed)?)?;
        }
        return normalise(words, target.form, shape, NumberStyle::Prose).filter(|made| made == value);
    }
    match shape.kind {
        ShapeKind::Number | ShapeKind::Integer => {
            let made = find_number(found.text, &found.range, claimed_number(claimed)?)?;
            normalise(&made.decimal, ValueForm::Number, shape, NumberStyle::Data)
        }
        ShapeKind::Boolean => {
            let answer = match adjacent_answer(found.text, &found.range) {
                AdjacentAnswer::Answer(answer) => Some(Value::Bool(answer)),
                AdjacentAnswer::Other => None,
                AdjacentAnswer::Absent if is_unchecked(found.line) => Some(Value::Bool(false)),
                AdjacentAnswer::Absent => statement(target, words),
            };
            // The text next to a name answers it, but the name itself must still be the property's.
            answer.filter(|made| made == value && statement(target, words).is_some())
        }
        ShapeKind::Text | ShapeKind::Any => {
            if matches!(target.form, ValueForm::Date | ValueForm::Moment)
                || matches!(shape.format.as_deref(), Some("date" | "date-time"))
            {
                match (date(words), date(claimed)) {
                    (Some(made), Some(claimed_date)) => {
                        return (made.get(..10) == claimed_date.get(..10)).then(|| Value::from(made));
                    }
                    // An ambiguous date stays as the page writes it, if any text is allowed.
                    (_, None) if shape.format.is_none() => {
                        return text_within(claimed, words).map(Value::from);
                    }
                    _ => return None,
                }
            }
            // A currency code for a sign, or a word of the schema for a phrase.
            let forms: &[ValueForm] = match target.form {
                ValueForm::Currency | ValueForm::CurrencyCode => {
                    &[ValueForm::Currency, ValueForm::CurrencyCode]
                }
                ValueForm::Availability => &[ValueForm::Availability],
                _ => &[],
            };
            let made = |form: &ValueForm| normalise(words, *form, shape, NumberStyle::Prose);
            if let Some(made) = forms.iter().filter_map(made).find(|made| made == value) {
                return Some(made);
            }
            // A price becomes a decimal number; other texts stay as on the page.
            if target.form == ValueForm::Price
                && let Some(number) = claimed_number(claimed)
            {
                return find_number(found.text, &found.range, number).map(|made| Value::from(made.decimal));
            }
            if is_number(claimed) {
                return find_number(found.text, &found.range, claimed_number(claimed)?)
                    .map(|made| Value::from(made.written));
            }
            let text = text_within(claimed, words)?;
            if is_label(target, &text, found) {
                return None;
            }
            is_complete_token(found.text, &found.range, &text).then(|| Value::from(text))
        }
        ShapeKind::Object(_) | ShapeKind::List(_) => None,
    }
}

/// Whether a claim is only a number.
fn is_number(claimed: &str) -> bool {
    claimed.chars().all(|found| found.is_ascii_digit() || matches!(found, '.' | '-'))
        && claimed.parse::<f64>().is_ok()
}

/// Whether the text is only the label before the value: `Brand` of `Brand: Acme` or of `| Brand | Acme |`.
fn is_label(target: &TargetField<'_>, text: &str, found: &QuotedText<'_>) -> bool {
    if !target.has_name(&crate::bind::folded(text)) {
        return false;
    }
    let behind = found.text.get(found.range.end..).unwrap_or_default().trim_start_matches([' ', '*', '_']);
    let quoted = found.words().trim_end().ends_with([':', '：']);
    let in_row = || found.line.trim_start().starts_with('|');
    quoted || behind.starts_with([':', '：']) || (behind.starts_with('|') && in_row())
}

/// What a text states about a property with a limited set of values.
fn statement(target: &TargetField<'_>, text: &str) -> Option<Value> {
    let named = || (target.shape.kind == ShapeKind::Boolean).then(|| stated_by_name(target, text)).flatten();
    normalise(text, target.form, target.shape, NumberStyle::Prose).or_else(named)
}

/// "Free wifi" states `wifi`, "no wifi" negates it.
fn stated_by_name(target: &TargetField<'_>, words: &str) -> Option<Value> {
    let lower = words.to_lowercase();
    let text_words: Vec<&str> =
        lower.split(|found: char| !found.is_alphanumeric() && found != '\'').collect();
    let named = crate::bind::words(target.name)
        .into_iter()
        .filter(|word| !matches!(word.as_str(), "has" | "is" | "have" | "with" | "can" | "are" | "does"))
        .any(|word| {
            text_words
                .iter()
                .any(|own| own.starts_with(word.as_str()) || (own.len() > 3 && word.starts_with(own)))
        });
    named.then(|| Value::Bool(!is_negated(words)))
}

/// The part of the page's words that the claim repeats, as the page writes it.
fn text_within(claimed: &str, words: &str) -> Option<String> {
    let folded = FoldedText::new(words);
    let span = folded.find(claimed, 0)?;
    let found = words.get(span)?;
    // Marks at the edges are Markdown syntax, not text.
    let found = found.trim_matches(|found: char| {
        found.is_whitespace() || matches!(found, '*' | '_' | '`' | '|' | '#' | '[' | ']' | '>')
    });
    Some(fold_spaces(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Field, Shape};
    use serde_json::json;

    #[test]
    fn claims_pass_only_with_proof() {
        let markdown = "# Red *cup*\n\nPrice: £1,299.00 (was £1,500)\n\
            Released 4 March 2021. No wifi, free parking.\n\
            Sold out. [More](L0)\n2.5 million sold\nShipping 12.50 €\nStore at -5 °C\n\
            [Blue jug](/p/1299) is not in stock\nBreakfast not included\n[Old](/2021/03/05/)\n\n\
            | Spa | No |\n| Gym | Yes |\n| Sauna | 9 rooms |\n\nPool ✗\n- [ ] Garage\n\n**Pets**\n\nNo\n\n\
            Smoking prohibited\nWrite to sales.info@shop.example or call +44 20 7946 0958 or 555-1234\n\
            1 1/2 kg at minus 6 degrees on 03/04/2021";
        let base = "https://x.example/".parse().unwrap();
        let mut links = LinkTable::default();
        links.replace("[More](/more)", &base);
        let mut verifier = ClaimVerifier::new(markdown, &links);
        let text = json!({"type":"string"});
        let number = json!({"type":"number"});
        let boolean = json!({"type":"boolean"});
        let rows = [
            ("title", &text, json!("red cup"), Some("Red cup"), Ok(json!("Red cup"))),
            ("title", &text, json!("Blue cup"), Some("Red cup"), Err(MissingReason::NotInQuote)),
            ("title", &text, json!("Blue cup"), Some("Blue cup"), Err(MissingReason::QuoteNotOnPage)),
            ("title", &text, json!("Blue cup"), None, Err(MissingReason::QuoteNotOnPage)),
            ("price", &number, json!(1299.0), Some("Price: £1,299.00"), Ok(json!(1299))),
            ("price", &number, json!(1298), Some("Price: £1,299.00"), Err(MissingReason::NotInQuote)),
            ("price", &text, json!("1299"), Some("Price: £1,299.00"), Ok(json!("1299.00"))),
            ("sold_count", &number, json!(2_500_000), Some("2.5 million sold"), Ok(json!(2_500_000))),
            (
                "releaseDate",
                &json!({"type":"string","format":"date"}),
                json!("2021-03-04"),
                Some("Released 4 March 2021"),
                Ok(json!("2021-03-04")),
            ),
            (
                "releaseDate",
                &json!({"type":"string","format":"date"}),
                json!("2021-03-05"),
                Some("Released 4 March 2021"),
                Err(MissingReason::NotInQuote),
            ),
            ("hasWifi", &boolean, json!(false), Some("No wifi"), Ok(json!(false))),
            ("hasWifi", &boolean, json!(true), Some("No wifi"), Err(MissingReason::NotInQuote)),
            ("freeParking", &boolean, json!(true), Some("free parking"), Ok(json!(true))),
            ("freeParking", &boolean, json!(true), None, Err(MissingReason::NoQuote)),
            (
                "availability",
                &json!({"enum":["InStock","OutOfStock"]}),
                json!("OutOfStock"),
                Some("Sold out"),
                Ok(json!("OutOfStock")),
            ),
            (
                "availability",
                &json!({"enum":["InStock","OutOfStock"]}),
                json!("InStock"),
                Some("Sold out"),
                Err(MissingReason::NotInQuote),
            ),
            // Parts of numbers.
            ("price", &number, json!(299), Some("299"), Err(MissingReason::NotInQuote)),
            ("price", &number, json!(1), Some("1"), Err(MissingReason::NotInQuote)),
            ("price", &text, json!("299"), Some("299"), Err(MissingReason::NotInQuote)),
            ("code", &text, json!("299"), None, Err(MissingReason::NotInQuote)),
            ("price", &number, json!(50), Some("50"), Err(MissingReason::NotInQuote)),
            ("price", &number, json!(50), None, Err(MissingReason::NotInQuote)),
            ("price", &number, json!(12.5), Some("12.50 €"), Ok(json!(12.5))),
            ("temperature", &number, json!(5), Some("5 °C"), Err(MissingReason::NotInQuote)),
            ("temperature", &number, json!(-5), Some("-5 °C"), Ok(json!(-5))),
            ("sold_count", &number, json!(2.5), Some("2.5 million sold"), Err(MissingReason::NotInQuote)),
            // Quotes that leave out the negation.
            ("hasWifi", &boolean, json!(true), Some("wifi"), Err(MissingReason::NotInQuote)),
            ("breakfastIncluded", &boolean, json!(true), Some("included"), Err(MissingReason::NotInQuote)),
            ("meals", &boolean, json!(true), Some("included"), Err(MissingReason::NotInQuote)),
            (
                "availability",
                &json!({"enum":["InStock","OutOfStock"]}),
                json!("InStock"),
                Some("in stock"),
                Err(MissingReason::NotInQuote),
            ),
            ("availability", &text, json!("in stock"), Some("in stock"), Err(MissingReason::NotInQuote)),
            (
                "condition",
                &json!({"enum":["included","extra"]}),
                json!("included"),
                Some("included"),
                Err(MissingReason::NotInQuote),
            ),
            // Names with an answer next to them.
            ("spa", &boolean, json!(true), Some("Spa"), Err(MissingReason::NotInQuote)),
            ("spa", &boolean, json!(false), Some("Spa"), Ok(json!(false))),
            ("gym", &boolean, json!(true), Some("Gym"), Ok(json!(true))),
            ("sauna", &boolean, json!(true), Some("Sauna"), Err(MissingReason::NotInQuote)),
            ("pool", &boolean, json!(true), Some("Pool"), Err(MissingReason::NotInQuote)),
            ("pool", &boolean, json!(true), Some("Pool ✗"), Err(MissingReason::NotInQuote)),
            ("garage", &boolean, json!(true), Some("Garage"), Err(MissingReason::NotInQuote)),
            ("petsAllowed", &boolean, json!(true), Some("Pets"), Err(MissingReason::NotInQuote)),
            (
                "smokingAllowed",
                &boolean,
                json!(true),
                Some("Smoking prohibited"),
                Err(MissingReason::NotInQuote),
            ),
            // Labels.
            ("price", &text, json!("Price"), Some("Price"), Err(MissingReason::NotInQuote)),
            ("price", &text, json!("Price"), Some("Price:"), Err(MissingReason::NotInQuote)),
            ("gym", &text, json!("Gym"), None, Err(MissingReason::NotInQuote)),
            // Parts of longer tokens.
            ("email", &text, json!("info@shop.example"), None, Err(MissingReason::NotInQuote)),
            ("email", &text, json!("sales.info@shop.example"), None, Ok(json!("sales.info@shop.example"))),
            ("phone", &text, json!("7946 0958"), None, Err(MissingReason::NotInQuote)),
            ("phone", &text, json!("+44 20 7946 0958"), None, Ok(json!("+44 20 7946 0958"))),
            ("extension", &number, json!(1234), Some("1234"), Err(MissingReason::NotInQuote)),
            ("weight", &number, json!(2), Some("2 kg"), Err(MissingReason::NotInQuote)),
            ("degrees", &number, json!(6), Some("6 degrees"), Err(MissingReason::NotInQuote)),
            ("degrees", &number, json!(6), Some("minus 6 degrees"), Err(MissingReason::NotInQuote)),
            ("degrees", &number, json!(-6), Some("minus 6 degrees"), Ok(json!(-6))),
            // Forms that a normaliser makes, and ambiguous dates.
            ("currency", &text, json!("EUR"), Some("12.50 €"), Ok(json!("EUR"))),
            ("eventDate", &text, json!("03/04/2021"), Some("on 03/04/2021"), Ok(json!("03/04/2021"))),
            // Addresses that a reader does not see.
            ("price", &number, json!(1299), Some("Blue jug"), Err(MissingReason::NotInQuote)),
            ("price", &number, json!(1299), Some("Blue jug is not in stock"), Err(MissingReason::NotInQuote)),
            (
                "releaseDate",
                &json!({"type":"string","format":"date"}),
                json!("2021-03-05"),
                Some("Old"),
                Err(MissingReason::NotInQuote),
            ),
            ("title", &text, json!("Blue jug"), None, Ok(json!("Blue jug"))),
            ("url", &text, json!("L0"), None, Ok(json!("https://x.example/more"))),
            ("url", &text, json!("https://evil.example/"), Some("More"), Err(MissingReason::QuoteNotOnPage)),
            ("title", &text, json!({"deep": 1}), Some("Red cup"), Err(MissingReason::WrongType)),
        ];
        for (name, schema, value, quote, expected) in rows {
            let field =
                Field { name: name.to_owned(), shape: Shape::from_schema(schema).unwrap(), required: false };
            let target = TargetField::new(format!("/{name}"), Vec::new(), &field);
            let outcome = match verifier.verify(&target, &value, quote, 0) {
                ClaimOutcome::Verified { value, .. } => Ok(value),
                ClaimOutcome::Refused(reason) => Err(reason),
            };
            assert_eq!(outcome, expected, "{name} {value} {quote:?}");
        }
    }
}
