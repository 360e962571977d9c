//! What a call costs: the provider's own counts where they can be, else all that was reserved.

use gleaner_extract::model::{Budgeted, LanguageModel as _, ProviderErrorKind};
use gleaner_extract::{Budget, Ledger};
use gleaner_models::Provider;
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, PROVIDERS, model, reply, request};
use serde_json::{Value, json};

/// The reply with its counts replaced by `number`, or without any.
fn with_counts(provider: Provider, number: Option<Value>) -> Value {
    let mut body = reply(provider, r#"{"a":"x"}"#, Ending::Stop);
    let fields: &[&str] = match provider {
        Provider::OpenAi => &["/usage/prompt_tokens", "/usage/completion_tokens"],
        Provider::Anthropic => {
            &["/usage/input_tokens", "/usage/cache_creation_input_tokens", "/usage/output_tokens"]
        }
        Provider::Gemini => &[
            "/usageMetadata/promptTokenCount",
            "/usageMetadata/candidatesTokenCount",
            "/usageMetadata/thoughtsTokenCount",
        ],
        _ => &["/prompt_eval_count", "/eval_count"],
    };
    for field in fields {
        match &number {
            Some(number) => *body.pointer_mut(field).unwrap() = number.clone(),
            None => {
                let (parent, name) = field.rsplit_once('/').unwrap();
                body.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name);
            }
        }
    }
    body
}

/// What one call costs, and how it ended.
async fn ask(provider: Provider, body: &Value) -> (Ledger, Option<ProviderErrorKind>) {
    let fake = FakeServer::always(FakeResponse::json(body));
    let ledger = Ledger::new(Budget { tokens: Some(10_000), ..Budget::default() });
    let paid = Budgeted::new(model(provider, &fake), ledger.clone());
    let outcome = paid.complete(&request("How high is it?")).await;
    assert_eq!(fake.requests().len(), 1, "{provider:?}");
    (ledger, outcome.err().map(|error| error.kind()))
}

#[tokio::test]
async fn a_call_counts_as_the_provider_says_or_else_in_full() {
    for provider in PROVIDERS {
        let (ledger, error) = ask(provider, &reply(provider, r#"{"a":"x"}"#, Ending::Stop)).await;
        assert_eq!(
            (ledger.spent().tokens, ledger.spent().overrun_tokens, error),
            (29, 0, None),
            "{provider:?}"
        );
        let reserved = ledger.entries()[0].reserved.total();
        // An answer of at most 300 tokens, and what the provider adds to tools.
        let least = if provider == Provider::Anthropic { 1_300 } else { 300 };
        assert!((least..least + 100).contains(&reserved), "{provider:?}: {reserved}");
        for (name, counts) in [("none", None), ("zeros", Some(json!(0)))] {
            let (ledger, error) = ask(provider, &with_counts(provider, counts)).await;
            assert_eq!((ledger.spent().tokens, error), (reserved, None), "{provider:?}: {name}");
            assert!(!ledger.entries()[0].stated, "{provider:?}: {name}");
        }
        for (name, counts) in [("negative", json!(-5)), ("a text", json!("21")), ("a fraction", json!(2.5))] {
            let (ledger, error) = ask(provider, &with_counts(provider, Some(counts))).await;
            assert_eq!(error, Some(ProviderErrorKind::BadAnswer), "{provider:?}: {name}");
            assert_eq!(ledger.spent().tokens, reserved, "{provider:?}: {name}");
        }
        // What a provider bills beyond what it was allowed is told, and cannot wrap round.
        let (ledger, _) = ask(provider, &with_counts(provider, Some(json!(u64::MAX)))).await;
        assert_eq!(ledger.spent().tokens, u64::MAX, "{provider:?}");
        assert!(ledger.spent().overrun_tokens > 1 << 60, "{provider:?}");
    }
}
