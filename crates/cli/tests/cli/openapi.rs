//! The contract as the program prints it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::support::{printed, refuses, run};

#[test]
fn openapi_prints_the_document_that_is_checked_in() {
    let checked_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../http/openapi.json");
    let checked_in = fs::read_to_string(checked_in).unwrap();
    let output = run(&["openapi"]);
    let document: Value = printed(&output);
    assert_eq!(document["openapi"], "3.1.0");
    // To the byte: what is checked in is what the program printed.
    assert!(output.stdout == checked_in.as_bytes(), "run `cargo run -- openapi > crates/http/openapi.json`");
    assert!(output.stderr.is_empty(), "nothing else is said");
}

#[test]
fn openapi_takes_no_address() {
    refuses(&["openapi", "https://example.com/"], &["unexpected argument"]);
}
