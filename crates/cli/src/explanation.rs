//! The report about the URLs of `--explain`.

use std::fmt::Write;

use gleaner::{Explanation, SkipReason};

use crate::args::in_flags;
use crate::printable::{printable_line, printable_url};

/// The report, without a trailing line feed.
pub(crate) fn explanation(explanations: &[Explanation], rejections: &[(SkipReason, u64)]) -> String {
    let mut text = String::new();
    for explained in explanations {
        let verdict = in_flags(&explained.verdict.to_string());
        let _ = write!(text, "{}: {}", printable_url(&explained.url), printable_line(&verdict));
        if let Some(page) = &explained.found_on {
            let _ = write!(text, "\n  first found on {}", printable_url(page));
        }
        if let Some(sitemap) = &explained.named_in {
            let _ = write!(text, "\n  listed in the sitemap {}", printable_url(sitemap));
        }
        match explained.depth {
            Some(0) if explained.named_in.is_some() => {
                text.push_str("\n  0 clicks from the start (it is listed in the sitemap)");
            }
            Some(1) => text.push_str("\n  1 click from the start"),
            Some(clicks) => {
                let _ = write!(text, "\n  {clicks} clicks from the start");
            }
            None => {}
        }
        if let Some(trap) = explained.deferred_by {
            let _ = write!(text, "\n  deferred until other pages were done: {trap}");
        }
        text.push('\n');
    }
    if rejections.is_empty() {
        text.push_str("no link was left out");
    } else {
        text.push_str("links that were left out:");
        for (reason, count) in rejections {
            let _ = write!(text, "\n  {count} because {}", in_flags(&reason.to_string()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_fits_one_link_and_many() {
        // Only v1 of the API limits path segments; this program has no option for it.
        for reason in SkipReason::ALL.into_iter().filter(|reason| *reason != SkipReason::TooDeep) {
            let text = explanation(&[], &[(reason, 3)]);
            assert!(!text.contains('`'), "options have their names on the command line: {text}");
            assert!(
                !text.contains("because it") && !text.contains(" its "),
                "the text is in the plural: {text}"
            );
        }
        let text = explanation(&[], &[(SkipReason::OtherHost, 1), (SkipReason::TooLong, 2)]);
        assert_eq!(
            text,
            "links that were left out:\n  \
             1 because other sites are left out (--allow-external-links lets them in)\n  \
             2 because URLs longer than 8192 bytes are not crawled"
        );
    }
}
