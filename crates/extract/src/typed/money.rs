//! Reads amounts of money with their currency.

use std::ops::Range;
use std::sync::LazyLock;

use super::currency::{is_currency_sign, iso_code};
use super::magnitude::{magnitude, shifted};
use super::number::{Amount, NumberStyle, amounts, is_minus};

/// An amount of money in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Money {
    /// With its magnitude: `$1.2M` is 1200000.
    pub(crate) decimal: String,
    /// The sign or code as written; `None` if there is none.
    pub(crate) currency: Option<String>,
    /// The range of the number with its magnitude and its sign.
    pub(crate) range: Range<usize>,
    /// The power of ten of its magnitude.
    pub(super) power: u32,
}

/// Words for the hundredth part of a currency, behind a whole number: `89 ct`.
const HUNDREDTHS: [&str; 11] =
    ["ct", "cts", "cent", "cents", "centimes", "centesimi", "pence", "öre", "øre", "¢", "коп"];
/// The same, right behind the number: `99p`.
const JOINED_HUNDREDTHS: [&str; 2] = ["p", "c"];
/// Upper bound on the number before such a word.
const MAX_HUNDREDTHS: u32 = 999;
const MAX_JOINED_HUNDREDTHS: u32 = 99;

/// Currency signs as shops write them, with the ISO 4217 code if it is unique.
const SIGNS: [(&str, Option<&str>); 62] = [
    ("US$", Some("USD")),
    ("AU$", Some("AUD")),
    ("NZ$", Some("NZD")),
    ("CA$", Some("CAD")),
    ("HK$", Some("HKD")),
    ("NT$", Some("TWD")),
    ("MX$", Some("MXN")),
    ("S$", Some("SGD")),
    ("A$", Some("AUD")),
    ("C$", Some("CAD")),
    ("R$", Some("BRL")),
    ("$", None),
    ("€", Some("EUR")),
    ("£", Some("GBP")),
    ("¥", None),
    ("￥", None),
    ("₽", Some("RUB")),
    ("руб.", Some("RUB")),
    ("руб", Some("RUB")),
    ("₴", Some("UAH")),
    ("грн", Some("UAH")),
    ("₹", Some("INR")),
    ("Rs.", None),
    ("Rs", None),
    ("₪", Some("ILS")),
    ("₺", Some("TRY")),
    ("₩", Some("KRW")),
    ("원", Some("KRW")),
    ("元", None),
    ("円", Some("JPY")),
    ("₫", Some("VND")),
    ("đ", Some("VND")),
    ("฿", Some("THB")),
    ("₦", Some("NGN")),
    ("₱", Some("PHP")),
    ("₸", Some("KZT")),
    ("₼", Some("AZN")),
    ("₾", Some("GEL")),
    ("zł", Some("PLN")),
    ("Kč", Some("CZK")),
    ("Kn", Some("HRK")),
    ("kn", Some("HRK")),
    ("Ft", Some("HUF")),
    ("лв.", Some("BGN")),
    ("лв", Some("BGN")),
    ("lei", Some("RON")),
    ("Lei", Some("RON")),
    ("kr.", None),
    ("kr", None),
    ("Fr.", Some("CHF")),
    ("SFr.", Some("CHF")),
    ("RM", Some("MYR")),
    ("Rp", Some("IDR")),
    ("S/", Some("PEN")),
    ("ر.س.", Some("SAR")),
    ("ر.س", Some("SAR")),
    ("ريال", Some("SAR")),
    ("د.إ", Some("AED")),
    ("درهم", None),
    ("ج.م", Some("EGP")),
    ("تومان", None),
    ("TL", Some("TRY")),
];

/// Powers of ten behind which a lower part of the number may follow, in East Asia.
const POWERS_OF_PARTS: [u32; 3] = [4, 8, 12];
/// Upper bound on the gap between a number and its sign, in bytes.
const MAX_GAP_BYTES: usize = 3;

/// Whether a sign starts with a byte, and whether one ends with it.
static SIGN_EDGES: LazyLock<[(bool, bool); 256]> = LazyLock::new(|| {
    let mut edges = [(false, false); 256];
    for (sign, _) in SIGNS {
        if let Some(edge) = sign.bytes().next().and_then(|first| edges.get_mut(usize::from(first))) {
            edge.0 = true;
        }
        if let Some(edge) = sign.bytes().next_back().and_then(|last| edges.get_mut(usize::from(last))) {
            edge.1 = true;
        }
    }
    edges
});

/// Whether a sign starts with this byte, and whether one ends with it.
fn edges_of(byte: Option<u8>) -> (bool, bool) {
    byte.and_then(|byte| SIGN_EDGES.get(usize::from(byte))).copied().unwrap_or_default()
}

/// The currency sign or code at the start of a text, as written.
pub(super) fn sign_at_start(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let may_start = edges_of(text.bytes().next()).0;
    let signs = SIGNS.iter().map(|(sign, _)| *sign).filter(|sign| may_start && text.starts_with(sign));
    let sign = signs.max_by_key(|sign| sign.len());
    if let Some(sign) = sign {
        // A sign of letters ends where the word ends.
        let next = text.get(sign.len()..).and_then(|rest| rest.chars().next());
        let lettered = sign.chars().next_back().is_some_and(char::is_alphabetic);
        return (!lettered || !next.is_some_and(char::is_alphabetic)).then_some(sign);
    }
    let code = text.get(..3)?;
    let bounded = !text.get(3..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric);
    (bounded && iso_code(code).is_some()).then_some(code)
}

/// The currency sign or code at the end of a text, as written.
fn sign_at_end(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let may_end = edges_of(text.bytes().next_back()).1;
    let signs = SIGNS.iter().map(|(sign, _)| *sign).filter(|sign| may_end && text.ends_with(sign));
    let sign = signs.max_by_key(|sign| sign.len());
    if let Some(sign) = sign {
        let before = text.get(..text.len() - sign.len()).and_then(|rest| rest.chars().next_back());
        let lettered = sign.chars().next().is_some_and(char::is_alphabetic);
        return (!lettered || !before.is_some_and(char::is_alphabetic)).then_some(sign);
    }
    let code = text.get(text.len().checked_sub(3)?..)?;
    let before = text.get(..text.len() - 3).and_then(|rest| rest.chars().next_back());
    (!before.is_some_and(char::is_alphanumeric) && iso_code(code).is_some()).then_some(code)
}

/// The currency sign or code at the start or the end of a text.
pub(crate) fn currency_sign(text: &str) -> Option<&str> {
    sign_at_start(text).or_else(|| sign_at_end(text))
}

/// The ISO 4217 code of a sign, a code or a text with one at its start or end; `None` if several currencies
/// share the sign.
pub(crate) fn currency_code(text: &str) -> Option<&'static str> {
    let sign = currency_sign(text)?;
    if let Some((_, code)) = SIGNS.iter().find(|(known, _)| *known == sign) {
        return *code;
    }
    iso_code(sign)
}

/// The numbers of a text with the currency beside them; percentages are skipped.
pub(crate) fn money_amounts(text: &str) -> impl Iterator<Item = Money> + '_ {
    money_in(text, NumberStyle::Prose)
}

/// The same, with the separators of this style.
pub(crate) fn money_in(text: &str, style: NumberStyle) -> impl Iterator<Item = Money> + '_ {
    let mut end = 0;
    amounts(text, style).filter_map(move |amount| {
        // The cents of `12€90` are a part of the amount before.
        if amount.range.start < end {
            return None;
        }
        let money = money_of(text, amount, style)?;
        end = money.range.end;
        Some(money)
    })
}

/// A number as an amount of money.
fn money_of(text: &str, amount: Amount, style: NumberStyle) -> Option<Money> {
    let before = text.get(..amount.range.start).unwrap_or_default();
    let after = text.get(amount.range.end..).unwrap_or_default();
    if after.trim_start().starts_with('%') {
        return None;
    }
    let mut money = Money { decimal: amount.decimal, currency: None, range: amount.range, power: 0 };
    let near_before = before.len() - before.trim_end().len() <= MAX_GAP_BYTES;
    if let Some(sign) = near_before.then(|| sign_at_end(before)).flatten() {
        money.range.start = before.trim_end().len() - sign.len();
        money.currency = Some(sign.to_owned());
        if is_minus(text.get(..money.range.start).unwrap_or_default()) && !money.decimal.starts_with('-') {
            money.decimal.insert(0, '-');
        }
    }
    money.add_magnitude(text);
    if money.currency.is_none() && !money.add_sign_behind(text, style) {
        money.add_hundredths(text);
    }
    Some(money)
}

impl Money {
    /// Multiplies by the magnitude behind the number.
    fn add_magnitude(&mut self, text: &str) {
        let behind = text.get(self.range.end..).unwrap_or_default();
        if let Some((power, bytes)) = magnitude(behind, self.currency.is_some())
            && let Some(decimal) = shifted(&self.decimal, power)
        {
            (self.decimal, self.power) = (decimal, power);
            self.range.end += bytes;
            self.add_lower_part(text);
        }
    }

    /// Adds the rest of a number in several magnitudes: `1億2000万`, `1万2800`.
    fn add_lower_part(&mut self, text: &str) {
        let behind = text.get(self.range.end..).unwrap_or_default();
        let rest = behind.trim_start_matches(' ');
        let gap = behind.len() - rest.len();
        let part = amounts(rest, NumberStyle::Prose).next().filter(|part| part.range.start == 0 && gap <= 1);
        let Some(part) = part.filter(|_| POWERS_OF_PARTS.contains(&self.power)) else { return };
        let of_part = magnitude(rest.get(part.range.end..).unwrap_or_default(), false);
        // `1億 3` are two numbers.
        let Some((power, bytes)) = of_part.or_else(|| (gap == 0).then_some((0, 0))) else { return };
        let Some(low) = shifted(&part.decimal, power).and_then(|low| low.parse::<u64>().ok()) else { return };
        if let Ok(high) = self.decimal.parse::<u64>()
            && 10_u64.checked_pow(self.power).is_some_and(|unit| low < unit)
            && let Some(sum) = high.checked_add(low)
        {
            self.decimal = sum.to_string();
            self.range.end += gap + part.range.end + bytes;
        }
    }

    /// Adds the sign behind the number, and cents right behind that: `12€90`. Whether there is a sign.
    fn add_sign_behind(&mut self, text: &str, style: NumberStyle) -> bool {
        let after = text.get(self.range.end..).unwrap_or_default();
        // `5,-` and `5.–` are whole amounts.
        let gap = after.trim_start_matches([',', '.', '-', '–', '—', '~', ' ', '\u{a0}']);
        let gap = if after.len() - gap.len() <= MAX_GAP_BYTES + 2 { gap } else { after };
        // The range ends behind the sign, so white space before it counts.
        let gap = gap.trim_start();
        let Some(sign) = sign_at_start(gap) else { return false };
        let is_joined = gap.len() == after.len() || style == NumberStyle::Comma;
        self.range.end = text.len() - gap.len() + sign.len();
        self.currency = Some(sign.to_owned());
        let cents = gap.get(sign.len()..).unwrap_or_default();
        let digits = cents.bytes().take_while(u8::is_ascii_digit).count();
        let is_whole = !self.decimal.contains('.') && self.power == 0;
        let goes_on = cents.get(digits..).is_some_and(|rest| rest.starts_with(['.', ',']));
        if digits == 2 && is_joined && is_whole && !goes_on && sign.chars().all(is_currency_sign) {
            self.decimal.push('.');
            self.decimal.push_str(cents.get(..digits).unwrap_or_default());
            self.range.end += digits;
        }
        true
    }

    /// Divides a whole number by a hundred if a word for cents stands behind it.
    fn add_hundredths(&mut self, text: &str) {
        let after = text.get(self.range.end..).unwrap_or_default();
        let word = after.trim_start();
        let gap = after.len() - word.len();
        let length: usize =
            word.chars().take_while(|found| found.is_alphabetic() || *found == '¢').map(char::len_utf8).sum();
        let word = word.get(..length).unwrap_or_default().to_lowercase();
        let Ok(number) = self.decimal.parse::<u32>() else { return };
        let is_joined = gap == 0 && JOINED_HUNDREDTHS.contains(&word.as_str());
        let is_spaced = gap <= MAX_GAP_BYTES && HUNDREDTHS.contains(&word.as_str());
        if (is_joined && number <= MAX_JOINED_HUNDREDTHS) || (is_spaced && number <= MAX_HUNDREDTHS) {
            self.decimal = format!("{}.{:02}", number / 100, number % 100);
            self.currency = Some(word);
            self.range.end += gap + length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_found_with_their_currency() {
        let rows = [
            ("£48.99", "48.99", Some("£")),
            ("1.759,99 €", "1759.99", Some("€")),
            ("CHF 19.50", "19.50", Some("CHF")),
            ("R$ 5,00", "5.00", Some("R$")),
            ("30,000원~", "30000", Some("원")),
            ("270,00 Kn", "270.00", Some("Kn")),
            ("99 ر.س", "99", Some("ر.س")),
            ("99 pieces", "99", None),
            ("12 krone", "12", None),
        ];
        for (text, decimal, currency) in rows {
            let found = money_amounts(text).next().unwrap();
            assert_eq!((found.decimal.as_str(), found.currency.as_deref()), (decimal, currency), "{text}");
        }
        assert_eq!(money_amounts("25% off").count(), 0);
    }

    #[test]
    fn magnitudes_and_cents_are_part_of_the_amount() {
        let rows = [
            ("$1.2M", "1200000", "$1.2M"),
            ("£1.2m", "1200000", "£1.2m"),
            ("€450k", "450000", "€450k"),
            ("2,5 Mio. €", "2500000", "2,5 Mio. €"),
            ("250 Tsd. €", "250000", "250 Tsd. €"),
            ("12.8万円", "128000", "12.8万円"),
            ("1億2000万円", "120000000", "1億2000万円"),
            ("3억 5,000만원", "350000000", "3억 5,000만원"),
            ("1万2800円", "12800", "1万2800円"),
            ("$20 K-cups", "20", "$20"),
            ("₹ 96.4 K/month", "96400", "₹ 96.4 K"),
            ("₹ 1.25 Cr", "12500000", "₹ 1.25 Cr"),
            ("₹ 5 Lac", "500000", "₹ 5 Lac"),
            ("Rp 2,5 juta", "2500000", "Rp 2,5 juta"),
            ("89 ct", "0.89", "89 ct"),
            ("99¢", "0.99", "99¢"),
            ("75p", "0.75", "75p"),
            ("12€90", "12.90", "12€90"),
            (",39 €", "0.39", ",39 €"),
            ("-$5", "-5", "$5"),
        ];
        for (text, decimal, sum) in rows {
            let found: Vec<Money> = money_amounts(text).collect();
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].decimal, decimal, "{text}");
            assert_eq!(text.get(found[0].range.clone()), Some(sum), "{text}");
        }
        let french = |style| money_in("12 €90", style).map(|found| found.decimal).collect::<Vec<_>>();
        assert_eq!(french(NumberStyle::Comma), ["12.90"]);
        assert_eq!(french(NumberStyle::Prose), ["12", "90"]);
    }

    #[test]
    fn a_sum_ends_behind_its_sign_whatever_stands_between() {
        for text in ["48\n€", "48\u{2003}€", "48 € each", "48,- € each"] {
            let range = money_amounts(text).next().unwrap().range;
            assert!(text.get(range.clone()).is_some_and(|sum| sum.ends_with('€')), "{text:?}: {range:?}");
        }
    }

    #[test]
    fn unique_signs_have_a_code() {
        let rows =
            [("€", Some("EUR")), ("zł", Some("PLN")), ("$", None), ("12 usd", None), ("USD", Some("USD"))];
        for (text, code) in rows {
            assert_eq!(currency_code(text), code, "{text}");
        }
    }

    #[test]
    fn signs_that_are_no_letters_are_currency_signs() {
        for (sign, _) in SIGNS.iter().filter(|(sign, _)| sign.chars().count() == 1) {
            assert!(sign.contains(|found: char| found.is_alphabetic() || is_currency_sign(found)), "{sign}");
        }
        assert!(!"%°#".contains(is_currency_sign));
    }
}
