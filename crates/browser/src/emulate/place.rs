//! Time zones and languages of countries.

/// One country a line: its code (ISO 3166-1 alpha-2), the time zone of most of its people (tz database), and
/// its most widely used language (CLDR), with tabs between them.
const COUNTRIES: &str = include_str!("countries.tsv");

/// Without languages and country.
const DEFAULT_LANGUAGES: [&str; 2] = ["en-US", "en"];

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Country {
    code: &'static str,
    /// A name of the tz database.
    pub(super) time_zone: &'static str,
    /// A language without region.
    language: &'static str,
}

impl Country {
    /// The country with this code, in any case.
    pub(super) fn find(code: &str) -> Option<Self> {
        COUNTRIES.lines().filter_map(Self::parse).find(|country| country.code.eq_ignore_ascii_case(code))
    }

    fn parse(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let country = Self { code: fields.next()?, time_zone: fields.next()?, language: fields.next()? };
        fields.next().is_none().then_some(country)
    }
}

/// The languages of a page: those of the request, or those of its country followed by English.
pub(super) fn languages(requested: &[String], country: Option<&Country>) -> Vec<String> {
    // The browser refuses the user agent and the languages together if one character is not allowed.
    let is_tag = |tag: &&String| tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let requested: Vec<_> = requested.iter().filter(is_tag).filter(|tag| !tag.is_empty()).cloned().collect();
    if !requested.is_empty() {
        return requested;
    }
    let Some(Country { code, language, .. }) = country else {
        return DEFAULT_LANGUAGES.map(str::to_owned).into();
    };
    let mut languages = vec![format!("{language}-{code}"), (*language).to_owned()];
    if *language != "en" {
        languages.push("en".to_owned());
    }
    languages
}

/// The header `Accept-Language` as Chromium writes it: each language has a lower weight than the one before,
/// down to 0.1.
pub(super) fn accept_language(languages: &[String]) -> String {
    let mut header = String::new();
    for (index, language) in languages.iter().enumerate() {
        if index > 0 {
            header.push(',');
        }
        header.push_str(language);
        if index > 0 {
            header.push_str(&format!(";q=0.{}", 10_usize.saturating_sub(index).max(1)));
        }
    }
    header
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_has_every_country_once() {
        let mut codes = BTreeSet::new();
        for line in COUNTRIES.lines() {
            let country = Country::parse(line).unwrap_or_else(|| panic!("{line:?}"));
            assert!(
                country.code.len() == 2 && country.code.bytes().all(|b| b.is_ascii_uppercase()),
                "{line}"
            );
            assert!(country.time_zone.contains('/') && country.time_zone.is_ascii(), "{line}");
            let is_language = matches!(country.language.len(), 2 | 3)
                && country.language.bytes().all(|byte| byte.is_ascii_lowercase());
            assert!(is_language, "{line}");
            assert_eq!(Country::find(&country.code.to_lowercase()), Some(country));
            codes.insert(country.code);
        }
        assert_eq!((codes.len(), COUNTRIES.lines().count()), (249, 249));
        for code in ["", "U", "USA", "XX", "US\t"] {
            assert_eq!(Country::find(code), None, "{code:?}");
        }
    }

    #[test]
    fn languages_follow_the_request_then_the_country() {
        let cases: [(&[&str], Option<&str>, &str); 8] = [
            (&[], None, "en-US,en;q=0.9"),
            (&[], Some("US"), "en-US,en;q=0.9"),
            (&[], Some("GB"), "en-GB,en;q=0.9"),
            (&[], Some("DE"), "de-DE,de;q=0.9,en;q=0.8"),
            (&["fr-CA", "fr"], Some("DE"), "fr-CA,fr;q=0.9"),
            (&["ja"], None, "ja"),
            (&["de\r\nX: y", "pt-BR"], Some("DE"), "pt-BR"),
            (&[""], Some("XX"), "en-US,en;q=0.9"),
        ];
        for (requested, country, expected) in cases {
            let requested: Vec<String> = requested.iter().map(ToString::to_string).collect();
            let languages = languages(&requested, country.and_then(Country::find).as_ref());
            assert_eq!(accept_language(&languages), expected, "{requested:?} {country:?}");
        }
    }

    #[test]
    fn weights_stay_above_zero() {
        let many = vec!["en".to_owned(); 30];
        let header = accept_language(&many);
        assert!(header.ends_with("en;q=0.1"), "{header}");
        assert!(!header.contains("q=0.0") && !header.contains("q=0.10"), "{header}");
    }
}
