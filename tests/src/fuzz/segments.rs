//! Segments of pages, and the options and the choice of single values. Input: the page.

use std::sync::OnceLock;

use gleaner_extract::fuzzing::{MAX_SEGMENTS, segments as read_segments};
use gleaner_extract::training::{Scorer, extract_with, feature_names, group_names, options};
use gleaner_extract::{Page, Shape};
use serde_json::json;
use url::Url;

use super::BASE;
use super::extract::{assert_proven, is_grounded};

/// Upper bound on the options of a field.
const MAX_OPTIONS: usize = 48;
/// Fields whose values are texts of the page as they are.
const TEXTS: [&str; 2] = ["/title", "/maker"];

/// Each segment is a part of the visible text, or of an attribute, the title or the URL, and its facts are
/// numbers.
pub fn segments(data: &[u8]) {
    let Ok(url) = Url::parse(BASE) else { return };
    let html = String::from_utf8_lossy(data);
    let page = Page::new(url, &*html);
    let visible = page.visible_text();
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = read_segments(&page);
    assert!(found.len() <= MAX_SEGMENTS, "{} segments", found.len());
    for segment in &found {
        assert!(!segment.text.trim().is_empty(), "an empty segment: {segment:?}");
        let is_of_page = match &segment.range {
            Some(range) => visible.get(range.clone()).map(folded) == Some(folded(&segment.text)),
            None => is_grounded(&segment.text, &html),
        };
        assert!(is_of_page, "not on the page: {segment:?}");
        assert!(segment.features.iter().all(|value| value.is_finite()), "{segment:?}");
    }
    assert_eq!(read_segments(&page), found, "a second run differs");
}

/// Options are bounded and their texts on the page, and what a model chooses of them is proven.
pub fn single_values(data: &[u8]) {
    let (Ok(url), Some(shape), Some(scorer)) = (Url::parse(BASE), shape(), scorer()) else { return };
    let html = String::from_utf8_lossy(data);
    let page = Page::new(url, &*html);
    for field in options(&page, shape) {
        let found = &field.options;
        assert!(found.len() <= MAX_OPTIONS, "{} options for {}", found.len(), field.pointer);
        for option in found {
            assert_eq!(option.features.len(), feature_names().len(), "{option:?}");
            assert!(option.features.iter().all(|value| value.is_finite()), "{option:?}");
            assert!((0.0..=1.0).contains(&option.rule_score), "{option:?}");
            let text = option.value.as_str().filter(|_| TEXTS.contains(&field.pointer.as_str()));
            assert!(text.is_none_or(|text| is_grounded(text, &html)), "not on the page: {option:?}");
        }
    }
    let found = extract_with(&page, shape, scorer);
    assert_proven(&found, &html, shape);
    assert_eq!(extract_with(&page, shape, scorer), found, "a second run differs");
}

/// A field of each kind that is read in a way of its own.
pub(super) fn shape() -> Option<&'static Shape> {
    static SHAPE: OnceLock<Option<Shape>> = OnceLock::new();
    let text = json!({ "type": ["string", "null"] });
    SHAPE
        .get_or_init(|| {
            Shape::from_schema(&json!({ "type": "object", "properties": {
                "title": text, "maker": text, "description": text, "author": text, "address": text,
                "phone": text, "prep_time": text, "image": text, "availability": text,
                "price": { "type": ["number", "null"] }, "rating": { "type": ["number", "null"] },
                "madeOn": { "type": ["string", "null"], "format": "date" },
                "sold": { "type": ["boolean", "null"] },
                "state": { "type": "string", "enum": ["new", "used"] },
            } }))
            .ok()
        })
        .as_ref()
}

/// A model that finds every option likely, so that each field has a value if it has an option.
fn scorer() -> Option<&'static Scorer> {
    static SCORER: OnceLock<Option<Scorer>> = OnceLock::new();
    let read = || {
        let mut bytes = model_header()?;
        // One tree without a split.
        bytes.extend(1_u16.to_le_bytes());
        bytes.push(0);
        bytes.extend(3.0_f32.to_le_bytes());
        Scorer::read(&bytes)
    };
    SCORER.get_or_init(read).as_ref()
}

/// The start of a model file: the numbers of features and groups, and a bound for each group.
pub(super) fn model_header() -> Option<Vec<u8>> {
    let count = |names: usize| u16::try_from(names).ok().map(u16::to_le_bytes);
    let groups = group_names();
    let mut bytes = Vec::new();
    bytes.extend(count(feature_names().len())?);
    bytes.extend(count(groups.len())?);
    bytes.extend(groups.iter().flat_map(|_| 0.5_f32.to_le_bytes()));
    Some(bytes)
}
