//! Replaces `service.rs` without the feature `service`: webhooks are refused.

use std::sync::Arc;

use gleaner_fetch::Fetcher;
use gleaner_runtime::{Extract, Runtime};
use gleaner_types::ErrorCode;
use gleaner_types::plan::WebhookPlan;

use crate::Error;

/// No settings.
#[derive(Debug, Default)]
pub(crate) struct ServiceSettings;

/// The absence of a job service.
#[derive(Clone)]
pub(crate) struct ServicePart;

impl ServicePart {
    /// Whether pages are compared with their last scrape.
    pub(crate) const TRACKS_CHANGES: bool = false;

    pub(crate) fn new(_: &Arc<Runtime>, _: ServiceSettings, _: Option<Arc<dyn Extract>>, _: Fetcher) -> Self {
        Self
    }

    pub(crate) fn wake(&self) {}

    pub(crate) fn stop(&self) {}

    pub(crate) async fn prepare_webhook(&self, webhook: Option<&WebhookPlan>) -> Result<(), Error> {
        match webhook {
            Some(_) => Err(Error::unsupported(
                ErrorCode::UnsupportedOption,
                "`webhook` needs a job service, and this engine was built without one",
            )),
            None => Ok(()),
        }
    }
}
