//! Replaces `pdf.rs` without the feature `pdf`: a PDF is a failed page.

use std::sync::Arc;

use gleaner_runtime::ReadPdf;

use crate::adapters::TransformAdapter;

/// No settings.
#[derive(Debug, Default)]
pub(crate) struct PdfSettings;

impl PdfSettings {
    pub(crate) fn workers(self, _: &Arc<TransformAdapter>) -> Option<Arc<dyn ReadPdf>> {
        None
    }
}
