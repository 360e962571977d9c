//! What is said about addresses that `--explain` names.

use std::fmt::Write;

use gleaner::{Explanation, SkipReason};

use crate::args::in_flags;
use crate::printable::{printable_address, printable_line};

/// Some lines for a person, without a line feed at the end.
pub(crate) fn explanation(explanations: &[Explanation], rejections: &[(SkipReason, u64)]) -> String {
    let mut text = String::new();
    for explained in explanations {
        let verdict = in_flags(&explained.verdict.to_string());
        let _ = write!(text, "{}: {}", printable_address(&explained.url), printable_line(&verdict));
        if let Some(page) = &explained.found_on {
            let _ = write!(text, "\n  first found on {}", printable_address(page));
        }
        if let Some(sitemap) = &explained.named_in {
            let _ = write!(text, "\n  named by the sitemap {}", printable_address(sitemap));
        }
        match explained.depth {
            Some(0) if explained.named_in.is_some() => {
                text.push_str("\n  0 clicks from the start (the sitemap names it)");
            }
            Some(1) => text.push_str("\n  1 click from the start"),
            Some(clicks) => {
                let _ = write!(text, "\n  {clicks} clicks from the start");
            }
            None => {}
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
            let _ = write!(text, "\n  {count} because {}", in_flags(&reason.to_string()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_reads_well_for_one_link_and_for_many() {
        // By path segments only the first version of the contract limits a crawl, and no option of this program.
        for reason in SkipReason::ALL.into_iter().filter(|reason| *reason != SkipReason::TooDeep) {
            let text = explanation(&[], &[(reason, 3)]);
            assert!(!text.contains('`'), "the option is named as it is given here: {text}");
            assert!(!text.contains("because it") && !text.contains(" its "), "three are not one: {text}");
        }
        let text = explanation(&[], &[(SkipReason::OtherHost, 1), (SkipReason::TooLong, 2)]);
        assert_eq!(
            text,
            "links that were left out:\n  1 because other sites are left out (--allow-external-links lets them in)\n  \
             2 because URLs longer than 8192 bytes are not crawled"
        );
    }
}
