//! Pays for the calls of a model from a budget.

use gleaner_types::BoxFuture;

use super::{
    Capabilities, LanguageModel, ModelAnswer, ModelRequest, ProviderError, ProviderErrorKind, Usage,
};
use crate::budget::Ledger;

/// Tokens that a provider adds to each message, for its role and separators.
const TOKENS_PER_MESSAGE: u64 = 8;

/// A model whose calls are paid from a [`Ledger`]. The highest possible cost of a call is reserved before the
/// call, and the actual cost is settled after it. A call that does not fit the budget is not made.
///
/// A call that the provider rejected (rate limit, wrong key, bad request) costs no tokens. A call that failed
/// otherwise, or whose usage is unknown, counts in full, as the provider may bill it.
#[derive(Debug, Clone)]
pub struct Budgeted<M> {
    model: M,
    ledger: Ledger,
}

impl<M: LanguageModel> Budgeted<M> {
    /// A model whose calls are paid from `ledger`.
    pub const fn new(model: M, ledger: Ledger) -> Self {
        Self { model, ledger }
    }
}

/// Upper bound on the usage of a request.
pub(super) fn max_usage(model: &dyn LanguageModel, request: &ModelRequest) -> Usage {
    let schema = request.schema.as_ref().map_or(0, |schema| {
        model.count_tokens(&schema.to_string()).saturating_add(model.capabilities().overhead_tokens)
    });
    let messages = request
        .messages
        .iter()
        .map(|message| model.count_tokens(&message.content).saturating_add(TOKENS_PER_MESSAGE));
    Usage { input_tokens: messages.fold(schema, u64::saturating_add), output_tokens: request.max_tokens }
}

impl<M: LanguageModel> LanguageModel for Budgeted<M> {
    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }

    fn count_tokens(&self, text: &str) -> u64 {
        self.model.count_tokens(text)
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
        Box::pin(async move {
            let max = max_usage(&self.model, request);
            let price = self.model.capabilities().price;
            let reservation = self
                .ledger
                .reserve_call(max, price)
                .map_err(|stop| ProviderError::new(ProviderErrorKind::OverBudget, stop.to_string()))?;
            // A dropped future leaves the reservation in place: the provider may still bill the call.
            let outcome = self.model.complete(request).await;
            match &outcome {
                Ok(answer) => reservation.settle(answer.usage),
                Err(error) => match error.kind() {
                    // A nested budget refused the call, or a replay does not know it: there was no call.
                    ProviderErrorKind::OverBudget | ProviderErrorKind::NotRecorded => reservation.release(),
                    // Rejected before the model read anything: a call without tokens.
                    ProviderErrorKind::RateLimited
                    | ProviderErrorKind::Unauthorized
                    | ProviderErrorKind::BadRequest
                    | ProviderErrorKind::TooLong => reservation.settle(Some(Usage::default())),
                    ProviderErrorKind::Unavailable
                    | ProviderErrorKind::Timeout
                    | ProviderErrorKind::BadAnswer => reservation.settle(None),
                },
            }
            outcome
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{ScriptedModel, block_on};
    use super::super::{Message, Role};
    use super::*;
    use crate::budget::Budget;
    use serde_json::json;

    /// A model whose provider adds its own rules to a request with a schema.
    #[derive(Debug, Clone)]
    struct VerboseProvider(ScriptedModel);

    impl LanguageModel for VerboseProvider {
        fn capabilities(&self) -> Capabilities {
            Capabilities { overhead_tokens: 900, ..self.0.capabilities() }
        }

        fn complete<'a>(
            &'a self,
            request: &'a ModelRequest,
        ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
            self.0.complete(request)
        }
    }

    fn request(schema: bool) -> ModelRequest {
        let messages = vec![Message::new(Role::User, "x")];
        ModelRequest { messages, schema: schema.then(|| json!({})), max_tokens: 10, seed: None }
    }

    #[test]
    fn the_overhead_of_the_provider_is_reserved_for_a_request_with_a_schema() {
        let rows = [(true, 900, false), (true, 1_000, true), (false, 100, true)];
        for (schema, tokens, fits) in rows {
            let ledger = Ledger::new(Budget { tokens: Some(tokens), ..Budget::default() });
            let model = Budgeted::new(VerboseProvider(ScriptedModel::with(|_| Ok("{}".to_owned()))), ledger);
            let outcome = block_on(model.complete(&request(schema)));
            assert_eq!(outcome.is_ok(), fits, "{schema} {tokens}");
        }
    }

    #[test]
    fn rejected_calls_cost_no_tokens() {
        let rows = [
            (ProviderErrorKind::RateLimited, 1, false),
            (ProviderErrorKind::Unauthorized, 1, false),
            (ProviderErrorKind::BadRequest, 1, false),
            (ProviderErrorKind::TooLong, 1, false),
            (ProviderErrorKind::NotRecorded, 0, false),
            (ProviderErrorKind::Timeout, 1, true),
            (ProviderErrorKind::Unavailable, 1, true),
            (ProviderErrorKind::BadAnswer, 1, true),
        ];
        for (kind, calls, charged) in rows {
            let ledger = Ledger::new(Budget { tokens: Some(500), ..Budget::default() });
            let scripted = ScriptedModel::with(move |_| Err(ProviderError::new(kind, "")));
            let model = Budgeted::new(scripted, ledger.clone());
            let reserved = max_usage(&model, &request(false)).total();
            assert_eq!(block_on(model.complete(&request(false))).unwrap_err().kind(), kind);
            let spent = ledger.spent();
            assert_eq!((spent.calls, spent.tokens), (calls, if charged { reserved } else { 0 }), "{kind:?}");
        }
        // So a budget survives a service that is busy for a while.
        let ledger = Ledger::new(Budget { tokens: Some(100), ..Budget::default() });
        let busy = (0..50).map(|_| Err(ProviderError::new(ProviderErrorKind::RateLimited, "")));
        let model = Budgeted::new(ScriptedModel::new(busy.chain([Ok("{}".to_owned())]).collect()), ledger);
        let answered = (0..51).filter(|_| block_on(model.complete(&request(false))).is_ok()).count();
        assert_eq!(answered, 1);
    }

    #[test]
    fn nested_budgets_both_hold_and_neither_pays_for_the_other() {
        let ledger = |tokens| Ledger::new(Budget { tokens: Some(tokens), ..Budget::default() });
        for (outer, inner) in [(500, 5), (5, 500)] {
            let (outer, inner) = (ledger(outer), ledger(inner));
            let scripted = ScriptedModel::with(|_| Ok("{}".to_owned()));
            let model = Budgeted::new(Budgeted::new(scripted.clone(), inner.clone()), outer.clone());
            let error = block_on(model.complete(&request(false))).unwrap_err();
            assert!(error.is_over_budget());
            assert_eq!((outer.spent().tokens, inner.spent().tokens, scripted.calls()), (0, 0, 0));
        }
    }
}
