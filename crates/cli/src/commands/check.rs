//! Runs `gleaner check`: verifies the file of a job.

use serde_json::json;

use super::stored;
use crate::args::CheckArgs;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::output::Printer;
use crate::printable::printable_line;
use crate::summary::counted;

pub(super) fn run(console: &Console, args: &CheckArgs) -> Result<u8, Failure> {
    let reader = stored::open(&args.file, "<FILE>")?;
    let findings = reader.check().map_err(|error| stored::failed(&args.file, &error))?;
    let (mut printer, file) = (Printer::stdout(), args.file.display());
    if args.json {
        let listed: Vec<String> = findings.iter().map(ToString::to_string).collect();
        printer.json(&json!({ "file": file.to_string(), "ok": listed.is_empty(), "findings": listed }))?;
        return Ok(if listed.is_empty() { exit::DONE } else { exit::FAILED });
    }
    for finding in &findings {
        printer.text(&printable_line(&finding.to_string()))?;
    }
    if findings.is_empty() {
        console.note(format_args!("{file}: no damage found"));
        return Ok(exit::DONE);
    }
    let found = counted(findings.len().try_into().unwrap_or(u64::MAX), "finding", "findings");
    console.error(format_args!(
        "error: {file} is damaged: {found}; go on with a backup, or save what can be read with gleaner export"
    ));
    Ok(exit::FAILED)
}
