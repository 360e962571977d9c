//! The reasons why a crawl skips a URL.

use std::fmt;

/// Why a URL is not crawled. `Display` gives a clause for people that fits one URL and many, after "because"
/// or a colon; options of the request are in backquotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// The scheme is neither `http` nor `https`.
    UnsupportedScheme,
    /// The URL is longer than [`MAX_URL_BYTES`](crate::MAX_URL_BYTES).
    TooLong,
    /// The URL is on another site or port.
    OtherHost,
    /// The URL is on another host of the same registrable domain.
    Subdomain,
    /// The URL is not below the start URL.
    OutsideStartPath,
    /// A pattern of `excludePaths` matches.
    Excluded,
    /// No pattern of `includePaths` matches.
    NotIncluded,
    /// Matching it against the patterns of the crawl takes too long.
    TooCostly,
    /// It has too many path segments below the start URL.
    TooDeep,
    /// By its extension, the file is not a page: image, archive, media, font or program. Where the extension
    /// is unsure, its content type says so.
    BinaryFile,
    /// The link is on an external page, whose links are not followed.
    FoundOnExternalPage,
    /// The page with the link asks not to follow it. The scope never returns this, because it does not know
    /// the page.
    Nofollow,
    /// robots.txt forbids it. The scope never returns this, because it does not know robots.txt.
    RobotsTxt,
    /// A hook of the embedding program skips it. The scope never returns this.
    Hook,
}

impl SkipReason {
    /// All reasons, in the order in which they are tested.
    pub const ALL: [Self; 14] = [
        Self::UnsupportedScheme,
        Self::TooLong,
        Self::FoundOnExternalPage,
        Self::OtherHost,
        Self::Subdomain,
        Self::BinaryFile,
        Self::OutsideStartPath,
        Self::TooDeep,
        Self::Excluded,
        Self::NotIncluded,
        Self::TooCostly,
        Self::Nofollow,
        Self::RobotsTxt,
        Self::Hook,
    ];

    /// A short name for counters and JSON: `outside_start_path`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnsupportedScheme => "unsupported_scheme",
            Self::TooLong => "too_long",
            Self::OtherHost => "other_host",
            Self::Subdomain => "subdomain",
            Self::OutsideStartPath => "outside_start_path",
            Self::Excluded => "excluded",
            Self::NotIncluded => "not_included",
            Self::TooCostly => "too_costly",
            Self::TooDeep => "too_deep",
            Self::BinaryFile => "binary_file",
            Self::FoundOnExternalPage => "found_on_external_page",
            Self::Nofollow => "nofollow",
            Self::RobotsTxt => "robots_txt",
            Self::Hook => "hook",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnsupportedScheme => "only http and https URLs are crawled",
            Self::TooLong => "URLs longer than 8192 bytes are not crawled",
            Self::OtherHost => "other sites are left out (`allowExternalLinks` lets them in)",
            Self::Subdomain => "other hosts of the same domain are left out (`allowSubdomains` lets them in)",
            Self::OutsideStartPath => {
                "what is not below the start URL is left out (`crawlEntireDomain` lets it in)"
            }
            Self::Excluded => "a pattern of `excludePaths` matches",
            Self::NotIncluded => "no pattern of `includePaths` matches",
            Self::TooCostly => "matching it with `includePaths` and `excludePaths` takes too long",
            Self::TooDeep => "there are more path segments below the start URL than `maxDepth` allows",
            Self::BinaryFile => "images, archives, media files, fonts and programs, by name, are no pages",
            Self::FoundOnExternalPage => "links of external pages are not followed",
            Self::Nofollow => "the page with the link asks not to follow it (nofollow)",
            Self::RobotsTxt => "robots.txt forbids access (`ignoreRobotsTxt` lets it in)",
            Self::Hook => "a hook of the embedding program skips it",
        })
    }
}
