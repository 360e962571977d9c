use std::sync::Arc;

use gleaner::models::SearxNg;
use gleaner::{Engine, Error, ErrorCode, ErrorKind, ExtractResult};
use serde_json::json;

use super::model::with_model;
use super::{Session, engine};
use crate::args::ExtractArgs;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Printer;

pub(super) async fn run(session: Session, args: &ExtractArgs) -> Result<u8, Failure> {
    let request = args.request()?;
    let engine = start(args)?;
    let mut printer = Printer::stdout();
    if args.plan {
        let plan = engine.plan_extract(request).map_err(lacking)?;
        printer.text(&plan.to_string())?;
        return Ok(exit::DONE);
    }
    let mut interrupt = Interrupt::listen();
    let first = request.urls.iter().flatten().next().cloned().unwrap_or_default();
    let found = tokio::select! {
        found = engine.extract(request) => found.map_err(|error| refused(error, &first, args))?,
        () = interrupt.pressed() => return Err(Failure::Interrupted),
    };
    match &found.sources {
        _ if args.proofs => printer.json(&found)?,
        Some(sources) => printer.json(&json!({ "data": found.data, "sources": sources }))?,
        None => printer.json(&found.data)?,
    }
    if let Some(warning) = &found.warning {
        session.note(format_args!("note: {warning}"));
    }
    session.note(summary(&found));
    Ok(exit::DONE)
}

/// An engine with the model and the search engine that the command line names.
fn start(args: &ExtractArgs) -> Result<Engine, Failure> {
    let mut builder = with_model(&args.model)?;
    if let Some(url) = &args.search_url {
        let search = SearxNg::builder(url.clone()).build();
        let search = search.map_err(|error| Failure::usage(format!("--search-url: {error}")))?;
        builder = builder.search(Arc::new(search));
    }
    engine::start_with(builder, &args.engine)
}

/// How it went, in one line.
fn summary(found: &ExtractResult) -> String {
    let counted = |count: usize, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
    let read = found.pages.iter().filter(|page| page.error.is_none()).count();
    let mut said = format!("{} of {}", counted(found.leaves.len(), "value"), counted(read, "page"));
    if found.tokens_used > 0 {
        let calls = usize::try_from(found.spent.calls).unwrap_or(usize::MAX);
        said.push_str(&format!(", {} tokens in {}", found.tokens_used, counted(calls, "call")));
    }
    said
}

/// A refusal of the engine, in the words of the command line.
fn refused(error: Error, first: &str, args: &ExtractArgs) -> Failure {
    match error.kind() {
        ErrorKind::Unsupported => lacking(error),
        _ => engine::refused_page(error, first, &args.engine),
    }
}

/// As [`engine::refused`], with the option that gives what is lacking.
fn lacking(error: Error) -> Failure {
    match error.code() {
        ErrorCode::ModelNotConfigured => Failure::usage(
            "--prompt: words alone need a language model: name one by --model and --model-url, or say what to read by --schema",
        ),
        ErrorCode::SearchNotConfigured => Failure::usage(
            "[URLS]: without addresses a search engine is needed: name one by --search-url, or name pages",
        ),
        _ => engine::refused(error),
    }
}
