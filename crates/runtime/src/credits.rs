//! Prices of pages.

use gleaner_types::plan::{ChangeTrackingMode, ScrapeOptionsPlan};
use gleaner_types::{Document, ProxyUsed};

/// What a page costs at least.
pub const CREDITS_PER_PAGE: u64 = 1;
/// What a page costs in place of that where a model reads it.
pub const CREDITS_PER_MODEL_PAGE: u64 = 5;
/// What the stealth proxy adds where it was the one used.
pub const CREDITS_FOR_STEALTH: u64 = 4;
/// Tokens that one credit pays (contract 1).
pub const TOKENS_PER_CREDIT: u64 = 15;
/// What zero data retention adds to each page.
pub const CREDITS_FOR_ZERO_DATA_RETENTION: u64 = 1;

/// What a page costs at least, by its options alone.
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

/// What a document costs (contract 8). A PDF costs by its pages that were converted.
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
