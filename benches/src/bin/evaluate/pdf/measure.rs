//! The figures of a file with known truth.

use std::collections::{HashMap, VecDeque};

use super::cells;
use super::outline::{Kind, Outline};
use super::truth::{Block, Truth};
use super::words::{self, Counts};

/// The names of the [`Figures`].
pub(super) const NAMES: [&str; 18] = [
    // Words of the truth that are found, and found words that are of the truth.
    "recall",
    "precision",
    // Pairs of neighbouring blocks whose beginnings are found in their order.
    "order",
    // Pieces of 40 letters of paragraphs and items that are found unbroken.
    "flow",
    // Paragraphs that are one block.
    "paras",
    // Headings that are found as such, and found headings that are some; levels that are right, except for
    // one shift of all.
    "head_r",
    "head_p",
    "level",
    // Cells in their row and column.
    "cells_r",
    "cells_p",
    // Items of lists that are whole.
    "items_r",
    "items_p",
    // Footnotes that are a block of their own, lines of code in a code block, addresses of links.
    "notes",
    "code",
    "links",
    // Running heads with letters, and page numbers alone, that appear. Less is better.
    "heads",
    "numbers",
    // Words divided by a line break that are joined.
    "hyphens",
];

/// In the order of [`NAMES`]. `None` where the file has nothing of the kind.
pub(super) type Figures = [Option<f64>; NAMES.len()];

/// Letters that find the beginning of a block. Extended up to [`LONGEST_KEY`] until they occur once.
const KEY: usize = 24;
const LONGEST_KEY: usize = 48;
/// Blocks with fewer letters do not count in the order.
const SHORTEST_KEY: usize = 8;
/// Letters of a piece of running text.
const PIECE: usize = 40;

pub(super) fn measure(truth: &Truth, markdown: &str) -> Figures {
    let outline = Outline::new(markdown);
    let text = outline.text();
    let found = words::words(&text);
    let own = words::words(&truth.text());
    let stream = words::letters(&text);
    let (counts, own_counts) = (words::count(found.iter().cloned()), words::count(own.iter().cloned()));
    let [recall, precision] = of_words(truth, &own_counts, &counts);
    let [head_r, head_p, level] = of_headings(truth, &outline);
    let cells = cells::measure(truth, &outline);
    let letters = |kinds: &[Kind]| -> Vec<String> {
        outline
            .parts
            .iter()
            .filter(|part| kinds.contains(&part.kind))
            .map(|part| words::letters(&part.text))
            .collect()
    };
    let kept = |kind: &str, kinds: &[Kind]| {
        let (wanted, found) = (truth.letters_of(kind), letters(kinds));
        [wanted.len(), matched(&wanted, &found), found.len()]
    };
    let [paragraphs, whole, _] = kept("paragraph", &[Kind::Paragraph]);
    let [items, right_items, found_items] = kept("item", &[Kind::Item]);
    let [notes, right_notes, _] = kept("footnote", &[Kind::Paragraph, Kind::Item, Kind::Note]);
    let code: Vec<String> = truth.of("code").flat_map(|block| code_lines(&block.text)).collect();
    let found_code: Vec<String> = outline.of(&[Kind::Code]).flat_map(|part| code_lines(&part.text)).collect();
    let addresses = |links: &[String]| -> Vec<String> {
        links.iter().map(|link| link.trim_end_matches('/').to_owned()).collect()
    };
    let [heads, numbers] = of_furniture(truth, &outline, &found, &own);
    [
        recall,
        precision,
        of_order(&truth.blocks, &stream),
        of_flow(&truth.blocks, &stream),
        share(whole, paragraphs),
        head_r,
        head_p,
        level,
        share(cells.right, cells.wanted),
        share(cells.right, cells.found),
        share(right_items, items),
        share(right_items, found_items),
        share(right_notes, notes),
        share(matched(&code, &found_code), code.len()),
        share(matched(&addresses(&truth.links), &addresses(&outline.links)), truth.links.len()),
        heads,
        numbers,
        of_hyphens(truth, &own_counts, &counts),
    ]
}

/// `None` of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts of a document are small")]
pub(super) fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// How many texts are in both lists, with repeats.
fn matched(one: &[String], other: &[String]) -> usize {
    words::common(&words::count(one.iter().cloned()), &words::count(other.iter().cloned()))
}

/// Recall and precision of words.
fn of_words(truth: &Truth, wanted: &Counts, found: &Counts) -> [Option<f64>; 2] {
    let optional = words::count(words::words(&truth.optional));
    let common = words::common(found, wanted);
    let count = |counts: &Counts, word: &str| counts.get(word).copied().unwrap_or(0);
    // Marks of lists and notes, and numbers of sections, are not in the truth.
    let is_mark = |word: &str| word.chars().all(char::is_numeric) && word.chars().count() < 3;
    let extra: usize = found
        .iter()
        .filter(|(word, _)| !is_mark(word))
        .map(|(word, found)| found.saturating_sub(count(wanted, word) + count(&optional, word)))
        .sum();
    if wanted.is_empty() {
        return [None, Some(if extra == 0 { 1.0 } else { 0.0 })];
    }
    [share(common, wanted.values().sum()), share(common, common + extra)]
}

fn prefix(text: &str, letters: usize) -> &str {
    text.char_indices().nth(letters).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

fn of_order(blocks: &[Block], stream: &str) -> Option<f64> {
    let all_letters =
        |block: &Block| words::letters(&block.text) + &words::letters(&block.rows.concat().join(" "));
    let everything: String = blocks.iter().map(all_letters).collect();
    let mut places: Vec<Option<usize>> = Vec::new();
    let mut after = 0;
    for block in blocks.iter().filter(|block| block.kind != "footnote") {
        let text = match block.rows.first() {
            Some(row) => words::letters(&row.join(" ")),
            None => words::letters(&block.text),
        };
        let mut starts = (KEY..=LONGEST_KEY).step_by(8).map(|size| prefix(&text, size));
        let unique = starts.find(|start| everything.matches(*start).count() == 1);
        let Some(start) = unique.filter(|_| text.chars().count() >= SHORTEST_KEY) else { continue };
        let later = stream.get(after..).and_then(|rest| rest.find(start)).map(|place| after + place);
        let place = later.or_else(|| stream.find(start));
        if let Some(place) = place {
            after = place + start.chars().next().map_or(1, char::len_utf8);
        }
        places.push(place);
    }
    let pairs = places.iter().zip(places.iter().skip(1));
    let right = pairs.filter(|(one, other)| one.is_some() && one < other).count();
    share(right, places.len().saturating_sub(1))
}

fn of_flow(blocks: &[Block], stream: &str) -> Option<f64> {
    let (mut found, mut count) = (0, 0);
    for block in blocks.iter().filter(|block| matches!(block.kind.as_str(), "paragraph" | "item")) {
        let letters: Vec<char> = words::letters(&block.text).chars().collect();
        for piece in letters.chunks_exact(PIECE) {
            count += 1;
            found += usize::from(stream.contains(&piece.iter().collect::<String>()));
        }
    }
    share(found, count)
}

/// Recall, precision and level of headings.
fn of_headings(truth: &Truth, outline: &Outline) -> [Option<f64>; 3] {
    let mut found: HashMap<String, VecDeque<i64>> = HashMap::new();
    let mut count = 0;
    for part in outline.of(&[Kind::Heading]) {
        found.entry(words::letters(&part.text)).or_default().push_back(part.level);
        count += 1;
    }
    let prefix = words::letters(&truth.heading_prefix);
    let (mut wanted, mut shifts) = (0, Vec::new());
    for block in truth.of("heading") {
        wanted += 1;
        let text = words::letters(&block.text);
        let own = found.get_mut(&text).and_then(VecDeque::pop_front);
        let prefixed = format!("{prefix}{text}");
        let level = own.or_else(|| found.get_mut(&prefixed).and_then(VecDeque::pop_front));
        shifts.extend(level.map(|level| level - block.level));
    }
    let most = (-5..=5).map(|shift| shifts.iter().filter(|other| **other == shift).count()).max();
    [share(shifts.len(), wanted), share(shifts.len(), count), share(most.unwrap_or(0), shifts.len())]
}

/// The shares of running heads and of page numbers that appear.
fn of_furniture(truth: &Truth, outline: &Outline, found: &[String], own: &[String]) -> [Option<f64>; 2] {
    let phrases = |words: &[String]| format!(" {} ", words.join(" "));
    let (out, own) = (phrases(found), phrases(own));
    let alone: Vec<String> = outline
        .parts
        .iter()
        .filter(|part| part.kind != Kind::Table)
        .map(|part| words::key(&part.text))
        .collect();
    let (mut heads, mut numbers) = ([0, 0], [0, 0]);
    for text in &truth.furniture {
        if words::letters(text).is_empty() {
            let leaks = alone.contains(&words::key(text));
            numbers = [numbers[0] + usize::from(leaks), numbers[1] + 1];
        } else {
            let phrase = phrases(&words::words(text));
            let leaks = out.matches(&phrase).count() > own.matches(&phrase).count();
            heads = [heads[0] + usize::from(leaks), heads[1] + 1];
        }
    }
    [heads, numbers].map(|[leaked, all]| share(leaked, all))
}

fn of_hyphens(truth: &Truth, own: &Counts, found: &Counts) -> Option<f64> {
    let broken = words::count(truth.hyphenated.iter().cloned());
    let count = |counts: &Counts, word: &str| counts.get(word).copied().unwrap_or(0);
    let joined = broken.iter().map(|(word, times)| {
        let missing = count(own, word).saturating_sub(count(found, word));
        times.saturating_sub(missing)
    });
    share(joined.sum(), broken.values().sum())
}

/// The lines that are not empty, without white space.
fn code_lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<String>());
    lines.filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FIRST: &str = "The lower mill of the valley grinds barley for nine villages and a small town.";
    const SECOND: &str = "Another sentence about ferries continues without any haste until the river ends.";

    fn truth() -> Truth {
        Truth::new(&json!({
            "blocks": [
                { "kind": "heading", "level": 1, "text": "Mills and ferries" },
                { "kind": "paragraph", "text": FIRST },
                { "kind": "heading", "level": 2, "text": "The river" },
                { "kind": "paragraph", "text": SECOND },
                { "kind": "footnote", "text": "Seen in spring." },
                { "kind": "item", "text": "A heavy rope" },
                { "kind": "code", "text": "fn a() {\n    b();\n}" },
            ],
            "optional": [], "links": ["https://a.example/"], "furniture": ["Survey 7", "1", "2"],
            "hyphenated": ["ferries", "haste"],
        }))
    }

    fn figure(figures: &Figures, name: &str) -> Option<f64> {
        NAMES.iter().zip(figures).find(|(other, _)| **other == name).and_then(|(_, figure)| *figure)
    }

    #[test]
    fn the_same_document_has_full_figures() {
        let markdown = format!(
            "## Mills and ferries\n\n{FIRST}\n\n### 1 The river\n\n{SECOND}[^1]\n\n\
             - A heavy [rope](https://a.example)\n\n\
             ```\nfn a() {{\n    b();\n}}\n```\n\n[^1]: Seen in spring.\n"
        );
        let figures = measure(&truth(), &markdown);
        for (name, figure) in NAMES.iter().zip(figures) {
            let expected = match *name {
                "cells_r" | "cells_p" => None,
                "heads" | "numbers" => Some(0.0),
                _ => Some(1.0),
            };
            assert_eq!(figure, expected, "{name}");
        }
    }

    #[test]
    fn faults_lower_their_figures() {
        let broken = SECOND.replace("ferries", "fer- ries");
        let markdown =
            format!("{broken} Seen in spring.\n\nSurvey 7\n\n{FIRST}\n\n2\n\n# The river\n\nA heavy rope\n");
        let figures = measure(&truth(), &markdown);
        let expected = [
            ("head_r", 0.5),
            ("head_p", 1.0),
            ("notes", 0.0),
            ("items_r", 0.0),
            ("paras", 0.5),
            ("heads", 1.0),
            ("numbers", 0.5),
            ("hyphens", 0.5),
            ("code", 0.0),
            ("links", 0.0),
            ("order", 1.0 / 3.0),
        ];
        for (name, expected) in expected {
            assert_eq!(figure(&figures, name), Some(expected), "{name}");
        }
        assert!(figure(&figures, "recall").is_some_and(|recall| recall < 1.0));
        assert_eq!(measure(&truth(), "")[0], Some(0.0));
    }

    #[test]
    fn a_picture_has_no_words() {
        let truth = Truth::new(&json!({ "blocks": [], "without_text": true }));
        assert_eq!(figure(&measure(&truth, ""), "precision"), Some(1.0));
        assert_eq!(figure(&measure(&truth, "noise"), "precision"), Some(0.0));
    }
}
