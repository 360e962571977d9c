//! Pages beyond the URLs of a request: by web search, by external links, and by the agent.

use std::sync::Arc;

use gleaner::ExtractRequest;
use gleaner_models::SearxNg;
use gleaner_tests::fakes::{FakeResponse, FakeServer, engine_builder, schema};
use serde_json::{Map, Value, json};

fn founder() -> Map<String, Value> {
    let text = json!({ "type": ["string", "null"] });
    schema(json!({ "founder": text, "phone": text }))
}

/// A site with the founder of the firm. Its robots.txt may forbid every page.
fn register(forbidden: bool) -> FakeServer {
    FakeServer::start(move |_, request| match request.target() {
        "/robots.txt" if forbidden => {
            FakeResponse::new(200, "User-agent: *\nDisallow: /\n").with("content-type", "text/plain")
        }
        "/founder" => {
            FakeResponse::html("<main><h1>Register</h1><dl><dt>Founder</dt><dd>Ada Quill</dd></dl></main>")
        }
        _ => FakeResponse::not_found(),
    })
}

/// The site of a firm, which links to the register.
fn firm(register: &FakeServer) -> FakeServer {
    let link = register.url("/founder");
    FakeServer::start(move |_, request| match request.target() {
        "/" => FakeResponse::html(&format!(
            "<main><h1>Firm</h1><dl><dt>Phone</dt><dd>+44 20 7946 0018</dd></dl><p>We are in the \
             <a href='{link}'>register of founders</a> and have <a href='/news'>news</a>.</p></main>"
        )),
        _ => FakeResponse::not_found(),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn external_links_are_followed_if_the_request_allows_it() {
    for (name, options, forbidden, expected) in [
        ("not allowed", json!({}), false, Value::Null),
        ("external links", json!({ "allowExternalLinks": true }), false, json!("Ada Quill")),
        ("web search without an engine", json!({ "enableWebSearch": true }), false, json!("Ada Quill")),
        ("robots.txt forbids it", json!({ "allowExternalLinks": true }), true, Value::Null),
    ] {
        let register = register(forbidden);
        let firm = firm(&register);
        let mut body = json!({ "urls": [firm.url("/")], "schema": founder(),
            "scrapeOptions": { "headers": { "X-Pass": "secret-of-the-firm" } } });
        body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        let request: ExtractRequest = serde_json::from_value(body).unwrap();
        let found = engine_builder().build().unwrap().extract(request).await.unwrap();
        assert_eq!(found.data["founder"], expected, "{name}: {:?}", found.warning);
        let fetched = register.requests();
        let pages = fetched.iter().filter(|request| request.target() == "/founder").count();
        assert_eq!(pages, usize::from(!expected.is_null()), "{name}");
        assert!(
            fetched.iter().all(|request| request.header("x-pass").is_none()),
            "{name}: headers are sent only to the firm"
        );
        assert!(firm.requests().iter().any(|request| request.header("x-pass").is_some()), "{name}");
        let warning = found.warning.unwrap_or_default();
        assert_eq!(warning.contains("robots.txt forbids it"), forbidden, "{name}: {warning}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn web_search_adds_pages_to_the_listed_urls() {
    let register = register(false);
    let firm = firm(&register);
    let hits =
        json!({ "results": [{ "url": register.url("/founder"), "title": "Register", "content": "" }] });
    let search = FakeServer::always(FakeResponse::json(&hits));
    let engine =
        engine_builder().search(Arc::new(SearxNg::builder(search.url("").parse().unwrap()).build().unwrap()));
    let request = ExtractRequest::new([firm.url("/")])
        .schema(founder())
        .prompt("who founded the firm")
        .enable_web_search(true)
        .show_sources(true);
    let found = engine.build().unwrap().extract(request).await.unwrap();
    assert_eq!(
        found.data,
        json!({ "founder": "Ada Quill", "phone": "+44 20 7946 0018" }),
        "{:?}",
        found.warning
    );
    let sources = found.sources.unwrap();
    assert_eq!(
        (&sources["founder"], &sources["phone"]),
        (&vec![register.url("/founder")], &vec![firm.url("/")])
    );
    assert!(search.requests()[0].line.contains("q=who+founded+the+firm"), "{}", search.requests()[0].line);
}

/// The founder is two clicks away, and the phone number is behind a search form.
fn nested_site() -> FakeServer {
    FakeServer::start(|_, request| match request.target() {
        "/" => FakeResponse::html(
            "<main><h1>Firm</h1><p><a href=/news>News</a> <a href=/about>About our founder</a> \
             <a href=/login>Login</a></p><form action=/find><input type=search name=q></form>\
             <form method=post action=/order><input name=q></form></main>",
        ),
        "/about" => FakeResponse::html(
            "<main><h1>About</h1><p>See <a href='/people/founder'>the founder</a>.</p></main>",
        ),
        "/people/founder" => {
            FakeResponse::html("<main><h1>People</h1><dl><dt>Founder</dt><dd>Ada Quill</dd></dl></main>")
        }
        found if found.starts_with("/find?q=") => {
            FakeResponse::html("<main><h1>Found</h1><dl><dt>Phone</dt><dd>+44 20 7946 0018</dd></dl></main>")
        }
        "/news" => FakeResponse::html("<main><h1>News</h1><p>None.</p></main>"),
        _ => FakeResponse::not_found(),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agent_follows_links_and_search_forms_until_nothing_is_missing() {
    for (agent, expected) in [
        (false, json!({ "founder": null, "phone": null })),
        (true, json!({ "founder": "Ada Quill", "phone": "+44 20 7946 0018" })),
    ] {
        let site = nested_site();
        let mut body = json!({ "urls": [site.url("/")], "schema": founder() });
        if agent {
            body["agent"] = json!({ "model": "any" });
        }
        let engine = engine_builder().build().unwrap();
        let request: ExtractRequest = serde_json::from_value(body).unwrap();
        let plan = engine.plan_extract(request.clone()).unwrap().to_string();
        assert_eq!(plan.contains("follow links and search forms"), agent, "{plan}");
        let found = engine.extract(request).await.unwrap();
        assert_eq!(found.data, expected, "{:?}", found.pages);
        let fetched: Vec<String> = site.requests().iter().map(|request| request.line.clone()).collect();
        assert!(
            fetched.iter().all(|line| line.starts_with("GET ") && !line.contains("/order")),
            "{fetched:?}"
        );
    }
}
