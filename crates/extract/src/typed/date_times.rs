//! The times of day that stand beside dates.

use std::ops::Range;

use time::Date;

use super::date::DateFound;
use super::date_forms::{Stated, ranged};
use super::time_of_day::{TimeFound, TimeOfDay, iso_time_at, time_at};
use super::token::{Kind, Tokens};

/// Upper bound on the tokens between a date and its time.
const MAX_GAP_TOKENS: usize = 6;
/// Upper bound on the tokens of a time that precedes its date, with the gap.
const MAX_TIME_TOKENS: usize = 16;

/// Words between a date and a time of day, in the form of [`fold`](super::words::fold).
const TIME_WORDS: &[&str] = &[
    "at", "on", "um", "am", "den", "der", "le", "la", "las", "los", "a", "as", "el", "il", "alle", "ore",
    "om", "op", "o", "ob", "u", "w", "v", "ve", "в", "во", "о", "об", "у", "στισ", "saat", "da", "de", "the",
    "from", "ab", "von", "od", "от", "с", "luc", "beginn", "start", "starts", "begins", "time", "uhrzeit",
    "hora",
];

/// The times of day beside a date.
#[derive(Debug, Default)]
pub(super) struct Times {
    start: Option<TimeOfDay>,
    /// The end of a range such as `19:00–21:00`.
    until: Option<TimeOfDay>,
    /// The range of a time before the date starts here.
    from: Option<usize>,
    /// The end of the times in the text, if they are behind the date.
    end: Option<usize>,
    /// The token behind the times.
    pub(super) next: usize,
}

impl Times {
    /// The times beside a date that starts at a token; those before it start at the token `from` or later.
    pub(super) fn beside(tokens: &Tokens<'_>, at: usize, stated: &Stated, from: usize) -> Self {
        if let Some((time, until)) = behind(tokens, stated) {
            let last = until.unwrap_or(time);
            return Self {
                start: Some(until.map_or(time.time, |until| time.before(&until))),
                until: until.map(|until| until.time),
                from: None,
                end: Some(last.end),
                next: last.next,
            };
        }
        for first in from.max(at.saturating_sub(MAX_TIME_TOKENS))..at {
            let Some(time) = time_at(tokens, first) else { continue };
            let until = until(tokens, &time);
            let gap = until.map_or(time.next, |until| until.next);
            if gap <= at && gap + MAX_GAP_TOKENS >= at && is_gap(tokens, gap..at) {
                return Self {
                    start: Some(until.map_or(time.time, |until| time.before(&until))),
                    until: until.map(|until| until.time),
                    from: tokens.get(first).map(|token| token.start),
                    ..Self::default()
                };
            }
        }
        Self::default()
    }

    /// Adds the days of a date with these times.
    pub(super) fn add(
        &self,
        tokens: &Tokens<'_>,
        at: usize,
        stated: &Stated,
        is_certain: bool,
        found: &mut Vec<DateFound>,
    ) {
        let Some(first) = tokens.get(at) else { return };
        let range = self.from.unwrap_or(first.start)..self.end.unwrap_or(stated.end);
        let mut add = |day: Date, time: Option<TimeOfDay>, ends_range: bool| {
            let value = written(day, time);
            found.push(DateFound { value, range: range.clone(), is_certain, ends_range });
        };
        add(stated.first, self.start, false);
        match (stated.last, self.start, self.until) {
            (Some(last), _, until) => add(last, until, true),
            (None, Some(start), Some(until)) => {
                // `22:00 – 02:00` ends on the next day.
                let day = if start.is_before(&until) { Some(stated.first) } else { stated.first.next_day() };
                if let Some(day) = day {
                    add(day, Some(until), true);
                }
            }
            _ => {}
        }
    }
}

fn written(day: Date, time: Option<TimeOfDay>) -> String {
    let written = format!("{:04}-{:02}-{:02}", day.year(), u8::from(day.month()), day.day());
    match time {
        Some(time) => format!("{written}T{}", time.written()),
        None => written,
    }
}

/// The time of day behind a date, and the end of its range.
fn behind(tokens: &Tokens<'_>, stated: &Stated) -> Option<(TimeFound, Option<TimeFound>)> {
    let next = stated.next;
    if tokens.is_attached(next) && tokens.is_word(next, &["t"]) && tokens.is_attached(next + 1) {
        return iso_time_at(tokens, next + 1).map(|time| (time, None));
    }
    // `2021年3月4日午後2時`: the sign of the day and the half of the day are one run of letters.
    let is_run = next.checked_sub(1).is_some_and(|last| tokens.end_of(last) > stated.end);
    let start = if is_run { next - 1 } else { next };
    for at in start..=start + MAX_GAP_TOKENS {
        if let Some(time) = time_at(tokens, at) {
            return is_gap(tokens, next..at).then(|| (time, until(tokens, &time)));
        }
        if matches!(tokens.kind(at)?, Kind::Number { .. }) {
            return None;
        }
    }
    None
}

/// The end of a range of times.
fn until(tokens: &Tokens<'_>, time: &TimeFound) -> Option<TimeFound> {
    time_at(tokens, ranged(tokens, time.next)?)
}

/// Whether a date and its time may stand on the two sides of these tokens.
fn is_gap(tokens: &Tokens<'_>, gap: Range<usize>) -> bool {
    let mut other_words = 0;
    for at in gap {
        let is_usual = match tokens.kind(at) {
            Some(Kind::Mark(mark)) => {
                matches!(
                    mark,
                    ',' | '.' | '·' | '|' | '-' | '–' | '—' | '@' | '(' | ')' | '（' | '）' | '/' | '•'
                )
            }
            Some(Kind::Word) => {
                let is_known = tokens.is_word(at, TIME_WORDS);
                other_words += usize::from(!is_known);
                // One word may be the day of the week.
                is_known || other_words == 1
            }
            _ => false,
        };
        if !is_usual {
            return false;
        }
    }
    true
}
