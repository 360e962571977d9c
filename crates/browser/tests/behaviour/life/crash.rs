//! The end of the browser while pages are open.

use std::num::NonZero;

use gleaner_fetch::{ErrorKind, FollowAll};
use gleaner_testkit::{PageServer, ProcessGroup};
use serde_json::json;
use url::Url;

use super::{MARK, Profiles, kill, running_page, until};
use crate::support::{builder, fetcher, render_pages, request};

/// Pages that are open when the browser ends.
const PAGES: usize = 3;

#[tokio::test]
async fn a_killed_browser_fails_its_pages_for_a_retry_and_is_replaced() {
    let Some(builder) = builder() else { return };
    let profiles = Profiles::new();
    let builder = builder.profile_folder(profiles.path()).max_pages(NonZero::new(PAGES).unwrap());
    let browser = builder.build().unwrap();
    let server = PageServer::start(running_page()).unwrap();
    let request = request(Url::parse(&server.base_url()).unwrap(), json!({"waitFor": 15_000}));
    let fetcher = fetcher();
    let page = || fetcher.render(&browser, &request, &FollowAll);
    let killing = async {
        until("the pages do not run", async || server.requests(MARK) == PAGES).await;
        let process = browser.stats().await.process_id.unwrap();
        kill(process);
        ProcessGroup::new(process)
    };
    let (one, two, three, group) = tokio::join!(page(), page(), page(), killing);
    for outcome in [one, two, three] {
        let error = outcome.expect_err("the browser ended before the page");
        assert_eq!(error.kind(), ErrorKind::Render, "{error}");
        assert!(error.is_retryable(), "{error}");
    }

    let page = render_pages(&browser, running_page(), json!({})).await.unwrap().page;
    assert!(page.html.contains("<p>text</p>"), "{}", page.html);
    let stats = browser.stats().await;
    assert_eq!((stats.started, stats.crashed, stats.pages), (2, 1, 4));
    assert_ne!(ProcessGroup::new(stats.process_id.unwrap()), group);
    until("processes of the killed browser are left", async || group.running().is_empty()).await;
    until("its profile folder is left", async || profiles.count() == 1).await;
    until("it is a zombie", async || group.zombies_of(std::process::id()).is_empty()).await;
    browser.close().await;
    assert_eq!(profiles.count(), 0);
}
