//! The format `json` of one page, without a model.

use std::borrow::Cow;

use gleaner_extract::{Page, Shape, extract};
use gleaner_types::Document;
use gleaner_types::plan::ScrapeOptionsPlan;
use url::Url;

/// The options under which a document holds what [`fill`] reads.
pub(crate) fn reading(options: &ScrapeOptionsPlan) -> Cow<'_, ScrapeOptionsPlan> {
    if options.formats.json.is_none() || options.formats.raw_html {
        return Cow::Borrowed(options);
    }
    let mut reading = options.clone();
    reading.formats.raw_html = true;
    Cow::Owned(reading)
}

/// Reads the fields of the schema off a document that was made with [`reading`] options, and takes out again what the
/// request did not ask for. What stayed empty is told in `warning`.
pub(crate) fn fill(document: &mut Document, url: &Url, options: &ScrapeOptionsPlan) {
    let formats = &options.formats;
    let Some(asked) = &formats.json else { return };
    let keeps_markdown = formats.markdown || formats.change_tracking.is_some();
    let markdown =
        if keeps_markdown { document.markdown.clone() } else { document.markdown.take() }.unwrap_or_default();
    let html = if formats.raw_html { document.raw_html.clone() } else { document.raw_html.take() };
    let Some(schema) = &asked.schema else { return };
    let warning = match Shape::from_schema(schema) {
        Ok(shape) => {
            let page = Page::new(url.clone(), html.unwrap_or_default()).with_markdown(markdown);
            let found = extract(&page, &shape);
            let warning = found.warning();
            document.json = Some(found.data);
            warning
        }
        Err(error) => Some(error.to_string()),
    };
    if let Some(warning) = warning {
        let first = document.warning.take();
        document.warning = Some(first.map_or_else(|| warning.clone(), |first| format!("{first}; {warning}")));
    }
}
