//! What this engine offers of what the contract knows. An option that would silently do nothing is refused.

use gleaner_types::plan::{ChangeTrackingMode, ProxyMode, ScrapeOptionsPlan, WebhookPlan};
use gleaner_types::{ErrorCode, Fault, Faults};

use crate::Error;

/// What an engine was built with, of what some options need.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Abilities {
    /// Extracts structured data.
    pub(crate) extracts: bool,
    /// Has a browser.
    pub(crate) renders: bool,
    /// Has a pool of stealth proxies.
    pub(crate) stealth: bool,
    /// Has a cache of pages.
    pub(crate) caches: bool,
}

/// Refuses options that need what this engine was built without.
pub(crate) fn check_options(options: &ScrapeOptionsPlan, engine: Abilities) -> Result<(), Error> {
    check_selectors(options)?;
    let formats = &options.formats;
    if !options.actions.is_empty() && !engine.renders {
        return Err(Error::unsupported(
            ErrorCode::ScrapeActionsNotSupported,
            "`actions` need a browser, and this engine was built without one: add one by `EngineBuilder::renderer`, or \
             leave `actions` out",
        ));
    }
    if formats.screenshot.is_some() && !engine.renders {
        return Err(Error::unsupported(
            ErrorCode::ScrapeScreenshotNotSupported,
            "the format `screenshot` needs a browser, and this engine was built without one: add one by \
             `EngineBuilder::renderer`, or leave it out of `formats`",
        ));
    }
    const MODEL: (ErrorCode, &str) =
        (ErrorCode::ModelNotConfigured, "needs a language model, and none is configured");
    let compares_fields =
        |tracking: &gleaner_types::plan::ChangeTracking| tracking.modes.contains(&ChangeTrackingMode::Json);
    let missing = [
        (formats.json.is_some(), "json", MODEL),
        (formats.summary, "summary", MODEL),
        (
            !engine.extracts && formats.change_tracking.as_ref().is_some_and(compares_fields),
            "changeTracking` in mode `json",
            MODEL,
        ),
    ];
    if let Some((_, name, (code, why))) = missing.into_iter().find(|(asked, ..)| *asked) {
        return Err(Error::unsupported(
            code,
            format!("the format `{name}` {why}; leave it out of `formats`"),
        ));
    }
    if options.proxy == ProxyMode::Stealth && !engine.stealth {
        return Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "`proxy: \"stealth\"` needs a pool of stealth proxies, and none is configured: add one by \
             `EngineBuilder::stealth_proxies`, or use \"basic\" or \"auto\"",
        ));
    }
    if (options.lockdown || options.min_age.is_some()) && !engine.caches {
        return Err(Error::unsupported(
            ErrorCode::ScrapeNoCachedData,
            "`lockdown` and `minAge` serve from the cache alone, and this engine was built without one: leave \
             `EngineBuilder::no_cache` out, or these options",
        ));
    }
    if (options.lockdown || options.min_age.is_some()) && engine.renders && needs_browser(options) {
        return Err(Error::unsupported(
            ErrorCode::ScrapeNoCachedData,
            "`lockdown` and `minAge` serve from the cache alone, which holds no pages that a browser rendered: leave \
             them out, or `actions`, `screenshot`, `waitFor` and `mobile`",
        ));
    }
    Ok(())
}

/// Does a page with these options go through the browser, where there is one?
fn needs_browser(options: &ScrapeOptionsPlan) -> bool {
    let asks = !options.actions.is_empty() || options.formats.screenshot.is_some();
    asks || options.mobile || !options.wait_for.is_zero()
}

/// Refuses selectors that are not CSS, all of them at once.
fn check_selectors(options: &ScrapeOptionsPlan) -> Result<(), Error> {
    let asked = options.formats.attributes.iter().map(|attribute| ("formats", &attribute.selector));
    let included = options.include_tags.iter().map(|selector| ("includeTags", selector));
    let excluded = options.exclude_tags.iter().map(|selector| ("excludeTags", selector));
    let faults = included.chain(excluded).chain(asked).filter_map(|(field, selector)| {
        let error = gleaner_transform::check_selector(selector).err()?;
        Some(Fault {
            code: "invalid_value".to_owned(),
            path: field.to_owned(),
            message: format!("`{field}`: {error}"),
        })
    });
    Faults::new(faults.collect()).map_or(Ok(()), |faults| Err(faults.into()))
}

/// Refuses what needs earlier scrapes, for a page that is at hand.
pub(crate) fn check_at_hand(options: &ScrapeOptionsPlan) -> Result<(), Error> {
    match options.formats.change_tracking {
        None => Ok(()),
        Some(_) => Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "the format `changeTracking` compares with an earlier scrape, which a page at hand has none of",
        )),
    }
}

/// Refuses webhooks for jobs that are read as a stream: those of a desk alone have them.
pub(crate) fn check_webhook(webhook: Option<&WebhookPlan>) -> Result<(), Error> {
    match webhook {
        None => Ok(()),
        Some(_) => Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "`webhook` is for jobs that are handed in at the engine's desk; this job's documents are read as a stream",
        )),
    }
}

/// Refuses what needs a language model to read the user's words.
pub(crate) fn check_prompt(prompt: Option<&str>) -> Result<(), Error> {
    match prompt {
        None => Ok(()),
        Some(_) => Err(Error::unsupported(
            ErrorCode::ModelNotConfigured,
            "`prompt` needs a language model, and none is configured; give the crawl's options themselves",
        )),
    }
}
