//! Names of sites by their letters, for comparison with each other and with the host name.

use std::ops::Range;

use crate::bind::letters;

/// Legal forms, by their letters.
const LEGAL_FORMS: &[&str] = &[
    "ab",
    "ag",
    "as",
    "asa",
    "aps",
    "bt",
    "bv",
    "co",
    "company",
    "corp",
    "corporation",
    "doo",
    "eg",
    "ev",
    "gmbh",
    "inc",
    "incorporated",
    "kft",
    "kg",
    "kgaa",
    "limited",
    "llc",
    "llp",
    "ltd",
    "ltda",
    "mbh",
    "nv",
    "ohg",
    "oy",
    "oyj",
    "plc",
    "pte",
    "pty",
    "pvt",
    "sa",
    "sas",
    "sarl",
    "se",
    "sk",
    "sl",
    "slu",
    "snc",
    "spa",
    "spzoo",
    "srl",
    "sro",
    "ug",
    "zrt",
    "vof",
    "cie",
    "og",
    "ou",
    "ооо",
    "оао",
    "зао",
    "ао",
    "тов",
    "еоод",
];
/// Articles that a name may have before it or not.
const ARTICLES: &[&str] = &[
    "the", "der", "die", "das", "le", "la", "les", "el", "los", "las", "il", "lo", "gli", "de", "het", "den",
    "os", "as",
];
/// Parts of host names that name no site but a part of one.
const PART_LABELS: &[&str] = &[
    "www",
    "www2",
    "blog",
    "blogs",
    "news",
    "shop",
    "store",
    "forum",
    "forums",
    "community",
    "support",
    "help",
    "docs",
    "mobile",
    "app",
    "apps",
    "web",
    "learn",
    "about",
    "info",
    "media",
    "wiki",
    "shop1",
    "boards",
    "discuss",
    "resources",
    "magazine",
    "jobs",
    "careers",
    "events",
    "home",
    "static",
    "secure",
    "online",
];
/// Words before the country in an ending such as `co.uk`.
const ENDING_LABELS: &[&str] =
    &["ac", "co", "com", "edu", "go", "gov", "gob", "govt", "ne", "net", "or", "org"];
/// Shortest part of a host name that names a site, in bytes.
const MIN_LABEL_BYTES: usize = 3;
/// Upper bound on the parts of a host name.
const MAX_LABELS: usize = 3;
/// Fewest characters that a name and a host name share.
pub(super) const MIN_SHARED_CHARS: usize = 4;
/// Longest top-level domain of a name such as `acme.com`, in bytes.
const MAX_DOMAIN_BYTES: usize = 6;
/// Upper bound on the signs between two letters of a name.
const MAX_GAP: usize = 3;

/// A name by the letters and digits of its words, without legal form, article and domain.
pub(super) fn key(text: &str) -> String {
    let mut words: Vec<String> = text.split_whitespace().map(without_domain).map(letters).collect();
    words.retain(|word| !word.is_empty());
    if words.len() > 1 && words.first().is_some_and(|first| ARTICLES.contains(&first.as_str())) {
        words.remove(0);
    }
    while words.len() > 1 && words.last().is_some_and(|last| LEGAL_FORMS.contains(&last.as_str())) {
        words.pop();
    }
    words.concat()
}

/// `www.acme.com` is `acme`.
fn without_domain(word: &str) -> &str {
    if !word.contains(['.', '/']) {
        return word;
    }
    let bare = word.trim_start_matches("https://").trim_start_matches("http://");
    let bare = bare.trim_start_matches("www.").trim_end_matches(['/', '.', ',', ';', ')']);
    match bare.rsplit_once('.') {
        Some((name, domain))
            if name.len() >= MIN_LABEL_BYTES
                && (2..=MAX_DOMAIN_BYTES).contains(&domain.len())
                && domain.bytes().all(|byte| byte.is_ascii_lowercase()) =>
        {
            name
        }
        _ => bare,
    }
}

/// The parts of a host name that may be the name of the site, by their letters, the last one first.
pub(super) fn host_labels(host: &str) -> Vec<String> {
    let mut labels: Vec<&str> = host.split('.').collect();
    let country = labels.pop().unwrap_or_default();
    // `co.uk`
    if labels.len() > 1
        && country.len() == 2
        && labels.last().is_some_and(|last| ENDING_LABELS.contains(last))
    {
        labels.pop();
    }
    let known = labels.into_iter().rev().map(letters);
    known
        .filter(|label| label.len() >= MIN_LABEL_BYTES && !PART_LABELS.contains(&label.as_str()))
        .take(MAX_LABELS)
        .collect()
}

/// The first words of a text that have the letters of a host name, with a capital if any have one.
pub(super) fn host_run(text: &str, host: &str) -> Option<Range<usize>> {
    let first = host.chars().next()?;
    let mut small = None;
    let mut is_start = true;
    for (at, found) in text.char_indices() {
        let starts = is_start;
        is_start = !found.is_alphanumeric();
        if !starts || !found.to_lowercase().eq([first]) {
            continue;
        }
        let Some(length) = text.get(at..).and_then(|rest| run_length(rest, host)) else { continue };
        let run = at..at + length;
        if text.get(run.clone()).is_some_and(|run| run.contains(char::is_uppercase)) {
            return Some(run);
        }
        small = small.or(Some(run));
    }
    small
}

/// The bytes at the start of a text that have these letters, if a word ends there.
fn run_length(text: &str, host: &str) -> Option<usize> {
    let mut wanted = host.chars();
    let mut expected = wanted.next();
    let (mut end, mut gap) = (0, 0);
    for (at, found) in text.char_indices() {
        if expected.is_none() {
            return (!found.is_alphanumeric()).then_some(end);
        }
        if found.is_alphanumeric() {
            if !found.to_lowercase().eq(expected) {
                return None;
            }
            expected = wanted.next();
            (end, gap) = (at + found.len_utf8(), 0);
        } else {
            gap += 1;
            if gap > MAX_GAP || found == '\n' {
                return None;
            }
        }
    }
    expected.is_none().then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_site_have_one_key() {
        let rows = [
            ("The Acme Tools Co.", "acmetools"),
            ("www.acme.com", "acme"),
            ("ACME GmbH & Co. KG", "acme"),
            ("Driving-Tests.org", "drivingtests"),
            ("Die Zeit", "zeit"),
            ("The", "the"),
        ];
        for (text, expected) in rows {
            assert_eq!(key(text), expected, "{text}");
        }
    }

    #[test]
    fn host_names_are_cut_at_their_points() {
        let rows: [(&str, &[&str]); 5] = [
            ("www.acme-tools.co.uk", &["acmetools"]),
            ("blog.acme.example", &["acme"]),
            ("ada.acme.example", &["acme", "ada"]),
            ("abc.example", &["abc"]),
            ("localhost", &[]),
        ];
        for (host, expected) in rows {
            assert_eq!(host_labels(host), expected, "{host}");
        }
    }

    #[test]
    fn a_page_writes_its_host_name_with_blanks_and_capitals() {
        let rows = [
            ("We at acmetools say: Acme Tools are best", Some("Acme Tools")),
            ("see acmetools.example", Some("acmetools")),
            ("Acme Toolshed", None),
            ("Acme\nTools", None),
            ("Acme-Tools", Some("Acme-Tools")),
        ];
        for (text, expected) in rows {
            let found = host_run(text, "acmetools").map(|range| text.get(range).unwrap());
            assert_eq!(found, expected, "{text}");
        }
    }
}
