//! The reasons why an action fails.

use crate::capture::CaptureError;
use crate::document::DocumentError;
use crate::page::ready::ReadyError;
use crate::wire::CallError;

/// Why an action has failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// It cannot be carried out; the text says what was seen instead.
    Action(String),
    /// The results of the page exceed their limit.
    TooLarge,
    /// The page or its browser fails.
    Page(ReadyError),
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused { .. } | CallError::Invalid { .. } if !error.is_gone() => {
                Self::Action(error.to_string())
            }
            CallError::TooLarge(_) => Self::TooLarge,
            error => Self::Page(error.into()),
        }
    }
}

impl From<ReadyError> for Failure {
    fn from(error: ReadyError) -> Self {
        Self::Page(error)
    }
}

impl From<CaptureError> for Failure {
    fn from(error: CaptureError) -> Self {
        match error {
            CaptureError::Call(error) => error.into(),
            CaptureError::TooLarge => Self::TooLarge,
            CaptureError::Empty => Self::Action(error.to_string()),
        }
    }
}

impl From<DocumentError> for Failure {
    fn from(error: DocumentError) -> Self {
        match error {
            DocumentError::Call(error) => error.into(),
            DocumentError::TooLarge => Self::TooLarge,
        }
    }
}
