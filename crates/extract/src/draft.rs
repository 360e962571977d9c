//! Drafts a schema from a prompt.
//!
//! The model sees only the user's words, so no page can change what is requested. It does not write JSON
//! Schema but fills in a short form with one row per field, which is checked and compiled here. Small models
//! manage that, and no answer can produce a schema with references, patterns or depth.

use serde_json::{Map, Value, json};

use crate::bind::words;
use crate::error::{Error, ErrorKind};
use crate::extraction::answer_object;
use crate::model::{LanguageModel, Message, ModelRequest, Role};
use crate::page::truncate;
use crate::schema::{Dialect, check_schema};

/// Upper bound on the fields of a drafted schema.
pub const MAX_DRAFT_FIELDS: usize = 40;
/// Bytes of a prompt that are used for a draft.
pub const MAX_DRAFT_PROMPT_BYTES: usize = 10_000;
/// Upper bound on the tokens of the answer.
const MAX_TOKENS: u64 = 4_000;
/// Upper bound on the words of a field's name.
const MAX_NAME_WORDS: usize = 6;

/// Kinds of values, with the `type` and the `format` of each in a schema.
const KINDS: [(&str, &str, Option<&str>); 6] = [
    ("text", "string", None),
    ("number", "number", None),
    ("integer", "integer", None),
    ("boolean", "boolean", None),
    ("date", "string", Some("date")),
    ("url", "string", Some("uri")),
];

const RULES: &str = "You design a table for a program that reads web pages.\n\
    The user says what is wanted. Give the fields that a page must be read for, few and plain.\n\
    `many` is true where several things of one kind are wanted, false where it is one thing. `entity` is \
    the name of that kind in one or two words.\n\
    Each field has `name` (English, camelCase), `kind` (text, number, integer, boolean, date or url), `list` \
    (true where it has several values) and `description` (one short sentence).\n\
    Answer with JSON only.";

/// The schema of the short form, in the provider's dialect.
fn form_schema(dialect: Dialect) -> Value {
    let kinds: Vec<&str> = KINDS.iter().map(|(kind, ..)| *kind).collect();
    let mut field = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" }, "kind": { "type": "string", "enum": kinds },
            "list": { "type": "boolean" }, "description": { "type": "string" },
        },
        "required": ["name", "kind", "list", "description"],
    });
    let mut whole = json!({ "type": "object", "required": ["many", "entity", "fields"] });
    if dialect != Dialect::OpenApi {
        for object in [&mut field, &mut whole] {
            if let Some(object) = object.as_object_mut() {
                object.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
        }
    }
    if let Some(object) = whole.as_object_mut() {
        let properties = json!({
            "many": { "type": "boolean" }, "entity": { "type": "string" },
            "fields": { "type": "array", "items": field },
        });
        object.insert("properties".to_owned(), properties);
    }
    whole
}

/// Asks for a schema, at most twice.
pub(crate) async fn draft(
    model: &dyn LanguageModel,
    seed: Option<u64>,
    prompt: &str,
) -> Result<Value, Error> {
    let prompt = truncate(prompt.trim(), MAX_DRAFT_PROMPT_BYTES);
    let capabilities = model.capabilities();
    let schema = capabilities.schema.map(form_schema);
    let mut messages =
        vec![Message::new(Role::System, RULES), Message::new(Role::User, format!("Wanted: {prompt}"))];
    let mut fault = String::new();
    for _ in 0..2 {
        let request = ModelRequest {
            messages: messages.clone(),
            schema: schema.clone(),
            max_tokens: MAX_TOKENS.min(capabilities.max_output_tokens).max(1),
            seed,
        };
        let answer =
            model.complete(&request).await.map_err(|error| ErrorKind::Draft(error.to_string()))?.text;
        match answer_object(&answer).ok_or("it is no JSON object").and_then(|form| compile(&form)) {
            Ok(schema) => {
                check_schema(&schema)?;
                return Ok(schema);
            }
            Err(why) => why.clone_into(&mut fault),
        }
        messages.push(Message::new(Role::Assistant, truncate(&answer, 2_000)));
        messages.push(Message::new(
            Role::User,
            format!("That cannot be used: {fault}. Give the JSON object again."),
        ));
    }
    Err(ErrorKind::Draft(fault).into())
}

/// A name in camel case; `None` if no letter is left.
fn camel_case(name: &str) -> Option<String> {
    let mut out = String::new();
    for word in words(truncate(name, 120)).into_iter().take(MAX_NAME_WORDS) {
        let mut letters = word.chars().filter(char::is_ascii_alphanumeric);
        if out.is_empty() {
            out.extend(letters.by_ref().skip_while(char::is_ascii_digit));
        } else {
            out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            out.extend(letters);
        }
    }
    (!out.is_empty()).then_some(out)
}

/// The JSON Schema of a filled-in form.
fn compile(form: &Value) -> Result<Value, &'static str> {
    let fields = form.get("fields").and_then(Value::as_array).ok_or("it has no list `fields`")?;
    let mut properties = Map::new();
    for field in fields.iter().take(MAX_DRAFT_FIELDS) {
        let text = |key: &str| field.get(key).and_then(Value::as_str).unwrap_or_default();
        let Some(name) = camel_case(text("name")) else { continue };
        let (_, kind, format) =
            KINDS.iter().find(|(kind, ..)| *kind == text("kind")).unwrap_or(&("text", "string", None));
        let list = field.get("list") == Some(&Value::Bool(true));
        let mut shape = if list { json!({ "type": kind }) } else { json!({ "type": [kind, "null"] }) };
        if let (Some(object), Some(format)) = (shape.as_object_mut(), format) {
            object.insert("format".to_owned(), Value::from(*format));
        }
        if list {
            shape = json!({ "type": "array", "items": shape });
        }
        let description = truncate(text("description").trim(), 200);
        if let Some(object) = shape.as_object_mut().filter(|_| !description.is_empty()) {
            object.insert("description".to_owned(), Value::from(description));
        }
        properties.entry(name).or_insert(shape);
    }
    if properties.is_empty() {
        return Err("it has no field with a name");
    }
    let one = json!({ "type": "object", "properties": properties });
    if form.get("many") != Some(&Value::Bool(true)) {
        return Ok(one);
    }
    let entity =
        form.get("entity").and_then(Value::as_str).and_then(camel_case).unwrap_or_else(|| "item".to_owned());
    let entity = if entity.ends_with('s') { entity } else { format!("{entity}s") };
    Ok(json!({ "type": "object", "properties": { entity: { "type": "array", "items": one } } }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::Extractor;
    use crate::model::scripted::{ScriptedModel, block_on};
    use crate::schema::Shape;
    use std::sync::Arc;

    #[test]
    fn a_prompt_becomes_a_schema() {
        let answer = r#"{"many":true,"entity":"job opening","fields":[{"name":"job title","kind":"text","list":false,"description":"The title."},
            {"name":"posted","kind":"date","list":false,"description":""},{"name":"skills","kind":"text","list":true,"description":""}]}"#;
        let model = ScriptedModel::new(vec![Ok("no idea".to_owned()), Ok(answer.to_owned())]);
        let extractor = Extractor::new(Arc::new(model.clone()));
        let schema = block_on(extractor.draft_schema("all job openings")).unwrap();
        let text = json!({ "type": ["string", "null"], "description": "The title." });
        assert_eq!(schema["properties"]["jobOpenings"]["items"]["properties"]["jobTitle"], text);
        assert_eq!(schema["properties"]["jobOpenings"]["items"]["properties"]["posted"]["format"], "date");
        assert!(Shape::from_schema(&schema).is_ok());
        assert_eq!(model.calls(), 2);
        assert!(model.asked()[1].messages.last().unwrap().content.contains("no JSON object"));
    }

    #[test]
    fn a_useless_answer_and_a_missing_model_are_errors() {
        let model = ScriptedModel::with(|_| Ok(r#"{"fields":[{"name":"!!"}]}"#.to_owned()));
        let error = block_on(Extractor::new(Arc::new(model)).draft_schema("x")).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Draft(_)), "{error}");
        let error = block_on(Extractor::model_free().draft_schema("x")).unwrap_err();
        assert!(error.is_not_configured());
    }

    #[test]
    fn an_endless_answer_gives_a_bounded_schema() {
        let fields: Vec<Value> = (0..5_000)
            .map(|at| {
                let (name, description) = (format!("f{at}"), "x".repeat(900));
                json!({ "name": name, "kind": "$ref", "list": at % 2 == 0, "description": description })
            })
            .collect();
        let schema = compile(&json!({ "many": false, "fields": fields })).unwrap();
        assert_eq!(schema["properties"].as_object().unwrap().len(), MAX_DRAFT_FIELDS);
        assert!(schema.to_string().len() < 20_000);
    }
}
