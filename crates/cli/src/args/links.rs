use clap::Args;
use gleaner::EngineBuilder;

use super::booleans::BOOLEAN;

/// Rules for links, which are not part of a request.
#[derive(Debug, Args)]
#[command(next_help_heading = "Links")]
pub(super) struct LinkArgs {
    /// Do not follow links that a page marks nofollow [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    nofollow: Option<bool>,

    /// Treat documents in iframes as linked pages [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    iframes: Option<bool>,
}

impl LinkArgs {
    /// Configures the engine with these rules.
    pub(super) fn configure(&self, builder: EngineBuilder) -> EngineBuilder {
        builder
            .obey_nofollow(self.nofollow.unwrap_or_default())
            .follow_iframes(self.iframes.unwrap_or_default())
    }
}
