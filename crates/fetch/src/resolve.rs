//! Names to addresses, with every answer held against the policy before it can be dialled.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::egress::EgressPolicy;

/// Most answers of a resolver that are looked at; more are a sign of hostility, and none is dialled.
pub const MAX_ANSWERS: usize = 64;

/// Turns host names into addresses. Implement it to bring a resolver of your own; its answers pass the policy like any
/// other, so that it can be as naive as it likes.
#[async_trait]
pub trait Resolve: Send + Sync + fmt::Debug {
    /// All addresses of `host`, in the order in which they shall be tried.
    ///
    /// # Errors
    ///
    /// Whatever kept the name from being resolved. The text is not shown to callers.
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

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    #[expect(clippy::disallowed_methods, reason = "this is the door: its answers go through `Guarded`")]
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
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
    async fn no_answer_and_too_many_are_failures() {
        assert!(verdict(vec![], EgressPolicy::public_only()).await.is_err());
        assert!(verdict(vec!["8.8.8.8"; MAX_ANSWERS + 1], EgressPolicy::public_only()).await.is_err());
        assert_eq!(verdict(vec!["8.8.8.8"; MAX_ANSWERS], EgressPolicy::public_only()).await, Ok(MAX_ANSWERS));
    }
}
