use gleaner::Document;

use crate::args::{TextFormat, in_flags};
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::output::Printer;

/// Prints one document: its text, where one text format was all that was asked for, else the document as JSON.
pub(super) fn print(console: &Console, document: &Document, only: Option<TextFormat>) -> Result<(), Failure> {
    let mut printer = Printer::stdout();
    match text(document, only) {
        // A line end alone is no text either.
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

/// How a command ends that gave this document: where a text was all that was asked for and there is none, nothing came out.
///
/// `selectors` names the options that chose what to keep of the page.
pub(super) fn outcome(
    console: &Console,
    document: &Document,
    only: Option<TextFormat>,
    selectors: Option<&str>,
) -> u8 {
    if text(document, only).is_none_or(|text| !text.trim().is_empty()) {
        return exit::DONE;
    }
    // Why nothing came out is an error, and errors are told also where quiet was asked for.
    match selectors {
        Some(selectors) => console.error(format_args!(
            "nothing came out: what {selectors} keep of the page holds no text; check the selectors, or leave them out"
        )),
        None if document.warning.is_none() => {
            console.error("nothing came out: no text was found on the page; --only-main-content false keeps all of it");
        }
        None => console.error("nothing came out: no text was found on the page"),
    }
    exit::FAILED
}

/// Says what a reader of the text alone would miss.
pub(super) fn remark(console: &Console, document: &Document) {
    if let Some(status) = document.metadata.status_code.filter(|status| *status >= 400) {
        console.note(format_args!("note: the site answered with status {status}"));
    }
    if let Some(warning) = &document.warning {
        console.note(format_args!("note: {}", in_flags(warning)));
    }
}
