//! Finds runs of similar records in Markdown: table rows, list items, sections.

use hashbrown::HashMap;
use std::ops::Range;

/// Upper bound on the runs of records of one page; the largest are kept.
pub(super) const MAX_RUNS: usize = 8;

/// A run of similar records of a Markdown page, in page order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RecordRun {
    /// The header row of a table; empty for other runs.
    pub(super) header: Range<usize>,
    pub(super) records: Vec<Range<usize>>,
    /// The first record of each part, if headings divide the run.
    pub(super) parts: Vec<usize>,
}

impl RecordRun {
    fn push(&mut self, record: Range<usize>) {
        if self.records.is_empty() {
            self.parts.push(0);
        }
        self.records.push(record);
    }

    /// Appends the records of another run as a new part.
    fn join(&mut self, other: Self) {
        self.parts.push(self.records.len());
        self.records.extend(other.records);
    }

    /// Number of records in the parts in which at least one record satisfies `counts`.
    pub(super) fn count_parts(&self, counts: impl Fn(usize) -> bool) -> usize {
        let ends = self.parts.iter().skip(1).copied().chain([self.records.len()]);
        let parts = self.parts.iter().zip(ends).filter(|(start, end)| (**start..*end).any(&counts));
        parts.map(|(start, end)| end - start).sum()
    }
}

/// Number of records in the largest run of a page; 0 if the page lists nothing.
pub(super) fn largest_run_len(markdown: &str) -> usize {
    runs(markdown).first().map_or(0, |run| run.records.len())
}

/// The state of the scan over a page.
#[derive(Debug, Default)]
struct RunScan {
    runs: Vec<RecordRun>,
    /// Tables by their header row.
    tables: HashMap<String, usize>,
    /// The last list, as long as only headings follow it.
    list: Option<usize>,
}

impl RunScan {
    fn end_table(&mut self, markdown: &str, open: &mut RecordRun) {
        let run = std::mem::take(open);
        if run.records.is_empty() {
            return;
        }
        let header = markdown.get(run.header.clone()).unwrap_or_default();
        let header: String = header.split_whitespace().collect::<Vec<_>>().join(" ");
        match self.tables.get(&header).and_then(|at| self.runs.get_mut(*at)) {
            Some(known) => known.join(run),
            None => {
                self.tables.insert(header, self.runs.len());
                self.runs.push(run);
            }
        }
    }

    fn end_list(&mut self, open: &mut RecordRun) {
        let run = std::mem::take(open);
        if run.records.is_empty() {
            return;
        }
        match self.list.and_then(|at| self.runs.get_mut(at)) {
            Some(known) => known.join(run),
            None => {
                self.list = Some(self.runs.len());
                self.runs.push(run);
            }
        }
    }

    fn end_sections(&mut self, open: &mut RecordRun) {
        let run = std::mem::take(open);
        // Two headings make an article, not a list.
        if run.records.len() > 2 {
            self.runs.push(run);
        }
    }
}

/// The runs of records of a page, the largest first: tables, lists and headings of one rank.
///
/// Tables with the same header row are one run. So are lists with only headings between them, such as "A",
/// "B" and "C" of an index. The caller decides which run is the requested list.
pub(super) fn runs(markdown: &str) -> Vec<RecordRun> {
    let mut scan = RunScan::default();
    let mut table = RecordRun::default();
    let mut items: (usize, RecordRun) = (0, RecordRun::default());
    let mut sections: [RecordRun; 6] = Default::default();
    let mut at = 0;
    let mut last_line: Range<usize> = 0..0;
    for line in markdown.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        at += line.len();
        let trimmed = line.trim();
        let rank = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=6).contains(&rank) && trimmed.as_bytes().get(rank) == Some(&b' ');
        // Tables: a row of dashes makes the line above it the header.
        if trimmed.starts_with('|') {
            let dashes = trimmed.contains("---")
                && trimmed.chars().all(|found| matches!(found, '|' | '-' | ':' | ' '));
            if dashes {
                scan.end_table(markdown, &mut table);
                table.header = last_line.clone();
            } else if !table.header.is_empty() {
                table.push(range.clone());
            }
        } else {
            scan.end_table(markdown, &mut table);
        }
        // Lists: items of one indent. Deeper lines belong to the item above.
        let indent = line.len() - line.trim_start().len();
        let marked = trimmed.starts_with("- ")
            || trimmed.starts_with("* ")
            || trimmed.starts_with("+ ")
            || numbered(trimmed);
        if marked && (items.1.records.is_empty() || indent <= items.0) {
            if indent < items.0 {
                scan.end_list(&mut items.1);
            }
            items.0 = indent;
            items.1.push(range.clone());
        } else if !trimmed.is_empty() {
            match items.1.records.last_mut() {
                Some(last) if indent > items.0 => last.end = range.end,
                _ => {
                    scan.end_list(&mut items.1);
                    if !is_heading {
                        scan.list = None;
                    }
                }
            }
        }
        // Headings: a record extends to the next heading of its rank or above.
        if is_heading {
            for (deeper, open) in sections.iter_mut().enumerate() {
                if deeper >= rank {
                    scan.end_sections(open);
                }
            }
            if let Some(own) = sections.get_mut(rank - 1) {
                own.push(range.clone());
            }
        }
        if !trimmed.is_empty() {
            for open in sections.iter_mut().take(if is_heading { rank - 1 } else { 6 }) {
                if let Some(last) = open.records.last_mut() {
                    last.end = range.end;
                }
            }
        }
        last_line = range;
    }
    scan.end_table(markdown, &mut table);
    scan.end_list(&mut items.1);
    for mut open in sections {
        scan.end_sections(&mut open);
    }
    let mut runs = scan.runs;
    runs.retain(|run| run.records.len() > 1);
    runs.sort_by_key(|run| std::cmp::Reverse(run.records.len()));
    runs.truncate(MAX_RUNS);
    runs
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
    fn records_are_counted_as_a_reader_would() {
        let rows = [
            ("| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\ntext", 2, "| 3 | 4 |"),
            ("text\n\n- a\n  more\n- b\n- c\n\nend", 3, "- c"),
            ("1. a\n2. b\n", 2, "2. b"),
            ("# T\n\n## a\nx\n## b\ny\n## c\nz\n\nw", 3, "## c\nz\n\nw"),
            ("# T\n\n## a\n### i\nx\n## b\ny\n## c\n### z", 3, "## c\n### z"),
            ("only text", 0, ""),
        ];
        for (markdown, count, last) in rows {
            let found = runs(markdown).into_iter().next().unwrap_or_default();
            assert_eq!((found.records.len(), largest_run_len(markdown)), (count, count), "{markdown}");
            let text = found.records.last().and_then(|range| markdown.get(range.clone())).unwrap_or_default();
            assert_eq!(text, last, "{markdown}");
        }
        assert_eq!(runs("| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |")[0].header, 0..9);
    }

    #[test]
    fn all_runs_are_returned_and_parts_of_one_are_joined() {
        let counts = |markdown: &str| -> Vec<(usize, Vec<usize>)> {
            runs(markdown).into_iter().map(|run| (run.records.len(), run.parts)).collect()
        };
        let table = "| Name | Price |\n|---|---|\n| A | 1 |\n| B | 2 |\n";
        let rows = [
            ("a table beside a list", format!("- x\n- y\n- z\n\n{table}"), vec![(3, vec![0]), (2, vec![0])]),
            (
                "two tables of one header",
                format!("## Men\n\n{table}\ntext\n\n{table}"),
                vec![(4, vec![0, 2])],
            ),
            (
                "two tables of two headers",
                format!("{table}\n| Size |\n|---|\n| L |\n| M |"),
                vec![(2, vec![0]), (2, vec![0])],
            ),
            (
                "an index by letter",
                "## A\n\n- Anna\n\n## B\n\n- Ben\n- Bo\n".to_owned(),
                vec![(3, vec![0, 1])],
            ),
            (
                "two lists with words between",
                "- a\n- b\n\nAnd these:\n\n- c\n- d\n".to_owned(),
                vec![(2, vec![0]), (2, vec![0])],
            ),
            (
                "things with bullets",
                "## P\n- x\n- y\n## Q\n- x\n- y\n## R\n- x\n- y\n".to_owned(),
                vec![(6, vec![0, 2, 4]), (3, vec![0])],
            ),
        ];
        for (name, markdown, expected) in rows {
            assert_eq!(counts(&markdown), expected, "{name}");
        }
        let index = runs("## A\n\n- Anna\n\n## B\n\n- Ben\n- Bo\n").remove(0);
        assert_eq!(index.count_parts(|record| record == 2), 2);
        assert_eq!(index.count_parts(|_| true), 3);
    }
}
