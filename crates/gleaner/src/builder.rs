use std::sync::Arc;

use gleaner_extract::Budget;
use gleaner_extract::model::{LanguageModel, WebSearch};
use gleaner_fetch::{CacheStore, EgressPolicy, FetcherBuilder, MemoryCache, ProxyPool, Render};
use gleaner_frontier::{DEFAULT_MAX_IN_FLIGHT, FrontierConfig};
use gleaner_jobs::{
    Accounts, ActivityLog, Clock, Deliver, Desk, DeskParts, Extract, Parts, Room, WebhookConfig,
};
use gleaner_store::{MemoryConfig, MemoryStore, Store};
use ipnet::IpNet;

use crate::adapters::{FetchDoor, PageReader};
use crate::structured::{Planner, PlannerParts};
use crate::support::Abilities;
use crate::webhooks::WebhookDoor;
use crate::{Engine, Error};

/// The product token that robots.txt is read for, unless another is set.
const ROBOTS_AGENT: &str = "gleaner";

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
    store: Option<Arc<dyn Store>>,
    cache: PageCache,
    basic_proxies: Option<ProxyPool>,
    stealth_proxies: Option<ProxyPool>,
    renderer: Option<Arc<dyn Render>>,
    accounts: Option<Arc<dyn Accounts>>,
    activity: Option<Arc<dyn ActivityLog>>,
    extract: Option<Arc<dyn Extract>>,
    model: Option<Arc<dyn LanguageModel>>,
    search: Option<Arc<dyn WebSearch>>,
    extract_budget: Option<Budget>,
    deliver: Option<Arc<dyn Deliver>>,
    webhooks: WebhookConfig,
}

impl EngineBuilder {
    /// Opens a range of addresses that the egress guard refuses otherwise, such as `127.0.0.0/8`: it opens exactly what
    /// it names. May be called repeatedly.
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

    /// Sets the `User-Agent` header. The default is `Mozilla/5.0 (compatible; gleaner/VERSION)`.
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

    /// Sets how many pages are fetched at once, in all and of one host. By default these are 50 in all, and of a host 8
    /// at first, more while it answers well, and fewer when it does not.
    #[must_use]
    pub fn concurrency(mut self, in_all: u32, per_host: u32) -> Self {
        (self.concurrency, self.per_host) = (Some(in_all), Some(per_host));
        self
    }

    /// Sets where jobs live. The default is a [`MemoryStore`]; another store has its own limits, and
    /// [`concurrency`](Self::concurrency) per host does not reach it. A store serves one engine at a time: an engine
    /// works on the jobs that it began, and gives back the pages of others.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets where copies of pages are kept, for requests with `maxAge`, `minAge` or `lockdown`. The default keeps up to
    /// 64 MiB of them in memory ([`MemoryCache`]); a [`DiskCache`](gleaner_fetch::DiskCache) survives a restart.
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

    /// Sets the proxies of requests with `proxy: "basic"`, and of the first try with `"auto"`. By default these go
    /// direct.
    #[must_use]
    pub fn basic_proxies(mut self, pool: ProxyPool) -> Self {
        self.basic_proxies = Some(pool);
        self
    }

    /// Sets the proxies of requests with `proxy: "stealth"`, and of the second try with `"auto"`. By default there are
    /// none: `"stealth"` is refused, and `"auto"` is `"basic"`.
    #[must_use]
    pub fn stealth_proxies(mut self, pool: ProxyPool) -> Self {
        self.stealth_proxies = Some(pool);
        self
    }

    /// Sets the browser that pages go through whose options need one: `actions`, the format `screenshot`, `waitFor` and
    /// `mobile`. Its traffic passes the same guard as all other. Without it the first two are refused.
    #[must_use]
    pub fn renderer(mut self, renderer: Arc<dyn Render>) -> Self {
        self.renderer = Some(renderer);
        self
    }

    /// Sets who keeps the accounts of the [desk](Engine::desk): keys, credits, limits. By default every key is the same
    /// team, which may do anything and pays nothing ([`UnlimitedAccounts`](crate::desk::UnlimitedAccounts)).
    #[must_use]
    pub fn accounts(mut self, accounts: Arc<dyn Accounts>) -> Self {
        self.accounts = Some(accounts);
        self
    }

    /// Sets who is told of the desk's jobs that ended. By default the latest are kept in memory.
    #[must_use]
    pub fn activity_log(mut self, log: Arc<dyn ActivityLog>) -> Self {
        self.activity = Some(log);
        self
    }

    /// Sets the language model that extract jobs ask for what pages do not say about themselves plainly. By default there
    /// is none: a request with a schema is answered without, and one with a prompt alone is refused. No request and no
    /// page can name another model.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn LanguageModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the search engine of extract jobs with `enableWebSearch` or without addresses. By default there is none.
    #[must_use]
    pub fn search(mut self, search: Arc<dyn WebSearch>) -> Self {
        self.search = Some(search);
        self
    }

    /// Sets what one extract job may spend; [`DEFAULT_EXTRACT_TOKENS`](crate::DEFAULT_EXTRACT_TOKENS) by default. It is
    /// never exceeded by what is counted: a call that does not fit is not made, and what was found until then is the
    /// answer.
    #[must_use]
    pub fn extract_budget(mut self, budget: Budget) -> Self {
        self.extract_budget = Some(budget);
        self
    }

    /// Sets what extracts structured data in place of the engine's own planner; [`model`](Self::model),
    /// [`search`](Self::search) and [`extract_budget`](Self::extract_budget) are then without effect.
    #[must_use]
    pub fn extract(mut self, extract: Arc<dyn Extract>) -> Self {
        self.extract = Some(extract);
        self
    }

    /// Sets how webhooks are sent: their signature's header, their retries and their timeout.
    #[must_use]
    pub fn webhooks(mut self, config: WebhookConfig) -> Self {
        self.webhooks = config;
        self
    }

    /// Sets the way in which webhooks leave. By default the engine's own fetcher posts them, behind the same egress guard
    /// as pages.
    #[must_use]
    pub fn deliver(mut self, deliver: Arc<dyn Deliver>) -> Self {
        self.deliver = Some(deliver);
        self
    }

    /// Builds the engine.
    ///
    /// # Errors
    /// [`Configuration`](crate::ErrorKind::Configuration) where a setting cannot work, such as a user agent that is not a
    /// valid header value.
    pub fn build(self) -> Result<Engine, Error> {
        let max_in_flight = self.concurrency.unwrap_or(DEFAULT_MAX_IN_FLIGHT).max(1);
        let mut fetcher = FetcherBuilder::default().egress(self.egress);
        if let Some(agent) = &self.user_agent {
            fetcher = fetcher.user_agent(agent);
        }
        let abilities = Abilities {
            reads_prompts: self.extract.is_some() || self.model.is_some(),
            searches: self.extract.is_some() || self.search.is_some(),
            renders: self.renderer.is_some(),
            stealth: self.stealth_proxies.is_some(),
            caches: !matches!(self.cache, PageCache::None),
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
            (frontier.max_in_flight, frontier.most_per_host) = (max_in_flight, max_in_flight);
            if let Some(per_host) = self.per_host {
                frontier.max_per_host = per_host.max(1);
                frontier.most_per_host = per_host.max(1);
            }
            Arc::new(MemoryStore::new(MemoryConfig { frontier, ..MemoryConfig::default() }))
        });
        let fetcher = fetcher.build()?;
        let deliver = self.deliver.unwrap_or_else(|| Arc::new(WebhookDoor::new(fetcher.clone())));
        let parts = Parts {
            store,
            fetch: Arc::new(FetchDoor::new(fetcher, self.renderer)),
            transform: Arc::new(PageReader),
            clock: Clock::system(),
            robots_agent: self.robots_agent.unwrap_or_else(|| ROBOTS_AGENT.to_owned()),
            max_in_flight,
        };
        let room = Room::new(parts);
        let extract = self.extract.unwrap_or_else(|| {
            let parts = PlannerParts { model: self.model, search: self.search, budget: self.extract_budget };
            Arc::new(Planner::new(&room, parts))
        });
        let mut desk = DeskParts {
            deliver: Some(deliver),
            extract: Some(Arc::clone(&extract)),
            webhooks: self.webhooks,
            ..DeskParts::default()
        };
        if let Some(accounts) = self.accounts {
            desk.accounts = accounts;
        }
        if let Some(activity) = self.activity {
            desk.activity = activity;
        }
        Ok(Engine::new(Desk::new(room, desk), extract, abilities))
    }
}
