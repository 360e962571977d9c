//! The words around the name of a site: in labels of links and logos, and in copyright notices.

/// Longest name of a site, in bytes and in words.
const MAX_NAME_BYTES: usize = 80;
const MAX_NAME_WORDS: usize = 8;
/// Signs around a name that are no part of it.
const SIGNS: &[char] = &[
    '|', '-', '–', '—', '·', '•', ',', ';', ':', '©', '®', '™', '»', '«', '›', '‹', '(', '"', '“', '”', '/',
];
/// Words around a name that say what shows it or where a link leads, in lower case.
const GENERIC_WORDS: &[&str] = &[
    "logo",
    "logotype",
    "logotyp",
    "logotipo",
    "icon",
    "image",
    "feed",
    "rss",
    "atom",
    "home",
    "homepage",
    "page",
    "link",
    "to",
    "go",
    "back",
    "return",
    "visit",
    "site",
    "website",
    "startseite",
    "zur",
    "accueil",
    "retour",
    "inicio",
    "página",
    "principal",
    "início",
    "strona",
    "główna",
    "etusivu",
    "hjem",
    "startsida",
    "forside",
    "domů",
    "главная",
    "ホーム",
    "首页",
];
/// Words before the name in a copyright notice, in lower case.
const BEFORE_HOLDER: &[&str] = &[
    "copyright",
    "copyrights",
    "c",
    "by",
    "von",
    "par",
    "por",
    "di",
    "since",
    "seit",
    "depuis",
    "und",
    "and",
    "present",
];
/// How the reservation of rights starts, in lower case.
const RIGHTS: &[&str] = &[
    "all rights",
    "all content",
    "all right",
    "alle rechte",
    "tous droits",
    "todos los derechos",
    "tutti i diritti",
    "todos os direitos",
    "alle rechten",
    "alla rättigheter",
    "alle rettigheder",
    "alle rettigheter",
    "kaikki oikeudet",
    "wszelkie prawa",
    "wszystkie prawa",
    "všechna práva",
    "všetky práva",
    "minden jog",
    "toate drepturile",
    "tüm hakları",
    "все права",
    "всички права",
    "усі права",
    "всі права",
    "με επιφύλαξη",
    "rights reserved",
    "reserved",
];
/// Words that end the name in a copyright notice.
const AFTER_HOLDER: &[&str] = &[
    " is a ",
    " is an ",
    " is the ",
    " a division ",
    " an imprint ",
    " part of ",
    " or its ",
    " and its ",
    " and/or ",
    " und ihre ",
    " et ses ",
];
/// Signs that end the name in a copyright notice.
const ENDS: &[&str] = &["|", "·", "•", "©", "\n", " - ", " – ", " — ", ". ", "! ", "/ ", ";"];

/// A text without the signs around it, if it can be the name of a site.
pub(super) fn tidy(text: &str) -> Option<&str> {
    let text = text.trim_matches(|found: char| found.is_whitespace() || SIGNS.contains(&found));
    let is_name = (2..=MAX_NAME_BYTES).contains(&text.len())
        && text.contains(char::is_alphabetic)
        && !text.contains('\n')
        && text.split_whitespace().take(MAX_NAME_WORDS + 1).count() <= MAX_NAME_WORDS;
    is_name.then_some(text)
}

/// A label without the words that say what it labels: `Acme` of `Acme logo` and of `Go to Acme home page`.
pub(super) fn without_generic_words(text: &str) -> &str {
    let is_generic = |word: &str| {
        let bare = word.trim_matches(|found: char| !found.is_alphanumeric()).to_lowercase();
        bare.is_empty() || GENERIC_WORDS.contains(&bare.as_str())
    };
    let mut rest = text.trim();
    loop {
        let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if rest.is_empty() || !is_generic(first) {
            break;
        }
        rest = after.trim_start();
    }
    loop {
        let (before, last) = rest.rsplit_once(char::is_whitespace).unwrap_or(("", rest));
        if rest.is_empty() || !is_generic(last) {
            return rest;
        }
        rest = before.trim_end();
    }
}

/// Who has the rights, from the text after the sign of a copyright notice.
pub(super) fn copyright_holder(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|found: char| !found.is_alphanumeric());
        let end = rest.find(|found: char| !found.is_alphanumeric()).unwrap_or(rest.len());
        let (first, after) = rest.split_at_checked(end)?;
        let is_before = is_year(first) || BEFORE_HOLDER.iter().any(|word| word.eq_ignore_ascii_case(first));
        if first.is_empty() || !is_before {
            break;
        }
        rest = after;
    }
    // The same length as the text, so that positions are those of the text.
    let lower = rest.to_ascii_lowercase();
    let phrases = RIGHTS.iter().chain(AFTER_HOLDER).chain(ENDS);
    let end = phrases.filter_map(|phrase| find(rest, &lower, phrase)).chain(year_at(rest)).min();
    let holder = rest.get(..end.unwrap_or(rest.len()))?;
    tidy(holder.trim_end_matches(['.', ',', ' ', '\n']))
}

/// The position of a phrase in a text, whatever the case of ASCII letters and of the first letter.
fn find(text: &str, lower: &str, phrase: &str) -> Option<usize> {
    lower.find(phrase).or_else(|| {
        let mut letters = phrase.chars();
        let first = letters.next().filter(|first| !first.is_ascii() && first.is_alphabetic())?;
        let capital: String = first.to_uppercase().chain(letters).collect();
        text.find(&capital)
    })
}

/// The position of a year after the name: `Acme 2021`.
fn year_at(text: &str) -> Option<usize> {
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_matches(|found: char| !found.is_alphanumeric());
        if at > 0 && (is_year(bare) || bare.split(['-', '–']).all(is_year)) {
            return Some(at);
        }
        at += word.len();
    }
    None
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_lose_the_words_that_say_what_they_label() {
        let rows = [
            ("Acme logo", "Acme"),
            ("Go to Acme Tools home page", "Acme Tools"),
            ("Logo - Acme", "Acme"),
            ("Home", ""),
            ("Acme", "Acme"),
        ];
        for (text, expected) in rows {
            assert_eq!(without_generic_words(text), expected, "{text}");
        }
    }

    #[test]
    fn copyright_notices_name_who_has_the_rights() {
        let rows = [
            (" 2021 Acme Tools. All rights reserved.", Some("Acme Tools")),
            ("2001-2021 by Acme GmbH | Imprint", Some("Acme GmbH")),
            (" (c) Acme 2021", Some("Acme")),
            (" 2021 Акме Все права защищены", Some("Акме")),
            (" 2021, Acme, Inc. and its partners", Some("Acme, Inc")),
            (" 2021 All rights reserved", None),
            (" 2021", None),
        ];
        for (text, expected) in rows {
            assert_eq!(copyright_holder(text), expected, "{text}");
        }
    }
}
