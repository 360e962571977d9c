//! What this engine offers of what the contract knows. An option that would silently do nothing is refused.

use std::fmt;

use gleaner_extract::check_schema;
use gleaner_types::plan::{ChangeTrackingMode, ExtractPlan, ProxyMode, ScrapeOptionsPlan, WebhookPlan};
use gleaner_types::{ErrorCode, Fault, FaultPath, Faults};

use crate::Error;

/// What an engine was built with, of what some options need.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Capabilities {
    /// Has a language model, or another extractor that may.
    pub(crate) reads_prompts: bool,
    /// Has a search engine, or another extractor that may.
    pub(crate) searches: bool,
    /// Has a browser.
    pub(crate) renders: bool,
    /// Has a pool of stealth proxies.
    pub(crate) stealth: bool,
    /// Has a cache of pages.
    pub(crate) caches: bool,
}

/// Refuses options that need what this engine was built without. `within` is where they stand in the request.
pub(crate) fn check_options(
    options: &ScrapeOptionsPlan,
    within: &FaultPath,
    engine: Capabilities,
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
    check_fields(options, within, engine)?;
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

/// Refuses structured data that is asked for in words where nothing reads them, and schemas that are none.
fn check_fields(options: &ScrapeOptionsPlan, within: &FaultPath, engine: Capabilities) -> Result<(), Error> {
    let formats = &options.formats;
    if !engine.reads_prompts && formats.json.as_ref().is_some_and(|asked| asked.schema.is_none()) {
        return Err(Error::unsupported(
            ErrorCode::ModelNotConfigured,
            "the format `json` without a `schema` needs a language model, and this engine was built without one: its \
             operator can add one; until then, give a `schema`",
        ));
    }
    let compared = formats.change_tracking.as_ref();
    let compared = compared.filter(|tracking| tracking.modes.contains(&ChangeTrackingMode::Json));
    if !engine.reads_prompts && compared.is_some_and(|tracking| tracking.schema.is_none()) {
        return Err(Error::unsupported(
            ErrorCode::ModelNotConfigured,
            "`changeTracking` in mode `json` without a `schema` needs a language model, and this engine was built without \
             one: its operator can add one; until then, give a `schema`",
        ));
    }
    let json = formats.json.as_ref().and_then(|asked| asked.schema.as_ref());
    let compared = compared.and_then(|tracking| tracking.schema.as_ref());
    let schemas = [(json, &formats.places.json), (compared, &formats.places.change_tracking)];
    let faults = schemas.into_iter().filter_map(|(schema, place)| {
        let error = check_schema(schema?).err()?;
        Some(invalid(known(place, within), &error))
    });
    Faults::new(faults.collect()).map_or(Ok(()), |faults| Err(faults.into()))
}

/// Refuses extract jobs that need what this engine was built without.
pub(crate) fn check_extract(plan: &ExtractPlan, engine: Capabilities) -> Result<(), Error> {
    let Some(schema) = &plan.schema else {
        return if engine.reads_prompts {
            check_sources(plan, engine)
        } else {
            Err(Error::unsupported(
                ErrorCode::ModelNotConfigured,
                "a `prompt` without a `schema` needs a language model, and this engine was built without one: its operator \
                 can add one; until then, give a `schema`",
            ))
        };
    };
    if let Err(error) = check_schema(schema) {
        return Err(Faults::from(invalid(FaultPath::key("schema"), &error)).into());
    }
    check_sources(plan, engine)
}

fn check_sources(plan: &ExtractPlan, engine: Capabilities) -> Result<(), Error> {
    if plan.sources.is_empty() && !engine.searches {
        return Err(Error::unsupported(
            ErrorCode::SearchNotConfigured,
            "a request without `urls` needs a search engine, and this engine was built without one: its operator can add \
             one; until then, give `urls`",
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
    let nowhere = FaultPath::default();
    for (index, asked) in options.formats.attributes.iter().enumerate() {
        if let Err(error) = gleaner_transform::check_selector(&asked.selector) {
            let place = options.formats.places.attributes.get(index).unwrap_or(&nowhere);
            faults.push(invalid(known(place, within), &error));
        }
    }
    Faults::new(faults).map_or(Ok(()), |faults| Err(faults.into()))
}

/// Where a format stands that is at fault: all that is known of plans that were not made of a request is the field.
fn known(place: &FaultPath, within: &FaultPath) -> FaultPath {
    if place.parts().is_empty() { within.clone().then("formats") } else { place.clone() }
}

/// A fault whose message begins with its place.
fn invalid(path: FaultPath, error: &dyn fmt::Display) -> Fault {
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

/// Refuses webhooks for jobs that are read as a stream: those of a desk alone have them.
pub(crate) fn check_webhook(webhook: Option<&WebhookPlan>) -> Result<(), Error> {
    match webhook {
        None => Ok(()),
        Some(_) => Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "`webhook` is for jobs that are handed in at the engine's job service; this job's documents are read as a stream",
        )),
    }
}
