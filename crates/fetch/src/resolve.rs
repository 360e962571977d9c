//! Names to addresses, with every answer held against the policy before it can be dialled.

use std::fmt;
use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::cache::flight::{FlightRole, Flights};
use crate::egress::EgressPolicy;

/// Most answers of a resolver that are looked at; more are a sign of hostility, and none is dialled.
pub const MAX_ANSWERS: usize = 64;

/// Most questions to the resolver of the operating system at once. Each holds a thread until it is answered, and a name
/// whose servers are silent holds it for many seconds; who has to wait does so within its own deadline.
pub const MAX_LOOKUPS: usize = 128;

/// Turns host names into addresses. Implement it to bring a resolver of your own; its answers pass the policy like any
/// other, so that it can be as naive as it likes.
#[async_trait]
pub trait Resolve: Send + Sync + fmt::Debug {
    /// All addresses of `host`, in the order in which they shall be tried.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] where there is no such name, which is remembered for a while; any other kind where the
    /// resolver failed, which may be over soon. After either it is asked once more. The text is not shown to callers.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;

    /// The same with the time for which the answer holds, where the resolver knows it.
    ///
    /// # Errors
    ///
    /// As [`Resolve::resolve`].
    async fn resolve_with_ttl(&self, host: &str) -> io::Result<Answers> {
        Ok(Answers { addresses: self.resolve(host).await?, ttl: None })
    }
}

/// What a resolver knows of a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answers {
    /// All addresses, in the order in which they shall be tried.
    pub addresses: Vec<IpAddr>,
    /// For how long they hold; kept within [`crate::MIN_DNS_TTL`] and [`crate::MAX_DNS_TTL`].
    pub ttl: Option<Duration>,
}

/// The resolver of the operating system. It answers at most [`MAX_LOOKUPS`] questions at once, and for each name one at a
/// time; clones share that bound.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    lookups: Arc<Semaphore>,
    under_way: Arc<Flights<Box<str>, Found>>,
}

/// The addresses of a name, or the kind of failure: the rest of an I/O error cannot be shared.
pub(crate) type Found = Result<Arc<[IpAddr]>, io::ErrorKind>;

impl Default for SystemResolver {
    fn default() -> Self {
        Self { lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)), under_way: Arc::default() }
    }
}

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.find(host, system_lookup).await.map(|found| found.to_vec()).map_err(io::Error::from)
    }
}

impl SystemResolver {
    /// Asks `look_up` on a thread for blocking work, once there is a permit for it.
    ///
    /// A thread cannot be cancelled: it goes on where its asker does not wait any more. So it holds the permit, or it would
    /// be counted no longer, and it leads the flight, so that whoever asks for the same name meanwhile waits for it rather
    /// than begin a second one.
    async fn find(&self, host: &str, look_up: impl FnOnce(&str) -> Found + Send + 'static) -> Found {
        let name: Box<str> = host.into();
        let leader = match self.under_way.join(&name).await {
            FlightRole::Landed(found) => return found,
            FlightRole::Leader(leader) => leader,
            FlightRole::Released => return Err(io::ErrorKind::Other),
        };
        let permit = Arc::clone(&self.lookups).acquire_owned().await.map_err(|_| io::ErrorKind::Other)?;
        let work = move || {
            let found = look_up(&name);
            drop(permit);
            leader.land(found.clone());
            found
        };
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(io::ErrorKind::Other))
    }
}

fn system_lookup(host: &str) -> Found {
    match (host, 0).to_socket_addrs() {
        Ok(found) => Ok(found.map(|address| address.ip()).collect()),
        Err(error) => Err(lookup_failure(&error)),
    }
}

/// Whether the name is not there, or the resolver failed. The standard library tells the one from the other in words only,
/// those of the C library. Only what is known to say that there is no such name counts as that: it is remembered.
fn lookup_failure(error: &io::Error) -> io::ErrorKind {
    /// `WSAHOST_NOT_FOUND` and `WSANO_DATA`, which Windows has numbers for.
    const WINDOWS_NOT_FOUND: [i32; 2] = [11001, 11004];
    /// `EAI_NONAME` and `EAI_NODATA` of glibc, musl, macOS and the BSDs.
    const NOT_FOUND: [&str; 5] =
        ["not known", "no address associated", "name does not resolve", "no usable address", "no such host"];
    let text = error.to_string().to_ascii_lowercase();
    let is_not_found = match error.raw_os_error() {
        Some(code) => WINDOWS_NOT_FOUND.contains(&code),
        None => NOT_FOUND.iter().any(|said| text.contains(said)),
    };
    if is_not_found { io::ErrorKind::NotFound } else { io::ErrorKind::Other }
}

/// The resolver that the client dials by: what it returns has been judged, and nothing else is dialled, so that the
/// address that was checked and the address that is connected to cannot differ.
#[derive(Debug, Clone)]
pub(crate) struct Guarded {
    pub(crate) policy: Arc<EgressPolicy>,
    pub(crate) resolver: Arc<dyn Resolve>,
}

/// The policy forbids where a name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForbiddenAnswer;

impl fmt::Display for ForbiddenAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name resolves to an address that the egress policy forbids")
    }
}

impl std::error::Error for ForbiddenAnswer {}

impl Guarded {
    /// The addresses of `host`. One forbidden answer forbids the name: a public name with a private answer among its
    /// public ones is either an attack or a mistake, and which of the two would be dialled is up to chance.
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

    #[async_trait]
    impl Resolve for Fixed {
        async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            Ok(self.0.iter().map(|text| text.parse().unwrap()).collect())
        }
    }

    async fn verdict(answers: Vec<&'static str>, policy: EgressPolicy) -> Result<usize, String> {
        let guard = Guarded { policy: Arc::new(policy), resolver: Arc::new(Fixed(answers)) };
        guard.addresses("host.example").await.map(|found| found.len()).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn one_private_answer_forbids_the_name() {
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
    async fn public_and_opened_answers_pass() {
        assert_eq!(verdict(vec!["8.8.8.8", "2606:4700::1"], EgressPolicy::public_only()).await, Ok(2));
        let opened = EgressPolicy::public_only().allow_cidr("10.0.0.0/8".parse().unwrap());
        assert_eq!(verdict(vec!["8.8.8.8", "10.0.0.1"], opened).await, Ok(2));
        let named = EgressPolicy::public_only().allow_host("host.example");
        assert_eq!(verdict(vec!["127.0.0.1"], named).await, Ok(1));
    }

    #[tokio::test]
    async fn lookups_are_bounded_and_counted_to_their_end() {
        let resolver = SystemResolver { lookups: Arc::new(Semaphore::new(2)), ..SystemResolver::default() };
        let (release, gate) = std::sync::mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let begun = Arc::new(AtomicUsize::new(0));
        let ask = |name: &'static str| {
            let (gate, begun, resolver) = (Arc::clone(&gate), Arc::clone(&begun), resolver.clone());
            let look_up = move |_: &str| {
                begun.fetch_add(1, SeqCst);
                gate.lock().unwrap().recv().map(|()| Arc::default()).map_err(|_| io::ErrorKind::Other)
            };
            tokio::spawn(async move { resolver.find(name, look_up).await })
        };
        let (first, second) = (ask("a.test"), ask("b.test"));
        while resolver.lookups.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        // Nobody waits for it any more, but its thread is busy still; and who asks for the name again joins it.
        first.abort();
        assert!(first.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(resolver.lookups.available_permits(), 0);
        let (again, third) = (ask("a.test"), ask("c.test"));
        for _ in 0..3 {
            release.send(()).unwrap();
        }
        for asked in [again, second, third] {
            assert!(asked.await.unwrap().is_ok());
        }
        assert_eq!(begun.load(SeqCst), 3, "one for each name");
    }

    #[test]
    fn a_name_that_is_not_there_and_a_resolver_that_failed() {
        let said = |text: &str| io::Error::other(format!("failed to lookup address information: {text}"));
        for (error, expected) in [
            (said("Name or service not known"), io::ErrorKind::NotFound),
            (said("No address associated with hostname"), io::ErrorKind::NotFound),
            (said("nodename nor servname provided, or not known"), io::ErrorKind::NotFound),
            (io::Error::from_raw_os_error(11001), io::ErrorKind::NotFound),
            (said("Name does not resolve"), io::ErrorKind::NotFound),
            (said("Name has no usable address"), io::ErrorKind::NotFound),
            (said("Temporary failure in name resolution"), io::ErrorKind::Other),
            (said("Non-recoverable failure in name resolution"), io::ErrorKind::Other),
            (said("System error"), io::ErrorKind::Other),
            (said("Memory allocation failure"), io::ErrorKind::Other),
            (io::Error::from(io::ErrorKind::TimedOut), io::ErrorKind::Other),
            (said("Try again"), io::ErrorKind::Other),
            (io::Error::from_raw_os_error(24), io::ErrorKind::Other),
        ] {
            assert_eq!(lookup_failure(&error), expected, "{error}");
        }
    }

    #[tokio::test]
    async fn no_answer_and_too_many_are_failures() {
        assert!(verdict(vec![], EgressPolicy::public_only()).await.is_err());
        assert!(verdict(vec!["8.8.8.8"; MAX_ANSWERS + 1], EgressPolicy::public_only()).await.is_err());
        assert_eq!(verdict(vec!["8.8.8.8"; MAX_ANSWERS], EgressPolicy::public_only()).await, Ok(MAX_ANSWERS));
    }
}
