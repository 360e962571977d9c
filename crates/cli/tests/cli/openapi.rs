//! The contract as the program prints it.

use serde_json::Value;

use super::support::{printed, refuses, run};

#[test]
fn openapi_prints_the_document_of_the_service() {
    let output = run(&["openapi"]);
    let document: Value = printed(&output);
    assert_eq!(document["openapi"], "3.1.0");
    // To the byte: a test of gleaner-http holds the checked-in copy to the same form.
    assert!(output.stdout == format!("{:#}\n", gleaner_http::openapi()).as_bytes());
    assert!(output.stderr.is_empty(), "nothing else is said");
}

#[test]
fn openapi_takes_no_address() {
    refuses(&["openapi", "https://example.com/"], &["unexpected argument"]);
}
