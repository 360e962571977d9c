//! The OpenAPI document that the program prints.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::support::{printed, refuses, run};

#[test]
fn openapi_prints_the_checked_in_document() {
    let checked_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../http/openapi.json");
    let checked_in = fs::read_to_string(checked_in).unwrap();
    let output = run(&["openapi"]);
    let document: Value = printed(&output);
    assert_eq!(document["openapi"], "3.1.0");
    // The checked-in file is the output of the program, byte for byte.
    assert!(output.stdout == checked_in.as_bytes(), "run `cargo run -- openapi > crates/http/openapi.json`");
    assert!(output.stderr.is_empty(), "there is no message");
}

#[test]
fn openapi_takes_no_arguments() {
    refuses(&["openapi", "https://example.com/"], &["unexpected argument"]);
}
