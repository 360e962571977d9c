//! How two texts differ, line by line: as a unified diff and in parsed form.

use std::fmt::Write as _;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use serde_json::{Value, json};

/// Lines around a change.
const CONTEXT: usize = 3;
/// Texts that are larger together, in bytes, are not compared line by line: all of the one is told as replaced by the
/// other.
pub const MAX_DIFF_BYTES: usize = 1 << 20;

/// A change of lines `old` into lines `new`, each from the first to before the last, from 0.
struct Change {
    old: (usize, usize),
    new: (usize, usize),
}

impl From<Hunk> for Change {
    fn from(hunk: Hunk) -> Self {
        Self {
            old: (hunk.before.start as usize, hunk.before.end as usize),
            new: (hunk.after.start as usize, hunk.after.end as usize),
        }
    }
}

/// The diff of two texts: `text`, a unified diff, and `json`, its files, chunks and changes.
pub(super) fn diff(before: &str, after: &str) -> Value {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut text = String::from("--- before\n+++ after\n");
    let (mut chunks, mut additions, mut deletions) = (Vec::new(), 0, 0);
    for changes in grouped(changes(before, after, &old, &new)) {
        let chunk = Chunk::new(&changes, &old, &new);
        let _never_fails = writeln!(text, "{}", chunk.header);
        for line in &chunk.lines {
            text.push(line.sign);
            text.push_str(line.text);
            text.push('\n');
        }
        additions += chunk.lines.iter().filter(|line| line.sign == '+').count();
        deletions += chunk.lines.iter().filter(|line| line.sign == '-').count();
        chunks.push(chunk.json());
    }
    if chunks.is_empty() {
        text.clear();
    }
    json!({
        "text": text,
        "json": { "files": [{
            "from": "before",
            "to": "after",
            "chunks": chunks,
            "additions": additions,
            "deletions": deletions,
        }] },
    })
}

fn changes(before: &str, after: &str, old: &[&str], new: &[&str]) -> Vec<Change> {
    if before.len().saturating_add(after.len()) > MAX_DIFF_BYTES {
        let all = Change { old: (0, old.len()), new: (0, new.len()) };
        return if old == new { Vec::new() } else { vec![all] };
    }
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    // It falls back on heuristics where lines repeat, so that its time does not grow with their square.
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    diff.hunks().map(Change::from).collect()
}

/// Changes whose context would touch belong to one chunk.
fn grouped(changes: Vec<Change>) -> Vec<Vec<Change>> {
    let mut groups: Vec<Vec<Change>> = Vec::new();
    for change in changes {
        let last = groups.last().and_then(|group| group.last()).map(|last| last.old.1);
        match groups.last_mut().filter(|_| last.is_some_and(|end| change.old.0 <= end + 2 * CONTEXT)) {
            Some(group) => group.push(change),
            None => groups.push(vec![change]),
        }
    }
    groups
}

struct Line<'a> {
    sign: char,
    text: &'a str,
    /// From 1.
    old: usize,
    /// From 1.
    new: usize,
}

struct Chunk<'a> {
    header: String,
    old: (usize, usize),
    new: (usize, usize),
    lines: Vec<Line<'a>>,
}

impl<'a> Chunk<'a> {
    fn new(changes: &[Change], old: &[&'a str], new: &[&'a str]) -> Self {
        let first = changes.first().map_or((0, 0), |change| (change.old.0, change.new.0));
        let before = first.0.min(CONTEXT);
        let (mut at_old, mut at_new) = (first.0 - before, first.1 - before);
        let start = (at_old, at_new);
        let mut lines = Vec::new();
        let keep = |at_old: &mut usize, at_new: &mut usize, until: usize, lines: &mut Vec<Line<'a>>| {
            while *at_old < until {
                let Some(text) = old.get(*at_old) else { break };
                (*at_old, *at_new) = (*at_old + 1, *at_new + 1);
                lines.push(Line { sign: ' ', text, old: *at_old, new: *at_new });
            }
        };
        for change in changes {
            keep(&mut at_old, &mut at_new, change.old.0, &mut lines);
            for text in old.get(change.old.0..change.old.1).unwrap_or_default() {
                at_old += 1;
                lines.push(Line { sign: '-', text, old: at_old, new: 0 });
            }
            for text in new.get(change.new.0..change.new.1).unwrap_or_default() {
                at_new += 1;
                lines.push(Line { sign: '+', text, old: 0, new: at_new });
            }
        }
        let end = at_old + CONTEXT;
        keep(&mut at_old, &mut at_new, end, &mut lines);
        // A side without lines is said to start at the line before, as `diff -u` has it.
        let side = |start: usize, end: usize| (if end > start { start + 1 } else { start }, end - start);
        let (old, new) = (side(start.0, at_old), side(start.1, at_new));
        let header = format!("@@ -{},{} +{},{} @@", old.0, old.1, new.0, new.1);
        Self { header, old, new, lines }
    }

    fn json(&self) -> Value {
        let changes = self.lines.iter().map(|line| {
            let content = format!("{}{}", line.sign, line.text);
            match line.sign {
                '-' => json!({ "type": "del", "del": true, "ln": line.old, "content": content }),
                '+' => json!({ "type": "add", "add": true, "ln": line.new, "content": content }),
                _ => json!({
                    "type": "normal", "normal": true, "ln1": line.old, "ln2": line.new, "content": content
                }),
            }
        });
        json!({
            "content": self.header,
            "changes": changes.collect::<Vec<_>>(),
            "oldStart": self.old.0,
            "oldLines": self.old.1,
            "newStart": self.new.0,
            "newLines": self.new.1,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_changed_line_stands_with_its_context() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh";
        let diff = diff(before, &before.replace('d', "D"));
        let expected = "--- before\n+++ after\n@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n";
        assert_eq!(diff["text"], expected);
        let file = &diff["json"]["files"][0];
        assert_eq!((&file["additions"], &file["deletions"]), (&json!(1), &json!(1)));
        let chunk = &file["chunks"][0];
        assert_eq!(chunk["changes"][3], json!({"type": "del", "del": true, "ln": 4, "content": "-d"}));
        assert_eq!(chunk["newLines"], 7);
    }

    #[test]
    fn changes_far_apart_are_chunks_of_their_own() {
        let lines: Vec<String> = (0..40).map(|line| line.to_string()).collect();
        let mut changed = lines.clone();
        (changed[5], changed[30]) = ("x".to_owned(), "y".to_owned());
        let diff = diff(&lines.join("\n"), &changed.join("\n"));
        assert_eq!(diff["json"]["files"][0]["chunks"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn large_texts_are_told_as_replaced() {
        let before = "line\n".repeat(MAX_DIFF_BYTES / 5);
        let after = format!("{before}more\n");
        let file = diff(&before, &after)["json"]["files"][0].clone();
        assert_eq!(file["deletions"].as_u64().unwrap() as usize, MAX_DIFF_BYTES / 5);
    }

    /// Applies the parsed form of a diff.
    #[expect(clippy::string_slice, reason = "every change begins with one sign of ASCII")]
    fn apply(before: &str, diff: &Value) -> Vec<String> {
        let old: Vec<&str> = before.lines().collect();
        let (mut result, mut at) = (Vec::new(), 0);
        for chunk in diff["json"]["files"][0]["chunks"].as_array().unwrap() {
            let lines = chunk["oldLines"].as_u64().unwrap() as usize;
            let start = chunk["oldStart"].as_u64().unwrap() as usize - usize::from(lines > 0);
            result.extend(old[at..start].iter().map(|line| (*line).to_owned()));
            for change in chunk["changes"].as_array().unwrap() {
                let content = change["content"].as_str().unwrap();
                match change["type"].as_str().unwrap() {
                    "add" => result.push(content[1..].to_owned()),
                    "normal" => assert_eq!(old[change["ln1"].as_u64().unwrap() as usize - 1], &content[1..]),
                    _ => assert_eq!(old[change["ln"].as_u64().unwrap() as usize - 1], &content[1..]),
                }
                if change["type"] == "normal" {
                    result.push(content[1..].to_owned());
                }
            }
            at = start + lines;
        }
        result.extend(old[at..].iter().map(|line| (*line).to_owned()));
        result
    }

    proptest! {
        #[test]
        fn a_diff_applied_to_the_one_text_gives_the_other(
            before in prop::collection::vec("[ab]{0,2}", 0..40),
            after in prop::collection::vec("[ab]{0,2}", 0..40),
        ) {
            let (before, after) = (before.join("\n"), after.join("\n"));
            let diff = diff(&before, &after);
            let expected: Vec<&str> = after.lines().collect();
            prop_assert_eq!(apply(&before, &diff), expected);
        }
    }
}
