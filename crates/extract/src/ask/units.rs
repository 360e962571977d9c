use std::ops::Range;

/// Records of a Markdown page, in order: where each stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Units {
    /// What stands above them and names their parts: the header row of a table; empty where there is none.
    pub(super) header: Range<usize>,
    pub(super) records: Vec<Range<usize>>,
}

/// The records that a page lists: the largest of its tables, its lists and its runs of like headings.
pub(super) fn units(markdown: &str) -> Units {
    let mut best = Units::default();
    let mut table = Units::default();
    let mut items: (usize, Units) = (0, Units::default());
    let mut sections: [Units; 6] = Default::default();
    let mut at = 0;
    let mut last_line: Range<usize> = 0..0;
    let take = |best: &mut Units, found: &mut Units| {
        let found = std::mem::take(found);
        if found.records.len() > best.records.len() {
            *best = found;
        }
    };
    for line in markdown.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        at += line.len();
        let trimmed = line.trim();
        // Tables: a row of dashes makes the line above the header.
        if trimmed.starts_with('|') {
            let dashes = trimmed.contains("---")
                && trimmed.chars().all(|found| matches!(found, '|' | '-' | ':' | ' '));
            if dashes {
                table = Units { header: last_line.clone(), records: Vec::new() };
            } else if !table.header.is_empty() {
                table.records.push(range.clone());
            }
        } else if !trimmed.is_empty() {
            take(&mut best, &mut table);
        }
        // Lists: items of one indent; deeper lines belong to the item above.
        let indent = line.len() - line.trim_start().len();
        let marked = trimmed.starts_with("- ")
            || trimmed.starts_with("* ")
            || trimmed.starts_with("+ ")
            || numbered(trimmed);
        if marked && (items.1.records.is_empty() || indent <= items.0) {
            if indent < items.0 {
                take(&mut best, &mut items.1);
            }
            items.0 = indent;
            items.1.records.push(range.clone());
        } else if !trimmed.is_empty() {
            match items.1.records.last_mut() {
                Some(last) if indent > items.0 => last.end = range.end,
                _ => take(&mut best, &mut items.1),
            }
        }
        // Headings: a record goes on to the next heading of its rank or above.
        let rank = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&rank) && trimmed.as_bytes().get(rank) == Some(&b' ') {
            for (deeper, found) in sections.iter_mut().enumerate() {
                if deeper >= rank {
                    take(&mut best, found);
                }
            }
            if let Some(own) = sections.get_mut(rank - 1) {
                own.records.push(range.clone());
            }
        } else if !trimmed.is_empty() {
            for found in &mut sections {
                if let Some(last) = found.records.last_mut() {
                    last.end = range.end;
                }
            }
        }
        last_line = range;
    }
    take(&mut best, &mut table);
    take(&mut best, &mut items.1);
    for mut found in sections {
        // Two headings are an article, not a list.
        if found.records.len() > 2 {
            take(&mut best, &mut found);
        }
    }
    best
}

fn numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=6).contains(&digits)
        && line.get(digits..).is_some_and(|rest| rest.starts_with(". ") || rest.starts_with(") "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_as_readers_would() {
        let rows = [
            ("| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\ntext", 2, "| 3 | 4 |"),
            ("text\n\n- a\n  more\n- b\n- c\n\nend", 3, "- c"),
            ("1. a\n2. b\n", 2, "2. b"),
            ("# T\n\n## a\nx\n## b\ny\n## c\nz\n\nw", 3, "## c\nz\n\nw"),
            ("only text", 0, ""),
        ];
        for (markdown, count, last) in rows {
            let found = units(markdown);
            assert_eq!(found.records.len(), count, "{markdown}");
            let text = found.records.last().and_then(|range| markdown.get(range.clone())).unwrap_or_default();
            assert_eq!(text, last, "{markdown}");
        }
        assert_eq!(units("| A | B |\n|---|---|\n| 1 | 2 |").header, 0..9);
    }
}
