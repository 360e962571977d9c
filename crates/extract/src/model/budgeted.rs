use async_trait::async_trait;

use super::{
    Capabilities, LanguageModel, ModelAnswer, ModelRequest, ProviderError, ProviderErrorKind, Usage,
};
use crate::budget::Ledger;

/// Tokens that a provider adds to each message: roles and separators.
const TOKENS_PER_MESSAGE: u64 = 8;

/// A model whose calls are paid from a [`Ledger`]: the most a call may cost is reserved before it is made, and what it did
/// cost is settled after. A call that does not fit is not made.
///
/// A call that failed or whose use is unknown counts in full, as the provider may bill it.
#[derive(Debug, Clone)]
pub struct Budgeted<M> {
    model: M,
    ledger: Ledger,
}

impl<M: LanguageModel> Budgeted<M> {
    /// Pays the calls of `model` from `ledger`.
    pub const fn new(model: M, ledger: Ledger) -> Self {
        Self { model, ledger }
    }
}

/// The most that a request may use.
pub(crate) fn most(model: &dyn LanguageModel, request: &ModelRequest) -> Usage {
    let schema = request.schema.as_ref().map_or(0, |schema| model.count_tokens(&schema.to_string()));
    let messages = request
        .messages
        .iter()
        .map(|message| model.count_tokens(&message.content).saturating_add(TOKENS_PER_MESSAGE));
    Usage { input_tokens: messages.fold(schema, u64::saturating_add), output_tokens: request.max_tokens }
}

#[async_trait]
impl<M: LanguageModel> LanguageModel for Budgeted<M> {
    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }

    fn count_tokens(&self, text: &str) -> u64 {
        self.model.count_tokens(text)
    }

    async fn complete(&self, request: &ModelRequest) -> Result<ModelAnswer, ProviderError> {
        let most = most(&self.model, request);
        let price = self.model.capabilities().price;
        let reserved = self
            .ledger
            .reserve_call(most, price)
            .map_err(|stop| ProviderError::new(ProviderErrorKind::OverBudget, stop.to_string()))?;
        // A dropped future leaves the reservation in place: the provider may still bill the call.
        let outcome = self.model.complete(request).await;
        match &outcome {
            Ok(answer) => reserved.settle(answer.usage),
            Err(_) => reserved.settle(None),
        }
        outcome
    }
}
