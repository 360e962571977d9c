use std::path::PathBuf;

use clap::Args;
use gleaner::{Proxy, ProxyPool};
use ipnet::IpNet;
use url::Url;

use super::booleans::BOOLEAN;
use super::value;
use crate::failure::Failure;

/// How the engine works: no part of a request.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Network")]
pub(crate) struct EngineArgs {
    /// Fetch at most N pages at once, and as many from one host [default: 50, and 8 a host]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), allow_negative_numbers = true)]
    pub(crate) concurrency: Option<u32>,

    /// Introduce yourself to sites by this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,

    /// Accept any TLS certificate; without this they are checked [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    skip_tls_verification: Option<bool>,

    /// Send requests through this proxy, http://host:port or socks5://host:port, with user:password@ where it wants them;
    /// repeat for more, which take turns
    #[arg(long, value_name = "URL")]
    proxy_url: Vec<String>,

    /// As --proxy-url, for --proxy stealth and for the second try of --proxy auto, which say what a browser says
    #[arg(long, value_name = "URL")]
    stealth_proxy_url: Vec<String>,

    /// Keep copies of pages in this folder, at most 1 GiB, and take them from there as --max-age allows
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// Allow private addresses of this range, such as 127.0.0.0/8; repeat for more. All others stay refused
    #[arg(long, value_name = "CIDR", value_parser = value::range)]
    pub(crate) allow_private: Vec<IpNet>,
}

impl EngineArgs {
    /// Is any certificate accepted? By the contract it is unless a request says otherwise; a person at a shell expects
    /// certificates to be checked, as other programs there do it.
    pub(crate) fn skips_tls_verification(&self) -> bool {
        self.skip_tls_verification.unwrap_or_default()
    }

    /// The proxies of requests that say what gleaner says; `None` for none.
    ///
    /// # Errors
    /// An address that is none of a proxy.
    pub(crate) fn proxies(&self) -> Result<Option<ProxyPool>, Failure> {
        pool("--proxy-url", &self.proxy_url)
    }

    /// The proxies of requests that say what a browser says; `None` for none.
    ///
    /// # Errors
    /// An address that is none of a proxy.
    pub(crate) fn stealth_proxies(&self) -> Result<Option<ProxyPool>, Failure> {
        pool("--stealth-proxy-url", &self.stealth_proxy_url)
    }
}

/// Who names a proxy may have it on the same machine or network: the pool gets leave for just its host.
fn pool(option: &str, addresses: &[String]) -> Result<Option<ProxyPool>, Failure> {
    if addresses.is_empty() {
        return Ok(None);
    }
    let proxies: Result<Vec<Proxy>, _> = addresses.iter().map(|address| Proxy::parse(address)).collect();
    let proxies = proxies.map_err(|error| Failure::usage(format!("{option}: {error}")))?;
    let hosts =
        addresses.iter().filter_map(|address| Url::parse(address).ok()?.host_str().map(str::to_owned));
    Ok(Some(hosts.fold(ProxyPool::new(proxies), |pool, host| pool.allow_host(&host))))
}
