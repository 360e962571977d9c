//! `Debug` for types with secrets: it shows only the names of headers, and URLs of webhooks without their
//! queries.
//!
//! A derived `Debug` shows all fields, and requests and plans may be logged. Alternative: a type for headers
//! with its own `Debug`. It would keep the derive, but embedders would lose the plain map.

use std::collections::BTreeMap;
use std::fmt;

use crate::quote::quote_url;

/// Implements `Debug` for a struct. Fields with a function are shown by its result. All fields must be
/// listed.
macro_rules! debug_with {
    ($type:ident { $($field:ident),* } $($secret:ident: $redact:expr),+) => {
        impl ::std::fmt::Debug for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let Self { $($field,)* $($secret),+ } = self;
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($field), $field))*
                    $(.field(stringify!($secret), &$redact($secret)))+
                    .finish()
            }
        }
    };
}

pub(crate) use debug_with;

/// Shows only the names of headers.
pub(crate) struct HeaderNames<'a>(&'a BTreeMap<String, String>);

impl fmt::Debug for HeaderNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

pub(crate) fn header_names(headers: &BTreeMap<String, String>) -> HeaderNames<'_> {
    HeaderNames(headers)
}

pub(crate) fn optional_header_names(headers: &Option<BTreeMap<String, String>>) -> Option<HeaderNames<'_>> {
    headers.as_ref().map(HeaderNames)
}

/// Shows a URL without the parts that may be secret.
pub(crate) struct RedactedUrl<'a>(&'a str);

impl fmt::Debug for RedactedUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quote_url(self.0))
    }
}

pub(crate) fn redacted_url(url: &str) -> RedactedUrl<'_> {
    RedactedUrl(url)
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde_json::json;

    use crate::plan::{BatchPlan, CrawlPlan, ExtractPlan, ScrapePlan};
    use crate::request::{self, v1};

    #[test]
    fn header_values_and_queries_of_webhooks_are_not_shown() {
        fn debug(value: impl Debug) -> String {
            format!("{value:?} {value:#?}")
        }
        let headers = json!({ "X-Key": "canary" });
        let webhook = json!({ "url": "https://me.example/hook?key=canary#canary", "headers": headers });
        let scrape = json!({ "url": "a.example?key=canary", "headers": headers });
        let batch = json!({ "urls": ["a.example"], "headers": headers, "webhook": webhook });
        let crawl =
            json!({ "url": "a.example", "scrapeOptions": { "headers": headers }, "webhook": webhook });
        let extract = json!({ "urls": ["a.example"], "prompt": "x", "scrapeOptions": { "headers": headers },
            "webhook": webhook });
        let texts = [
            ("a scrape", debug(ScrapePlan::from_json(&scrape).unwrap())),
            ("a batch", debug(BatchPlan::from_json(&batch).unwrap())),
            ("a crawl", debug(CrawlPlan::from_json(&crawl).unwrap())),
            ("an extract", debug(ExtractPlan::from_json(&extract).unwrap())),
            (
                "options",
                debug(
                    serde_json::from_value::<request::ScrapeOptions>(json!({ "headers": headers })).unwrap(),
                ),
            ),
            (
                "options of v1",
                debug(serde_json::from_value::<v1::ScrapeOptions>(json!({ "headers": headers })).unwrap()),
            ),
            ("a webhook", debug(serde_json::from_value::<request::Webhook>(webhook.clone()).unwrap())),
            ("a webhook with a password", debug(request::Webhook::new("https://me:canary@me.example/"))),
        ];
        for (name, text) in texts {
            assert!(!text.contains("canary"), "{name}: {text}");
            assert!(
                text.to_ascii_lowercase().contains("x-key") || name.contains("password"),
                "{name}: {text}"
            );
        }
    }
}
