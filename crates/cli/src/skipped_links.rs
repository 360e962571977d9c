//! Why a crawl skipped links, with the options that include them.

use gleaner::SkipReason;

/// Upper bound on the reported reasons.
const MAX_REASONS: usize = 3;

/// The most frequent reasons for skipped links; `None` if no link was skipped.
pub(crate) fn skipped_links(rejections: &[(SkipReason, u64)]) -> Option<String> {
    let mut by_count: Vec<&(SkipReason, u64)> = rejections.iter().filter(|(_, count)| *count > 0).collect();
    by_count.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let reasons: Vec<String> = by_count
        .iter()
        .take(MAX_REASONS)
        .map(|(reason, count)| format!("{count} {}", text(*reason)))
        .collect();
    (!reasons.is_empty()).then(|| format!("links left out: {}", reasons.join(", ")))
}

/// The text after the number of links, with the option that includes them.
const fn text(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::UnsupportedScheme => "neither http nor https",
        SkipReason::TooLong => "longer than the limit for URLs",
        SkipReason::OtherHost => "on other sites (--allow-external-links lets them in)",
        SkipReason::Subdomain => "on other hosts of the domain (--allow-subdomains lets them in)",
        SkipReason::OutsideStartPath => "not below the start page (--crawl-entire-domain lets them in)",
        SkipReason::Excluded => "that --exclude-paths names",
        SkipReason::NotIncluded => "that no --include-paths names",
        SkipReason::BinaryFile => "to files that are not pages, such as images and archives",
        SkipReason::FoundOnExternalPage => "found on pages of other sites",
        SkipReason::Nofollow => "marked nofollow (without --nofollow they are followed)",
        SkipReason::RobotsTxt => {
            "forbidden by robots.txt (--ignore-robots-txt lets them in, for sites of your own)"
        }
        SkipReason::Hook => "that a hook of this program skips",
        SkipReason::TooCostly => "that take too long to match with --include-paths and --exclude-paths",
        _ => "for other reasons (see --explain URL)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_reasons_are_listed_with_their_options() {
        let reasons = skipped_links(&[
            (SkipReason::OtherHost, 2),
            (SkipReason::OutsideStartPath, 27),
            (SkipReason::Excluded, 1),
            (SkipReason::Nofollow, 9),
            (SkipReason::TooLong, 0),
        ]);
        assert_eq!(
            reasons.as_deref(),
            Some(
                "links left out: 27 not below the start page (--crawl-entire-domain lets them in), \
                 9 marked nofollow (without --nofollow they are followed), \
                 2 on other sites (--allow-external-links lets them in)"
            )
        );
        assert_eq!(skipped_links(&[(SkipReason::TooLong, 0)]), None);
    }

    #[test]
    fn every_reason_has_a_text() {
        // Only v1 of the API limits path segments; this program has no option for it.
        for reason in SkipReason::ALL.into_iter().filter(|reason| *reason != SkipReason::TooDeep) {
            assert!(!text(reason).contains("other reasons"), "{reason:?}");
        }
    }
}
