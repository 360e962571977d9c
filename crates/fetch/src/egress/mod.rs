//! The egress policy: where requests may go.
//!
//! The policy checks what is about to be dialled: a literal address before the request is built, every answer
//! of the resolver before a connection is opened, and both again at each redirect. It checks parsed addresses
//! and never the text of a URL, because `http://2130706433/`, `http://0x7f.1/` and `http://127.1/` are all
//! the loopback address once the URL parser has read them.
//!
//! This is a deny list, not a firewall. A network that gives private services public addresses, or that
//! translates addresses under a NAT64 prefix of its own (RFC 6052 section 3.1), needs a rule at its edge.

mod ports;
mod table;

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net};
use sha2::{Digest, Sha256};
use url::{Host, Url};

/// Which addresses, hosts and ports may be dialled. The default is the public Internet only.
///
/// ```
/// use gleaner_fetch::EgressPolicy;
///
/// let policy = EgressPolicy::public_only().allow_cidr("10.1.0.0/16".parse()?);
/// assert!(policy.permits("10.1.2.3".parse()?));
/// assert!(policy.permits("::ffff:10.1.2.3".parse()?), "the same host, written as IPv6");
/// assert!(!policy.permits("10.2.0.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct EgressPolicy {
    networks: Vec<IpNet>,
    hosts: BTreeSet<String>,
}

/// Why a URL or an address may not be dialled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Neither `http` nor `https`.
    Scheme(String),
    /// A port that no web page is served on.
    Port(u16),
    /// An address that is not on the public Internet.
    Address,
    /// The URL has no host.
    NoHost,
}

impl EgressPolicy {
    /// Public addresses only. Addresses that IANA lists as not globally reachable are refused, and so are the
    /// bad ports of the Fetch standard.
    #[must_use]
    pub fn public_only() -> Self {
        Self::default()
    }

    /// Also permits the addresses of one network.
    ///
    /// An IPv4 network includes the IPv4-mapped form of its addresses (`::ffff:a.b.c.d`), and a network in
    /// that form includes the IPv4 addresses, because both reach the same host. Translated forms (NAT64,
    /// 6to4, Teredo) stay forbidden.
    #[must_use]
    pub fn allow_cidr(mut self, network: IpNet) -> Self {
        self.networks.push(unmapped(network));
        self
    }

    /// Also permits one host by name, whatever address it resolves to. Letter case and a final dot do not
    /// matter. A literal address permits that address, as [`EgressPolicy::allow_cidr`] does.
    ///
    /// This trusts the name, not the address: its DNS records decide where requests go.
    #[must_use]
    pub fn allow_host(mut self, name: &str) -> Self {
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        if let Ok(address) = bare.parse::<IpAddr>() {
            return self.allow_cidr(address.into());
        }
        self.hosts.insert(plain_name(name));
        self
    }

    /// Whether this address may be dialled.
    #[must_use]
    pub fn permits(&self, address: IpAddr) -> bool {
        let plain = address.to_canonical();
        self.networks.iter().any(|network| network.contains(&plain)) || table::closed_by(address).is_none()
    }

    /// Whether every address that this name resolves to may be dialled.
    pub(crate) fn permits_host(&self, name: &str) -> bool {
        !self.hosts.is_empty() && self.hosts.contains(&plain_name(name))
    }

    /// A digest of this policy, as 64 hexadecimal digits. The order of its networks and hosts does not
    /// matter.
    pub(crate) fn digest(&self) -> String {
        let networks: BTreeSet<String> = self.networks.iter().map(ToString::to_string).collect();
        let mut hasher = Sha256::new();
        for line in
            networks.iter().map(String::as_str).chain(["hosts"]).chain(self.hosts.iter().map(String::as_str))
        {
            hasher.update(line.replace('\n', " ").as_bytes());
            hasher.update(b"\n");
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Checks everything about a URL that is known before its name is resolved.
    pub(crate) fn check_url(&self, url: &Url) -> Result<(), Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme(url.scheme().to_owned()));
        }
        let port = url.port_or_known_default().unwrap_or(0);
        if !ports::is_open(port) {
            return Err(Refusal::Port(port));
        }
        let literal = match url.host() {
            None => return Err(Refusal::NoHost),
            Some(Host::Domain(_)) => return Ok(()),
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
        };
        if self.permits(literal) { Ok(()) } else { Err(Refusal::Address) }
    }
}

/// A network in IPv4-mapped form as an IPv4 network.
fn unmapped(network: IpNet) -> IpNet {
    let IpNet::V6(six) = network else { return network };
    let mapped: Ipv6Addr = six.network();
    match (mapped.to_ipv4_mapped(), six.prefix_len().checked_sub(96)) {
        (Some(address), Some(length)) => Ipv4Net::new(address, length).map_or(network, IpNet::V4),
        _ => network,
    }
}

/// A host name in the form for comparison.
fn plain_name(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(policy: &EgressPolicy, url: &str) -> Result<(), Refusal> {
        policy.check_url(&Url::parse(url).unwrap())
    }

    #[test]
    fn encodings_of_local_addresses_are_forbidden() {
        let policy = EgressPolicy::public_only();
        let rows = [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://127.0.1/",
            "http://0/",
            "http://１２７.０.０.１/",
            "http://127。0。0。1/",
            "http://%31%32%37.0.0.1/",
            "http://127.0.0.1./",
            "http:\\\\127.0.0.1\\",
            "http://user:pw@127.0.0.1/",
            "http://example.com@127.0.0.1/",
            "http://[::1]/",
            "http://[::]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[0:0:0:0:0:ffff:7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://[2001:0:7f00:1::]/",
            "http://[fc00::1]/",
            "http://[fe80::1]/",
            "http://169.254.169.254/latest/",
            "http://0xa9fea9fe/",
            "http://10.0.0.1/",
            "http://172.16.0.1/",
            "http://192.168.1.1/",
            "http://100.64.0.1/",
            "http://[::ffff:0:127.0.0.1]/",
        ];
        for url in rows {
            assert_eq!(check(&policy, url), Err(Refusal::Address), "{url}");
        }
    }

    #[test]
    fn zone_identifiers_do_not_parse() {
        assert!(Url::parse("http://[fe80::1%25eth0]/").is_err());
    }

    #[test]
    fn other_schemes_and_bad_ports_are_forbidden() {
        let policy = EgressPolicy::public_only();
        for url in [
            "file:///etc/passwd",
            "ftp://example.com/",
            "gopher://example.com/",
            "data:text/html,x",
            "javascript:alert(1)",
            "blob:https://example.com/x",
            "ws://example.com/",
            "wss://example.com/",
        ] {
            assert!(matches!(check(&policy, url), Err(Refusal::Scheme(_))), "{url}");
        }
        for port in [22, 25, 6379, 6667, 0] {
            assert_eq!(check(&policy, &format!("http://example.com:{port}/")), Err(Refusal::Port(port)));
        }
        assert_eq!(check(&policy, "https://example.com:8443/"), Ok(()));
    }

    #[test]
    fn digests_distinguish_policies() {
        let open = EgressPolicy::public_only;
        let digest = |policy: EgressPolicy| policy.digest();
        assert_eq!(
            digest(open().allow_host("a").allow_host("b")),
            digest(open().allow_host("B.").allow_host("a"))
        );
        let policies =
            [open(), open().allow_host("10.0.0.0/8x"), open().allow_cidr("10.0.0.0/8".parse().unwrap())];
        let digests: BTreeSet<String> = policies.into_iter().map(digest).collect();
        assert_eq!(digests.len(), 3);
    }

    #[test]
    fn exceptions_permit_only_what_they_name() {
        let policy = EgressPolicy::public_only()
            .allow_cidr("127.0.0.2/32".parse().unwrap())
            .allow_cidr("::ffff:10.1.0.0/112".parse().unwrap())
            .allow_cidr("fd00:1::/32".parse().unwrap())
            .allow_host("Intranet.Example.")
            .allow_host("[::1]")
            .allow_host("192.168.7.7");
        for address in
            ["127.0.0.2", "::ffff:127.0.0.2", "10.1.2.3", "fd00:1::5", "::1", "192.168.7.7", "8.8.8.8"]
        {
            assert!(policy.permits(address.parse().unwrap()), "{address}");
        }
        for address in [
            "127.0.0.1",
            "127.0.0.3",
            "::ffff:127.0.0.1",
            "10.2.0.0",
            "fd00:2::1",
            "64:ff9b::127.0.0.2",
            "2002:7f00:2::",
            "192.168.7.8",
        ] {
            assert!(!policy.permits(address.parse().unwrap()), "{address}");
        }
        assert!(policy.permits_host("intranet.example"));
        assert!(policy.permits_host("INTRANET.EXAMPLE."));
        assert!(!policy.permits_host("a.intranet.example"));
        assert!(!EgressPolicy::public_only().permits_host("intranet.example"));
    }
}
