//! API keys are in requests and nowhere else.

use gleaner_extract::model::{LanguageModel as _, Recorder};
use gleaner_models::{ApiKey, HttpModel, HttpModelBuilder, Provider};
use gleaner_testkit::ProcessLog;
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, KEY, PROVIDERS, base_url, reply, request};

/// A model name that identifies the lines of this test in the shared log.
const MODEL: &str = "model-of-secrets";

fn builder(provider: Provider, fake: &FakeServer) -> HttpModelBuilder {
    let url = base_url(provider, &fake.url("")).parse().unwrap();
    HttpModel::builder(provider, MODEL).base_url(url).key(ApiKey::new(KEY).unwrap())
}

#[tokio::test]
async fn api_keys_are_not_in_logs_errors_or_debug_output() {
    // Lines of other tests must not contain keys either.
    let log = ProcessLog::listen();
    let mut output = String::new();
    for provider in PROVIDERS {
        let valid = reply(provider, r#"{"a":"x"}"#, Ending::Stop);
        // Some services echo the request, including the key.
        let echoed = [400, 401, 403, 404, 429, 500].map(|status| {
            let echo = format!(
                r#"{{"error":{{"message":"bad header Bearer {KEY}","code":"{KEY}","type":"{KEY}",
                                "status":"{KEY}"}}}}"#
            );
            FakeResponse::new(status, echo).with("x-echo", KEY)
        });
        for response in
            [vec![FakeResponse::json(&valid), FakeResponse::new(200, format!("{{\"{KEY}"))], echoed.to_vec()]
                .concat()
        {
            let fake = FakeServer::always(response);
            let recorder = Recorder::new(builder(provider, &fake).build().unwrap());
            let outcome = recorder.complete(&request("x")).await;
            assert_eq!(fake.requests().len(), 1);
            output.push_str(&format!("{outcome:?} {recorder:?} {:?}\n", builder(provider, &fake)));
            if let Err(error) = &outcome {
                output.push_str(&format!("{error}\n"));
            }
            output.push_str(&serde_json::to_string(&recorder.transcript()).unwrap());
        }
    }
    let logged = log.end();
    let own = |line: &str| line.contains("a model gave no answer") && line.contains(MODEL);
    assert!(logged.lines().any(own), "the log has no line of this test");
    let key_part = "0123456789";
    assert!(!output.contains(key_part), "{}", output.lines().find(|line| line.contains(key_part)).unwrap());
    assert!(!logged.contains(key_part), "{}", logged.lines().find(|line| line.contains(key_part)).unwrap());
    println!(
        "keys in {} bytes of logs and {} bytes of errors and debug output: 0",
        logged.len(),
        output.len()
    );
}
