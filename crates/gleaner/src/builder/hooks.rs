//! The settings of a program's own code for each page: hooks, a layer around the fetcher, and a sink.

use std::sync::Arc;

use gleaner_fetch::FetchLayer;
use gleaner_runtime::{DocumentSink, PageHooks};

use super::EngineBuilder;

/// Your own code for each page.
impl EngineBuilder {
    /// Sets hooks for each page: which links a crawl follows, what is sent with a request, the pace of a
    /// host, retries, and the end of the page. Implement the methods that you need; the others change
    /// nothing. Default: none. A second call replaces the hooks of the first.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use gleaner::CrawlRequest;
    /// use gleaner::hooks::{Follow, FoundLink, PageFacts, PageHooks};
    /// use gleaner::request::SitemapMode;
    ///
    /// /// Follows the links of pages about tea.
    /// struct AboutTea;
    ///
    /// impl PageHooks for AboutTea {
    ///     fn follow(&self, _: &FoundLink<'_>, page: &PageFacts<'_>) -> Follow {
    ///         let text = page.document.markdown.as_deref().unwrap_or_default();
    ///         if text.contains("tea") { Follow::Yes } else { Follow::skip("the page is not about tea") }
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), gleaner::Error> {
    /// let engine = gleaner::Engine::builder().hooks(Arc::new(AboutTea)).build()?;
    /// // The hook is not asked for the URLs of a sitemap.
    /// let request = CrawlRequest::new("https://example.com/").sitemap(SitemapMode::Skip);
    /// # drop((engine, request));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn hooks(mut self, hooks: Arc<dyn PageHooks>) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Sets a layer around each request of HTTP. It answers the request itself, by a transport of your own or
    /// from a recorded session, or changes it and passes it on. The egress guard is asked first. Redirects,
    /// cookies, the cache, decoding, limits and robots.txt stay with the engine. The layer sees what the
    /// engine sends to sites and webhooks, and not what it sends to models and search engines. Default: none.
    /// A second call replaces the layer of the first.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use gleaner::BoxFuture;
    /// use gleaner::layer::{FetchError, FetchLayer, LayerAnswer, LayerRequest, Next};
    ///
    /// /// Answers from memory what it has, and asks the site for the rest.
    /// struct Recorded;
    ///
    /// impl FetchLayer for Recorded {
    ///     fn send<'a>(
    ///         &'a self,
    ///         request: LayerRequest,
    ///         next: Next<'a>,
    ///     ) -> BoxFuture<'a, Result<LayerAnswer, FetchError>> {
    ///         Box::pin(async move {
    ///             match request.url().path() {
    ///                 "/about" => Ok(LayerAnswer::new("<p>Recorded.</p>".into())),
    ///                 _ => next.send(request).await,
    ///             }
    ///         })
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), gleaner::Error> {
    /// let engine = gleaner::Engine::builder().wrap_fetch(Arc::new(Recorded)).build()?;
    /// # drop(engine);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn wrap_fetch(mut self, layer: Arc<dyn FetchLayer>) -> Self {
        self.fetcher = self.fetcher.layer(layer);
        self
    }

    /// Sets where the documents of crawls and batches go. A page counts as done only after its document was
    /// written, so a crash loses none that the sink made durable. If the jobs survive it too, one that is
    /// written again has the same job and page number; jobs in memory end with the process. The job
    /// keeps the metadata of its documents only, and needs no reader. Single scrapes are not written.
    /// Default: none; documents wait for the reader of their job.
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use std::sync::{Arc, Mutex};
    ///
    /// use gleaner::hooks::{DocumentSink, HookError, SinkPage};
    /// use gleaner::{BoxFuture, Document, JobId};
    ///
    /// #[derive(Default)]
    /// struct InMemory(Mutex<HashMap<(JobId, u64), Document>>);
    ///
    /// impl DocumentSink for InMemory {
    ///     fn write<'a>(
    ///         &'a self,
    ///         document: &'a Document,
    ///         page: SinkPage<'a>,
    ///     ) -> BoxFuture<'a, Result<(), HookError>> {
    ///         Box::pin(async move {
    ///             self.0.lock()?.insert((page.job, page.page), document.clone());
    ///             Ok(())
    ///         })
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), gleaner::Error> {
    /// let engine = gleaner::Engine::builder().sink(Arc::new(InMemory::default())).build()?;
    /// # drop(engine);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn sink(mut self, sink: Arc<dyn DocumentSink>) -> Self {
        self.sink = Some(sink);
        self
    }
}
