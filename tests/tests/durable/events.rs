//! The events that the receiver of a crawl got.

use gleaner_store::EventId;
use gleaner_tests::fakes::ReceivedRequest;
use serde_json::Value;
use url::Url;

use super::notes::Notes;

/// Checks the events of a crawl against its documents: each at least once, in order and without gaps. A kill
/// repeats at most the event that was on its way.
pub(crate) fn check(requests: &[ReceivedRequest], crawl: &Notes, kills: usize) {
    let job = crawl.job.as_deref().unwrap();
    let mut events: Vec<&Value> = Vec::new();
    for ReceivedRequest { body, .. } in requests {
        let id = |sequence| EventId { job: job.parse().unwrap(), sequence }.webhook_id().to_string();
        if body["webhookId"] == id(events.len() as u64) {
            events.push(body);
        } else {
            assert_eq!(Some(&body), events.last(), "neither the next event nor the last one again");
        }
    }
    let repeats = requests.len() - events.len();
    assert!(repeats <= kills, "{repeats} events were repeated, with {kills} kills");
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let mut expected = vec!["crawl.page"; crawl.documents.len()];
    expected.insert(0, "crawl.started");
    expected.push("crawl.completed");
    assert_eq!(kinds, expected);
    let pages = events.iter().filter(|event| event["type"] == "crawl.page").map(|event| {
        let url = event["data"][0]["metadata"]["sourceURL"].as_str().unwrap();
        Url::parse(url).unwrap().path().to_owned()
    });
    assert_eq!(pages.collect::<Vec<_>>(), crawl.documents, "the pages in the order of their documents");
}
