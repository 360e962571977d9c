//! What texts can be: a name, a place, a term.

use super::affix::is_affix;
use super::count::is_count_word;
use super::date::dates;
use super::duration::durations;
use super::money::is_currency_sign;
use super::time_of_day::time_at;
use super::token::{Tokens, digit_value, is_letter};
use super::words::fold;

/// Longest name, in words and in characters.
const MAX_NAME_WORDS: usize = 8;
const MAX_NAME_CHARS: usize = 100;
/// Longest name in a script without blanks between words, in characters.
const MAX_UNSPACED_CHARS: usize = 24;
/// Longest place, in characters and in words.
const MAX_PLACE_CHARS: usize = 160;
const MAX_PLACE_WORDS: usize = 24;
/// Longest term, in words and in characters.
const MAX_TERM_WORDS: usize = 6;
const MAX_TERM_CHARS: usize = 60;
/// Longest stem of an abbreviation, in letters.
const MAX_ABBREVIATION: usize = 4;

/// Words that answer a question or stand for nothing, in the form of [`fold`].
const NO_TEXTS: &[&str] = &[
    "true",
    "false",
    "yes",
    "no",
    "none",
    "null",
    "nil",
    "undefined",
    "nan",
    "n/a",
    "na",
    "on",
    "off",
    "ja",
    "nein",
    "nej",
    "nee",
    "nei",
    "oui",
    "non",
    "si",
    "sim",
    "nao",
    "tak",
    "nie",
    "ano",
    "ne",
    "da",
    "nu",
    "igen",
    "nem",
    "evet",
    "hayir",
    "kylla",
    "ei",
    "jah",
    "taip",
    "да",
    "нет",
    "так",
    "ні",
    "не",
    "ναι",
    "οχι",
    "はい",
    "いいえ",
    "是",
    "否",
    "예",
    "아니오",
    "نعم",
    "لا",
    "כן",
    "לא",
    "[object object]",
];

/// Words of names and places in lower case, in the form of [`fold`].
const PARTICLES: &[&str] = &[
    "de", "del", "della", "dello", "delle", "dei", "di", "da", "do", "dos", "das", "du", "des", "d", "la",
    "le", "les", "los", "las", "el", "al", "il", "lo", "van", "von", "vom", "vor", "zu", "zum", "zur", "am",
    "an", "der", "den", "dem", "die", "das", "bei", "auf", "und", "and", "of", "the", "et", "y", "e", "i",
    "a", "en", "in", "im", "for", "fur", "at", "on", "to", "by", "with", "mit", "per", "och", "og", "av",
    "af", "pa", "ja", "bin", "ibn", "bint", "abu", "ben", "ter", "ten", "te", "op", "het", "t", "s", "or",
    "w", "we", "na", "nad", "z", "ze", "od", "o", "pod", "pri", "v", "ve", "k", "u", "и", "в", "на", "за",
    "по", "для", "від", "та", "και", "του", "τησ", "των", "ο", "η", "το", "ile", "es", "az", "si", "din",
    "lui", "un", "ir", "cu", "dan", "va", "cua", "sur", "sous", "aan", "bij", "com", "em", "para",
];

/// Whether a text can be the name of a person or of an organisation, or of several.
pub(crate) fn is_name(text: &str) -> bool {
    let text = text.trim();
    if is_longer(text, MAX_NAME_CHARS) || !is_plain(text) || is_affix(text) {
        return false;
    }
    // `.` is checked by word.
    let is_mark = |found: char| {
        matches!(
            found,
            '.' | ','
                | '&'
                | '\''
                | '’'
                | '‘'
                | '`'
                | '-'
                | '‐'
                | '‑'
                | '–'
                | '+'
                | '/'
                | '('
                | ')'
                | '"'
                | '“'
                | '”'
                | '·'
                | '・'
                | '、'
                | '®'
                | '™'
        )
    };
    let is_usual =
        |found: char| found.is_numeric() || is_letter(found) || found.is_whitespace() || is_mark(found);
    if !text.chars().all(is_usual) || text.contains("//") || text.contains("www.") {
        return false;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let letters = text.chars().filter(|found| found.is_alphabetic()).count();
    let digits = text.chars().filter(|found| is_digit(*found)).count();
    let is_unspaced = text.contains(is_unspaced_letter);
    words.len() <= MAX_NAME_WORDS
        && letters > 0
        && (is_unspaced || letters + digits > 1)
        && digits <= letters
        && !(is_unspaced && is_longer(text, MAX_UNSPACED_CHARS))
        && words.iter().all(|word| !ends_sentence(word))
        && Cases::of(&words).is_name()
        && !is_counted(&words)
        && (digits == 0 || (dates(text).is_empty() && durations(text).is_empty()))
}

/// Whether a text can be an address or the name of a place.
pub(crate) fn is_place(text: &str) -> bool {
    let text = text.trim();
    if is_longer(text, MAX_PLACE_CHARS) || !is_plain(text) || is_affix(text) {
        return false;
    }
    if text.contains(['?', '!', '@', '。', '！', '？', '%', '='])
        || text.contains(is_currency_sign)
        || text.contains("//")
        || !text.contains(char::is_alphabetic)
    {
        return false;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let has_digit = text.contains(is_digit);
    if words.len() > MAX_PLACE_WORDS || (has_digit && has_time(text)) {
        return false;
    }
    let is_sentence = words.len() > MAX_NAME_WORDS && !has_digit && text.ends_with('.');
    let parts = text.split([',', '、', '，', '·', '|', '\n', ';']);
    let parts = parts.filter(|part| !part.trim().is_empty()).count();
    !is_sentence
        && Cases::of(&words).is_name()
        && !is_counted(&words)
        && (parts >= 2 || has_digit || is_name(text))
}

/// Whether a text can be a short term, such as `Full-time` or `Main course`.
pub(crate) fn is_term(text: &str) -> bool {
    let text = text.trim();
    let words = text.split_whitespace().count();
    let is_sentence = words > 2 && text.ends_with(['.', '!', '?', '…', '。']);
    !is_longer(text, MAX_TERM_CHARS)
        && (1..=MAX_TERM_WORDS).contains(&words)
        && is_plain(text)
        && !is_sentence
        && !text.contains([':', '。'])
        && !text.contains("//")
        && text.contains(char::is_alphabetic)
}

/// Whether a text is written for readers: not an answer such as `true`, and not what a program writes, such
/// as `undefined`, `{{x}}`, `job-save-button` or `30am`.
pub(crate) fn is_plain(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.contains(['{', '}', '<', '>', '\\', '^']) || text.contains("[object") {
        return false;
    }
    // The longest word of the list has 15 bytes.
    if text.len() <= 20 && NO_TEXTS.contains(&fold(text).trim_end_matches(['.', '!'])) {
        return false;
    }
    if text.contains(char::is_whitespace) {
        return true;
    }
    let has_lower = text.contains(char::is_lowercase);
    let is_lower = has_lower && !text.contains(char::is_uppercase);
    let is_identifier = (has_lower && text.contains('_')) || (is_lower && text.split('-').count() > 2);
    let has_sign = text.starts_with(['$', '#', '.', '@', '&']);
    let hour = text.trim_end_matches('.').trim_end_matches(|found: char| found.is_ascii_alphabetic());
    let is_hour = !hour.is_empty()
        && hour.chars().all(|found| found.is_ascii_digit() || matches!(found, ':' | '.'))
        && matches!(text.get(hour.len()..).map(fold).as_deref(), Some("am" | "pm"));
    !is_identifier && !has_sign && !is_hour
}

fn is_digit(found: char) -> bool {
    digit_value(found).is_some()
}

fn is_longer(text: &str, chars: usize) -> bool {
    text.chars().nth(chars).is_some()
}

/// Whether this letter is of a script without blanks between words, or with few: Thai, Chinese, Japanese,
/// Korean.
const fn is_unspaced_letter(found: char) -> bool {
    matches!(found,
        '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}')
}

/// Whether a point ends this word, not an abbreviation or an initial.
fn ends_sentence(word: &str) -> bool {
    let Some(stem) = word.trim_end_matches([',', ')', '"', '”']).strip_suffix('.') else { return false };
    stem.rsplit(['.', '-', '(']).next().is_some_and(|last| is_longer(last, MAX_ABBREVIATION))
}

/// Whether a text counts things: `12 reviews`.
fn is_counted(words: &[&str]) -> bool {
    let [number, noun] = words else { return false };
    number.contains(is_digit) && is_count_word(&fold(noun))
}

/// Whether a text states a date or a time of day.
fn has_time(text: &str) -> bool {
    if !dates(text).is_empty() {
        return true;
    }
    let tokens = Tokens::new(text);
    (0..tokens.len()).any(|at| tokens.mark(at + 1) == Some(':') && time_at(&tokens, at).is_some())
}

/// How many words are capitalised.
#[derive(Debug, Default)]
struct Cases {
    capitalised: usize,
    lower: usize,
    /// Words of scripts without case.
    others: usize,
}

impl Cases {
    fn of(words: &[&str]) -> Self {
        let mut cases = Self::default();
        for word in words {
            if word.contains(char::is_uppercase) {
                cases.capitalised += 1;
            } else if word.starts_with(is_digit) {
                // `20th` and `5a` are neither.
                continue;
            } else if word.contains(char::is_lowercase) {
                let bare = word.trim_matches(|found: char| !found.is_alphanumeric());
                cases.lower += usize::from(!PARTICLES.contains(&fold(bare).as_str()));
            } else {
                cases.others += usize::from(word.contains(char::is_alphabetic));
            }
        }
        cases
    }

    /// Whether at least as many words are capitalised as not.
    fn is_name(&self) -> bool {
        let named = self.capitalised + self.others;
        named > 0 && self.lower <= named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_from_other_texts() {
        for text in [
            "Ada Holm",
            "J. R. R. Tolkien",
            "Ludwig van Beethoven",
            "Ada Holm, Bob Ray and Eve Lund",
            "Acme (UK) Ltd.",
            "3M",
            "20th Century Fox",
            "Procter & Gamble",
            "Český rozhlas",
            "Ада Холм",
            "山田太郎",
            "محمد علي",
            "สมชาย ใจดี",
        ] {
            assert!(is_name(text), "{text}");
        }
        for text in [
            "",
            "true",
            "Yes",
            "undefined",
            "{{author}}",
            "job-save-button",
            "30am",
            "12345",
            "4 March 2021",
            "45 Minutes",
            "12 Reviews",
            "ada@example.com",
            "https://example.com/Ada",
            "follow us on social media",
            "Follow",
            "Author",
            "We love this place. Come again",
            "How do I apply?",
            "Price: £5",
            "This is one of those rather long lines that nobody is called by",
        ] {
            assert!(!is_name(text), "{text}");
        }
    }

    #[test]
    fn places_differ_from_other_texts() {
        for text in [
            "1 Long Street, 10115 Berlin, Germany",
            "Berlin",
            "London SW1A 1AA",
            "123 rue de la Paix, 75002 Paris",
            "Madison Square Garden",
            "東京都千代田区1-1",
            "ul. Długa 5, 00-238 Warszawa",
        ] {
            assert!(is_place(text), "{text}");
        }
        for text in [
            "9:30am GMT+8",
            "4 March 2021, 19:00",
            "true",
            "10115",
            "£5, £6",
            "where do you want to go?",
            "we meet near the old bridge, then walk",
        ] {
            assert!(!is_place(text), "{text}");
        }
    }

    #[test]
    fn terms_are_short() {
        for text in ["Full-time", "FULL_TIME", "main course", "Science fiction", "full-time"] {
            assert!(is_term(text), "{text}");
        }
        for text in
            ["false", "null", "job-save-button", "job_type", "${x}", "Apply now and join our big team today"]
        {
            assert!(!is_term(text), "{text}");
        }
    }
}
