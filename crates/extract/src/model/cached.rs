use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use super::record::{Key, key_of};
use super::{Capabilities, Finish, LanguageModel, ModelAnswer, ModelRequest, ProviderError, Usage};

/// Answers kept.
pub const DEFAULT_CACHE_ENTRIES: usize = 1_000;

/// A model whose whole answers are kept, so that the same question is paid for once. The oldest ones are dropped.
///
/// Answers that were cut off or refused are not kept. An answer from the cache used no tokens.
#[derive(Debug)]
pub struct Cached<M> {
    model: M,
    entries: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    answers: HashMap<Key, ModelAnswer>,
    order: VecDeque<Key>,
}

impl<M> Cached<M> {
    /// Keeps at most so many answers.
    pub fn new(model: M, entries: usize) -> Self {
        Self { model, entries, kept: Mutex::default() }
    }
}

#[async_trait]
impl<M: LanguageModel> LanguageModel for Cached<M> {
    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }

    fn count_tokens(&self, text: &str) -> u64 {
        self.model.count_tokens(text)
    }

    async fn complete(&self, request: &ModelRequest) -> Result<ModelAnswer, ProviderError> {
        let key = key_of(&self.model.capabilities().model, request);
        let known = self.kept.lock().unwrap_or_else(PoisonError::into_inner).answers.get(&key).cloned();
        if let Some(answer) = known {
            return Ok(ModelAnswer { usage: Some(Usage::default()), ..answer });
        }
        let answer = self.model.complete(request).await?;
        if answer.finish == Finish::Stop && self.entries > 0 {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            while kept.order.len() >= self.entries {
                if let Some(oldest) = kept.order.pop_front() {
                    kept.answers.remove(&oldest);
                }
            }
            if kept.answers.insert(key, answer.clone()).is_none() {
                kept.order.push_back(key);
            }
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{Scripted, block_on};
    use super::super::{Message, Role};
    use super::*;

    #[test]
    fn the_same_question_is_asked_once_and_the_oldest_is_dropped() {
        let model = Cached::new(Scripted::new((0..4).map(|at| Ok(at.to_string())).collect()), 2);
        let ask = |text: &str| {
            let messages = vec![Message::new(Role::User, text)];
            block_on(model.complete(&ModelRequest { messages, schema: None, max_tokens: 5, seed: None }))
                .unwrap()
        };
        assert_eq!((ask("a").text, ask("a").text, ask("b").text), ("0".into(), "0".into(), "1".into()));
        assert_eq!(ask("a").usage, Some(Usage::default()));
        assert_eq!((ask("c").text, ask("a").text), ("2".into(), "3".into()));
    }
}
