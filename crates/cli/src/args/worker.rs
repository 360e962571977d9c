//! Options for an engine that continues stored jobs: secret, search, model, network.

use clap::Args;
use url::Url;

use super::{EngineArgs, ModelArgs, SiteArgs};

/// What an engine that goes on with stored jobs needs beside them.
#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// The environment variable with the secret that signs events of webhooks
    #[arg(long, value_name = "VAR", help_heading = "Webhook")]
    pub(crate) webhook_secret_env: Option<String>,

    /// Search the web with this SearXNG instance, for extracts
    #[arg(long, value_name = "URL", help_heading = "Model")]
    pub(crate) search_url: Option<Url>,

    #[command(flatten)]
    pub(crate) site: SiteArgs,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
