//! Compares what a page shows with the text of a state.

use memchr::memmem;

use super::{Found, SAMPLE_LETTERS, prose};
use crate::tree::decode_references;

/// Upper bound on the samples of what a page shows.
const MAX_SAMPLES: usize = 32;

/// A line of links with shorter texts is navigation, in letters.
const MIN_LINK_LETTERS: usize = 24;

/// True if most of what a page shows of its own is also in the text of a state, or if it shows nothing of its
/// own. `written` is the Markdown of the page. Its title and lines of short links do not count.
pub(super) fn is_within(written: &str, found: &Found) -> bool {
    let samples: Vec<String> = written.lines().flat_map(samples).collect();
    let step = samples.len().div_ceil(MAX_SAMPLES).max(1);
    // A decoded `<` would begin a tag.
    let html = found.html.replace("&lt;", " ");
    let text = prose::plain(&decode_references(&html, false));
    let (mut all, mut same) = (0, 0);
    for sample in samples.iter().step_by(step) {
        all += sample.len();
        if memmem::find(text.as_bytes(), sample.as_bytes()).is_some() {
            same += sample.len();
        }
    }
    all == 0 || same * 2 > all
}

/// The samples of a line: all its letters, in pieces.
fn samples(line: &str) -> Vec<String> {
    let line = decode_references(line, false);
    let letters: Vec<char> = prose::plain(&own_text(&line)).chars().collect();
    letters.chunks(SAMPLE_LETTERS).map(|chunk| chunk.iter().collect()).collect()
}

/// The text of a line of Markdown, without images and addresses. Empty for the title of the page and for a
/// line of short links.
fn own_text(line: &str) -> String {
    if line.starts_with("# ") {
        return String::new();
    }
    if !line.contains("](") {
        return line.to_owned();
    }
    let (mut all, mut outside, mut long) = (String::new(), String::new(), String::new());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        let (text, link) = before.rsplit_once('[').unwrap_or((before, ""));
        all.push_str(text);
        outside.push_str(text);
        if !text.ends_with('!') {
            all.push_str(link);
            if prose::letters(link) >= MIN_LINK_LETTERS {
                long.push_str(link);
            }
        }
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    all.push_str(rest);
    outside.push_str(rest);
    // In a list of links the number of an item is no text.
    if line.starts_with('#') || prose::letters(&outside) > 0 { all } else { long }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::state::Origin;

    #[test]
    fn lines_of_short_links_and_the_title_are_no_text_of_the_page() {
        let rows = [
            ("# Title", ""),
            ("## [One](/a)", "## One"),
            ("- [One](/a) | [Two](/b)", ""),
            ("3. [One](/a)", ""),
            ("See [one](/a) there", "See one there"),
            ("[The whole title of one of the posts](/a)", "The whole title of one of the posts"),
            ("![A picture of a kiln on a hill](/a)", ""),
            ("[![A picture of a kiln on a hill](/a)](/b)", ""),
            ("+49 30 1234567", "+49 30 1234567"),
        ];
        for (line, expected) in rows {
            assert_eq!(own_text(line), expected, "{line}");
        }
    }

    #[test]
    fn most_of_a_page_is_in_the_text_of_its_state() {
        let html =
            "<h1>Kilns</h1><p>Clay &amp; glaze dry for <b>one</b> day.</p><p>Then the kiln is lit.</p>";
        let found = Found {
            html: html.to_owned(),
            json_ld: String::new(),
            origin: Origin::Data,
            letters: 40,
            is_named: true,
            is_page: false,
        };
        for (written, expected) in [
            ("", true),
            ("# Kilns\n\n- [Home](/)\n- [About us](/about)", true),
            ("Clay & glaze dry for [one](/a) day.\n\nShare", true),
            ("Price: 49\n\nThe chair is blue.", false),
            ("# Kilns\n\nCall us: +49 30 1234567", false),
        ] {
            assert_eq!(is_within(written, &found), expected, "{written}");
        }
    }
}
