//! What is to be filled: the request's schema, or where there is none, one that the model writes for the prompt.
//!
//! The model sees the prompt alone for it and no page, so that no page can choose what is asked of others.

use gleaner_extract::model::{LanguageModel, Message, ModelRequest, Role};
use gleaner_extract::{ErrorKind, Shape, check_schema};
use gleaner_types::{ErrorCode, PageError};
use serde_json::Value;

const RULES: &str = "You write JSON Schemas. The user says what to read off web pages. Answer with one JSON Schema of type \
    object that holds just what is asked for, and with nothing else. Where several records of a kind are asked for, give \
    them as one array of objects. Name properties in camelCase, give each a type and a short description, allow null for \
    single values, and use no $ref.";
/// Most tokens of such a schema.
const MAX_SCHEMA_TOKENS: u64 = 2_000;

/// Reads a schema.
pub(super) fn of_schema(schema: &Value) -> Result<Shape, PageError> {
    check_schema(schema).and_then(|()| Shape::from_schema(schema)).map_err(|error| refusal(&error))
}

/// Has the model write a schema.
pub(super) async fn of_prompt(model: Option<&dyn LanguageModel>, prompt: &str) -> Result<Shape, PageError> {
    let Some(model) = model else { return Err(refusal(&ErrorKind::ModelNotConfigured.into())) };
    let max_tokens = model.capabilities().max_output_tokens.min(MAX_SCHEMA_TOKENS);
    let messages = vec![Message::new(Role::System, RULES), Message::new(Role::User, prompt)];
    let request = ModelRequest { messages, schema: None, max_tokens, seed: Some(0) };
    let failed = |detail: String| PageError { code: ErrorCode::UnknownError, message: detail };
    let answer = model.complete(&request).await.map_err(|error| {
        failed(format!("the model gave no schema for the prompt ({error}); give a `schema`"))
    })?;
    first_object(&answer.text)
        .and_then(|schema| of_schema(&schema).ok())
        .filter(|shape| !shape.fields().is_empty())
        .ok_or_else(|| failed("the model gave no usable schema for the prompt; give a `schema`".to_owned()))
}

/// The first JSON object in a text, whatever stands around it.
fn first_object(text: &str) -> Option<Value> {
    let start = text.find('{')?;
    serde_json::Deserializer::from_str(text.get(start..)?).into_iter().next()?.ok()
}

pub(super) fn refusal(error: &gleaner_extract::Error) -> PageError {
    let code = match error.kind() {
        ErrorKind::ModelNotConfigured => ErrorCode::ModelNotConfigured,
        ErrorKind::SearchNotConfigured => ErrorCode::SearchNotConfigured,
        _ => ErrorCode::BadRequest,
    };
    PageError { code, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_extract::model::scripted::{Scripted, block_on};

    #[test]
    fn a_prompt_becomes_a_shape_or_an_error() {
        let fine = "```json\n{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}\n```";
        let rows = [
            (fine, true),
            ("Sorry.", false),
            ("{\"type\":\"object\"}", false),
            ("{\"type\":7}", false),
            ("{", false),
        ];
        for (said, works) in rows {
            let model = Scripted::new(vec![Ok(said.to_owned())]);
            assert_eq!(block_on(of_prompt(Some(&model), "names")).is_ok(), works, "{said}");
        }
        assert_eq!(block_on(of_prompt(None, "names")).unwrap_err().code, ErrorCode::ModelNotConfigured);
    }
}
