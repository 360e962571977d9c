//! A canary in each place for a secret, through the job service and the HTTP API. Each appears where it is
//! sent, and nowhere else.

use std::path::Path;
use std::sync::Arc;

use gleaner::service::{
    MemoryAccounts, MemoryActivityLog, Secret, Serving, Team, TeamConfig, TeamId, WebhookConfig,
};
use gleaner::{
    BatchScrapeRequest, CrawlRequest, DiskCache, Engine, ExtractRequest, Network, Proxy, ProxyPool,
    ScrapeRequest, Storage,
};
use gleaner_http::Service;
use gleaner_models::Provider;
use gleaner_testkit::ProxyServer;
use gleaner_tests::fakes::{
    Ending, FakeResponse, FakeServer, KEY as MODEL_KEY, ReceivedRequest, engine_builder, model_builder, reply,
};
use serde_json::{Value, json};

use crate::log::with_exclusive_log;
use crate::wire::ApiClient;

/// Where a recorded text appeared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sink {
    Log,
    /// `Debug` and `Display` output.
    Debug,
    /// Responses of the HTTP API.
    Response,
    /// The activity log.
    Activity,
    CacheFile,
    /// Heads and bodies of webhook requests.
    WebhookHead,
    WebhookBody,
    /// Heads of requests to the site, to its robots.txt and to another site.
    Site,
    Robots,
    OtherSite,
    ModelHead,
    ModelBody,
    Proxy,
}

struct Slot {
    name: &'static str,
    canary: &'static str,
    /// Sinks in which it must appear.
    sent_to: &'static [Sink],
    /// Further sinks in which it may appear, because URLs and texts of pages are data there.
    may_be_in: &'static [Sink],
}

const API_KEY: &str = "canary-api-key";
const UNKNOWN_KEY: &str = "canary-unknown-key";
const WEBHOOK_SECRET: &str = "canary-hook-secret";
const WEBHOOK_QUERY: &str = "canary-hook-query";
const WEBHOOK_PASSWORD: &str = "canary-hook-user";
const WEBHOOK_HEADER: &str = "canary-hook-header";
const AUTHORIZATION: &str = "canary-authorization";
const COOKIE: &str = "canary-cookie";
const CUSTOM_HEADER: &str = "canary-own-header";
const INVALID_HEADER: &str = "canary-broken-header";
const SESSION: &str = "canary-session";
const URL_PASSWORD: &str = "canary-address-user";
const LISTED_PASSWORD: &str = "canary-listed-user";
const LINK_PASSWORD: &str = "canary-link-user";
const LINK_QUERY: &str = "canary-link-query";
/// `user:` and the password in base64, as sent to a proxy.
const PROXY_PASSWORD: &str = "canary-proxy-word";
const PROXY_CREDENTIALS: &str = "dXNlcjpjYW5hcnktcHJveHktd29yZA==";

const SLOTS: &[Slot] = &[
    Slot { name: "API key", canary: API_KEY, sent_to: &[], may_be_in: &[] },
    Slot { name: "unknown API key", canary: UNKNOWN_KEY, sent_to: &[], may_be_in: &[] },
    Slot { name: "webhook secret", canary: WEBHOOK_SECRET, sent_to: &[], may_be_in: &[] },
    Slot {
        name: "query of a webhook URL",
        canary: WEBHOOK_QUERY,
        sent_to: &[Sink::WebhookHead],
        may_be_in: &[],
    },
    Slot { name: "password in a webhook URL", canary: WEBHOOK_PASSWORD, sent_to: &[], may_be_in: &[] },
    Slot {
        name: "header of a webhook",
        canary: WEBHOOK_HEADER,
        sent_to: &[Sink::WebhookHead],
        may_be_in: &[],
    },
    Slot { name: "Authorization", canary: AUTHORIZATION, sent_to: &[Sink::Site], may_be_in: &[] },
    Slot { name: "Cookie", canary: COOKIE, sent_to: &[Sink::Site], may_be_in: &[] },
    Slot { name: "custom header", canary: CUSTOM_HEADER, sent_to: &[Sink::Site], may_be_in: &[] },
    Slot { name: "refused header", canary: INVALID_HEADER, sent_to: &[], may_be_in: &[] },
    Slot { name: "cookie of the site", canary: SESSION, sent_to: &[Sink::Site], may_be_in: &[] },
    Slot { name: "password in a URL", canary: URL_PASSWORD, sent_to: &[], may_be_in: &[] },
    Slot {
        name: "password in a URL that is listed as invalid",
        canary: LISTED_PASSWORD,
        // The response repeats the text of the caller.
        sent_to: &[Sink::Response],
        may_be_in: &[],
    },
    Slot {
        name: "password in a link of a page",
        canary: LINK_PASSWORD,
        sent_to: &[],
        may_be_in: &[Sink::Response, Sink::WebhookBody, Sink::CacheFile, Sink::ModelBody],
    },
    Slot {
        name: "query of a link of a page",
        canary: LINK_QUERY,
        sent_to: &[Sink::Site],
        may_be_in: &[Sink::Response, Sink::WebhookBody, Sink::CacheFile, Sink::ModelBody, Sink::Activity],
    },
    Slot { name: "key of a model", canary: MODEL_KEY, sent_to: &[Sink::ModelHead], may_be_in: &[] },
    Slot { name: "password of a proxy", canary: PROXY_PASSWORD, sent_to: &[], may_be_in: &[] },
    Slot {
        name: "password of a proxy, encoded",
        canary: PROXY_CREDENTIALS,
        sent_to: &[Sink::Proxy],
        may_be_in: &[],
    },
];

/// A site whose pages are all truncated. It is separate, because hosts that fail get fewer requests.
fn failing_site() -> FakeServer {
    let mut truncated_page = FakeResponse::html("<p>half of a page");
    truncated_page.truncated = true;
    FakeServer::start(move |_, request| {
        if request.line.contains("robots.txt") { FakeResponse::new(404, "") } else { truncated_page.clone() }
    })
}

/// Pages that contain secrets themselves.
fn site(failing_site: String, other_site: String) -> FakeServer {
    FakeServer::start(move |_, request| {
        let host = request.header("host").unwrap_or_default();
        match request.line.split([' ', '?']).nth(1).unwrap_or_default() {
            "/" => FakeResponse::html(&format!(
                "<main><h1>Kites</h1><p>Every kite here was drawn by Anna Berg, and flown by her as well.</p>\
                 <a href='/a?token={LINK_QUERY}'>A</a> <a href='http://me:{LINK_PASSWORD}@{host}/b'>B</a>\
                 <a href='{failing_site}broken?token={LINK_QUERY}'>C</a> <a href='{other_site}'>D</a></main>"
            ))
            .with("set-cookie", &format!("session={SESSION}; Path=/")),
            "/robots.txt" | "/sitemap.xml" => FakeResponse::new(404, ""),
            path => FakeResponse::html(&format!(
                "<main><h1>{path}</h1><p>It was drawn by Anna Berg in one go.</p></main>"
            )),
        }
    })
}

/// A model that answers at first, and later refuses the key and echoes it.
fn model() -> FakeServer {
    FakeServer::start(|before, request| {
        if before > 3 {
            let echo = request.header("authorization").unwrap_or_default();
            return FakeResponse::new(401, json!({ "error": { "message": echo, "code": echo } }).to_string());
        }
        let claim = json!({ "artist": { "value": "Anna Berg", "quote": "drawn by Anna Berg" } });
        FakeResponse::json(&reply(Provider::OpenAi, &claim.to_string(), Ending::Stop))
    })
}

fn schema() -> Value {
    json!({ "type": "object", "properties": { "artist": { "type": ["string", "null"] } } })
}

fn headers() -> Value {
    json!({
        "Authorization": format!("Bearer {AUTHORIZATION}"),
        "Cookie": format!("id={COOKIE}"),
        "X-Own": CUSTOM_HEADER,
    })
}

fn webhook(receiver: &FakeServer) -> Value {
    let url = receiver.url(&format!("/hook?key={WEBHOOK_QUERY}"));
    json!({ "url": url, "headers": { "X-Hook": WEBHOOK_HEADER } })
}

/// Requests that are refused, for a misplaced secret or next to a valid one.
fn refused(site: &FakeServer, failing_site: &FakeServer) -> Vec<(u16, &'static str, Value)> {
    let with_user = |user: &str| site.url("/").replace("http://", &format!("http://me:{user}@"));
    vec![
        (400, "POST /v2/scrape", json!({ "url": with_user(URL_PASSWORD) })),
        (
            400,
            "POST /v2/crawl",
            json!({ "url": with_user(URL_PASSWORD), "scrapeOptions": { "headers": headers() } }),
        ),
        (400, "POST /v2/map", json!({ "url": with_user(URL_PASSWORD) })),
        (400, "POST /v2/extract", json!({ "urls": [with_user(URL_PASSWORD)], "schema": schema() })),
        (400, "POST /v1/crawl", json!({ "url": site.url("/"), "webhook": with_user(WEBHOOK_PASSWORD) })),
        (
            400,
            "POST /v2/batch/scrape",
            json!({ "urls": [site.url("/")], "webhook": { "url": with_user(WEBHOOK_PASSWORD) } }),
        ),
        (
            400,
            "POST /v2/scrape",
            json!({ "url": site.url("/"), "headers": { "X-Own": format!("{INVALID_HEADER}\nX: y") } }),
        ),
        (400, "POST /v2/scrape", json!({ "url": site.url("/"), "headers": { "X-Own": [INVALID_HEADER] } })),
        (400, "POST /v2/scrape", json!({ "url": site.url("/"), "headers": headers(), "timeout": -1 })),
        (
            400,
            "POST /v2/batch/scrape",
            json!({ "urls": [site.url("/")], "webhook": {
                "url": "https://a.example/", "headers": { "X": format!("{INVALID_HEADER}\r\n") },
            } }),
        ),
        (
            403,
            "POST /v2/crawl",
            json!({
                "url": site.url("/"),
                "webhook": format!("http://169.254.169.254/?key={WEBHOOK_QUERY}"),
            }),
        ),
        (
            403,
            "POST /v2/scrape",
            json!({ "url": format!("http://169.254.169.254/?token={LINK_QUERY}"), "headers": headers() }),
        ),
        (422, "POST /v2/scrape", json!({ "url": failing_site.url("/broken"), "headers": headers() })),
    ]
}

/// Debug output of requests and plans.
fn debug_output(site: &FakeServer, receiver: &FakeServer) -> Vec<(Sink, String)> {
    let mut scrape = json!({ "url": site.url("/"), "headers": headers() });
    let mut batch = json!({ "urls": [site.url("/")], "webhook": webhook(receiver), "headers": headers() });
    let mut crawl = json!({
        "url": site.url("/"), "webhook": webhook(receiver), "scrapeOptions": { "headers": headers() },
    });
    let mut extract = json!({ "urls": [site.url("/")], "schema": schema(), "webhook": webhook(receiver),
        "scrapeOptions": { "headers": headers() } });
    let scrape: ScrapeRequest = serde_json::from_value(scrape.take()).unwrap();
    let batch: BatchScrapeRequest = serde_json::from_value(batch.take()).unwrap();
    let crawl: CrawlRequest = serde_json::from_value(crawl.take()).unwrap();
    let extract: ExtractRequest = serde_json::from_value(extract.take()).unwrap();
    let texts = [
        format!("{scrape:?} {scrape:#?} {:?}", scrape.clone().check().unwrap()),
        format!("{batch:?} {batch:#?} {:?}", batch.clone().check().unwrap()),
        format!("{crawl:?} {crawl:#?} {:?}", crawl.clone().check().unwrap()),
        format!("{extract:?} {extract:#?} {:?}", extract.clone().check().unwrap()),
    ];
    texts.map(|text| (Sink::Debug, text)).into()
}

/// The heads and bodies of the requests to a fake server.
fn requests_to(
    fake: &FakeServer,
    sink: impl Fn(&ReceivedRequest) -> Sink,
    body: Sink,
) -> Vec<(Sink, String)> {
    let requests = fake.requests();
    let texts = requests.iter().flat_map(|request| {
        [(sink(request), format!("{} {:?}", request.line, request.headers)), (body, request.body.to_string())]
    });
    texts.collect()
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<(Sink, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found
                .push((Sink::CacheFile, String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()));
        }
    }
    found
}

/// Parts of the engine.
struct Parts {
    activity: Arc<MemoryActivityLog>,
    cache: tempfile::TempDir,
    model: FakeServer,
    proxies: [ProxyServer; 2],
}

impl Parts {
    fn new() -> Self {
        let accepting = ProxyServer::start_with_credentials("user", PROXY_PASSWORD).unwrap();
        Self {
            activity: Arc::default(),
            cache: tempfile::tempdir().unwrap(),
            model: model(),
            proxies: [ProxyServer::start_with_credentials("someone", "else").unwrap(), accepting],
        }
    }

    /// The engine, and debug output of it and its parts.
    fn build(&self) -> (Engine, Vec<(Sink, String)>) {
        let secret = Secret::new(WEBHOOK_SECRET);
        let team = TeamConfig::new(Team::new(TeamId::new("birds"))).webhook_secret(secret);
        let mut output = vec![format!("{team:?}")];
        let accounts = Arc::new(MemoryAccounts::new().with_team(API_KEY, team));
        let addresses =
            self.proxies.iter().map(|proxy| format!("http://user:{PROXY_PASSWORD}@{}", proxy.addr()));
        let proxies = addresses.map(|address| Proxy::parse(&address).unwrap());
        let proxies = ProxyPool::new(proxies).allow_cidr("127.0.0.1/32".parse().unwrap());
        let model = Arc::new(model_builder(Provider::OpenAi, &self.model.url("")).build().unwrap());
        let cache = Arc::new(DiskCache::open(self.cache.path(), 1 << 20).unwrap());
        output.push(format!("{accounts:?} {proxies:?} {model:?} {cache:?}"));
        let builder = engine_builder()
            .allow_private("::1/128".parse().unwrap())
            .accounts(accounts)
            .serving(Serving::new().activity_log(Arc::<MemoryActivityLog>::clone(&self.activity)))
            .storage(Storage::new().cache(cache))
            .model(model)
            .network(Network::new().stealth_proxies(proxies))
            // No retries of refused events.
            .serving(Serving::new().webhooks(WebhookConfig::default().retries(Vec::new())));
        output.push(format!("{builder:?} {builder:#?}"));
        let engine = builder.build().unwrap();
        output.push(format!("{engine:?} {:?} {:?}", engine.service(), engine.service().runtime()));
        (engine, output.into_iter().map(|text| (Sink::Debug, text)).collect())
    }
}

/// Runs jobs of every kind with a secret in each slot and returns every recorded text.
async fn run_everything(parts: &Parts) -> Vec<(Sink, String)> {
    let other_server = FakeServer::always(FakeResponse::html("<h1>Other site</h1>"));
    let failing_site = failing_site();
    // By another host name, because cookies do not distinguish ports.
    let site = site(failing_site.url("/"), other_server.url("/").replace("127.0.0.1", "localhost"));
    // Refuses the first event of each batch.
    let receiver = FakeServer::start(|_, request| {
        FakeResponse::new(if request.body["type"] == "batch_scrape.started" { 400 } else { 200 }, "")
    });
    let (engine, debug_texts) = parts.build();
    let service = Service::new(engine.clone());
    let mut recorded = debug_texts;
    recorded.push((Sink::Debug, format!("{service:?}")));
    recorded.extend(debug_output(&site, &receiver));
    let mut client = ApiClient::new(service, API_KEY);

    for (expected, line, body) in refused(&site, &failing_site) {
        let (status, response) = client.call(line, &body).await;
        assert_eq!(status, expected, "{line} {body}: {response}");
    }
    let broken = format!("{{\"url\": \"{}\", \"headers\": {{\"X-Own\": \"{INVALID_HEADER}\"", site.url("/"));
    assert_eq!(client.send(API_KEY, "POST /v2/scrape", broken).await.0, 400);
    assert_eq!(client.send(UNKNOWN_KEY, "GET /v2/team/credit-usage", String::new()).await.0, 401);

    // A page that is cached, then the same with secrets, through proxies of which one refuses, and with a
    // model.
    let cached = client.call("POST /v2/scrape", &json!({ "url": site.url("/") })).await;
    assert_eq!(cached.0, 200, "{}", cached.1);
    let formats = json!(["markdown", "links", "rawHtml", { "type": "json", "schema": schema() }]);
    for proxy in ["basic", "stealth", "stealth"] {
        let body = json!({ "url": site.url("/"), "formats": formats, "headers": headers(), "proxy": proxy });
        let (status, response) = client.call("POST /v2/scrape", &body).await;
        assert_eq!((status, &response["data"]["json"]["artist"]), (200, &json!("Anna Berg")), "{response}");
    }
    let options = json!({ "headers": headers(), "formats": formats });
    let crawl = json!({
        "url": site.url("/"), "allowExternalLinks": true, "webhook": webhook(&receiver),
        "scrapeOptions": options,
    });
    let finished = client.run_job("POST /v2/crawl", &crawl).await;
    assert_eq!(finished["status"], "completed", "{finished}");
    assert!(finished["data"].as_array().unwrap().len() >= 3, "{finished}");
    let listed = site.url("/b").replace("http://", &format!("http://me:{LISTED_PASSWORD}@"));
    let broken = failing_site.url(&format!("/broken?token={LINK_QUERY}"));
    let batch = json!({ "urls": [site.url("/"), broken, listed],
        "headers": headers(), "formats": formats, "webhook": webhook(&receiver) });
    let finished = client.run_job("POST /v2/batch/scrape", &batch).await;
    // The model refuses its key by now.
    assert!(
        finished["data"][0]["warning"].as_str().is_some_and(|warning| warning.contains("key")),
        "{finished}"
    );
    let extract = json!({
        "urls": [site.url("/*")], "schema": schema(), "webhook": webhook(&receiver),
        "scrapeOptions": { "headers": headers() },
    });
    assert_eq!(client.run_job("POST /v2/extract", &extract).await["status"], "completed");
    for path in ["/v2/queue-status", "/v2/concurrency-check", "/v2/team/credit-usage"] {
        client.call(&format!("GET {path}"), &Value::Null).await;
    }

    engine.service().wait_for_deliveries().await.unwrap();
    let team = TeamId::new("birds");
    while parts.activity.of(&team).len() < 3 {
        tokio::task::yield_now().await;
    }
    client.call("GET /v2/team/activity", &Value::Null).await;
    for job in parts.activity.of(&team) {
        let dead = match job.snapshot.kind {
            Some(kind) => engine.service().dead_letters(&team, kind, job.snapshot.id).await.ok(),
            None => None,
        };
        recorded.push((Sink::Activity, format!("{job:?} {}", job.url)));
        recorded.push((Sink::Debug, format!("{dead:?} {:?}", job.snapshot)));
    }
    recorded.extend(client.responses.into_iter().map(|text| (Sink::Response, text)));
    recorded.extend(requests_to(&receiver, |_| Sink::WebhookHead, Sink::WebhookBody));
    let robots = |request: &ReceivedRequest| {
        if request.line.contains("robots.txt") { Sink::Robots } else { Sink::Site }
    };
    recorded.extend(requests_to(&site, robots, Sink::Site));
    recorded.extend(requests_to(&failing_site, robots, Sink::Site));
    recorded.extend(requests_to(&other_server, |_| Sink::OtherSite, Sink::OtherSite));
    recorded.extend(requests_to(&parts.model, |_| Sink::ModelHead, Sink::ModelBody));
    let heads = parts.proxies.iter().flat_map(ProxyServer::heads);
    recorded.extend(heads.map(|head| (Sink::Proxy, head)));
    recorded
}

#[test]
fn each_secret_appears_only_where_it_is_sent() {
    with_exclusive_log(async |log| {
        let parts = Parts::new();
        let mut recorded = run_everything(&parts).await;
        recorded.extend(files(parts.cache.path()));
        recorded.extend(log.take().lines().map(|line| (Sink::Log, line.to_owned())));
        let sinks = [
            Sink::Log,
            Sink::Debug,
            Sink::Response,
            Sink::Activity,
            Sink::CacheFile,
            Sink::WebhookHead,
            Sink::WebhookBody,
            Sink::Site,
            Sink::Robots,
            Sink::OtherSite,
            Sink::ModelHead,
            Sink::ModelBody,
            Sink::Proxy,
        ];
        for sink in sinks {
            assert!(recorded.iter().any(|(found, _)| *found == sink), "nothing was recorded in {sink:?}");
        }
        let mut leaks = Vec::new();
        for slot in SLOTS {
            let found_in: Vec<Sink> = recorded
                .iter()
                .filter(|(_, text)| text.contains(slot.canary))
                .map(|(sink, _)| *sink)
                .collect();
            for sink in slot.sent_to {
                assert!(
                    found_in.contains(sink),
                    "{} does not reach {sink:?}, so the test proves nothing",
                    slot.name
                );
            }
            for (sink, text) in recorded.iter().filter(|(_, text)| text.contains(slot.canary)) {
                if !slot.sent_to.contains(sink) && !slot.may_be_in.contains(sink) {
                    let at = text.find(slot.canary).unwrap();
                    let from =
                        text.char_indices().map(|(at, _)| at).rfind(|from| from + 200 <= at).unwrap_or(0);
                    let excerpt: String = text.get(from..).unwrap_or_default().chars().take(300).collect();
                    leaks.push(format!("{} in {sink:?}: {excerpt}", slot.name));
                }
            }
        }
        println!(
            "secrets: {} slots over {} texts of {} kinds, leaks {}",
            SLOTS.len(),
            recorded.len(),
            sinks.len(),
            leaks.len()
        );
        assert!(leaks.is_empty(), "{leaks:#?}");
    });
}
