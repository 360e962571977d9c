//! What a model taught an engine about the pages of a job is known to the next one.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use gleaner::{BatchScrapeRequest, Engine};
use gleaner_models::Provider;
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, Task, engine_builder, model, reply, task_of};
use serde_json::json;

const PAGES: usize = 12;
/// Pages that the first engine reads before it is stopped.
const FIRST: usize = 6;

/// An engine over a file, which an earlier engine has closed.
fn open(file: &Path, service: &FakeServer) -> Engine {
    let model = Arc::new(model(Provider::OpenAi, service));
    engine_builder().concurrency(1).model(model).store_at(file).build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_engine_knows_the_schema_and_the_templates() {
    let gate: Arc<(Mutex<bool>, Condvar)> = Arc::default();
    let site = FakeServer::start({
        let gate = Arc::clone(&gate);
        move |before, request| {
            if before >= FIRST {
                let (is_open, changed) = &*gate;
                drop(changed.wait_while(is_open.lock().unwrap(), |is_open| !*is_open).unwrap());
            }
            let number = request.target().trim_start_matches('/');
            FakeResponse::html(&format!(
                "<main><h1>House {number}</h1><p>A house by the sea that has stood there for a long time.</p>\
                 <div class=maker><b>Drawn by</b> <span>Anna Berg {number}</span></div>\
                 <p>It may be visited.</p></main>"
            ))
        }
    });
    let service = FakeServer::start(|_, request| {
        let answer = match task_of(request) {
            Task::Draft => json!({ "many": false, "entity": "house", "fields": [
                { "name": "designer", "kind": "text", "list": false, "description": "Who drew it" }] }),
            _ => {
                let page = request.body["messages"][1]["content"].as_str().unwrap();
                let name = page.split("Anna Berg ").nth(1).unwrap();
                let number: String = name.chars().take_while(char::is_ascii_digit).collect();
                let name = format!("Anna Berg {number}");
                json!({ "designer": { "value": name, "quote": name } })
            }
        };
        FakeResponse::json(&reply(Provider::OpenAi, &answer.to_string(), Ending::Stop))
    });
    let calls = |task| service.requests().iter().filter(|request| task_of(request) == task).count();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.db");

    let engine = open(&file, &service);
    let urls: Vec<String> = (0..PAGES).map(|page| site.url(&format!("/{page}"))).collect();
    let batch = json!({
        "urls": urls, "formats": [{ "type": "json", "prompt": "Who drew the house?" }], "maxAge": 0,
    });
    let mut job = engine.batch(serde_json::from_value::<BatchScrapeRequest>(batch).unwrap()).await.unwrap();
    for _ in 0..FIRST {
        job.next().await.unwrap().unwrap();
    }
    let id = job.detach();
    tokio::join!(engine.stop(), async {
        *gate.0.lock().unwrap() = true;
        gate.1.notify_all();
    });
    drop(engine);
    let reads_before = calls(Task::Read);
    assert!(site.requests().len() < PAGES, "the first engine read all pages");

    let engine = open(&file, &service);
    let done = engine.job(id).await.unwrap().wait().await.unwrap();
    assert_eq!(done.documents.len(), PAGES);
    for page in &done.documents {
        let number = page.metadata.source_url.as_ref().unwrap().rsplit('/').next().unwrap();
        let expected = Some(json!({ "designer": format!("Anna Berg {number}") }));
        assert_eq!(page.json, expected, "{:?}", page.warning);
    }
    assert_eq!(calls(Task::Draft), 1, "all pages have the same schema");
    // To learn them again takes at least two pages.
    let reads = calls(Task::Read);
    assert!(
        reads <= reads_before + 1,
        "{reads_before} reads, then {reads}: the templates were learned again"
    );
}
