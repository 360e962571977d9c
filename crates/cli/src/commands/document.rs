//! Prints a single document, decides the exit code for it, and reports its warnings.

use gleaner::Document;

use crate::args::{TextFormat, in_flags};
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::hint;
use crate::output::Printer;
use crate::printable::printable_target;

/// Prints one document: its text if only one text format was requested, else the document as JSON.
pub(super) fn print(console: &Console, document: &Document, only: Option<TextFormat>) -> Result<(), Failure> {
    let mut printer = Printer::stdout();
    match text(document, only) {
        // White space alone counts as no text.
        Some(text) if text.trim().is_empty() => remark(console, document),
        Some(text) => {
            printer.text(text)?;
            remark(console, document);
        }
        None => printer.json(document)?,
    }
    Ok(())
}

fn text(document: &Document, only: Option<TextFormat>) -> Option<&str> {
    match only? {
        TextFormat::Markdown => document.markdown.as_deref(),
        TextFormat::Html => document.html.as_deref(),
        TextFormat::RawHtml => document.raw_html.as_deref(),
        TextFormat::Summary => document.summary.as_deref(),
    }
}

/// The exit code for this document. It is a failure if only a text was requested and there is none.
///
/// `selectors` names the options that selected elements of the page.
pub(super) fn exit_code(
    console: &Console,
    document: &Document,
    only: Option<TextFormat>,
    selectors: Option<&str>,
) -> u8 {
    if text(document, only).is_none_or(|text| !text.trim().is_empty()) {
        return exit::DONE;
    }
    // The reason for an empty result is an error, and --quiet does not suppress errors.
    match selectors {
        Some(selectors) => console.error(format_args!(
            "no output: with {selectors}, the page has no text; check the selectors, or leave them out"
        )),
        None if document.warning.is_none() => {
            console.error(
                "no output: no text was found on the page; --only-main-content false keeps the whole page",
            );
        }
        None => console.error("no output: no text was found on the page"),
    }
    exit::FAILED
}

/// Adds the document to the summary of `--json`, if it is wanted.
pub(super) fn summarize(console: &Console, document: &Document) {
    let Some(report) = console.report() else { return };
    let metadata = &document.metadata;
    if let Some(url) = metadata.url.as_deref().or(metadata.source_url.as_deref()) {
        report.set("url", printable_target(url));
    }
    if let Some(status) = metadata.status_code {
        report.set("statusCode", status);
        if let Some(hint) = hint::for_status(status) {
            report.set("hint", hint);
        }
    }
    if let Some(warning) = &document.warning {
        report.set("warnings", vec![in_flags(warning)]);
    }
}

/// Reports what the text does not show: an error status and the warning.
pub(super) fn remark(console: &Console, document: &Document) {
    if console.report().is_some() {
        // The summary has both.
        return;
    }
    if let Some(status) = document.metadata.status_code.filter(|status| *status >= 400) {
        console.note(format_args!("note: the site answered with status {status}"));
        if let Some(hint) = hint::for_status(status) {
            console.note(format_args!("hint: {hint}"));
        }
    }
    if let Some(warning) = &document.warning {
        console.note(format_args!("note: {}", in_flags(warning)));
    }
}
