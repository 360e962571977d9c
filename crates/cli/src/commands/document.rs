use gleaner::Document;

use crate::args::{TextFormat, in_flags};
use crate::console::Console;
use crate::failure::Failure;
use crate::output::Printer;

/// Prints one document: its text, where one text format was all that was asked for, else the document as JSON.
pub(super) fn print(console: &Console, document: &Document, only: Option<TextFormat>) -> Result<(), Failure> {
    let mut printer = Printer::stdout();
    let text = only.and_then(|format| match format {
        TextFormat::Markdown => document.markdown.as_deref(),
        TextFormat::Html => document.html.as_deref(),
        TextFormat::RawHtml => document.raw_html.as_deref(),
        TextFormat::Summary => document.summary.as_deref(),
    });
    match text {
        Some(text) => {
            printer.text(text)?;
            remark(console, document);
        }
        None => printer.json(document)?,
    }
    Ok(())
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
