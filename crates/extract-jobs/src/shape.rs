//! Shapes from schemas, and errors of `gleaner-extract` as page errors.

use gleaner_extract::{ErrorKind, Shape, check_schema};
use gleaner_types::{ErrorCode, PageError};
use serde_json::Value;

/// The shape of a schema.
pub(super) fn from_schema(schema: &Value) -> Result<Shape, PageError> {
    check_schema(schema).map_err(|error| page_error(&error))
}

/// The error with its code of the contract.
pub(super) fn page_error(error: &gleaner_extract::Error) -> PageError {
    let code = match error.kind() {
        ErrorKind::ModelNotConfigured => ErrorCode::ModelNotConfigured,
        ErrorKind::SearchNotConfigured => ErrorCode::SearchNotConfigured,
        // The model failed, or the budget is used up: the request may be repeated.
        ErrorKind::Draft(_) => ErrorCode::UnknownError,
        _ => ErrorCode::BadRequest,
    };
    PageError { code, message: error.to_string() }
}
