//! Reads e-mail addresses and telephone numbers.

/// Shortest end of a telephone number that is cut off an e-mail address, in bytes.
const MIN_GLUED_BYTES: usize = 4;

/// The first e-mail address in a text, of the common form `local@host.tld` (RFC 5322's dot-atom).
pub(crate) fn email(text: &str) -> Option<String> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find('@') {
        let at = from + found;
        let allowed = |found: char| found.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(found);
        let before = text.get(..at)?;
        let local =
            before.rsplit(|found: char| !allowed(found)).next()?.trim_start_matches(['.', '\'', '/', '=']);
        let local = without_phone(before.strip_suffix(local).unwrap_or_default(), local);
        let local = local.get(local.len().saturating_sub(64)..)?;
        let after = text.get(at + 1..)?;
        let host: String = after
            .chars()
            .take(253)
            .take_while(|found| found.is_alphanumeric() || matches!(found, '.' | '-'))
            .collect();
        let host = host.trim_end_matches(['.', '-']);
        let known = host.rsplit_once('.').is_some_and(|(name, top)| {
            !name.is_empty() && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic)
        });
        if !local.is_empty() && known && !host.contains("..") {
            return Some(format!("{local}@{host}"));
        }
        from = at + 1;
    }
    None
}

/// The local part of an e-mail address without the end of a telephone number that is glued to it:
/// `(888) 981-6893info`.
fn without_phone<'t>(before: &str, local: &'t str) -> &'t str {
    let name = local.trim_start_matches(|found: char| found.is_ascii_digit() || found == '-');
    let number = local.len() - name.len();
    let follows_digits = before.trim_end().ends_with(|found: char| found.is_ascii_digit() || found == ')');
    if follows_digits && number >= MIN_GLUED_BYTES && !name.is_empty() { name } else { local }
}

/// The first telephone number in a text, as written: 7 to 15 digits (E.164) with the usual separators
/// (E.123), and either an international prefix, brackets or groups. A plain run of digits is an identifier,
/// not a telephone number.
pub(crate) fn phone(text: &str) -> Option<String> {
    let text = text.strip_prefix("tel:").map_or(text, str::trim_start);
    let part = |found: char| found.is_ascii_digit() || "+()-./ \u{a0}".contains(found);
    for run in text.split(|found: char| !part(found)) {
        let run =
            run.trim_matches(|found: char| !found.is_ascii_digit() && !matches!(found, '+' | '(')).trim();
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        let grouped = run.starts_with('+')
            || run.contains('(')
            || run.split([' ', '-', '.', '/', '\u{a0}']).count() > 2;
        let dated = run.split(['-', '.', '/']).count() == 3 && digits == 8;
        if (7..=15).contains(&digits) && grouped && !dated {
            return Some(run.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_addresses_are_found() {
        let rows = [
            ("write to jane.doe+x@example.co.uk.", Some("jane.doe+x@example.co.uk")),
            ("mailto:a@b.org", Some("a@b.org")),
            ("(888) 981-6893info@b.org", Some("info@b.org")),
            ("Room 12 24hours@b.org", Some("24hours@b.org")),
            ("@handle", None),
            ("a@b", None),
        ];
        for (text, expected) in rows {
            assert_eq!(email(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn telephone_numbers_differ_from_identifiers() {
        let rows = [
            ("Call +44 20 7946 0958 now", Some("+44 20 7946 0958")),
            ("(555) 123-4567", Some("(555) 123-4567")),
            ("tel:+15551234567", Some("+15551234567")),
            ("order 5551234567", None),
            ("2021-03-04", None),
        ];
        for (text, expected) in rows {
            assert_eq!(phone(text).as_deref(), expected, "{text}");
        }
    }
}
