//! Units of measure, and exact conversions between those of one kind.

use super::words::fold;

/// What a unit measures. Only units of one kind are converted into each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitKind {
    Length,
    Area,
    Volume,
    Mass,
    /// Up to weeks, in seconds.
    Time,
    /// Months and years, whose days differ.
    Calendar,
    Speed,
    Power,
    Energy,
    /// A unit that has no exact conversion, or whose name has several meanings: gallons, horsepower.
    Other(&'static str),
}

/// A unit: how many of the base unit of its kind it is, as a whole number with a power of ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) kind: UnitKind,
    digits: i64,
    power: i32,
}

/// Names of units in the form of [`fold`], with small digits as plain ones.
const UNITS: &[(UnitKind, i64, i32, &str)] = &[
    (UnitKind::Length, 1, -3, "mm|millimetre|millimetres|millimeter|millimeters|milimetros|мм|毫米|ミリ"),
    (
        UnitKind::Length,
        1,
        -2,
        "cm|centimetre|centimetres|centimeter|centimeters|zentimeter|centimetros|см|厘米|センチ",
    ),
    (UnitKind::Length, 1, 0, "m|metre|metres|meter|meters|metros|metri|м|メートル"),
    (UnitKind::Length, 1, 3, "km|kms|kilometre|kilometres|kilometer|kilometers|kilometros|км|公里"),
    (UnitKind::Length, 254, -4, "in|inch|inches|zoll|\"|″|pouces|pulgadas|インチ"),
    (UnitKind::Length, 3_048, -4, "ft|foot|feet|'|′"),
    (UnitKind::Length, 9_144, -4, "yd|yard|yards"),
    (UnitKind::Length, 1_609_344, -3, "mi|mile|miles"),
    (UnitKind::Area, 1, -4, "cm2|sq cm"),
    (
        UnitKind::Area,
        1,
        0,
        "m2|qm|sqm|sq m|sq metres|sq meters|square metre|square metres|square meter|square meters|\
         quadratmeter|metros cuadrados|metres carres|metri quadrati|mq|m^2|кв м|м2|平米|平方米|平方メートル|㎡|m 2",
    ),
    (UnitKind::Area, 1, 6, "km2|sq km|square kilometre|square kilometres|square kilometers"),
    (UnitKind::Area, 1, 4, "ha|hectare|hectares|hektar"),
    (
        UnitKind::Area,
        9_290_304,
        -8,
        "sqft|sq ft|sq feet|sqfeet|square feet|square foot|ft2|sf|sq foot|ft 2|ft^2",
    ),
    (UnitKind::Area, 83_612_736, -8, "sqyd|sq yd|square yards|square yard|yd2"),
    (UnitKind::Area, 40_468_564_224, -7, "acre|acres|ac"),
    (UnitKind::Volume, 1, -3, "ml|millilitre|millilitres|milliliter|milliliters|мл"),
    (UnitKind::Volume, 1, -2, "cl|centilitre|centilitres"),
    (UnitKind::Volume, 1, -1, "dl|decilitre|decilitres"),
    (UnitKind::Volume, 1, 0, "l|ltr|litre|litres|liter|liters|litros|litri|л"),
    (UnitKind::Volume, 1, 3, "m3|cbm|cubic metre|cubic metres|cubic meters|m^3|м3|㎥"),
    (UnitKind::Volume, 1, -3, "cm3|ccm|cc"),
    (UnitKind::Mass, 1, -3, "mg|milligram|milligrams"),
    (UnitKind::Mass, 1, 0, "g|gr|gram|grams|gramme|grammes|gramm|gramos|grammi|г|гр|克|グラム"),
    (UnitKind::Mass, 1, 3, "kg|kgs|kilo|kilos|kilogram|kilograms|kilogramm|kilogramos|кг|公斤|キロ"),
    (UnitKind::Mass, 1, 6, "t|tonne|tonnes|tonnen|т"),
    (UnitKind::Mass, 45_359_237, -5, "lb|lbs|pound|pounds"),
    (UnitKind::Mass, 28_349_523_125, -9, "oz|ounce|ounces"),
    (UnitKind::Time, 1, 0, "s|sec|secs|second|seconds|sekunden|secondes|segundos|secondi|сек|秒"),
    (UnitKind::Time, 60, 0, "min|mins|minute|minutes|minuten|minutos|minuti|minut|мин|分|分鐘"),
    (
        UnitKind::Time,
        3_600,
        0,
        "h|hr|hrs|hour|hours|std|stunden|stunde|heures|horas|ore|uur|час|часов|時間|小时",
    ),
    (
        UnitKind::Time,
        86_400,
        0,
        "day|days|tage|tagen|tag|jours|jour|dias|dia|giorni|dagen|dage|dni|дней|дня|日間",
    ),
    (UnitKind::Time, 604_800, 0, "week|weeks|wochen|woche|semaines|semanas|settimane|weken|недель"),
    (
        UnitKind::Calendar,
        1,
        0,
        "month|months|monate|monat|monaten|mois|meses|mes|mesi|maanden|miesiecy|месяцев|месяца|ヶ月|か月|个月",
    ),
    (
        UnitKind::Calendar,
        12,
        0,
        "year|years|yr|yrs|jahre|jahr|jahren|ans|annees|anos|ano|anni|anno|jaar|lat|лет|года|год|年",
    ),
    (UnitKind::Speed, 1, 0, "km/h|kmh|kph|kmph"),
    (UnitKind::Speed, 1_609_344, -6, "mph|mi/h"),
    (UnitKind::Power, 1, 0, "w|watt|watts"),
    (UnitKind::Power, 1, 3, "kw|kilowatt|kilowatts|квт"),
    (UnitKind::Power, 73_549_875, -5, "ps|cv|pk"),
    (UnitKind::Energy, 1, 3, "kj|kilojoule|kilojoules"),
    (UnitKind::Energy, 4_184, 0, "kcal|kcals|kilocalories"),
    (UnitKind::Energy, 3_600, 0, "wh"),
    (UnitKind::Energy, 3_600, 3, "kwh"),
    // A horsepower, a gallon and a gigabyte are not the same everywhere.
    (UnitKind::Other("hp"), 1, 0, "hp|bhp|horsepower"),
    (UnitKind::Other("gal"), 1, 0, "gal|gallon|gallons"),
    (UnitKind::Other("mpg"), 1, 0, "mpg"),
    (UnitKind::Other("l/100km"), 1, 0, "l/100km|l/100 km"),
    (UnitKind::Other("kb"), 1, 0, "kb"),
    (UnitKind::Other("mb"), 1, 0, "mb|mib"),
    (UnitKind::Other("gb"), 1, 0, "gb|gib"),
    (UnitKind::Other("tb"), 1, 0, "tb|tib"),
    (UnitKind::Other("mah"), 1, 0, "mah"),
    (UnitKind::Other("v"), 1, 0, "v|volt|volts"),
    (UnitKind::Other("hz"), 1, 0, "hz"),
    (UnitKind::Other("rpm"), 1, 0, "rpm"),
    (UnitKind::Other("nm"), 1, 0, "nm"),
    (UnitKind::Other("celsius"), 1, 0, "°c|℃|celsius"),
    (UnitKind::Other("fahrenheit"), 1, 0, "°f|℉|fahrenheit"),
    (UnitKind::Other("percent"), 1, 0, "%|percent|prozent|pct"),
];

/// Longest name of a unit, in characters.
const MAX_UNIT_CHARS: usize = 22;
/// Upper bound on the gap between a number and its unit, in bytes.
const MAX_GAP_BYTES: usize = 3;
/// Longest number of years before the sign that also ends the name of a year: `12年`, but `2021年`.
const MAX_YEARS_DIGITS: usize = 3;
/// Longest number that is converted, in digits.
const MAX_CONVERTED_DIGITS: usize = 15;
/// Highest power of ten of a conversion.
const MAX_POWER: u32 = 18;
/// Upper bound on the decimals that a conversion adds, unless the units differ by a power of ten. More of
/// them state a precision that the page does not have: 45,123 miles are not 72,618.429312 km.
const MAX_ADDED_DECIMALS: usize = 2;
/// First character of the scripts that write words without blanks between them.
const FIRST_UNSPACED: char = '\u{2e80}';

impl Unit {
    /// The unit with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = plain(name);
        UNITS
            .iter()
            .find(|(.., names)| names.split('|').any(|known| known == name))
            .map(|(kind, digits, power, _)| Self { kind: *kind, digits: *digits, power: *power })
    }

    /// Whether it measures time.
    pub(crate) const fn is_of_time(self) -> bool {
        matches!(self.kind, UnitKind::Time | UnitKind::Calendar)
    }

    /// The unit behind a number, and the bytes up to its end.
    pub(crate) fn behind(number: &str, text: &str) -> Option<(Self, usize)> {
        let rest = text.trim_start_matches(['-', ' ', '\u{a0}', '\u{2009}', '\u{202f}']);
        let gap = text.len() - rest.len();
        if gap > MAX_GAP_BYTES || rest.is_empty() {
            return None;
        }
        // The longest name counts: `sq ft` before `sq`, `m²` before `m`.
        let ends: Vec<usize> =
            rest.char_indices().take(MAX_UNIT_CHARS).map(|(at, found)| at + found.len_utf8()).collect();
        ends.into_iter().rev().find_map(|end| {
            let name = rest.get(..end)?;
            let next = rest.get(end..).and_then(|behind| behind.chars().next());
            let last = name.chars().next_back()?;
            let is_letter = last.is_alphanumeric() && last < FIRST_UNSPACED;
            let is_cut = last.is_whitespace()
                || (is_letter && next.is_some_and(|next| next.is_alphanumeric() || next == '^'));
            // `5 in stock` are no inches.
            let is_word = name.eq_ignore_ascii_case("in")
                && rest.get(end..).is_some_and(|behind| behind.trim_start().starts_with(char::is_alphabetic));
            let is_year = name == "年" && number.len() > MAX_YEARS_DIGITS;
            let unit = Self::named(name).filter(|_| !is_cut && !is_word && !is_year)?;
            Some((unit, gap + end))
        })
    }

    /// A number of this unit in another one; `None` if there is no exact conversion.
    pub(crate) fn convert(self, decimal: &str, into: Self) -> Option<String> {
        if self == into {
            return Some(decimal.to_owned());
        }
        if self.kind != into.kind || matches!(self.kind, UnitKind::Other(_)) {
            return None;
        }
        let (sign, positive) = decimal.strip_prefix('-').map_or(("", decimal), |positive| ("-", positive));
        let (whole, fraction) = positive.split_once('.').unwrap_or((positive, ""));
        if whole.len() + fraction.len() > MAX_CONVERTED_DIGITS {
            return None;
        }
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let mut over = digits.checked_mul(i128::from(self.digits))?;
        let under = i128::from(into.digits);
        // The result is `over / under * 10^power`.
        let mut power = self.power - into.power - i32::try_from(fraction.len()).ok()?;
        let mut steps = 0;
        while over % under != 0 {
            steps += 1;
            if steps > MAX_POWER {
                return None;
            }
            over = over.checked_mul(10)?;
            power -= 1;
        }
        let found = written(over / under, power)?;
        let decimals = found.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let is_exact = self.digits == into.digits || decimals <= fraction.len() + MAX_ADDED_DECIMALS;
        is_exact.then(|| format!("{sign}{found}"))
    }
}

/// A whole number times a power of ten, without needless zeros.
fn written(number: i128, power: i32) -> Option<String> {
    let mut digits = number.to_string();
    let shift = usize::try_from(power.unsigned_abs()).ok().filter(|shift| *shift <= 40)?;
    if power >= 0 {
        digits.extend(std::iter::repeat_n('0', if number == 0 { 0 } else { shift }));
        return Some(digits);
    }
    if digits.len() <= shift {
        digits = format!("{}{digits}", "0".repeat(shift + 1 - digits.len()));
    }
    digits.insert(digits.len() - shift, '.');
    Some(digits.trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// The name of a unit in the form of the table.
fn plain(name: &str) -> String {
    let name: String = name
        .chars()
        .filter_map(|found| match found {
            '²' => Some('2'),
            '³' => Some('3'),
            '.' => None,
            '\u{a0}' | '\u{2009}' | '\u{202f}' | '_' | '-' => Some(' '),
            other => Some(other),
        })
        .collect();
    fold(name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_behind_numbers() {
        let rows = [
            ("65", " m² of space", "m2", " m²"),
            ("65", "m2", "m2", "m2"),
            ("1700", " sq. ft.", "sqft", " sq. ft."),
            ("31", "kg", "kg", "kg"),
            ("12", "年", "years", "年"),
            ("45123", " miles", "mi", " miles"),
            ("6", "-inch", "inches", "-inch"),
        ];
        for (number, text, name, read) in rows {
            let (unit, bytes) = Unit::behind(number, text).unwrap();
            assert_eq!(Some(unit), Unit::named(name), "{text}");
            assert_eq!(text.get(..bytes), Some(read), "{text}");
        }
        for (number, text) in [
            ("2021", "年"),
            ("5", " people"),
            ("5", " most"),
            ("5", " in stock"),
            ("5", " мест"),
            ("3", " hundred"),
        ] {
            assert_eq!(Unit::behind(number, text), None, "{text}");
        }
    }

    #[test]
    fn conversions_are_exact_or_none() {
        let rows = [
            ("31", "kg", "g", Some("31000")),
            ("4.2", "m", "cm", Some("420")),
            ("0.25", "acres", "sqft", Some("10890")),
            ("6", "ft", "cm", Some("182.88")),
            ("1700", "sqft", "m2", None),
            ("45123", "miles", "km", None),
            ("5", "years", "months", Some("60")),
            ("90", "min", "h", Some("1.5")),
            ("-2", "m", "mm", Some("-2000")),
            ("0", "m", "mm", Some("0")),
            ("31", "kg", "lbs", None),
            ("150", "hp", "kw", None),
            ("31", "kg", "m", None),
            ("5", "weeks", "months", None),
            ("8", "GB", "MB", None),
        ];
        for (number, from, into, expected) in rows {
            let found = Unit::named(from).unwrap().convert(number, Unit::named(into).unwrap());
            assert_eq!(found.as_deref(), expected, "{number} {from} in {into}");
        }
    }

    #[test]
    fn names_are_plain() {
        for name in UNITS.iter().flat_map(|(.., names)| names.split('|')) {
            assert_eq!(plain(name), name);
        }
    }
}
