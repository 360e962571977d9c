//! Adds the model of the arguments to an engine.

use std::sync::Arc;

use gleaner::models::{ApiKey, HttpModel};
use gleaner::{Budget, Engine, EngineBuilder, Limits};

use super::{engine, variable};
use crate::args::{EngineArgs, ModelArgs};
use crate::failure::Failure;

/// The builder of an engine with the model from the arguments.
pub(super) fn with_model(args: &ModelArgs, network: &EngineArgs) -> Result<EngineBuilder, Failure> {
    let mut builder = Engine::builder();
    if let Some(name) = &args.model {
        let transport = engine::transport(network)?;
        let mut model = HttpModel::builder(args.provider(), name).transport(transport);
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
        let budget = Budget::default().tokens(tokens);
        builder = builder.limits(Limits::new().extract_budget(budget).job_budget(budget).page_budget(budget));
    }
    Ok(builder)
}

/// The key from an environment variable.
fn key(variable: &str) -> Result<ApiKey, Failure> {
    const OPTION: &str = "--model-key-env";
    let value = variable::read(OPTION, variable)?;
    ApiKey::new(value)
        .map_err(|error| Failure::usage(format!("{OPTION}: in {}: {error}", variable::named(variable))))
}
