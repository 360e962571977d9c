//! Summaries that a model writes. Input: the summary, an empty line, and the Markdown of the page.

use gleaner_extract::{Page, check_summary};
use url::Url;

use super::BASE;

/// The checked text is a part of the summary, and each fault has the right position.
pub fn summary_check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (summary, markdown) = text.split_once("\n\n").unwrap_or((&*text, ""));
    let Ok(url) = Url::parse(BASE) else { return };
    let page = Page::new(url, "").with_markdown(markdown);
    let checked = check_summary(summary, &page);
    assert_eq!(checked.dropped > 0, !checked.faults.is_empty(), "{checked:?}");
    for fault in &checked.faults {
        assert_eq!(summary.get(fault.start..fault.end), Some(fault.text.as_str()), "{fault:?}");
        assert!(!fault.text.trim().is_empty(), "{fault:?}");
    }
    let mut remaining = summary.chars().filter(|char: &char| !char.is_whitespace());
    let mut kept = checked.text.chars().filter(|char: &char| !char.is_whitespace());
    assert!(
        kept.all(|wanted| remaining.any(|char| char == wanted)),
        "not part of the summary: {:?}",
        checked.text
    );
    assert_eq!(check_summary(summary, &page), checked, "a second check differs");
}
