//! The option that leaves out texts that recur on the pages of a site.

use clap::Args;
use gleaner::{EngineBuilder, Pages};

use super::booleans::BOOLEAN;

/// What jobs learn about the pages of a site, which is not part of a request.
#[derive(Debug, Args)]
#[command(next_help_heading = "Content")]
pub(crate) struct SiteArgs {
    /// Leave out what recurs on the pages of a site, such as newsletter boxes and rotating teasers; the
    /// first pages stay as they are [default: true]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    site_memory: Option<bool>,
}

impl SiteArgs {
    /// Configures the engine with these settings.
    pub(crate) fn configure(&self, builder: EngineBuilder) -> EngineBuilder {
        builder.pages(Pages::new().site_memory(self.site_memory.unwrap_or(true)))
    }
}
