//! Hints for commands that failed because of a private address or a certificate.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;
use url::{Host, Url};

/// The hint for a `url` that policy refused. `None` if its address is public or `allowed`, because then the
/// reason is another.
///
/// The hint does not show the resolved address of a name: that would help attackers who probe a network
/// through a crawler.
pub(crate) fn for_refused(url: &Url, allowed: &[IpNet]) -> Option<String> {
    let is_allowed = |address: IpAddr| allowed.iter().any(|range| range.contains(&address));
    let range = match url.host()? {
        Host::Ipv4(address) if is_allowed(address.into()) => return None,
        Host::Ipv6(address) if is_allowed(address.into()) => return None,
        Host::Domain(name) if is_localhost(name) && is_allowed(Ipv4Addr::LOCALHOST.into()) => return None,
        Host::Ipv4(address) => range_of_v4(address)?,
        Host::Ipv6(address) => range_of_v6(address)?,
        Host::Domain(name) if is_localhost(name) => "127.0.0.0/8".to_owned(),
        Host::Domain(_) => {
            return Some(
                "private addresses are refused; if this host is yours, add --allow-private with the range \
                 of its address, such as --allow-private 10.0.0.0/8"
                    .to_owned(),
            );
        }
    };
    Some(format!("private addresses are refused; to allow this one, add --allow-private {range}"))
}

/// The hint for a host with a TLS failure.
pub(crate) fn for_certificates(skips_verification: bool) -> Option<String> {
    let advice = "if the certificate is the problem, add --ca-certificate FILE with its authority, or \
                  --skip-tls-verification if you trust the host anyway";
    (!skips_verification).then(|| advice.to_owned())
}

fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name == "localhost" || name.ends_with(".localhost")
}

fn range_of_v4(address: Ipv4Addr) -> Option<String> {
    let range = match address.octets() {
        [127, ..] => "127.0.0.0/8",
        [10, ..] => "10.0.0.0/8",
        [172, 16..=31, ..] => "172.16.0.0/12",
        [192, 168, ..] => "192.168.0.0/16",
        [169, 254, ..] => "169.254.0.0/16",
        [100, 64..=127, ..] => "100.64.0.0/10",
        [0, ..]
        | [192, 0, 0 | 2, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [224..=255, ..] => {
            return Some(format!("{address}/32"));
        }
        _ => return None,
    };
    Some(range.to_owned())
}

fn range_of_v6(address: Ipv6Addr) -> Option<String> {
    if let IpAddr::V4(inner) = address.to_canonical() {
        return range_of_v4(inner);
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("::1/128".to_owned()),
        [0xfc00..=0xfdff, ..] => Some("fc00::/7".to_owned()),
        [0xfe80..=0xfebf, ..] => Some("fe80::/10".to_owned()),
        [0x2000..=0x3fff, ..] => None,
        _ => Some(format!("{address}/128")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_names_the_range_to_allow() {
        for (address, range) in [
            ("http://127.0.0.1:8080/", Some("127.0.0.0/8")),
            ("http://localhost/", Some("127.0.0.0/8")),
            ("http://site.localhost./", Some("127.0.0.0/8")),
            ("http://10.1.2.3/", Some("10.0.0.0/8")),
            ("http://172.31.0.1/", Some("172.16.0.0/12")),
            ("http://169.254.169.254/latest", Some("169.254.0.0/16")),
            ("http://[::1]/", Some("::1/128")),
            ("http://[::ffff:127.0.0.1]/", Some("127.0.0.0/8")),
            ("http://[fd00::1]/", Some("fc00::/7")),
            ("http://0.0.0.0/", Some("0.0.0.0/32")),
            ("http://intranet.example/", Some("range of its address")),
            ("http://192.0.66.1/", None),
            ("http://172.32.0.1/", None),
            ("http://[2606::1]/", None),
        ] {
            let hint = for_refused(&Url::parse(address).unwrap(), &[]);
            assert_eq!(hint.is_some(), range.is_some(), "{address}");
            if let (Some(hint), Some(range)) = (hint, range) {
                assert!(hint.contains("--allow-private") && hint.contains(range), "{address}: {hint}");
            }
        }
    }

    #[test]
    fn allowed_addresses_have_no_hint() {
        let loopback = ["127.0.0.0/8".parse().unwrap()];
        for (address, hinted) in
            [("http://127.0.0.1:22/", false), ("http://localhost:22/", false), ("http://10.0.0.1/", true)]
        {
            assert_eq!(for_refused(&Url::parse(address).unwrap(), &loopback).is_some(), hinted, "{address}");
        }
    }
}
