//! Builds the engine that continues stored jobs.

use gleaner::EngineBuilder;

use super::model::with_model;
use super::{extract, webhook};
use crate::args::WorkerArgs;
use crate::failure::Failure;

/// The engine that goes on with stored jobs, without its store.
pub(super) fn builder(args: &WorkerArgs) -> Result<EngineBuilder, Failure> {
    let builder = with_model(&args.model, &args.engine)?;
    let builder = extract::with_search(builder, args.search_url.as_ref(), &args.engine)?;
    let builder = webhook::with_webhook(builder, args.webhook_secret_env.as_deref())?;
    Ok(args.site.configure(builder))
}
