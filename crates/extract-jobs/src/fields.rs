//! The format `json` of one page without a model, and the page's text for fields that need a model.

use std::borrow::Cow;

use gleaner_extract::{Page, Shape, empty_answer, extract};
use gleaner_runtime::{PageText, warn};
use gleaner_types::plan::{ChangeTrackingMode, Formats, ScrapeOptionsPlan};
use gleaner_types::{Document, Interrupt};
use url::Url;

/// Whether fields have to be read after the transformation. `uses_model`: a model reads pages.
fn needs_text(formats: &Formats, uses_model: bool) -> bool {
    let json = formats.json.as_ref().is_some_and(|json| uses_model || json.schema.is_none());
    let tracking = formats.change_tracking.as_ref();
    let tracks_fields = tracking.is_some_and(|tracking| tracking.modes.contains(&ChangeTrackingMode::Json));
    json || tracks_fields || (formats.summary && uses_model)
}

/// The options for the transformation: `options` with the formats that [`finish`] needs.
#[must_use]
pub fn transform_options(options: &ScrapeOptionsPlan, uses_model: bool) -> Cow<'_, ScrapeOptionsPlan> {
    let formats = &options.formats;
    let needs_text = needs_text(formats, uses_model);
    let raw_html = formats.raw_html || formats.json.is_some() || needs_text;
    let markdown = formats.markdown || needs_text;
    if (raw_html, markdown) == (formats.raw_html, formats.markdown) {
        return Cow::Borrowed(options);
    }
    let mut extended = options.clone();
    (extended.formats.raw_html, extended.formats.markdown) = (raw_html, markdown);
    Cow::Owned(extended)
}

/// Completes a document that was made with [`transform_options`]: removes the formats that were not
/// requested, and without a model extracts the fields of the schema. `warning` names the fields that stayed
/// empty.
///
/// It returns the text of the page if fields have to be read from it later. Once the interrupt is raised, the
/// document is incomplete.
pub fn finish(
    document: &mut Document,
    url: &Url,
    options: &ScrapeOptionsPlan,
    uses_model: bool,
    interrupt: &Interrupt,
) -> Option<Box<PageText>> {
    let formats = &options.formats;
    let needs_text = needs_text(formats, uses_model);
    if formats.json.is_none() && !needs_text {
        return None;
    }
    let keeps_markdown = formats.markdown || formats.change_tracking.is_some();
    let markdown =
        if keeps_markdown { document.markdown.clone() } else { document.markdown.take() }.unwrap_or_default();
    let html = if formats.raw_html { document.raw_html.clone() } else { document.raw_html.take() };
    let page =
        Page::new(url.clone(), html.unwrap_or_default()).with_markdown(markdown).with_interrupt(interrupt);
    let schema = formats.json.as_ref().and_then(|json| json.schema.as_ref());
    if let Some(schema) = schema.filter(|_| !uses_model) {
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
    needs_text.then(|| Box::new(PageText::new(page.html, page.markdown)))
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

    fn convert(formats: Formats, uses_model: bool) -> (Document, Option<Box<PageText>>) {
        let (url, options) = ("https://x.example/".parse().unwrap(), options(formats));
        let input = gleaner_transform::Input::new(&url, Some("text/html"), HTML.as_bytes());
        let mut document =
            gleaner_transform::transform(input, &transform_options(&options, uses_model)).unwrap().document;
        let text = finish(&mut document, &url, &options, uses_model, &Interrupt::never());
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
    fn text_is_returned_only_for_a_model_and_only_requested_formats_stay() {
        let compared = ChangeTracking { modes: vec![ChangeTrackingMode::Json], ..ChangeTracking::default() };
        let compared = Formats { markdown: true, change_tracking: Some(compared), ..Formats::default() };
        let rows = [
            ("no fields", Formats { markdown: true, ..Formats::default() }, true, false, false),
            ("a schema, no model", Formats { json: by_schema(), ..Formats::default() }, false, false, true),
            ("a schema, a model", Formats { json: by_schema(), ..Formats::default() }, true, true, false),
            ("a prompt", Formats { json: by_prompt(), ..Formats::default() }, false, true, false),
            ("a summary, no model", Formats { summary: true, ..Formats::default() }, false, false, false),
            ("a summary, a model", Formats { summary: true, ..Formats::default() }, true, true, false),
            ("compared by field", compared, false, true, false),
        ];
        for (name, formats, uses_model, has_text, has_json) in rows {
            let requested = (formats.markdown, formats.summary);
            let (document, text) = convert(formats, uses_model);
            assert_eq!(text.is_some(), has_text, "{name}");
            assert_eq!(document.json.is_some(), has_json, "{name}");
            assert_eq!((document.markdown.is_some(), document.summary.is_some()), requested, "{name}");
            assert!(document.raw_html.is_none(), "{name}");
            if let Some(text) = text {
                assert!(text.html.contains("<dt>Price") && text.markdown.contains("fine clay"), "{name}");
            }
        }
    }

    #[test]
    fn a_schema_without_properties_gives_empty_data() {
        for (schema, data) in [(json!({}), json!({})), (json!({ "type": "object" }), json!({}))] {
            let json = Some(JsonFormat { schema: Some(schema), ..JsonFormat::default() });
            let (document, text) = convert(Formats { json, ..Formats::default() }, false);
            assert_eq!((document.json, text), (Some(data), None));
            assert!(document.warning.is_some_and(|warning| warning.contains("names no property")));
        }
    }
}
