use std::sync::Arc;

use gleaner::models::SearxNg;
use gleaner::{Engine, ExtractResult, ExtractWatch};
use serde_json::json;

use super::engine;
use super::model::with_model;
use super::with_progress::with_progress;
use crate::args::{ExtractArgs, in_flags};
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Printer;
use crate::printable::printable_line;
use crate::summary::counted;

pub(super) async fn run(console: &Console, args: &ExtractArgs, browser: &Browser) -> Result<u8, Failure> {
    let request = args.request()?;
    let engine = start(args, browser)?;
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
    match &found.sources {
        _ if args.proofs => printer.json(&found)?,
        Some(sources) => printer.json(&json!({ "data": found.data, "sources": sources }))?,
        None => printer.json(&found.data)?,
    }
    if console.reports_pages() {
        pages(&found).for_each(|line| console.error(line));
    }
    let has_values = !found.leaves.is_empty();
    if let Some(warning) = &found.warning {
        // The reason for an empty result is an error, and --quiet does not suppress errors.
        let text = format!("note: {}", in_flags(warning));
        if has_values { console.note(text) } else { console.error(text) }
    }
    console.note(summary(&found));
    Ok(if has_values { exit::DONE } else { exit::FAILED })
}

/// An engine with the model and the search engine from the arguments.
fn start(args: &ExtractArgs, browser: &Browser) -> Result<Engine, Failure> {
    let mut builder = with_model(&args.model, &args.engine)?;
    if let Some(url) = &args.search_url {
        let search = SearxNg::builder(url.clone()).transport(engine::transport(&args.engine)?).build();
        let search = search.map_err(|error| Failure::usage(format!("--search-url: {error}")))?;
        builder = builder.search(Arc::new(search));
    }
    engine::start_with(builder, &args.engine, browser)
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
