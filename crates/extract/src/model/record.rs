//! Records the calls of a model, and replays them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use gleaner_types::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Capabilities, LanguageModel, ModelAnswer, ModelRequest, ProviderError, ProviderErrorKind};

/// Upper bound on the calls of a transcript; later calls are made but not recorded.
pub const MAX_EXCHANGES: usize = 100_000;

/// A call with its answer or its error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Exchange {
    /// The request.
    pub request: ModelRequest,
    /// The answer; `None` if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ModelAnswer>,
    /// Why the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ProviderError>,
}

/// The recorded calls of a run. It contains page text and answers, but no keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Transcript {
    /// The capabilities of the model.
    pub capabilities: Capabilities,
    /// The calls, in the order in which they ended.
    pub exchanges: Vec<Exchange>,
}

/// Identifies a request: the SHA-256 of the model's name and every field. Requests hold whole pages, so a
/// replay stores the digest instead.
type RequestDigest = [u8; 32];

/// The digest of a request. Equal requests have equal digests, as `serde_json::Value` keeps object keys in
/// order.
fn digest_of(model: &str, request: &ModelRequest) -> RequestDigest {
    let value = serde_json::to_value(request).unwrap_or(Value::Null);
    Sha256::digest(format!("{model}\n{value}")).into()
}

/// A model whose calls are recorded.
#[derive(Debug)]
pub struct Recorder<M> {
    model: M,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
}

impl<M: LanguageModel> Recorder<M> {
    /// Records the calls of `model`.
    pub fn new(model: M) -> Self {
        Self { model, exchanges: Arc::default() }
    }

    /// The calls recorded so far.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        let exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Transcript { capabilities: self.model.capabilities(), exchanges }
    }
}

impl<M: LanguageModel> LanguageModel for Recorder<M> {
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
            let outcome = self.model.complete(request).await;
            let mut exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
            if exchanges.len() < MAX_EXCHANGES {
                let (answer, error) = match &outcome {
                    Ok(answer) => (Some(answer.clone()), None),
                    Err(error) => (None, Some(error.clone())),
                };
                exchanges.push(Exchange { request: request.clone(), answer, error });
            }
            outcome
        })
    }
}

/// A model that answers from a transcript and calls no provider: the same requests get the same answers, in
/// the same order.
#[derive(Debug)]
pub struct Replay {
    capabilities: Capabilities,
    answers: Mutex<BTreeMap<RequestDigest, VecDeque<Result<ModelAnswer, ProviderError>>>>,
}

impl Replay {
    /// A model that answers from this transcript.
    #[must_use]
    pub fn new(transcript: Transcript) -> Self {
        let mut answers: BTreeMap<RequestDigest, VecDeque<_>> = BTreeMap::new();
        for exchange in transcript.exchanges {
            let outcome = match (exchange.answer, exchange.error) {
                (Some(answer), _) => Ok(answer),
                (None, Some(error)) => Err(error),
                (None, None) => Err(ProviderError::new(ProviderErrorKind::BadAnswer, "an empty recording")),
            };
            answers
                .entry(digest_of(&transcript.capabilities.model, &exchange.request))
                .or_default()
                .push_back(outcome);
        }
        Self { capabilities: transcript.capabilities, answers: Mutex::new(answers) }
    }
}

impl LanguageModel for Replay {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
        Box::pin(async move {
            let digest = digest_of(&self.capabilities.model, request);
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            let next = answers.get_mut(&digest).and_then(VecDeque::pop_front);
            next.unwrap_or_else(|| Err(ProviderError::new(ProviderErrorKind::NotRecorded, "")))
        })
    }
}
