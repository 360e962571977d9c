//! The format `json` of one page without a model, and what of a page is left to be read with one.

use std::borrow::Cow;

use gleaner_extract::{Page, Shape, empty_answer, extract};
use gleaner_runtime::{PageText, warn};
use gleaner_types::plan::{ChangeTrackingMode, Formats, ScrapeOptionsPlan};
use gleaner_types::{Document, Interrupt};
use url::Url;

/// Is something left to be read once the page is transformed? `by_model` tells that a model reads pages.
fn is_left(formats: &Formats, by_model: bool) -> bool {
    let by_prompt = formats.json.as_ref().is_some_and(|asked| by_model || asked.schema.is_none());
    let compared = formats.change_tracking.as_ref();
    let compared = compared.is_some_and(|asked| asked.modes.contains(&ChangeTrackingMode::Json));
    by_prompt || compared || (formats.summary && by_model)
}

/// The options under which a document holds what [`finish`] takes out of it.
#[must_use]
pub fn reading(options: &ScrapeOptionsPlan, by_model: bool) -> Cow<'_, ScrapeOptionsPlan> {
    let formats = &options.formats;
    let is_left = is_left(formats, by_model);
    let raw_html = formats.raw_html || formats.json.is_some() || is_left;
    let markdown = formats.markdown || is_left;
    if (raw_html, markdown) == (formats.raw_html, formats.markdown) {
        return Cow::Borrowed(options);
    }
    let mut reading = options.clone();
    (reading.formats.raw_html, reading.formats.markdown) = (raw_html, markdown);
    Cow::Owned(reading)
}

/// Takes out of a document that was made with [`reading`] options what the request did not ask for, and reads
/// the fields of its schema off it where no model is to do that. What stayed empty is told in `warning`.
///
/// The page as text is given where something is left to be read. What is given once the interrupt is raised
/// is unfinished.
pub fn finish(
    document: &mut Document,
    url: &Url,
    options: &ScrapeOptionsPlan,
    by_model: bool,
    interrupt: &Interrupt,
) -> Option<Box<PageText>> {
    let formats = &options.formats;
    let is_left = is_left(formats, by_model);
    if formats.json.is_none() && !is_left {
        return None;
    }
    let keeps_markdown = formats.markdown || formats.change_tracking.is_some();
    let markdown =
        if keeps_markdown { document.markdown.clone() } else { document.markdown.take() }.unwrap_or_default();
    let html = if formats.raw_html { document.raw_html.clone() } else { document.raw_html.take() };
    let page =
        Page::new(url.clone(), html.unwrap_or_default()).with_markdown(markdown).with_interrupt(interrupt);
    let schema = formats.json.as_ref().and_then(|asked| asked.schema.as_ref());
    if let Some(schema) = schema.filter(|_| !by_model) {
        let warning = match Shape::from_schema(schema) {
            Ok(shape) if shape.asks_for_nothing() => empty_answer(schema).map(|(data, warning)| {
                document.json = Some(data);
                warning
            }),
            Ok(shape) => {
                let mut found = extract(&page, &shape);
                let warning = found.warning();
                shape.complete(&mut found.data);
                document.json = Some(found.data);
                warning
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(warning) = warning {
            warn(document, &warning);
        }
    }
    is_left.then(|| Box::new(PageText { html: page.html, markdown: page.markdown, summary_warning: None }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_types::plan::{ChangeTracking, JsonFormat};
    use gleaner_types::request::ScrapeOptions;
    use serde_json::json;

    const HTML: &str = "<main><h1>Cup</h1><p>A cup of fine clay, fired twice and glazed in a deep blue.</p>\
        <dl><dt>Price</dt><dd>3 EUR</dd></dl></main>";

    fn options(formats: Formats) -> ScrapeOptionsPlan {
        ScrapeOptionsPlan { formats, ..ScrapeOptions::default().check().unwrap() }
    }

    fn made(formats: Formats, by_model: bool) -> (Document, Option<Box<PageText>>) {
        let (url, options) = ("https://x.example/".parse().unwrap(), options(formats));
        let input =
            gleaner_transform::Input { url: &url, content_type: Some("text/html"), body: HTML.as_bytes() };
        let mut document =
            gleaner_transform::transform(input, &reading(&options, by_model)).unwrap().document;
        let text = finish(&mut document, &url, &options, by_model, &Interrupt::never());
        (document, text)
    }

    fn by_schema() -> Option<JsonFormat> {
        let schema = json!({ "type": "object", "properties": { "price": { "type": "number" } } });
        Some(JsonFormat { schema: Some(schema), ..JsonFormat::default() })
    }

    fn by_prompt() -> Option<JsonFormat> {
        Some(JsonFormat { prompt: Some("the price".to_owned()), ..JsonFormat::default() })
    }

    #[test]
    fn only_what_takes_a_model_is_left_and_only_what_was_asked_for_stays() {
        let compared = ChangeTracking { modes: vec![ChangeTrackingMode::Json], ..ChangeTracking::default() };
        let compared = Formats { markdown: true, change_tracking: Some(compared), ..Formats::default() };
        let rows = [
            ("nothing of the kind", Formats { markdown: true, ..Formats::default() }, true, false, false),
            ("a schema, no model", Formats { json: by_schema(), ..Formats::default() }, false, false, true),
            ("a schema, a model", Formats { json: by_schema(), ..Formats::default() }, true, true, false),
            ("a prompt", Formats { json: by_prompt(), ..Formats::default() }, false, true, false),
            ("a summary, no model", Formats { summary: true, ..Formats::default() }, false, false, false),
            ("a summary, a model", Formats { summary: true, ..Formats::default() }, true, true, false),
            ("compared by field", compared, false, true, false),
        ];
        for (name, formats, by_model, is_left, has_json) in rows {
            let asked = (formats.markdown, formats.summary);
            let (document, text) = made(formats, by_model);
            assert_eq!(text.is_some(), is_left, "{name}");
            assert_eq!(document.json.is_some(), has_json, "{name}");
            assert_eq!((document.markdown.is_some(), document.summary.is_some()), asked, "{name}");
            assert!(document.raw_html.is_none(), "{name}");
            if let Some(text) = text {
                assert!(text.html.contains("<dt>Price") && text.markdown.contains("fine clay"), "{name}");
            }
        }
    }

    #[test]
    fn a_schema_that_names_no_property_is_answered_with_nothing() {
        for (schema, data) in [(json!({}), json!({})), (json!({ "type": "object" }), json!({}))] {
            let asked = Some(JsonFormat { schema: Some(schema), ..JsonFormat::default() });
            let (document, text) = made(Formats { json: asked, ..Formats::default() }, false);
            assert_eq!((document.json, text), (Some(data), None));
            assert!(document.warning.is_some_and(|warning| warning.contains("names no property")));
        }
    }
}
