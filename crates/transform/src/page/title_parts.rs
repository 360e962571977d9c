//! Splits a title into parts, and recognizes those that only name the site.

use std::ops::Range;

use crate::names::truncate;
use crate::words::{is_unspaced, letters, words};

/// Upper bound on the bytes of a site's name that are read. Parts are compared with each of its words.
const MAX_SITE_BYTES: usize = 200;

/// The parts of a title, which ` | `, ` - ` and similar separators divide.
pub(super) fn split(title: &str) -> Vec<&str> {
    ranges(title).into_iter().filter_map(|range| title.get(range)).collect()
}

/// The byte ranges of the parts of a title.
fn ranges(title: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut out = Vec::new();
    let mut add = |start: usize, end: usize| {
        let part = title.get(start..end).unwrap_or_default();
        let start = start + (part.len() - part.trim_start().len());
        if !part.trim().is_empty() {
            out.push(start..start + part.trim().len());
        }
    };
    // French quotations are between « and ».
    let mut quoted = false;
    let (mut before, mut characters) = (None, title.char_indices().peekable());
    while let Some((at, c)) = characters.next() {
        let after = characters.peek().map(|(_, c)| *c);
        let spaced = before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace);
        let unspaced = before.is_some_and(is_unspaced) || after.is_some_and(is_unspaced);
        let separates = match c {
            '|' | '｜' => true,
            '»' => !std::mem::take(&mut quoted),
            '«' => {
                quoted = true;
                false
            }
            '-' | '–' | '—' | '·' | '•' | '›' | '∙' => spaced,
            // Next to scripts without spaces these join a title and its site.
            '_' | '－' => unspaced,
            _ => false,
        };
        if separates {
            add(start, at);
            start = at + c.len_utf8();
        }
        before = Some(c);
    }
    add(start, title.len());
    out
}

/// A title without the parts at its ends that name the site. If there are none, a short last part is removed
/// too.
pub(super) fn without_site(title: &str, names_site: impl Fn(&str) -> bool) -> &str {
    let ranges = ranges(title);
    let part = |range: &Range<usize>| title.get(range.clone()).unwrap_or_default();
    let mut left = ranges.as_slice();
    while let [rest @ .., last] = left
        && !rest.is_empty()
        && names_site(part(last))
    {
        left = rest;
    }
    while let [first, rest @ ..] = left
        && !rest.is_empty()
        && names_site(part(first))
    {
        left = rest;
    }
    if left.len() == ranges.len()
        && let [rest @ .., last] = left
        && let Some(first) = rest.first()
        && words(part(last)).len() <= 3
        && !is_part_of_work(part(last))
        && words(part(first)).len() >= 3
    {
        left = rest;
    }
    let (Some(first), Some(last)) = (left.first(), left.last()) else { return title };
    title.get(first.start..last.end).unwrap_or(title)
}

/// True if a part of a title consists of consecutive words of a site's name or labels of its host.
/// `The Example`, `Example` and `example.org` match `www.example.org`; `Ample` does not.
fn is_run_of(part: &str, site: &[String]) -> bool {
    let wanted = letters(part);
    let without_article = wanted.strip_prefix("the").unwrap_or(&wanted);
    [wanted.as_str(), without_article].into_iter().filter(|wanted| !wanted.is_empty()).any(|wanted| {
        (0..site.len()).any(|start| {
            let mut rest = wanted;
            for word in site.iter().skip(start) {
                let Some(after) = rest.strip_prefix(word.as_str()) else { return false };
                rest = after;
                if rest.is_empty() {
                    return true;
                }
            }
            false
        })
    })
}

/// The names of a site.
#[derive(Debug)]
pub(crate) struct Site([Vec<String>; 2]);

impl Site {
    /// From its host and its declared name.
    pub(crate) fn new(host: &str, name: &str) -> Self {
        Self([host, name].map(|name| words(truncate(name, MAX_SITE_BYTES))))
    }

    /// True if a part of a title only names the site.
    pub(crate) fn is_named_by(&self, part: &str) -> bool {
        self.0.iter().any(|words| is_run_of(part, words))
    }
}

/// True if a part of a title numbers a part of a work (`Part 2`).
fn is_part_of_work(part: &str) -> bool {
    const KINDS: [&str; 16] = [
        "part", "chapter", "volume", "vol", "episode", "ep", "page", "lesson", "season", "section", "day",
        "week", "step", "version", "issue", "book",
    ];
    let mut words = part.split_whitespace();
    let kind = words.next().is_some_and(|word| {
        let word = word.trim_end_matches('.');
        KINDS.iter().any(|kind| word.eq_ignore_ascii_case(kind))
    });
    kind && words.next().is_some()
}

/// The part of a title with these letters, in the spelling of the title. `og:title` has plain quotes and
/// dashes where a heading has typographic ones, and other programs know the page by that spelling.
pub(super) fn as_spelled<'t>(title: &'t str, wanted: &str) -> Option<&'t str> {
    let mut flat = String::with_capacity(title.len());
    let mut ranges = Vec::with_capacity(title.len());
    for (at, c) in title.char_indices().filter(|(_, c)| crate::words::is_of_word(*c)) {
        if c.is_ascii() {
            flat.push(c.to_ascii_lowercase());
            ranges.push((at, at + 1));
            continue;
        }
        for small in c.to_lowercase() {
            flat.push(small);
            ranges.extend(std::iter::repeat_n((at, at + c.len_utf8()), small.len_utf8()));
        }
    }
    let found = flat.find(wanted)?;
    let (start, _) = ranges.get(found)?;
    let (_, end) = ranges.get((found + wanted.len()).checked_sub(1)?)?;
    // Adjacent symbols belong to the part (`"Bread"`, `<table>`, `C++`), except for separators.
    let touches = |c: char| !c.is_whitespace() && !crate::words::is_of_word(c) && !SEPARATORS.contains(&c);
    let before = title.get(..*start)?.trim_end_matches(touches);
    let after = title.get(*end..)?;
    let rest = after.trim_start_matches(touches);
    title.get(before.len()..title.len() - rest.len())
}

/// Symbols that separate parts of a text.
const SEPARATORS: [char; 18] =
    [',', ':', ';', '/', '|', '_', '-', '–', '—', '·', '•', '∙', '、', '，', '：', '；', '｜', '－'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_split_at_separators() {
        let rows: [(&str, &[&str]); 8] = [
            ("Bread | Site", &["Bread", "Site"]),
            ("Well-known bread - Site", &["Well-known bread", "Site"]),
            ("窯の温度｜陶芸の窓", &["窯の温度", "陶芸の窓"]),
            ("窑炉的温度_陶艺网", &["窑炉的温度", "陶艺网"]),
            ("snake_case explained", &["snake_case explained"]),
            ("Le « grand » four » Site", &["Le « grand » four", "Site"]),
            ("| Site", &["Site"]),
            ("", &[]),
        ];
        for (title, parts) in rows {
            assert_eq!(split(title), parts, "{title}");
        }
    }

    #[test]
    fn a_site_is_named_by_its_words_in_order() {
        let site = Site::new("www.tea.example", &"Tea Company ".repeat(1_000));
        for (part, names) in [("Tea", true), ("The Tea Company", true), ("Company of Tea", false)] {
            assert_eq!(site.is_named_by(part), names, "{part}");
        }
        assert!(site.0.iter().all(|words| words.len() <= MAX_SITE_BYTES / 2), "a bounded number");
    }

    #[test]
    fn the_site_is_removed_from_both_ends() {
        let rows = [
            ("Rye | Bread", "Rye"),
            ("Bread | Rye | Bread", "Rye"),
            ("Bread | Breadly", "Breadly"),
            ("Breadly | Bread", "Breadly"),
            ("Breadly | Rye - Bread", "Breadly | Rye"),
            ("Bread", "Bread"),
        ];
        for (title, expected) in rows {
            assert_eq!(without_site(title, |part| part == "Bread"), expected, "{title}");
        }
        assert_eq!(without_site("Breadly | Bread", |part| part == "Breadly"), "Bread");
    }

    #[test]
    fn a_part_keeps_the_spelling_of_the_title() {
        let rows = [
            ("Is bread \"cheap\"? | Site", "isbreadcheap", Some("Is bread \"cheap\"?")),
            ("Learn C++ | Site", "learnc", Some("Learn C++")),
            ("Site: Rye bread, and more", "ryebread", Some("Rye bread")),
            ("<table>: The table element", "tablethetableelement", Some("<table>: The table element")),
            ("*Of Rye* (1792) - Site", "ofrye1792", Some("*Of Rye* (1792)")),
            ("From $5", "5", Some("$5")),
            ("窑炉的温度_陶艺网", "窑炉的温度", Some("窑炉的温度")),
            ("Straße 1", "strasse", None),
            ("", "x", None),
        ];
        for (title, wanted, expected) in rows {
            assert_eq!(as_spelled(title, wanted), expected, "{title}");
        }
    }
}
