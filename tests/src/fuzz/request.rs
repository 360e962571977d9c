//! Request bodies. Input: the body that a client posts.

use std::fmt::Debug;

use gleaner_types::limits::MAX_FAULTS;
use gleaner_types::request::{
    BatchScrapeRequest, CrawlParamsPreviewRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeRequest,
    v1,
};
use gleaner_types::{ErrorCode, Faults, parse_json};
use serde::Serialize;
use serde_json::Value;

/// Upper bound on the text of a fault, which never repeats a whole body.
const MAX_MESSAGE_BYTES: usize = 8_192;

macro_rules! check_requests {
    ($value:expr, $($request:ty),+ $(,)?) => {
        $(check_request($value, <$request>::from_json, <$request>::check, <$request>::plan_from_json);)+
    };
}

/// Any bytes are refused with faults or are a request, and a request survives a round trip.
pub fn request_json(data: &[u8]) {
    let value = match parse_json(data) {
        Ok(value) => value,
        Err(faults) => {
            assert_explained(&faults);
            assert_eq!(faults.error_code(), ErrorCode::BadRequestInvalidJson);
            return;
        }
    };
    check_requests!(
        &value,
        ScrapeRequest,
        BatchScrapeRequest,
        CrawlRequest,
        CrawlParamsPreviewRequest,
        MapRequest
    );
    check_requests!(&value, ExtractRequest);
    check_requests!(
        &value,
        v1::ScrapeRequest,
        v1::BatchScrapeRequest,
        v1::CrawlRequest,
        v1::MapRequest,
        v1::ExtractRequest
    );
}

fn check_request<R, P>(
    value: &Value,
    read: fn(&Value) -> Result<R, Faults>,
    check: fn(R) -> Result<P, Faults>,
    both: fn(&Value) -> Result<P, Faults>,
) where
    R: Debug + Clone + PartialEq + Serialize,
    P: Debug,
{
    let plan = both(value);
    if let Err(faults) = &plan {
        assert_explained(faults);
        assert_ne!(faults.error_code(), ErrorCode::BadRequestInvalidJson, "the input was JSON: {faults}");
    }
    match read(value) {
        Err(faults) => {
            assert_explained(&faults);
            assert!(plan.is_err(), "a plan of an invalid request: {faults}");
        }
        Ok(request) => {
            let written = serde_json::to_value(&request).map_err(|error| error.to_string());
            let again = written.map(|value| read(&value));
            assert_eq!(again, Ok(Ok(request.clone())), "round trip");
            let checked = check(request);
            assert_eq!(
                format!("{checked:?}"),
                format!("{plan:?}"),
                "`plan_from_json` and `from_json` with `check` agree"
            );
        }
    }
}

/// Asserts that there are a few faults, each with a path, a code and a message.
fn assert_explained(faults: &Faults) {
    let list = faults.as_slice();
    assert!((1..=MAX_FAULTS + 1).contains(&list.len()), "{} faults", list.len());
    assert!(matches!(faults.http_status(), 400 | 422));
    for fault in list {
        assert!(!fault.code.is_empty() && !fault.message.is_empty(), "{fault:?}");
        let path = fault.path.to_string();
        assert!(fault.message.len() <= MAX_MESSAGE_BYTES && path.len() <= MAX_MESSAGE_BYTES, "{fault:?}");
    }
}
