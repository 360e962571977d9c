//! The cost of a call: the counts of the provider if they are plausible, otherwise the whole reservation.

use gleaner_extract::model::{Budgeted, LanguageModel as _, ProviderErrorKind};
use gleaner_extract::{Budget, Ledger};
use gleaner_models::Provider;
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, PROVIDERS, model, reply, request};
use serde_json::{Value, json};

/// A reply with its token counts replaced by `number`, or removed.
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

/// Makes one call; the ledger and the kind of its error.
async fn complete(provider: Provider, body: &Value) -> (Ledger, Option<ProviderErrorKind>) {
    let fake = FakeServer::always(FakeResponse::json(body));
    let ledger = Ledger::new(Budget::default().tokens(10_000));
    let budgeted = Budgeted::new(model(provider, &fake), ledger.clone());
    let outcome = budgeted.complete(&request("How high is it?")).await;
    assert_eq!(fake.requests().len(), 1, "{provider:?}");
    (ledger, outcome.err().map(|error| error.kind()))
}

#[tokio::test]
async fn a_call_costs_the_provider_counts_or_else_the_reservation() {
    for provider in PROVIDERS {
        let (ledger, error) = complete(provider, &reply(provider, r#"{"a":"x"}"#, Ending::Stop)).await;
        assert_eq!(
            (ledger.spent().tokens, ledger.spent().overrun_tokens, error),
            (29, 0, None),
            "{provider:?}"
        );
        let reserved = ledger.entries()[0].reserved.total();
        // An answer of at most 300 tokens, and the tokens that the provider adds for tools.
        let min = if provider == Provider::Anthropic { 1_300 } else { 300 };
        assert!((min..min + 100).contains(&reserved), "{provider:?}: {reserved}");
        for (name, counts) in [("none", None), ("zeros", Some(json!(0)))] {
            let (ledger, error) = complete(provider, &with_counts(provider, counts)).await;
            assert_eq!((ledger.spent().tokens, error), (reserved, None), "{provider:?}: {name}");
            assert!(!ledger.entries()[0].stated, "{provider:?}: {name}");
        }
        for (name, counts) in [("negative", json!(-5)), ("a string", json!("21")), ("a fraction", json!(2.5))]
        {
            let (ledger, error) = complete(provider, &with_counts(provider, Some(counts))).await;
            assert_eq!(error, Some(ProviderErrorKind::BadAnswer), "{provider:?}: {name}");
            assert_eq!(ledger.spent().tokens, reserved, "{provider:?}: {name}");
        }
        // Tokens beyond the reservation are recorded, and sums do not overflow.
        let (ledger, _) = complete(provider, &with_counts(provider, Some(json!(u64::MAX)))).await;
        assert_eq!(ledger.spent().tokens, u64::MAX, "{provider:?}");
        assert!(ledger.spent().overrun_tokens > 1 << 60, "{provider:?}");
    }
}
