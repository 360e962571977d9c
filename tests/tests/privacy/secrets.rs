//! A canary in each slot for a secret, through the desk and the wire: each is seen where it is sent to, and nowhere else.

use std::path::Path;
use std::sync::Arc;

use gleaner::service::{MemoryAccounts, MemoryActivityLog, Secret, Team, TeamConfig, TeamId, WebhookConfig};
use gleaner::{
    BatchScrapeRequest, CrawlRequest, DiskCache, Engine, ExtractRequest, Proxy, ProxyPool, ScrapeRequest,
};
use gleaner_http::Service;
use gleaner_models::Provider;
use gleaner_testkit::ProxyServer;
use gleaner_tests::fakes::{
    Ending, FakeResponse, FakeServer, KEY as MODEL_KEY, ReceivedRequest, engine_builder, model_builder, reply,
};
use serde_json::{Value, json};

use crate::log::alone;
use crate::wire::Wire;

/// Where a text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Log,
    /// `Debug` and `Display` of what programs handle.
    Shown,
    /// What the wire answers.
    Answer,
    /// What stays of a job.
    Activity,
    CacheFile,
    /// Head and body of a request to the receiver of webhooks.
    HookHead,
    HookBody,
    /// Heads of requests to the site, to its robots.txt and to another site.
    Site,
    Robots,
    Elsewhere,
    ModelHead,
    ModelBody,
    Proxy,
}

struct Slot {
    name: &'static str,
    canary: &'static str,
    /// Where it has to be seen, and nothing is wrong with that.
    sent_to: &'static [Place],
    /// Where it may be seen: what is an address of a page, or a page's text, is data there.
    may_be_in: &'static [Place],
}

const API_KEY: &str = "canary-api-key";
const NO_KEY: &str = "canary-key-of-nobody";
const HOOK_SECRET: &str = "canary-hook-secret";
const HOOK_QUERY: &str = "canary-hook-query";
const HOOK_USER: &str = "canary-hook-user";
const HOOK_HEADER: &str = "canary-hook-header";
const AUTHORIZATION: &str = "canary-authorization";
const COOKIE: &str = "canary-cookie";
const OWN_HEADER: &str = "canary-own-header";
const BROKEN_HEADER: &str = "canary-broken-header";
const SESSION: &str = "canary-session";
const ADDRESS_USER: &str = "canary-address-user";
const LISTED_USER: &str = "canary-listed-user";
const LINK_USER: &str = "canary-link-user";
const LINK_QUERY: &str = "canary-link-query";
/// `user:` and the password, as a proxy is told them.
const PROXY_PASSWORD: &str = "canary-proxy-word";
const PROXY_CREDENTIALS: &str = "dXNlcjpjYW5hcnktcHJveHktd29yZA==";

const SLOTS: &[Slot] = &[
    Slot { name: "API key", canary: API_KEY, sent_to: &[], may_be_in: &[] },
    Slot { name: "a key of nobody", canary: NO_KEY, sent_to: &[], may_be_in: &[] },
    Slot { name: "webhook secret", canary: HOOK_SECRET, sent_to: &[], may_be_in: &[] },
    Slot {
        name: "query of a webhook's address",
        canary: HOOK_QUERY,
        sent_to: &[Place::HookHead],
        may_be_in: &[],
    },
    Slot { name: "password in a webhook's address", canary: HOOK_USER, sent_to: &[], may_be_in: &[] },
    Slot { name: "header of a webhook", canary: HOOK_HEADER, sent_to: &[Place::HookHead], may_be_in: &[] },
    Slot { name: "Authorization", canary: AUTHORIZATION, sent_to: &[Place::Site], may_be_in: &[] },
    Slot { name: "Cookie", canary: COOKIE, sent_to: &[Place::Site], may_be_in: &[] },
    Slot { name: "a header of the user's own", canary: OWN_HEADER, sent_to: &[Place::Site], may_be_in: &[] },
    Slot { name: "a header that is refused", canary: BROKEN_HEADER, sent_to: &[], may_be_in: &[] },
    Slot { name: "cookie of the site", canary: SESSION, sent_to: &[Place::Site], may_be_in: &[] },
    Slot { name: "password in an address", canary: ADDRESS_USER, sent_to: &[], may_be_in: &[] },
    Slot {
        name: "password in an address that is listed as invalid",
        canary: LISTED_USER,
        // The caller's own text, back to the caller.
        sent_to: &[Place::Answer],
        may_be_in: &[],
    },
    Slot {
        name: "password in a link of a page",
        canary: LINK_USER,
        sent_to: &[],
        may_be_in: &[Place::Answer, Place::HookBody, Place::CacheFile, Place::ModelBody],
    },
    Slot {
        name: "query of a link of a page",
        canary: LINK_QUERY,
        sent_to: &[Place::Site],
        may_be_in: &[Place::Answer, Place::HookBody, Place::CacheFile, Place::ModelBody, Place::Activity],
    },
    Slot { name: "key of a model", canary: MODEL_KEY, sent_to: &[Place::ModelHead], may_be_in: &[] },
    Slot { name: "password of a proxy", canary: PROXY_PASSWORD, sent_to: &[], may_be_in: &[] },
    Slot {
        name: "password of a proxy, encoded",
        canary: PROXY_CREDENTIALS,
        sent_to: &[Place::Proxy],
        may_be_in: &[],
    },
];

/// Every page breaks off. A site of its own: one that fails is asked less often.
fn rough() -> FakeServer {
    let mut half = FakeResponse::html("<p>half of a page");
    half.truncated = true;
    FakeServer::start(move |_, asked| {
        if asked.line.contains("robots.txt") { FakeResponse::new(404, "") } else { half.clone() }
    })
}

/// Pages with secrets of their own.
fn site(rough: String, elsewhere: String) -> FakeServer {
    FakeServer::start(move |_, asked| {
        let host = asked.header("host").unwrap_or_default();
        match asked.line.split([' ', '?']).nth(1).unwrap_or_default() {
            "/" => FakeResponse::html(&format!(
                "<main><h1>Kites</h1><p>Every kite here was drawn by Anna Berg, and flown by her as well.</p>\
                 <a href='/a?token={LINK_QUERY}'>A</a> <a href='http://me:{LINK_USER}@{host}/b'>B</a>\
                 <a href='{rough}broken?token={LINK_QUERY}'>C</a> <a href='{elsewhere}'>D</a></main>"
            ))
            .with("set-cookie", &format!("session={SESSION}; Path=/")),
            "/robots.txt" | "/sitemap.xml" => FakeResponse::new(404, ""),
            path => FakeResponse::html(&format!(
                "<main><h1>{path}</h1><p>It was drawn by Anna Berg in one go.</p></main>"
            )),
        }
    })
}

/// A model that answers well at first, and then repeats the key that it was sent and refuses it.
fn model() -> FakeServer {
    FakeServer::start(|before, asked| {
        if before > 3 {
            let echo = asked.header("authorization").unwrap_or_default();
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
    json!({ "Authorization": format!("Bearer {AUTHORIZATION}"), "Cookie": format!("id={COOKIE}"), "X-Own": OWN_HEADER })
}

fn webhook(receiver: &FakeServer) -> Value {
    json!({ "url": receiver.url(&format!("/hook?key={HOOK_QUERY}")), "headers": { "X-Hook": HOOK_HEADER } })
}

/// Requests that are refused, each for a secret that is where it may not be or beside one that is fine.
fn refused(site: &FakeServer, rough: &FakeServer) -> Vec<(u16, &'static str, Value)> {
    let with_user = |user: &str| site.url("/").replace("http://", &format!("http://me:{user}@"));
    vec![
        (400, "POST /v2/scrape", json!({ "url": with_user(ADDRESS_USER) })),
        (
            400,
            "POST /v2/crawl",
            json!({ "url": with_user(ADDRESS_USER), "scrapeOptions": { "headers": headers() } }),
        ),
        (400, "POST /v2/map", json!({ "url": with_user(ADDRESS_USER) })),
        (400, "POST /v2/extract", json!({ "urls": [with_user(ADDRESS_USER)], "schema": schema() })),
        (400, "POST /v1/crawl", json!({ "url": site.url("/"), "webhook": with_user(HOOK_USER) })),
        (
            400,
            "POST /v2/batch/scrape",
            json!({ "urls": [site.url("/")], "webhook": { "url": with_user(HOOK_USER) } }),
        ),
        (
            400,
            "POST /v2/scrape",
            json!({ "url": site.url("/"), "headers": { "X-Own": format!("{BROKEN_HEADER}\nX: y") } }),
        ),
        (400, "POST /v2/scrape", json!({ "url": site.url("/"), "headers": { "X-Own": [BROKEN_HEADER] } })),
        (400, "POST /v2/scrape", json!({ "url": site.url("/"), "headers": headers(), "timeout": -1 })),
        (
            400,
            "POST /v2/batch/scrape",
            json!({ "urls": [site.url("/")], "webhook": { "url": "https://a.example/", "headers": { "X": format!("{BROKEN_HEADER}\r\n") } } }),
        ),
        (
            403,
            "POST /v2/crawl",
            json!({ "url": site.url("/"), "webhook": format!("http://169.254.169.254/?key={HOOK_QUERY}") }),
        ),
        (
            403,
            "POST /v2/scrape",
            json!({ "url": format!("http://169.254.169.254/?token={LINK_QUERY}"), "headers": headers() }),
        ),
        (422, "POST /v2/scrape", json!({ "url": rough.url("/broken"), "headers": headers() })),
    ]
}

/// What programs may print of requests, plans and parts of the engine.
fn shown(site: &FakeServer, receiver: &FakeServer) -> Vec<(Place, String)> {
    let mut scrape = json!({ "url": site.url("/"), "headers": headers() });
    let mut batch = json!({ "urls": [site.url("/")], "webhook": webhook(receiver), "headers": headers() });
    let mut crawl = json!({ "url": site.url("/"), "webhook": webhook(receiver), "scrapeOptions": { "headers": headers() } });
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
    texts.map(|text| (Place::Shown, text)).into()
}

/// The heads and the bodies of what a fake was asked.
fn asked_of(
    fake: &FakeServer,
    place: impl Fn(&ReceivedRequest) -> Place,
    body: Place,
) -> Vec<(Place, String)> {
    let asked = fake.requests();
    let texts = asked.iter().flat_map(|asked| {
        [(place(asked), format!("{} {:?}", asked.line, asked.headers)), (body, asked.body.to_string())]
    });
    texts.collect()
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<(Place, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((
                Place::CacheFile,
                String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned(),
            ));
        }
    }
    found
}

/// What the engine is built with.
struct Parts {
    activity: Arc<MemoryActivityLog>,
    cache: tempfile::TempDir,
    model: FakeServer,
    proxies: [ProxyServer; 2],
}

impl Parts {
    fn new() -> Self {
        let welcoming = ProxyServer::start_with_credentials("user", PROXY_PASSWORD).unwrap();
        Self {
            activity: Arc::default(),
            cache: tempfile::tempdir().unwrap(),
            model: model(),
            proxies: [ProxyServer::start_with_credentials("someone", "else").unwrap(), welcoming],
        }
    }

    /// The engine, and what it and its parts look like.
    fn build(&self) -> (Engine, Vec<(Place, String)>) {
        let secret = Some(Secret::new(HOOK_SECRET));
        let team = TeamConfig { webhook_secret: secret, ..TeamConfig::new(Team::new(TeamId::new("birds"))) };
        let mut shown = vec![format!("{team:?}")];
        let accounts = Arc::new(MemoryAccounts::new().with_team(API_KEY, team));
        let addresses =
            self.proxies.iter().map(|proxy| format!("http://user:{PROXY_PASSWORD}@{}", proxy.addr()));
        let proxies = addresses.map(|address| Proxy::parse(&address).unwrap());
        let proxies = ProxyPool::new(proxies).allow_cidr("127.0.0.1/32".parse().unwrap());
        let model = Arc::new(model_builder(Provider::OpenAi, &self.model.url("")).build().unwrap());
        let cache = Arc::new(DiskCache::open(self.cache.path(), 1 << 20).unwrap());
        shown.push(format!("{accounts:?} {proxies:?} {model:?} {cache:?}"));
        let builder = engine_builder()
            .allow_private("::1/128".parse().unwrap())
            .accounts(accounts)
            .activity_log(Arc::<MemoryActivityLog>::clone(&self.activity))
            .cache(cache)
            .model(model)
            .stealth_proxies(proxies)
            // What is declined is given up at once.
            .webhooks(WebhookConfig { retries: Vec::new(), ..WebhookConfig::default() });
        shown.push(format!("{builder:?} {builder:#?}"));
        let engine = builder.build().unwrap();
        shown.push(format!("{engine:?} {:?} {:?}", engine.service(), engine.service().runtime()));
        (engine, shown.into_iter().map(|text| (Place::Shown, text)).collect())
    }
}

/// Jobs of every kind with a secret in each slot, and all that was heard of them.
async fn everything(parts: &Parts) -> Vec<(Place, String)> {
    let foreign = FakeServer::always(FakeResponse::html("<h1>Elsewhere</h1>"));
    let rough = rough();
    // By another name, since cookies know no ports.
    let site = site(rough.url("/"), foreign.url("/").replace("127.0.0.1", "localhost"));
    // The first event of every job is declined.
    let receiver = FakeServer::start(|_, asked| {
        FakeResponse::new(if asked.body["type"] == "batch_scrape.started" { 400 } else { 200 }, "")
    });
    let (engine, seen) = parts.build();
    let service = Service::new(engine.clone());
    let mut heard = seen;
    heard.push((Place::Shown, format!("{service:?}")));
    heard.extend(shown(&site, &receiver));
    let mut wire = Wire::new(service, API_KEY);

    for (expected, line, body) in refused(&site, &rough) {
        let (status, answer) = wire.call(line, &body).await;
        assert_eq!(status, expected, "{line} {body}: {answer}");
    }
    let broken = format!("{{\"url\": \"{}\", \"headers\": {{\"X-Own\": \"{BROKEN_HEADER}\"", site.url("/"));
    assert_eq!(wire.say(API_KEY, "POST /v2/scrape", broken).await.0, 400);
    assert_eq!(wire.say(NO_KEY, "GET /v2/team/credit-usage", String::new()).await.0, 401);

    // A page that may be kept, then the same with secrets, by way of proxies of which one refuses, and read by a model.
    let kept = wire.call("POST /v2/scrape", &json!({ "url": site.url("/") })).await;
    assert_eq!(kept.0, 200, "{}", kept.1);
    let formats = json!(["markdown", "links", "rawHtml", { "type": "json", "schema": schema() }]);
    for proxy in ["basic", "stealth", "stealth"] {
        let body = json!({ "url": site.url("/"), "formats": formats, "headers": headers(), "proxy": proxy });
        let (status, answer) = wire.call("POST /v2/scrape", &body).await;
        assert_eq!((status, &answer["data"]["json"]["artist"]), (200, &json!("Anna Berg")), "{answer}");
    }
    let options = json!({ "headers": headers(), "formats": formats });
    let crawl = json!({ "url": site.url("/"), "allowExternalLinks": true, "webhook": webhook(&receiver), "scrapeOptions": options });
    let ended = wire.job("POST /v2/crawl", &crawl).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    assert!(ended["data"].as_array().unwrap().len() >= 3, "{ended}");
    let listed = site.url("/b").replace("http://", &format!("http://me:{LISTED_USER}@"));
    let batch = json!({ "urls": [site.url("/"), rough.url(&format!("/broken?token={LINK_QUERY}")), listed],
        "headers": headers(), "formats": formats, "webhook": webhook(&receiver) });
    let ended = wire.job("POST /v2/batch/scrape", &batch).await;
    // By now the model refuses its key.
    assert!(ended["data"][0]["warning"].as_str().is_some_and(|warning| warning.contains("key")), "{ended}");
    let extract = json!({ "urls": [site.url("/*")], "schema": schema(), "webhook": webhook(&receiver), "scrapeOptions": { "headers": headers() } });
    assert_eq!(wire.job("POST /v2/extract", &extract).await["status"], "completed");
    for path in ["/v2/queue-status", "/v2/concurrency-check", "/v2/team/credit-usage"] {
        wire.call(&format!("GET {path}"), &Value::Null).await;
    }

    engine.service().delivered().await.unwrap();
    let team = TeamId::new("birds");
    while parts.activity.of(&team).len() < 3 {
        tokio::task::yield_now().await;
    }
    wire.call("GET /v2/team/activity", &Value::Null).await;
    for job in parts.activity.of(&team) {
        let dead = match job.snapshot.kind {
            Some(kind) => engine.service().dead_letters(&team, kind, job.snapshot.id).await.ok(),
            None => None,
        };
        heard.push((Place::Activity, format!("{job:?} {}", job.url)));
        heard.push((Place::Shown, format!("{dead:?} {:?}", job.snapshot)));
    }
    heard.extend(wire.said.into_iter().map(|said| (Place::Answer, said)));
    heard.extend(asked_of(&receiver, |_| Place::HookHead, Place::HookBody));
    let robots =
        |asked: &ReceivedRequest| if asked.line.contains("robots.txt") { Place::Robots } else { Place::Site };
    heard.extend(asked_of(&site, robots, Place::Site));
    heard.extend(asked_of(&rough, robots, Place::Site));
    heard.extend(asked_of(&foreign, |_| Place::Elsewhere, Place::Elsewhere));
    heard.extend(asked_of(&parts.model, |_| Place::ModelHead, Place::ModelBody));
    let heads = parts.proxies.iter().flat_map(ProxyServer::heads);
    heard.extend(heads.map(|head| (Place::Proxy, head)));
    heard
}

#[test]
fn each_secret_is_where_it_is_sent_to_and_nowhere_else() {
    alone(async |log| {
        let parts = Parts::new();
        let mut heard = everything(&parts).await;
        heard.extend(files(parts.cache.path()));
        heard.extend(log.take().lines().map(|line| (Place::Log, line.to_owned())));
        let places = [
            Place::Log,
            Place::Shown,
            Place::Answer,
            Place::Activity,
            Place::CacheFile,
            Place::HookHead,
            Place::HookBody,
            Place::Site,
            Place::Robots,
            Place::Elsewhere,
            Place::ModelHead,
            Place::ModelBody,
            Place::Proxy,
        ];
        for place in places {
            assert!(heard.iter().any(|(found, _)| *found == place), "nothing was heard at {place:?}");
        }
        let mut sightings = Vec::new();
        for slot in SLOTS {
            let seen_in: Vec<Place> = heard
                .iter()
                .filter(|(_, text)| text.contains(slot.canary))
                .map(|(place, _)| *place)
                .collect();
            for place in slot.sent_to {
                assert!(seen_in.contains(place), "{} does not reach {place:?}: the test is blind", slot.name);
            }
            for (place, text) in heard.iter().filter(|(_, text)| text.contains(slot.canary)) {
                if !slot.sent_to.contains(place) && !slot.may_be_in.contains(place) {
                    let at = text.find(slot.canary).unwrap();
                    let from =
                        text.char_indices().map(|(at, _)| at).rfind(|from| from + 200 <= at).unwrap_or(0);
                    let around: String = text.get(from..).unwrap_or_default().chars().take(300).collect();
                    sightings.push(format!("{} in {place:?}: {around}", slot.name));
                }
            }
        }
        println!(
            "secrets: {} slots over {} texts of {} kinds, sightings {}",
            SLOTS.len(),
            heard.len(),
            places.len(),
            sightings.len()
        );
        assert!(sightings.is_empty(), "{sightings:#?}");
    });
}
