//! The row of a rule table, and its runner.

use std::fmt::Debug;

use gleaner_types::Faults;
use serde_json::{Map, Value};

/// The expected result of a body.
pub(crate) enum Expect<P> {
    /// A plan that satisfies this predicate.
    Accept(fn(&P) -> bool),
    /// Exactly one fault at this path, with a message that contains this text.
    Reject(&'static str, &'static str),
}

pub(crate) struct Row<P> {
    pub(crate) name: &'static str,
    pub(crate) body: Value,
    pub(crate) expect: Expect<P>,
}

pub(crate) const fn ok<P>(name: &'static str, body: Value, holds: fn(&P) -> bool) -> Row<P> {
    Row { name, body, expect: Expect::Accept(holds) }
}

pub(crate) const fn no<P>(
    name: &'static str,
    body: Value,
    path: &'static str,
    message: &'static str,
) -> Row<P> {
    Row { name, body, expect: Expect::Reject(path, message) }
}

/// Runs every row and then reports all failures together. `prefix` is prepended to the expected paths.
pub(crate) fn run<P: Debug>(rows: Vec<Row<P>>, prefix: &str, read: impl Fn(&Value) -> Result<P, Faults>) {
    let mut wrong = Vec::new();
    for Row { name, body, expect } in rows {
        let read = read(&body);
        match (expect, read) {
            (Expect::Accept(holds), Ok(plan)) if !holds(&plan) => wrong.push(format!("{name}: {plan:#?}")),
            (Expect::Accept(_), Ok(_)) => {}
            (Expect::Accept(_), Err(faults)) => wrong.push(format!("{name}: refused: {faults}")),
            (Expect::Reject(..), Ok(_)) => wrong.push(format!("{name}: accepted")),
            (Expect::Reject(path, message), Err(faults)) => {
                let path = format!("{prefix}{path}");
                let [fault] = faults.as_slice() else {
                    wrong.push(format!("{name}: {} faults: {faults}", faults.as_slice().len()));
                    continue;
                };
                let matches = fault.message.contains(message) && is_plain(&fault.message);
                if fault.path.to_string() != path || !matches {
                    wrong.push(format!("{name}: at {}: {}", fault.path, fault.message));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether the message has neither paths of Rust items nor debug output. Text in quotes comes from the
/// caller.
fn is_plain(message: &str) -> bool {
    let own: String = message.split('"').step_by(2).collect();
    let mut words = own.split(|letter: char| !letter.is_alphanumeric() && !"({".contains(letter));
    let debug_output = words.any(|word| word.starts_with(char::is_uppercase) && word.contains(['(', '{']));
    !own.contains("::") && !debug_output
}

/// The body with these fields added.
pub(crate) fn with(body: &Value, fields: &Value) -> Value {
    let merged: Map<String, Value> = [body, fields]
        .into_iter()
        .flat_map(|value| value.as_object().unwrap())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Value::Object(merged)
}
