//! Footnotes of Markdown: `[^1]` in a text, and `[^1]: note` in a block of its own.
//!
//! The renderer is not used for them, because it drops notes without a reference.

/// Markdown, split into its notes and the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MarkdownNotes {
    /// The Markdown without notes and references.
    pub(super) body: String,
    /// The label and the Markdown of each note.
    pub(super) notes: Vec<(String, String)>,
    /// The labels of the references.
    pub(super) references: Vec<String>,
}

impl MarkdownNotes {
    pub(super) fn of(markdown: &str) -> Self {
        let mut split = Self::default();
        let mut fence: Option<String> = None;
        let mut in_note = false;
        for line in markdown.split('\n') {
            let content = line.trim_start_matches([' ', '>', '\t']);
            if let (true, Some((_, note))) = (in_note, split.notes.last_mut())
                && (line.starts_with("    ") || line.starts_with('\t') || line.trim().is_empty())
            {
                note.push('\n');
                note.push_str(line.trim());
                continue;
            }
            in_note = false;
            match &fence {
                Some(open) => {
                    let marker = open.chars().next().unwrap_or('`');
                    if content.starts_with(open.as_str()) && content.trim().trim_matches(marker).is_empty() {
                        fence = None;
                    }
                }
                None => {
                    fence = fence_of(content);
                    if fence.is_none() {
                        if let Some((label, note)) = definition(content) {
                            split.notes.push((label.to_owned(), note.to_owned()));
                            in_note = true;
                        } else {
                            split.add_line(line);
                        }
                        continue;
                    }
                }
            }
            split.body.push_str(line);
            split.body.push('\n');
        }
        split
    }

    /// Adds a line without its references.
    fn add_line(&mut self, line: &str) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("[^") {
            self.body.push_str(before);
            match after.split_once(']') {
                Some((label, after)) if is_label(label) && !before.ends_with('\\') => {
                    self.references.push(label.to_owned());
                    rest = after;
                }
                _ => {
                    self.body.push_str("[^");
                    rest = after;
                }
            }
        }
        self.body.push_str(rest);
        self.body.push('\n');
    }
}

/// The fence of a block of code that a line opens.
fn fence_of(line: &str) -> Option<String> {
    let marker = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let fence: String = line.chars().take_while(|c| *c == marker).collect();
    (fence.len() >= 3).then_some(fence)
}

/// The label and the first line of a note.
fn definition(line: &str) -> Option<(&str, &str)> {
    let (label, note) = line.strip_prefix("[^")?.split_once("]:")?;
    is_label(label).then(|| (label, note.trim()))
}

fn is_label(label: &str) -> bool {
    !label.is_empty() && !label.contains(|c: char| c.is_whitespace() || matches!(c, '[' | ']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_and_references_are_split_from_the_text() {
        let split = MarkdownNotes::of(
            "A[^1] b[^x].\n\n```\n[^1]: code\n```\n\n[^1]: One\n\n    more\n[^x]: Two\n\nC \\[^2] d",
        );
        assert_eq!(split.body, "A b.\n\n```\n[^1]: code\n```\n\nC \\[^2] d\n");
        assert_eq!(split.references, ["1", "x"]);
        let notes: Vec<(&str, &str)> =
            split.notes.iter().map(|(label, note)| (label.as_str(), note.as_str())).collect();
        assert_eq!(notes, [("1", "One\n\nmore"), ("x", "Two\n")]);
    }
}
