//! Which proxy is next, and which has to cool down first.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use tokio::time::Instant;

use super::proxy::Proxy;
use crate::egress::EgressPolicy;
use crate::error::ConfigError;
use crate::resolve::{Guarded, Resolve};
use crate::transport::{Clients, HttpTransport, Route};

/// Most proxies of a pool.
pub const MAX_PROXIES: usize = 1000;
/// So long a proxy is left alone after a failure; twice as long after each further one in a row.
pub const MIN_COOL_DOWN: Duration = Duration::from_secs(10);
/// No cool-down is longer.
pub const MAX_COOL_DOWN: Duration = Duration::from_secs(300);

/// Proxies that stand in for each other, and the addresses where they may be.
///
/// They take turns. One that fails is left alone for [`MIN_COOL_DOWN`] up to [`MAX_COOL_DOWN`]; where all
/// have failed, the one that has cooled longest is tried, so that no pool is dead for good.
///
/// ```
/// use gleaner_fetch::{Fetcher, Proxy, ProxyPool};
///
/// let pool = ProxyPool::new([
///     Proxy::parse("http://user:secret@10.8.0.5:3128")?.country("DE")?,
///     Proxy::parse("socks5://proxy.example:1080")?.country("US")?,
/// ])
/// .allow_cidr("10.8.0.0/24".parse()?);
/// let fetcher = Fetcher::builder().stealth_proxies(pool).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ProxyPool {
    proxies: Vec<Proxy>,
    policy: EgressPolicy,
}

impl ProxyPool {
    /// These proxies, at most [`MAX_PROXIES`], anywhere on the public Internet.
    pub fn new(proxies: impl IntoIterator<Item = Proxy>) -> Self {
        Self { proxies: proxies.into_iter().collect(), policy: EgressPolicy::public_only() }
    }

    /// Proxies may also be in this network. It opens nothing for pages.
    pub fn allow_cidr(mut self, network: IpNet) -> Self {
        self.policy = self.policy.allow_cidr(network);
        self
    }

    /// The proxy of this name may be anywhere. It opens nothing for pages.
    pub fn allow_host(mut self, name: &str) -> Self {
        self.policy = self.policy.allow_host(name);
        self
    }

    pub(crate) fn open(
        self,
        transport: &HttpTransport,
        resolver: &Arc<dyn Resolve>,
    ) -> Result<ProxyList, ConfigError> {
        if self.proxies.is_empty() || self.proxies.len() > MAX_PROXIES {
            return Err(ConfigError::new(format!("a pool has 1 to {MAX_PROXIES} proxies")));
        }
        let guard = Guarded { policy: Arc::new(self.policy), resolver: Arc::clone(resolver) };
        let member = |proxy: Proxy| {
            let proxy = Arc::new(proxy);
            let way = Route::Proxy { proxy: Arc::clone(&proxy), guard: guard.clone() };
            PooledProxy { clients: transport.clients(&way), proxy, health: Mutex::default() }
        };
        Ok(ProxyList { members: self.proxies.into_iter().map(member).collect(), turn: AtomicUsize::new(0) })
    }
}

/// A pool at work.
#[derive(Debug)]
pub(crate) struct ProxyList {
    members: Vec<PooledProxy>,
    turn: AtomicUsize,
}

/// A proxy at work, with the connections that go through it.
#[derive(Debug)]
pub(crate) struct PooledProxy {
    pub(crate) clients: Clients,
    pub(crate) proxy: Arc<Proxy>,
    health: Mutex<Health>,
}

#[derive(Debug, Default)]
struct Health {
    /// In a row.
    failures: u32,
    cools_until: Option<Instant>,
}

impl PooledProxy {
    fn health(&self) -> std::sync::MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn succeeded(&self) {
        *self.health() = Health::default();
    }

    pub(crate) fn failed(&self, now: Instant) {
        let mut health = self.health();
        let pause = MIN_COOL_DOWN.saturating_mul(1 << health.failures.min(16)).min(MAX_COOL_DOWN);
        health.failures = health.failures.saturating_add(1);
        health.cools_until = Some(now + pause);
        tracing::warn!(
            host = self.proxy.host(),
            port = self.proxy.port(),
            failures = health.failures,
            seconds = pause.as_secs(),
            "proxy left alone"
        );
    }

    fn cools(&self, now: Instant) -> Duration {
        self.health().cools_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }
}

impl ProxyList {
    pub(crate) fn member(&self, index: usize) -> Option<&PooledProxy> {
        self.members.get(index)
    }

    /// Whose turn it is among those that `tried` does not hold: a healthy one of the country, else a healthy
    /// one of no particular country, else a healthy one, else the one that will be healthy first.
    pub(crate) fn pick(&self, country: Option<&str>, tried: &[usize], now: Instant) -> Option<usize> {
        let count = self.members.len();
        let start = self.turn.fetch_add(1, Relaxed) % count.max(1);
        let rank = |index: &usize| {
            let member = self.members.get(*index);
            let cools = member.map_or(Duration::MAX, |member| member.cools(now));
            let abroad = match (country, member.and_then(|member| member.proxy.country_code())) {
                (Some(wanted), Some(has)) if wanted.eq_ignore_ascii_case(has) => 0,
                (None, _) => 0,
                (Some(_), None) => 1,
                (Some(_), Some(_)) => 2,
            };
            (cools, abroad)
        };
        (start..count).chain(0..start).filter(|index| !tried.contains(index)).min_by_key(rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::SystemResolver;

    fn proxy_list(rows: &[(&str, Option<&str>)]) -> ProxyList {
        let proxies = rows.iter().map(|(address, country)| {
            let proxy = Proxy::parse(address).unwrap();
            country.map_or_else(|| proxy.clone(), |code| proxy.clone().country(code).unwrap())
        });
        let resolver: Arc<dyn Resolve> = Arc::new(SystemResolver::default());
        let guard = Guarded { policy: Arc::default(), resolver: Arc::clone(&resolver) };
        let transport = HttpTransport::open(&guard, &[], 8).unwrap();
        ProxyPool::new(proxies).open(&transport, &resolver).unwrap()
    }

    #[tokio::test]
    async fn they_take_turns_and_countries_count() {
        let proxy_list = proxy_list(&[
            ("http://a/", Some("DE")),
            ("http://b/", Some("US")),
            ("http://c/", None),
            ("http://d/", Some("DE")),
        ]);
        let now = Instant::now();
        let picks = |country, count| -> Vec<usize> {
            (0..count).map(|_| proxy_list.pick(country, &[], now).unwrap()).collect()
        };
        assert_eq!(picks(None, 4), [0, 1, 2, 3]);
        assert!(picks(Some("de"), 8).iter().all(|index| [0, 3].contains(index)));
        assert_eq!(picks(Some("US"), 2), [1, 1]);
        assert_eq!(picks(Some("FR"), 2), [2, 2], "of no particular country");
        assert_eq!(proxy_list.pick(None, &[0, 1, 2, 3], now), None);
        assert_eq!(proxy_list.pick(Some("US"), &[1], now), Some(2));
    }

    #[tokio::test]
    async fn who_fails_cools_down_longer_each_time() {
        let proxy_list = proxy_list(&[("http://a/", Some("DE")), ("http://b/", None)]);
        let start = Instant::now();
        let a = proxy_list.member(0).unwrap();
        let pick = |now| proxy_list.pick(Some("DE"), &[], now).unwrap();
        assert_eq!(pick(start), 0);
        for (failures, seconds) in [(1, 10), (2, 20), (3, 40), (4, 80), (5, 160), (6, 300), (7, 300)] {
            a.failed(start);
            assert_eq!(pick(start), 1, "{failures}");
            assert_eq!(pick(start + Duration::from_secs(seconds - 1)), 1, "{failures}");
            assert_eq!(pick(start + Duration::from_secs(seconds)), 0, "{failures}");
        }
        a.succeeded();
        assert_eq!(pick(start), 0);
        // Where all have failed, the first to be healthy again.
        a.failed(start);
        proxy_list.member(1).unwrap().failed(start + Duration::from_secs(1));
        assert_eq!(pick(start + Duration::from_secs(2)), 0);
    }

    #[tokio::test]
    async fn a_pool_has_bounds() {
        let resolver: Arc<dyn Resolve> = Arc::new(SystemResolver::default());
        let guard = Guarded { policy: Arc::default(), resolver: Arc::clone(&resolver) };
        let transport = HttpTransport::open(&guard, &[], 8).unwrap();
        let proxy = Proxy::parse("http://a/").unwrap();
        assert!(ProxyPool::new([]).open(&transport, &resolver).is_err());
        assert!(ProxyPool::new(vec![proxy; MAX_PROXIES + 1]).open(&transport, &resolver).is_err());
    }
}
