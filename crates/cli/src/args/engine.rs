//! Options for the network, the proxies, the cache and the concurrency of the engine.

use std::fmt::Display;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use gleaner::limits::DEFAULT_MAX_AGE_MS;
use gleaner::{FetcherBuilder, Proxy, ProxyPool};
use ipnet::IpNet;
use url::Url;

use super::booleans::BOOLEAN;
use super::fields::Fields;
use super::{BrowserArgs, value};
use crate::failure::Failure;

/// Settings of the engine, which are not part of a request.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Network")]
pub(crate) struct EngineArgs {
    /// Fetch at most N pages at a time, also if all are of one host [default: 50, and at first 8 of one host]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=1024),
        allow_negative_numbers = true
    )]
    pub(crate) concurrency: Option<u32>,

    /// Send this user agent
    #[arg(long, value_name = "TEXT", value_parser = value::user_agent)]
    pub(crate) user_agent: Option<String>,

    /// Accept any TLS certificate; otherwise certificates are checked [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    skip_tls_verification: Option<bool>,

    /// Trust the certificate authorities in this PEM file, besides the usual ones; repeat for more files
    #[arg(long, value_name = "FILE")]
    ca_certificate: Vec<PathBuf>,

    /// Send requests through this proxy, http://host:port or socks5://host:port, with user:password@ if
    /// required; repeat for more, which are used in turn
    #[arg(long, value_name = "URL")]
    proxy_url: Vec<String>,

    /// Like --proxy-url, for the proxy mode stealth and the second attempt of the mode auto, which send a
    /// browser's headers
    #[arg(long, value_name = "URL")]
    stealth_proxy_url: Vec<String>,

    /// Keep copies of pages in this folder, at most 1 GiB, and use them instead of a fetch while they are
    /// young enough [default: each page is fetched]
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// Allow private addresses in this range, such as 127.0.0.0/8; repeat for more. All others stay refused
    #[arg(long, value_name = "CIDR", value_parser = value::address_range)]
    pub(crate) allow_private: Vec<IpNet>,

    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

impl EngineArgs {
    /// Whether any certificate is accepted.
    pub(crate) fn skips_tls_verification(&self) -> bool {
        self.skip_tls_verification.unwrap_or_default()
    }

    /// The greatest age of copies of pages in milliseconds, if a folder for them is given and no other age.
    pub(super) fn max_age(&self) -> Option<u64> {
        self.cache.as_ref().map(|_| DEFAULT_MAX_AGE_MS)
    }

    /// Adds the options that every page has to `fields`, under the names of request fields.
    pub(super) fn add_to(&self, fields: &mut Fields) {
        fields.set("skipTlsVerification", self.skip_tls_verification);
        fields.set("maxAge", self.max_age());
    }

    /// Whether there are files with certificate authorities.
    pub(crate) fn names_authorities(&self) -> bool {
        !self.ca_certificate.is_empty()
    }

    /// The texts of the files with certificate authorities.
    ///
    /// # Errors
    /// A file cannot be read, or is not a list of certificates in PEM.
    pub(crate) fn ca_certificates(&self) -> Result<Vec<Vec<u8>>, Failure> {
        let read = |file: &PathBuf| {
            let unusable = |reason: &dyn Display| {
                let file = file.display();
                Failure::usage(format!(
                    "--ca-certificate: cannot use {file}: {reason}; name a PEM file with certificates"
                ))
            };
            let pem = fs::read(file).map_err(|error| unusable(&error))?;
            // The engine checks all files together, so its error cannot name the file.
            let built = FetcherBuilder::default().add_root_certificates_pem(pem.as_slice()).build();
            built.map(|_| pem).map_err(|error| unusable(&error))
        };
        self.ca_certificate.iter().map(read).collect()
    }

    /// The basic proxies; `None` if there are none.
    ///
    /// # Errors
    /// A URL is not one of a proxy.
    pub(crate) fn proxies(&self) -> Result<Option<ProxyPool>, Failure> {
        pool("--proxy-url", &self.proxy_url)
    }

    /// The stealth proxies; `None` if there are none.
    ///
    /// # Errors
    /// A URL is not one of a proxy.
    pub(crate) fn stealth_proxies(&self) -> Result<Option<ProxyPool>, Failure> {
        pool("--stealth-proxy-url", &self.stealth_proxy_url)
    }
}

/// The proxies of an option. A proxy may be on the same machine or network, so the pool may connect to its
/// host even if its address is private.
fn pool(option: &str, urls: &[String]) -> Result<Option<ProxyPool>, Failure> {
    if urls.is_empty() {
        return Ok(None);
    }
    let proxies: Result<Vec<Proxy>, _> = urls.iter().map(|url| Proxy::parse(url)).collect();
    let proxies = proxies.map_err(|error| Failure::usage(format!("{option}: {error}")))?;
    let hosts = urls.iter().filter_map(|url| Url::parse(url).ok()?.host_str().map(str::to_owned));
    Ok(Some(hosts.fold(ProxyPool::new(proxies), |pool, host| pool.allow_host(&host))))
}
