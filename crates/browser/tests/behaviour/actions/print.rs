//! Tests of printing to PDF.

use gleaner_fetch::ActionResult;
use serde_json::{Value, json};

use super::render;
use crate::support::browser;

/// The width and height of the first page of a file of Chromium, in points.
fn size(file: &[u8]) -> (f64, f64) {
    let text = String::from_utf8_lossy(file);
    let (_, after) = text.split_once("/MediaBox").unwrap();
    let (numbers, _) = after.trim_start().trim_start_matches('[').split_once(']').unwrap();
    let numbers: Vec<f64> = numbers.split_whitespace().map(|number| number.parse().unwrap()).collect();
    (numbers[2] - numbers[0], numbers[3] - numbers[1])
}

#[tokio::test]
async fn files_have_the_paper_that_was_asked_for() {
    let Some(browser) = browser() else { return };
    let cases: [(Value, f64, f64); 8] = [
        (json!({}), 8.5, 11.0),
        (json!({ "landscape": true }), 11.0, 8.5),
        (json!({ "format": "A4" }), 8.27, 11.7),
        (json!({ "format": "A4", "landscape": true }), 11.7, 8.27),
        (json!({ "format": "A6", "scale": 0.5 }), 4.13, 5.83),
        (json!({ "format": "Legal", "scale": 2 }), 8.5, 14.0),
        (json!({ "format": "Ledger" }), 17.0, 11.0),
        (json!({ "format": "Ledger", "landscape": true }), 17.0, 11.0),
    ];
    let actions: Vec<Value> = cases
        .iter()
        .map(|(options, ..)| {
            let mut action = options.clone();
            action["type"] = "pdf".into();
            action
        })
        .collect();
    let page = render(&browser, "<p style='background:#080'>P</p>", &actions).await.unwrap();
    assert_eq!(page.results.len(), cases.len());
    for ((options, width, height), result) in cases.iter().zip(&page.results) {
        let ActionResult::Pdf(file) = result else { panic!("{result:?}") };
        assert!(file.starts_with(b"%PDF-"), "{options}");
        let (found_width, found_height) = size(file);
        // A point is 1/72 inch. Chromium rounds up to its pixels.
        let is_near = |found: f64, inches: f64| (found - inches * 72.0).abs() <= 1.0;
        assert!(
            is_near(found_width, *width) && is_near(found_height, *height),
            "{options}: {:?}",
            size(file)
        );
    }
    browser.close().await;
}
