//! How types with secrets in them look in `Debug`: headers by their names, addresses of webhooks without
//! their queries.
//!
//! A derived `Debug` shows all fields, and a request or a plan ends up in a log sooner or later. A type of
//! its own for headers would keep the derive, and would stand between embedders and a plain map.

use std::collections::BTreeMap;
use std::fmt;

use crate::check::quote_url;

/// Implements `Debug` for a struct of which some fields are shown by a function. All fields must be named.
macro_rules! debug_with {
    ($type:ident { $($field:ident),* } $($hidden:ident: $shown:expr),+) => {
        impl ::std::fmt::Debug for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let Self { $($field,)* $($hidden),+ } = self;
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($field), $field))*
                    $(.field(stringify!($hidden), &$shown($hidden)))+
                    .finish()
            }
        }
    };
}

pub(crate) use debug_with;

/// The names of headers.
pub(crate) struct Names<'a>(&'a BTreeMap<String, String>);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

pub(crate) fn names(headers: &BTreeMap<String, String>) -> Names<'_> {
    Names(headers)
}

pub(crate) fn names_of(headers: &Option<BTreeMap<String, String>>) -> Option<Names<'_>> {
    headers.as_ref().map(Names)
}

/// An address as it was given, without what may be secret in it.
pub(crate) struct Address<'a>(&'a str);

impl fmt::Debug for Address<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quote_url(self.0))
    }
}

pub(crate) fn address(url: &str) -> Address<'_> {
    Address(url)
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde_json::json;

    use crate::plan::{BatchPlan, CrawlPlan, ExtractPlan, ScrapePlan};
    use crate::request::{self, v1};

    #[test]
    fn no_header_and_no_query_of_a_webhook_is_shown() {
        fn shown(value: impl Debug) -> String {
            format!("{value:?} {value:#?}")
        }
        let headers = json!({ "X-Key": "canary" });
        let webhook = json!({ "url": "https://me.example/hook?key=canary#canary", "headers": headers });
        let scrape = json!({ "url": "a.example?key=canary", "headers": headers });
        let batch = json!({ "urls": ["a.example"], "headers": headers, "webhook": webhook });
        let crawl =
            json!({ "url": "a.example", "scrapeOptions": { "headers": headers }, "webhook": webhook });
        let extract = json!({ "urls": ["a.example"], "prompt": "x", "scrapeOptions": { "headers": headers }, "webhook": webhook });
        let texts = [
            ("a scrape", shown(ScrapePlan::from_json(&scrape).unwrap())),
            ("a batch", shown(BatchPlan::from_json(&batch).unwrap())),
            ("a crawl", shown(CrawlPlan::from_json(&crawl).unwrap())),
            ("an extract", shown(ExtractPlan::from_json(&extract).unwrap())),
            (
                "options",
                shown(
                    serde_json::from_value::<request::ScrapeOptions>(json!({ "headers": headers })).unwrap(),
                ),
            ),
            (
                "options of v1",
                shown(serde_json::from_value::<v1::ScrapeOptions>(json!({ "headers": headers })).unwrap()),
            ),
            ("a webhook", shown(serde_json::from_value::<request::Webhook>(webhook.clone()).unwrap())),
            ("a webhook with a password", shown(request::Webhook::new("https://me:canary@me.example/"))),
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
