//! Why a crawl found next to nothing, with the options that would let more in.

use gleaner::SkipReason;

/// At most so many reasons are told.
const TOLD_REASONS: usize = 3;

/// The commonest reasons for which links were left out; `None` where none was.
pub(crate) fn left_out(rejections: &[(SkipReason, u64)]) -> Option<String> {
    let mut most_first: Vec<&(SkipReason, u64)> = rejections.iter().filter(|(_, count)| *count > 0).collect();
    most_first.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let told: Vec<String> = most_first
        .iter()
        .take(TOLD_REASONS)
        .map(|(reason, count)| format!("{count} {}", words(*reason)))
        .collect();
    (!told.is_empty()).then(|| format!("links left out: {}", told.join(", ")))
}

/// As it follows a number, with the option that decides it.
const fn words(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::UnsupportedScheme => "neither http nor https",
        SkipReason::TooLong => "longer than an address may be",
        SkipReason::OtherHost => "on other sites (--allow-external-links lets them in)",
        SkipReason::Subdomain => "on other hosts of the domain (--allow-subdomains lets them in)",
        SkipReason::OutsideStartPath => "not below the start page (--crawl-entire-domain lets them in)",
        SkipReason::Excluded => "that --exclude-paths names",
        SkipReason::NotIncluded => "that no --include-paths names",
        SkipReason::BinaryFile => "to files that are no pages, by their endings",
        SkipReason::FoundOnExternalPage => "found on pages of other sites",
        SkipReason::Nofollow => "marked nofollow (without --nofollow they are followed)",
        SkipReason::RobotsTxt => {
            "forbidden by robots.txt (--ignore-robots-txt lets them in, for sites of your own)"
        }
        SkipReason::TooCostly => "that take too long to match with --include-paths and --exclude-paths",
        _ => "for other reasons (--explain URL tells more)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_reasons_are_told_with_their_options() {
        let told = left_out(&[
            (SkipReason::OtherHost, 2),
            (SkipReason::OutsideStartPath, 27),
            (SkipReason::Excluded, 1),
            (SkipReason::Nofollow, 9),
            (SkipReason::TooLong, 0),
        ]);
        assert_eq!(
            told.as_deref(),
            Some(
                "links left out: 27 not below the start page (--crawl-entire-domain lets them in), 9 marked nofollow \
                 (without --nofollow they are followed), 2 on other sites (--allow-external-links lets them in)"
            )
        );
        assert_eq!(left_out(&[(SkipReason::TooLong, 0)]), None);
    }

    #[test]
    fn every_reason_has_words() {
        for reason in SkipReason::ALL.into_iter().filter(|reason| *reason != SkipReason::TooDeep) {
            assert!(!words(reason).contains("other reasons"), "{reason:?}");
        }
    }
}
