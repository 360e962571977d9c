//! Retries failed calls of a model.

use std::fmt::Debug;
use std::time::Duration;

use gleaner_types::BoxFuture;

use super::{Capabilities, LanguageModel, ModelAnswer, ModelRequest, ProviderError};

/// Attempts per request, including the first.
pub const DEFAULT_ATTEMPTS: u32 = 3;
/// Longest wait before an attempt. If a service asks for a longer wait, there is no further attempt.
pub const MAX_RETRY_WAIT: Duration = Duration::from_secs(60);

/// A timer. This crate has no clock and no runtime, so the embedder provides it.
pub trait Pause: Send + Sync + Debug {
    /// Returns after this time.
    fn pause(&self, wait: Duration) -> BoxFuture<'_, ()>;
}

/// When to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Attempts per request, including the first; at least one is made.
    pub attempts: u32,
    /// Wait before the second attempt; it doubles before each further attempt.
    pub first_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: DEFAULT_ATTEMPTS, first_wait: Duration::from_secs(1) }
    }
}

/// A model whose failed calls are retried if the service was busy, unavailable or late.
///
/// The service's own hint counts if it is longer than the policy's wait. Wrap this around a
/// [`Budgeted`](super::Budgeted) model, so that each attempt is paid for.
#[derive(Debug, Clone)]
pub struct Retrying<M, P> {
    model: M,
    pause: P,
    policy: RetryPolicy,
}

impl<M, P> Retrying<M, P> {
    /// A model that retries the calls of `model` by this policy.
    pub const fn new(model: M, pause: P, policy: RetryPolicy) -> Self {
        Self { model, pause, policy }
    }
}

impl<M: LanguageModel, P: Pause> LanguageModel for Retrying<M, P> {
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
            let mut wait = self.policy.first_wait;
            let mut attempt = 1;
            loop {
                let error = match self.model.complete(request).await {
                    Ok(answer) => return Ok(answer),
                    Err(error) => error,
                };
                let hint = error.retry_after().unwrap_or_default();
                if !error.is_retryable() || attempt >= self.policy.attempts || hint > MAX_RETRY_WAIT {
                    return Err(error);
                }
                self.pause.pause(wait.max(hint).min(MAX_RETRY_WAIT)).await;
                wait = wait.saturating_mul(2);
                attempt += 1;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{ScriptedModel, block_on};
    use super::super::{ProviderErrorKind, Role};
    use super::*;
    use crate::model::Message;
    use std::sync::{Arc, Mutex};

    #[derive(Debug, Default, Clone)]
    struct RecordedWaits(Arc<Mutex<Vec<Duration>>>);

    impl Pause for RecordedWaits {
        fn pause(&self, wait: Duration) -> BoxFuture<'_, ()> {
            Box::pin(async move {
                self.0.lock().unwrap().push(wait);
            })
        }
    }

    fn ask(errors: Vec<ProviderError>) -> (Result<ModelAnswer, ProviderError>, Vec<Duration>) {
        let mut script: Vec<Result<String, ProviderError>> = errors.into_iter().map(Err).collect();
        script.push(Ok("fine".to_owned()));
        let waits = RecordedWaits::default();
        let model = Retrying::new(ScriptedModel::new(script), waits.clone(), RetryPolicy::default());
        let request = ModelRequest {
            messages: vec![Message::new(Role::User, "x")],
            schema: None,
            max_tokens: 9,
            seed: None,
        };
        let answer = block_on(model.complete(&request));
        let waits = waits.0.lock().unwrap().clone();
        (answer, waits)
    }

    #[test]
    fn retryable_errors_are_retried_and_the_hint_counts() {
        let busy = || ProviderError::new(ProviderErrorKind::RateLimited, "");
        let hinted = busy().with_retry_after(Duration::from_secs(7));
        let (answer, waits) = ask(vec![hinted, busy()]);
        assert_eq!(answer.unwrap().text, "fine");
        assert_eq!(waits, [Duration::from_secs(7), Duration::from_secs(2)]);
        let (answer, waits) = ask(vec![busy(), busy(), busy()]);
        assert!(answer.is_err() && waits.len() == 2);
        let (answer, waits) = ask(vec![busy().with_retry_after(Duration::from_secs(86_400))]);
        assert!(answer.is_err() && waits.is_empty());
        let (answer, waits) = ask(vec![ProviderError::new(ProviderErrorKind::Unauthorized, "")]);
        assert!(answer.is_err() && waits.is_empty());
    }
}
