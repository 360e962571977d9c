//! What a page shows to its readers.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::date::{Day, days, moment};
use super::duration::{duration, durations};
use super::form::{Form, digits, gtin, image_stem, signs};
use super::number::{key, number, readings};
use super::organisation;
use super::text::{LONG_WORDS, folded, is_unspaced, words};

/// Words in a row that are searched for in long texts.
const RUN: usize = 4;
/// Lower bound on the share of the runs of a long text that a page with this text has.
const RUN_SHARE: f64 = 0.9;
/// Digits of a telephone number that are searched for.
const PHONE_DIGITS: usize = 7;
/// Lower bound on the share of the words of a place that a page with this place has.
const PLACE_SHARE: f64 = 0.6;

/// An index of the visible text of a page.
#[derive(Debug)]
pub(super) struct Visible {
    /// The text, case and white space folded.
    folded: String,
    /// Its words with a space around each.
    words: String,
    /// Hashes of all runs of [`RUN`] words.
    runs: HashSet<u64>,
    numbers: HashSet<i64>,
    /// Its digits; signs between two digits are left out, other text is one space.
    digits: String,
    days: HashSet<Day>,
    durations: HashSet<u32>,
    /// The HTML in lower case, for names of images.
    html: String,
}

fn runs(words: &[String]) -> impl Iterator<Item = u64> + '_ {
    words.windows(RUN).map(|run| {
        let mut hasher = DefaultHasher::new();
        run.hash(&mut hasher);
        hasher.finish()
    })
}

impl Visible {
    pub(super) fn new(text: &str, html: &str) -> Self {
        let all = words(text);
        Self {
            folded: folded(text),
            words: format!(" {} ", all.join(" ")),
            runs: runs(&all).collect(),
            numbers: readings(text).into_iter().map(key).collect(),
            digits: joined_digits(text),
            days: days(text),
            durations: text.lines().flat_map(durations).collect(),
            html: html.to_lowercase(),
        }
    }

    /// Whether the page shows a value.
    pub(super) fn shows(&self, form: Form, value: &str) -> bool {
        match form {
            Form::Text | Form::Names | Form::Term | Form::Code => self.has_words(value),
            Form::Organisation => {
                self.has_words(value) || self.has_words(&organisation::name_words(value).join(" "))
            }
            Form::Number => number(value).is_some_and(|value| self.numbers.contains(&key(value))),
            Form::Currency => {
                let shows = |sign: &&str| self.folded.contains(&sign.to_lowercase());
                self.has_words(value) || signs(value).iter().any(shows)
            }
            Form::Gtin => {
                let body = gtin(value);
                let isbn10 = body.strip_prefix("978").filter(|body| body.len() == 9);
                !body.is_empty()
                    && (self.digits.contains(&body) || isbn10.is_some_and(|body| self.digits.contains(body)))
            }
            Form::Date | Form::Moment => moment(value).is_some_and(|value| self.days.contains(&value.day)),
            Form::Duration => duration(value).is_some_and(|value| self.durations.contains(&value)),
            Form::Phone => {
                let digits = digits(value);
                let last = digits.get(digits.len().saturating_sub(PHONE_DIGITS)..).unwrap_or_default();
                last.len() == PHONE_DIGITS && self.digits.contains(last)
            }
            Form::Email => self.folded.contains(&folded(value)),
            Form::Place => {
                let words = words(value);
                let shown = words.iter().filter(|word| self.words.contains(&format!(" {word} "))).count();
                super::text::ratio(shown, words.len()) >= PLACE_SHARE
            }
            Form::Image => self.html.contains(&image_stem(value)),
            Form::Stock => true,
        }
    }

    fn has_words(&self, value: &str) -> bool {
        let all = words(value);
        if all.is_empty() {
            return false;
        }
        if all.len() > LONG_WORDS {
            let known = runs(&all).filter(|run| self.runs.contains(run)).count();
            return super::text::ratio(known, all.len() + 1 - RUN) >= RUN_SHARE;
        }
        if is_unspaced(value) {
            return self.folded.contains(&folded(value));
        }
        self.words.contains(&format!(" {} ", all.join(" ")))
    }
}

/// The digits of a text: `(020) 79-46 x` is `02079 46 ` with the signs between digits left out.
fn joined_digits(text: &str) -> String {
    let mut out = String::new();
    let mut gap = 0;
    for found in text.chars() {
        if found.is_ascii_digit() {
            if gap > 2 {
                out.push(' ');
            }
            out.push(found);
            gap = 0;
        } else if " \u{a0}-.()/".contains(found) {
            gap += 1;
        } else {
            gap += 3;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_values_in_its_own_notation() {
        let text = "Red Cup\n1.299,50 €\nPosted 4 March 2021, 1 hour 20 min\nISBN 978-0-306-40615-7\n\
                    Call (020) 7946-0958\n1 Long Street, Berlin";
        let visible = Visible::new(text, "<img src=/A/Cup-300x200.jpg>");
        let rows = [
            (Form::Text, "red cup", true),
            (Form::Text, "red cu", false),
            (Form::Organisation, "Red Cup GmbH", true),
            (Form::Organisation, "Blue Cup GmbH", false),
            (Form::Number, "1299.50", true),
            (Form::Number, "1298", false),
            (Form::Currency, "EUR", true),
            (Form::Currency, "GBP", false),
            (Form::Date, "2021-03-04T00:00:00Z", true),
            (Form::Date, "2021-03-05", false),
            (Form::Duration, "PT1H20M", true),
            (Form::Gtin, "9780306406157", true),
            (Form::Phone, "+44 20 7946 0958", true),
            (Form::Place, "1 Long Street, Berlin, DE", true),
            (Form::Place, "Paris", false),
            (Form::Image, "https://x.example/cup.jpg", true),
        ];
        for (form, value, expected) in rows {
            assert_eq!(visible.shows(form, value), expected, "{form:?} {value}");
        }
    }

    #[test]
    fn a_long_text_is_shown_if_almost_all_of_it_is() {
        let long: Vec<String> = (0..60).map(|at| format!("word{at}")).collect();
        let visible = Visible::new(&format!("Before {} after", long.join(" ")), "");
        assert!(visible.shows(Form::Text, &long.join("  ")));
        let half = format!("{} {}", long.get(..30).unwrap().join(" "), "other ".repeat(30));
        assert!(!visible.shows(Form::Text, &half));
    }
}
