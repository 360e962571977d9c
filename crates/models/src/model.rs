use std::time::Duration;

use async_trait::async_trait;
use gleaner_extract::model::{
    Capabilities, Finish, LanguageModel, MAX_ANSWER_BYTES, ModelAnswer, ModelRequest, ProviderError,
    TokenPrice,
};
use gleaner_fetch::FetcherBuilder;
use url::Url;

use crate::endpoint::{Endpoint, EndpointConfig, Reply};
use crate::key::ApiKey;
use crate::provider::{MaxTokensField, Provider, Settings};
use crate::{Error, ErrorKind};

/// Tokens of request and answer together where nothing else is said: what the smaller of today's models hold.
pub const DEFAULT_CONTEXT_TOKENS: u64 = 32_768;
/// Most tokens of an answer where nothing else is said.
pub const DEFAULT_MAX_OUTPUT_TOKENS: u64 = 4_096;
/// Most bytes of a model's name.
const MAX_NAME_BYTES: usize = 256;

/// A language model of a provider, over HTTP.
///
/// Everything about it is the embedder's: no request and no page can change where it is, what it is called, or its key.
/// Redirects are not followed, and calls are not repeated. `Debug` shows no key.
#[derive(Debug, Clone)]
pub struct HttpModel {
    provider: Provider,
    settings: Settings,
    endpoint: Endpoint,
}

impl HttpModel {
    /// Begins to configure the model of this name.
    pub fn builder(provider: Provider, model: impl Into<String>) -> HttpModelBuilder {
        let capabilities = Capabilities {
            max_output_tokens: DEFAULT_MAX_OUTPUT_TOKENS,
            schema: Some(provider.dialect()),
            seed: provider.takes_seed(),
            overhead_tokens: provider.overhead_tokens(),
            ..Capabilities::new(model, DEFAULT_CONTEXT_TOKENS)
        };
        HttpModelBuilder {
            provider,
            settings: Settings {
                capabilities,
                temperature: Some(0.0),
                max_tokens_field: MaxTokensField::default(),
            },
            base: None,
            key: None,
            timeout: None,
            transport: None,
        }
    }
}

#[async_trait]
impl LanguageModel for HttpModel {
    fn capabilities(&self) -> Capabilities {
        self.settings.capabilities.clone()
    }

    async fn complete(&self, request: &ModelRequest) -> Result<ModelAnswer, ProviderError> {
        let call = self.provider.call(&self.settings, request);
        let path: Vec<&str> = call.path.iter().map(String::as_str).collect();
        let reply = self.endpoint.post(&path, call.key_header, call.headers, &call.body).await;
        let outcome = match reply {
            Ok(Reply::Body(response)) => self.provider.answer(&response.body).map(within_bounds).map(counted),
            // As much as may be read was read, and it is no whole reply: an answer that was cut off before its first word.
            Ok(Reply::Endless) => {
                Ok(ModelAnswer { text: String::new(), finish: Finish::Length, usage: None })
            }
            Err(error) => Err(error),
        };
        let model = self.settings.capabilities.model.as_str();
        match &outcome {
            Ok(answer) => {
                tracing::debug!(model, finish = ?answer.finish, usage = ?answer.usage, "a model answered");
            }
            Err(error) => tracing::debug!(model, %error, "a model gave no answer"),
        }
        outcome
    }
}

/// Cuts an answer at [`MAX_ANSWER_BYTES`].
fn within_bounds(mut answer: ModelAnswer) -> ModelAnswer {
    if answer.text.len() > MAX_ANSWER_BYTES {
        let end = (0..=MAX_ANSWER_BYTES).rev().find(|end| answer.text.is_char_boundary(*end)).unwrap_or(0);
        answer.text.truncate(end);
        answer.finish = Finish::Length;
    }
    answer
}

/// Below this many bytes an answer may have no whole token.
const TOKEN_BYTES: usize = 16;

/// Takes counts that cannot be for none, so that budgets count what was reserved: every request has tokens, and so has
/// every answer of more than a few bytes. Servers that count nothing send zeros.
fn counted(mut answer: ModelAnswer) -> ModelAnswer {
    let may_be_none = answer.text.len() < TOKEN_BYTES;
    answer.usage =
        answer.usage.filter(|usage| usage.input_tokens > 0 && (usage.output_tokens > 0 || may_be_none));
    answer
}

/// Configures an [`HttpModel`].
#[derive(Debug, Clone)]
#[must_use]
pub struct HttpModelBuilder {
    provider: Provider,
    settings: Settings,
    base: Option<Url>,
    key: Option<ApiKey>,
    timeout: Option<Duration>,
    transport: Option<FetcherBuilder>,
}

impl HttpModelBuilder {
    /// Where the service is, up to what the dialect's own paths are put behind, such as `http://127.0.0.1:8080/v1`. By
    /// default [`Provider::default_base_url`]. Its host is opened for this model's calls, also where it is a private one.
    pub fn base_url(mut self, base: Url) -> Self {
        self.base = Some(base);
        self
    }

    /// The service's key; by default none is sent. Over plain `http` it can be read on the way.
    pub fn key(mut self, key: ApiKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Tokens of request and answer together; [`DEFAULT_CONTEXT_TOKENS`] by default.
    pub fn context_tokens(mut self, tokens: u64) -> Self {
        self.settings.capabilities.context_tokens = tokens;
        self
    }

    /// Most tokens of an answer; [`DEFAULT_MAX_OUTPUT_TOKENS`] by default.
    pub fn max_output_tokens(mut self, tokens: u64) -> Self {
        self.settings.capabilities.max_output_tokens = tokens;
        self
    }

    /// Tokens that the provider adds to a request with a schema beyond what is sent, which budgets reserve too. By default
    /// 1,000 for [`Provider::Anthropic`], whose prompt for tools takes less, and none for the others.
    pub fn overhead_tokens(mut self, tokens: u64) -> Self {
        self.settings.capabilities.overhead_tokens = tokens;
        self
    }

    /// What the model costs; nothing by default, so that a budget of money does not bind it.
    pub fn price(mut self, price: TokenPrice) -> Self {
        self.settings.capabilities.price = price;
        self
    }

    /// For models without structured output: the schema is asked for in words alone.
    pub fn without_schema(mut self) -> Self {
        self.settings.capabilities.schema = None;
        self
    }

    /// For models that refuse a seed.
    pub fn without_seed(mut self) -> Self {
        self.settings.capabilities.seed = false;
        self
    }

    /// For models that refuse a temperature, as those that reason do. By default it is 0.
    pub fn without_temperature(mut self) -> Self {
        self.settings.temperature = None;
        self
    }

    /// The field that bounds an answer, for [`Provider::OpenAi`].
    pub fn max_tokens_field(mut self, field: MaxTokensField) -> Self {
        self.settings.max_tokens_field = field;
        self
    }

    /// The total time of a call; [`DEFAULT_CALL_TIMEOUT`](crate::DEFAULT_CALL_TIMEOUT) by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How calls leave: proxies, root certificates, resolver. Its egress policy is replaced by one that opens the public
    /// Internet and the base URL's host.
    pub fn transport(mut self, transport: FetcherBuilder) -> Self {
        self.transport = Some(transport);
        self
    }

    /// The model.
    ///
    /// # Errors
    /// [`ErrorKind::BaseUrl`], [`ErrorKind::Model`] or [`ErrorKind::Transport`], where something cannot be used.
    pub fn build(self) -> Result<HttpModel, Error> {
        let capabilities = &self.settings.capabilities;
        let name = capabilities.model.as_str();
        if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
            let detail = format!("a model's name is 1 to {MAX_NAME_BYTES} bytes without control characters");
            return Err(Error::new(ErrorKind::Model, detail));
        }
        let room = 1..capabilities.context_tokens;
        if !room.contains(&capabilities.max_output_tokens) {
            let detail =
                "a model's answer has at least one token and leaves room in the context for a request";
            return Err(Error::new(ErrorKind::Model, detail));
        }
        let base = match self.base {
            Some(base) => base,
            None => Url::parse(self.provider.default_base_url())
                .map_err(|error| Error::new(ErrorKind::BaseUrl, error.to_string()))?,
        };
        let mut parts = EndpointConfig::new(base);
        parts.key = self.key;
        parts.timeout = self.timeout.unwrap_or(parts.timeout);
        parts.transport = self.transport.unwrap_or(parts.transport);
        Ok(HttpModel { provider: self.provider, settings: self.settings, endpoint: parts.open()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes_that_cannot_be_are_told_at_once() {
        let model = |name: &str| HttpModel::builder(Provider::Ollama, name);
        for bad in ["", "a\nb", &"m".repeat(300)] {
            assert_eq!(model(bad).build().unwrap_err().kind(), ErrorKind::Model, "{bad:?}");
        }
        for (context, output) in [(0, 0), (100, 0), (100, 100)] {
            let built = model("m").context_tokens(context).max_output_tokens(output).build();
            assert_eq!(built.unwrap_err().kind(), ErrorKind::Model, "{context} {output}");
        }
    }

    #[test]
    fn every_provider_has_a_base_that_works() {
        for provider in [Provider::OpenAi, Provider::Anthropic, Provider::Gemini, Provider::Ollama] {
            assert!(HttpModel::builder(provider, "m").build().is_ok(), "{provider:?}");
        }
    }

    #[test]
    fn answers_are_cut_between_characters() {
        let text = format!("a{}", "ä".repeat(MAX_ANSWER_BYTES));
        let cut = within_bounds(ModelAnswer { text, finish: Finish::Stop, usage: None });
        assert_eq!((cut.text.len(), cut.finish), (MAX_ANSWER_BYTES - 1, Finish::Length));
    }
}
