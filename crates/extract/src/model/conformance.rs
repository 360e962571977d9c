//! The test suites for implementations of [`LanguageModel`] and [`WebSearch`]: call one in a test of yours.
//!
//! Each panics at the first rule that is broken, with a message. A suite makes about ten small calls.
//!
//! ```
//! use gleaner_extract::model::conformance;
//! use gleaner_extract::model::scripted::{ScriptedModel, block_on};
//!
//! let model = ScriptedModel::with(|_| Ok(r#"{ "colour": "blue" }"#.to_owned()));
//! block_on(conformance::language_model(&model));
//! ```

#![expect(clippy::expect_used, reason = "a rule that is broken ends the suite")]

use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use gleaner_types::BoxFuture;
use serde_json::json;

use super::budgeted::max_usage;
use super::{
    LanguageModel, MAX_ANSWER_BYTES, MAX_SEARCH_HITS, Message, ModelAnswer, ModelRequest, ProviderError,
    Role, SearchQuery, WebSearch,
};
use crate::schema::Dialect;

/// Calls at once.
const CALLS: usize = 3;
/// Tokens of an answer that is cut off. Some providers accept no fewer.
const FEW_TOKENS: u64 = 16;
/// Maximum length of a token in an answer, in bytes.
const MAX_TOKEN_BYTES: usize = 64;

/// What every [`LanguageModel`] must do. The model may answer whatever it likes.
///
/// # Panics
/// If the model breaks a rule of its contract, or fails.
pub async fn language_model(model: &dyn LanguageModel) {
    abilities_are_constant(model);
    tokens_are_counted(model);
    let request = question(model, "Which colour does the sky have on a clear day at noon?");
    check_answer(model, &request, model.complete(&request).await);

    let mut with_schema = request.clone();
    with_schema.schema = model.capabilities().schema.map(|dialect| match dialect {
        Dialect::OpenApi => json!({
            "type": "object", "properties": { "colour": { "type": "string" } }, "required": ["colour"],
        }),
        Dialect::Strict | Dialect::JsonSchema => json!({
            "type": "object", "properties": { "colour": { "type": "string" } }, "required": ["colour"],
            "additionalProperties": false,
        }),
    });
    with_schema.seed = model.capabilities().seed.then_some(7);
    check_answer(model, &with_schema, model.complete(&with_schema).await);

    let mut cut_off = question(model, "Write the numbers from one to one thousand in English words.");
    cut_off.max_tokens = FEW_TOKENS.min(model.capabilities().max_output_tokens);
    let answer = check_answer(model, &cut_off, model.complete(&cut_off).await);
    let max_bytes = usize::try_from(cut_off.max_tokens).unwrap_or(usize::MAX).saturating_mul(MAX_TOKEN_BYTES);
    assert!(answer.text.len() <= max_bytes, "the provider gets `max_tokens`, on which budgets rely");

    for answer in all((0..CALLS).map(|_| model.complete(&request)).collect()).await {
        check_answer(model, &request, answer);
    }
    abandon(model.complete(&request));
    check_answer(model, &request, model.complete(&request).await);
}

fn abilities_are_constant(model: &dyn LanguageModel) {
    let abilities = model.capabilities();
    assert!(abilities == model.capabilities(), "the abilities of a model are always the same");
    assert!(!abilities.model.is_empty(), "a model has a name, for ledgers");
    let outputs = 1..=abilities.context_tokens;
    assert!(outputs.contains(&abilities.max_output_tokens), "an answer fits into the context");
}

fn tokens_are_counted(model: &dyn LanguageModel) {
    for text in ["word", "Which colour does the sky have?", "{\"a\": [1, 22, 333]}", "Grüße, 世界"] {
        let count = model.count_tokens(text);
        assert!(count > 0, "a text has tokens: {text}");
        assert!(model.count_tokens(text) == count, "a text always has the same number of tokens: {text}");
        assert!(model.count_tokens(&text.repeat(50)) > count, "a longer text has more tokens: {text}");
    }
}

/// A request that any model can answer.
fn question(model: &dyn LanguageModel, text: &str) -> ModelRequest {
    let rules = "You answer questions of children, and you use as few words as you possibly can.";
    ModelRequest {
        messages: vec![Message::new(Role::System, rules), Message::new(Role::User, text)],
        schema: None,
        max_tokens: 500_u64.min(model.capabilities().max_output_tokens),
        seed: None,
    }
}

fn check_answer(
    model: &dyn LanguageModel,
    request: &ModelRequest,
    answer: Result<ModelAnswer, ProviderError>,
) -> ModelAnswer {
    let answer = answer.expect("the model answers a small request");
    assert!(answer.text.len() <= MAX_ANSWER_BYTES, "an answer has at most {MAX_ANSWER_BYTES} bytes");
    if let Some(usage) = answer.usage {
        let max = max_usage(model, request);
        assert!(usage.output_tokens <= max.output_tokens, "an answer has at most `max_tokens` tokens");
        assert!(
            usage.input_tokens <= max.input_tokens,
            "`count_tokens` counts at least the tokens that the provider bills: {} for {}",
            max.input_tokens,
            usage.input_tokens,
        );
    }
    answer
}

/// What every [`WebSearch`] must do. `text` is a query with hits.
///
/// # Panics
/// If the search engine breaks a rule of its contract, or fails.
pub async fn web_search(search: &dyn WebSearch, text: &str) {
    let hits = search.search(&query(text, MAX_SEARCH_HITS)).await.expect("the search engine answers");
    assert!(!hits.is_empty(), "a query with hits has hits");
    for hit in &hits {
        assert!(matches!(hit.url.scheme(), "http" | "https"), "a hit is a page of the web: {}", hit.url);
    }
    let mut localised = query(text, 5);
    localised.language = Some("en".to_owned());
    assert!(search.search(&localised).await.is_ok(), "a query may name a language");

    // They have hits or none, but an answer.
    for text in ["\"tide & tables\" = 100 % + #1?", "Grüße 世界", "qzxv kwjy pfgh vbnm"] {
        let answer = search.search(&query(text, 1)).await;
        assert!(answer.is_ok(), "any text is a query, and no hits are an answer: {text}");
    }

    let one = query(text, 1);
    for answer in all((0..CALLS).map(|_| search.search(&one)).collect()).await {
        assert!(answer.is_ok(), "searches may run at once");
    }
    abandon(search.search(&one));
    assert!(search.search(&one).await.is_ok(), "a dropped search affects no other");
}

fn query(text: &str, limit: usize) -> SearchQuery {
    SearchQuery { text: text.to_owned(), limit, language: None }
}

/// Runs calls at once.
async fn all<T>(mut calls: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let mut outputs = Vec::new();
    poll_fn(|context| {
        calls.retain_mut(|call| match call.as_mut().poll(context) {
            Poll::Ready(output) => {
                outputs.push(output);
                false
            }
            Poll::Pending => true,
        });
        if calls.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outputs
}

/// Begins a call and drops it.
fn abandon<T>(mut call: BoxFuture<'_, T>) {
    let _ = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
}
