//! The declared normalisers: the only functions that turn a text of the page into a value of the result.
//!
//! They are few and simple, so that a reader can check them. The verifier derives every value of a model's
//! claim with them, and extraction without a model uses the same ones: no value can come out that a
//! normaliser does not make from a text of the page.

use serde_json::{Number, Value};

use crate::bind::letters;
use crate::schema::{Shape, ShapeKind};
use crate::typed::{
    DAY_BYTES, Money, NumberStyle, StockState, amounts, count, currency_code, currency_sign, date, decimal,
    duration, email, gtin, is_currency_sign, is_name, is_place, is_plain, is_term, iso_duration, minutes,
    moment, money_amounts, only_duration, phone, rating, stock, strip_affixes, yes_no,
};

/// Words that programs write for a missing or a boolean value. They are no text.
const DATA_WORDS: [&str; 6] = ["true", "false", "null", "undefined", "nan", "[object object]"];

/// How a text is read, in addition to the type that the schema requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueForm {
    Text,
    Price,
    Currency,
    /// Like [`ValueForm::Currency`], as an ISO 4217 code.
    CurrencyCode,
    Code,
    Gtin,
    Availability,
    Url,
    Date,
    Number,
    Email,
    Phone,
    /// A length of time. As a number, in minutes unless the schema's description asks for seconds.
    Duration,
    /// A date with its time of day, if one is stated.
    Moment,
    /// A score such as `4.5`, without its scale.
    Rating,
    /// A whole number of things.
    Count,
    /// An address or the name of a place.
    Place,
    /// Names of persons or organisations.
    Names,
    /// A short term such as `Full-time`.
    Term,
}

/// The value that a text states for a field of the schema; `None` if it states none.
///
/// `style` says whether the text was written for people or for programs.
pub(crate) fn normalise(text: &str, form: ValueForm, shape: &Shape, style: NumberStyle) -> Option<Value> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    if !shape.choices.is_empty() {
        return choice(text, form, shape);
    }
    match shape.kind {
        ShapeKind::Number | ShapeKind::Integer => {
            let written = number_in(text, form, shape, style)?;
            number(&written, shape.kind == ShapeKind::Integer)
        }
        ShapeKind::Boolean => boolean(text, form).map(Value::Bool),
        ShapeKind::Text | ShapeKind::Any => string(text, form, shape, style).map(Value::String),
        ShapeKind::Object(_) | ShapeKind::List(_) => None,
    }
}

fn number_in(text: &str, form: ValueForm, shape: &Shape, style: NumberStyle) -> Option<String> {
    match form {
        ValueForm::Price => price(text, style),
        ValueForm::Duration => duration_number(text, shape).or_else(|| lone_number(text, style)),
        ValueForm::Rating => score(text, style),
        ValueForm::Count => count(text).map(|found| found.value.to_string()),
        _ => decimal(text, style),
    }
}

/// A duration in minutes, or in seconds if the schema's description says so.
fn duration_number(text: &str, shape: &Shape) -> Option<String> {
    let seconds = duration(text)?;
    let in_seconds = shape.description.to_lowercase().contains("second");
    Some(if in_seconds { seconds.to_string() } else { minutes(seconds) })
}

/// The score of a rating; a text that is only a number is one too.
fn score(text: &str, style: NumberStyle) -> Option<String> {
    rating(text).map(|found| found.value).or_else(|| lone_number(text, style))
}

/// The number of a text that has nothing else.
fn lone_number(text: &str, style: NumberStyle) -> Option<String> {
    let is_lone = text.chars().all(|found| found.is_numeric() || matches!(found, '.' | ',' | '٫'));
    is_lone.then(|| decimal(text, style)).flatten()
}

/// The only amount in a text or, if there are several, the only one with a currency.
pub(crate) fn price(text: &str, style: NumberStyle) -> Option<String> {
    if style == NumberStyle::Data
        && let Some(found) = decimal(text, style)
    {
        return Some(found);
    }
    let found: Vec<_> = money_amounts(text).take(8).collect();
    match found.as_slice() {
        [only] => Some(only.decimal.clone()),
        // A range starts with the lowest price.
        [low, high] if low.currency.is_some() || high.currency.is_some() => {
            let ranges = is_range(text.get(low.range.end..high.range.start).unwrap_or_default());
            let value = |decimal: &str| decimal.parse::<f64>().unwrap_or(f64::NAN);
            (ranges && value(&low.decimal) < value(&high.decimal))
                .then(|| low.decimal.clone())
                .or_else(|| only_with_currency(&found))
        }
        several => only_with_currency(several),
    }
}

/// Whether the text between two amounts makes them a range.
pub(crate) fn is_range(between: &str) -> bool {
    matches!(between.trim(), "-" | "–" | "—" | "~" | "to" | "bis" | "à" | "až")
}

/// The only amount with a currency.
fn only_with_currency(amounts: &[Money]) -> Option<String> {
    let mut with_currency = amounts.iter().filter(|money| money.currency.is_some());
    let first = with_currency.next()?;
    with_currency.all(|other| other.decimal == first.decimal).then(|| first.decimal.clone())
}

fn number(written: &str, whole: bool) -> Option<Value> {
    let value: f64 = written.parse().ok()?;
    // Above 2^53 a float cannot represent every whole number.
    if value.fract() == 0.0 && value.abs() < 9e15 {
        let text = written.split('.').next().unwrap_or(written);
        return text.parse::<i64>().ok().map(Value::from);
    }
    if whole { None } else { Number::from_f64(value).map(Value::Number) }
}

fn string(text: &str, form: ValueForm, shape: &Shape, style: NumberStyle) -> Option<String> {
    match form {
        ValueForm::Price => price(text, style),
        ValueForm::Currency => currency_sign(text).map(str::to_owned),
        ValueForm::CurrencyCode => currency_code(text).map(str::to_owned),
        ValueForm::Gtin => gtin(text),
        ValueForm::Availability => stock(text).map(|stock| stock.name().to_owned()),
        ValueForm::Email => email(text),
        ValueForm::Phone => phone(text),
        ValueForm::Date => dated(text, shape, false),
        ValueForm::Moment => dated(text, shape, true),
        ValueForm::Url => is_url(text).then(|| text.to_owned()),
        ValueForm::Code => code(text),
        ValueForm::Number => amounts(text, style).next().map(|found| found.decimal),
        ValueForm::Duration => duration_text(text, shape),
        ValueForm::Rating => score(text, style),
        ValueForm::Count => count(text).map(|found| found.value.to_string()),
        ValueForm::Place => bare(text).filter(|bare| is_place(bare)).map(fold_spaces),
        ValueForm::Names => bare(text).filter(|bare| is_name(bare)).map(|bare| once(&fold_spaces(bare))),
        ValueForm::Term => is_term(text).then(|| fold_spaces(text)),
        ValueForm::Text => plain_text(text, shape),
    }
}

/// A name that is written twice, as under a portrait and beside it, once. `Duran Duran` stays.
fn once(name: &str) -> String {
    let words: Vec<&str> = name.split(' ').collect();
    let (first, second) = words.split_at(words.len() / 2);
    if first.len() > 1 && first == second { first.join(" ") } else { name.to_owned() }
}

fn plain_text(text: &str, shape: &Shape) -> Option<String> {
    match shape.format.as_deref() {
        Some("date") => dated(text, shape, false),
        Some("date-time") => dated(text, shape, true),
        Some("duration") => duration_text(text, shape),
        Some("email") => email(text),
        Some("uri" | "url") => is_url(text).then(|| text.to_owned()),
        // A template placeholder that was never filled in.
        _ if text.contains("{{")
            || text.contains("${")
            || text.starts_with('$')
                && !text.contains(' ')
                && !text.contains(|found: char| found.is_ascii_digit()) =>
        {
            None
        }
        _ if shape.kind == ShapeKind::Text && is_data_word(text) => None,
        _ => Some(fold_spaces(text)),
    }
}

fn is_data_word(text: &str) -> bool {
    DATA_WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A date; with its time of day if `with_time`, but never for the format `date`.
fn dated(text: &str, shape: &Shape, with_time: bool) -> Option<String> {
    match shape.format.as_deref() {
        Some("date") => date(text)?.get(..DAY_BYTES).map(str::to_owned),
        Some("date-time") => moment(text),
        _ if with_time => moment(text),
        _ => date(text),
    }
}

/// A duration as the page writes it, or in the form of ISO 8601 for the format `duration`.
fn duration_text(text: &str, shape: &Shape) -> Option<String> {
    let found = only_duration(text)?;
    if shape.format.as_deref() == Some("duration") {
        return Some(iso_duration(found.seconds));
    }
    text.get(found.range).map(fold_spaces)
}

/// The text without a label before it and a control behind it, if people wrote it.
fn bare(text: &str) -> Option<&str> {
    text.get(strip_affixes(text)).filter(|bare| is_plain(bare))
}

/// Whether the text is a URL or a path.
fn is_url(text: &str) -> bool {
    !text.contains(char::is_whitespace) && (text.contains('/') || text.contains('.'))
}

/// An identifier: one to four words with a digit in one of them, and not an amount of money.
fn code(text: &str) -> Option<String> {
    let text = text.trim_matches(|found: char| !found.is_alphanumeric());
    let words = text.split_whitespace().count();
    // `3 SUISSES` is a name; `GARNI 570 EASY` is a code.
    let numbered = |word: &str| {
        (words == 1 || word.chars().count() >= 3) && word.chars().any(|found| found.is_ascii_digit())
    };
    let coded = text.split_whitespace().any(numbered);
    ((1..=4).contains(&words)
        && text.chars().count() <= 64
        && coded
        && !text.contains(',')
        && !text.contains(is_currency_sign)
        && !text.contains("://"))
    .then(|| fold_spaces(text))
}

/// Folds white space to single spaces.
pub(crate) fn fold_spaces(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The value among the schema's choices that a text names.
fn choice(text: &str, form: ValueForm, shape: &Shape) -> Option<Value> {
    let bare = |text: &str| letters(text.trim().rsplit(['/', '#']).next().unwrap_or_default());
    let wanted = bare(text);
    let exact = shape.choices.iter().find(|choice| match choice {
        Value::String(name) => bare(name) == wanted,
        Value::Number(number) => number.to_string() == text,
        Value::Bool(flag) => flag.to_string() == text,
        _ => false,
    });
    if let Some(found) = exact {
        return Some(found.clone());
    }
    let state = stock(text);
    if form == ValueForm::Availability
        || shape.choices.iter().all(|choice| choice.as_str().and_then(stock).is_some())
    {
        let state = state?;
        let named = |fits: &dyn Fn(StockState) -> bool| {
            shape.choices.iter().find(|choice| choice.as_str().and_then(stock).is_some_and(fits)).cloned()
        };
        // If the schema distinguishes fewer states than the page, only whether the thing can be ordered
        // counts.
        return named(&|choice| choice == state)
            .or_else(|| named(&|choice| choice.is_orderable() == state.is_orderable()));
    }
    if matches!(form, ValueForm::Currency | ValueForm::CurrencyCode)
        && let Some(code) = currency_code(text)
    {
        return shape.choices.iter().find(|choice| choice.as_str() == Some(code)).cloned();
    }
    // A phrase that contains one of the choices and no other.
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|found: char| !found.is_alphanumeric()).collect();
    let mut named = shape.choices.iter().filter(|choice| {
        choice.as_str().is_some_and(|name| {
            let name = name.to_lowercase();
            let parts: Vec<&str> = name.split(|found: char| !found.is_alphanumeric()).collect();
            !parts.is_empty() && words.windows(parts.len()).any(|window| window == parts.as_slice())
        })
    });
    let first = named.next()?;
    named.next().is_none().then(|| first.clone())
}

fn boolean(text: &str, form: ValueForm) -> Option<bool> {
    let lower = text.to_lowercase();
    let lower = lower.trim();
    if form == ValueForm::Availability {
        return stock(text).map(StockState::is_orderable).or_else(|| yes_no(lower));
    }
    yes_no(lower)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shape(schema: Value) -> Shape {
        Shape::from_schema(&schema).unwrap()
    }

    #[test]
    fn a_text_becomes_the_value_that_it_states() {
        let rows = [
            ("£1,299.00", ValueForm::Price, json!({"type":"string"}), json!("1299.00")),
            ("£1,299.00", ValueForm::Price, json!({"type":"number"}), json!(1299)),
            ("Was 20 now £15", ValueForm::Price, json!({"type":"number"}), json!(15)),
            ("£20 £15", ValueForm::Price, json!({"type":"number"}), Value::Null),
            ("£15 – £20", ValueForm::Price, json!({"type":"number"}), json!(15)),
            ("£20 - £15", ValueForm::Price, json!({"type":"number"}), Value::Null),
            ("4.5", ValueForm::Number, json!({"type":"integer"}), Value::Null),
            ("about 12 people", ValueForm::Number, json!({"type":"integer"}), json!(12)),
            (
                "http://schema.org/InStock",
                ValueForm::Availability,
                json!({"enum":["InStock","OutOfStock"]}),
                json!("InStock"),
            ),
            ("Sold out", ValueForm::Text, json!({"enum":["in_stock","out_of_stock"]}), json!("out_of_stock")),
            ("in very good condition", ValueForm::Text, json!({"enum":["good","bad"]}), json!("good")),
            ("good or bad", ValueForm::Text, json!({"enum":["good","bad"]}), Value::Null),
            ("ja", ValueForm::Text, json!({"type":"boolean"}), json!(true)),
            ("perhaps", ValueForm::Text, json!({"type":"boolean"}), Value::Null),
            ("March 4, 2021", ValueForm::Text, json!({"type":"string","format":"date"}), json!("2021-03-04")),
            ("a  b\nc", ValueForm::Text, json!({"type":"string"}), json!("a b c")),
            ("true", ValueForm::Text, json!({"type":"string"}), Value::Null),
        ];
        for (text, form, schema, expected) in rows {
            let value = normalise(text, form, &shape(schema), NumberStyle::Prose);
            assert_eq!(value.unwrap_or(Value::Null), expected, "{text}");
        }
    }

    #[test]
    fn typed_forms_give_clean_values() {
        let text = json!({"type":"string"});
        let number = json!({"type":"number"});
        let day = json!({"type":"string","format":"date"});
        let iso = json!({"type":"string","format":"duration"});
        let seconds = json!({"type":"integer","description":"Length in seconds"});
        let evening = "4 March 2021, 19:30";
        let rows = [
            ("Total time: 1 hr  30 min", ValueForm::Duration, &text, json!("1 hr 30 min")),
            ("1 hr 30 min", ValueForm::Duration, &iso, json!("PT1H30M")),
            ("1 hr 30 min", ValueForm::Duration, &number, json!(90)),
            ("90 s", ValueForm::Duration, &number, Value::Null),
            ("90 seconds", ValueForm::Duration, &number, json!(1.5)),
            ("2 min", ValueForm::Duration, &seconds, json!(120)),
            ("3 hours ago", ValueForm::Duration, &text, Value::Null),
            (evening, ValueForm::Moment, &text, json!("2021-03-04T19:30:00")),
            (evening, ValueForm::Moment, &day, json!("2021-03-04")),
            (evening, ValueForm::Date, &text, json!("2021-03-04")),
            ("2021-03-04T10:00:00Z", ValueForm::Date, &day, json!("2021-03-04")),
            ("4,5 von 5 Sternen", ValueForm::Rating, &number, json!(4.5)),
            ("4.5", ValueForm::Rating, &text, json!("4.5")),
            ("in 2021", ValueForm::Rating, &text, Value::Null),
            ("1.2k reviews", ValueForm::Count, &number, json!(1_200)),
            ("(1,234)", ValueForm::Count, &text, json!("1234")),
            ("Location: 1 Long St, Berlin", ValueForm::Place, &text, json!("1 Long St, Berlin")),
            ("9:30am GMT+8", ValueForm::Place, &text, Value::Null),
            ("Written by Ada  Holm", ValueForm::Names, &text, json!("Ada Holm")),
            ("Ada Holm Ada Holm", ValueForm::Names, &text, json!("Ada Holm")),
            ("Duran Duran", ValueForm::Names, &text, json!("Duran Duran")),
            ("Full-time", ValueForm::Term, &text, json!("Full-time")),
        ];
        for (text, form, schema, expected) in rows {
            let value = normalise(text, form, &shape(schema.clone()), NumberStyle::Prose);
            assert_eq!(value.unwrap_or(Value::Null), expected, "{form:?} {text}");
        }
        let shape = shape(text.clone());
        for machine in ["job-save-button", "true", "undefined", "null", "{{x}}", "30am"] {
            for form in [ValueForm::Names, ValueForm::Place, ValueForm::Term] {
                assert_eq!(normalise(machine, form, &shape, NumberStyle::Prose), None, "{machine}");
            }
        }
    }
}
