//! The line-by-line difference of two texts, as a unified diff and in parsed form.

use std::fmt::Write as _;

use gleaner_types::Interrupt;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use serde_json::{Value, json};

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 3;
/// Total size of two texts, in bytes, above which they are not compared line by line. The diff then replaces
/// the whole old text with the new one.
pub const MAX_DIFF_BYTES: usize = 1 << 20;

/// A change of the lines `old` to the lines `new`, each a half-open range of indices.
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

/// Upper bound on the lines in the parsed form of a diff. Each takes half a kilobyte of memory there, even if
/// it is short.
pub const MAX_REPORTED_LINES: usize = 20_000;

/// The diff of two texts: `text`, a unified diff, and `json`, its files, chunks and changes. The flag says
/// whether `json` is truncated at [`MAX_REPORTED_LINES`].
pub(super) fn diff(before: &str, after: &str, interrupt: &Interrupt) -> (Value, bool) {
    let mut output = DiffOutput::default();
    if before.len().saturating_add(after.len()) > MAX_DIFF_BYTES {
        if !before.lines().eq(after.lines()) {
            output.replace_all(before, after, interrupt);
        }
        return output.finish();
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    for changes in group_changes(changes(&old, &new, interrupt)) {
        let chunk = Chunk::new(&changes, &old, &new);
        output.begin_chunk(chunk.old, chunk.new);
        for line in &chunk.lines {
            if interrupt.spend(1) {
                break;
            }
            output.push_line(line);
        }
    }
    output.finish()
}

/// A diff that is being written.
#[derive(Default)]
struct DiffOutput {
    text: String,
    chunks: Vec<Value>,
    lines: usize,
    additions: usize,
    deletions: usize,
}

impl DiffOutput {
    /// Begins a chunk. Each side is its first line, counted from 1, and its number of lines.
    fn begin_chunk(&mut self, old: (usize, usize), new: (usize, usize)) {
        if self.text.is_empty() {
            self.text.push_str("--- before\n+++ after\n");
        }
        let header = format!("@@ -{},{} +{},{} @@", old.0, old.1, new.0, new.1);
        let _never_fails = writeln!(self.text, "{header}");
        self.chunks.push(json!({
            "content": header,
            "changes": [],
            "oldStart": old.0,
            "oldLines": old.1,
            "newStart": new.0,
            "newLines": new.1,
        }));
    }

    fn push_line(&mut self, line: &Line<'_>) {
        self.text.push(line.sign);
        self.text.push_str(line.text);
        self.text.push('\n');
        self.additions += usize::from(line.sign == '+');
        self.deletions += usize::from(line.sign == '-');
        self.lines += 1;
        let changes = self.chunks.last_mut().and_then(|chunk| chunk.get_mut("changes"));
        if let Some(changes) =
            changes.and_then(Value::as_array_mut).filter(|_| self.lines <= MAX_REPORTED_LINES)
        {
            changes.push(line.json());
        }
    }

    /// Writes one chunk that replaces the whole old text with the new one.
    fn replace_all(&mut self, before: &str, after: &str, interrupt: &Interrupt) {
        let side = |count: usize| (usize::from(count > 0), count);
        self.begin_chunk(side(before.lines().count()), side(after.lines().count()));
        let old = before.lines().zip(1..).map(|(text, old)| Line { sign: '-', text, old, new: 0 });
        let new = after.lines().zip(1..).map(|(text, new)| Line { sign: '+', text, old: 0, new });
        for line in old.chain(new) {
            if interrupt.spend(1) {
                break;
            }
            self.push_line(&line);
        }
    }

    fn finish(self) -> (Value, bool) {
        let diff = json!({
            "text": self.text,
            "json": { "files": [{
                "from": "before",
                "to": "after",
                "chunks": self.chunks,
                "additions": self.additions,
                "deletions": self.deletions,
            }] },
        });
        (diff, self.lines > MAX_REPORTED_LINES)
    }
}

fn changes(old: &[&str], new: &[&str], interrupt: &Interrupt) -> Vec<Change> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    if interrupt.spend(old.len() + new.len()) {
        return Vec::new();
    }
    // The histogram algorithm uses heuristics for repeated lines, so its time does not grow quadratically.
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    diff.hunks().map(Change::from).collect()
}

/// Groups changes into chunks: changes whose context lines would touch share one.
fn group_changes(changes: Vec<Change>) -> Vec<Vec<Change>> {
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
    /// Line number in the old text, from 1.
    old: usize,
    /// Line number in the new text, from 1.
    new: usize,
}

impl Line<'_> {
    fn json(&self) -> Value {
        let content = format!("{}{}", self.sign, self.text);
        match self.sign {
            '-' => json!({ "type": "del", "del": true, "ln": self.old, "content": content }),
            '+' => json!({ "type": "add", "add": true, "ln": self.new, "content": content }),
            _ => json!({
                "type": "normal", "normal": true, "ln1": self.old, "ln2": self.new, "content": content
            }),
        }
    }
}

struct Chunk<'a> {
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
        let push_context =
            |at_old: &mut usize, at_new: &mut usize, until: usize, lines: &mut Vec<Line<'a>>| {
                while *at_old < until {
                    let Some(text) = old.get(*at_old) else { break };
                    (*at_old, *at_new) = (*at_old + 1, *at_new + 1);
                    lines.push(Line { sign: ' ', text, old: *at_old, new: *at_new });
                }
            };
        for change in changes {
            push_context(&mut at_old, &mut at_new, change.old.0, &mut lines);
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
        push_context(&mut at_old, &mut at_new, end, &mut lines);
        // Like `diff -u`, an empty side starts at the line before it.
        let side = |start: usize, end: usize| (if end > start { start + 1 } else { start }, end - start);
        let (old, new) = (side(start.0, at_old), side(start.1, at_new));
        Self { old, new, lines }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn diff_of(before: &str, after: &str) -> Value {
        diff(before, after, &Interrupt::never()).0
    }

    #[test]
    fn a_changed_line_has_context() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh";
        let diff = diff_of(before, &before.replace('d', "D"));
        let expected = "--- before\n+++ after\n@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n";
        assert_eq!(diff["text"], expected);
        let file = &diff["json"]["files"][0];
        assert_eq!((&file["additions"], &file["deletions"]), (&json!(1), &json!(1)));
        let chunk = &file["chunks"][0];
        assert_eq!(chunk["changes"][3], json!({"type": "del", "del": true, "ln": 4, "content": "-d"}));
        assert_eq!(chunk["newLines"], 7);
    }

    #[test]
    fn distant_changes_are_separate_chunks() {
        let lines: Vec<String> = (0..40).map(|line| line.to_string()).collect();
        let mut changed = lines.clone();
        (changed[5], changed[30]) = ("x".to_owned(), "y".to_owned());
        let diff = diff_of(&lines.join("\n"), &changed.join("\n"));
        assert_eq!(diff["json"]["files"][0]["chunks"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn large_texts_are_replaced_as_a_whole() {
        let before = "line\n".repeat(MAX_DIFF_BYTES / 5);
        let after = format!("{before}more\n");
        let (diff, is_truncated) = diff(&before, &after, &Interrupt::never());
        let file = diff["json"]["files"][0].clone();
        assert!(is_truncated);
        assert_eq!(file["chunks"][0]["changes"].as_array().unwrap().len(), MAX_REPORTED_LINES);
        assert_eq!(diff["text"].as_str().unwrap().lines().count(), 3 + 2 * (MAX_DIFF_BYTES / 5) + 1);
        assert_eq!(file["deletions"].as_u64().unwrap() as usize, MAX_DIFF_BYTES / 5);
    }

    #[test]
    fn equal_texts_have_no_diff_and_an_interrupt_stops_the_diff() {
        for text in ["a\nb".to_owned(), "a\n".repeat(MAX_DIFF_BYTES)] {
            assert_eq!(diff_of(&text, &text)["text"], "");
            assert_eq!(diff_of(&text, &text)["json"]["files"][0]["chunks"], json!([]));
        }
        let large = ("a\n".repeat(MAX_DIFF_BYTES), "b\n".repeat(MAX_DIFF_BYTES));
        let small: String = (0..20_000).map(|line| format!("{line}\n")).collect();
        for (before, after) in [large, (small.clone(), small.replace('7', "x"))] {
            for units in [0, 10_000] {
                let interrupt = Interrupt::after(units);
                let (partial, _) = diff(&before, &after, &interrupt);
                assert!(
                    interrupt.is_raised() && interrupt.spent() <= units + 100_000,
                    "{}",
                    interrupt.spent()
                );
                assert!(partial["text"].as_str().unwrap().len() < 1_000_000);
            }
        }
    }

    /// Applies the parsed form of a diff.
    #[expect(clippy::string_slice, reason = "every change begins with an ASCII sign")]
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
        fn a_diff_applied_to_the_old_text_gives_the_new_text(
            before in prop::collection::vec("[ab]{0,2}", 0..40),
            after in prop::collection::vec("[ab]{0,2}", 0..40),
        ) {
            let (before, after) = (before.join("\n"), after.join("\n"));
            let diff = diff_of(&before, &after);
            let expected: Vec<&str> = after.lines().collect();
            prop_assert_eq!(apply(&before, &diff), expected);
        }
    }
}
