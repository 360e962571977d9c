//! Properties of all requests: round trips, and checks that never panic.

use std::fmt::Debug;

use gleaner_types::Faults;
use gleaner_types::plan::{BatchPlan, CrawlPlan, ExtractPlan, MapPlan, ScrapePlan, SitemapMode};
use gleaner_types::request::{
    Action, AttributeSelector, AttributesFormat, BatchScrapeRequest, ChangeTrackingFormat, CrawlRequest,
    ExtractRequest, Format, JsonFormat, Location, MapRequest, Paper, Parser, PdfParser, ProxyChoice,
    ScrapeOptions, ScrapeRequest, ScreenshotFormat, Viewport, Webhook, v1,
};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Assigns fields that a strategy may leave out. Setters only take values.
fn with<T>(mut value: T, assign: impl FnOnce(&mut T)) -> T {
    assign(&mut value);
    value
}

fn text() -> impl Strategy<Value = String> {
    "[a-z<>&\"é日]{1,12}"
}

fn url() -> impl Strategy<Value = String> {
    prop_oneof![
        "https?://[a-z]{1,8}\\.example/[a-z/]{0,9}(\\?[a-z]=[0-9])?",
        "[a-z]{1,8}\\.example(:[1-9][0-9]{0,3})?",
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    btree_map("[a-z]{1,5}", prop_oneof![Just("string"), Just("integer"), Just("null")], 0..4).prop_map(
        |fields| {
            let fields: Map<String, Value> =
                fields.into_iter().map(|(name, kind)| (name, json!({ "type": kind }))).collect();
            json!({ "type": "object", "properties": fields })
        },
    )
}

fn screenshot() -> impl Strategy<Value = ScreenshotFormat> {
    let viewport = (1_u32..=8192, 1_u32..=8192).prop_map(|(width, height)| Viewport::new(width, height));
    (of(any::<bool>()), of(1_u8..=100), of(viewport)).prop_map(|(full_page, quality, viewport)| {
        with(ScreenshotFormat::new(), |format| {
            format.full_page = full_page;
            format.quality = quality;
            format.viewport = viewport;
        })
    })
}

fn formats() -> impl Strategy<Value = Vec<Format>> {
    let json = (schema(), of(text())).prop_map(|(schema, prompt)| {
        Format::Json(with(JsonFormat::new().schema(schema), |format| format.prompt = prompt))
    });
    let tracking = (of(schema()), of(text()), of(text())).prop_map(|(schema, prompt, tag)| {
        Format::ChangeTracking(with(ChangeTrackingFormat::new(), |format| {
            format.modes = Some(Vec::new());
            format.schema = schema;
            format.prompt = prompt;
            format.tag = tag;
        }))
    });
    let attributes = vec((text(), text()), 1..4).prop_map(|selectors| {
        let selectors =
            selectors.into_iter().map(|(selector, attribute)| AttributeSelector::new(selector, attribute));
        Format::Attributes(AttributesFormat::new(selectors))
    });
    let plain = prop_oneof![
        Just(Format::Html),
        Just(Format::RawHtml),
        Just(Format::Links),
        Just(Format::Images),
        Just(Format::Summary),
        Just(Format::Branding),
    ];
    (vec(plain, 0..4), of(json), of(tracking), of(screenshot()), of(attributes)).prop_map(
        |(plain, json, tracking, screenshot, attributes)| {
            let mut formats = vec![Format::Markdown];
            formats.extend(plain);
            formats.extend(json.into_iter().chain(tracking).chain(attributes));
            formats.extend(screenshot.map(Format::Screenshot));
            formats
        },
    )
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        (1_u64..1000).prop_map(|time| Action::Wait { milliseconds: Some(time), selector: None }),
        text().prop_map(|selector| Action::Wait { milliseconds: None, selector: Some(selector) }),
        (text(), of(any::<bool>())).prop_map(|(selector, all)| Action::Click { selector, all }),
        (text(), of(text())).prop_map(|(text, selector)| Action::Write { text, selector }),
        text().prop_map(|key| Action::Press { key }),
        of(text()).prop_map(|selector| Action::Scroll { direction: None, selector }),
        screenshot().prop_map(Action::Screenshot),
        Just(Action::Scrape),
        text().prop_map(|script| Action::ExecuteJavascript { script }),
        (of(any::<bool>()), of((1_u8..=16).prop_map(|eighths| f64::from(eighths) / 8.0)))
            .prop_map(|(landscape, scale)| Action::Pdf { landscape, scale, format: Some(Paper::A4) }),
    ]
}

fn options() -> impl Strategy<Value = ScrapeOptions> {
    let pages = (
        of(formats()),
        of(any::<bool>()),
        of(vec(text(), 0..3)),
        of(any::<u64>()),
        of(btree_map("[a-z-]{1,8}", "[ -~]{0,12}", 0..3)),
        of(0_u64..=10_000),
        of(20_000_u64..=300_000),
    );
    let pdf = of(1_u32..=10_000)
        .prop_map(|max_pages| Parser::Pdf(with(PdfParser::new(), |parser| parser.max_pages = max_pages)));
    let location = of(Just(vec!["de-AT".to_owned(), "en".to_owned()]))
        .prop_map(|languages| with(Location::new().country("de"), |location| location.languages = languages));
    let proxy = prop_oneof![
        Just(ProxyChoice::Basic),
        Just(ProxyChoice::Stealth),
        Just(ProxyChoice::Enhanced),
        Just(ProxyChoice::Auto)
    ];
    let rest =
        (of(vec(pdf, 0..2)), of(vec(action(), 0..8)), of(location), of(proxy), of(any::<bool>()), of(text()));
    (pages, rest).prop_map(|(pages, rest)| {
        with(ScrapeOptions::new(), |options| {
            options.formats = pages.0;
            options.only_main_content = pages.1;
            options.include_tags = pages.2;
            options.max_age = pages.3;
            options.headers = pages.4;
            options.wait_for = pages.5;
            options.timeout = pages.6;
            options.parsers = rest.0.map(|parsers| parsers.into_iter().take(1).collect());
            options.actions = rest.1;
            options.location = rest.2;
            options.proxy = rest.3;
            options.store_in_cache = rest.4;
            options.extras.origin = rest.5;
            options.extras.use_mock = Some(json!(false));
        })
    })
}

fn webhook() -> impl Strategy<Value = Webhook> {
    (url(), of(Just(vec!["completed".to_owned()])), of(Just(Map::from_iter([("a".to_owned(), json!([1]))]))))
        .prop_map(|(url, events, metadata)| {
            with(Webhook::new(url), |webhook| {
                webhook.events = events;
                webhook.metadata = metadata;
            })
        })
}

/// A serialised request can be read back, is equal, and passes the check in both forms.
fn round_trip<R, P>(
    request: &R,
    from_json: fn(&Value) -> Result<R, Faults>,
    check: fn(R) -> Result<P, Faults>,
    plan_from_json: fn(&Value) -> Result<P, Faults>,
) -> Result<(), TestCaseError>
where
    R: serde::Serialize + PartialEq + Debug + Clone,
    P: PartialEq + Debug,
{
    let written = serde_json::to_string(request).unwrap();
    let value: Value = serde_json::from_str(&written).unwrap();
    let read = from_json(&value).map_err(|faults| TestCaseError::fail(faults.to_string()))?;
    prop_assert_eq!(&read, request);
    let checked = check(request.clone()).map_err(|faults| TestCaseError::fail(faults.to_string()))?;
    prop_assert_eq!(plan_from_json(&value).unwrap(), checked);
    Ok(())
}

/// Arbitrary JSON that often has the API's keys.
fn any_json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("url"),
        Just("urls"),
        Just("formats"),
        Just("type"),
        Just("schema"),
        Just("scrapeOptions"),
        Just("actions"),
        Just("timeout"),
        Just("webhook"),
        Just("headers"),
        Just("location"),
        Just("includePaths"),
        Just("prompt"),
        Just("jsonOptions"),
        Just("parsers"),
        Just("limit"),
        Just("selectors"),
        Just("zzz"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,9}".prop_map(Value::from),
        prop_oneof![
            Just("json"),
            Just("wait"),
            Just("screenshot"),
            Just("pdf"),
            Just("a.example"),
            Just("(")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((key.clone(), inner), 0..8).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

/// A refusal has messages, and serde can read every body that fits the shape.
fn refused_with_reason<P>(result: Result<P, Faults>) -> Result<(), TestCaseError> {
    if let Err(faults) = result {
        prop_assert!(!faults.as_slice().is_empty());
        prop_assert!(faults.as_slice().iter().all(|fault| !fault.message.is_empty()));
        prop_assert!(!faults.to_string().contains("cannot be read"), "shape and serde disagree: {faults}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn scrapes_survive_a_round_trip(url in url(), options in options(), zero in of(any::<bool>())) {
        let mut request = ScrapeRequest::new(url).options(options);
        request.zero_data_retention = zero;
        round_trip(&request, ScrapeRequest::from_json, ScrapeRequest::check, ScrapePlan::from_json)?;
    }

    #[test]
    fn batches_survive_a_round_trip(urls in vec(url(), 1..5), options in options(),
        webhook in of(webhook())) {
        let mut request = BatchScrapeRequest::new(urls).options(options);
        request.webhook = webhook;
        round_trip(&request, BatchScrapeRequest::from_json, BatchScrapeRequest::check, BatchPlan::from_json)?;
    }

    #[test]
    fn crawls_survive_a_round_trip(
        url in url(),
        options in of(options()),
        webhook in of(webhook()),
        limit in of(1_u64..),
        delay in of((0_u16..=600).prop_map(|halves| f64::from(halves) / 2.0)),
        paths in of(vec("[a-z/]{1,9}\\.\\*", 0..4)),
        depth in of(any::<u32>()),
    ) {
        let mut request = CrawlRequest::new(url).sitemap(SitemapMode::Only);
        request.scrape_options = options;
        request.webhook = webhook;
        request.limit = limit;
        request.delay = delay;
        request.include_paths = paths;
        request.max_discovery_depth = depth;
        round_trip(&request, CrawlRequest::from_json, CrawlRequest::check, CrawlPlan::from_json)?;
    }

    #[test]
    fn maps_and_extracts_survive_a_round_trip(url in url(), search in of(text()), schema in of(schema()),
        options in of(options())) {
        let mut map = MapRequest::new(url.clone());
        map.search = search;
        round_trip(&map, MapRequest::from_json, MapRequest::check, MapPlan::from_json)?;
        let mut extract = ExtractRequest::new([url]).prompt("x");
        extract.schema = schema;
        extract.scrape_options = options;
        round_trip(&extract, ExtractRequest::from_json, ExtractRequest::check, ExtractPlan::from_json)?;
    }

    #[test]
    fn no_body_makes_a_check_panic(body in any_json()) {
        refused_with_reason(ScrapePlan::from_json(&body))?;
        refused_with_reason(BatchPlan::from_json(&body))?;
        refused_with_reason(CrawlPlan::from_json(&body))?;
        refused_with_reason(MapPlan::from_json(&body))?;
        refused_with_reason(ExtractPlan::from_json(&body))?;
        refused_with_reason(v1::ScrapeRequest::plan_from_json(&body))?;
        refused_with_reason(v1::BatchScrapeRequest::plan_from_json(&body))?;
        refused_with_reason(v1::CrawlRequest::plan_from_json(&body))?;
        refused_with_reason(v1::MapRequest::plan_from_json(&body))?;
        refused_with_reason(v1::ExtractRequest::plan_from_json(&body))?;
    }

    #[test]
    fn no_options_make_a_check_panic(options in any_json()) {
        refused_with_reason(CrawlPlan::from_json(&json!({ "url": "a.example", "scrapeOptions": options })))?;
        refused_with_reason(v1::CrawlRequest::plan_from_json(&json!({ "url": "a.example",
            "scrapeOptions": options })))?;
    }
}
