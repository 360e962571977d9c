//! Runs `gleaner jobs`: lists stored jobs as a table or as JSON.

use std::time::Duration;

use gleaner::postgres::ListedJob;
use gleaner::sqlite::{JobProgress, JobRecord};
use gleaner::{JobId, JobKind, WaitingFor};
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{database, stored};
use crate::args::JobsArgs;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::output::{Printer, Stdout};
use crate::printable::printable_target;
use crate::summary::grouped;

/// The columns of the table.
const COLUMNS: [&str; 8] = ["ID", "KIND", "STATE", "DOCUMENTS", "FAILED", "WAITING", "CREATED", "URL"];

/// Columns of numbers, which are aligned to the right.
const NUMBERS: [&str; 3] = ["DOCUMENTS", "FAILED", "WAITING"];

pub(super) async fn run(console: &Console, args: &JobsArgs) -> Result<u8, Failure> {
    let mut list =
        List { printer: Printer::stdout(), json: args.json, lines: vec![COLUMNS.map(str::to_owned)] };
    if let Some(database) = &args.database {
        let jobs = database::list(&database.config()).await?;
        for job in jobs.jobs(database::MAX_LISTED).await.map_err(Failure::failed)? {
            list.add(&Row::listed(&job))?;
        }
        return list.finish(console, "the database");
    }
    let file = stored::named(args.file.as_deref())?;
    let reader = stored::open(file, "<FILE>")?;
    for record in stored::jobs(&reader, file)? {
        let progress = reader.progress(record.number).map_err(|error| stored::failed(file, &error))?;
        list.add(&Row::of(&record, &progress))?;
    }
    list.finish(console, &file.display().to_string())
}

/// The list of jobs, as it is printed.
#[derive(Debug)]
struct List {
    printer: Printer<Stdout>,
    json: bool,
    /// The lines of the table.
    lines: Vec<[String; 8]>,
}

impl List {
    fn add(&mut self, row: &Row<'_>) -> Result<(), Failure> {
        if self.json {
            self.printer.json(row)?;
        } else {
            self.lines.push(row.cells());
        }
        Ok(())
    }

    fn finish(mut self, console: &Console, place: &str) -> Result<u8, Failure> {
        if !self.json && self.lines.len() > 1 {
            self.printer.text(&table(&self.lines))?;
        } else if !self.json {
            console.note(format_args!("there are no jobs in {place}"));
        }
        Ok(exit::DONE)
    }
}

/// A job in the list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    id: JobId,
    kind: Option<&'static str>,
    url: Option<&'a str>,
    /// `scraping` until it has ended, whether or not a process works on it.
    state: &'static str,
    paused: bool,
    documents: u64,
    failed: u64,
    robots_blocked: u64,
    waiting: u64,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn of(record: &'a JobRecord, progress: &'a JobProgress) -> Self {
        Self {
            id: record.id,
            kind: record.kind.map(JobKind::as_str),
            url: record.url.as_deref(),
            state: progress.state.as_str(),
            paused: progress.is_paused,
            documents: progress.totals.documents,
            failed: progress.totals.failed,
            robots_blocked: progress.robots_blocked(),
            waiting: progress.waiting(),
            created_at: timestamp(record.submitted_at),
            ended_at: progress.ended_at.map(timestamp),
            error: progress.error.as_deref(),
        }
    }

    /// A job of a database.
    fn listed(job: &'a ListedJob) -> Self {
        let snapshot = &job.snapshot;
        let done = snapshot.completed;
        Self {
            id: snapshot.id,
            kind: snapshot.kind.map(JobKind::as_str),
            url: job.url.as_deref(),
            state: snapshot.state.as_str(),
            paused: snapshot.waiting_for == Some(WaitingFor::User),
            documents: done,
            failed: snapshot.failed,
            robots_blocked: snapshot.robots_blocked,
            waiting: snapshot.open,
            created_at: timestamp(snapshot.created_at),
            ended_at: snapshot.ended_at.map(timestamp),
            error: snapshot.error.as_deref(),
        }
    }

    /// The cells of the table.
    fn cells(&self) -> [String; 8] {
        let kind = match self.kind {
            Some("batch_scrape") => "batch",
            kind => kind.unwrap_or_default(),
        };
        let state = match self.state {
            "scraping" if self.paused => "paused",
            "scraping" => "unfinished",
            state => state,
        };
        [
            self.id.to_string(),
            kind.to_owned(),
            state.to_owned(),
            grouped(self.documents),
            grouped(self.failed),
            grouped(self.waiting),
            self.created_at.clone(),
            self.url.map(printable_target).unwrap_or_default(),
        ]
    }
}

/// The time in UTC, to the second.
fn timestamp(since_epoch: Duration) -> String {
    let seconds = i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX);
    let time = OffsetDateTime::from_unix_timestamp(seconds).ok();
    time.and_then(|time| time.format(&Rfc3339).ok()).unwrap_or_default()
}

/// The lines of a table. The first one has the names of the columns.
fn table(lines: &[[String; 8]]) -> String {
    let mut widths = [0; COLUMNS.len()];
    for line in lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for ((cell, width), column) in line.iter().zip(widths).zip(COLUMNS) {
            let cell =
                if NUMBERS.contains(&column) { format!("{cell:>width$}") } else { format!("{cell:width$}") };
            row.push_str(&cell);
            row.push_str("  ");
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_aligned() {
        let row = Row {
            id: "0197c2f4-8d5e-7b1a-9c3d-2f60a1b4c8e7".parse().unwrap(),
            kind: Some("batch_scrape"),
            url: Some("https://a.example/?key=hush"),
            state: "scraping",
            paused: false,
            documents: 12_340,
            failed: 3,
            robots_blocked: 0,
            waiting: 5_600,
            created_at: timestamp(Duration::from_secs(1_700_000_000)),
            ended_at: None,
            error: None,
        };
        let text = table(&[COLUMNS.map(str::to_owned), row.cells()]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "ID                                    KIND   STATE       DOCUMENTS  FAILED  WAITING  \
                 CREATED               URL",
                "0197c2f4-8d5e-7b1a-9c3d-2f60a1b4c8e7  batch  unfinished     12,340       3    5,600  \
                 2023-11-14T22:13:20Z  https://a.example/?key=…",
            ]
        );
        let paused = Row { paused: true, ..row };
        assert_eq!(paused.cells()[2], "paused");
        assert_eq!(Row { state: "completed", ..paused }.cells()[2], "completed");
    }
}
