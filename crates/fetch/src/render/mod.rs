//! The interface of a browser engine, and its access to the network.
//!
//! A browser opens connections for every picture and script of a page, to any host that the page names. So
//! the engine has no network of its own: its [`RenderProxy`] answers each request of a page through the
//! fetcher, with the same guard, limits and proxies as for pages without a browser. (With the DevTools
//! protocol this is request interception; the browser's process should have no other route to the network.)
//!
//! The caller checks where the main frame goes, as for a page without a browser: the proxy asks its
//! [`RedirectCheck`] before each redirect is followed and before each navigation of a script is sent, so a
//! refused URL is never requested.
//!
//! The cookies of a page have one owner, the browser. It starts with those of the job, applies the rules of
//! browsers to them, and gives them back at the end. The proxy neither adds nor stores any.
//!
//! One call renders one page from navigation to the last action. Alternative: one call per step. With a
//! single call the engine owns a tab exactly as long as the future lives, and dropping the future closes it.

#[cfg(feature = "testing")]
pub(crate) mod conformance;
mod document_facts;
mod load;
mod main_frame;
mod proxy;
mod rendered;
mod request;
mod result;
mod usage;

use std::fmt;

use gleaner_types::BoxFuture;
use gleaner_types::plan::ProxyMode;
use http::header::USER_AGENT;
use tokio::time::Instant;

pub use document_facts::DocumentFacts;
pub use load::{Load, LoadKind};
pub use proxy::RenderProxy;
pub use rendered::{MAX_RESULTS_BYTES_PER_PAGE, Rendered, RenderedPage};
pub use request::RenderRequest;
pub use result::{ActionResult, Picture};
pub use usage::{
    MAX_BYTES_PER_PAGE, MAX_BYTES_PER_RESOURCE, MAX_LOADS_PER_HOST, MAX_LOADS_PER_PAGE, MAX_REQUESTS_PER_PAGE,
};

use crate::error::{Error, ErrorKind};
use crate::fetcher::Fetcher;
use crate::redirect::RedirectCheck;

/// The default of [`Render::capacity`].
pub const DEFAULT_RENDERS: usize = 2;

/// A browser engine.
pub trait Render: Send + Sync + fmt::Debug {
    /// Opens `request.url` with `proxy` as its only network, waits, runs the actions in their order, and
    /// returns the resulting page.
    ///
    /// Dropping the future ends the page. The caller enforces the deadline; [`RenderProxy::remaining`]
    /// returns the time that is left.
    ///
    /// # Errors
    ///
    /// The error of `proxy` for the page itself, [`Error::action`] for a failed action, and for a failed
    /// engine [`Error::render`], [`Error::browser_crashed`], [`Error::unresponsive`],
    /// [`Error::result_too_large`], [`Error::exhausted`] or [`Error::browser_unavailable`]. Resources that
    /// could not be loaded are not an error.
    fn render<'a>(
        &'a self,
        request: &'a RenderRequest,
        proxy: &'a RenderProxy<'a>,
    ) -> BoxFuture<'a, Result<Rendered, Error>>;

    /// How many pages it renders at once, at least 1. A caller keeps further pages in its own queue, because
    /// their deadlines run inside [`render`](Self::render). Constant.
    fn capacity(&self) -> usize {
        DEFAULT_RENDERS
    }
}

impl Fetcher {
    /// Sets the [user agent](RenderRequest::user_agent) of a page, if its headers have none: that of the
    /// fetcher's other requests, and with the proxy mode `stealth` the browser's own.
    ///
    /// A page keeps it, because its scripts have seen it: with the proxy mode `auto`, also if a stealth proxy
    /// answers.
    pub fn identify(&self, request: &mut RenderRequest) {
        if request.headers.contains_key(USER_AGENT) {
            return;
        }
        request.user_agent = match request.proxy {
            ProxyMode::Basic | ProxyMode::Auto => Some(self.user_agent(request.mobile)),
            ProxyMode::Stealth => None,
        };
    }

    /// Renders a page with `engine` until the deadline of the request, with this fetcher as its network.
    /// `check` is asked before the main frame is redirected or led to another document, and once more if the
    /// page ends at a URL that it did not load. The time that `check` takes extends the deadline.
    ///
    /// # Errors
    ///
    /// As [`Render::render`] and [`Fetcher::check`]; [`ErrorKind::RedirectRefused`]; [`ErrorKind::Timeout`].
    pub fn render<'a>(
        &'a self,
        engine: &'a dyn Render,
        request: &'a RenderRequest,
        check: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<RenderedPage, Error>> {
        Box::pin(async move {
            self.check(&request.url)?;
            let limit = request.deadline.saturating_duration_since(Instant::now());
            let proxy = RenderProxy::new(self, request, check);
            let work = async { proxy.finish(engine.render(request, &proxy).await?).await };
            proxy.run(work).await.unwrap_or_else(|_| {
                let text = format!("{} ms ran out while rendering", limit.as_micros().div_ceil(1000));
                Err(Error::new(ErrorKind::Timeout, &request.url, text))
            })
        })
    }
}
