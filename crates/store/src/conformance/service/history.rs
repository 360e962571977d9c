//! The contract of histories and of lookups by scrape id.

use std::sync::Arc;
use std::time::Duration;

use gleaner_types::{Document, JobId};
use uuid::Uuid;

use super::super::{Fixture, START, candidate, document, failure};
use crate::{
    FinishedPage, HistoryKey, LeasedPage, PageOutcome, PastScrape, Receipt, Retention, Store, TeamId,
    TrackedScrape, scrape_id,
};

pub(super) async fn run<S: Store>(make: &impl AsyncFn() -> Fixture<S>) {
    a_history_gives_the_previous_scrape(make().await).await;
    a_scrape_without_a_stored_document_is_not_recorded(make().await).await;
    a_document_is_found_by_scrape_id_and_team(make().await).await;
}

impl<S: Store> Fixture<S> {
    async fn finish_tracked(&self, page: LeasedPage, key: &HistoryKey, text: &str) -> Receipt {
        let page = tracked_scrape(page, key, text);
        self.store.finish(page, START).await.expect("a page can be finished")
    }
}

async fn a_history_gives_the_previous_scrape<S: Store>(fixture: Fixture<S>) {
    let key = |team: &str, tag: Option<&str>| HistoryKey {
        team: TeamId::new(team),
        url: "http://a.example/".to_owned(),
        tag: tag.map(str::to_owned),
    };
    // Scrapes one page per text in one job, and returns the previous scrape that the job saw before each.
    let scrape = async |number: u128, key: HistoryKey, texts: &[&str]| {
        let pages: Vec<String> = (0..texts.len()).map(|page| format!("p{page}")).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let job = fixture.submit_for(number, key.team.as_str(), &pages, |_| {}).await;
        let mut reported = Vec::new();
        for text in texts {
            let before = fixture.store.last_scrape(job, &key).await.expect("a history can be read");
            reported.push(before.map(|before| before.markdown.to_string()));
            let page = fixture.lease_one().await;
            fixture.finish_tracked(page, &key, text).await;
        }
        reported
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(scrape(1, key("a", None), &["one"]).await, [None]);
    let twice = scrape(2, key("a", None), &["two", "two again"]).await;
    assert_eq!(twice, [some("one"), some("one")], "a page scraped twice sees the same scrape");
    assert_eq!(scrape(3, key("a", None), &["three"]).await, [some("two again")]);
    assert_eq!(scrape(4, key("a", Some("x")), &["four"]).await, [None], "a tag has its own history");
    assert_eq!(scrape(5, key("b", None), &["five"]).await, [None], "and so has a team");
}

async fn a_scrape_without_a_stored_document_is_not_recorded<S: Store>(fixture: Fixture<S>) {
    let key = HistoryKey { team: TeamId::new("a"), url: "http://a.example/".to_owned(), tag: None };
    let other = JobId::from_uuid(Uuid::from_u128(99));
    let last = async || {
        let last = fixture.store.last_scrape(other, &key).await.expect("a history can be read");
        last.map(|scrape| scrape.markdown.to_string())
    };
    // The job is cancelled in the meantime.
    let job = fixture.submit_for(1, "a", &["a"], |_| {}).await;
    let late = fixture.lease_one().await;
    fixture.store.cancel(job, START).await.expect("a running job can be cancelled");
    assert!(!fixture.finish_tracked(late, &key, "too late").await.accepted);
    assert_eq!(last().await, None, "the page was too late");
    // The redirect target has its own entry in the queue.
    fixture.submit_for(2, "a", &["old", "new"], |_| {}).await;
    for page in fixture.lease(2, 2).await {
        let text = page.url.host_str().unwrap_or_default().to_owned();
        let moved = text.starts_with("old").then(|| candidate("new").key);
        let finished = FinishedPage { redirected_to: moved, ..tracked_scrape(page, &key, &text) };
        fixture.store.finish(finished, START).await.expect("a page can be finished");
    }
    assert_eq!(last().await.as_deref(), Some("new.example"), "a duplicate is not recorded");
    // The page gives no document.
    fixture.submit_for(3, "a", &["b"], |_| {}).await;
    let page = fixture.lease_one().await;
    let finished = FinishedPage { outcome: failure(), ..tracked_scrape(page, &key, "a failure") };
    fixture.store.finish(finished, START).await.expect("a page can be finished");
    assert_eq!(last().await.as_deref(), Some("new.example"));
}

fn tracked_scrape(page: LeasedPage, key: &HistoryKey, text: &str) -> FinishedPage {
    let scrape = PastScrape { at: START, status: Some(200), markdown: Arc::from(text), json: None };
    let outcome = document(&page);
    let tracked_scrape = Some(Box::new(TrackedScrape { key: key.clone(), scrape }));
    FinishedPage { tracked_scrape, ..FinishedPage::new(page, outcome) }
}

async fn a_document_is_found_by_scrape_id_and_team<S: Store>(fixture: Fixture<S>) {
    let with_id = |scrape: Uuid| {
        let mut document = Document::of_markdown(scrape.to_string());
        document.metadata.scrape_id = Some(scrape.to_string());
        document
    };
    let found = async |team: &str, scrape: Uuid| {
        let found =
            fixture.store.scraped(&TeamId::new(team), scrape).await.expect("a scrape can be looked for");
        let document = found.map(|json| serde_json::from_slice::<Document>(&json).expect("it is JSON"));
        document.and_then(|document| document.markdown)
    };
    // Pages of two jobs whose ids have the same first half, and of a streamed job.
    let scrapes = [(1, "a", Retention::Keep), (2, "a", Retention::Keep), (3, "a", Retention::Stream)];
    let mut kept = Vec::new();
    for (number, team, retention) in scrapes {
        let job = fixture.submit_for(number, team, &["x", "y"], |job| job.retention = retention).await;
        for random in 0..2 {
            let scrape = scrape_id(job, u64::try_from(number).unwrap_or_default() * 10 + random);
            let page = fixture.lease_one().await;
            let outcome = PageOutcome::Document(Box::new(with_id(scrape)), 1);
            fixture.finish(page, outcome, &[]).await;
            kept.push((scrape, retention == Retention::Keep));
        }
    }
    for (scrape, is_kept) in &kept {
        assert_eq!(found("a", *scrape).await, is_kept.then(|| scrape.to_string()));
        assert_eq!(found("b", *scrape).await, None, "another team finds nothing");
    }
    // A single scrape.
    let once = scrape_id(JobId::from_uuid(Uuid::from_u128(9)), 99);
    fixture.store.keep_scrape(&TeamId::new("a"), &with_id(once), START).await.expect("a scrape can be kept");
    fixture
        .store
        .keep_scrape(&TeamId::new("a"), &Document::default(), START)
        .await
        .expect("without an id too");
    assert_eq!(found("a", once).await, Some(once.to_string()));
    assert_eq!(found("b", once).await, None);
    // Everything is removed with the results.
    fixture.store.expire(START + Duration::from_secs(25 * 3_600)).await.expect("time may pass");
    assert_eq!(found("a", once).await, None);
    for (scrape, _) in kept {
        assert_eq!(found("a", scrape).await, None);
    }
}
