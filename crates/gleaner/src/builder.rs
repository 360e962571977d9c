use std::sync::Arc;
use std::time::Duration;

use gleaner_fetch::{CacheStore, EgressPolicy, FetcherBuilder, MemoryCache, ProxyPool, Render};
use gleaner_frontier::{
    DEFAULT_LEASE_TIME, DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_PER_ADDRESS, DEFAULT_MAX_PER_HOST, FrontierConfig,
};
use gleaner_runtime::{Clock, MemoryBudget, Runtime, RuntimeConfig};
use gleaner_store::{MemoryConfig, MemoryStore, Store};
use gleaner_types::RequestBounds;
use ipnet::IpNet;

use crate::adapters::{FetchAdapter, LinkRules, TransformAdapter};
use crate::extract::{ExtractPart, ExtractSettings};
use crate::pdf::PdfSettings;
use crate::service::{ServicePart, ServiceSettings};
use crate::support::Capabilities;
use crate::{Engine, Error};

/// The product token that robots.txt is read for, unless another is set.
const ROBOTS_AGENT: &str = "gleaner";

/// Least memory for the pages under way, in bytes: 64 MiB.
pub const MIN_PAGE_MEMORY: u64 = 64 << 20;

/// What the hosts of one address are asked for together, in hosts.
const HOSTS_PER_ADDRESS: u32 = DEFAULT_MAX_PER_ADDRESS / DEFAULT_MAX_PER_HOST;

/// A page is leased for this many times the longest `timeout`: it may wait for its turn before, and be read
/// by a model after.
const TIMEOUTS_PER_LEASE: u32 = 3;

/// Where copies of pages are kept.
#[derive(Debug, Default)]
enum PageCache {
    /// In memory, by the default bound.
    #[default]
    Memory,
    Store(Arc<dyn CacheStore>),
    None,
}

/// Builds an [`Engine`]. Every setting has a default.
#[derive(Debug, Default)]
pub struct EngineBuilder {
    egress: EgressPolicy,
    user_agent: Option<String>,
    robots_agent: Option<String>,
    concurrency: Option<u32>,
    per_host: Option<u32>,
    bounds: RequestBounds,
    no_near_duplicates: bool,
    checks_certificates: bool,
    links: LinkRules,
    store: Option<Arc<dyn Store>>,
    retained: Option<(usize, u64)>,
    page_memory: Option<u64>,
    cache: PageCache,
    basic_proxies: Option<ProxyPool>,
    stealth_proxies: Option<ProxyPool>,
    renderer: Option<Arc<dyn Render>>,
    pub(crate) pdf: PdfSettings,
    pub(crate) extract: ExtractSettings,
    pub(crate) service: ServiceSettings,
}

impl EngineBuilder {
    /// Opens a range of addresses that the egress guard refuses otherwise, such as `127.0.0.0/8`: it opens
    /// exactly what it names. May be called repeatedly.
    #[must_use]
    pub fn allow_private(mut self, range: IpNet) -> Self {
        self.egress = self.egress.allow_cidr(range);
        self
    }

    /// Sets which addresses may be connected to. The default lets through public ones alone.
    #[must_use]
    pub fn egress(mut self, policy: EgressPolicy) -> Self {
        self.egress = policy;
        self
    }

    /// Sets the `User-Agent` header of requests that go direct or through the [basic
    /// proxies](Self::basic_proxies): of pages, robots.txt, sitemaps and webhooks. The default is
    /// `Mozilla/5.0 (compatible; gleaner/VERSION)`.
    ///
    /// It does not reach requests with `mobile`, which say a phone's and `gleaner/VERSION`, nor those that go
    /// through the [stealth proxies](Self::stealth_proxies), which say a browser's and nothing of gleaner. A
    /// request with a `User-Agent` among its own headers sends that. robots.txt is read for
    /// [`robots_agent`](Self::robots_agent), whatever is set here.
    #[must_use]
    pub fn user_agent(mut self, agent: impl Into<String>) -> Self {
        self.user_agent = Some(agent.into());
        self
    }

    /// Sets the product token that robots.txt is read for. The default is `gleaner`.
    #[must_use]
    pub fn robots_agent(mut self, token: impl Into<String>) -> Self {
        self.robots_agent = Some(token.into());
        self
    }

    /// Sets how many pages are fetched at once, in all and of one host. By default these are 50 in all, and
    /// of a host 8 at first, more while it answers well, and fewer when it does not. Hosts that are found at
    /// one address are asked for four times as much together at first, more while it answers well, and fewer
    /// when it does not.
    #[must_use]
    pub fn concurrency(mut self, in_all: u32, per_host: u32) -> Self {
        (self.concurrency, self.per_host) = (Some(in_all), Some(per_host));
        self
    }

    /// Sets the greatest `timeout` that a request may ask for: from 300 seconds, the contract's bound and the
    /// default, up to an hour. What is beyond these counts as the nearer of them.
    ///
    /// A page in work is taken for lost after three times as long, so a longer bound delays what a crash left
    /// behind. A store set by [`store`](Self::store) has its own lease time, which should be as long.
    #[must_use]
    pub fn max_timeout(mut self, most: Duration) -> Self {
        self.bounds = self.bounds.with_timeout(most);
        self
    }

    /// Sets whether TLS certificates are checked whatever a request's `skipTlsVerification` says. By default
    /// they are not: then the request decides, whose own default is to accept any, as clients of the contract
    /// expect. Those of webhooks, models and search engines are always checked.
    #[must_use]
    pub fn check_certificates(mut self, check: bool) -> Self {
        self.checks_certificates = check;
        self
    }

    /// Sets whether crawls compare what their pages say. By default they do: families of pages that say
    /// nearly the same over and over, such as soft 404s and the empty days of a calendar, are put off behind
    /// the other pages of their host; none is dropped. Without it every page is taken for new, and its text
    /// is not looked at for this. It is another matter than `deduplicateSimilarURLs`, which tells addresses
    /// apart before anything is fetched.
    #[must_use]
    pub fn near_duplicates(mut self, compare: bool) -> Self {
        self.no_near_duplicates = !compare;
        self
    }

    /// Sets whether crawls and maps heed `rel="nofollow"` at links, and `nofollow` in `<meta name="robots">`
    /// and in the header `X-Robots-Tag`, there also where it names the [robots agent](Self::robots_agent). By
    /// default they do not, since these tell search engines what not to vouch for, and clients of the
    /// contract expect all pages of a site. With it an address is not taken from such a link; it is crawled
    /// if another leads to it. Links that are left out for it are counted as
    /// [`SkipReason::Nofollow`](crate::SkipReason::Nofollow).
    #[must_use]
    pub fn obey_nofollow(mut self, obey: bool) -> Self {
        self.links.obey_nofollow = obey;
        self
    }

    /// Sets whether documents in an `<iframe>` count as linked by crawls and maps. By default they do not:
    /// most are parts of a page or advertisements. They never are in the `links` format.
    #[must_use]
    pub fn follow_iframes(mut self, follow: bool) -> Self {
        self.links.iframes = follow;
        self
    }

    /// Sets where jobs live. The default is a [`MemoryStore`]; another store has its own limits, and
    /// [`concurrency`](Self::concurrency) per host does not reach it. A store serves one engine at a time: an
    /// engine works on the jobs that it began, and gives back the pages of others.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets how many bytes of results are kept, all jobs together: in memory (default
    /// [`DEFAULT_ALL_RETAINED_BYTES`](gleaner_store::DEFAULT_ALL_RETAINED_BYTES), 256 MiB), and beyond that
    /// in temporary files (default [`DEFAULT_SPILLED_BYTES`](gleaner_store::DEFAULT_SPILLED_BYTES), 64 GiB).
    /// Nothing that was stored is dropped to keep to them: a job whose next document fits in neither fails
    /// and says so. Of a store set by [`store`](Self::store) this says nothing.
    #[must_use]
    pub fn retained_results(mut self, in_memory: usize, on_disk: u64) -> Self {
        self.retained = Some((in_memory, on_disk));
        self
    }

    /// Sets how many bytes of memory the pages under way take together, from the time that their bodies come
    /// in until their documents are made; [`DEFAULT_PAGE_MEMORY`](crate::DEFAULT_PAGE_MEMORY), 512 MiB, by
    /// default, and at least [`MIN_PAGE_MEMORY`](crate::MIN_PAGE_MEMORY). Pages wait where there is none
    /// left, small ones not for large ones. One page takes at most half of it: what does not fit is left out,
    /// and the document's `warning` says so.
    ///
    /// A body beyond its share still comes in, one at a time, and the first 256 KiB of each body are not
    /// counted; what else is not is said at [`MemoryBudget`].
    #[must_use]
    pub fn page_memory(mut self, bytes: u64) -> Self {
        self.page_memory = Some(bytes);
        self
    }

    /// Sets where copies of pages are kept, for requests with `maxAge`, `minAge` or `lockdown`. The default
    /// keeps up to 4 MiB of them in memory (a [`MemoryCache`] can hold more); a
    /// [`DiskCache`](gleaner_fetch::DiskCache) survives a restart.
    #[must_use]
    pub fn cache(mut self, store: Arc<dyn CacheStore>) -> Self {
        self.cache = PageCache::Store(store);
        self
    }

    /// Keeps no copies of pages: each request fetches, and those that serve from the cache alone are refused.
    #[must_use]
    pub fn no_cache(mut self) -> Self {
        self.cache = PageCache::None;
        self
    }

    /// Sets the proxies of requests with `proxy: "basic"`, and of the first try with `"auto"`. By default
    /// these go direct.
    #[must_use]
    pub fn basic_proxies(mut self, pool: ProxyPool) -> Self {
        self.basic_proxies = Some(pool);
        self
    }

    /// Sets the proxies of requests with `proxy: "stealth"`, and of the second try with `"auto"`. By default
    /// there are none: `"stealth"` is refused, and `"auto"` is `"basic"`.
    #[must_use]
    pub fn stealth_proxies(mut self, pool: ProxyPool) -> Self {
        self.stealth_proxies = Some(pool);
        self
    }

    /// Sets the browser that pages go through whose options need one: `actions`, the format `screenshot`,
    /// `waitFor` and `mobile`. Its traffic passes the same guard as all other. Without it the first two are
    /// refused.
    #[must_use]
    pub fn renderer(mut self, renderer: Arc<dyn Render>) -> Self {
        self.renderer = Some(renderer);
        self
    }

    /// Builds the engine.
    ///
    /// # Errors
    /// [`Configuration`](crate::ErrorKind::Configuration) where a setting cannot work, such as a user agent
    /// that is empty or not a valid header value.
    pub fn build(self) -> Result<Engine, Error> {
        if self.user_agent.as_ref().is_some_and(|agent| agent.trim().is_empty()) {
            return Err(Error::configuration(
                "the user agent is empty: sites should learn who asks, as by `my-crawler/1.0 (+https://example.com/bot)`",
            ));
        }
        if self.page_memory.is_some_and(|bytes| bytes < MIN_PAGE_MEMORY) {
            return Err(Error::configuration(
                "the memory for pages is too little: at least 64 MiB (67108864 bytes) are needed, so that pages fit their shares",
            ));
        }
        let memory = self.page_memory.map_or_else(MemoryBudget::default, MemoryBudget::of);
        let max_in_flight = self.concurrency.unwrap_or(DEFAULT_MAX_IN_FLIGHT).max(1);
        let mut fetcher = FetcherBuilder::default().egress(self.egress).body_memory(memory.bodies);
        if let Some(agent) = &self.user_agent {
            fetcher = fetcher.user_agent(agent);
        }
        let capabilities = Capabilities {
            renders: self.renderer.is_some(),
            stealth: self.stealth_proxies.is_some(),
            caches: !matches!(self.cache, PageCache::None),
            tracks_changes: ServicePart::TRACKS_CHANGES,
        };
        match self.cache {
            PageCache::Memory => fetcher = fetcher.cache(Arc::new(MemoryCache::default())),
            PageCache::Store(store) => fetcher = fetcher.cache(store),
            PageCache::None => {}
        }
        if let Some(pool) = self.basic_proxies {
            fetcher = fetcher.basic_proxies(pool);
        }
        if let Some(pool) = self.stealth_proxies {
            fetcher = fetcher.stealth_proxies(pool);
        }
        let store = self.store.unwrap_or_else(|| {
            let mut frontier = FrontierConfig::default();
            frontier.lease_time = DEFAULT_LEASE_TIME.max(self.bounds.timeout() * TIMEOUTS_PER_LEASE);
            (frontier.max_in_flight, frontier.most_per_host) = (max_in_flight, max_in_flight);
            frontier.most_per_address = max_in_flight;
            if let Some(per_host) = self.per_host.map(|per_host| per_host.max(1)) {
                (frontier.max_per_host, frontier.most_per_host) = (per_host, per_host);
                frontier.max_per_address = per_host.saturating_mul(HOSTS_PER_ADDRESS);
            }
            let mut config = MemoryConfig { frontier, ..MemoryConfig::default() };
            if let Some(retained) = self.retained {
                (config.all_retained_bytes, config.spilled_bytes) = retained;
            }
            Arc::new(MemoryStore::new(config))
        });
        let fetcher = fetcher.build()?;
        let robots_agent = self.robots_agent.unwrap_or_else(|| ROBOTS_AGENT.to_owned());
        let by_model = self.extract.by_model();
        let transform =
            Arc::new(TransformAdapter::new(by_model, self.links, robots_agent.clone(), memory.large));
        let runtime = Runtime::new(RuntimeConfig {
            store,
            fetch: Arc::new(FetchAdapter::new(fetcher.clone(), self.renderer, self.checks_certificates)),
            pdfs: self.pdf.workers(&transform),
            transform,
            clock: Clock::system(),
            robots_agent,
            max_in_flight,
            near_duplicates: !self.no_near_duplicates,
            memory,
        });
        let extract = ExtractPart::new(&runtime, self.extract, self.bounds);
        if let Some(port) = extract.port() {
            runtime.set_extract(port);
        }
        let service = ServicePart::new(&runtime, self.service, extract.port(), fetcher);
        Ok(Engine::new(runtime, service, extract, capabilities, self.bounds))
    }
}
