//! Options that decide which links a crawl or a map follows.

use clap::Args;
use gleaner::{EngineBuilder, Pages, Politeness};
use serde::{Deserialize, Serialize};

use super::booleans::BOOLEAN;

/// Rules for links, which are not part of a request.
#[derive(Debug, Args)]
#[command(next_help_heading = "Links")]
pub(crate) struct LinkArgs {
    /// Do not follow links that a page marks nofollow [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    nofollow: Option<bool>,

    /// Treat documents in iframes as linked pages [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    iframes: Option<bool>,
}

impl LinkArgs {
    /// The rules.
    pub(crate) fn rules(&self) -> LinkRules {
        LinkRules { nofollow: self.nofollow.unwrap_or_default(), iframes: self.iframes.unwrap_or_default() }
    }
}

/// Rules for links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LinkRules {
    /// Links that a page marks nofollow are not followed.
    pub(crate) nofollow: bool,
    /// Documents in iframes are linked pages.
    pub(crate) iframes: bool,
}

impl LinkRules {
    /// Configures the engine with these rules.
    pub(crate) fn configure(self, builder: EngineBuilder) -> EngineBuilder {
        builder
            .politeness(Politeness::new().obey_nofollow(self.nofollow))
            .pages(Pages::new().follow_iframes(self.iframes))
    }
}
