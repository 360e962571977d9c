use std::ops::Range;

use serde_json::Value;

use super::{Folded, LinkTable};
use crate::bind::Want;
use crate::leaf::Reason;
use crate::normalise::{Form, fold, normalise};
use crate::schema::{Shape, ShapeKind};
use crate::typed::{Reading, amounts, date};

/// Claims of one answer that are looked at; further ones are refused.
pub const MAX_CLAIMS: usize = 20_000;

/// What became of a claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// The value that the normaliser made, with the words of the page and their place in the Markdown.
    Proved { value: Value, quote: String, span: Range<usize> },
    /// Why not.
    Refused(Reason),
}

/// The page that claims are held against.
#[derive(Debug)]
pub(crate) struct Gate<'p> {
    markdown: &'p str,
    folded: Folded,
    links: &'p LinkTable,
    claims: usize,
}

/// Words that turn a statement into its opposite.
const NEGATIONS: [&str; 22] = [
    "no", "not", "non", "without", "never", "none", "isn't", "aren't", "doesn't", "don't", "kein", "keine",
    "nicht", "ohne", "sans", "pas", "sin", "senza", "geen", "niet", "bez", "нет",
];

impl<'p> Gate<'p> {
    pub(crate) fn new(markdown: &'p str, links: &'p LinkTable) -> Self {
        Self { markdown, folded: Folded::new(markdown), links, claims: 0 }
    }

    /// Holds a claim against the page. `from` is where in the Markdown to look first.
    pub(crate) fn judge(
        &mut self,
        want: &Want<'_>,
        value: &Value,
        quote: Option<&str>,
        from: usize,
    ) -> Outcome {
        self.claims += 1;
        if self.claims > MAX_CLAIMS {
            return Outcome::Refused(Reason::Unsure);
        }
        if value.is_null() {
            return Outcome::Refused(Reason::NotFound);
        }
        if value.is_object() || value.is_array() {
            return Outcome::Refused(Reason::WrongType);
        }
        let said = match value {
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        if said.is_empty() {
            return Outcome::Refused(Reason::NotFound);
        }
        // An address is one of the page's links or nothing.
        if want.form == Form::Url && want.shape.choices.is_empty() {
            return match self.links.resolve(&said) {
                Some(url) => {
                    let at = quote.and_then(|quote| self.folded.find(quote, from)).unwrap_or(from..from);
                    Outcome::Proved { value: Value::from(url), quote: url.to_owned(), span: at }
                }
                None => Outcome::Refused(Reason::QuoteNotOnPage),
            };
        }
        // A value in the page's own words is its own quote.
        let quote = quote.map(str::trim).filter(|quote| !quote.is_empty());
        let Some(quote) = quote.or_else(|| (want.shape.kind != ShapeKind::Boolean).then_some(said.as_str()))
        else {
            return Outcome::Refused(Reason::NoQuote);
        };
        let Some(span) = self.folded.find(quote, from) else {
            return Outcome::Refused(Reason::QuoteNotOnPage);
        };
        let words = self.markdown.get(span.clone()).unwrap_or_default();
        match derive(want, value, &said, words) {
            Some(value) => Outcome::Proved { value, quote: words.trim().to_owned(), span },
            None => Outcome::Refused(Reason::NotInQuote),
        }
    }
}

/// The value that follows from the page's words, where it is the one that was claimed.
fn derive(want: &Want<'_>, claimed: &Value, said: &str, words: &str) -> Option<Value> {
    let shape = want.shape;
    if !shape.choices.is_empty() {
        return normalise(words, want.form, shape, Reading::Prose).filter(|made| made == claimed);
    }
    match shape.kind {
        ShapeKind::Number | ShapeKind::Integer => number(shape, said, words),
        ShapeKind::Boolean => {
            let stated =
                normalise(words, want.form, shape, Reading::Prose).or_else(|| stated_by_name(want, words));
            stated.filter(|made| made == claimed)
        }
        ShapeKind::Text | ShapeKind::Any => {
            if want.form == Form::Date || matches!(shape.format.as_deref(), Some("date" | "date-time")) {
                let made = date(words)?;
                let meant = date(said)?;
                return (made.get(..10) == meant.get(..10)).then(|| Value::from(made));
            }
            if want.form == Form::Price || said.parse::<f64>().is_ok() {
                let meant: f64 = said
                    .parse()
                    .ok()
                    .or_else(|| amounts(said, Reading::Prose).next()?.decimal.parse().ok())?;
                let made = amounts(words, Reading::Prose)
                    .find(|made| made.decimal.parse::<f64>().is_ok_and(|found| close(found, meant)));
                if let Some(made) = made {
                    // A price comes out as a decimal number; other texts as the page has them.
                    let text = if want.form == Form::Price {
                        made.decimal
                    } else {
                        words.get(made.range)?.to_owned()
                    };
                    return Some(Value::from(text));
                }
            }
            text_within(said, words).map(Value::from)
        }
        ShapeKind::Object(_) | ShapeKind::List(_) => None,
    }
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= left.abs().max(right.abs()) * 1e-9
}

/// The number of the page's words that was claimed.
fn number(shape: &Shape, said: &str, words: &str) -> Option<Value> {
    let meant: f64 =
        said.parse().ok().or_else(|| amounts(said, Reading::Prose).next()?.decimal.parse().ok())?;
    for made in amounts(words, Reading::Prose) {
        let found: f64 = made.decimal.parse().ok()?;
        let after = words.get(made.range.end..).unwrap_or_default().trim_start().to_lowercase();
        // `1.2 million` is 1,200,000.
        let scale = [("million", 1e6), ("mio", 1e6), ("billion", 1e9), ("bn", 1e9), ("thousand", 1e3)]
            .iter()
            .find(|(word, _)| after.starts_with(word))
            .map(|(_, scale)| *scale);
        let scaled = scale.map(|scale| found * scale).filter(|scaled| close(*scaled, meant));
        if let Some(value) = scaled.or_else(|| close(found, meant).then_some(found)) {
            let text = if scaled.is_some() { format!("{value}") } else { made.decimal };
            return normalise(&text, Form::Number, shape, Reading::Data);
        }
    }
    None
}

/// "Free wifi" states `wifi`, "no wifi" states its opposite.
fn stated_by_name(want: &Want<'_>, words: &str) -> Option<Value> {
    let lower = words.to_lowercase();
    let said: Vec<&str> = lower.split(|found: char| !found.is_alphanumeric() && found != '\'').collect();
    let named = crate::bind::words(want.name)
        .into_iter()
        .filter(|word| !matches!(word.as_str(), "has" | "is" | "have" | "with" | "can" | "are" | "does"))
        .any(|word| {
            said.iter().any(|own| own.starts_with(word.as_str()) || (own.len() > 3 && word.starts_with(own)))
        });
    let denied = said.iter().any(|word| NEGATIONS.contains(word));
    named.then_some(Value::Bool(!denied))
}

/// The part of the page's words that the claim repeats, as the page writes it.
fn text_within(said: &str, words: &str) -> Option<String> {
    let here = Folded::new(words);
    let span = here.find(said, 0)?;
    let found = words.get(span)?;
    // Marks at the edges belong to Markdown, not to the text.
    let found = found.trim_matches(|found: char| {
        found.is_whitespace() || matches!(found, '*' | '_' | '`' | '|' | '#' | '[' | ']' | '>')
    });
    Some(fold(&strip_marks(found)))
}

/// Markdown's marks taken out of a piece of text.
fn strip_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.chars().next() {
        let after = rest.get(found.len_utf8()..).unwrap_or_default();
        match found {
            ']' if after.starts_with('(') => {
                let end = after.find(')').map_or(after.len(), |end| end + 1);
                rest = after.get(end..).unwrap_or_default();
                continue;
            }
            '*' | '`' | '[' | ']' => {}
            '\\' => {
                out.extend(after.chars().next());
                rest = after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
                continue;
            }
            other => out.push(other),
        }
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Field;
    use serde_json::json;

    #[test]
    fn claims_pass_only_with_proof() {
        let markdown = "# Red *cup*\n\nPrice: £1,299.00 (was £1,500)\nReleased 4 March 2021. No wifi, free parking.\nSold out. [More](L0)\n2.5 million sold";
        let base = "https://x.example/".parse().unwrap();
        let mut links = LinkTable::default();
        links.replace("[More](/more)", &base);
        let mut gate = Gate::new(markdown, &links);
        let text = json!({"type":"string"});
        let number = json!({"type":"number"});
        let boolean = json!({"type":"boolean"});
        let rows = [
            ("title", &text, json!("red cup"), Some("Red cup"), Ok(json!("Red cup"))),
            ("title", &text, json!("Blue cup"), Some("Red cup"), Err(Reason::NotInQuote)),
            ("title", &text, json!("Blue cup"), Some("Blue cup"), Err(Reason::QuoteNotOnPage)),
            ("title", &text, json!("Blue cup"), None, Err(Reason::QuoteNotOnPage)),
            ("price", &number, json!(1299.0), Some("Price: £1,299.00"), Ok(json!(1299))),
            ("price", &number, json!(1298), Some("Price: £1,299.00"), Err(Reason::NotInQuote)),
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
                Err(Reason::NotInQuote),
            ),
            ("hasWifi", &boolean, json!(false), Some("No wifi"), Ok(json!(false))),
            ("hasWifi", &boolean, json!(true), Some("No wifi"), Err(Reason::NotInQuote)),
            ("freeParking", &boolean, json!(true), Some("free parking"), Ok(json!(true))),
            ("freeParking", &boolean, json!(true), None, Err(Reason::NoQuote)),
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
                Err(Reason::NotInQuote),
            ),
            ("url", &text, json!("L0"), None, Ok(json!("https://x.example/more"))),
            ("url", &text, json!("https://evil.example/"), Some("More"), Err(Reason::QuoteNotOnPage)),
            ("title", &text, json!({"deep": 1}), Some("Red cup"), Err(Reason::WrongType)),
        ];
        for (name, schema, value, quote, expected) in rows {
            let field =
                Field { name: name.to_owned(), shape: Shape::from_schema(schema).unwrap(), required: false };
            let want = Want::new(format!("/{name}"), Vec::new(), &field);
            let outcome = match gate.judge(&want, &value, quote, 0) {
                Outcome::Proved { value, .. } => Ok(value),
                Outcome::Refused(reason) => Err(reason),
            };
            assert_eq!(outcome, expected, "{name} {value} {quote:?}");
        }
    }
}
