//! Durations as data and pages write them, in seconds.

/// Unit words that count as a whole, with their seconds.
const UNITS: [(&str, u32); 17] = [
    ("d", 86_400),
    ("h", 3_600),
    ("hr", 3_600),
    ("hrs", 3_600),
    ("std", 3_600),
    ("godz", 3_600),
    ("ora", 3_600),
    ("ore", 3_600),
    ("ч", 3_600),
    ("m", 60),
    ("min", 60),
    ("mins", 60),
    ("мин", 60),
    ("s", 1),
    ("sec", 1),
    ("secs", 1),
    ("sek", 1),
];

/// Starts of unit words, with their seconds.
const UNIT_STARTS: [(&str, u32); 17] = [
    ("hour", 3_600),
    ("stunde", 3_600),
    ("heure", 3_600),
    ("hora", 3_600),
    ("uur", 3_600),
    ("uren", 3_600),
    ("hodin", 3_600),
    ("timm", 3_600),
    ("час", 3_600),
    ("時間", 3_600),
    ("minut", 60),
    ("分", 60),
    ("second", 1),
    ("sekund", 1),
    ("day", 86_400),
    ("tag", 86_400),
    ("jour", 86_400),
];

/// Words between the parts of a duration.
const BETWEEN: [&str; 7] = ["and", "und", "et", "y", "e", "en", "i"];

fn unit(word: &str) -> Option<u32> {
    let whole = UNITS.iter().find(|(name, _)| *name == word);
    whole
        .or_else(|| UNIT_STARTS.iter().find(|(start, _)| word.starts_with(start)))
        .map(|(_, seconds)| *seconds)
}

/// The parts of a text: runs of digits and runs of letters, in lower case.
fn parts(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut last = None;
    for found in text.chars().flat_map(char::to_lowercase) {
        let kind = match found {
            digit if digit.is_ascii_digit() => Some(0),
            letter if letter.is_alphabetic() => Some(1),
            _ => None,
        };
        if kind.is_some() {
            if kind != last {
                out.push(String::new());
            }
            if let Some(part) = out.last_mut() {
                part.push(found);
            }
        }
        last = kind;
    }
    out
}

/// The durations that a text states: each part with a unit, and the sums of parts in a row.
pub(super) fn durations(text: &str) -> Vec<u32> {
    let parts = parts(text);
    let mut out = Vec::new();
    let mut sum = 0_u32;
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let seconds = part
            .parse::<u32>()
            .ok()
            .zip(parts.get(at + 1).and_then(|word| unit(word)))
            .and_then(|(count, seconds)| count.checked_mul(seconds));
        if let Some(seconds) = seconds {
            sum = sum.saturating_add(seconds);
            out.extend([seconds, sum]);
            at += 2;
        } else {
            if !BETWEEN.contains(&part.as_str()) {
                sum = 0;
            }
            at += 1;
        }
    }
    out.extend(text.split_whitespace().filter_map(clock));
    out
}

/// `4:05` and `1:04:05`.
fn clock(word: &str) -> Option<u32> {
    let numbers: Option<Vec<u32>> =
        word.split(':').map(|part| part.parse().ok().filter(|_| part.len() <= 2)).collect();
    match numbers?.as_slice() {
        [minutes, seconds] => Some(minutes * 60 + seconds),
        [hours, minutes, seconds] => Some(hours * 3_600 + minutes * 60 + seconds),
        _ => None,
    }
}

/// The duration that data states: ISO 8601, else the longest of the text.
pub(super) fn duration(text: &str) -> Option<u32> {
    let text = text.trim();
    iso(text).or_else(|| durations(text).into_iter().max())
}

/// `P1DT2H30M5S`.
fn iso(text: &str) -> Option<u32> {
    let rest = text.strip_prefix('P')?;
    let (mut seconds, mut number, mut in_time) = (0.0_f64, String::new(), false);
    for found in rest.chars() {
        match found {
            'T' => in_time = true,
            digit if digit.is_ascii_digit() || digit == '.' => number.push(digit),
            letter => {
                let length = match letter {
                    'Y' if !in_time => 31_536_000.0,
                    'M' if !in_time => 2_592_000.0,
                    'W' => 604_800.0,
                    'D' => 86_400.0,
                    'H' => 3_600.0,
                    'M' => 60.0,
                    'S' => 1.0,
                    _ => return None,
                };
                seconds += number.parse::<f64>().ok()? * length;
                number.clear();
            }
        }
    }
    (number.is_empty() && seconds > 0.0).then_some(seconds.min(f64::from(u32::MAX)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_seconds() {
        let rows = [
            ("PT1H30M", Some(5_400)),
            ("P0DT0H20M", Some(1_200)),
            ("1 hour and 30 minutes", Some(5_400)),
            ("1h30min", Some(5_400)),
            ("45 Minuten", Some(2_700)),
            ("4:05", Some(245)),
            ("soon", None),
        ];
        for (text, expected) in rows {
            assert_eq!(duration(text), expected, "{text}");
        }
        assert!(durations("Prep 20 min, cook 1 hr").contains(&1_200));
    }
}
