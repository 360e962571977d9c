use std::sync::Arc;

use gleaner::models::{ApiKey, HttpModel, SearxNg};
use gleaner::{Budget, Engine, EngineBuilder};
use serde_json::json;

use super::{Session, engine};
use crate::args::{ExtractArgs, ModelArgs};
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Printer;

pub(super) async fn run(session: Session, args: &ExtractArgs) -> Result<u8, Failure> {
    let request = args.request()?;
    let mut interrupt = Interrupt::listen();
    let engine = engine::start_with(with_model(&args.model)?, &args.engine)?;
    let first = request.urls.iter().flatten().next().cloned().unwrap_or_default();
    let found = tokio::select! {
        found = engine.extract(request) => found.map_err(|error| engine::refused_page(error, &first, &args.engine))?,
        () = interrupt.pressed() => return Err(Failure::Interrupted),
    };
    let mut printer = Printer::stdout();
    match &found.sources {
        Some(sources) => printer.json(&json!({ "data": found.data, "sources": sources }))?,
        None => printer.json(&found.data)?,
    }
    if let Some(warning) = &found.warning {
        session.note(format_args!("note: {warning}"));
    }
    if found.tokens_used > 0 {
        session.note(format_args!("{} tokens used", found.tokens_used));
    }
    Ok(exit::DONE)
}

/// An engine with the model and the search engine that the command line names.
fn with_model(args: &ModelArgs) -> Result<EngineBuilder, Failure> {
    let mut builder = Engine::builder();
    if let Some(name) = &args.model {
        let mut model = HttpModel::builder(args.provider(), name);
        if let Some(url) = &args.model_url {
            model = model.base_url(url.clone());
        }
        if let Some(variable) = &args.model_key_env {
            model = model.key(key(variable)?);
        }
        if let Some(tokens) = args.model_context {
            model = model.context_tokens(tokens).max_output_tokens((tokens / 4).clamp(1, 4_096));
        }
        let model = model.build().map_err(|error| Failure::usage(format!("--model: {error}")))?;
        builder = builder.model(Arc::new(model));
    }
    if let Some(tokens) = args.budget_tokens {
        builder = builder.extract_budget(Budget { tokens: Some(tokens), ..Budget::default() });
    }
    if let Some(url) = &args.search_url {
        let search = SearxNg::builder(url.clone()).build();
        let search = search.map_err(|error| Failure::usage(format!("--search-url: {error}")))?;
        builder = builder.search(Arc::new(search));
    }
    Ok(builder)
}

/// The key in an environment variable: on the command line itself other users of the machine could read it.
#[expect(clippy::disallowed_methods, reason = "the person names the variable; no library reads one")]
fn key(variable: &str) -> Result<ApiKey, Failure> {
    let value = std::env::var(variable)
        .map_err(|_| Failure::usage(format!("--model-key-env: the variable `{variable}` holds no text")))?;
    ApiKey::new(value).map_err(|error| Failure::usage(format!("--model-key-env: `{variable}`: {error}")))
}
