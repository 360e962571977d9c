//! Features with a model through the HTTP API: prompts of crawls and formats of pages.

use std::sync::Arc;

use bytes::Bytes;
use gleaner::Engine;
use gleaner_http::Service;
use gleaner_models::Provider;
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, Task, engine_builder, model, reply, task_of};
use http::Request;
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tower_service::Service as _;

async fn call(engine: &Engine, line: &str, body: Value) -> (u16, Value) {
    let (method, path) = line.split_once(' ').unwrap();
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "api.example")
        .header("content-type", "application/json")
        .header("authorization", "Bearer key")
        .body(Full::new(Bytes::from(body.to_string())))
        .unwrap();
    let (parts, body) = Service::new(engine.clone()).call(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (parts.status.as_u16(), serde_json::from_slice(&body).unwrap())
}

fn site() -> FakeServer {
    FakeServer::start(|_, request| match request.target() {
        "/" => FakeResponse::html(
            "<main><h1>Home</h1><a href=/blog/a>A</a> <a href=/blog/b>B</a> <a href=/shop/c>C</a></main>",
        ),
        "/robots.txt" | "/sitemap.xml" => FakeResponse::new(404, ""),
        path => FakeResponse::html(&format!(
            "<main><h1>{path}</h1><p>Written by Anna Berg, who knows the place well.</p></main>"
        )),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_by_prompt_shows_its_final_options() {
    let (site, engine) = (site(), engine_builder().build().unwrap());
    let prompt = "only blog posts about unicorns";
    let (status, preview) =
        call(&engine, "POST /v2/crawl/params-preview", json!({ "url": site.url("/"), "prompt": prompt }))
            .await;
    assert_eq!((status, &preview["data"]["includePaths"]), (200, &json!(["/blog(/|$)"])));
    assert!(preview["warning"].as_str().unwrap().contains("unicorns"));

    let body = json!({ "url": site.url("/"), "prompt": prompt, "limit": 7 });
    let (status, started) = call(&engine, "POST /v2/crawl", body).await;
    assert_eq!((status, &started["success"]), (200, &json!(true)));
    assert_eq!(started["promptGeneratedOptions"], json!({ "includePaths": ["/blog(/|$)"] }));
    let final_options = &started["finalCrawlerOptions"];
    assert_eq!(
        (&final_options["limit"], &final_options["includePaths"]),
        (&json!(7), &json!(["/blog(/|$)"]))
    );
    assert_eq!((&final_options["sitemap"], final_options.get("url")), (&json!("include"), None));
    let path = format!("GET /v2/crawl/{}", started["id"].as_str().unwrap());
    let finished = loop {
        let (_, status) = call(&engine, &format!("{path}?skip=100"), Value::Null).await;
        if status["status"] != "scraping" {
            break call(&engine, &path, Value::Null).await.1;
        }
    };
    assert_eq!((&finished["status"], &finished["completed"]), (&json!("completed"), &json!(2)));
    assert!(finished["warning"].as_str().unwrap().contains("unicorns"));

    for (line, body) in [
        ("POST /v2/crawl/params-preview", json!({ "url": site.url("/"), "prompt": "tasty things" })),
        ("POST /v2/crawl", json!({ "url": site.url("/"), "prompt": "tasty things" })),
        (
            "POST /v2/scrape",
            json!({ "url": site.url("/"), "formats": [{ "type": "json", "prompt": "names" }] }),
        ),
    ] {
        let (status, refused) = call(&engine, line, body).await;
        assert_eq!((status, &refused["code"]), (400, &json!("MODEL_NOT_CONFIGURED")), "{line}: {refused}");
    }
    let (status, refused) = call(
        &engine,
        "POST /v2/crawl",
        json!({ "url": site.url("/"), "prompt": "the blog without the blog" }),
    )
    .await;
    assert_eq!(
        (status, &refused["code"], &refused["details"][0]["path"]),
        (400, &json!("BAD_REQUEST"), &json!(["prompt"]))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn formats_with_a_model_work_in_every_operation() {
    let site = site();
    let fake = FakeServer::start(|_, request| {
        let text = match task_of(request) {
            Task::Draft => json!({ "many": false, "entity": "post", "fields": [
                { "name": "author", "kind": "text", "list": false, "description": "" }] })
            .to_string(),
            Task::Summary => "Anna Berg wrote it.".to_owned(),
            _ => json!({ "author": { "value": "Anna Berg", "quote": "by Anna Berg" } }).to_string(),
        };
        FakeResponse::json(&reply(Provider::OpenAi, &text, Ending::Stop))
    });
    let engine = engine_builder().model(Arc::new(model(Provider::OpenAi, &fake))).build().unwrap();
    let formats = json!([{ "type": "json", "prompt": "who wrote it" }, "summary"]);
    let expected = json!({ "author": "Anna Berg" });
    let (_, page) =
        call(&engine, "POST /v2/scrape", json!({ "url": site.url("/blog/a"), "formats": formats })).await;
    assert_eq!(
        (&page["data"]["json"], &page["data"]["summary"]),
        (&expected, &json!("Anna Berg wrote it.")),
        "{page}"
    );
    let (_, page) = call(
        &engine,
        "POST /v1/scrape",
        json!({
            "url": site.url("/blog/a"), "formats": ["json"],
            "jsonOptions": { "prompt": "who wrote it" },
        }),
    )
    .await;
    assert_eq!(page["data"]["json"], expected, "{page}");
    for (line, body) in [
        (
            "POST /v2/batch/scrape",
            json!({ "urls": [site.url("/blog/a"), site.url("/blog/b")], "formats": formats }),
        ),
        (
            "POST /v2/crawl",
            json!({
                "url": site.url("/"), "includePaths": ["^/blog/"],
                "scrapeOptions": { "formats": formats },
            }),
        ),
    ] {
        let (_, started) = call(&engine, line, body).await;
        let path = format!("{}/{}", line.replace("POST", "GET"), started["id"].as_str().unwrap());
        let finished = loop {
            let (_, status) = call(&engine, &format!("{path}?skip=100"), Value::Null).await;
            if status["status"] != "scraping" {
                break call(&engine, &path, Value::Null).await.1;
            }
        };
        let pages = finished["data"].as_array().unwrap();
        assert_eq!((pages.len(), &finished["creditsUsed"]), (2, &json!(10)), "{line}: {finished}");
        assert!(pages.iter().all(|page| page["json"] == expected), "{line}: {finished}");
    }
}
