//! Runs a script of the request in the page and checks its value.

use std::time::Duration;

use gleaner_fetch::ActionResult;
use serde::Deserialize;
use serde_json::Value;

use super::failure::Failure;
use super::runner::Runner;
use crate::protocol::runtime::Evaluate;
use crate::wire::CallError;

const RUN: &str = include_str!("../js/run.js");

/// Answers if the page's scripts let it.
const ANSWER: &str = "function answer() { return true; }";

/// How long a script, with the promise that it returns, may take.
const SCRIPT_LIMIT: Duration = Duration::from_secs(15);

/// How long a page whose scripts are idle may take to answer.
const ANSWER_LIMIT: Duration = Duration::from_millis(500);

/// Most characters of a script's value as JSON, and most parts of it.
const MAX_VALUE: usize = 1_000_000;

/// Most characters of an error of a script.
const MAX_ERROR: usize = 500;

/// The values of `typeof`.
const KINDS: [&str; 8] =
    ["bigint", "boolean", "function", "number", "object", "string", "symbol", "undefined"];

/// What `run.js` returns.
#[derive(Debug, Deserialize)]
struct Outcome {
    #[serde(rename = "type")]
    kind: Option<String>,
    json: Option<String>,
    error: Option<String>,
}

impl Runner<'_, '_> {
    /// Runs a script in the world of the page's own scripts.
    pub(super) async fn execute(&self, script: &str) -> Result<ActionResult, Failure> {
        let expression = expression(script);
        let evaluate = Evaluate {
            expression: &expression,
            await_promise: true,
            return_by_value: true,
            user_gesture: true,
            allow_unsafe_eval: true,
        };
        let limit = SCRIPT_LIMIT.min(self.time_left());
        match self.tab.call_within(&evaluate, limit).await {
            Ok(evaluated) => match evaluated.exception_details {
                Some(exception) => Err(Failure::Action(exception.text)),
                None => value(evaluated.result.value.unwrap_or(Value::Null)).map_err(Failure::Action),
            },
            Err(CallError::TimedOut(_)) => {
                // A script that waits for a promise is not running. Stopping it would stop another one.
                let answer = self.tab.run_within::<bool>(ANSWER, Vec::new(), ANSWER_LIMIT).await;
                if matches!(answer, Err(CallError::TimedOut(_))) {
                    self.stop_scripts().await;
                }
                let text = format!("the script did not end within {} ms", limit.as_millis());
                Err(Failure::Action(text))
            }
            // The script has led to another document, so it has no value.
            Err(error) if error.is_gone() && !self.tab.client().is_closed() => Ok(undefined()),
            Err(error) => Err(error.into()),
        }
    }
}

fn expression(script: &str) -> String {
    format!("({RUN}\n)({}, {MAX_VALUE})", Value::from(script))
}

fn undefined() -> ActionResult {
    ActionResult::Javascript { kind: "undefined".to_owned(), json: "null".to_owned() }
}

/// Checks what `run.js` returns, because the page can replace the functions that it uses.
fn value(outcome: Value) -> Result<ActionResult, String> {
    let outcome = serde_json::from_value::<Outcome>(outcome);
    match outcome.map_err(|error| format!("the script's value cannot be read: {error}"))? {
        Outcome { error: Some(error), .. } => Err(error.chars().take(MAX_ERROR).collect()),
        Outcome { kind: Some(kind), json: Some(json), error: None } if KINDS.contains(&kind.as_str()) => {
            // A character of JavaScript has at most 3 bytes in UTF-8.
            if json.len() > 3 * MAX_VALUE {
                return Err(format!("the script's value has {} bytes as JSON", json.len()));
            }
            serde_json::from_str::<Value>(&json)
                .map_err(|error| format!("the script's value is not JSON: {error}"))?;
            Ok(ActionResult::Javascript { kind, json })
        }
        _ => Err("the script's value cannot be read".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scripts_are_passed_as_text() {
        let expression = expression("alert(\"x\")\n// \u{2028}</script>");
        let end = "\n)(\"alert(\\\"x\\\")\\n// \u{2028}</script>\", 1000000)";
        assert!(expression.ends_with(end), "{expression}");
    }

    #[test]
    fn values_are_checked() {
        let number = value(json!({ "type": "number", "json": "2" }));
        let expected = ActionResult::Javascript { kind: "number".to_owned(), json: "2".to_owned() };
        assert_eq!(number, Ok(expected));
        assert_eq!(value(json!({ "error": "TypeError: bad" })), Err("TypeError: bad".to_owned()));
        assert_eq!(value(json!({ "error": "x".repeat(9_000) })), Err("x".repeat(MAX_ERROR)));
        let kind = json!({ "type": "x".repeat(9_000), "json": "2" });
        for bad in [json!(null), json!({}), json!({ "type": "number", "json": 2 }), json!("x"), kind] {
            let error = value(bad.clone()).unwrap_err();
            assert!(error.starts_with("the script's value cannot be read"), "{bad}: {error}");
        }
        let error = value(json!({ "type": "object", "json": "{\"a\":" })).unwrap_err();
        assert!(error.starts_with("the script's value is not JSON: "), "{error}");
        let long = format!("\"{}\"", "x".repeat(3 * MAX_VALUE));
        assert!(value(json!({ "type": "string", "json": long })).is_err());
    }
}
