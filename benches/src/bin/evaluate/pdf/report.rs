//! The figures of all files as a table and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::measure::NAMES;
use super::{Made, Score};
use crate::Outcome;

/// Files with less of poppler's words are listed.
const ENOUGH: f64 = 0.8;
/// Files listed by their time.
const SLOWEST: usize = 5;

pub(super) fn report(scores: &[Score]) -> Outcome {
    let mut table = String::new();
    let mut json = Map::new();
    let failures = failures(scores);
    let seconds: f64 = scores.iter().map(|score| score.time.as_secs_f64()).sum();
    let _ = write!(table, "{} files, {seconds:.1} s; slowest:", scores.len());
    let mut slowest: Vec<&Score> = scores.iter().collect();
    slowest.sort_by_key(|score| std::cmp::Reverse(score.time));
    for score in slowest.into_iter().take(SLOWEST) {
        let _ = write!(table, " {} {:.2} s", score.name, score.time.as_secs_f64());
    }
    let _ = writeln!(table);
    for (kind, names) in &failures {
        let _ = writeln!(table, "failed: {kind} {}: {}", names.len(), names.join(" "));
    }
    let kinds: Map<String, Value> =
        failures.iter().map(|(kind, names)| ((*kind).to_owned(), names.len().into())).collect();
    json.insert("files".to_owned(), scores.len().into());
    json.insert("seconds".to_owned(), seconds.into());
    json.insert("failures".to_owned(), kinds.into());
    if scores.iter().any(|score| score.poppler.is_some()) {
        json.insert("poppler".to_owned(), poppler(scores, &mut table));
    }
    if scores.iter().any(|score| score.made.is_some()) {
        json.insert("made".to_owned(), made(scores, &mut table));
    }
    Outcome { table: table.trim_end().to_owned(), json: json!({ "pdf": json }) }
}

/// The names of failed files by kind of failure.
fn failures(scores: &[Score]) -> BTreeMap<&str, Vec<&str>> {
    let mut failures: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for score in scores {
        if let Some(error) = &score.error {
            failures.entry(error).or_default().push(&score.name);
        }
    }
    failures
}

fn poppler(scores: &[Score], table: &mut String) -> Value {
    let compared = || scores.iter().filter_map(|score| Some((score, score.poppler.as_ref()?)));
    let files = compared().count();
    let share = |has: &dyn Fn(&Score, f64, bool) -> bool| {
        let rows = compared().map(|(score, it)| f64::from(u8::from(has(score, it.recall, it.has_text))));
        mean(rows).unwrap_or(0.0)
    };
    let some = share(&|_, _, has_text| has_text);
    let enough = share(&|_, recall, _| recall >= ENOUGH);
    let _ = writeln!(
        table,
        "beside poppler's text: {files} files, some text {some:.3}, four fifths of the words {enough:.3}"
    );
    let mut below: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (score, it) in compared().filter(|(_, it)| it.recall < ENOUGH) {
        let kind = match &score.error {
            Some(error) => error.as_str(),
            None if !it.has_text => "no text",
            None => "few words",
        };
        below.entry(kind).or_default().push(format!("{} {:.2}", score.name, it.recall));
    }
    for (kind, names) in &below {
        let _ = writeln!(table, "  {kind} {}: {}", names.len(), names.join(", "));
    }
    let below: Map<String, Value> =
        below.into_iter().map(|(kind, names)| (kind.to_owned(), names.len().into())).collect();
    json!({ "files": files, "some_text": some, "four_fifths": enough, "below": below })
}

fn made(scores: &[Score], table: &mut String) -> Value {
    type Group = (&'static str, fn(&Made) -> String);
    let all: Vec<&Made> = scores.iter().filter_map(|score| score.made.as_ref()).collect();
    let mut json = Map::new();
    let by: [Group; 2] = [("tool", |made| made.tool.clone()), ("layout", |made| made.layout.clone())];
    for (title, group) in by {
        let mut groups: BTreeMap<String, Vec<&Made>> = BTreeMap::new();
        for made in &all {
            groups.entry(group(made)).or_default().push(made);
        }
        let _ =
            writeln!(table, "{title:12}{:>6}{}", "files", NAMES.map(|name| format!("{name:>10}")).concat());
        for (name, group) in &groups {
            let _ = writeln!(table, "{}", line(name, group));
        }
        let groups: Map<String, Value> =
            groups.into_iter().map(|(name, group)| (name, figures(&group).into())).collect();
        json.insert(title.to_owned(), groups.into());
    }
    let _ = writeln!(table, "{}", line("all", &all));
    json.insert("all".to_owned(), figures(&all).into());
    let told: Vec<bool> = all.iter().filter_map(|made| made.reports_missing_text).collect();
    if !told.is_empty() {
        let right = told.iter().filter(|told| **told).count();
        let _ = writeln!(table, "files without text that are reported as such: {right} of {}", told.len());
        json.insert("missing_text_reported".to_owned(), right.into());
    }
    json.into()
}

fn line(name: &str, group: &[&Made]) -> String {
    let cells: String = means(group)
        .into_iter()
        .map(|(_, figure)| figure.map_or_else(|| format!("{:>10}", "-"), |figure| format!("{figure:10.3}")))
        .collect();
    format!("{name:12}{:6}{cells}", group.len())
}

fn figures(group: &[&Made]) -> Map<String, Value> {
    let mut json: Map<String, Value> =
        means(group).into_iter().map(|(name, figure)| (name.to_owned(), figure.into())).collect();
    json.insert("files".to_owned(), group.len().into());
    json
}

/// The mean of each figure over the files that have it.
fn means(group: &[&Made]) -> Vec<(&'static str, Option<f64>)> {
    let figure = |at: usize| mean(group.iter().filter_map(|made| made.figures.get(at).copied().flatten()));
    NAMES.iter().enumerate().map(|(at, name)| (*name, figure(at))).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Comparison;
    use super::*;

    fn score(name: &str, error: Option<&str>, has_text: bool, recall: f64) -> Score {
        Score {
            name: name.to_owned(),
            error: error.map(str::to_owned),
            time: Duration::from_millis(5),
            poppler: Some(Comparison { has_text, recall }),
            made: None,
        }
    }

    #[test]
    fn files_are_counted_by_what_they_lack() {
        let scores = [
            score("a", None, true, 0.9),
            score("b", None, true, 0.5),
            score("c", Some("Malformed"), false, 0.0),
            score("d", None, false, 0.0),
        ];
        let outcome = report(&scores);
        let figure = |path: &str| outcome.json.pointer(path).and_then(Value::as_f64);
        assert_eq!(figure("/pdf/poppler/some_text"), Some(0.5));
        assert_eq!(figure("/pdf/poppler/four_fifths"), Some(0.25));
        assert_eq!(figure("/pdf/failures/Malformed"), Some(1.0));
        assert_eq!(figure("/pdf/poppler/below/no text"), Some(1.0));
        assert_eq!(figure("/pdf/poppler/below/few words"), Some(1.0));
        assert!(outcome.json.pointer("/pdf/made").is_none());
        assert!(outcome.table.contains("failed: Malformed 1: c"), "{}", outcome.table);
    }
}
