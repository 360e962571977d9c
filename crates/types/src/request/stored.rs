//! Requests as a store keeps them: JSON of version 2, with the fields that only Rust and version 1 can set.

use serde_json::Value;

use super::format::Format;
use super::options::ScrapeOptions;
use super::{BatchScrapeRequest, CrawlRequest};
use crate::{Faults, RequestBounds};

/// Fields that the JSON of version 2 does not have.
const MAX_PATH_DEPTH: &str = "maxPathDepth";
const SYSTEM_PROMPT: &str = "systemPrompt";
const AS_EXTRACT: &str = "asExtract";

impl CrawlRequest {
    /// The request as JSON for a store. It has all fields, also those that the API has no JSON for.
    ///
    /// ```
    /// use gleaner_types::RequestBounds;
    /// use gleaner_types::request::CrawlRequest;
    ///
    /// let request = CrawlRequest::new("https://example.com/").limit(100).max_path_depth(2);
    /// let stored = request.to_stored();
    /// assert_eq!(CrawlRequest::from_stored(stored, RequestBounds::CONTRACT)?, request);
    /// # Ok::<(), gleaner_types::Faults>(())
    /// ```
    #[must_use]
    pub fn to_stored(&self) -> Value {
        let mut stored = serde_json::to_value(self).unwrap_or_default();
        if let (Some(depth), Value::Object(fields)) = (self.max_path_depth, &mut stored) {
            fields.insert(MAX_PATH_DEPTH.to_owned(), depth.into());
        }
        if let (Some(options), Some(value)) = (&self.scrape_options, stored.get_mut("scrapeOptions")) {
            add_hidden(options, value);
        }
        stored
    }

    /// Reads the JSON of [`to_stored`](Self::to_stored), or a body of the API.
    ///
    /// # Errors
    /// Those of [`from_json_within`](Self::from_json_within).
    pub fn from_stored(mut stored: Value, bounds: RequestBounds) -> Result<Self, Faults> {
        let depth = stored.as_object_mut().and_then(|fields| fields.remove(MAX_PATH_DEPTH));
        let hidden = stored.get_mut("scrapeOptions").map(take_hidden).unwrap_or_default();
        let mut request = Self::from_json_within(&stored, bounds)?;
        request.max_path_depth = depth.and_then(|depth| u32::try_from(depth.as_u64()?).ok());
        if let Some(options) = &mut request.scrape_options {
            restore_hidden(options, hidden);
        }
        Ok(request)
    }
}

impl BatchScrapeRequest {
    /// The request as JSON for a store. It has all fields, also those that the API has no JSON for.
    #[must_use]
    pub fn to_stored(&self) -> Value {
        let mut stored = serde_json::to_value(self).unwrap_or_default();
        add_hidden(&self.options, &mut stored);
        stored
    }

    /// Reads the JSON of [`to_stored`](Self::to_stored), or a body of the API.
    ///
    /// # Errors
    /// Those of [`from_json_within`](Self::from_json_within).
    pub fn from_stored(mut stored: Value, bounds: RequestBounds) -> Result<Self, Faults> {
        let hidden = take_hidden(&mut stored);
        let mut request = Self::from_json_within(&stored, bounds)?;
        restore_hidden(&mut request.options, hidden);
        Ok(request)
    }
}

/// The hidden fields of a format, with its index.
struct Hidden {
    index: usize,
    system_prompt: Option<String>,
    as_extract: bool,
}

fn add_hidden(options: &ScrapeOptions, value: &mut Value) {
    let values = value.get_mut("formats").and_then(Value::as_array_mut).into_iter().flatten();
    for (value, format) in values.zip(options.formats.iter().flatten()) {
        if let (Value::Object(fields), Format::Json(json)) = (value, format) {
            if let Some(prompt) = &json.system_prompt {
                fields.insert(SYSTEM_PROMPT.to_owned(), prompt.as_str().into());
            }
            if json.as_extract {
                fields.insert(AS_EXTRACT.to_owned(), true.into());
            }
        }
    }
}

fn take_hidden(value: &mut Value) -> Vec<Hidden> {
    let values = value.get_mut("formats").and_then(Value::as_array_mut).into_iter().flatten();
    let take = |(index, value): (usize, &mut Value)| {
        let fields = value.as_object_mut()?;
        let (prompt, as_extract) = (fields.remove(SYSTEM_PROMPT), fields.remove(AS_EXTRACT));
        let system_prompt = match prompt {
            Some(Value::String(prompt)) => Some(prompt),
            _ => None,
        };
        Some(Hidden { index, system_prompt, as_extract: as_extract == Some(Value::Bool(true)) })
    };
    values.enumerate().filter_map(take).collect()
}

fn restore_hidden(options: &mut ScrapeOptions, hidden: Vec<Hidden>) {
    let Some(formats) = &mut options.formats else { return };
    for Hidden { index, system_prompt, as_extract } in hidden {
        if let Some(Format::Json(json)) = formats.get_mut(index) {
            (json.system_prompt, json.as_extract) = (system_prompt, as_extract);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::request::JsonFormat;

    fn formats() -> [Format; 3] {
        let mut renamed = JsonFormat::new().schema(json!({ "type": "object" }));
        renamed.as_extract = true;
        let prompted = JsonFormat::new().prompt("the price").system_prompt("Be brief.");
        [Format::Markdown, prompted.into(), renamed.into()]
    }

    #[test]
    fn stored_requests_are_read_as_written() {
        let crawl = CrawlRequest::new("https://a.example/")
            .max_path_depth(3)
            .delay(0.5)
            .headers([("cookie", "secret")])
            .formats(formats());
        let stored = crawl.to_stored();
        assert_eq!(CrawlRequest::from_stored(stored, RequestBounds::CONTRACT), Ok(crawl));
        let batch = BatchScrapeRequest::new(["https://a.example/"]).timeout(9_000).formats(formats());
        let stored = batch.to_stored();
        assert_eq!(BatchScrapeRequest::from_stored(stored, RequestBounds::CONTRACT), Ok(batch));
    }

    #[test]
    fn a_body_of_the_api_is_a_stored_request() {
        let body = json!({ "url": "https://a.example/", "scrapeOptions": { "formats": ["links"] } });
        let request = CrawlRequest::from_stored(body, RequestBounds::CONTRACT).unwrap();
        assert_eq!(request.check().map(|plan| plan.options.formats.links), Ok(true));
        for invalid in [json!(null), json!({ "url": "https://a.example/", "unknown": 1 })] {
            assert!(CrawlRequest::from_stored(invalid, RequestBounds::CONTRACT).is_err());
        }
    }
}
