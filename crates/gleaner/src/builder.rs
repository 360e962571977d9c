use std::sync::Arc;

use gleaner_fetch::{EgressPolicy, FetcherBuilder};
use gleaner_frontier::{DEFAULT_MAX_IN_FLIGHT, FrontierConfig};
use gleaner_jobs::{Clock, Parts, Room};
use gleaner_store::{MemoryConfig, MemoryStore, Store};
use ipnet::IpNet;

use crate::adapters::{FetchDoor, PageReader};
use crate::{Engine, Error};

/// The product token that robots.txt is read for, unless another is set.
const ROBOTS_AGENT: &str = "gleaner";

/// Builds an [`Engine`]. Every setting has a default.
#[derive(Debug, Default)]
pub struct EngineBuilder {
    egress: EgressPolicy,
    user_agent: Option<String>,
    robots_agent: Option<String>,
    concurrency: Option<u32>,
    per_host: Option<u32>,
    store: Option<Arc<dyn Store>>,
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
        let store = self.store.unwrap_or_else(|| {
            let mut frontier = FrontierConfig::default();
            (frontier.max_in_flight, frontier.most_per_host) = (max_in_flight, max_in_flight);
            if let Some(per_host) = self.per_host {
                frontier.max_per_host = per_host.max(1);
                frontier.most_per_host = per_host.max(1);
            }
            Arc::new(MemoryStore::new(MemoryConfig { frontier, ..MemoryConfig::default() }))
        });
        let parts = Parts {
            store,
            fetch: Arc::new(FetchDoor::new(fetcher.build()?)),
            transform: Arc::new(PageReader),
            clock: Clock::system(),
            robots_agent: self.robots_agent.unwrap_or_else(|| ROBOTS_AGENT.to_owned()),
            max_in_flight,
        };
        Ok(Engine::new(Room::new(parts)))
    }
}
