//! Replaces `extract.rs` without the feature `extract`: requests for structured data are refused.

use std::sync::Arc;

use gleaner_runtime::{Extract, Runtime};
use gleaner_types::plan::{ChangeTrackingMode, CrawlPlan, ScrapeOptionsPlan};
use gleaner_types::request::CrawlRequest;
use gleaner_types::{ErrorCode, FaultPath, RequestBounds};

use crate::Error;

/// No settings.
#[derive(Debug, Default)]
pub(crate) struct ExtractSettings;

impl ExtractSettings {
    pub(crate) fn uses_model(&self) -> bool {
        false
    }

    pub(crate) fn set_budgets(&mut self, _: Budgets) {}
}

/// No budgets.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Budgets;

/// The absence of an extractor.
#[derive(Debug, Clone)]
pub(crate) struct ExtractPart;

/// A crawl without a prompt.
pub(crate) struct PromptedCrawl {
    pub(crate) request: CrawlRequest,
    pub(crate) plan: CrawlPlan,
    pub(crate) warning: Option<String>,
}

impl ExtractPart {
    pub(crate) fn new(_: &Arc<Runtime>, _: ExtractSettings, _: RequestBounds) -> Self {
        Self
    }

    pub(crate) fn port(&self) -> Option<Arc<dyn Extract>> {
        None
    }

    pub(crate) fn check_fields(&self, options: &ScrapeOptionsPlan, _: &FaultPath) -> Result<(), Error> {
        let compared = options.formats.change_tracking.as_ref();
        if compared.is_some_and(|tracking| tracking.modes.contains(&ChangeTrackingMode::Json)) {
            return Err(refused("`changeTracking` in mode `json`"));
        }
        if options.formats.json.is_some() { Err(refused("the format `json`")) } else { Ok(()) }
    }

    pub(crate) async fn compile(
        &self,
        _: &Arc<Runtime>,
        request: CrawlRequest,
        plan: CrawlPlan,
    ) -> Result<PromptedCrawl, Error> {
        if plan.prompt.is_some() {
            return Err(refused("`prompt`"));
        }
        Ok(PromptedCrawl { request, plan, warning: None })
    }
}

fn refused(what: &str) -> Error {
    let text = format!("{what} needs extraction, and this engine was built without it");
    Error::unsupported(ErrorCode::ModelNotConfigured, text)
}

/// Documents as the transformation returns them, without extracted fields.
pub(crate) mod fields {
    use std::borrow::Cow;

    use gleaner_runtime::PageText;
    use gleaner_types::plan::ScrapeOptionsPlan;
    use gleaner_types::{Document, Interrupt};
    use url::Url;

    pub(crate) fn transform_options(options: &ScrapeOptionsPlan, _: bool) -> Cow<'_, ScrapeOptionsPlan> {
        Cow::Borrowed(options)
    }

    pub(crate) fn finish(
        _: &mut Document,
        _: &Url,
        _: &ScrapeOptionsPlan,
        _: bool,
        _: &Interrupt,
    ) -> Option<Box<PageText>> {
        None
    }
}
