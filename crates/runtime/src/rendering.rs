//! Which pages a browser renders, as far as their options decide it.

use std::fmt;

use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{ErrorCode, PageError};

/// When pages are rendered by the browser of the [`Fetch`](crate::Fetch) port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RenderPolicy {
    /// Never, as if there were no browser.
    Never,
    /// If the options of the page [ask for it](RenderNeed).
    WhenAsked,
    /// If the options ask for it, and if the page as served is an empty shell that scripts fill. Such a page
    /// is requested twice and counts once. For the kinds of pages of a host that were shells repeatedly, the
    /// first request is left out.
    #[default]
    Auto,
}

/// The use of the browser of the [`Fetch`](crate::Fetch) port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderSettings {
    /// When pages are rendered.
    pub policy: RenderPolicy,
    /// Maximum number of pages rendered at once, over all jobs; at least one. Further pages wait before their
    /// request and outside their timeout. Teams take turns, and so do the hosts of a team.
    pub slots: usize,
}

/// Whether the options of a page need a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenderNeed {
    /// No: the page as served satisfies them.
    No,
    /// They have more effect in a browser: `waitFor` and `mobile`.
    Asked,
    /// Only a browser can satisfy them: `actions` and the format `screenshot`.
    Required,
}

impl RenderNeed {
    /// The need of these options.
    #[must_use]
    pub fn of(options: &ScrapeOptionsPlan) -> Self {
        if !options.actions.is_empty() || options.formats.screenshot.is_some() {
            Self::Required
        } else if options.mobile || !options.wait_for.is_zero() {
            Self::Asked
        } else {
            Self::No
        }
    }

    /// The error of a page with these options if there is no browser: the first option that requires one, and
    /// the remedy. `None` if none does.
    #[must_use]
    pub fn refusal(options: &ScrapeOptionsPlan) -> Option<PageError> {
        let (code, what, remedy) = if !options.actions.is_empty() {
            (ErrorCode::ScrapeActionsNotSupported, "`actions` need", "leave `actions` out")
        } else if options.formats.screenshot.is_some() {
            (
                ErrorCode::ScrapeScreenshotNotSupported,
                "the format `screenshot` needs",
                "leave it out of `formats`",
            )
        } else {
            return None;
        };
        let message = format!(
            "{what} a browser, and this engine was built without one: its operator can add one (the feature \
             `browser` of gleaner, and an installed Chromium: on Debian, `apt-get install \
             chromium-headless-shell`); until then, {remedy}"
        );
        Some(PageError { code, message })
    }
}

/// Do the options accept only cached copies? The cache holds no rendered pages.
pub(crate) const fn is_cache_only(options: &ScrapeOptionsPlan) -> bool {
    options.lockdown || options.min_age.is_some()
}

/// Why a page that seems to need its scripts stays as it was served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotRendered {
    /// The engine has no browser.
    NoBrowser,
    /// The policy is [`RenderPolicy::WhenAsked`].
    NotAsked,
    /// The options accept only cached copies.
    CacheOnly,
    /// It is an error page.
    ErrorPage,
    /// The deadline of the page is too close.
    NoTime,
    /// No browser or no permit of the host was free in time.
    NoSlot,
    /// The rendering failed with this message.
    Failed(String),
    /// The rendered page is an error page with this status.
    Status(u16),
    /// The rendered page has less text. It has this warning, which may say why.
    LessText(Option<String>),
}

/// The warning of the document.
impl fmt::Display for NotRendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("This page seems to need JavaScript: as served, it has almost no text")?;
        match self {
            Self::NoBrowser => f.write_str(", and this engine has no browser that runs its scripts"),
            Self::NotAsked => {
                f.write_str("; this engine renders a page only if its options ask for it, such as `waitFor`")
            }
            Self::CacheOnly => f.write_str("; with `lockdown` or `minAge`, no page is rendered"),
            Self::ErrorPage => Ok(()),
            Self::NoTime => f.write_str("; there was no time left to render it"),
            Self::NoSlot => f.write_str("; no browser was free in time to render it"),
            Self::Failed(message) => write!(f, "; it could not be rendered: {message}"),
            Self::Status(status) => write!(f, "; the rendered page has the status {status}"),
            Self::LessText(None) => f.write_str("; the rendered page has less"),
            Self::LessText(Some(warning)) => write!(f, "; the rendered page has less: {warning}"),
        }
    }
}
