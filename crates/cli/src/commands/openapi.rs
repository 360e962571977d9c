//! Runs `gleaner openapi`: prints the description of the HTTP API.

use crate::exit;
use crate::failure::Failure;
use crate::output::Printer;

pub(super) fn run() -> Result<u8, Failure> {
    let document = serde_json::to_string_pretty(&gleaner_http::openapi()).map_err(Failure::failed)?;
    Printer::stdout().text(&format!("{document}\n"))?;
    Ok(exit::DONE)
}
