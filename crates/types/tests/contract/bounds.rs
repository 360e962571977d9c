//! Bounds that an embedder can configure, and ignored fields.

use std::time::Duration;

use gleaner_types::plan::ScrapePlan;
use gleaner_types::request::{
    BatchScrapeRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeOptions, ScrapeRequest, v1,
};
use gleaner_types::{Checked, Faults, RequestBounds, limits};
use serde_json::{Value, json};

fn raised(seconds: u64) -> RequestBounds {
    RequestBounds::CONTRACT.with_timeout(Duration::from_secs(seconds))
}

#[test]
fn the_bound_of_timeout_can_be_raised() {
    let accepts = |bounds, timeout: u64| {
        let options = json!({ "timeout": timeout });
        let faults = |checked: Result<(), Faults>| checked.map_err(|faults| faults.to_string());
        let of_scrape = {
            let body = json!({ "url": "a.example", "timeout": timeout });
            faults(ScrapeRequest::checked_from_json(&body, bounds).map(drop))
        };
        let others = [
            faults({
                let body = json!({ "url": "a.example", "timeout": timeout });
                v1::ScrapeRequest::checked_from_json(&body, bounds).map(drop)
            }),
            faults({
                let body = json!({ "urls": ["a.example"], "timeout": timeout });
                BatchScrapeRequest::checked_from_json(&body, bounds).map(drop)
            }),
            faults({
                let body = json!({ "url": "a.example", "scrapeOptions": options });
                CrawlRequest::checked_from_json(&body, bounds).map(drop)
            }),
            faults({
                let body = json!({ "url": "a.example", "timeout": timeout });
                MapRequest::checked_from_json(&body, bounds).map(drop)
            }),
            faults({
                let body = json!({ "urls": ["a.example"], "prompt": "x", "scrapeOptions": options });
                ExtractRequest::checked_from_json(&body, bounds).map(drop)
            }),
            faults({
                let options = ScrapeOptions::new().timeout(timeout);
                options.check_within(bounds).map(drop)
            }),
        ];
        assert!(others.iter().all(|other| other.is_ok() == of_scrape.is_ok()), "{timeout}: {others:?}");
        of_scrape
    };
    let contract = RequestBounds::default();
    assert!(accepts(contract, 1).is_ok() && accepts(contract, 300_000).is_ok());
    let message = "`timeout` must be an integer from 1 to 300000, not 300001";
    assert_eq!(accepts(contract, 300_001), Err(message.to_owned()));
    assert!(accepts(raised(3_600), 3_600_000).is_ok());
    let message = "`timeout` must be an integer from 1 to 3600000, not 3600001";
    assert_eq!(accepts(raised(3_600), 3_600_001), Err(message.to_owned()));
    assert!(accepts(raised(3_600), 0).is_err());
    for (requested, bound) in [(0, 300), (300, 300), (301, 301), (3_600, 3_600), (100_000, 3_600)] {
        assert_eq!(raised(requested).timeout(), Duration::from_secs(bound), "{requested} s");
    }
    assert_eq!(raised(u64::MAX).timeout(), Duration::from_millis(limits::MAX_RAISED_TIMEOUT_MS));
    let schema = ScrapeRequest::json_schema();
    assert_eq!(
        schema["properties"]["timeout"]["maximum"], 300_000,
        "the published schema has the standard bound"
    );
}

#[test]
fn only_experimental_unknown_fields_are_ignored_with_a_warning() {
    let read = |body: &Value| CrawlRequest::checked_from_json(body, RequestBounds::CONTRACT);
    let plain = read(&json!({ "url": "a.example" })).unwrap();
    assert!(plain.warnings.is_empty());
    let body = json!({
        "url": "a.example", "__experimental_engine": { "deep": [1, 2] },
        "scrapeOptions": { "__experimental_omce": true,
            "formats": [{ "type": "links", "__experimental": null }] },
    });
    let Checked { plan, request, warnings, .. } = read(&body).unwrap();
    let clean = json!({ "url": "a.example", "scrapeOptions": { "formats": [{ "type": "links" }] } });
    assert_eq!(request, clean, "ignored fields are removed");
    assert!(plan.options.formats.links);
    assert_eq!(
        warnings,
        [
            "ignored fields (experimental fields have no effect): `__experimental_engine`, `scrapeOptions.__experimental_omce`, \
          `scrapeOptions.formats[0].__experimental`"
        ]
    );
    assert_eq!(
        ScrapePlan::from_json(&json!({ "url": "a.example", "__experimental_x": 1 })).map(drop),
        Ok(())
    );
    for key in ["_experimental_x", "experimental", "__exp", "x__experimental"] {
        let faults = read(&json!({ "url": "a.example", key: 1 })).unwrap_err();
        assert!(faults.to_string().contains("unknown field"), "{key}: {faults}");
    }
    // Only a few of many are named.
    let mut many = json!({ "url": "a.example" });
    for number in 0..5_000 {
        many[format!("__experimental{}{number}", "x".repeat(200))] = json!(1);
    }
    let warnings = read(&many).unwrap().warnings.concat();
    assert!(warnings.ends_with("and 4995 more") && warnings.len() < 1_000, "{warnings}");
}
