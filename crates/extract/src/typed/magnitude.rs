//! Magnitudes behind numbers: `k`, `million`, `тыс.`, `万`.

use super::token::is_letter;
use super::words::fold;

/// Longest word for a magnitude, in characters.
const MAX_WORD_CHARS: usize = 12;
/// Upper bound on the white space between a number and its magnitude, in bytes.
const MAX_GAP_BYTES: usize = 3;
/// Longest number that is multiplied, in bytes.
const MAX_NUMBER_BYTES: usize = 24;

/// Words for powers of ten, in the form of [`fold`].
const WORDS: &[(u32, &[&str])] = &[
    (
        3,
        &[
            "k",
            "thousand",
            "tsd",
            "tausend",
            "tys",
            "tis",
            "tisic",
            "mil",
            "mila",
            "mille",
            "тыс",
            "тис",
            "хил",
            "χιλ",
            "bin",
            "tukst",
            "tuhat",
            "ezer",
            "mii",
            "ribu",
            "rb",
            "nghin",
            "الف",
            "אלף",
            "हजार",
            "พัน",
        ],
    ),
    (5, &["lakh", "lakhs", "lac", "लाख"]),
    (
        6,
        &[
            "million",
            "millions",
            "mio",
            "mln",
            "mn",
            "millionen",
            "millones",
            "millon",
            "milhoes",
            "milhao",
            "milioni",
            "milione",
            "miljoen",
            "miljoner",
            "milj",
            "млн",
            "εκ",
            "milyon",
            "juta",
            "jt",
            "trieu",
            "مليون",
            "מיליון",
        ],
    ),
    (7, &["crore", "crores", "cr", "करोड"]),
];
/// Signs for powers of ten, which other letters may follow.
const SIGNS: &[(u32, [char; 3])] =
    &[(3, ['千', '천', '仟']), (4, ['万', '萬', '만']), (8, ['億', '亿', '억'])];

/// The power of ten that the text behind a number states, and the bytes that state it.
pub(super) fn magnitude(behind: &str) -> Option<(u32, usize)> {
    let rest = behind.trim_start();
    let gap = behind.len() - rest.len();
    if gap > MAX_GAP_BYTES {
        return None;
    }
    let first = rest.chars().next()?;
    if gap == 0
        && let Some((power, _)) = SIGNS.iter().find(|(_, signs)| signs.contains(&first))
    {
        return Some((*power, first.len_utf8()));
    }
    let word: String = rest.chars().take(MAX_WORD_CHARS).take_while(|found| is_letter(*found)).collect();
    // A small letter may be metres or minutes.
    if gap == 0 && word == "M" {
        return Some((6, 1));
    }
    let folded = fold(&word);
    let (power, _) = WORDS.iter().find(|(_, words)| words.contains(&folded.as_str()))?;
    Some((*power, gap + word.len()))
}

/// A decimal number times a power of ten; `None` if it is too long.
pub(super) fn shifted(decimal: &str, power: u32) -> Option<String> {
    let power = usize::try_from(power).ok()?;
    if power == 0 || decimal.len() > MAX_NUMBER_BYTES {
        return (power == 0).then(|| decimal.to_owned());
    }
    let (sign, positive) = decimal.strip_prefix('-').map_or(("", decimal), |positive| ("-", positive));
    let (whole, fraction) = positive.split_once('.').unwrap_or((positive, ""));
    let mut digits = format!("{whole}{fraction}");
    if let Some(left) = fraction.len().checked_sub(power).filter(|left| *left > 0) {
        digits.insert(digits.len() - left, '.');
    } else {
        digits.extend(std::iter::repeat_n('0', power.saturating_sub(fraction.len())));
    }
    let trimmed = digits.trim_start_matches('0');
    let zero = if trimmed.is_empty() || trimmed.starts_with('.') { "0" } else { "" };
    Some(format!("{sign}{zero}{trimmed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_multiplied() {
        let rows = [
            ("1.2", "k reviews", Some("1200")),
            ("1.2345", "K", Some("1234.5")),
            ("0.5", " million", Some("500000")),
            ("3", "M", Some("3000000")),
            ("50", " Tsd. €", Some("50000")),
            ("1.3", "万件", Some("13000")),
            ("2", " тыс.", Some("2000")),
            ("0", "k", Some("0")),
            ("-0.5", "k", Some("-500")),
            ("5", "m", None),
            ("5", " kilometres", None),
            ("5", "", None),
        ];
        for (number, behind, expected) in rows {
            let found = magnitude(behind).and_then(|(power, _)| shifted(number, power));
            assert_eq!(found.as_deref(), expected, "{number}{behind}");
        }
    }
}
