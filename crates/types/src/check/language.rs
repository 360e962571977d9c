//! Checks language tags by the grammar of RFC 5646.

use crate::limits::MAX_LANGUAGE_TAG_CHARS;

/// Tags that RFC 5646 keeps although they do not follow its grammar (section 2.2.8, "irregular"), in lower
/// case.
const IRREGULAR: [&str; 17] = [
    "en-gb-oed",
    "i-ami",
    "i-bnn",
    "i-default",
    "i-enochian",
    "i-hak",
    "i-klingon",
    "i-lux",
    "i-mingo",
    "i-navajo",
    "i-pwn",
    "i-tao",
    "i-tay",
    "i-tsu",
    "sgn-be-fr",
    "sgn-be-nl",
    "sgn-ch-de",
];

/// Whether this is a well-formed language tag (RFC 5646, section 2.1). Its parts may be unregistered.
pub(crate) fn is_well_formed(tag: &str) -> bool {
    if tag.len() > MAX_LANGUAGE_TAG_CHARS {
        return false;
    }
    if IRREGULAR.contains(&tag.to_ascii_lowercase().as_str()) {
        return true;
    }
    let mut parts = tag.split('-').peekable();
    let Some(language) = parts.next() else { return false };
    if language.eq_ignore_ascii_case("x") {
        return private_use(parts);
    }
    if !(is_alphabetic(language) && (2..=8).contains(&language.len())) {
        return false;
    }
    if language.len() <= 3 {
        // At most three extended languages.
        for _ in 0..3 {
            parts.next_if(|part| part.len() == 3 && is_alphabetic(part));
        }
    }
    parts.next_if(|script| script.len() == 4 && is_alphabetic(script));
    parts.next_if(|region| {
        (region.len() == 2 && is_alphabetic(region)) || (region.len() == 3 && is_numeric(region))
    });
    while parts.next_if(|part| is_variant(part)).is_some() {}
    while let Some(singleton) = parts.next() {
        if singleton.eq_ignore_ascii_case("x") {
            return private_use(parts);
        }
        if !(singleton.len() == 1 && is_alphanumeric(singleton)) {
            return false;
        }
        let mut extended = false;
        while parts.next_if(|part| (2..=8).contains(&part.len()) && is_alphanumeric(part)).is_some() {
            extended = true;
        }
        if !extended {
            return false;
        }
    }
    true
}

fn private_use<'a>(mut parts: impl Iterator<Item = &'a str>) -> bool {
    let fits = |part: &str| (1..=8).contains(&part.len()) && is_alphanumeric(part);
    parts.next().is_some_and(fits) && parts.all(fits)
}

fn is_variant(part: &str) -> bool {
    is_alphanumeric(part)
        && ((5..=8).contains(&part.len())
            || (part.len() == 4 && part.starts_with(|first: char| first.is_ascii_digit())))
}

fn is_alphabetic(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_numeric(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_alphanumeric(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_the_standard() {
        // RFC 5646, appendix A, and some that it calls malformed.
        for tag in [
            "de",
            "en-US",
            "es-419",
            "zh-Hans",
            "zh-cmn-Hans-CN",
            "sl-rozaj-biske-1994",
            "de-CH-1901",
            "x-whatever",
            "qaa-Qaaa-QM-x-southern",
            "en-a-myext-b-another",
            "i-enochian",
            "en-GB-oed",
            "EN-us",
            "de-DE-u-co-phonebk",
        ] {
            assert!(is_well_formed(tag), "{tag}");
        }
        for tag in [
            "",
            "-",
            "e",
            "en_US",
            "en-",
            "en-US-",
            "a-DE",
            "123",
            "en-x",
            "en-a",
            "en;q=0.9",
            "é",
            "toolonglanguage",
        ] {
            assert!(!is_well_formed(tag), "{tag}");
        }
    }
}
