//! Hints for commands that failed: what to try next.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gleaner::ErrorCode;
use ipnet::IpNet;
use url::{Host, Url};

use crate::args::EngineArgs;

/// The hint for a page without a document. `message` is its error. `url` is its URL, if it is known.
pub(crate) fn for_page(
    code: ErrorCode,
    message: &str,
    url: Option<&Url>,
    network: &EngineArgs,
) -> Option<String> {
    let hint = match code {
        ErrorCode::ScrapeBlocked if is_of_port(message) => return None,
        ErrorCode::ScrapeBlocked => return for_refused(url?, &network.allow_private),
        ErrorCode::ScrapeSslError if message.contains("does not speak TLS") => {
            "check the port, and whether the address begins with http in place of https"
        }
        ErrorCode::ScrapeSslError => return for_certificates(network),
        ErrorCode::ScrapeDnsResolutionError => {
            "check the spelling of the host; if it is right, this machine may be offline, which gleaner doctor \
             tells"
        }
        ErrorCode::ScrapeTimeout => {
            "for a slow site, --timeout MS waits longer; if every site is slow, gleaner doctor checks the network"
        }
        ErrorCode::ScrapeSiteError if message.contains("refused") => {
            "no server answers there: check the host and the port, and whether it is http or https"
        }
        ErrorCode::ScrapeSiteError if message.ends_with("answered with status 404") => {
            "check the address: the site has no such page"
        }
        ErrorCode::ScrapeSiteError => {
            "check the address, also whether it is http or https, and try again later; if the site closes the \
             connections of this network, --proxy-url sends the requests through another one"
        }
        ErrorCode::CrawlDenial => {
            "robots.txt of the site forbids the page; for a site of your own, gleaner crawl has \
             --ignore-robots-txt"
        }
        ErrorCode::ScrapeUnsupportedFileError => {
            "gleaner converts pages, texts and PDFs; other files can be downloaded with curl -O URL"
        }
        ErrorCode::ScrapeAllEnginesFailed if message.contains("proxy") => {
            "check the URL of --proxy-url or --stealth-proxy-url, and whether the proxy runs"
        }
        ErrorCode::ScrapeAllEnginesFailed => {
            "gleaner doctor checks the browser; --browser never fetches pages without one"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Whether this refusal is of a port, which no option allows.
pub(crate) fn is_of_port(message: &str) -> bool {
    message.contains("web pages are not served on port")
}

/// The hint for an answer with this status, if it may have another one for another client.
pub(crate) fn for_status(status: u16) -> Option<&'static str> {
    match status {
        401 | 407 => {
            Some("the page needs a login: send it with --header 'Authorization: ...' or 'Cookie: ...'")
        }
        403 | 429 | 503 => Some(
            "the site may refuse programs, or too many requests: try again later, say who you are with \
             --user-agent, use another network with --proxy-url, or a browser with --wait-for 1000",
        ),
        _ => None,
    }
}

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
pub(crate) fn for_certificates(network: &EngineArgs) -> Option<String> {
    let advice = if network.names_authorities() {
        "if the certificate is the problem, no authority in the given files has issued it: give the file of the \
         one that has (a certificate of a host is none), or --skip-tls-verification if you trust the host anyway"
    } else {
        "if the certificate is the problem, add --ca-certificate FILE with its authority, or \
         --skip-tls-verification if you trust the host anyway"
    };
    (!network.skips_tls_verification()).then(|| advice.to_owned())
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
    fn each_failure_says_what_to_try_next() {
        let url = Url::parse("https://a.example/").unwrap();
        for (code, message, want) in [
            (ErrorCode::ScrapeBlocked, "", "--allow-private"),
            (ErrorCode::ScrapeSslError, "", "--ca-certificate"),
            (ErrorCode::ScrapeSslError, "the server does not speak TLS", "http in place of https"),
            (ErrorCode::ScrapeDnsResolutionError, "", "offline"),
            (ErrorCode::ScrapeTimeout, "", "--timeout"),
            (ErrorCode::ScrapeSiteError, "connection refused", "the port"),
            (ErrorCode::ScrapeSiteError, "connection reset", "--proxy-url"),
            (ErrorCode::ScrapeSiteError, "https://a.example/ answered with status 404", "no such page"),
            (ErrorCode::CrawlDenial, "", "--ignore-robots-txt"),
            (ErrorCode::ScrapeUnsupportedFileError, "", "curl"),
            (ErrorCode::ScrapeAllEnginesFailed, "the proxy does not answer", "--proxy-url"),
            (ErrorCode::ScrapeAllEnginesFailed, "the browser crashed", "gleaner doctor"),
        ] {
            let hint = for_page(code, message, Some(&url), &EngineArgs::default());
            assert!(hint.is_some_and(|hint| hint.contains(want)), "{code}: {message}");
        }
        for (code, message) in [
            (ErrorCode::ScrapePdfError, ""),
            (ErrorCode::ScrapeBlocked, "https://a.example:22/: web pages are not served on port 22"),
        ] {
            assert_eq!(
                for_page(code, message, Some(&url), &EngineArgs::default()),
                None,
                "{code}: {message}"
            );
        }
    }

    #[test]
    fn only_statuses_that_another_client_may_change_have_a_hint() {
        for (status, want) in [
            (401, Some("--header")),
            (403, Some("--user-agent")),
            (429, Some("--proxy-url")),
            (404, None),
            (500, None),
        ] {
            let hint = for_status(status);
            assert_eq!(hint.is_some(), want.is_some(), "{status}");
            assert!(hint.unwrap_or_default().contains(want.unwrap_or_default()), "{status}");
        }
    }

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
