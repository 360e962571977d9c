mod crawling;
mod executing;

use std::sync::Arc;
use std::time::Duration;

use gleaner_fetch::{
    CacheStore, DEFAULT_MAX_KEPT_CONNECTIONS, EgressPolicy, FetcherBuilder, MemoryCache, ProxyPool, Render,
    Resolve,
};
use gleaner_frontier::{
    DEFAULT_INITIAL_PER_ADDRESS, DEFAULT_INITIAL_PER_HOST, DEFAULT_LEASE_TIME, DEFAULT_MAX_IN_FLIGHT,
    FrontierConfig,
};
use gleaner_runtime::{Executor, MemoryBudget, RenderPolicy, RenderSettings, Runtime, RuntimeConfig};
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

/// Default of [`EngineBuilder::robots_agent`].
const DEFAULT_ROBOTS_AGENT: &str = "gleaner";

/// Lower bound of [`EngineBuilder::page_memory`], in bytes: 64 MiB.
pub const MIN_PAGE_MEMORY: u64 = 64 << 20;

/// The initial concurrency of all hosts of one IP address, in multiples of that of one host.
const HOSTS_PER_ADDRESS: u32 = DEFAULT_INITIAL_PER_ADDRESS / DEFAULT_INITIAL_PER_HOST;

/// A lease lasts this many times the longest `timeout`: a page may wait for a slot before its fetch, and for
/// a model after it.
const TIMEOUTS_PER_LEASE: u32 = 3;

/// Where copies of pages are kept.
#[derive(Debug)]
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
/// use gleaner::Engine;
///
/// # fn main() -> Result<(), gleaner::Error> {
/// let engine = Engine::builder()
///     .user_agent("my-crawler/1.0 (+https://example.com/bot)")
///     .concurrency(20)
///     .concurrency_per_host(4)
///     .connect_timeout(Duration::from_secs(5))
///     .max_body(10 << 20) // bytes
///     .build()?;
/// # drop(engine);
/// # Ok(())
/// # }
/// ```
///
/// Settings of the network, of the tokio runtime, of limits and storage, of jobs, of structured data, of PDFs
/// and of the job service are in groups below. What one request needs, such as its headers, its `timeout` or
/// its formats, belongs to the [request](crate::request).
#[derive(Debug)]
pub struct EngineBuilder {
    runtime: Option<Handle>,
    fetcher: FetcherBuilder,
    egress: EgressPolicy,
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
        self.egress = self.egress.allow_cidr(range);
        self
    }

    /// Sets which addresses may be connected to. Default: only public ones.
    #[must_use]
    pub fn egress(mut self, policy: EgressPolicy) -> Self {
        self.egress = policy;
        self
    }

    /// Sets the resolver of host names. Its answers pass the egress guard, so it needs no filter of its own.
    /// Default: the resolver of the operating system. Answers are cached for their time to live.
    #[must_use]
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.fetcher = self.fetcher.resolver(resolver);
        self
    }

    /// Sets the maximum time for opening a connection: resolving the name, connecting and the TLS handshake
    /// together, within the `timeout` of the request. Default: 10 seconds.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.fetcher = self.fetcher.connect_timeout(timeout);
        self
    }

    /// Sets the maximum time without a byte from the server: between the request and the head of the
    /// response, and between two parts of the body. Default: none; only the `timeout` of the request applies.
    #[must_use]
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.fetcher = self.fetcher.read_timeout(timeout);
        self
    }

    /// Sets the maximum size of a page's body in bytes, as sent and as decoded. Default: 50 MiB. A page with
    /// a larger body fails with [`ScrapeBodyTooLarge`](crate::ErrorCode::ScrapeBodyTooLarge). It does not
    /// apply to robots.txt and sitemaps: a part of their rules and links is not enough.
    #[must_use]
    pub fn max_body(mut self, bytes: u64) -> Self {
        self.fetcher = self.fetcher.max_body(bytes);
        self
    }

    /// Trusts more certificate authorities besides Mozilla's roots. `pem` is a text with one or more
    /// certificates, such as the content of a CA bundle.
    #[must_use]
    pub fn add_root_certificates_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.fetcher = self.fetcher.add_root_certificates_pem(pem);
        self
    }

    /// Sets whether TLS certificates are checked even if a request accepts any. Default: false; the request
    /// decides by `skip_tls_verification`. A request of a program has its page checked unless it says
    /// otherwise. A service needs this setting: in version 2 of the API, the default of `skipTlsVerification`
    /// is true, as its clients expect. A robots.txt, which jobs share, is checked by this setting only. The
    /// certificates of webhooks, models and search engines are always checked.
    #[must_use]
    pub fn check_certificates(mut self, check: bool) -> Self {
        self.checks_certificates = check;
        self
    }

    /// Sets the `User-Agent` header of requests that go direct or through the [basic
    /// proxies](Self::basic_proxies): of pages, robots.txt, sitemaps and webhooks. Default:
    /// `Mozilla/5.0 (compatible; gleaner/VERSION)`.
    ///
    /// Three kinds of requests send another one: with `mobile`, that of a phone and `gleaner/VERSION`;
    /// through the [stealth proxies](Self::stealth_proxies), that of a browser without a mention of gleaner;
    /// and with a `User-Agent` among the headers of the request, that one. A page in a
    /// [browser](Self::renderer) sends the same, and its scripts see it; with `proxy: "stealth"`, it is that
    /// of the browser itself. The agent that robots.txt is read for is set by
    /// [`robots_agent`](Self::robots_agent).
    #[must_use]
    pub fn user_agent(mut self, agent: impl Into<String>) -> Self {
        self.user_agent = Some(agent.into());
        self
    }

    /// Sets the proxies of requests with `proxy: "basic"`, and of the first attempt of `"auto"`, which is the
    /// default of requests. Default: these requests go direct.
    ///
    /// ```
    /// use gleaner::{Engine, Proxy, ProxyPool};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let pool = ProxyPool::new([Proxy::parse("http://user:secret@10.8.0.1:3128")?])
    ///     .allow_cidr("10.8.0.0/24".parse()?); // a proxy in a private network; pages there stay forbidden
    /// let engine = Engine::builder().basic_proxies(pool).build()?;
    /// # drop(engine);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn basic_proxies(mut self, pool: ProxyPool) -> Self {
        self.fetcher = self.fetcher.basic_proxies(pool);
        self
    }

    /// Sets the proxies of requests with `proxy: "stealth"`, and of the second attempt of `"auto"`. Default:
    /// none; `"stealth"` is refused, and `"auto"` is the same as `"basic"`.
    #[must_use]
    pub fn stealth_proxies(mut self, pool: ProxyPool) -> Self {
        self.fetcher = self.fetcher.stealth_proxies(pool);
        self.has_stealth_proxies = true;
        self
    }

    /// Sets the browser for pages whose options need one (`actions`, the format `screenshot`, `waitFor` and
    /// `mobile`) and for pages that are empty without their scripts; see
    /// [`render_policy`](Self::render_policy). Its traffic passes the same egress guard. At most its
    /// [`capacity`](Render::capacity) is rendered at once. Default: none; the first two options are refused.
    ///
    /// With the feature `browser`, `EngineBuilder::browser` sets an installed Chromium. With a browser,
    /// `metadata.engine` of every document says what made it.
    #[must_use]
    pub fn renderer(mut self, renderer: Arc<dyn Render>) -> Self {
        self.renderer = Some(renderer);
        self
    }

    /// Sets when pages are rendered by the [`renderer`](Self::renderer). Default: [`RenderPolicy::Auto`], by
    /// which a page that is an empty shell as served is requested twice and counts once. It has no effect
    /// without a renderer.
    #[must_use]
    pub fn render_policy(mut self, policy: RenderPolicy) -> Self {
        self.render_policy = policy;
        self
    }

    /// Sets where copies of fetched pages are kept, for requests with `max_age`, `min_age` or `lockdown`; a
    /// request of a program uses none by default. Default: at most 4 MiB in memory. A [`MemoryCache`] can
    /// hold more, a [`DiskCache`](crate::DiskCache) survives a restart, and a [`CacheStore`] of your own
    /// keeps them where you like.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use gleaner::{DiskCache, Engine};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cache = DiskCache::open("copies", 1 << 30)?; // at most 1 GiB
    /// let engine = Engine::builder().cache(Arc::new(cache)).build()?;
    /// # drop(engine);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn cache(mut self, store: Arc<dyn CacheStore>) -> Self {
        self.cache = PageCache::Store(store);
        self
    }

    /// Keeps no copies of pages. Every request fetches, and requests that accept only copies are refused.
    #[must_use]
    pub fn no_cache(mut self) -> Self {
        self.cache = PageCache::None;
        self
    }
}

/// Limits and storage.
impl EngineBuilder {
    /// Sets the maximum number of pages in work at once, on all hosts and for all jobs together. Default: 50;
    /// at least 1. More pages at once take more memory and more connections.
    #[must_use]
    pub fn concurrency(mut self, pages: u32) -> Self {
        self.concurrency = pages.max(1);
        self
    }

    /// Sets the number of pages of one host in work at once, for all jobs together: the engine starts with
    /// this number after the host's first response (with at most two before it) and never exceeds it. It
    /// goes below it while the host is overloaded. Default: it starts with 8, and rises up to
    /// [`concurrency`](Self::concurrency) while the host responds well.
    ///
    /// The hosts of one IP address start with four times this number together, and rise up to
    /// [`concurrency`](Self::concurrency). A request can set lower limits: `maxConcurrency` and `delay`.
    #[must_use]
    pub fn concurrency_per_host(mut self, pages: u32) -> Self {
        self.concurrency_per_host = Some(pages.max(1));
        self
    }

    /// Sets the product token that is looked up in robots.txt. Default: `gleaner`. A program with a
    /// [`user_agent`](Self::user_agent) of its own should name the same product here, such as `my-crawler`.
    #[must_use]
    pub fn robots_agent(mut self, token: impl Into<String>) -> Self {
        self.robots_agent = token.into();
        self
    }

    /// Sets the greatest `timeout` that a request may have: at least 300 seconds, which is the contract's
    /// bound and the default, and at most an hour. Values outside this range are clamped to it.
    ///
    /// A page in work counts as lost after three times this time, so a longer bound delays the recovery from
    /// a crash of the worker. A [`store`](Self::store) has a lease time of its own, which should be as long.
    #[must_use]
    pub fn max_timeout(mut self, timeout: Duration) -> Self {
        self.bounds = self.bounds.with_timeout(timeout);
        self
    }

    /// Sets the store of jobs. Default: a [`MemoryStore`](gleaner_store::MemoryStore). Another store has
    /// limits of its own: [`concurrency_per_host`](Self::concurrency_per_host),
    /// [`retained_results`](Self::retained_results) and [`result_retention`](Self::result_retention) do not
    /// apply to it. If it survives the process ([`Store::is_durable`]), jobs of an earlier process go on.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets the capacity for results of all jobs together, in bytes: in memory (default
    /// [`DEFAULT_ALL_RETAINED_BYTES`](gleaner_store::DEFAULT_ALL_RETAINED_BYTES), 256 MiB), and for the rest
    /// in temporary files (default [`DEFAULT_SPILLED_BYTES`](gleaner_store::DEFAULT_SPILLED_BYTES), 64 GiB).
    /// No stored result is dropped: a job fails with an error if its next document fits in neither.
    #[must_use]
    pub fn retained_results(mut self, in_memory: usize, on_disk: u64) -> Self {
        self.retained = Some((in_memory, on_disk));
        self
    }

    /// Sets how long an ended job and its results are kept. Default: a day. With [`Duration::MAX`], they are
    /// kept until the job is removed. The HTTP API always names a day.
    #[must_use]
    pub fn result_retention(mut self, time: Duration) -> Self {
        self.result_retention = Some(time);
        self
    }

    /// Sets the memory for pages in work, all together, in bytes: from the arrival of their bodies until
    /// their documents are complete. Default: 512 MiB; at least [`MIN_PAGE_MEMORY`](crate::MIN_PAGE_MEMORY).
    /// Pages wait for free memory, and small pages do not wait for large ones. One page takes at most half of
    /// it: the rest of a larger page is left out, and the document's `warning` says so.
    ///
    /// The first 256 KiB of each body are not counted, and one body at a time may exceed its share.
    /// [`MemoryBudget`] lists what else is not counted.
    #[must_use]
    pub fn page_memory(mut self, bytes: u64) -> Self {
        self.page_memory = Some(bytes);
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
        let mut fetcher = self.fetcher.egress(self.egress).body_memory(memory.bodies);
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
