//! Magnitudes behind numbers: `k`, `million`, `тыс.`, `万`.

use super::currency::{is_currency_sign, iso_code};
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
    (
        9,
        &[
            "billion",
            "billions",
            "bn",
            "mrd",
            "mld",
            "mlrd",
            "milliarde",
            "milliarden",
            "milliard",
            "milliards",
            "miliardo",
            "miliardi",
            "miliardow",
            "miljard",
            "miljarder",
            "miliar",
            "milyar",
            "млрд",
            "μλδ",
            "مليار",
            "מיליארד",
        ],
    ),
    (12, &["trillion", "trillions", "billionen", "billones", "triliun", "трлн"]),
];
/// Signs for powers of ten, which other letters may follow. Several multiply: `5百万` is five million.
const SIGNS: &[(u32, [char; 3])] = &[
    (2, ['百', '백', '佰']),
    (3, ['千', '천', '仟']),
    (4, ['万', '萬', '만']),
    (8, ['億', '亿', '억']),
    (12, ['兆', '조', '兆']),
];
/// Letters for powers of ten that mean units elsewhere; they count beside a currency: `$1.2m`.
const LETTERS_OF_MONEY: &[(u32, &[&str])] = &[(6, &["m", "mm"]), (9, &["b"])];
/// Length of the code of a currency, which may follow a magnitude without a blank: `45kEUR`.
const CODE_BYTES: usize = 3;

/// The power of ten that the text behind a number states, and the bytes that state it. `has_currency` says
/// that the sign of a currency stands before the number.
pub(super) fn magnitude(behind: &str, has_currency: bool) -> Option<(u32, usize)> {
    let rest = behind.trim_start();
    let gap = behind.len() - rest.len();
    if gap > MAX_GAP_BYTES {
        return None;
    }
    let (power, bytes) = signs(rest);
    let behind = rest.get(bytes..).unwrap_or_default();
    // `3 百貨店` names shops.
    if power > 0 && (gap == 0 || behind.is_empty() || behind.starts_with(['円', '元', '원', ' '])) {
        return Some((power, gap + bytes));
    }
    let word: String = rest.chars().take(MAX_WORD_CHARS).take_while(|found| is_letter(*found)).collect();
    let (word, has_code) = match word.split_at_checked(word.len().saturating_sub(CODE_BYTES)) {
        Some((before, code)) if !before.is_empty() && iso_code(code).is_some() => (before, true),
        _ => (word.as_str(), false),
    };
    // A small letter may be metres or minutes.
    if gap == 0 && word == "M" {
        return Some((6, 1));
    }
    let next = rest.get(word.len()..).unwrap_or_default();
    // `20 K-cups` are twenty.
    if gap > 0 && word.len() == 1 && next.starts_with(['-', '&', '\'', '’']) {
        return None;
    }
    let of_money = || {
        let is_before_sign = has_code || next.starts_with(is_currency_sign);
        // `250 T€` and `250 TEUR` are thousands.
        if word == "T" && is_before_sign && !has_currency {
            return Some(3);
        }
        let is_money = is_before_sign || (has_currency && gap == 0);
        if is_money { power_in(LETTERS_OF_MONEY, &fold(word)) } else { None }
    };
    let power = power_of(word).or_else(of_money)?;
    Some((power, gap + word.len()))
}

/// The power of ten that signs at the start of a text state, and their bytes.
fn signs(text: &str) -> (u32, usize) {
    let (mut power, mut bytes) = (0, 0);
    for found in text.chars() {
        let Some((more, _)) = SIGNS.iter().find(|(_, signs)| signs.contains(&found)) else { break };
        power += more;
        bytes += found.len_utf8();
    }
    (power, bytes)
}

/// The power of ten that a word states.
pub(crate) fn power_of(word: &str) -> Option<u32> {
    power_in(WORDS, &fold(word))
}

fn power_in(table: &[(u32, &[&str])], folded: &str) -> Option<u32> {
    table.iter().find(|(_, words)| words.contains(&folded)).map(|(power, _)| *power)
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
            ("5", " Mrd. €", Some("5000000000")),
            ("5", "百万円", Some("5000000")),
            ("45", "kEUR", Some("45000")),
            ("2", "m€", Some("2000000")),
            ("100", " MUSD", Some("100000000")),
            ("5", "m", None),
            ("5", " kilometres", None),
            ("5", "", None),
        ];
        for (number, behind, expected) in rows {
            let found = magnitude(behind, false).and_then(|(power, _)| shifted(number, power));
            assert_eq!(found.as_deref(), expected, "{number}{behind}");
        }
        assert_eq!(magnitude("m", true), Some((6, 1)));
    }
}
