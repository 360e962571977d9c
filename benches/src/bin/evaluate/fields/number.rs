//! Numbers as pages write them.

/// Longest number, in digits.
const MAX_DIGITS: usize = 12;

/// All numbers of a text, each in every reading of its separators: `1.299` is 1299 and 1.299.
pub(super) fn readings(text: &str) -> Vec<f64> {
    let mut out = Vec::new();
    let mut run = String::new();
    for found in text.chars().chain(['\n']) {
        if found.is_ascii_digit() {
            run.push(found);
            continue;
        }
        let after_digit = run.ends_with(|last: char| last.is_ascii_digit());
        match found {
            '.' | ',' | '\'' | '’' if after_digit => run.push(if found == '’' { '\'' } else { found }),
            ' ' | '\u{a0}' | '\u{202f}' if after_digit => run.push(' '),
            _ => {
                read_run(&run, &mut out);
                run.clear();
            }
        }
    }
    out
}

/// A run of digits and separators: each part between blanks, and the whole if the blanks separate thousands.
fn read_run(run: &str, out: &mut Vec<f64>) {
    let parts: Vec<&str> = run.split(' ').filter(|part| !part.is_empty()).collect();
    for part in &parts {
        read_part(part, out);
    }
    let grouped = parts
        .iter()
        .skip(1)
        .all(|part| part.bytes().take_while(u8::is_ascii_digit).count() == 3 && part.len() <= 6);
    if parts.len() > 1 && parts.len() <= 4 && grouped {
        read_part(&parts.concat(), out);
    }
}

fn read_part(part: &str, out: &mut Vec<f64>) {
    let part = part.trim_end_matches(['.', ',', '\'']);
    let digits: String = part.chars().filter(char::is_ascii_digit).collect();
    if digits.is_empty() || digits.len() > MAX_DIGITS {
        return;
    }
    out.extend(digits.parse::<f64>().ok());
    if let Some((whole, fraction)) = part.rsplit_once(['.', ',']) {
        let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
        out.extend(format!("{whole}.{fraction}").parse::<f64>().ok());
    }
}

/// The number that data states: a decimal with a point, else the first number of the text, read as data.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(found) = text.parse::<f64>() {
        return found.is_finite().then_some(found);
    }
    let from = text.find(|found: char| found.is_ascii_digit())?;
    let rest = text.get(from..)?;
    let end = rest.find(|found: char| !found.is_ascii_digit() && !matches!(found, '.' | ','));
    let written = rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches(['.', ',']);
    // A comma before one or two digits at the end is a decimal comma, other commas separate thousands.
    let decimal_comma =
        written.rsplit_once(',').is_some_and(|(_, cents)| cents.len() <= 2 && !cents.contains('.'));
    let written =
        if decimal_comma { written.replace('.', "").replace(',', ".") } else { written.replace(',', "") };
    written.parse().ok()
}

/// The number in ten-thousandths, for sets.
pub(super) fn key(value: f64) -> i64 {
    (value * 10_000.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_each_reading_of_its_separators() {
        let rows: [(&str, f64); 7] = [
            ("1.299,50 €", 1299.5),
            ("$1,299.50", 1299.5),
            ("1 299,00 zł", 1299.0),
            ("CHF 1'299.-", 1299.0),
            ("4.5", 4.5),
            ("24.990 Ft", 24990.0),
            ("in 2 3 4", 3.0),
        ];
        for (text, expected) in rows {
            assert!(readings(text).iter().any(|found| key(*found) == key(expected)), "{text}");
        }
        assert!(!readings("12 3456").iter().any(|found| key(*found) == key(123_456.0)));
    }

    #[test]
    fn data_states_one_number() {
        let rows =
            [("12.50", Some(12.5)), ("1,299.00", Some(1299.0)), ("12,5 kg", Some(12.5)), ("none", None)];
        for (text, expected) in rows {
            assert_eq!(number(text).map(key), expected.map(key), "{text}");
        }
    }
}
