//! The browser: it renders a page on this machine, as the engine would render one of a site.

use serde_json::json;

use super::finding::Finding;
use super::pages::Pages;
use super::{MAX_BROWSER, sandbox};
use crate::args::{DoctorArgs, WhichBrowser};
use crate::browser::Browser;
use crate::demo::WRITTEN_BY_SCRIPT;

const CHECK: &str = "browser";

/// What the script of the page writes.
const WRITTEN: &str = "Weir Mint";

const INSTALL: &str = "only pages that scripts build, screenshots and --actions need one; on Debian: apt-get \
                       install chromium-headless-shell; elsewhere name its program with --browser";

const REPAIR: &str = "install it again, or name another one with --browser; gleaner scrape \
                      https://example.com --wait-for 1 -vv shows what it says";

pub(super) fn late() -> Finding {
    let limit = MAX_BROWSER.as_secs();
    Finding::broken(CHECK, format!("it did not render a page within {limit} seconds"), REPAIR)
}

/// `unusable` says why the browser of the arguments cannot be used.
pub(super) async fn check(
    args: &DoctorArgs,
    browser: &Browser,
    unusable: Option<&str>,
    pages: &Pages,
) -> Vec<Finding> {
    if let Some(reason) = unusable {
        return vec![Finding::broken(CHECK, reason, INSTALL)];
    }
    let Some(program) = browser.program() else {
        return vec![match args.browser.which() {
            WhichBrowser::Never => Finding::note(CHECK, "none is used, as --browser never says", INSTALL),
            WhichBrowser::Auto | WhichBrowser::Program(_) if cfg!(unix) => {
                Finding::missing(CHECK, "no Chromium was found", INSTALL)
            }
            WhichBrowser::Auto | WhichBrowser::Program(_) => {
                Finding::note(CHECK, "browsers are supported on Unix only", "pages are fetched without one")
            }
        }];
    };
    let limit = u64::try_from(MAX_BROWSER.as_millis()).unwrap_or(u64::MAX);
    // Without a screenshot, a page is given as it was served if the browser fails.
    let options = json!({ "formats": ["markdown", "screenshot"], "timeout": limit });
    let failure = match pages.text(WRITTEN_BY_SCRIPT, options).await {
        Ok(text) if text.contains(WRITTEN) => None,
        Ok(_) => Some("it did not run the script of a page".to_owned()),
        Err(reason) => Some(reason),
    };
    let program = program.display();
    let version = browser.version().await.unwrap_or_default();
    let finding = match &failure {
        None => Finding::ok(CHECK, format!("Chromium {version} renders pages ({program})")),
        Some(reason) => Finding::broken(CHECK, format!("{program}: {reason}"), REPAIR),
    };
    vec![finding, sandbox::finding(&args.browser, failure.as_deref())]
}
