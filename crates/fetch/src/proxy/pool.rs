//! Pools of proxies: which proxy is next, and which one must cool down first.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use tokio::time::Instant;

use super::proxy::Proxy;
use crate::config_error::{ConfigError, ConfigErrorKind};
use crate::egress::EgressPolicy;
use crate::resolve::{GuardedResolver, Resolve};
use crate::transport::{Clients, HttpTransport, Route};

/// Most proxies of a pool.
pub const MAX_PROXIES: usize = 1000;
/// How long a proxy is not used after a failure. Each further failure in a row doubles this time.
pub const MIN_COOL_DOWN: Duration = Duration::from_secs(10);
/// Longest cool-down.
pub const MAX_COOL_DOWN: Duration = Duration::from_secs(300);

/// Interchangeable proxies, and the addresses that they may have.
///
/// They are used in turn. A proxy that fails is not used for [`MIN_COOL_DOWN`] up to [`MAX_COOL_DOWN`]. If
/// all have failed, the one whose cool-down ends first is used, so a pool never stops for good.
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
    /// A pool of these proxies, 1 to [`MAX_PROXIES`], on the public Internet.
    pub fn new(proxies: impl IntoIterator<Item = Proxy>) -> Self {
        Self { proxies: proxies.into_iter().collect(), policy: EgressPolicy::public_only() }
    }

    /// Also allows proxies in this network. Pages there stay forbidden.
    pub fn allow_cidr(mut self, network: IpNet) -> Self {
        self.policy = self.policy.allow_cidr(network);
        self
    }

    /// Also allows the proxy of this name at any address. Pages there stay forbidden.
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
            let text = format!("a pool has 1 to {MAX_PROXIES} proxies");
            return Err(ConfigError::new(ConfigErrorKind::ProxyPool, text));
        }
        let guard = GuardedResolver { policy: Arc::new(self.policy), resolver: Arc::clone(resolver) };
        let member = |proxy: Proxy| {
            let proxy = Arc::new(proxy);
            let route = Route::Proxy { proxy: Arc::clone(&proxy), guard: guard.clone() };
            PooledProxy { clients: transport.clients(&route), proxy, health: Mutex::default() }
        };
        Ok(ProxyList { members: self.proxies.into_iter().map(member).collect(), next: AtomicUsize::new(0) })
    }
}

/// The proxies of a pool in use.
#[derive(Debug)]
pub(crate) struct ProxyList {
    members: Vec<PooledProxy>,
    /// Where the next search for a proxy begins, modulo their number.
    next: AtomicUsize,
}

/// A proxy in use, with the connections that go through it.
#[derive(Debug)]
pub(crate) struct PooledProxy {
    pub(crate) clients: Clients,
    pub(crate) proxy: Arc<Proxy>,
    health: Mutex<Health>,
}

#[derive(Debug, Default)]
struct Health {
    /// Failures in a row.
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
            "proxy paused after a failure"
        );
    }

    /// The rest of its cool-down.
    fn cool_down(&self, now: Instant) -> Duration {
        self.health().cools_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }
}

impl ProxyList {
    pub(crate) fn member(&self, index: usize) -> Option<&PooledProxy> {
        self.members.get(index)
    }

    /// The next proxy that is not in `tried`: a healthy one of the country, else a healthy one without a
    /// country, else any healthy one, else the one that will be healthy first.
    pub(crate) fn pick(&self, country: Option<&str>, tried: &[usize], now: Instant) -> Option<usize> {
        let count = self.members.len();
        let start = self.next.fetch_add(1, Relaxed) % count.max(1);
        let rank = |index: &usize| {
            let member = self.members.get(*index);
            let cool_down = member.map_or(Duration::MAX, |member| member.cool_down(now));
            let country_mismatch = match (country, member.and_then(|member| member.proxy.country_code())) {
                (Some(wanted), Some(has)) if wanted.eq_ignore_ascii_case(has) => 0,
                (None, _) => 0,
                (Some(_), None) => 1,
                (Some(_), Some(_)) => 2,
            };
            (cool_down, country_mismatch)
        };
        (start..count).chain(0..start).filter(|index| !tried.contains(index)).min_by_key(rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::SystemResolver;
    use crate::transport::DEFAULT_CONNECT_TIMEOUT;

    fn proxy_list(rows: &[(&str, Option<&str>)]) -> ProxyList {
        let proxies = rows.iter().map(|(address, country)| {
            let proxy = Proxy::parse(address).unwrap();
            country.map_or_else(|| proxy.clone(), |code| proxy.clone().country(code).unwrap())
        });
        let resolver: Arc<dyn Resolve> = Arc::new(SystemResolver::default());
        ProxyPool::new(proxies).open(&transport(&resolver), &resolver).unwrap()
    }

    fn transport(resolver: &Arc<dyn Resolve>) -> HttpTransport {
        let guard = GuardedResolver { policy: Arc::default(), resolver: Arc::clone(resolver) };
        HttpTransport::open(&guard, &[], DEFAULT_CONNECT_TIMEOUT, (64, 8)).unwrap()
    }

    #[tokio::test]
    async fn proxies_alternate_and_countries_count() {
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
        assert_eq!(picks(Some("FR"), 2), [2, 2], "the one without a country");
        assert_eq!(proxy_list.pick(None, &[0, 1, 2, 3], now), None);
        assert_eq!(proxy_list.pick(Some("US"), &[1], now), Some(2));
    }

    #[tokio::test]
    async fn each_failure_in_a_row_doubles_the_cool_down() {
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
        // If all have failed, the first one to be healthy again.
        a.failed(start);
        proxy_list.member(1).unwrap().failed(start + Duration::from_secs(1));
        assert_eq!(pick(start + Duration::from_secs(2)), 0);
    }

    #[tokio::test]
    async fn a_pool_has_bounds() {
        let resolver: Arc<dyn Resolve> = Arc::new(SystemResolver::default());
        let transport = transport(&resolver);
        let proxy = Proxy::parse("http://a/").unwrap();
        assert!(ProxyPool::new([]).open(&transport, &resolver).is_err());
        assert!(ProxyPool::new(vec![proxy; MAX_PROXIES + 1]).open(&transport, &resolver).is_err());
    }
}
