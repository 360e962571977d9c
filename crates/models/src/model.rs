//! A language model over HTTP, and its builder.

use std::time::Duration;

use gleaner_extract::model::{
    BoxFuture, Capabilities, Finish, LanguageModel, MAX_ANSWER_BYTES, ModelAnswer, ModelRequest,
    ProviderError, TokenPrice,
};
use gleaner_fetch::FetcherBuilder;
use url::Url;

use crate::endpoint::{Endpoint, EndpointConfig, Reply};
use crate::key::ApiKey;
use crate::provider::{MaxTokensField, Provider, Settings};
use crate::{ModelsError, ModelsErrorKind};

/// Default tokens of request and answer together: the context of the smaller current models.
pub const DEFAULT_CONTEXT_TOKENS: u64 = 32_768;
/// Default most tokens of an answer.
pub const DEFAULT_MAX_OUTPUT_TOKENS: u64 = 4_096;
/// Most bytes of a model's name.
const MAX_NAME_BYTES: usize = 256;

/// A language model of a provider, over HTTP.
///
/// Only the embedder configures it: no request and no page can change its URL, its name or its key. Redirects
/// are not followed, and calls are not repeated. `Debug` shows no key.
#[derive(Debug, Clone)]
pub struct HttpModel {
    provider: Provider,
    settings: Settings,
    endpoint: Endpoint,
}

impl HttpModel {
    /// A builder for the model of this name.
    pub fn builder(provider: Provider, model: impl Into<String>) -> HttpModelBuilder {
        let capabilities = Capabilities::new(model, DEFAULT_CONTEXT_TOKENS)
            .max_output_tokens(DEFAULT_MAX_OUTPUT_TOKENS)
            .schema(provider.dialect())
            .seed(provider.supports_seed())
            .overhead_tokens(provider.overhead_tokens());
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

impl LanguageModel for HttpModel {
    fn capabilities(&self) -> Capabilities {
        self.settings.capabilities.clone()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
        Box::pin(async move {
            let call = self.provider.call(&self.settings, request);
            let path: Vec<&str> = call.path.iter().map(String::as_str).collect();
            let reply = self.endpoint.post(&path, call.key_header, call.headers, &call.body).await;
            let outcome = match reply {
                Ok(Reply::Body(response)) => {
                    self.provider.answer(&response.body).map(truncated).map(without_impossible_usage)
                }
                // A reply that is too large counts as an answer that was cut off before its first word.
                Ok(Reply::TooLarge) => Ok(ModelAnswer::new(String::new(), Finish::Length, None)),
                Err(error) => Err(error),
            };
            let model = self.settings.capabilities.model.as_str();
            match &outcome {
                Ok(answer) => {
                    let (finish, usage) = (answer.finish, answer.usage);
                    tracing::debug!(model, ?finish, ?usage, "a model answered");
                }
                Err(error) => tracing::debug!(model, %error, "a model gave no answer"),
            }
            outcome
        })
    }
}

/// The answer, cut at [`MAX_ANSWER_BYTES`].
fn truncated(mut answer: ModelAnswer) -> ModelAnswer {
    if answer.text.len() > MAX_ANSWER_BYTES {
        let end = (0..=MAX_ANSWER_BYTES).rev().find(|end| answer.text.is_char_boundary(*end)).unwrap_or(0);
        answer.text.truncate(end);
        answer.finish = Finish::Length;
    }
    answer
}

/// An answer below this many bytes may have no whole token.
const TOKEN_BYTES: usize = 16;

/// The answer without token counts that cannot be right, so that budgets count what was reserved. Every
/// request has tokens, and so has every answer of more than a few bytes. Servers that do not count send
/// zeros.
fn without_impossible_usage(mut answer: ModelAnswer) -> ModelAnswer {
    let may_be_zero = answer.text.len() < TOKEN_BYTES;
    answer.usage =
        answer.usage.filter(|usage| usage.input_tokens > 0 && (usage.output_tokens > 0 || may_be_zero));
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
    /// Sets the URL of the service, to which the dialect's own paths are appended, such as
    /// `http://127.0.0.1:8080/v1`. Default: [`Provider::default_base_url`]. This allows its host for the
    /// calls of this model, even a private one.
    pub fn base_url(mut self, base: Url) -> Self {
        self.base = Some(base);
        self
    }

    /// Sets the key of the service. Default: none. Over plain `http` others can read it in transit.
    pub fn key(mut self, key: ApiKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Sets the tokens of request and answer together. Default: [`DEFAULT_CONTEXT_TOKENS`].
    pub fn context_tokens(mut self, tokens: u64) -> Self {
        self.settings.capabilities.context_tokens = tokens;
        self
    }

    /// Sets the most tokens of an answer. Default: [`DEFAULT_MAX_OUTPUT_TOKENS`].
    pub fn max_output_tokens(mut self, tokens: u64) -> Self {
        self.settings.capabilities.max_output_tokens = tokens;
        self
    }

    /// Sets the tokens that the provider adds to a request with a schema. Budgets reserve them too. Default:
    /// 1,000 for [`Provider::Anthropic`], whose prompt for tools takes less, and 0 for the others.
    pub fn overhead_tokens(mut self, tokens: u64) -> Self {
        self.settings.capabilities.overhead_tokens = tokens;
        self
    }

    /// Sets the price of the model. Default: free, so a budget of money does not limit it.
    pub fn price(mut self, price: TokenPrice) -> Self {
        self.settings.capabilities.price = price;
        self
    }

    /// For models without structured output: the schema is only described in the prompt.
    pub fn without_schema(mut self) -> Self {
        self.settings.capabilities.schema = None;
        self
    }

    /// For models that refuse a seed.
    pub fn without_seed(mut self) -> Self {
        self.settings.capabilities.seed = false;
        self
    }

    /// For models that refuse a temperature, such as reasoning models. Default: a temperature of 0.
    pub fn without_temperature(mut self) -> Self {
        self.settings.temperature = None;
        self
    }

    /// Sets the field for the most tokens of an answer, for [`Provider::OpenAi`].
    pub fn max_tokens_field(mut self, field: MaxTokensField) -> Self {
        self.settings.max_tokens_field = field;
        self
    }

    /// Sets the total time of a call. Default: [`DEFAULT_CALL_TIMEOUT`](crate::DEFAULT_CALL_TIMEOUT).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the HTTP client: proxies, root certificates, resolver. Its egress policy is replaced by one that
    /// allows the public Internet and the host of the base URL.
    pub fn transport(mut self, transport: FetcherBuilder) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Builds the model.
    ///
    /// # Errors
    /// [`ModelsErrorKind::BaseUrl`], [`ModelsErrorKind::Model`] or
    /// [`ModelsErrorKind::Transport`] for an invalid setting.
    pub fn build(self) -> Result<HttpModel, ModelsError> {
        let capabilities = &self.settings.capabilities;
        let name = capabilities.model.as_str();
        if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
            let detail = format!("a model's name is 1 to {MAX_NAME_BYTES} bytes without control characters");
            return Err(ModelsError::new(ModelsErrorKind::Model, detail));
        }
        if !(1..capabilities.context_tokens).contains(&capabilities.max_output_tokens) {
            let detail = "the most tokens of an answer must be at least 1 and less than the context";
            return Err(ModelsError::new(ModelsErrorKind::Model, detail));
        }
        let base = match self.base {
            Some(base) => base,
            None => Url::parse(self.provider.default_base_url())
                .map_err(|error| ModelsError::new(ModelsErrorKind::BaseUrl, error.to_string()))?,
        };
        let mut config = EndpointConfig::new(base);
        config.key = self.key;
        config.timeout = self.timeout.unwrap_or(config.timeout);
        config.transport = self.transport.unwrap_or(config.transport);
        Ok(HttpModel { provider: self.provider, settings: self.settings, endpoint: config.open()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_names_and_sizes_are_errors() {
        let model = |name: &str| HttpModel::builder(Provider::Ollama, name);
        for bad in ["", "a\nb", &"m".repeat(300)] {
            assert_eq!(model(bad).build().unwrap_err().kind(), ModelsErrorKind::Model, "{bad:?}");
        }
        for (context, output) in [(0, 0), (100, 0), (100, 100)] {
            let built = model("m").context_tokens(context).max_output_tokens(output).build();
            assert_eq!(built.unwrap_err().kind(), ModelsErrorKind::Model, "{context} {output}");
        }
    }

    #[test]
    fn every_provider_has_a_valid_default_url() {
        for provider in [Provider::OpenAi, Provider::Anthropic, Provider::Gemini, Provider::Ollama] {
            assert!(HttpModel::builder(provider, "m").build().is_ok(), "{provider:?}");
        }
    }

    #[test]
    fn answers_are_cut_between_characters() {
        let text = format!("a{}", "ä".repeat(MAX_ANSWER_BYTES));
        let cut = truncated(ModelAnswer::new(text, Finish::Stop, None));
        assert_eq!((cut.text.len(), cut.finish), (MAX_ANSWER_BYTES - 1, Finish::Length));
    }
}
