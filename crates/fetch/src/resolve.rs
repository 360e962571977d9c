//! Resolves names, and checks every answer against the policy before it can be dialled.

#[cfg(feature = "testing")]
pub(crate) mod conformance;

use std::fmt;
use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::BoxFuture;
use tokio::sync::Semaphore;

use crate::cache::flight::{FlightRole, Flights};
use crate::egress::EgressPolicy;
use crate::transport::{EXHAUSTED, kind_of, lacks_descriptors};

/// Most addresses of one name. More are a sign of an attack, and none of them is dialled.
pub const MAX_ANSWERS: usize = 64;

/// Most concurrent lookups by the resolver of the operating system. Each blocks a thread until it is
/// answered, for many seconds if the name servers are silent. A request waits for a slot within its own
/// deadline.
pub const MAX_LOOKUPS: usize = 128;

/// Resolves host names to addresses. Implement it to use a resolver of your own. The policy checks its
/// answers, so it does not have to filter them.
pub trait Resolve: Send + Sync + fmt::Debug {
    /// All addresses of `host`, in the order in which to try them.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] if the name does not exist, which is cached for a while; any other kind if
    /// the resolver failed, which may be temporary. After either the lookup is repeated once. The text is not
    /// shown to callers.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    /// The same with the time to live of the answer, if the resolver knows it.
    ///
    /// # Errors
    ///
    /// As [`Resolve::resolve`].
    fn resolve_with_ttl<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<DnsAnswer>> {
        Box::pin(async move { Ok(DnsAnswer { addresses: self.resolve(host).await?, ttl: None }) })
    }
}

/// A resolver's answer for a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DnsAnswer {
    /// All addresses, in the order in which to try them.
    pub addresses: Vec<IpAddr>,
    /// The time to live; clamped to [`crate::MIN_DNS_TTL`] and [`crate::MAX_DNS_TTL`].
    pub ttl: Option<Duration>,
}

impl DnsAnswer {
    /// These addresses, with the default time to live.
    #[must_use]
    pub fn new(addresses: Vec<IpAddr>) -> Self {
        Self { addresses, ttl: None }
    }

    /// Sets the time to live.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

/// The resolver of the operating system. It runs at most [`MAX_LOOKUPS`] lookups at once, and at most one for
/// each name. Clones share these bounds.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    lookups: Arc<Semaphore>,
    flights: Arc<Flights<Box<str>, LookupResult>>,
}

/// The addresses of a name, or the kind of failure: the rest of an I/O error cannot be shared.
pub(crate) type LookupResult = Result<Arc<[IpAddr]>, io::ErrorKind>;

impl Default for SystemResolver {
    fn default() -> Self {
        Self { lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)), flights: Arc::default() }
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let result = self.look_up(host, system_lookup).await;
            result.map(|addresses| addresses.to_vec()).map_err(io::Error::from)
        })
    }
}

impl SystemResolver {
    /// Runs `lookup` on a blocking thread, once there is a permit for it.
    ///
    /// A thread cannot be cancelled: it goes on even if the request that started it is gone. So the thread
    /// holds the permit, to stay counted, and leads the flight, so that later requests for the name wait for
    /// it and start no second lookup.
    async fn look_up(
        &self,
        host: &str,
        lookup: impl FnOnce(&str) -> LookupResult + Send + 'static,
    ) -> LookupResult {
        let name: Box<str> = host.into();
        let leader = match self.flights.join(&name).await {
            FlightRole::Landed(result) => return result,
            FlightRole::Leader(leader) => leader,
            FlightRole::Released => return Err(io::ErrorKind::Other),
        };
        let permit = Arc::clone(&self.lookups).acquire_owned().await.map_err(|_| io::ErrorKind::Other)?;
        let work = move || {
            let result = lookup(&name);
            drop(permit);
            leader.land(result.clone());
            result
        };
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(io::ErrorKind::Other))
    }
}

fn system_lookup(host: &str) -> LookupResult {
    match (host, 0).to_socket_addrs() {
        Ok(addresses) => Ok(addresses.map(|address| address.ip()).collect()),
        Err(error) if kind_of(&error) == EXHAUSTED || lacks_descriptors() => Err(EXHAUSTED),
        Err(error) => Err(lookup_failure(&error)),
    }
}

/// Whether the name does not exist, or the resolver failed. The standard library distinguishes them only in
/// text, that of the C library. Only known texts count as `NotFound`, because that result is cached.
fn lookup_failure(error: &io::Error) -> io::ErrorKind {
    /// `WSAHOST_NOT_FOUND` and `WSANO_DATA` of Windows.
    const WINDOWS_NOT_FOUND: [i32; 2] = [11001, 11004];
    /// `EAI_NONAME` and `EAI_NODATA` of glibc, musl, macOS and the BSDs.
    const NOT_FOUND: [&str; 5] =
        ["not known", "no address associated", "name does not resolve", "no usable address", "no such host"];
    let text = error.to_string().to_ascii_lowercase();
    let is_not_found = match error.raw_os_error() {
        Some(code) => WINDOWS_NOT_FOUND.contains(&code),
        None => NOT_FOUND.iter().any(|phrase| text.contains(phrase)),
    };
    if is_not_found { io::ErrorKind::NotFound } else { io::ErrorKind::Other }
}

/// The resolver of the connector. The policy has checked the addresses that it returns, and no others are
/// dialled, so the address that was checked and the address that is dialled cannot differ.
#[derive(Debug, Clone)]
pub(crate) struct GuardedResolver {
    pub(crate) policy: Arc<EgressPolicy>,
    pub(crate) resolver: Arc<dyn Resolve>,
}

/// The policy forbids an address that a name resolves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForbiddenAnswer;

impl fmt::Display for ForbiddenAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name resolves to an address that the egress policy forbids")
    }
}

impl std::error::Error for ForbiddenAnswer {}

impl GuardedResolver {
    /// The addresses of `host`. One forbidden address forbids the name: a private address among public ones
    /// is either an attack or a mistake, and which of them would be dialled is up to chance.
    pub(crate) async fn addresses(
        &self,
        host: &str,
    ) -> Result<Vec<IpAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let answers = self.resolver.resolve(host).await?;
        if answers.is_empty() || answers.len() > MAX_ANSWERS {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no usable answer").into());
        }
        if self.policy.permits_host(host) || answers.iter().all(|address| self.policy.permits(*address)) {
            Ok(answers)
        } else {
            Err(ForbiddenAnswer.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    #[derive(Debug)]
    struct Fixed(Vec<&'static str>);

    impl Resolve for Fixed {
        fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            Box::pin(async move { Ok(self.0.iter().map(|text| text.parse().unwrap()).collect()) })
        }
    }

    async fn verdict(answers: Vec<&'static str>, policy: EgressPolicy) -> Result<usize, String> {
        let guard = GuardedResolver { policy: Arc::new(policy), resolver: Arc::new(Fixed(answers)) };
        let addresses = guard.addresses("host.example").await;
        addresses.map(|addresses| addresses.len()).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn one_private_address_forbids_the_name() {
        for answers in [
            vec!["127.0.0.1"],
            vec!["8.8.8.8", "10.0.0.1"],
            vec!["10.0.0.1", "8.8.8.8"],
            vec!["2606:4700::1", "::ffff:169.254.169.254"],
            vec!["::1"],
        ] {
            let result = verdict(answers.clone(), EgressPolicy::public_only()).await;
            assert_eq!(result, Err(ForbiddenAnswer.to_string()), "{answers:?}");
        }
    }

    #[tokio::test]
    async fn public_and_allowed_addresses_pass() {
        assert_eq!(verdict(vec!["8.8.8.8", "2606:4700::1"], EgressPolicy::public_only()).await, Ok(2));
        let opened = EgressPolicy::public_only().allow_cidr("10.0.0.0/8".parse().unwrap());
        assert_eq!(verdict(vec!["8.8.8.8", "10.0.0.1"], opened).await, Ok(2));
        let named = EgressPolicy::public_only().allow_host("host.example");
        assert_eq!(verdict(vec!["127.0.0.1"], named).await, Ok(1));
    }

    #[tokio::test]
    async fn lookups_are_bounded_and_counted_until_they_end() {
        let resolver = SystemResolver { lookups: Arc::new(Semaphore::new(2)), ..SystemResolver::default() };
        let (release, gate) = std::sync::mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let begun = Arc::new(AtomicUsize::new(0));
        let request = |name: &'static str| {
            let (gate, begun, resolver) = (Arc::clone(&gate), Arc::clone(&begun), resolver.clone());
            let lookup = move |_: &str| {
                begun.fetch_add(1, SeqCst);
                gate.lock().unwrap().recv().map(|()| Arc::default()).map_err(|_| io::ErrorKind::Other)
            };
            tokio::spawn(async move { resolver.look_up(name, lookup).await })
        };
        let (first, second) = (request("a.test"), request("b.test"));
        while resolver.lookups.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        // The request is gone, but its thread is still busy. A second request for the name joins it.
        first.abort();
        assert!(first.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(resolver.lookups.available_permits(), 0);
        let (again, third) = (request("a.test"), request("c.test"));
        for _ in 0..3 {
            release.send(()).unwrap();
        }
        for lookup in [again, second, third] {
            assert!(lookup.await.unwrap().is_ok());
        }
        assert_eq!(begun.load(SeqCst), 3, "one for each name");
    }

    #[test]
    fn missing_names_are_distinguished_from_resolver_failures() {
        let failure = |text: &str| io::Error::other(format!("failed to lookup address information: {text}"));
        for (error, expected) in [
            (failure("Name or service not known"), io::ErrorKind::NotFound),
            (failure("No address associated with hostname"), io::ErrorKind::NotFound),
            (failure("nodename nor servname provided, or not known"), io::ErrorKind::NotFound),
            (io::Error::from_raw_os_error(11001), io::ErrorKind::NotFound),
            (failure("Name does not resolve"), io::ErrorKind::NotFound),
            (failure("Name has no usable address"), io::ErrorKind::NotFound),
            (failure("Temporary failure in name resolution"), io::ErrorKind::Other),
            (failure("Non-recoverable failure in name resolution"), io::ErrorKind::Other),
            (failure("System error"), io::ErrorKind::Other),
            (failure("Memory allocation failure"), io::ErrorKind::Other),
            (io::Error::from(io::ErrorKind::TimedOut), io::ErrorKind::Other),
            (failure("Try again"), io::ErrorKind::Other),
            (io::Error::from_raw_os_error(24), io::ErrorKind::Other),
        ] {
            assert_eq!(lookup_failure(&error), expected, "{error}");
        }
    }

    #[tokio::test]
    async fn no_addresses_and_too_many_are_failures() {
        assert!(verdict(vec![], EgressPolicy::public_only()).await.is_err());
        assert!(verdict(vec!["8.8.8.8"; MAX_ANSWERS + 1], EgressPolicy::public_only()).await.is_err());
        assert_eq!(verdict(vec!["8.8.8.8"; MAX_ANSWERS], EgressPolicy::public_only()).await, Ok(MAX_ANSWERS));
    }
}
