//! Models, their wrappers and search engines keep the rules of their ports, and the suites notice who does
//! not.

use std::time::Duration;

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::model::{
    BoxFuture, Budgeted, Capabilities, Finish, LanguageModel, ModelAnswer, ModelRequest, Pause,
    ProviderError, Recorder, RetryPolicy, Retrying, SearchHit, SearchQuery, WebSearch, conformance,
};
use gleaner_extract::{Budget, Ledger};

fn blue() -> ScriptedModel {
    ScriptedModel::with(|_| Ok(r#"{ "colour": "blue" }"#.to_owned()))
}

#[derive(Debug)]
struct NoPause;

impl Pause for NoPause {
    fn pause(&self, _: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

#[test]
fn models_and_their_wrappers_keep_the_rules_of_every_model() {
    block_on(conformance::language_model(&blue()));
    block_on(conformance::language_model(&Budgeted::new(blue(), Ledger::new(Budget::default()))));
    block_on(conformance::language_model(&Recorder::new(blue())));
    block_on(conformance::language_model(&Retrying::new(blue(), NoPause, RetryPolicy::default())));
}

/// A model that reads no `max_tokens`.
#[derive(Debug)]
struct Talkative;

impl LanguageModel for Talkative {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("talkative", 8_000)
    }

    fn complete<'a>(&'a self, _: &'a ModelRequest) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
        let text = "and so on ".repeat(1_000);
        Box::pin(async move { Ok(ModelAnswer::new(text, Finish::Stop, None)) })
    }
}

#[test]
#[should_panic(expected = "the provider gets `max_tokens`")]
fn a_model_that_reads_no_max_tokens_is_found() {
    block_on(conformance::language_model(&Talkative));
}

/// Finds pages of this scheme for any text with this word.
#[derive(Debug)]
struct Finds(&'static str, &'static str);

impl WebSearch for Finds {
    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<SearchHit>, ProviderError>> {
        Box::pin(async move {
            let urls = (0..query.limit).map(|page| format!("{}://a.example/{page}", self.0));
            let hit = |url: String| SearchHit::new(url.parse().unwrap(), "", "");
            Ok(if query.text.contains(self.1) { urls.map(hit).collect() } else { Vec::new() })
        })
    }
}

#[test]
fn a_search_engine_keeps_the_rules_of_every_search_engine() {
    block_on(conformance::web_search(&Finds("https", "tide"), "tide tables"));
}

#[test]
#[should_panic(expected = "a hit is a page of the web")]
fn a_search_engine_with_other_hits_is_found() {
    block_on(conformance::web_search(&Finds("ftp", "tide"), "tide tables"));
}
