//! The OpenAPI document that the program prints.

use serde_json::Value;

use super::support::{printed, refuses, run};

#[test]
fn openapi_prints_the_document_of_the_service() {
    let output = run(&["openapi"]);
    let document: Value = printed(&output);
    assert_eq!(document["openapi"], "3.1.0");
    // Byte for byte. A test of gleaner-http compares the checked-in copy with the same document.
    assert!(output.stdout == format!("{:#}\n", gleaner_http::openapi()).as_bytes());
    assert!(output.stderr.is_empty(), "there is no message");
}

#[test]
fn openapi_takes_no_arguments() {
    refuses(&["openapi", "https://example.com/"], &["unexpected argument"]);
}
