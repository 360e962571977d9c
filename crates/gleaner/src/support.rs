//! Refuses options of the contract that this engine does not support, so that none is ignored silently.

use gleaner_runtime::{CheckOptions, RenderNeed};
use gleaner_types::plan::{ProxyMode, ScrapeOptionsPlan};
use gleaner_types::{ErrorCode, Fault, FaultPath, Faults, PageError};

use crate::Error;
use crate::extract::ExtractPart;

/// The optional parts of an engine that some options need.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Capabilities {
    /// There is a browser.
    pub(crate) renders: bool,
    /// There is a pool of stealth proxies.
    pub(crate) stealth: bool,
    /// There is a cache of pages.
    pub(crate) caches: bool,
    /// Pages are compared with their last scrape.
    pub(crate) tracks_changes: bool,
}

/// Checks the options of jobs that another process accepted.
#[derive(Debug)]
pub(crate) struct StoredOptions {
    pub(crate) engine: Capabilities,
    pub(crate) extract: ExtractPart,
}

impl CheckOptions for StoredOptions {
    fn check(&self, options: &ScrapeOptionsPlan) -> Result<(), String> {
        check_options(options, &FaultPath::default(), self.engine, &self.extract)
            .map_err(|error| error.to_string())
    }
}

/// Refuses options that need a part that this engine was built without. `within` is their path in the
/// request.
pub(crate) fn check_options(
    options: &ScrapeOptionsPlan,
    within: &FaultPath,
    engine: Capabilities,
    extract: &ExtractPart,
) -> Result<(), Error> {
    check_selectors(options, within)?;
    if !engine.renders
        && let Some(PageError { code, message }) = RenderNeed::refusal(options)
    {
        return Err(Error::unsupported(code, message));
    }
    extract.check_fields(options, within)?;
    if options.formats.change_tracking.is_some() && !engine.tracks_changes {
        return Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "the format `changeTracking` needs the history of pages in a job service, and this engine was \
             built without one: leave it out of `formats`",
        ));
    }
    if options.proxy == ProxyMode::Stealth && !engine.stealth {
        return Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "`proxy: \"stealth\"` needs stealth proxies, and this engine was built without any: its operator \
             can add some; until then, use \"basic\" or \"auto\"",
        ));
    }
    let only_cached = options.lockdown || options.min_age.is_some();
    if only_cached && !engine.caches {
        return Err(Error::unsupported(
            ErrorCode::ScrapeNoCachedData,
            "`lockdown` and `minAge` serve from the cache alone, and this engine was built without one: its \
             operator can add one; until then, leave them out",
        ));
    }
    if only_cached && engine.renders && RenderNeed::of(options) != RenderNeed::No {
        return Err(Error::unsupported(
            ErrorCode::ScrapeNoCachedData,
            "`lockdown` and `minAge` serve from the cache alone, and it holds no pages from a browser: leave \
             them out, or `actions`, `screenshot`, `waitFor` and `mobile`",
        ));
    }
    Ok(())
}

/// Refuses selectors that are not CSS, with one fault for each.
fn check_selectors(options: &ScrapeOptionsPlan, within: &FaultPath) -> Result<(), Error> {
    let list_faults = |field: &'static str, selectors: &[String]| {
        let faults = selectors.iter().enumerate().filter_map(|(index, selector)| {
            let error = gleaner_transform::check_selector(selector).err()?;
            Some(invalid(within.clone().then(field).then(index), &error))
        });
        faults.collect::<Vec<Fault>>()
    };
    let mut faults = list_faults("includeTags", &options.include_tags);
    faults.extend(list_faults("excludeTags", &options.exclude_tags));
    for (index, attribute) in options.formats.attributes.iter().enumerate() {
        if let Err(error) = gleaner_transform::check_selector(&attribute.selector) {
            let path = options.formats.places.attributes.get(index).filter(|path| !path.parts().is_empty());
            // Options that were not parsed from a request have no paths.
            let path = path.cloned().unwrap_or_else(|| within.clone().then("formats"));
            faults.push(invalid(path, &error));
        }
    }
    Faults::new(faults).map_or(Ok(()), |faults| Err(faults.into()))
}

/// A fault whose message starts with its path.
fn invalid(path: FaultPath, error: &gleaner_transform::Error) -> Fault {
    let message = format!("`{path}`: {error}");
    Fault::invalid_value(path, message)
}

/// Refuses options that need a browser, for a page that the program already has. It comes before
/// [`check_options`], whose advice to add a browser would not help.
pub(crate) fn check_not_rendered(options: &ScrapeOptionsPlan) -> Result<(), Error> {
    let in_browser = [
        (!options.actions.is_empty(), ErrorCode::ScrapeActionsNotSupported, "leave `actions` out"),
        (
            options.formats.screenshot.is_some(),
            ErrorCode::ScrapeScreenshotNotSupported,
            "leave `screenshot` out of `formats`",
        ),
        (!options.wait_for.is_zero(), ErrorCode::UnsupportedOption, "leave `waitFor` out"),
    ];
    match in_browser.into_iter().find(|(is_set, ..)| *is_set) {
        None => Ok(()),
        Some((_, code, remedy)) => {
            Err(Error::unsupported(code, format!("a local page is not loaded in a browser: {remedy}")))
        }
    }
}

/// Refuses formats that need a model or an earlier scrape, for a page that the program already has.
pub(crate) fn check_local(options: &ScrapeOptionsPlan) -> Result<(), Error> {
    if options.formats.json.as_ref().is_some_and(|json| json.schema.is_none()) {
        return Err(Error::unsupported(
            ErrorCode::ModelNotConfigured,
            "a local page is read without a language model: the format `json` needs a `schema`",
        ));
    }
    match options.formats.change_tracking {
        None => Ok(()),
        Some(_) => Err(Error::unsupported(
            ErrorCode::UnsupportedOption,
            "the format `changeTracking` compares with an earlier scrape, and a local page has none",
        )),
    }
}

#[cfg(test)]
mod tests {
    use gleaner_types::request::ScrapeOptions;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_local_page_has_no_options_of_a_browser() {
        for (options, code) in [
            (json!({ "formats": ["screenshot"] }), Some(ErrorCode::ScrapeScreenshotNotSupported)),
            (json!({ "actions": [{ "type": "scrape" }] }), Some(ErrorCode::ScrapeActionsNotSupported)),
            (json!({ "waitFor": 10 }), Some(ErrorCode::UnsupportedOption)),
            (json!({ "mobile": true }), None),
        ] {
            let plan = serde_json::from_value::<ScrapeOptions>(options.clone()).unwrap().check().unwrap();
            let refused = check_not_rendered(&plan).err();
            assert_eq!(refused.as_ref().map(Error::code), code, "{options}");
        }
    }
}
