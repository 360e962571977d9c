//! Which hosts belong to one site.

use gleaner_types::domain;

/// `host` without the trailing dot of the DNS root (`example.com.`), if it ends with exactly one dot.
///
/// Hosts with several trailing dots are not valid names and stay as they are: `1..` without its dots would be
/// an address.
pub(crate) fn without_root_dot(host: &str) -> &str {
    match host.strip_suffix('.') {
        Some(name) if !name.is_empty() && !name.ends_with('.') => name,
        _ => host,
    }
}

/// `host` without the root dot and without a leading `www.`, if the rest is a registrable name: not a public
/// suffix (`www.co.uk` is a site of its own), and not another `www.`.
pub(crate) fn bare_host(host: &str) -> &str {
    let host = without_root_dot(host);
    match host.strip_prefix("www.") {
        Some(rest) if !rest.starts_with("www.") && domain::registrable_domain(rest).is_some() => rest,
        _ => host,
    }
}

/// True if both URLs have the same registrable domain, or the same host if it has no registrable domain.
#[must_use]
pub fn same_site(one: &url::Url, other: &url::Url) -> bool {
    let site =
        |url| url::Url::host_str(url).map(|host| registrable_domain(host).unwrap_or(without_root_dot(host)));
    site(one) == site(other)
}

/// The registrable domain of `host` by the public suffix list; `None` for IP addresses, single labels and
/// suffixes.
pub(crate) fn registrable_domain(host: &str) -> Option<&str> {
    let host = without_root_dot(host);
    let is_address = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    if is_address { None } else { domain::registrable_domain(host) }
}

/// The port, if it distinguishes hosts: `None` for the default port of either scheme, since the scheme is
/// ignored.
pub(crate) fn distinct_port(url: &url::Url) -> Option<u16> {
    url.port().filter(|port| !matches!(port, 80 | 443))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_hosts() {
        for (host, bare) in [
            ("www.example.com", "example.com"),
            ("example.com", "example.com"),
            ("example.com.", "example.com"),
            ("www2.example.com", "www2.example.com"),
            ("www.co.uk", "www.co.uk"),
            ("www.com", "www.com"),
            ("www.www.example.com", "www.www.example.com"),
            ("localhost", "localhost"),
            ("[::1]", "[::1]"),
        ] {
            assert_eq!(bare_host(host), bare, "{host}");
        }
    }

    #[test]
    fn registrable_domains() {
        for (host, domain) in [
            ("a.b.example.co.uk", Some("example.co.uk")),
            ("example.com.", Some("example.com")),
            ("alice.github.io", Some("alice.github.io")),
            ("co.uk", None),
            ("localhost", None),
            ("127.0.0.1", None),
            ("[::1]", None),
        ] {
            assert_eq!(registrable_domain(host), domain, "{host}");
        }
    }
}
