//! Calls of `act.js`, the script in the page that finds elements and checks whether an action can reach them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::failure::Failure;

/// A call of `act.js`; see there for the operations.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Query<'q> {
    pub(super) operation: &'static str,
    /// `None` stands for the focused element, or for the elements of the last `list`.
    pub(super) selector: Option<&'q str>,
    /// Which of the matches.
    pub(super) index: usize,
    pub(super) argument: Value,
}

impl<'q> Query<'q> {
    /// About the first match.
    pub(super) fn new(operation: &'static str, selector: Option<&'q str>) -> Self {
        Self { operation, selector, index: 0, argument: Value::Null }
    }

    pub(super) fn arguments(&self) -> Vec<Value> {
        vec![json!(self.operation), json!(self.selector), json!(self.index), self.argument.clone()]
    }
}

/// What `act.js` answers.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Seen {
    /// The number of matches.
    pub(super) count: usize,
    pub(super) state: State,
    /// The element, or the fault of the selector.
    pub(super) what: String,
    /// What covers the element.
    pub(super) by: String,
    /// Where to click, in CSS pixels from the corner of the frame's window.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) kind: Kind,
}

/// Whether the operation can be done, or why not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    #[default]
    Ready,
    /// Nothing matches.
    Missing,
    /// The selector cannot be read.
    Selector,
    Hidden,
    Disabled,
    Moving,
    /// Outside of the window.
    Outside,
    Covered,
    /// Removed from the document.
    Gone,
    /// It does not take the focus.
    Unfocused,
    /// It does not take the value.
    Value,
    /// It takes no value.
    None,
    /// The page's scripts did not let `act.js` run.
    Busy,
}

/// How an element takes input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// By clicks.
    #[default]
    #[serde(rename = "")]
    Element,
    /// An option of a list.
    Option,
    /// A list of options.
    Select,
    /// A field for files.
    File,
    /// By typing.
    Text,
    /// A value that is set at once, such as a date.
    Value,
    /// Neither by typing nor as a value.
    None,
}

impl Seen {
    /// The state without an element.
    pub(super) fn state(state: State) -> Self {
        Self { state, ..Self::default() }
    }

    /// `Ok` if the operation was done.
    pub(super) fn done(self) -> Result<(), Failure> {
        if self.state == State::Ready { Ok(()) } else { Err(Failure::Action(self.reason())) }
    }

    /// Whether another try would see the same.
    pub(super) fn is_final(&self) -> bool {
        matches!(self.state, State::Ready | State::Selector | State::Gone | State::None | State::Value)
    }

    /// Why the operation cannot be done.
    pub(super) fn reason(&self) -> String {
        let Self { what, by, .. } = self;
        match self.state {
            State::Missing if what.is_empty() => "no element matches".to_owned(),
            State::Missing => format!("there is no {what}"),
            State::Selector => format!("the selector cannot be read: {what}"),
            State::Hidden => format!("hidden: {what}"),
            State::Disabled => format!("disabled or read-only: {what}"),
            State::Moving => format!("it does not stop moving: {what}"),
            State::Outside => format!("it cannot be scrolled into the window: {what}"),
            State::Covered if by.is_empty() => format!("covered: {what}"),
            State::Covered => format!("covered by {by}"),
            State::Gone => format!("removed: {what}"),
            State::Unfocused => format!("it does not take the focus: {what}"),
            State::Value => format!("it does not take this value: {what}"),
            State::None | State::Ready => format!("not a field to write into: {what}"),
            State::Busy => "the page's scripts did not let it be found".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(json: &Value) -> Seen {
        serde_json::from_value(json.clone()).unwrap()
    }

    #[test]
    fn answers_are_read() {
        let ready = json!({ "count": 2, "state": "ready", "kind": "", "what": "<a>", "x": 10, "y": 7.5,
            "target": "_self" });
        let expected = Seen { count: 2, what: "<a>".to_owned(), x: 10.0, y: 7.5, ..Seen::default() };
        assert_eq!(seen(&ready), expected);
        assert_eq!(seen(&json!({ "count": 3 })), Seen { count: 3, ..Seen::default() });
        for (kind, expected) in [("option", Kind::Option), ("text", Kind::Text), ("none", Kind::None)] {
            assert_eq!(seen(&json!({ "state": "ready", "kind": kind })).kind, expected);
        }
    }

    #[test]
    fn reasons_say_what_was_seen() {
        let wall = "<div id=\"wall\"> \"we use cookies\"";
        let covered = json!({ "state": "covered", "what": "<button id=\"buy\">", "by": wall });
        assert_eq!(seen(&covered).reason(), format!("covered by {wall}"));
        let cases = [
            ("missing", "", "no element matches"),
            ("missing", "option in <select>", "there is no option in <select>"),
            ("selector", "unexpected end", "the selector cannot be read: unexpected end"),
            ("hidden", "<p>", "hidden: <p>"),
            ("disabled", "<p>", "disabled or read-only: <p>"),
            ("moving", "<p>", "it does not stop moving: <p>"),
            ("outside", "<p>", "it cannot be scrolled into the window: <p>"),
            ("covered", "<p>", "covered: <p>"),
            ("gone", "<p>", "removed: <p>"),
            ("unfocused", "<p>", "it does not take the focus: <p>"),
            ("value", "<p>", "it does not take this value: <p>"),
            ("none", "<p>", "not a field to write into: <p>"),
        ];
        for (state, what, reason) in cases {
            assert_eq!(seen(&json!({ "state": state, "what": what })).reason(), reason);
        }
    }

    #[test]
    fn states_that_do_not_change_end_the_search() {
        let last: Vec<_> = [State::Missing, State::Covered, State::Gone, State::Selector, State::Busy]
            .into_iter()
            .filter(|state| Seen::state(*state).is_final())
            .collect();
        assert_eq!(last, [State::Gone, State::Selector]);
    }
}
