//! Keys are in the requests and nowhere else.

use gleaner_extract::model::{LanguageModel as _, Recorder};
use gleaner_models::{ApiKey, HttpModel, HttpModelBuilder, Provider};
use gleaner_testkit::ProcessLog;
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, KEY, PROVIDERS, base_url, reply, request};

/// A model by which this test knows its own lines in the log of all.
const MODEL: &str = "model-of-secrets";

fn builder(provider: Provider, fake: &FakeServer) -> HttpModelBuilder {
    let url = base_url(provider, &fake.url("")).parse().unwrap();
    HttpModel::builder(provider, MODEL).base_url(url).key(ApiKey::new(KEY).unwrap())
}

#[tokio::test]
async fn keys_are_in_no_log_no_error_and_no_debug_output() {
    // What other tests log meanwhile must hold no key either.
    let log = ProcessLog::listen();
    let mut shown = String::new();
    for provider in PROVIDERS {
        let fine = reply(provider, r#"{"a":"x"}"#, Ending::Stop);
        // Some services repeat what they were sent, the key included.
        let echoes = [400, 401, 403, 404, 429, 500].map(|status| {
            let echo = format!(
                r#"{{"error":{{"message":"bad header Bearer {KEY}","code":"{KEY}","type":"{KEY}","status":"{KEY}"}}}}"#
            );
            FakeResponse::new(status, echo).with("x-echo", KEY)
        });
        for says in
            [vec![FakeResponse::json(&fine), FakeResponse::new(200, format!("{{\"{KEY}"))], echoes.to_vec()]
                .concat()
        {
            let fake = FakeServer::always(says);
            let asked = Recorder::new(builder(provider, &fake).build().unwrap());
            let outcome = asked.complete(&request("x")).await;
            assert_eq!(fake.requests().len(), 1);
            shown.push_str(&format!("{outcome:?} {asked:?} {:?}\n", builder(provider, &fake)));
            if let Err(error) = &outcome {
                shown.push_str(&format!("{error}\n"));
            }
            shown.push_str(&serde_json::to_string(&asked.transcript()).unwrap());
        }
    }
    let logged = log.end();
    let own = |line: &str| line.contains("a model gave no answer") && line.contains(MODEL);
    assert!(logged.lines().any(own), "the log was not taken");
    let telling = "0123456789";
    assert!(!shown.contains(telling), "{}", shown.lines().find(|line| line.contains(telling)).unwrap());
    assert!(!logged.contains(telling), "{}", logged.lines().find(|line| line.contains(telling)).unwrap());
    println!(
        "keys in {} bytes of logs and {} bytes of errors and debug output: 0",
        logged.len(),
        shown.len()
    );
}
