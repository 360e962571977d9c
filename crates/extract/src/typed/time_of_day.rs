//! Times of day, as pages write them beside dates.

use super::token::Tokens;

/// Words for the hour, in the form of [`fold`](super::words::fold): `19 Uhr`.
const HOUR_WORDS: &[&str] =
    &["uhr", "uur", "heures", "heure", "horas", "hs", "hrs", "h", "u", "ч", "год", "น", "hod", "godz"];
/// The hour words that are also units of time. Without minutes, only an evening hour is read: `2h` is a
/// duration.
const SHORT_HOUR_WORDS: &[&str] = &["h", "u", "hs", "hrs", "ч", "год", "heures", "heure", "horas", "hod"];
/// First hour that a short hour word makes a time of day.
const MIN_SHORT_HOUR: u32 = 7;
/// Words right before a time whose minutes follow a point: `kl. 19.30`.
const CLOCK_WORDS: &[&str] = &["kl", "klo", "kell", "klukkan", "plkst", "val", "pukul", "jam"];
/// Ends of words before the hours of the morning.
const MORNING: &[&str] = &["午前", "上午", "凌晨", "早上", "오전"];
/// Ends of words before the hours after noon.
const AFTERNOON: &[&str] = &["午後", "下午", "晚上", "오후"];

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeOfDay {
    hour: u32,
    minute: u32,
    second: u32,
    /// Minutes east of UTC, if stated.
    offset: Option<i32>,
}

impl TimeOfDay {
    /// The form of RFC 3339, without an offset if none is stated.
    pub(super) fn written(&self) -> String {
        let time = format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second);
        match self.offset {
            None => time,
            Some(0) => time + "Z",
            Some(offset) => {
                let sign = if offset < 0 { '-' } else { '+' };
                let minutes = offset.unsigned_abs();
                format!("{time}{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }

    /// Whether the other time is later on the clock.
    pub(super) fn is_before(&self, other: &Self) -> bool {
        let key = |time: &Self| (time.hour, time.minute, time.second);
        key(self) < key(other)
    }
}

/// A time of day in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeFound {
    pub(super) time: TimeOfDay,
    /// The token behind it.
    pub(super) next: usize,
    /// Its end in the text.
    pub(super) end: usize,
    half: Option<Half>,
}

impl TimeFound {
    /// The time as the start of a range: `2:00–3:00 PM` starts after noon, `11:00–1:00 PM` before it.
    pub(super) fn before(&self, end: &Self) -> TimeOfDay {
        let hour = self.time.hour % 12 + 12;
        let is_afternoon = self.half.is_none()
            && end.half == Some(Half::Afternoon)
            && (1..=12).contains(&self.time.hour)
            && (hour, self.time.minute) < (end.time.hour, end.time.minute);
        if is_afternoon { TimeOfDay { hour, ..self.time } } else { self.time }
    }
}

/// The half of the day that an hour is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Afternoon,
}

/// The time of day that starts at a token.
pub(super) fn time_at(tokens: &Tokens<'_>, at: usize) -> Option<TimeFound> {
    let mut hour = at;
    let mut half = None;
    let mut is_clock = false;
    if let Some(word) = tokens.word(at) {
        half = half_before(word);
        is_clock = half.is_none() && tokens.is_word(at, CLOCK_WORDS);
        if half.is_none() && !is_clock {
            return None;
        }
        hour += if is_clock && tokens.mark(at + 1) == Some('.') { 2 } else { 1 };
    }
    if tokens.starts_number(hour) { clock(tokens, hour, half, is_clock, false) } else { None }
}

/// The time behind the `T` of ISO 8601.
pub(super) fn iso_time_at(tokens: &Tokens<'_>, at: usize) -> Option<TimeFound> {
    clock(tokens, at, None, false, true)
}

fn half_before(word: &str) -> Option<Half> {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    if ends(MORNING) { Some(Half::Morning) } else { ends(AFTERNOON).then_some(Half::Afternoon) }
}

/// The time whose hour is this token. `is_clock` says that a word for the clock precedes it.
fn clock(
    tokens: &Tokens<'_>,
    at: usize,
    half: Option<Half>,
    is_clock: bool,
    is_iso: bool,
) -> Option<TimeFound> {
    let (mut hour, _) = tokens.number(at).filter(|(_, digits)| *digits <= 2)?;
    let (mut minute, mut second) = (0, 0);
    let mut next = at + 1;
    let is_joined = tokens.is_attached(next);
    let mut is_time = false;
    if is_joined
        && matches!(tokens.mark(next), Some(':' | '：'))
        && let Some(found) = tokens.sixty(next + 1)
    {
        (minute, next, is_time) = (found, next + 2, true);
        if matches!(tokens.mark(next), Some(':' | '：'))
            && tokens.is_attached(next)
            && let Some(found) = tokens.sixty(next + 1)
        {
            (second, next) = (found, next + 2);
            // Fractions of a second.
            if tokens.mark(next) == Some('.')
                && tokens.is_attached(next + 1)
                && tokens.number(next + 1).is_some()
            {
                next += 2;
            }
        }
    } else if is_joined
        && tokens.mark(next) == Some('.')
        && let Some(found) = tokens.sixty(next + 1)
        && (is_clock || tokens.is_word(next + 2, HOUR_WORDS) || half_after(tokens, next + 2).is_some())
    {
        (minute, next, is_time) = (found, next + 2, true);
    }
    let mut end = tokens.end_of(next - 1);
    if let Some(found) = hour_word(tokens, next, hour, is_time) {
        minute = found.minute.unwrap_or(minute);
        (next, end, is_time) = (found.next, found.end, true);
    }
    let mut half = half;
    if let Some((found, behind)) = half_after(tokens, next) {
        (half, next, is_time) = (Some(found), behind, true);
        end = tokens.end_of(next - 1);
    }
    // `kl. 19` is a time, `19` is not.
    if !is_time && !is_clock {
        return None;
    }
    match half {
        Some(Half::Morning) if (1..=12).contains(&hour) => hour %= 12,
        Some(Half::Afternoon) if (1..=12).contains(&hour) => hour = hour % 12 + 12,
        _ => {}
    }
    let offset = offset_at(tokens, next, is_iso);
    if let Some((_, behind)) = offset {
        next = behind;
        end = tokens.end_of(next - 1);
    }
    let time = TimeOfDay { hour, minute, second, offset: offset.map(|(offset, _)| offset) };
    (hour < 24).then_some(TimeFound { time, next, end, half })
}

/// An hour word with the minutes behind it.
struct HourWord {
    minute: Option<u32>,
    next: usize,
    end: usize,
}

/// Reads `Uhr`, `h30`, `時30分`. `has_minutes` says that the minutes precede the word.
fn hour_word(tokens: &Tokens<'_>, at: usize, hour: u32, has_minutes: bool) -> Option<HourWord> {
    let word = tokens.word(at)?;
    let start = tokens.get(at)?.start;
    if let Some(rest) = word.strip_prefix(['時', '时', '点', '點', '시']) {
        // `時間` is a duration.
        if has_minutes || rest.starts_with(['間', '间', '간']) {
            return None;
        }
        let end = start + word.len() - rest.len();
        if rest.starts_with('半') {
            return Some(HourWord { minute: Some(30), next: at + 1, end: end + '半'.len_utf8() });
        }
        let minute = tokens.number(at + 1).filter(|(minute, _)| rest.is_empty() && *minute < 60);
        let unit = tokens.word(at + 2).filter(|word| word.starts_with(['分', '분']));
        if let (Some((minute, _)), Some(unit)) = (minute, unit) {
            let end = tokens.get(at + 2)?.start + unit.chars().next().map_or(0, char::len_utf8);
            return Some(HourWord { minute: Some(minute), next: at + 3, end });
        }
        return Some(HourWord { minute: None, next: at + 1, end });
    }
    let name = tokens.folded(at).filter(|name| HOUR_WORDS.contains(&name.as_str()))?;
    let end = tokens.end_of(at);
    if has_minutes {
        return Some(HourWord { minute: None, next: at + 1, end });
    }
    let minutes = tokens.number(at + 1).filter(|(value, digits)| *digits == 2 && *value < 60);
    if let Some((minute, _)) = minutes
        && (tokens.is_attached(at + 1) || name.len() > 2)
        && tokens.mark(at + 2) != Some(':')
    {
        return Some(HourWord { minute: Some(minute), next: at + 2, end: tokens.end_of(at + 1) });
    }
    let is_short = SHORT_HOUR_WORDS.contains(&name.as_str());
    (!is_short || hour >= MIN_SHORT_HOUR).then_some(HourWord { minute: None, next: at + 1, end })
}

/// `am`, `p.m.` and the like behind an hour, and the token behind it.
fn half_after(tokens: &Tokens<'_>, at: usize) -> Option<(Half, usize)> {
    let name = tokens.folded(at)?;
    match name.as_str() {
        "am" | "πμ" | "ص" | "صباحا" => return Some((Half::Morning, at + 1)),
        "pm" | "μμ" | "م" | "مساء" => return Some((Half::Afternoon, at + 1)),
        _ => {}
    }
    let half = match name.as_str() {
        "a" | "π" => Half::Morning,
        "p" | "μ" => Half::Afternoon,
        _ => return None,
    };
    let last = if tokens.mark(at + 1) == Some('.') { at + 2 } else { return None };
    let behind = if tokens.mark(last + 1) == Some('.') { last + 2 } else { last + 1 };
    tokens.is_word(last, &["m", "μ"]).then_some((half, behind))
}

/// The offset from UTC right behind a time, in minutes. `10:00-12:00` is a range unless it is ISO 8601.
fn offset_at(tokens: &Tokens<'_>, at: usize, is_iso: bool) -> Option<(i32, usize)> {
    if !tokens.is_attached(at) {
        return None;
    }
    if matches!(tokens.word(at), Some("Z" | "z")) {
        return Some((0, at + 1));
    }
    let sign = match tokens.mark(at)? {
        '+' => 1,
        '-' | '−' if is_iso => -1,
        _ => return None,
    };
    let (value, digits) = tokens.number(at + 1).filter(|_| tokens.is_attached(at + 1))?;
    let (hours, minutes, next) = match digits {
        4 => (value / 100, value % 100, at + 2),
        2 if tokens.mark(at + 2) == Some(':') => (value, tokens.sixty(at + 3)?, at + 4),
        2 if is_iso => (value, 0, at + 2),
        _ => return None,
    };
    let offset = i32::try_from(hours * 60 + minutes).ok()?;
    (hours < 24 && minutes < 60).then_some((sign * offset, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let rows = [
            ("10:30 pm", Some("22:30:00")),
            ("10 p.m. sharp", Some("22:00:00")),
            ("12 am", Some("00:00:00")),
            ("19:30 Uhr", Some("19:30:00")),
            ("19.30 Uhr", Some("19:30:00")),
            ("kl. 19.30", Some("19:30:00")),
            ("klo 9", Some("09:00:00")),
            ("20h30", Some("20:30:00")),
            ("20 h", Some("20:00:00")),
            ("2h", None),
            ("午後2時30分", Some("14:30:00")),
            ("오후 2시", Some("14:00:00")),
            ("下午3点半", Some("15:30:00")),
            ("2時間", None),
            ("10:30:15+01:00", Some("10:30:15+01:00")),
            ("10:00-12:00", Some("10:00:00")),
            ("7 μ.μ.", Some("19:00:00")),
            ("25:00", None),
            ("19.30", None),
            ("12", None),
        ];
        for (text, expected) in rows {
            let found = time_at(&Tokens::new(text), 0).map(|found| found.time.written());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        let found = iso_time_at(&Tokens::new("10:00:00.125-05:00"), 0).unwrap();
        assert_eq!((found.time.written().as_str(), found.end), ("10:00:00-05:00", 18));
    }
}
