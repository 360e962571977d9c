//! An engine without PDFs: each is an error of its page.

use std::sync::Arc;

use gleaner_runtime::ReadPdf;

use crate::adapters::TransformAdapter;

/// Nothing to set.
#[derive(Debug, Default)]
pub(crate) struct PdfSettings;

impl PdfSettings {
    pub(crate) fn workers(self, _: &Arc<TransformAdapter>) -> Option<Arc<dyn ReadPdf>> {
        None
    }
}
