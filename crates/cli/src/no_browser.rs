//! The place of the browser on systems without one: the engine's browser needs Unix.

use std::path::Path;

use gleaner::EngineBuilder;

use crate::args::{BrowserArgs, WhichBrowser};
use crate::failure::Failure;

/// No browser.
#[derive(Debug, Clone, Default)]
pub(crate) struct Browser;

impl Browser {
    pub(crate) fn open(args: &BrowserArgs) -> Result<Self, Failure> {
        match args.which() {
            WhichBrowser::Program(_) => {
                Err(Failure::usage("--browser: this system has none: browsers are supported on Unix only"))
            }
            WhichBrowser::Auto | WhichBrowser::Never => Ok(Self),
        }
    }

    pub(crate) fn add_to(&self, builder: EngineBuilder) -> EngineBuilder {
        builder
    }

    pub(crate) fn is_some(&self) -> bool {
        false
    }

    pub(crate) fn program(&self) -> Option<&Path> {
        None
    }

    pub(crate) async fn version(&self) -> Option<String> {
        None
    }

    pub(crate) async fn close(&self) {}

    pub(crate) async fn close_at_once(&self) {}
}
