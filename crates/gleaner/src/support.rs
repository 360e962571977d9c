//! What this engine offers of what the contract knows. An option that would silently do nothing is refused.

use gleaner_types::plan::{ProxyMode, ScrapeOptionsPlan};
use gleaner_types::{ErrorCode, Fault, FaultPath, Faults};

use crate::Error;
use crate::extract::ExtractPart;

/// What an engine was built with, of what some options need.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Capabilities {
    /// Has a browser.
    pub(crate) renders: bool,
    /// Has a pool of stealth proxies.
    pub(crate) stealth: bool,
    /// Has a cache of pages.
    pub(crate) caches: bool,
    /// Compares pages with their last scrape.
    pub(crate) tracks_changes: bool,
}

/// Refuses options that need what this engine was built without. `within` is where they stand in the request.
pub(crate) fn check_options(
    options: &ScrapeOptionsPlan,
    within: &FaultPath,
    engine: Capabilities,
    extract: &ExtractPart,
) -> Result<(), Error> {
    check_selectors(options, within)?;
    let formats = &options.formats;
    if !options.actions.is_empty() && !engine.renders {
        return Err(Error::unsupported(
            ErrorCode::ScrapeActionsNotSupported,
            "`actions` need a browser, and this engine was built without one: its operator can add one; until then, leave \
             `actions` out",
        ));
    }
    if formats.screenshot.is_some() && !engine.renders {
        return Err(Error::unsupported(
            ErrorCode::ScrapeScreenshotNotSupported,
            "the format `screenshot` needs a browser, and this engine was built without one: its operator can add one; \
             until then, leave it out of `formats`",
        ));
    }
    extract.check_fields(options, within)?;
    if formats.change_tracking.is_some() && !engine.tracks_changes {
        return Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "the format `changeTracking` needs the history of pages that a job service keeps, and this engine was built \
             without one: leave it out of `formats`",
        ));
    }
    if options.proxy == ProxyMode::Stealth && !engine.stealth {
        return Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "`proxy: \"stealth\"` needs stealth proxies, and this engine was built without any: its operator can add \
             some; until then, use \"basic\" or \"auto\"",
        ));
    }
    if (options.lockdown || options.min_age.is_some()) && !engine.caches {
        return Err(Error::unsupported(
            ErrorCode::ScrapeNoCachedData,
            "`lockdown` and `minAge` serve from the cache alone, and this engine was built without one: its operator can \
             add one; until then, leave them out",
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
fn check_selectors(options: &ScrapeOptionsPlan, within: &FaultPath) -> Result<(), Error> {
    let listed = |field: &'static str, selectors: &[String]| {
        let places = selectors.iter().enumerate();
        let faults = places.filter_map(|(index, selector)| {
            let error = gleaner_transform::check_selector(selector).err()?;
            Some(invalid(within.clone().then(field).then(index), &error))
        });
        faults.collect::<Vec<Fault>>()
    };
    let mut faults = listed("includeTags", &options.include_tags);
    faults.extend(listed("excludeTags", &options.exclude_tags));
    for (index, asked) in options.formats.attributes.iter().enumerate() {
        if let Err(error) = gleaner_transform::check_selector(&asked.selector) {
            let place =
                options.formats.places.attributes.get(index).filter(|place| !place.parts().is_empty());
            // All that is known of plans that were not made of a request is the field.
            let place = place.cloned().unwrap_or_else(|| within.clone().then("formats"));
            faults.push(invalid(place, &error));
        }
    }
    Faults::new(faults).map_or(Ok(()), |faults| Err(faults.into()))
}

/// A fault whose message begins with its place.
fn invalid(path: FaultPath, error: &gleaner_transform::Error) -> Fault {
    let message = format!("`{path}`: {error}");
    Fault::invalid_value(path, message)
}

/// Refuses what needs earlier scrapes or a model, for a page that is at hand: nothing is waited for there.
pub(crate) fn check_at_hand(options: &ScrapeOptionsPlan) -> Result<(), Error> {
    if options.formats.json.as_ref().is_some_and(|asked| asked.schema.is_none()) {
        return Err(Error::unsupported(
            ErrorCode::ModelNotConfigured,
            "the format `json` of a page at hand is read without a model: give a `schema`",
        ));
    }
    match options.formats.change_tracking {
        None => Ok(()),
        Some(_) => Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "the format `changeTracking` compares with an earlier scrape, which a page at hand has none of",
        )),
    }
}
