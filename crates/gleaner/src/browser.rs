//! Pages rendered by an installed Chromium.
//!
//! The browser renders pages whose options need it, and pages that are empty without their scripts. Its only
//! network is the engine's, with the same egress guard, proxies and limits.
//!
//! ```no_run
//! use gleaner::browser::Browser;
//! use gleaner::request::{Format, ScreenshotFormat};
//! use gleaner::{Engine, ScrapeRequest};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // The program is one that `Browser::find` finds. Chromium's sandbox refuses root, so a program that runs
//! // as root names another user.
//! let browser = Browser::builder().user_if_root(65534, 65534).build()?;
//! let engine = Engine::builder().browser(browser.clone()).build()?;
//! let picture = Format::Screenshot(ScreenshotFormat::new().full_page(true));
//! let request = ScrapeRequest::new("https://example.com/").formats([Format::Markdown, picture]);
//! let page = engine.scrape(request).await?;
//! println!("{}", page.markdown.unwrap_or_default());
//! println!("a picture of {} bytes, as a data URI", page.screenshot.unwrap_or_default().len());
//! browser.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! Chromium starts for the first page. It ends when the engine and all clones of the [`Browser`] are dropped,
//! and with the program. A program that ends at once calls [`Browser::close`] before, or the folder with the
//! browser's profile may remain.

use std::sync::Arc;

use crate::EngineBuilder;

#[doc(inline)]
pub use gleaner_browser::{
    Browser, BrowserBuilder, BrowserNotFound, BrowserStats, ConfigError as BrowserConfigError,
    DEFAULT_RECYCLE_ABOVE_MEMORY, DEFAULT_RECYCLE_AFTER_PAGES, DEFAULT_START_TIMEOUT,
};

/// Pages in a browser.
impl EngineBuilder {
    /// Sets a Chromium as the [`renderer`](Self::renderer). Clones of `browser` share it, so the caller can
    /// keep one to read its [statistics](Browser::stats) or to [close](Browser::close) it.
    #[must_use]
    pub fn browser(self, browser: Browser) -> Self {
        self.renderer(Arc::new(browser))
    }
}
