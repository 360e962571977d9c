//! What is to be filled, and how a refusal of `gleaner-extract` is told.

use gleaner_extract::{ErrorKind, Shape, check_schema};
use gleaner_types::{ErrorCode, PageError};
use serde_json::Value;

/// Reads a schema.
pub(super) fn of_schema(schema: &Value) -> Result<Shape, PageError> {
    check_schema(schema).map_err(|error| refusal(&error))
}

/// In the contract's words.
pub(super) fn refusal(error: &gleaner_extract::Error) -> PageError {
    let code = match error.kind() {
        ErrorKind::ModelNotConfigured => ErrorCode::ModelNotConfigured,
        ErrorKind::SearchNotConfigured => ErrorCode::SearchNotConfigured,
        // The model's fault, or the budget's: the request may be asked again.
        ErrorKind::Draft(_) => ErrorCode::UnknownError,
        _ => ErrorCode::BadRequest,
    };
    PageError { code, message: error.to_string() }
}
