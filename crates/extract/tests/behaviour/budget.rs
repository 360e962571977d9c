//! Budgets under failures, and replays.

use std::sync::Arc;

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::model::{
    Budgeted, Capabilities, LanguageModel, ModelAnswer, ModelRequest, ProviderError, ProviderErrorKind,
    Recorder, Replay, Transcript,
};
use gleaner_extract::{Budget, Extractor, Ledger, Task};
use gleaner_types::BoxFuture;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{page, shape};

const TEXT: &str = "The tower is 324 metres high. Its architect was Stephen Sauvestre.\n";

fn schema() -> serde_json::Value {
    json!({
        "properties": {
            "heightMetres": { "type": ["number", "null"] }, "architect": { "type": ["string", "null"] },
        },
    })
}

fn answer() -> String {
    json!({
        "heightMetres": { "value": 324, "quote": "324 metres high" },
        "architect": { "value": "Gustave", "quote": "Its architect was" },
    })
    .to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn no_sequence_of_failures_exceeds_the_budget(
        tokens in 0_u64..60_000,
        faults in prop::collection::vec(0_u8..5, 1..12),
    ) {
        let script = faults.iter().map(|fault| match fault {
            0 => Err(ProviderError::new(ProviderErrorKind::Unavailable, "")),
            1 => Err(ProviderError::new(ProviderErrorKind::Timeout, "")),
            2 => Ok("{\"heightMetres\":".to_owned()),
            3 => Ok("x".repeat(100_000)),
            _ => Ok(answer()),
        }).collect();
        let ledger = Ledger::new(Budget::default().tokens(tokens));
        let model = Arc::new(Budgeted::new(ScriptedModel::new(script), ledger.clone()));
        let shape = shape(schema());
        for _ in 0..faults.len() {
            let found = block_on(Extractor::new(model.clone()).page(&page(TEXT), Task::new(&shape)));
            // There is always a result in the schema's shape.
            prop_assert!(found.extraction.data.get("architect").is_some());
            prop_assert!(ledger.spent().tokens <= tokens);
        }
    }
}

#[test]
fn a_call_beyond_the_budget_is_not_made_and_the_result_says_so() {
    let model = ScriptedModel::with(|_| Ok(answer()));
    let ledger = Ledger::new(Budget::default().tokens(10));
    let shape = shape(schema());
    let budgeted = Budgeted::new(model.clone(), ledger.clone());
    let found = block_on(Extractor::new(Arc::new(budgeted)).page(&page(TEXT), Task::new(&shape)));
    assert_eq!((model.calls(), ledger.spent().tokens), (0, 0));
    assert!(
        found.warning().is_some_and(|text| text.contains("the token budget does not allow another call"))
    );
}

#[test]
fn a_replay_is_byte_identical() {
    let shape = shape(schema());
    let recorder = Arc::new(Recorder::new(ScriptedModel::with(|_| Ok(answer()))));
    let run = |extractor: Extractor| {
        let found = block_on(extractor.page(&page(TEXT), Task::new(&shape)));
        (serde_json::to_string(&found.extraction).expect("an extraction is JSON"), found.calls)
    };
    let live = run(Extractor::new(recorder.clone()).with_seed(7));
    assert!(live.0.contains("324") && !live.0.contains("Gustave"));
    assert_eq!(live.1, 2, "a refused claim is asked for once more");
    let written = serde_json::to_string(&recorder.transcript()).expect("a transcript is JSON");
    let transcript: Transcript = serde_json::from_str(&written).expect("a transcript can be read back");
    assert_eq!(run(Extractor::new(Arc::new(Replay::new(transcript.clone()))).with_seed(7)), live);
    let other = run(Extractor::new(Arc::new(Replay::new(transcript))).with_seed(8));
    assert!(!other.0.contains("324"), "another question has no recorded answer");
}

#[test]
fn a_long_page_is_read_as_far_as_the_budget_goes() {
    /// A model whose context holds the whole page.
    #[derive(Debug, Clone)]
    struct Hosted(ScriptedModel);

    impl LanguageModel for Hosted {
        fn capabilities(&self) -> Capabilities {
            Capabilities::new("hosted", 200_000).max_output_tokens(8_192)
        }

        fn complete<'a>(
            &'a self,
            request: &'a ModelRequest,
        ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
            self.0.complete(request)
        }
    }

    let page = page(format!("{TEXT}{}", "A line about nothing much, as there are many.\n".repeat(6_000)));
    let ledger = Ledger::new(Budget::default().tokens(50_000));
    let model = Budgeted::new(Hosted(ScriptedModel::with(|_| Ok(answer()))), ledger.clone());
    let shape = shape(schema());
    let found = block_on(Extractor::new(Arc::new(model)).page(&page, Task::new(&shape)));
    assert_eq!(found.extraction.data["heightMetres"], 324);
    assert!(ledger.spent().tokens <= 50_000);
    assert!(
        found.warning().is_some_and(|text| text.contains("the token budget does not allow another call"))
    );
}
