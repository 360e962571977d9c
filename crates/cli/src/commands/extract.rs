//! Runs `gleaner extract`: prints the extracted data with its sources and costs.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner::models::SearxNg;
use gleaner::{Engine, EngineBuilder, ExtractResult, ExtractWatch, Job};
use serde_json::{Value, json};
use url::Url;

use super::model::with_model;
use super::place::Place;
use super::with_progress::with_progress;
use super::{engine, kept};
use crate::args::{EngineArgs, ExtractArgs, LinkRules, in_flags};
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job_command::JobCommand;
use crate::output::{Printer, Stdout};
use crate::printable::printable_line;
use crate::report::Report;
use crate::summary::counted;

pub(super) async fn run(console: &Console, args: &ExtractArgs, browser: &Browser) -> Result<u8, Failure> {
    let request = args.request()?;
    let command =
        JobCommand::new("extract", &request, LinkRules::default()).allowing(&args.engine.allow_private);
    let place = Place::open(&args.job, command)?;
    if place.is_kept() {
        let mut interrupt = Interrupt::listen(browser);
        let engine = engine::start_for(&place, builder(args)?, &args.engine, browser).await?;
        args.remark(console);
        let job = match kept::resumed(console, &engine, place.file()).await? {
            Some((job, _)) => job,
            None => kept::extract(&engine, request).await.map_err(engine::refused)?,
        };
        place.announce(console, job.id());
        let how = place.how(job.id());
        let code = run_kept(console, &engine, job, &mut interrupt, &how).await;
        place.hand_over(&engine).await;
        return code;
    }
    let engine = engine::start_with(builder(args)?, &args.engine, browser)?;
    let mut printer = Printer::stdout();
    if args.plan {
        let plan = engine.plan_extract(request).map_err(engine::refused)?;
        printer.text(&plan.to_string())?;
        return Ok(exit::DONE);
    }
    let mut interrupt = Interrupt::listen(browser);
    let first = request.urls.iter().flatten().next().cloned().unwrap_or_default();
    args.remark(console);
    let watch = ExtractWatch::new();
    let extracting = engine.extract_watched(request, &watch);
    let found = with_progress(console, &mut interrupt, || state(&watch), extracting).await?;
    let found = found.map_err(|error| engine::refused_page(error, &first, &args.engine))?;
    if args.proofs {
        printer.json(&found)?;
    } else {
        print(&mut printer, &found.data, found.sources.as_ref())?;
    }
    if console.reports_pages() {
        pages(&found).for_each(|line| console.now(line));
    }
    let has_values = !found.leaves.is_empty();
    warn(console, found.warning.as_deref(), has_values);
    match console.report() {
        Some(report) => add_to(report, &found),
        None => console.note(summary(&found)),
    }
    Ok(if has_values { exit::DONE } else { exit::FAILED })
}

/// Waits for the end of a kept extract, and prints its data. `how` says how it goes on after Ctrl-C.
pub(super) async fn run_kept(
    console: &Console,
    engine: &Engine,
    mut job: Job,
    interrupt: &mut Interrupt,
    how: &str,
) -> Result<u8, Failure> {
    let reading = || "reading pages".to_owned();
    let ended = with_progress(console, interrupt, reading, end_of(&mut job)).await;
    match ended {
        Ok(ended) => ended?,
        Err(Failure::Interrupted) => {
            engine.stop().await;
            let snapshot = job.status().await.map_err(Failure::failed)?;
            return Ok(kept::report_stop(console, &snapshot, how));
        }
        Err(failure) => return Err(failure),
    }
    let status = engine.service().extract_status(&kept::team().id, job.id()).await;
    let found = status.map_err(|error| engine::refused(error.into()))?;
    if let Some(error) = found.error {
        return Err(Failure::failed(in_flags(&error)));
    }
    print(&mut Printer::stdout(), &found.data, found.sources.as_ref())?;
    let has_values = has_values(&found.data);
    warn(console, found.warning.as_deref(), has_values);
    match console.report() {
        Some(report) => report.set("tokens", found.tokens_used),
        None if found.tokens_used > 0 => console.note(format_args!("{} tokens", found.tokens_used)),
        None => {}
    }
    Ok(if has_values { exit::DONE } else { exit::FAILED })
}

/// Waits until a job without documents has ended. Its status says why it failed.
async fn end_of(job: &mut Job) -> Result<(), Failure> {
    while let Some(next) = job.next().await {
        if let Err(error) = next {
            let snapshot = job.status().await.map_err(Failure::failed)?;
            return if snapshot.state.is_terminal() { Ok(()) } else { Err(Failure::failed(error)) };
        }
    }
    Ok(())
}

/// Whether there is any value in the data.
fn has_values(data: &Value) -> bool {
    match data {
        Value::Null => false,
        Value::Array(items) => items.iter().any(has_values),
        Value::Object(fields) => fields.values().any(has_values),
        _ => true,
    }
}

/// Prints the data, with its sources if the request asked for them.
fn print(
    printer: &mut Printer<Stdout>,
    data: &Value,
    sources: Option<&BTreeMap<String, Vec<String>>>,
) -> Result<(), Failure> {
    match sources {
        Some(sources) => printer.json(&json!({ "data": data, "sources": sources }))?,
        None => printer.json(data)?,
    }
    Ok(())
}

/// Reports the warning of a result.
fn warn(console: &Console, warning: Option<&str>, has_values: bool) {
    let Some(warning) = warning else { return };
    if let Some(report) = console.report() {
        report.set("warnings", vec![in_flags(warning)]);
        return;
    }
    // The reason for an empty result is an error, and --quiet does not suppress errors.
    let text = format!("note: {}", in_flags(warning));
    if has_values { console.note(text) } else { console.error(text) }
}

/// The builder of an engine with the model and the search engine from the arguments.
fn builder(args: &ExtractArgs) -> Result<EngineBuilder, Failure> {
    with_search(with_model(&args.model, &args.engine)?, args.search_url.as_ref(), &args.engine)
}

/// Adds the search engine of `--search-url`.
pub(super) fn with_search(
    builder: EngineBuilder,
    url: Option<&Url>,
    network: &EngineArgs,
) -> Result<EngineBuilder, Failure> {
    let Some(url) = url else { return Ok(builder) };
    let search = SearxNg::builder(url.clone()).transport(engine::transport(network)?).build();
    let search = search.map_err(|error| Failure::usage(format!("--search-url: {error}")))?;
    Ok(builder.search(Arc::new(search)))
}

/// The progress of the extract.
fn state(watch: &ExtractWatch) -> String {
    let spent = watch.spent();
    let mut text = counted(spent.pages, "page started", "pages started");
    if spent.calls > 0 {
        text.push_str(&format!(", {} tokens in {}", spent.tokens, counted(spent.calls, "call", "calls")));
    }
    text
}

/// One line per page with its outcome.
fn pages(found: &ExtractResult) -> impl Iterator<Item = String> {
    found.pages.iter().map(|page| match &page.error {
        Some(error) => printable_line(&format!("  {}: {}", page.url, in_flags(&error.message))),
        None => format!("  {}: {}", page.url, values(page.values)),
    })
}

/// Adds the result to the summary of `--json`.
fn add_to(report: &Report, found: &ExtractResult) {
    let read = found.pages.iter().filter(|page| page.error.is_none()).count();
    report.set("values", found.leaves.len());
    report.set("pages", found.pages.len());
    report.set("pagesRead", read);
    report.set("tokens", found.tokens_used);
}

/// A summary in one line.
fn summary(found: &ExtractResult) -> String {
    let read = found.pages.iter().filter(|page| page.error.is_none()).count();
    let read = u64::try_from(read).unwrap_or(u64::MAX);
    let mut text = format!("{} of {}", values(found.leaves.len()), counted(read, "page", "pages"));
    if found.tokens_used > 0 {
        let calls = counted(found.spent.calls, "call", "calls");
        text.push_str(&format!(", {} tokens in {calls}", found.tokens_used));
    }
    text
}

fn values(count: usize) -> String {
    counted(u64::try_from(count).unwrap_or(u64::MAX), "value", "values")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_data_with_a_value_is_a_result() {
        for (data, expected) in [
            (json!(null), false),
            (json!([]), false),
            (json!({"rows": [{"name": null}], "total": null}), false),
            (json!({"rows": [{"name": null}, {"name": ""}]}), true),
            (json!([false]), true),
        ] {
            assert_eq!(has_values(&data), expected, "{data}");
        }
    }
}
