//! Models for tests, of this crate and of programs that embed the engine. They call no provider.
//!
//! [`ScriptedModel`] answers from a list or by a function of the request.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use gleaner_types::BoxFuture;

use super::{
    Capabilities, Finish, LanguageModel, ModelAnswer, ModelRequest, ProviderError, ProviderErrorKind, Usage,
    estimate_tokens,
};
use crate::schema::Dialect;

/// How a [`ScriptedModel`] model answers a request.
type Behaviour = dyn Fn(&ModelRequest) -> Result<String, ProviderError> + Send + Sync;

/// A model that answers from a list or by a function.
#[derive(Clone)]
pub struct ScriptedModel {
    answers: Arc<Mutex<VecDeque<Result<String, ProviderError>>>>,
    behaviour: Option<Arc<Behaviour>>,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl std::fmt::Debug for ScriptedModel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Scripted").field("calls", &self.calls()).finish_non_exhaustive()
    }
}

impl ScriptedModel {
    /// A model that gives these answers in order, then fails as unavailable.
    #[must_use]
    pub fn new(answers: Vec<Result<String, ProviderError>>) -> Self {
        Self { answers: Arc::new(Mutex::new(answers.into())), behaviour: None, asked: Arc::default() }
    }

    /// A model that answers by a function of the request.
    #[must_use]
    pub fn with(
        behaviour: impl Fn(&ModelRequest) -> Result<String, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        Self { answers: Arc::default(), behaviour: Some(Arc::new(behaviour)), asked: Arc::default() }
    }

    /// Number of requests so far.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The requests so far, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl LanguageModel for ScriptedModel {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            schema: Some(Dialect::Strict),
            seed: true,
            max_output_tokens: 8_192,
            ..Capabilities::new("scripted", 128_000)
        }
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
        Box::pin(async move {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
            let text = match &self.behaviour {
                Some(behaviour) => behaviour(request)?,
                None => {
                    let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    next.unwrap_or_else(|| {
                        Err(ProviderError::new(ProviderErrorKind::Unavailable, "the script is over"))
                    })?
                }
            };
            let input = request.messages.iter().map(|message| estimate_tokens(&message.content)).sum();
            let output = estimate_tokens(&text);
            // A model stops at `max_tokens`.
            let (text, finish, output) = if output > request.max_tokens {
                let bytes = usize::try_from(request.max_tokens.saturating_mul(3)).unwrap_or(usize::MAX);
                (crate::page::truncate(&text, bytes).to_owned(), Finish::Length, request.max_tokens)
            } else {
                (text, Finish::Stop, output)
            };
            Ok(ModelAnswer {
                text,
                finish,
                usage: Some(Usage { input_tokens: input, output_tokens: output }),
            })
        })
    }
}

/// Runs a future that waits for no external event: scripted models need no runtime.
///
/// It spins while the future is pending, so use it in tests only.
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Idle;
    impl Wake for Idle {
        fn wake(self: Arc<Self>) {}
    }
    let waker = Waker::from(Arc::new(Idle));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
