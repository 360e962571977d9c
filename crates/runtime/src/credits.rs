//! Prices of pages.

use gleaner_types::plan::{ChangeTrackingMode, ScrapeOptionsPlan};
use gleaner_types::{Document, ProxyUsed};

/// Base price of a page.
pub const CREDITS_PER_PAGE: u64 = 1;
/// Base price of a page that a model reads.
pub const CREDITS_PER_MODEL_PAGE: u64 = 5;
/// Surcharge for a page fetched through the stealth proxy.
pub const CREDITS_FOR_STEALTH: u64 = 4;
/// Tokens per credit (contract 1).
pub const TOKENS_PER_CREDIT: u64 = 15;
/// Surcharge per page for zero data retention.
pub const CREDITS_FOR_ZERO_DATA_RETENTION: u64 = 1;

/// The minimum price of a page, from its options.
#[must_use]
pub fn least_price(options: &ScrapeOptionsPlan, zero_data_retention: bool) -> u64 {
    let formats = &options.formats;
    let compared_by_model = formats
        .change_tracking
        .as_ref()
        .is_some_and(|tracking| tracking.modes.contains(&ChangeTrackingMode::Json));
    let base =
        if formats.json.is_some() || compared_by_model { CREDITS_PER_MODEL_PAGE } else { CREDITS_PER_PAGE };
    base + if zero_data_retention { CREDITS_FOR_ZERO_DATA_RETENTION } else { 0 }
}

/// The price of a document (contract 8). A PDF costs one credit more for each converted page after the first.
pub(crate) fn credits(
    options: &ScrapeOptionsPlan,
    document: &Document,
    pages_converted: Option<u32>,
    zero_data_retention: bool,
) -> u64 {
    let more_pages = pages_converted.map_or(0, |pages| u64::from(pages).saturating_sub(1));
    let stealth =
        if document.metadata.proxy_used == Some(ProxyUsed::Stealth) { CREDITS_FOR_STEALTH } else { 0 };
    least_price(options, zero_data_retention) + more_pages + stealth
}
