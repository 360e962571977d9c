//! Request bodies. Input: what a client posts.

use std::fmt::Debug;

use gleaner_types::limits::MAX_FAULTS;
use gleaner_types::request::{
    BatchScrapeRequest, CrawlParamsPreviewRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeRequest,
    v1,
};
use gleaner_types::{ErrorCode, Faults, parse_json};
use serde::Serialize;
use serde_json::Value;

/// The longest text of a fault: it names a path and what is wrong there, and never repeats a whole body.
const LONGEST_MESSAGE: usize = 8_192;

macro_rules! hold {
    ($value:expr, $($request:ty),+ $(,)?) => {
        $(door($value, <$request>::from_json, <$request>::check, <$request>::plan_from_json);)+
    };
}

/// Any bytes are either refused with reasons or a request; a request that is written out and read again is the same.
pub fn request_json(data: &[u8]) {
    let value = match parse_json(data) {
        Ok(value) => value,
        Err(faults) => {
            explained(&faults);
            assert_eq!(faults.error_code(), ErrorCode::BadRequestInvalidJson);
            return;
        }
    };
    hold!(&value, ScrapeRequest, BatchScrapeRequest, CrawlRequest, CrawlParamsPreviewRequest, MapRequest);
    hold!(&value, ExtractRequest);
    hold!(
        &value,
        v1::ScrapeRequest,
        v1::BatchScrapeRequest,
        v1::CrawlRequest,
        v1::MapRequest,
        v1::ExtractRequest
    );
}

fn door<R, P>(
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
        explained(faults);
        assert_ne!(faults.error_code(), ErrorCode::BadRequestInvalidJson, "it was JSON: {faults}");
    }
    match read(value) {
        Err(faults) => {
            explained(&faults);
            assert!(plan.is_err(), "what cannot be read gives no plan: {faults}");
        }
        Ok(request) => {
            let written = serde_json::to_value(&request).map_err(|error| error.to_string());
            let again = written.map(|value| read(&value));
            assert_eq!(again, Ok(Ok(request.clone())), "written out and read again");
            let checked = check(request);
            assert_eq!(format!("{checked:?}"), format!("{plan:?}"), "one step and two steps agree");
        }
    }
}

/// Faults are there, few, and each says where and what.
fn explained(faults: &Faults) {
    let list = faults.as_slice();
    assert!((1..=MAX_FAULTS + 1).contains(&list.len()), "{} faults", list.len());
    assert!(matches!(faults.http_status(), 400 | 422));
    for fault in list {
        assert!(!fault.code.is_empty() && !fault.message.is_empty(), "{fault:?}");
        let path = fault.path.to_string();
        assert!(fault.message.len() <= LONGEST_MESSAGE && path.len() <= LONGEST_MESSAGE, "{fault:?}");
    }
}
