//! The parts of the title and of the main heading: pages write the name of the site into both.

use std::ops::Range;

use super::drafts::{Draft, Drafts, Mark};
use super::view::View;
use super::wording::{WordSet, Wording};
use super::{MAX_TEXT_BYTES, Origin};
use crate::evidence::Evidence;
use crate::normalise::fold_spaces;
use crate::page::{Method, truncate};

/// Signs between the parts of a title.
const SEPARATORS: [&str; 10] = [" | ", " - ", " – ", " — ", " · ", " • ", " » ", " :: ", " / ", ": "];
/// Upper bound on the parts of a title.
const MAX_PARTS: usize = 8;
/// Upper bound on the last parts that are left out of a title together.
const MAX_LEFT_OUT: usize = 2;
/// Shortest part of a host name that can name the site, in bytes.
const MIN_HOST_BYTES: usize = 4;
/// Upper bound on the words of a site's name.
const MAX_SITE_WORDS: usize = 4;
/// Upper bound on the stated names of a site.
const MAX_STATED: usize = 4;
/// Longest path of a URL whose words are read, in bytes.
const MAX_PATH_BYTES: usize = 400;

/// The title, the main heading and the URL, for comparison with other texts.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// With white space folded; empty if the page has none or a very long one.
    title: String,
    /// The parts of the title.
    parts: Vec<Range<usize>>,
    /// The hash of each part.
    part_hashes: Vec<u64>,
    /// The title without the name of the site, if that is its first or its last part.
    without_site: Option<Range<usize>>,
    without_site_hash: u64,
    /// The hashes of what names the site: its stated name, and parts of the title.
    site_hashes: Vec<u64>,
    pub(super) title_words: WordSet,
    pub(super) heading: Wording,
    pub(super) heading_words: WordSet,
    /// The words of the URL's path.
    pub(super) path_words: WordSet,
}

impl Titles {
    pub(super) fn read(evidence: &Evidence<'_>) -> Self {
        let title = fold_spaces(truncate(&evidence.title, MAX_TEXT_BYTES + 1));
        let title = if title.len() <= MAX_TEXT_BYTES { title } else { String::new() };
        let heading = evidence.heading.map_or("", |node| evidence.tree.text_of(node));
        let site = SiteName::read(evidence);
        let parts = parts(&title);
        let part = |range: &Range<usize>| title.get(range.clone()).unwrap_or_default();
        let is_site =
            |at: Option<usize>| at.and_then(|at| parts.get(at)).is_some_and(|range| site.is(part(range)));
        let site_parts = parts.iter().map(part).filter(|text| site.is(text));
        let site_hashes =
            site_parts.map(|text| Wording::read(text).hash).chain(site.hashes.iter().copied()).collect();
        let count = parts.len();
        let without_site = if count > 1 && is_site(count.checked_sub(1)) {
            join(&parts, 0, count - 1)
        } else if count > 1 && is_site(Some(0)) {
            join(&parts, 1, count)
        } else {
            None
        };
        let path = truncate(evidence.url.path(), MAX_PATH_BYTES);
        let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        Self {
            part_hashes: parts.iter().map(|range| Wording::read(part(range)).hash).collect(),
            without_site_hash: without_site.as_ref().map_or(0, |range| Wording::read(part(range)).hash),
            title_words: WordSet::read(&title),
            heading: Wording::read(heading),
            heading_words: WordSet::read(truncate(heading, MAX_TEXT_BYTES)),
            path_words: WordSet::read(&path),
            title,
            parts,
            without_site,
            site_hashes,
        }
    }

    /// The number of the part of the title that has these words, from 1; 0 if none has.
    pub(super) fn part_number(&self, text: &Wording) -> usize {
        let found = self.part_hashes.iter().position(|hash| *hash == text.hash && text.hash != 0);
        found.map_or(0, |at| at + 1)
    }

    pub(super) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Whether a text has the words of the title without the name of the site.
    pub(super) fn is_without_site(&self, text: &Wording) -> bool {
        text.hash != 0 && text.hash == self.without_site_hash
    }

    /// Whether a text has the words of the site's name.
    pub(super) fn is_site(&self, text: &Wording) -> bool {
        text.hash != 0 && self.site_hashes.contains(&text.hash)
    }
}

pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    let titles = &view.titles;
    if let Some(node) = view.outline.title.or(view.evidence.heading) {
        let anchor = view.tree.text_range(node).start;
        for (range, number) in with_joins(&titles.parts, titles.title.len(), titles.without_site.as_ref()) {
            let text = titles.title.get(range).unwrap_or_default().to_owned();
            drafts.add(part(Draft::stated(node, anchor, text, Origin::TitlePart), number));
        }
    }
    if let (Some(node), Some(heading)) = (view.evidence.heading, &view.heading) {
        let text = view.text(heading);
        if text.len() > MAX_TEXT_BYTES {
            return;
        }
        let parts = parts(text);
        if parts.len() < 2 {
            return;
        }
        for (range, number) in with_joins(&parts, text.len(), None) {
            let range = heading.start + range.start..heading.start + range.end;
            drafts.add(part(Draft::visible(node, range, Origin::TitlePart), number));
        }
    }
}

fn part(draft: Draft, number: usize) -> Draft {
    let draft = Draft { title_part: number, ..draft };
    if number == 0 { draft.with_mark(Mark::TitleJoin) } else { draft }
}

/// The parts of a title with their numbers, from 1; and its joins with the number 0: all of it, what is left
/// without its last parts, and what is left without the name of the site.
fn with_joins(
    parts: &[Range<usize>],
    length: usize,
    without_site: Option<&Range<usize>>,
) -> Vec<(Range<usize>, usize)> {
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    if length > 0 {
        found.push((0..length, 0));
    }
    let count = parts.len();
    if count < 2 {
        return found;
    }
    found.extend(parts.iter().cloned().zip(1..));
    let shorter = (1..=MAX_LEFT_OUT).filter_map(|left_out| join(parts, 0, count.checked_sub(left_out)?));
    for range in shorter.chain(without_site.cloned()) {
        if !found.iter().any(|(known, _)| *known == range) {
            found.push((range, 0));
        }
    }
    found
}

/// The range from a part up to another one, which is excluded.
fn join(parts: &[Range<usize>], from: usize, to: usize) -> Option<Range<usize>> {
    let (first, last) = (parts.get(from)?, parts.get(to.checked_sub(1)?)?);
    (first.start < last.end).then_some(first.start..last.end)
}

/// The parts of a title between its separators, none of them empty.
pub(super) fn parts(title: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut push = |range: Range<usize>| {
        let part = title.get(range.clone()).unwrap_or_default();
        let inner = part.trim_start();
        let begin = range.start + (part.len() - inner.len());
        let inner = inner.trim_end();
        if !inner.is_empty() {
            found.push(begin..begin + inner.len());
        }
    };
    let mut at = 0;
    let mut count = 1;
    while let Some(rest) = title.get(at..) {
        let Some(first) = rest.chars().next() else { break };
        let separator = SEPARATORS.iter().find(|separator| rest.starts_with(**separator));
        match separator.filter(|_| count < MAX_PARTS) {
            Some(separator) => {
                push(start..at);
                count += 1;
                // The white space behind a separator may be that before the next one.
                at += separator.trim_end().len();
                start = at;
            }
            None => at += first.len_utf8(),
        }
    }
    push(start..title.len());
    found
}

/// What the site is called, as far as the page says it.
#[derive(Debug, Default)]
struct SiteName {
    /// The letters and digits of `og:site_name` and `application-name`, in lower case.
    stated: Vec<String>,
    /// The hashes of the stated names.
    hashes: Vec<u64>,
    /// The labels of the host name without its ending and `www`.
    hosts: Vec<String>,
}

impl SiteName {
    fn read(evidence: &Evidence<'_>) -> Self {
        let is_name = |label: &str| {
            ["og:site_name", "application-name"].iter().any(|known| known.eq_ignore_ascii_case(label))
        };
        let metas = evidence.pairs.iter().filter(|pair| pair.method == Method::Meta && is_name(&pair.label));
        let names: Vec<&str> =
            metas.take(MAX_STATED).map(|pair| pair.value.as_str()).filter(|name| !name.is_empty()).collect();
        let stated = names.iter().map(|name| letters(name)).collect();
        let hashes = names.iter().map(|name| Wording::read(name).hash).collect();
        let host = evidence.url.host_str().unwrap_or_default();
        let mut hosts: Vec<String> = host.split('.').map(letters).collect();
        // The ending names no site.
        hosts.pop();
        hosts.retain(|label| label.len() >= MIN_HOST_BYTES);
        Self { stated, hashes, hosts }
    }

    /// Whether a text is the name: the stated one, or one with the letters of the host name.
    fn is(&self, text: &str) -> bool {
        if text.len() > MAX_TEXT_BYTES || text.split_whitespace().count() > MAX_SITE_WORDS {
            return false;
        }
        let own = letters(text);
        let is_host = |host: &String| {
            own.contains(host.as_str()) || (own.len() >= MIN_HOST_BYTES && host.contains(own.as_str()))
        };
        !own.is_empty() && (self.stated.contains(&own) || self.hosts.iter().any(is_host))
    }
}

/// The letters and digits of a text, in lower case.
fn letters(text: &str) -> String {
    let text = truncate(text, MAX_TEXT_BYTES);
    text.chars().filter(|found| found.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_cut_at_their_separators() {
        let rows: [(&str, &[&str]); 6] = [
            ("Red cup | Acme", &["Red cup", "Acme"]),
            ("Red cup - large – Acme", &["Red cup", "large", "Acme"]),
            ("Recipe: Soup", &["Recipe", "Soup"]),
            ("T-shirt 12:30", &["T-shirt 12:30"]),
            ("A |  | B", &["A", "B"]),
            ("", &[]),
        ];
        for (title, expected) in rows {
            let found: Vec<&str> = parts(title).into_iter().map(|range| title.get(range).unwrap()).collect();
            assert_eq!(found, expected, "{title}");
        }
        assert!(parts(&" | a".repeat(100)).len() <= MAX_PARTS);
    }
}
