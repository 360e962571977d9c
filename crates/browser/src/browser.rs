//! The public handle of the browser, with its counters. It implements the port for rendering.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use gleaner_fetch::{Error, Render, RenderProxy, RenderRequest, Rendered};
use gleaner_types::BoxFuture;

use crate::builder::BrowserBuilder;
use crate::find::{BrowserNotFound, find};
use crate::page;
use crate::pool::{OpenError, Pool};

/// Renders pages with Chromium. Clones share one browser. It is started for the first page, replaced if it
/// ends, and ended when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Browser {
    pool: Arc<Pool>,
}

/// What a [`Browser`] has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrowserStats {
    /// Processes that were started.
    pub started: u64,
    /// Processes that ended by themselves.
    pub crashed: u64,
    /// Processes that were replaced after their last page.
    pub recycled: u64,
    /// Pages that were opened.
    pub pages: u64,
    /// Pages that are open now.
    pub open_pages: usize,
    /// Requests and connections outside of the interception that were refused, such as WebSockets.
    pub refused_connections: u64,
    /// The id of the current process.
    pub process_id: Option<u32>,
}

/// What the current process of a [`Browser`] holds, as the process itself says. When no page is open, both
/// numbers are 0 shortly after; more would be a leak.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inventory {
    /// Browser contexts. Each open page has one.
    pub contexts: usize,
    /// Targets: pages, frames of other sites, shared workers and service workers.
    pub targets: usize,
}

impl Browser {
    pub(crate) fn new(pool: Arc<Pool>) -> Self {
        Self { pool }
    }

    /// Sets up a browser.
    pub fn builder() -> BrowserBuilder {
        BrowserBuilder::default()
    }

    /// The program of an installed Chromium, in the places where packages put it.
    ///
    /// # Errors
    /// There is none; the text names the places and how to install one.
    pub fn find() -> Result<PathBuf, BrowserNotFound> {
        find()
    }

    /// What it has done so far.
    pub async fn stats(&self) -> BrowserStats {
        let counts = &self.pool.counts;
        BrowserStats {
            started: counts.started.load(Relaxed),
            crashed: counts.crashed.load(Relaxed),
            recycled: counts.recycled.load(Relaxed),
            pages: counts.pages.load(Relaxed),
            open_pages: self.pool.open_pages(),
            refused_connections: self.pool.refused_connections().await,
            process_id: self.pool.current().await.and_then(|running| running.process_id()),
        }
    }

    /// What the current process holds. `None` if there is no process, or it does not answer.
    pub async fn inventory(&self) -> Option<Inventory> {
        self.pool.current().await?.inventory().await.ok()
    }

    /// The version of the current process: four numbers, such as `140.0.7339.80`. `None` if there is no
    /// process.
    pub async fn version(&self) -> Option<String> {
        Some(self.pool.current().await?.version.clone())
    }

    /// Ends the browser, and waits until it has ended. Pages in work fail.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

impl Render for Browser {
    fn render<'a>(
        &'a self,
        request: &'a RenderRequest,
        proxy: &'a RenderProxy<'a>,
    ) -> BoxFuture<'a, Result<Rendered, Error>> {
        Box::pin(async move {
            let context = self.pool.open().await.map_err(|error| match error {
                OpenError::Launch(error) if error.is_exhaustion() => Error::exhausted(&request.url),
                OpenError::Launch(error) => Error::browser_unavailable(&request.url, &error.to_string()),
                OpenError::Call(error) => {
                    tracing::debug!(%error, "a page was not opened");
                    Error::browser_crashed(&request.url)
                }
            })?;
            page::render(&context, request, proxy).await
        })
    }

    fn capacity(&self) -> usize {
        self.pool.config.max_pages
    }
}
