//! What is said about addresses that `--explain` names.

use std::fmt::Write;

use gleaner::{Explanation, Reason};

use crate::printable::printable_line;

/// Some lines for a person, without a line feed at the end.
pub(crate) fn explanation(explanations: &[Explanation], rejections: &[(Reason, u64)]) -> String {
    let mut text = String::new();
    for explained in explanations {
        let _ = write!(
            text,
            "{}: {}",
            printable_line(explained.url.as_str()),
            printable_line(&explained.verdict.to_string())
        );
        if let Some(page) = &explained.found_on {
            let _ = write!(text, "\n  first found on {}", printable_line(page.as_str()));
        }
        if let Some(clicks) = explained.depth {
            let _ = write!(text, "\n  {clicks} clicks from the start");
        }
        if let Some(trap) = explained.put_off {
            let _ = write!(text, "\n  put off until other pages were done: {trap}");
        }
        text.push('\n');
    }
    if rejections.is_empty() {
        text.push_str("no link was left out");
    } else {
        text.push_str("links that were left out:");
        for (reason, count) in rejections {
            let _ = write!(text, "\n  {count} because {reason}");
        }
    }
    text
}
