//! The error of a page that exceeds its number of attempts.

use gleaner_types::{ErrorCode, PageError};

/// The error of a page that was given up after this number of leases without a result.
#[must_use]
pub fn given_up(attempts: u32) -> PageError {
    let message = format!("the page was given up after {attempts} tries");
    PageError { code: ErrorCode::ScrapeAllEnginesFailed, message }
}
