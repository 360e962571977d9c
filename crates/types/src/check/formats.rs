//! Checks the formats of a request and their options.

use super::json_schema::{json_schema, present};
use super::path::Path;
use super::report::{Code, Report, Version};
use super::rules::not_blank;
use crate::limits::{MAX_ATTRIBUTE_SELECTORS, MAX_PROMPT_CHARS};
use crate::plan::{self, Formats};
use crate::request::{ChangeTrackingFormat, Format, JsonFormat, ScreenshotFormat};

/// The checked formats. `path` is the path of the scrape options.
///
/// Repeating a format has no effect. Two entries of the same format with different options are a conflict,
/// because the document has one field for the result.
pub(crate) fn formats(formats: Option<Vec<Format>>, path: &Path<'_>, report: &mut Report) -> Formats {
    let mut checked = Formats::default();
    let Some(formats) = formats else {
        checked.markdown = true;
        return checked;
    };
    let list = path.key("formats");
    let version = report.version();
    for (index, format) in formats.into_iter().enumerate() {
        let item = list.index(index);
        let name = format.name();
        let accepted = match format {
            Format::Markdown => enable(&mut checked.markdown),
            Format::Html => enable(&mut checked.html),
            Format::RawHtml => enable(&mut checked.raw_html),
            Format::Links => enable(&mut checked.links),
            Format::Images => enable(&mut checked.images),
            Format::Summary => enable(&mut checked.summary),
            Format::Branding => enable(&mut checked.branding),
            Format::Screenshot(options) => set(&mut checked.screenshot, screenshot(&options)),
            Format::Json(options) => {
                let options = JsonFormat { schema: present(options.schema), ..options };
                let options_path = path.key(if options.as_extract { "extract" } else { "jsonOptions" });
                let at = if version == Version::V1 { &options_path } else { &item };
                // A second entry is equal or a conflict, so only the first is checked.
                if checked.json.is_none() {
                    json_rules(&options, at, report);
                    checked.places.json = at.key("schema").parts();
                }
                set(&mut checked.json, json(options))
            }
            Format::ChangeTracking(options) => {
                let options = ChangeTrackingFormat { schema: present(options.schema), ..options };
                let options_path = path.key("changeTrackingOptions");
                let at = if version == Version::V1 { &options_path } else { &item };
                if checked.change_tracking.is_none() {
                    change_tracking_rules(&options, at, report);
                    checked.places.change_tracking = at.key("schema").parts();
                }
                set(&mut checked.change_tracking, change_tracking(options))
            }
            Format::Attributes(options) => {
                for (number, selector) in options.selectors.into_iter().enumerate() {
                    if checked.attributes.contains(&selector) {
                        continue;
                    }
                    if checked.attributes.len() == MAX_ATTRIBUTE_SELECTORS {
                        report.fault(Code::OutOfRange, &item, |name| {
                            format!(
                                "{name} exceeds the limit: all `attributes` formats together may have at \
                                 most {MAX_ATTRIBUTE_SELECTORS} different selectors"
                            )
                        });
                        break;
                    }
                    checked.attributes.push(selector);
                    let at = item.key("selectors").index(number).key("selector").parts();
                    checked.places.attributes.push(at);
                }
                true
            }
        };
        if !accepted {
            let is_extract = version == Version::V1 && name == "json";
            let older = if is_extract { " (`extract` is its older name)" } else { "" };
            report.fault(Code::Conflict, &item, |place| {
                format!("{place} is a second `{name}`{older} with other options: at most one is allowed")
            });
        }
    }
    if checked.change_tracking.is_some() && !checked.markdown {
        report.conflict(&list, &[&list], |name| {
            format!("{name} has `changeTracking`, which also needs `markdown`")
        });
    }
    checked
}

fn enable(flag: &mut bool) -> bool {
    *flag = true;
    true
}

/// Sets an empty option. Otherwise, whether it has the same value.
fn set<T: PartialEq>(option: &mut Option<T>, value: T) -> bool {
    match option {
        Some(present) => *present == value,
        None => {
            *option = Some(value);
            true
        }
    }
}

fn json_rules(options: &JsonFormat, path: &Path<'_>, report: &mut Report) {
    if options.schema.is_none() && options.prompt.is_none() {
        let format = if options.as_extract { "extract" } else { "json" };
        report.conflict(path, &[path], |name| {
            format!("{name} requests `{format}`, which needs a `schema`, a `prompt` or both")
        });
    }
    if let Some(schema) = &options.schema {
        json_schema(schema, &path.key("schema"), report);
    }
    not_blank(options.prompt.as_deref(), &path.key("prompt"), report);
    if options.system_prompt.as_ref().is_some_and(|prompt| prompt.chars().count() > MAX_PROMPT_CHARS) {
        report.fault(Code::OutOfRange, &path.key("systemPrompt"), |name| {
            format!("{name} must be at most {MAX_PROMPT_CHARS} characters long")
        });
    }
}

fn json(options: JsonFormat) -> plan::JsonFormat {
    plan::JsonFormat {
        schema: options.schema,
        prompt: options.prompt,
        system_prompt: options.system_prompt,
        as_extract: options.as_extract,
    }
}

fn change_tracking_rules(options: &ChangeTrackingFormat, path: &Path<'_>, report: &mut Report) {
    if let Some(schema) = &options.schema {
        json_schema(schema, &path.key("schema"), report);
    }
    not_blank(options.prompt.as_deref(), &path.key("prompt"), report);
}

fn change_tracking(options: ChangeTrackingFormat) -> plan::ChangeTracking {
    let mut modes = Vec::new();
    for mode in options.modes.unwrap_or_default() {
        if !modes.contains(&mode) {
            modes.push(mode);
        }
    }
    plan::ChangeTracking { modes, schema: options.schema, prompt: options.prompt, tag: options.tag }
}

pub(crate) fn screenshot(options: &ScreenshotFormat) -> plan::ScreenshotFormat {
    plan::ScreenshotFormat {
        full_page: options.full_page.unwrap_or(false),
        quality: options.quality,
        viewport: options.viewport,
    }
}
