//! Quality of main content and metadata on pages with ground truth, and the speed of the transformer.
//!
//! F1, precision and recall count the words of the rendered Markdown with repeats. Leak is the share of the
//! `without` snippets of the truth that the Markdown contains. Each figure is the mean over pages. A title is
//! exact if it equals the truth except for case and white space, and contained if one of the two contains the
//! other. An author is right if it equals the truth in the same way, a date if it has the day of the truth.
//! Pages without a truth for a figure do not count in that figure. Shells are the pages that a browser would
//! render: the pages have their text as served, except for a few, so most of them would be rendered in vain.
//!
//! The model of main content was trained on pages of this kind, so these figures measure its fit. A figure
//! for unseen sites needs models trained without them: `crates/transform/training` computes it
//! (`--cross-validate`, folds by domain). This program prints it from the table in its README.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use gleaner_transform::{Input, transform};
use gleaner_types::Metadata;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{Format, ScrapeOptions};
use scraper::Html;
use serde_json::{Value, json};
use url::Url;

use crate::{Failure, Outcome, dom, render};

/// The README with the figures of the training program.
const TRAINING: &str = include_str!("../../../../crates/transform/training/README.md");

/// A page and its ground truth.
pub(super) struct Page {
    pub(super) name: String,
    pub(super) url: Url,
    pub(super) body: Vec<u8>,
    kind: String,
    pub(super) truth: Value,
}

/// The figures of a page.
struct Score {
    kind: String,
    /// Precision, recall, F1.
    words: [f64; 3],
    leak: Option<f64>,
    title: Option<(bool, bool)>,
    author: Option<bool>,
    date: Option<bool>,
}

pub(super) fn evaluate(folder: &Path) -> Result<Outcome, Failure> {
    let pages = read(folder)?;
    let options = ScrapeOptions::new().formats([Format::Markdown, Format::Links]);
    let options = options.check().map_err(|faults| faults.to_string())?;
    let (mut transform_time, mut parse_time) = (Duration::ZERO, Duration::ZERO);
    let (mut failed, mut shells) = (0_usize, Vec::new());
    let mut scores = Vec::with_capacity(pages.len());
    for page in &pages {
        let began = Instant::now();
        let document = transformed(page, &options);
        transform_time += began.elapsed();
        if document.as_ref().is_some_and(|(.., needs_scripts)| *needs_scripts) {
            shells.push(page.name.as_str());
        }
        let text = String::from_utf8_lossy(&page.body);
        let began = Instant::now();
        std::hint::black_box(Html::parse_document(&text));
        parse_time += began.elapsed();
        failed += usize::from(document.is_none());
        let (markdown, metadata, _) = document.unwrap_or_default();
        scores.push(score(page, &markdown, &metadata));
    }
    let bytes: usize = pages.iter().map(|page| page.body.len()).sum();
    let mut outcome = report(&scores, failed, bytes, transform_time, parse_time);
    let share = ratio(shells.len(), pages.len());
    let _ = write!(outcome.table, "\nshells {share:.4} of pages: {}", shells.join(" "));
    if let Some(Value::Object(figures)) = outcome.json.get_mut("content") {
        figures.insert("shells".to_owned(), share.into());
    }
    Ok(outcome)
}

/// The Markdown and metadata of a page, and whether it is called an empty shell.
fn transformed(page: &Page, options: &ScrapeOptionsPlan) -> Option<(String, Metadata, bool)> {
    let input = Input::new(&page.url, Some("text/html"), &page.body);
    let page = transform(input, options).ok()?;
    Some((page.document.markdown.unwrap_or_default(), page.document.metadata, page.needs_scripts))
}

/// The bytes of a compressed file.
pub(super) fn unpack(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    GzDecoder::new(file).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The pages of a folder, in the order of their names.
pub(super) fn read(folder: &Path) -> Result<Vec<Page>, Failure> {
    let html = folder.join("html");
    let mut names: Vec<String> = fs::read_dir(&html)
        .map_err(|error| format!("{}: {error}", html.display()))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".html.gz")?.to_owned()))
        .collect();
    names.sort();
    let mut pages = Vec::with_capacity(names.len());
    for name in names {
        let labels: Value =
            serde_json::from_slice(&unpack(&folder.join(format!("ground-truth/{name}.json.gz")))?)?;
        let text = |path: &str| labels.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        pages.push(Page {
            name: name.clone(),
            url: text("/url").parse()?,
            body: unpack(&html.join(format!("{name}.html.gz")))?,
            kind: text("/_internal/page_type/primary"),
            truth: labels.pointer("/ground_truth").cloned().unwrap_or_default(),
        });
    }
    Ok(pages)
}

fn score(page: &Page, markdown: &str, metadata: &Metadata) -> Score {
    let text = dom::text(&render::html(markdown));
    let truth = |key: &str| page.truth.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let lower = text.to_lowercase();
    let snippets =
        page.truth.get("without").and_then(Value::as_array).filter(|snippets| !snippets.is_empty());
    let leak = snippets.map(|snippets| {
        let leaked = snippets
            .iter()
            .filter(|snippet| lower.contains(&snippet.as_str().unwrap_or_default().to_lowercase()));
        ratio(leaked.count(), snippets.len())
    });
    let found_title = fold(metadata.title.as_deref().unwrap_or_default());
    let found_author = match metadata.other.get("author") {
        Some(value) => serde_json::to_value(value).map(|value| author(&value)).unwrap_or_default(),
        None => String::new(),
    };
    let found_date = metadata.published_time.as_deref().unwrap_or_default();
    Score {
        kind: page.kind.clone(),
        words: render::overlap(&text, truth("main_content").unwrap_or_default()),
        leak,
        title: truth("title").map(fold).map(|title| {
            let contained =
                !found_title.is_empty() && (title.contains(&found_title) || found_title.contains(&title));
            (title == found_title, contained)
        }),
        author: truth("author").map(|author| fold(author) == fold(&found_author)),
        date: truth("publish_date").map(|date| found_date.starts_with(date.get(..10).unwrap_or(date))),
    }
}

fn author(value: &Value) -> String {
    match value {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

fn fold(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The mean figures over some pages.
struct Quality {
    f1: f64,
    precision: f64,
    recall: f64,
    leak: f64,
}

impl Quality {
    fn of<'s>(scores: impl Iterator<Item = &'s Score> + Clone) -> Self {
        let word = |at: usize| mean(scores.clone().filter_map(|score| score.words.get(at).copied()));
        let leak = mean(scores.clone().filter_map(|score| score.leak));
        Self { precision: word(0), recall: word(1), f1: word(2), leak }
    }

    fn json(&self) -> serde_json::Map<String, Value> {
        let figures =
            [("f1", self.f1), ("precision", self.precision), ("recall", self.recall), ("leak", self.leak)];
        figures.into_iter().map(|(name, figure)| (name.to_owned(), figure.into())).collect()
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { f1, precision, recall, leak } = self;
        write!(formatter, "{f1:.3}      {precision:.3}   {recall:.3}  {leak:.3}")
    }
}

/// The cross-validated F1 by kind of page: `(kind, F1)`, all kinds first.
fn unseen_sites(training: &'static str) -> Vec<(&'static str, f64)> {
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).skip(1);
    let kinds = training.lines().find(|line| line.starts_with("| | all"));
    let figures = training.lines().find(|line| line.starts_with("| unseen sites |"));
    let (Some(kinds), Some(figures)) = (kinds, figures) else { return Vec::new() };
    cells(kinds).zip(cells(figures)).filter_map(|(kind, figure)| Some((kind, figure.parse().ok()?))).collect()
}

fn report(
    scores: &[Score],
    failed: usize,
    bytes: usize,
    transform_time: Duration,
    parse_time: Duration,
) -> Outcome {
    let mut by_kind: BTreeMap<&str, Vec<&Score>> = BTreeMap::new();
    for score in scores {
        by_kind.entry(&score.kind).or_default().push(score);
    }
    let mut table = format!("  {:14}    F1  precision  recall   leak  pages\n", "kind");
    let mut kinds = serde_json::Map::new();
    for (kind, scores) in by_kind {
        let quality = Quality::of(scores.iter().copied());
        let _ = writeln!(table, "  {kind:14} {quality}  {:5}", scores.len());
        let mut json = quality.json();
        json.insert("pages".to_owned(), scores.len().into());
        kinds.insert(kind.to_owned(), json.into());
    }
    let quality = Quality::of(scores.iter());
    let _ = writeln!(table, "  {:14} {quality}  {:5}  failed {failed}", "all", scores.len());
    let unseen = unseen_sites(TRAINING);
    let unseen_figures: Vec<String> = unseen.iter().map(|(kind, f1)| format!("{kind} {f1:.3}")).collect();
    let _ = writeln!(
        table,
        "F1 of the training pages by models trained without their sites: {}",
        unseen_figures.join(", ")
    );
    let share = |values: Vec<bool>| mean(values.into_iter().map(|right| f64::from(u8::from(right))));
    let title = share(scores.iter().filter_map(|score| Some(score.title?.0)).collect());
    let contained = share(scores.iter().filter_map(|score| Some(score.title?.1)).collect());
    let author = share(scores.iter().filter_map(|score| score.author).collect());
    let date = share(scores.iter().filter_map(|score| score.date).collect());
    let _ = writeln!(
        table,
        "title {title:.3} exact, {contained:.3} contained  author {author:.3}  date {date:.3}"
    );
    let speed = |time: Duration| {
        (ratio(bytes, 1_000_000) / time.as_secs_f64(), ratio(scores.len(), 1) / time.as_secs_f64())
    };
    let ((gleaner, gleaner_pages), (floor, floor_pages)) = (speed(transform_time), speed(parse_time));
    let _ = write!(
        table,
        "{gleaner:.1} MB/s, {gleaner_pages:.0} pages/s; tree of html5ever alone {floor:.1} MB/s, \
         {floor_pages:.0} pages/s; ratio {:.2}",
        gleaner / floor
    );
    let mut json = json!({
        "pages": scores.len(), "failed": failed, "kinds": kinds,
        "unseen_sites": unseen.into_iter().collect::<BTreeMap<_, _>>(),
        "title": { "exact": title, "contained": contained }, "author": author, "date": date,
        "megabytes_per_second": gleaner, "pages_per_second": gleaner_pages,
        "parse_megabytes_per_second": floor, "parse_pages_per_second": floor_pages, "ratio": gleaner / floor,
    });
    if let Value::Object(json) = &mut json {
        json.append(&mut quality.json());
    }
    Outcome { table, json: json!({ "content": json }) }
}

#[expect(clippy::cast_precision_loss, reason = "figures that are only printed")]
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    sum / f64::from(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_training_readme_has_the_figures() {
        let figures = unseen_sites(TRAINING);
        let kinds: Vec<&str> = figures.iter().map(|(kind, _)| *kind).collect();
        let expected =
            ["all", "article", "documentation", "service", "forum", "collection", "listing", "product"];
        assert_eq!(kinds, expected);
        assert!(figures.iter().all(|(_, f1)| (0.4..1.0).contains(f1)), "{figures:?}");
        assert_eq!(unseen_sites("no table"), []);
    }
}
