//! The floods: the sites, jobs and requests of each.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use gleaner_benches::floor::client;
use gleaner_testkit::{HostilePage, PageServer};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::Failure;
use crate::unread::Attack;

/// Length of the path of a long address: the address has less than the 8,192 bytes that are allowed.
const LONG_PATH: usize = 7_900;
/// The failed pages of a job that are listed, in submits of the most that a body can hold.
const FAILED_SUBMITS: usize = 8;
const FAILED_PER_SUBMIT: usize = 1_250;
/// A page that keeps a batch open until all failing pages are added.
const OPEN_TIME: Duration = Duration::from_secs(20);
/// The addresses of a sitemap: written out, about 50 MB; or relative, as many as are read.
const LONG_ENTRIES: usize = 6_000;
const SHORT_ENTRIES: usize = 50_000;
/// The documents of the watched batch, and the bytes of each.
const WATCHED_PAGES: usize = 60;
const WATCHED_BYTES: usize = 250_000;
/// Scrapes, the pause after each, the sites that they name, and the bytes of a page.
const SCRAPES: usize = 500;
const SCRAPE_PAUSE: Duration = Duration::from_millis(40);
const SCRAPED_SITES: u8 = 4;
const SCRAPED_BYTES: usize = 4 << 20;
/// Pause between two requests for the status of a job.
const STATUS_INTERVAL: Duration = Duration::from_millis(200);

const BATCH: &str = "/v2/batch/scrape";

/// A kind of flood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flood {
    Errors,
    FewMaps,
    ManyMaps,
    Watchers,
    Scrapes,
}

impl Flood {
    pub(crate) const ALL: [Self; 5] =
        [Self::Errors, Self::FewMaps, Self::ManyMaps, Self::Watchers, Self::Scrapes];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Errors => "errors",
            Self::FewMaps => "maps-3",
            Self::ManyMaps => "maps-16",
            Self::Watchers => "watchers",
            Self::Scrapes => "scrapes",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flood| flood.name() == name)
    }

    /// Starts the sites, and runs the jobs whose results are read.
    pub(crate) async fn prepare(self, server: SocketAddr) -> Result<Attack, Failure> {
        match self {
            Self::Errors => {
                let path = failed_batch(server).await?;
                let request = get(&format!("{path}/errors"), "");
                Ok(Attack { requests: vec![request; 50], pause: Duration::ZERO, sites: Vec::new() })
            }
            Self::FewMaps => maps(3),
            Self::ManyMaps => maps(16),
            Self::Watchers => {
                let path = large_batch(server).await?;
                let handshake = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                                 Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
                let request = get(&path, handshake);
                Ok(Attack { requests: vec![request; 200], pause: Duration::ZERO, sites: Vec::new() })
            }
            Self::Scrapes => scrapes(),
        }
    }
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key\r\n{headers}\r\n")
}

fn post(path: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
}

/// Serves pages. Each site has its own address, because the engine applies limits to addresses.
fn site(number: u8, pages: Vec<HostilePage>) -> Result<PageServer, Failure> {
    Ok(PageServer::start_on(IpAddr::V4(Ipv4Addr::new(127, 0, 1, number)), pages)?)
}

/// A batch whose pages have failed, as their addresses are refused: as many as are listed.
async fn failed_batch(server: SocketAddr) -> Result<String, Failure> {
    let slow = site(1, vec![HostilePage::html("/", "<p>late").delay(OPEN_TIME)])?;
    let open = json!({ "urls": [format!("{}/", slow.base_url())], "timeout": 60_000 });
    let id = submit(server, &open).await?;
    let path = "x".repeat(LONG_PATH);
    for submits in 0..FAILED_SUBMITS {
        let url = |page: usize| format!("http://10.0.0.1/{submits}/{page}/{path}");
        let urls: Vec<String> = (0..FAILED_PER_SUBMIT).map(url).collect();
        submit(server, &json!({ "urls": urls, "appendToId": id })).await?;
    }
    ended(server, &id).await
}

async fn large_batch(server: SocketAddr) -> Result<String, Failure> {
    let page = HostilePage::anywhere("text/html", "<p>word ".repeat(WATCHED_BYTES / 8));
    let site = site(1, vec![page])?;
    let urls: Vec<String> = (0..WATCHED_PAGES).map(|page| format!("{}/{page}", site.base_url())).collect();
    let id = submit(server, &json!({ "urls": urls, "formats": ["rawHtml"] })).await?;
    ended(server, &id).await
}

/// Maps of sites with two sitemaps. One has long addresses. The other has a long address itself, which each
/// of its short entries repeats.
fn maps(count: u8) -> Result<Attack, Failure> {
    let path = "x".repeat(LONG_PATH);
    let sitemap = |entry: &dyn Fn(usize) -> String, entries: usize| {
        let entries: String = (0..entries).map(|at| format!("<url><loc>{}</loc></url>", entry(at))).collect();
        format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>")
    };
    let pages = vec![
        HostilePage::new("/robots.txt", "text/plain", format!("Sitemap: /{path}/relative.xml\n")),
        HostilePage::new(
            format!("/{path}/relative.xml"),
            "application/xml",
            sitemap(&|at: usize| at.to_string(), SHORT_ENTRIES),
        ),
        HostilePage::new(
            "/sitemap.xml",
            "application/xml",
            sitemap(&|at: usize| format!("/{at}/{path}"), LONG_ENTRIES),
        ),
    ];
    let sites: Result<Vec<PageServer>, Failure> =
        (1..=count).map(|number| site(number, pages.clone())).collect();
    let sites = sites?;
    let request = |site: &PageServer| {
        let url = format!("{}/", site.base_url());
        post("/v2/map", &json!({ "url": url, "sitemap": "only", "limit": 100_000, "timeout": 60_000 }))
    };
    Ok(Attack { requests: sites.iter().map(request).collect(), pause: Duration::ZERO, sites })
}

fn scrapes() -> Result<Attack, Failure> {
    let page = HostilePage::anywhere("text/html", format!("<p>{}", "word ".repeat(SCRAPED_BYTES / 5)));
    let sites: Result<Vec<PageServer>, Failure> =
        (1..=SCRAPED_SITES).map(|number| site(number, vec![page.clone()])).collect();
    let sites = sites?;
    let request = |(number, site): (usize, &PageServer)| {
        let url = format!("{}/{number}", site.base_url());
        post("/v2/scrape", &json!({ "url": url, "formats": ["rawHtml"], "maxAge": 0 }))
    };
    let requests = (0..SCRAPES).zip(sites.iter().cycle()).map(request).collect();
    Ok(Attack { requests, pause: SCRAPE_PAUSE, sites })
}

/// Starts a batch, or adds to one. Returns its id.
async fn submit(server: SocketAddr, body: &Value) -> Result<String, Failure> {
    let request = client()?.post(format!("http://{server}{BATCH}"));
    let request = request.header("Content-Type", "application/json").body(body.to_string());
    let submitted = answer(request).await?;
    let id = submitted.get("id").and_then(Value::as_str).map(str::to_owned);
    id.ok_or_else(|| format!("the batch was refused: {submitted}").into())
}

/// Waits until a batch has ended. Returns its path.
async fn ended(server: SocketAddr, id: &str) -> Result<String, Failure> {
    let (client, path) = (client()?, format!("{BATCH}/{id}"));
    loop {
        let status = answer(client.get(format!("http://{server}{path}?limit=1"))).await?;
        match status.get("status").and_then(Value::as_str) {
            Some("scraping") => sleep(STATUS_INTERVAL).await,
            Some(_) => return Ok(path),
            None => return Err(format!("the batch has no status: {status}").into()),
        }
    }
}

async fn answer(request: RequestBuilder) -> Result<Value, Failure> {
    let response = request.header("Authorization", "Bearer key").send().await?;
    Ok(serde_json::from_slice(&response.bytes().await?)?)
}
