//! Services that refuse, truncate, or never end their replies. One call is one request: adapters do not
//! retry.

use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gleaner_extract::model::{
    Finish, LanguageModel as _, MAX_ANSWER_BYTES, ModelAnswer, Pause, ProviderError, ProviderErrorKind,
    RetryPolicy, Retrying,
};
use gleaner_models::{MAX_REPLY_BYTES, Provider};
use gleaner_testkit::{ClosedPort, RawServer, Step};
use gleaner_tests::fakes::{
    Ending, FakeResponse, FakeServer, PROVIDERS, model, model_builder, reply, request,
};
use gleaner_types::BoxFuture;
use serde_json::json;

async fn complete(provider: Provider, response: FakeResponse) -> Result<ModelAnswer, ProviderError> {
    let fake = FakeServer::always(response);
    let outcome = model(provider, &fake).complete(&request("x")).await;
    assert_eq!(fake.requests().len(), 1, "{provider:?}");
    outcome
}

#[tokio::test]
async fn statuses_become_error_kinds_with_retry_hints() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    let later = "Sun, 06 Nov 1994 08:50:07 GMT";
    let limited = FakeResponse::new(429, r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#);
    let rows = [
        ("429 without Retry-After", limited.clone(), ProviderErrorKind::RateLimited, None),
        ("seconds", limited.clone().with("retry-after", "7"), ProviderErrorKind::RateLimited, Some(7_000)),
        (
            "a date",
            limited.clone().with("date", date).with("retry-after", later),
            ProviderErrorKind::RateLimited,
            Some(30_000),
        ),
        (
            "milliseconds",
            limited.clone().with("retry-after-ms", "1500").with("retry-after", "2"),
            ProviderErrorKind::RateLimited,
            Some(1_500),
        ),
        ("garbage", limited.with("retry-after", "soon"), ProviderErrorKind::RateLimited, None),
        (
            "overloaded",
            FakeResponse::new(529, "").with("retry-after", "3"),
            ProviderErrorKind::Unavailable,
            Some(3_000),
        ),
        ("down", FakeResponse::new(503, "<html>"), ProviderErrorKind::Unavailable, None),
        ("wrong key", FakeResponse::new(401, "{}"), ProviderErrorKind::Unauthorized, None),
        (
            "no such model",
            FakeResponse::new(404, r#"{"error":"model not found"}"#),
            ProviderErrorKind::BadRequest,
            None,
        ),
        ("too long", FakeResponse::new(413, ""), ProviderErrorKind::TooLong, None),
    ];
    for provider in PROVIDERS {
        for (name, response, kind, wait) in rows.clone() {
            let error = complete(provider, response).await.unwrap_err();
            let wait = wait.map(Duration::from_millis);
            assert_eq!((error.kind(), error.retry_after()), (kind, wait), "{provider:?}: {name}");
        }
    }
}

#[derive(Debug, Clone, Default)]
struct RecordedPauses(Arc<Mutex<Vec<Duration>>>);

impl Pause for RecordedPauses {
    fn pause(&self, wait: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.lock().unwrap().push(wait);
        })
    }
}

#[tokio::test]
async fn a_busy_service_is_retried_after_its_retry_after() {
    for provider in PROVIDERS {
        let fake = FakeServer::start(move |before, _| match before {
            0 => FakeResponse::new(429, "").with("retry-after", "9"),
            _ => FakeResponse::json(&reply(provider, r#"{"a":"x"}"#, Ending::Stop)),
        });
        let pauses = RecordedPauses::default();
        let model = Retrying::new(model(provider, &fake), pauses.clone(), RetryPolicy::default());
        assert_eq!(model.complete(&request("x")).await.unwrap().text, r#"{"a":"x"}"#);
        assert_eq!(*pauses.0.lock().unwrap(), [Duration::from_secs(9)], "{provider:?}");
        assert_eq!(fake.requests().len(), 2, "{provider:?}");
    }
}

#[tokio::test]
async fn broken_replies_are_errors() {
    for provider in PROVIDERS {
        let whole = reply(provider, r#"{"a":"x"}"#, Ending::Stop).to_string();
        let half = whole.split_at(whole.len() / 2).0;
        let deep = format!(
            "{{\"choices\":{0},\"content\":{0},\"candidates\":{0},\"message\":{0}",
            "[".repeat(200_000)
        );
        let duplicate_key =
            whole.replacen('{', r#"{"choices":[],"content":[],"candidates":[],"message":null,"#, 1);
        let mut broken = FakeResponse::new(200, half);
        broken.truncated = true;
        let rows = [
            ("truncated JSON", FakeResponse::new(200, half), ProviderErrorKind::BadAnswer),
            ("deep JSON", FakeResponse::new(200, deep), ProviderErrorKind::BadAnswer),
            ("a duplicate key", FakeResponse::new(200, duplicate_key), ProviderErrorKind::BadAnswer),
            (
                "a page",
                FakeResponse::new(200, "<!doctype html><title>Sign in</title>"),
                ProviderErrorKind::BadAnswer,
            ),
            ("an empty body", FakeResponse::new(200, ""), ProviderErrorKind::BadAnswer),
            (
                "wrong types",
                FakeResponse::json(&json!({ "choices": 1, "content": 1, "candidates": 1, "message": 1 })),
                ProviderErrorKind::BadAnswer,
            ),
            (
                "an unknown content coding",
                FakeResponse::new(200, "x").with("content-encoding", "rot13"),
                ProviderErrorKind::BadAnswer,
            ),
            ("a broken connection", broken, ProviderErrorKind::Unavailable),
        ];
        for (name, response, kind) in rows {
            let error = complete(provider, response).await.unwrap_err();
            assert_eq!(error.kind(), kind, "{provider:?}: {name}: {error}");
        }
    }
}

#[tokio::test]
async fn endless_replies_are_truncated() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..64 {
        gzip.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let bomb = gzip.finish().unwrap();
    for provider in PROVIDERS {
        // A complete reply with an answer above the limit.
        let long = "x".repeat(MAX_ANSWER_BYTES + 10);
        let answer =
            complete(provider, FakeResponse::json(&reply(provider, &long, Ending::Length))).await.unwrap();
        assert_eq!((answer.text.len(), answer.finish), (MAX_ANSWER_BYTES, Finish::Length), "{provider:?}");

        let answer =
            complete(provider, FakeResponse::new(200, bomb.clone()).with("content-encoding", "gzip"))
                .await
                .unwrap();
        assert_eq!((answer.text.as_str(), answer.finish), ("", Finish::Length), "{provider:?}");

        let endless = RawServer::start([
            Step::ReadRequest,
            Step::send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"x\":\""),
            Step::send_endless(vec![b'a'; 64 << 10]),
        ])
        .unwrap();
        let model = model_builder(provider, endless.base_url().trim_end_matches('/')).build().unwrap();
        let answer = model.complete(&request("x")).await.unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.finish, answer.usage),
            ("", Finish::Length, None),
            "{provider:?}"
        );
        println!("{provider:?}: an endless reply was dropped after at most {} MiB", MAX_REPLY_BYTES >> 20);
    }
}

#[tokio::test]
async fn services_that_do_not_answer_are_errors() {
    let silent = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
    let closed = ClosedPort::take().unwrap();
    for provider in PROVIDERS {
        let origin = silent.base_url();
        let model = model_builder(provider, origin.trim_end_matches('/')).timeout(Duration::from_millis(100));
        let error = model.build().unwrap().complete(&request("x")).await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (ProviderErrorKind::Timeout, true), "{provider:?}");
        let model = model_builder(provider, &closed.base_url()).build().unwrap();
        let error = model.complete(&request("x")).await.unwrap_err();
        assert_eq!(error.kind(), ProviderErrorKind::Unavailable, "{provider:?}");
    }
}
