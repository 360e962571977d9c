//! Messages of the DevTools protocol. Input: a byte that chooses the size of pieces, and a stream.

use gleaner_browser::fuzzing::{Fields, count_understood, leading_id, messages, understood};
use serde_json::Value;

/// The size of pieces does not change the messages, and a zero byte ends each. What is read of a message is
/// what another reader of JSON finds in it.
pub fn devtools_messages(data: &[u8]) {
    let [size, stream @ ..] = data else { return };
    let read = messages(stream, usize::from(*size) + 1);
    let mut parts: Vec<&[u8]> = stream.split(|byte| *byte == 0).collect();
    // The last part has no end.
    parts.pop();
    assert_eq!(read, parts, "pieces of {}", usize::from(*size) + 1);
    let known = read.iter().filter_map(|message| Some((message, understood(message)?)));
    let known: Vec<_> = known.collect();
    assert_eq!(count_understood(stream, usize::from(*size) + 1), known.len(), "each message counts");
    for (message, said) in known {
        let first = leading_id(message);
        assert!(first.is_none() || first == said.id, "{first:?} of {said:?}");
        // It refuses deep nesting and large numbers, which need not be read here.
        if let Ok(value) = serde_json::from_slice::<Value>(message) {
            check(&said, &value);
        }
    }
}

fn check(said: &Fields, value: &Value) {
    // A list with the fields in their order is read too.
    let Value::Object(fields) = value else { return };
    let text = |name| fields.get(name).and_then(Value::as_str);
    assert_eq!(said.id, fields.get("id").and_then(Value::as_u64), "{value}");
    assert_eq!(said.session.as_deref(), text("sessionId"), "{value}");
    assert_eq!(said.method.as_deref(), text("method"), "{value}");
    for (raw, name) in [(&said.params, "params"), (&said.result, "result")] {
        let theirs = fields.get(name).filter(|value| !value.is_null());
        let ours = raw.as_deref().and_then(|raw| serde_json::from_str::<Value>(raw).ok());
        assert_eq!(ours.as_ref(), theirs, "{name} of {value}");
    }
    let error = fields.get("error").filter(|error| error.is_object());
    let theirs = error.map(|error| (error.get("code").and_then(Value::as_i64), error.get("message")));
    let ours = said.error.as_ref().filter(|_| error.is_some());
    let ours = ours.map(|(code, message)| (Some(*code), Some(Value::from(message.as_str()))));
    assert_eq!(ours, theirs.map(|(code, message)| (code, message.cloned())), "{value}");
}
