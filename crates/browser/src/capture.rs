use crate::page::Tab;
use crate::wire::CallError;
use gleaner_fetch::Picture;
use gleaner_types::plan::ScreenshotFormat;
pub(crate) async fn screenshot(_tab: &Tab<'_>, _format: &ScreenshotFormat) -> Result<Picture, CallError> {
    Err(CallError::Closed)
}
