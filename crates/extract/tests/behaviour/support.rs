//! Pages and helpers that several tests share.

use gleaner_extract::model::ModelRequest;
use gleaner_extract::{Page, Shape};
use serde_json::Value;

/// The page's text in a request, between its marks.
pub(crate) fn page_text(request: &ModelRequest) -> &str {
    let message = &request.messages.last().expect("a request has messages").content;
    let (_, behind) = message.split_once("\n<<<PAGE ").expect("the page is fenced");
    let (mark, behind) = behind.split_once('\n').expect("the mark ends its line");
    behind.strip_suffix(&format!("\nPAGE {mark}>>>")).expect("the fence is closed")
}

pub(crate) fn page(markdown: impl Into<String>) -> Page {
    Page::new("https://example.com/page".parse().expect("a URL"), "").with_markdown(markdown)
}

pub(crate) fn shape(schema: Value) -> Shape {
    Shape::from_schema(&schema).expect("a schema")
}
