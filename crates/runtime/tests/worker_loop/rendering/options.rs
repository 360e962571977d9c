//! Which pages are rendered, by the policy and the options.

use std::sync::Arc;

use gleaner_runtime::{RenderPolicy, RenderSettings, StartOptions};
use gleaner_store::MemoryConfig;
use gleaner_types::ErrorCode;
use gleaner_types::request::ScrapeRequest;
use serde_json::json;

use super::{BROWSER, STATIC, Site, runtime_over, scrape, scrape_as, warning};

#[tokio::test(start_paused = true)]
async fn the_policy_and_the_options_decide() {
    let settings = |policy| Some(RenderSettings { policy, slots: 1 });
    let url = "https://a.example/";
    for (policy, engine, remark) in [
        (None, None, "has no browser"),
        (settings(RenderPolicy::Never), None, "has no browser"),
        (settings(RenderPolicy::WhenAsked), Some(STATIC), "if its options ask for it"),
    ] {
        let site = Arc::new(Site::default());
        let runtime = runtime_over(&site, policy, MemoryConfig::default());
        let document = scrape(&runtime, url).await;
        assert_eq!((document.metadata.engine, site.requests().len()), (engine, 1), "{policy:?}");
        assert!(warning(&document).contains(remark), "{policy:?}: {document:?}");
        if engine.is_none() {
            let request = json!({ "url": url, "actions": [{ "type": "scrape" }] });
            let request = serde_json::from_value::<ScrapeRequest>(request).unwrap().check().unwrap();
            let error = runtime.scrape(request, StartOptions::default()).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::ScrapeActionsNotSupported, "{policy:?}");
            assert_eq!(site.requests().len(), 1, "a page that cannot be had is not requested");
        }
    }
    for policy in [RenderPolicy::WhenAsked, RenderPolicy::Auto] {
        let site = Arc::new(Site::default());
        let runtime = runtime_over(&site, settings(policy), MemoryConfig::default());
        for request in [ScrapeRequest::new(url).wait_for(100), ScrapeRequest::new(url).mobile(true)] {
            let document = scrape_as(&runtime, request).await;
            assert_eq!((document.metadata.engine, warning(&document)), (Some(BROWSER), ""), "{policy:?}");
        }
        assert_eq!(site.requests(), [("/".to_owned(), BROWSER), ("/".to_owned(), BROWSER)]);
    }
}
