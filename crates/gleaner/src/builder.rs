//! The settings of an engine: those that most programs need, and the groups of the others.

mod executing;
mod hooks;
mod limits;
mod network;
mod pages;
mod politeness;
mod storage;

use std::sync::Arc;
use std::time::Duration;

use gleaner_fetch::{
    CacheStore, DEFAULT_MAX_KEPT_CONNECTIONS, EgressPolicy, FetcherBuilder, MemoryCache, Render,
};
use gleaner_frontier::{
    DEFAULT_INITIAL_PER_ADDRESS, DEFAULT_INITIAL_PER_HOST, DEFAULT_LEASE_TIME, DEFAULT_MAX_IN_FLIGHT,
    FrontierConfig,
};
use gleaner_runtime::{
    DocumentSink, Executor, MemoryBudget, PageHooks, RenderPolicy, RenderSettings, Runtime, RuntimeConfig,
};
use gleaner_store::{MemoryConfig, Store};
use gleaner_types::RequestBounds;
use ipnet::IpNet;
use tokio::runtime::Handle;

use crate::adapters::{FetchAdapter, LinkRules, TransformAdapter};
use crate::extract::{ExtractPart, ExtractSettings};
use crate::open_files::{connections, open_files};
use crate::pdf::PdfSettings;
use crate::postgres::DatabaseSettings;
use crate::service::{ServicePart, ServiceSettings};
use crate::sqlite::FileSettings;
use crate::support::{Capabilities, StoredOptions};
use crate::{Engine, Error};

pub use limits::{Limits, MIN_PAGE_MEMORY};
pub use network::Network;
pub use pages::Pages;
pub use politeness::Politeness;
pub use storage::Storage;

/// Default of [`Politeness::robots_agent`].
const DEFAULT_ROBOTS_AGENT: &str = "gleaner";

/// The initial concurrency of all hosts of one IP address, in multiples of that of one host.
const HOSTS_PER_ADDRESS: u32 = DEFAULT_INITIAL_PER_ADDRESS / DEFAULT_INITIAL_PER_HOST;

/// A lease lasts this many times the longest `timeout`: a page may wait for a slot before its fetch, and for
/// a model after it.
const TIMEOUTS_PER_LEASE: u32 = 3;

/// Where copies of pages are kept.
#[derive(Debug, Clone)]
enum PageCache {
    /// In memory, with the default capacity.
    Memory,
    Store(Arc<dyn CacheStore>),
    None,
}

/// Configures an [`Engine`]. Every setting has a default, so most programs set a user agent and little else.
///
/// ```
/// use std::time::Duration;
///
/// use gleaner::{Engine, Limits, Network, Politeness};
///
/// # fn main() -> Result<(), gleaner::Error> {
/// let engine = Engine::builder()
///     .user_agent("my-crawler/1.0 (+https://example.com/bot)")
///     .concurrency(20)
///     .politeness(Politeness::new().concurrency_per_host(4))
///     .network(Network::new().connect_timeout(Duration::from_secs(5)))
///     .limits(Limits::new().max_body(10 << 20)) // bytes
///     .build()?;
/// # drop(engine);
/// # Ok(())
/// # }
/// ```
///
/// What few programs need is in groups: [`Network`], [`Limits`], [`Politeness`], [`Storage`] and [`Pages`],
/// and `gleaner::service::Serving` for a service. A group can be given more than once; what it does not set
/// stays as it is. What one request needs, such as its headers, its `timeout` or its formats, belongs to the
/// [request](crate::request).
#[derive(Debug)]
pub struct EngineBuilder {
    runtime: Option<Handle>,
    fetcher: FetcherBuilder,
    egress: EgressPolicy,
    allowed: Vec<IpNet>,
    user_agent: Option<String>,
    robots_agent: String,
    concurrency: u32,
    concurrency_per_host: Option<u32>,
    bounds: RequestBounds,
    near_duplicates: bool,
    site_memory: bool,
    checks_certificates: bool,
    links: LinkRules,
    store: Option<Arc<dyn Store>>,
    pub(crate) file: FileSettings,
    pub(crate) database: DatabaseSettings,
    retained: Option<(usize, u64)>,
    result_retention: Option<Duration>,
    page_memory: Option<u64>,
    cache: PageCache,
    has_stealth_proxies: bool,
    renderer: Option<Arc<dyn Render>>,
    render_policy: RenderPolicy,
    hooks: Option<Arc<dyn PageHooks>>,
    sink: Option<Arc<dyn DocumentSink>>,
    pub(crate) pdf: PdfSettings,
    pub(crate) extract: ExtractSettings,
    pub(crate) service: ServiceSettings,
}

impl Default for EngineBuilder {
    fn default() -> Self {
        Self {
            runtime: None,
            fetcher: FetcherBuilder::default(),
            egress: EgressPolicy::public_only(),
            allowed: Vec::new(),
            user_agent: None,
            robots_agent: DEFAULT_ROBOTS_AGENT.to_owned(),
            concurrency: DEFAULT_MAX_IN_FLIGHT,
            concurrency_per_host: None,
            bounds: RequestBounds::default(),
            near_duplicates: true,
            site_memory: true,
            checks_certificates: false,
            links: LinkRules::default(),
            store: None,
            file: Default::default(),
            database: Default::default(),
            retained: None,
            result_retention: None,
            page_memory: None,
            cache: PageCache::Memory,
            has_stealth_proxies: false,
            renderer: None,
            render_policy: RenderPolicy::default(),
            hooks: None,
            sink: None,
            pdf: Default::default(),
            extract: Default::default(),
            service: Default::default(),
        }
    }
}

/// The network.
impl EngineBuilder {
    /// Allows connections to a range of addresses that the egress guard refuses by default, such as
    /// `127.0.0.0/8`. May be called repeatedly.
    #[must_use]
    pub fn allow_private(mut self, range: IpNet) -> Self {
        self.allowed.push(range);
        self
    }

    /// Sets the `User-Agent` header of requests that go direct or through the [basic
    /// proxies](Network::basic_proxies): of pages, robots.txt, sitemaps and webhooks. Default:
    /// `Mozilla/5.0 (compatible; gleaner/VERSION)`.
    ///
    /// Three kinds of requests send another one: with `mobile`, that of a phone and `gleaner/VERSION`;
    /// through the [stealth proxies](Network::stealth_proxies), that of a browser without a mention of
    /// gleaner; and with a `User-Agent` among the headers of the request, that one. A page in a
    /// [browser](Self::renderer) sends the same, and its scripts see it; with `proxy: "stealth"`, it is that
    /// of the browser itself. The agent that robots.txt is read for is set by
    /// [`robots_agent`](Politeness::robots_agent).
    #[must_use]
    pub fn user_agent(mut self, agent: impl Into<String>) -> Self {
        self.user_agent = Some(agent.into());
        self
    }

    /// Sets the browser for pages whose options need one (`actions`, the format `screenshot`, `waitFor` and
    /// `mobile`) and for pages that are empty without their scripts; see
    /// [`render_policy`](Pages::render_policy). Its traffic passes the same egress guard. At most its
    /// [`capacity`](Render::capacity) is rendered at once. Default: none; the first two options are refused.
    ///
    /// With the feature `browser`, `EngineBuilder::browser` sets an installed Chromium. With a browser,
    /// `metadata.engine` of every document says what made it.
    #[must_use]
    pub fn renderer(mut self, renderer: Arc<dyn Render>) -> Self {
        self.renderer = Some(renderer);
        self
    }
}

/// Work and its store.
impl EngineBuilder {
    /// Sets the maximum number of pages in work at once, on all hosts and for all jobs together. Default: 50;
    /// at least 1. More pages at once take more memory and more connections.
    #[must_use]
    pub fn concurrency(mut self, pages: u32) -> Self {
        self.concurrency = pages.max(1);
        self
    }

    /// Sets the store of jobs. Default: a [`MemoryStore`](crate::store::MemoryStore). Another store has
    /// limits of its own: [`concurrency_per_host`](Politeness::concurrency_per_host),
    /// [`retained_results`](Storage::retained_results) and [`result_retention`](Storage::result_retention)
    /// do not apply to it. If it survives the process ([`Store::is_durable`]), jobs of an earlier process go
    /// on.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Builds the engine.
    ///
    /// # Errors
    /// [`Configuration`](crate::ErrorKind::Configuration) if a setting is invalid: an empty user agent or one
    /// that no header can hold, too little memory for pages, a root certificate that cannot be read, a
    /// timeout of zero, a proxy pool without proxies, two stores, or a tokio runtime without time or I/O.
    /// With `EngineBuilder::store_at` or `EngineBuilder::store_in_database`,
    /// [`Store`](crate::ErrorKind::Store) if the file or the database cannot be opened, or if the threads of
    /// the engine cannot start.
    pub fn build(mut self) -> Result<Engine, Error> {
        self.check()?;
        let executor = self.executor()?;
        let database = std::mem::take(&mut self.database);
        let store = database.open_blocking(self.memory_config(), self.result_retention, &executor)?;
        self.store = store.or(self.store);
        self.build_opened(executor)
    }

    /// Like [`build`](Self::build), and does not block the thread while it connects to a database.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    pub async fn build_async(mut self) -> Result<Engine, Error> {
        self.check()?;
        let executor = self.executor()?;
        let database = std::mem::take(&mut self.database);
        if database.is_set() {
            self.store = executor.run(database.open(self.memory_config(), self.result_retention)).await?;
        }
        self.build_opened(executor)
    }

    fn check(&self) -> Result<(), Error> {
        if self.user_agent.as_ref().is_some_and(|agent| agent.trim().is_empty()) {
            return Err(Error::configuration(
                "the user agent is empty: tell sites who sends the requests, for example \
                 `my-crawler/1.0 (+https://example.com/bot)`",
            ));
        }
        if self.page_memory.is_some_and(|bytes| bytes < MIN_PAGE_MEMORY) {
            return Err(Error::configuration(
                "the memory for pages is too small: at least 64 MiB (67108864 bytes) are needed",
            ));
        }
        let stores = [self.store.is_some(), self.file.is_set(), self.database.is_set()];
        if stores.into_iter().filter(|is_set| *is_set).count() > 1 {
            return Err(Error::configuration(
                "there are two stores: choose one of `store`, `store_at` (a file, for one process) and \
                 `store_in_database` (for many processes)",
            ));
        }
        Ok(())
    }

    /// The browser, unless pages are never rendered.
    fn chosen_renderer(&self) -> Option<&Arc<dyn Render>> {
        self.renderer.as_ref().filter(|_| self.render_policy != RenderPolicy::Never)
    }

    /// The limits of a store.
    fn memory_config(&self) -> MemoryConfig {
        let mut frontier = FrontierConfig::default();
        frontier.lease_time = DEFAULT_LEASE_TIME.max(self.bounds.timeout() * TIMEOUTS_PER_LEASE);
        // Pages that wait for a browser are leased beside those in work.
        let leases_per_page = if self.chosen_renderer().is_some() { 2 } else { 1 };
        frontier.max_in_flight = self.concurrency.saturating_mul(leases_per_page);
        frontier.max_per_host = self.concurrency;
        frontier.max_per_address = self.concurrency;
        if let Some(pages) = self.concurrency_per_host {
            (frontier.initial_per_host, frontier.max_per_host) = (pages, pages);
            frontier.initial_per_address = pages.saturating_mul(HOSTS_PER_ADDRESS);
        }
        let mut config = MemoryConfig::default().frontier(frontier);
        if let Some(retained) = self.retained {
            (config.all_retained_bytes, config.spilled_bytes) = retained;
        }
        config.retention = self.result_retention.unwrap_or(config.retention);
        config
    }

    /// Builds the engine. A database is open, as the store.
    fn build_opened(self, executor: Executor) -> Result<Engine, Error> {
        let limits = self.memory_config();
        let renderer = self.chosen_renderer().cloned();
        let memory = self.page_memory.map_or_else(MemoryBudget::default, MemoryBudget::of);
        let egress = self.allowed.into_iter().fold(self.egress, EgressPolicy::allow_cidr);
        let mut fetcher = self.fetcher.egress(egress).body_memory(memory.bodies);
        if let Some(files) = open_files() {
            let (open, kept) = connections(files, DEFAULT_MAX_KEPT_CONNECTIONS);
            fetcher = fetcher.max_connections(open).max_kept_connections(kept);
        }
        if let Some(agent) = self.user_agent {
            fetcher = fetcher.user_agent(agent);
        }
        let rendering = renderer
            .as_ref()
            .map(|renderer| RenderSettings { policy: self.render_policy, slots: renderer.capacity() });
        let capabilities = Capabilities {
            renders: renderer.is_some(),
            stealth: self.has_stealth_proxies,
            caches: !matches!(self.cache, PageCache::None),
            tracks_changes: ServicePart::TRACKS_CHANGES,
        };
        match self.cache {
            PageCache::Memory => fetcher = fetcher.cache(Arc::new(MemoryCache::default())),
            PageCache::Store(store) => fetcher = fetcher.cache(store),
            PageCache::None => {}
        }
        let fetcher = fetcher.build()?;
        let clock = executor.clock();
        let (store, is_own) = match self.store {
            Some(store) => (store, false),
            None => (self.file.open(limits, clock.started())?, true),
        };
        let uses_model = self.extract.uses_model();
        let agent = self.robots_agent.clone();
        let transform =
            Arc::new(TransformAdapter::new(uses_model, self.links, agent, memory.large, self.site_memory));
        let runtime = Runtime::new(RuntimeConfig {
            executor,
            store,
            fetch: Arc::new(FetchAdapter {
                fetcher: fetcher.clone(),
                renderer,
                checks_certificates: self.checks_certificates,
            }),
            pdfs: self.pdf.workers(&transform),
            transform,
            rendering,
            clock,
            robots_agent: self.robots_agent,
            max_in_flight: self.concurrency,
            near_duplicates: self.near_duplicates,
            memory,
        });
        if let Some(hooks) = self.hooks {
            runtime.set_hooks(hooks);
        }
        if let Some(sink) = self.sink {
            runtime.set_sink(sink);
        }
        if is_own {
            runtime.own_store();
        }
        let extract = ExtractPart::new(&runtime, self.extract, self.bounds);
        if let Some(port) = extract.port() {
            runtime.set_extract(port);
        }
        runtime.set_options_check(Arc::new(StoredOptions { engine: capabilities, extract: extract.clone() }));
        let service = ServicePart::new(&runtime, self.service, extract.port(), fetcher);
        let engine = Engine::new(runtime, service, extract, capabilities, self.bounds);
        if engine.runtime().store().is_durable() {
            // Otherwise, that its threads cannot start would be known only from the log.
            engine.runtime().executor().handle()?;
            engine.wake();
        }
        Ok(engine)
    }
}
