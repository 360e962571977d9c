//! The reasons why a DevTools command has no result.

use std::fmt;

use super::message::Refusal;

/// Why a command has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallError {
    /// The browser has ended.
    Closed,
    /// The browser did not answer in time.
    TimedOut(&'static str),
    /// The result is larger than [`MAX_MESSAGE_BYTES`](super::framing::MAX_MESSAGE_BYTES).
    TooLarge(&'static str),
    /// The browser refuses the command.
    Refused { method: &'static str, refusal: Refusal },
    /// The command or its result has an unexpected form.
    Invalid { method: &'static str, detail: String },
}

impl CallError {
    /// The target, its session or its document has ended.
    pub(crate) fn is_gone(&self) -> bool {
        match self {
            Self::Closed => true,
            Self::Refused { refusal, .. } => {
                let gone = ["Session with given id not found", "Cannot find context", "Target closed"];
                let inspected =
                    ["Inspected target navigated", "Not attached", "Execution context was destroyed"];
                gone.iter().chain(&inspected).any(|text| refusal.message.contains(text))
            }
            Self::TimedOut(_) | Self::TooLarge(_) | Self::Invalid { .. } => false,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the browser has ended"),
            Self::TimedOut(method) => write!(f, "the browser did not answer {method} in time"),
            Self::TooLarge(method) => write!(f, "the result of {method} is too large"),
            Self::Refused { method, refusal } => {
                write!(f, "the browser refuses {method}: {}", refusal.message)
            }
            Self::Invalid { method, detail } => write!(f, "{method} or its answer is invalid: {detail}"),
        }
    }
}

impl std::error::Error for CallError {}
