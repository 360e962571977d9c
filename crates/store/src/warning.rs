//! Warnings for the reader of a job.

use std::fmt;

use gleaner_types::{ErrorCode, PageError};
use serde::{Deserialize, Serialize};

/// Most warnings that a job keeps.
pub const MAX_WARNINGS: usize = 100;

/// A warning for the reader of a job. [`Display`](fmt::Display) gives its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum JobWarning {
    /// robots.txt forbids the start page of a crawl.
    StartForbidden,
    /// The robots.txt of the start page could not be read, so the crawl has no pages.
    StartRobotsUnreadable(PageError),
    /// A robots.txt could not be read, so pages of its host were not fetched.
    RobotsUnreadable(PageError),
    /// The start page redirects to a page that the crawl may not read.
    StartRedirect(String),
    /// A sitemap is broken: its address without secrets, and the problem.
    Sitemap {
        /// The address.
        url: String,
        /// The problem.
        problem: String,
    },
    /// Matching some URLs with the patterns of the crawl takes too long.
    CostlyPatterns,
    /// Too many pages of the job wait already, or a URL is too long.
    NotQueued,
    /// The list of pages without a document is not complete.
    FailuresNotListed,
    /// Pages could not be read back from their temporary file.
    PagesLost(u64),
    /// Documents could not be read back from their file.
    DocumentsLost(u64),
    /// Appended pages are scraped with the options of their batch.
    AppendedOptions,
    /// `maxConcurrency` of appended pages has no effect.
    AppendedConcurrency,
    /// A remark on the request of the job.
    Request(String),
}

const LOST: &str = "lost: their file could not be read";

impl JobWarning {
    /// A robots.txt could not be read because of an invalid certificate.
    #[must_use]
    pub fn is_invalid_certificate(&self) -> bool {
        matches!(self, Self::StartRobotsUnreadable(error) | Self::RobotsUnreadable(error)
            if error.code == ErrorCode::ScrapeSslError)
    }
}

impl fmt::Display for JobWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StartForbidden => f.write_str("robots.txt forbids the start page, so nothing was crawled"),
            Self::StartRobotsUnreadable(error) => write!(f, "nothing was crawled: {}", error.message),
            Self::RobotsUnreadable(error) => write!(f, "some pages were not fetched: {}", error.message),
            Self::StartRedirect(reason) => {
                write!(f, "nothing was crawled from the start page: {reason}")
            }
            Self::Sitemap { url, problem } => write!(f, "the sitemap {url} {problem}"),
            Self::CostlyPatterns => f.write_str(
                "some URLs were skipped, because matching them with `includePaths` and `excludePaths` takes \
                 too long",
            ),
            Self::NotQueued => f.write_str(
                "some pages were not queued: too many pages of the job wait already, or a URL is too long",
            ),
            Self::FailuresNotListed => f.write_str("not all pages without a document are listed"),
            Self::PagesLost(count) => write!(f, "{count} pages were {LOST}"),
            Self::DocumentsLost(count) => write!(f, "{count} documents were {LOST}"),
            Self::AppendedOptions => f.write_str("appended pages are scraped with the options of the batch"),
            Self::AppendedConcurrency => {
                f.write_str("`maxConcurrency` of appended pages has no effect: that of the batch applies")
            }
            Self::Request(remark) => f.write_str(remark),
        }
    }
}
