//! The title of a page without the name of its site.
//!
//! `<title>` names the thing and the site (`Thing | Site`), a heading names the thing alone, but not every heading is
//! the page's: some sites put their own name into `h1`. A heading that the `<title>` agrees with is taken; without one,
//! the `<title>` loses the parts that only name the site.

use crate::tree::{Edge, NodeId, Tag, Tree, Walk};

/// Headings that are looked at.
pub(super) const MAX_HEADINGS: usize = 8;

/// Longer headings are no titles, in bytes.
pub(super) const MAX_HEADING_BYTES: usize = 600;

/// A heading that shares at least this part of its words with the `<title>` means the same.
const AGREEMENT: f32 = 0.5;

/// Chooses the title; `site` is the page's host and the site's own name for itself.
pub(super) fn choose(tree: &Tree, title: &str, og_title: &str, site: &[&str]) -> Option<String> {
    let mut headings = Vec::new();
    for edge in Walk::new(tree, NodeId::DOCUMENT) {
        if let Edge::Enter(node) = edge
            && tree.tag(node) == Tag::H1
        {
            headings.extend(heading(&tree.folded_text(node, MAX_HEADING_BYTES)));
            if headings.len() >= MAX_HEADINGS {
                break;
            }
        }
    }
    choose_from(&headings, title, og_title, site)
}

/// A heading without the mark of a link to itself; `None` where it is empty or too long.
pub(super) fn heading(text: &str) -> Option<String> {
    let text = text.trim_end_matches(['¶', '#', ' ']);
    (!text.is_empty() && text.len() <= MAX_HEADING_BYTES).then(|| text.to_owned())
}

/// As [`choose`], from the first [`MAX_HEADINGS`] headings.
pub(super) fn choose_from(headings: &[String], title: &str, og_title: &str, site: &[&str]) -> Option<String> {
    let parts: Vec<&str> = split(title);
    let sites: Vec<Vec<String>> = site.iter().map(|name| lower_words(name)).collect();
    let names_site = |part: &str| sites.iter().any(|site| is_run_of(part, site));
    let (title_letters, og_letters) = (letters(title), letters(og_title));
    let contained = headings
        .iter()
        .filter(|heading| {
            let own = letters(heading);
            own.chars().count() > 3
                && (title_letters.contains(&own) || og_letters.contains(&own))
                && !(parts.len() > 1 && names_site(heading))
        })
        .max_by_key(|heading| heading.len());
    if let Some(heading) = contained {
        return Some(as_spelled(og_title, &letters(heading)).unwrap_or(heading).to_owned());
    }
    let words = lower_words;
    let known: std::collections::HashSet<String> = words(title).into_iter().chain(words(og_title)).collect();
    let agreement = |heading: &&String| {
        let own = words(heading);
        let shared = own.iter().filter(|word| known.contains(*word)).count();
        if own.len() < 3 { 0.0 } else { shared as f32 / own.len() as f32 }
    };
    let mut agreeing: Option<(f32, &String)> = None;
    for heading in headings {
        let agreed = agreement(&heading);
        if agreed >= AGREEMENT && agreeing.is_none_or(|(best, _)| agreed > best) {
            agreeing = Some((agreed, heading));
        }
    }
    if let Some((_, heading)) = agreeing {
        return Some(heading.clone());
    }
    let mut left = parts.as_slice();
    while let [rest @ .., last] = left
        && !rest.is_empty()
        && names_site(last)
    {
        left = rest;
    }
    while let [first, rest @ ..] = left
        && !rest.is_empty()
        && names_site(first)
    {
        left = rest;
    }
    if left.len() == parts.len()
        && let [rest @ .., last] = left
        && let Some(first) = rest.first()
        && words(last).len() <= 3
        && !is_part_of_work(last)
        && words(first).len() >= 3
    {
        left = rest;
    }
    let chosen = between(title, left.first().copied(), left.last().copied());
    [chosen, og_title, headings.first().map(String::as_str).unwrap_or_default()]
        .into_iter()
        .find(|text| !text.is_empty())
        .map(str::to_owned)
}

fn lower_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Is a part of a title written in the words of a site's name or the labels of its host, whole and in their order?
/// `The Example`, `Example` and `example.org` are all of `www.example.org`; `Ample` is not.
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

/// Does a part of a title say which part of a work it is (`Part 2`)?
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

/// The part of a title with these letters, as the title spells it: what a page tells machines has plain quotes and
/// dashes where its heading was set by a typographer, and that is what others know the page by.
fn as_spelled<'t>(title: &'t str, wanted: &str) -> Option<&'t str> {
    let mut flat = String::with_capacity(title.len());
    let mut places = Vec::with_capacity(title.len());
    for (at, c) in title.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        for small in c.to_lowercase() {
            flat.push(small);
            places.extend(std::iter::repeat_n((at, at + c.len_utf8()), small.len_utf8()));
        }
    }
    let found = flat.find(wanted)?;
    let (start, _) = places.get(found)?;
    let (_, end) = places.get((found + wanted.len()).checked_sub(1)?)?;
    // Quotes and brackets around it, and the mark that ends it, belong to it.
    let before = title.get(..*start)?.trim_end_matches(['"', '\'', '“', '‘', '(', '[', '«', '¿', '¡']);
    let after = title.get(*end..)?;
    let rest = after.trim_start_matches(['"', '\'', '”', '’', ')', ']', '»', '?', '!', '.', '…']);
    title.get(before.len()..title.len() - rest.len())
}

/// The parts of a title: what stands between ` | `, ` - ` and their like.
fn split(title: &str) -> Vec<&str> {
    let mut start = 0;
    let mut out = Vec::new();
    let characters: Vec<(usize, char)> = title.char_indices().collect();
    for (index, (at, c)) in characters.iter().enumerate() {
        let before = index
            .checked_sub(1)
            .and_then(|index| characters.get(index))
            .is_none_or(|(_, c)| c.is_whitespace());
        let after = characters.get(index + 1).is_none_or(|(_, c)| c.is_whitespace());
        let separates =
            matches!(c, '|' | '»') || (matches!(c, '-' | '–' | '—' | '·' | '•') && before && after);
        if separates {
            out.push(title.get(start..*at).unwrap_or_default().trim());
            start = at + c.len_utf8();
        }
    }
    out.push(title.get(start..).unwrap_or_default().trim());
    out.retain(|part| !part.is_empty());
    out
}

/// What stands in a title from one of its parts to another.
fn between<'t>(title: &'t str, first: Option<&str>, last: Option<&str>) -> &'t str {
    let (Some(first), Some(last)) = (first, last) else { return title };
    let start = title.find(first).unwrap_or(0);
    let end = title.rfind(last).map_or(title.len(), |at| at + last.len());
    title.get(start..end).unwrap_or(title)
}

/// Letters and digits alone, in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn a_heading_is_spelled_as_the_page_tells_machines() {
        let tree = parse("<h1>Why isn’t bread “cheap”?</h1>", ParseOptions::default());
        let og_title = "Why isn't bread \"cheap\"? | Bread Site";
        let chosen = choose(&tree, "", og_title, &["example.org"]);
        assert_eq!(chosen.as_deref(), Some("Why isn't bread \"cheap\"?"));
        assert_eq!(as_spelled("Straße 1", "strasse"), None);
        assert_eq!(as_spelled("", "x"), None);
    }

    #[test]
    fn the_title_names_the_thing_and_not_the_site() {
        let rows = [
            ("How to bake | Bread Site", "<h1>How to bake</h1>", "How to bake"),
            ("How to bake - The Example", "<p>x", "How to bake"),
            ("The Example - How to bake bread - The Example", "<p>x", "How to bake bread"),
            ("How to bake - Example", "<h1>Example</h1>", "How to bake"),
            ("How we bake bread at home | News", "<h1>Subscribe now to us</h1>", "How we bake bread at home"),
            (
                "Ten ways to bake bread",
                "<h1>Ten great ways to bake bread</h1>",
                "Ten great ways to bake bread",
            ),
            ("Well-known bread", "<p>x", "Well-known bread"),
            ("How to bake bread - Part 2", "<p>x", "How to bake bread - Part 2"),
            ("Bread for all - Ample", "<p>x", "Bread for all"),
            ("Bread - Ample", "<p>x", "Bread - Ample"),
            ("Bread - example.org", "<p>x", "Bread"),
            ("", "<h1>Only a heading</h1>", "Only a heading"),
        ];
        for (title, html, expected) in rows {
            let tree = parse(html, ParseOptions::default());
            let chosen = choose(&tree, title, "", &["www.example.org", "The Example"]);
            assert_eq!(chosen.as_deref(), Some(expected), "{title}");
        }
    }
}
