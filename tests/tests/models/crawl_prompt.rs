//! Crawl options from prompts, by rules and by a model, on generated sites.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner::plan::CrawlParamsPreviewPlan;
use gleaner::request::CrawlParamsPreviewRequest;
use gleaner::{CrawlRequest, Engine, ErrorCode, JobEnd};
use gleaner_models::Provider;
use gleaner_testkit::{Extras, Server, Site, SiteSpec};
use gleaner_tests::fakes::{
    Ending, FakeResponse, FakeServer, ReceivedRequest, Task, engine_builder, model, reply, task_of,
};
use serde_json::{Value, json};

/// A site with a shop and thirty other pages, and the paths of its products.
fn shop() -> (Server, BTreeSet<String>) {
    let extras = Extras { products: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(30) });
    let products = site.truth().extras().products.iter().map(|product| product.path.clone()).collect();
    (site.serve().unwrap(), products)
}

/// A site with a blog, documentation and other pages; its start page links to all of them.
fn magazine() -> FakeServer {
    let mut paths: Vec<String> = (1..=8).map(|post| format!("/blog/post-{post}")).collect();
    paths.extend((1..=5).map(|page| format!("/docs/part-{page}")));
    paths.extend(["/about", "/contact", "/imprint"].map(str::to_owned));
    FakeServer::start(move |_, request| {
        let path = request.target();
        let links: String = paths.iter().map(|path| format!("<li><a href=\"{path}\">{path}</a>")).collect();
        match path {
            "/" => FakeResponse::html(&format!("<main><h1>A magazine</h1><ul>{links}</ul></main>")),
            path if paths.iter().any(|other| other == path) => FakeResponse::html(&format!(
                "<main><h1>{path}</h1><p>The text of the page at {path} is not a long one.</p></main>"
            )),
            _ => FakeResponse::new(404, "").with("content-type", "text/html"),
        }
    })
}

fn paths(done: &JobEnd) -> BTreeSet<String> {
    let path = |url: &str| {
        url.split_once("//").unwrap().1.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"))
    };
    done.documents.iter().map(|page| path(page.metadata.url.as_ref().unwrap())).collect()
}

fn crawl_request(url: String, prompt: &str, options: Value) -> CrawlRequest {
    let mut request = json!({ "url": url, "prompt": prompt });
    request.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    serde_json::from_value(request).unwrap()
}

async fn crawl(engine: &Engine, request: CrawlRequest) -> JobEnd {
    engine.crawl(request).await.unwrap().wait().await.unwrap()
}

fn preview(url: String, prompt: &str) -> CrawlParamsPreviewPlan {
    CrawlParamsPreviewRequest::new(url, prompt).check().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_names_a_section_crawls_that_section() {
    let engine = engine_builder().build().unwrap();
    let site = magazine();
    let posts: BTreeSet<String> = (1..=8).map(|post| format!("/blog/post-{post}")).collect();
    let done = crawl(&engine, crawl_request(site.url("/"), "only blog posts", json!({}))).await;
    assert_eq!((paths(&done), done.snapshot.warning().as_deref()), (posts.clone(), None));
    // Other sections are not fetched.
    let others: Vec<String> = site
        .requests()
        .into_iter()
        .map(|request| request.line)
        .filter(|line| line.contains("/docs/"))
        .collect();
    assert_eq!(others, [""; 0]);

    let few =
        crawl(&engine, crawl_request(site.url("/"), "only blog posts, at most 3 pages", json!({}))).await;
    assert!(few.documents.len() == 3 && paths(&few).is_subset(&posts));
    let all_but =
        crawl(&engine, crawl_request(site.url("/"), "everything except the docs and the blog", json!({})))
            .await;
    assert_eq!(paths(&all_but), ["/", "/about", "/contact", "/imprint"].map(str::to_owned).into());
    let with_unmatched_word =
        crawl(&engine, crawl_request(site.url("/"), "the blog posts about unicorns", json!({}))).await;
    assert_eq!(paths(&with_unmatched_word), posts);
    assert!(with_unmatched_word.snapshot.warning().unwrap().contains("unicorns"));

    let (site, products) = shop();
    let done = crawl(&engine, crawl_request(site.url("/"), "only the shop", json!({}))).await;
    let found = paths(&done);
    println!(
        "only the shop: {} documents, {} products of {}",
        found.len(),
        found.intersection(&products).count(),
        products.len()
    );
    assert!(products.is_subset(&found) && found.iter().all(|path| path.starts_with("/shop")), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn options_of_the_request_override_those_of_the_prompt() {
    let engine = engine_builder().build().unwrap();
    let site = magazine();
    let options = json!({ "limit": 2, "includePaths": ["^/docs/"] });
    let prompted = engine
        .compile_prompt(crawl_request(site.url("/"), "at most 50 pages without part-1", options))
        .await
        .unwrap();
    assert_eq!(prompted.generated.limit, Some(50));
    let in_effect = prompted.in_effect();
    assert_eq!((in_effect.limit, in_effect.include_paths), (Some(2), Some(vec!["^/docs/".to_owned()])));
    let done = engine.begin_crawl(prompted, &[]).await.unwrap().wait().await.unwrap();
    assert!(done.documents.len() == 2 && paths(&done).iter().all(|path| path.starts_with("/docs/")));

    // Patterns for whole URLs if the request enables them.
    let options = json!({ "regexOnFullURL": true });
    let prompted = engine.compile_prompt(crawl_request(site.url("/"), "only /docs", options)).await.unwrap();
    let done = engine.begin_crawl(prompted, &[]).await.unwrap().wait().await.unwrap();
    assert_eq!(done.documents.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_matched_against_pages_in_the_scope_of_the_crawl() {
    let engine = engine_builder().build().unwrap();
    let site = magazine();
    // There is no blog below the documentation.
    let narrow = engine
        .compile_prompt(crawl_request(site.url("/docs/"), "only the blog", json!({})))
        .await
        .unwrap_err();
    assert_eq!(narrow.code(), ErrorCode::ModelNotConfigured, "no word matches a section in scope: {narrow}");
    let narrow =
        crawl_request(site.url("/docs/part-1"), "only the blog", json!({ "crawlEntireDomain": false }));
    assert!(engine.compile_prompt(narrow).await.is_err());
    let wide = crawl_request(site.url("/"), "the whole site, only the blog", json!({}));
    let wide = engine.compile_prompt(wide).await.unwrap();
    assert_eq!(wide.generated.crawl_entire_domain, Some(true));
    assert!(wide.generated.include_paths.unwrap()[0].contains("blog"));
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_that_no_rule_understands_are_refused() {
    let engine = engine_builder().build().unwrap();
    let site = magazine();
    let error = engine.crawl(crawl_request(site.url("/"), "tasty things", json!({}))).await.unwrap_err();
    assert_eq!((error.code(), error.http_status()), (ErrorCode::ModelNotConfigured, 400));
    assert!(error.to_string().contains("`prompt`"), "{error}");
    let error =
        engine.crawl(crawl_request(site.url("/"), "the blog without the blog", json!({}))).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadRequest);
    assert_eq!(error.faults().unwrap().as_slice()[0].path.to_string(), "prompt");
    let gone = FakeServer::always(FakeResponse::new(404, ""));
    let empty = crawl(&engine, crawl_request(gone.url("/"), "at most 3 pages", json!({}))).await;
    assert_eq!(empty.documents.len(), 1, "an error page is a page");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_selects_sections_of_the_site() {
    let site = magazine();
    let fake = FakeServer::start(|_, request: &ReceivedRequest| {
        assert_eq!(task_of(request), Task::Crawl);
        let list = request.body["messages"][1]["content"].as_str().unwrap();
        let blog = list.lines().find(|line| line.contains("/blog/")).unwrap().split(' ').next().unwrap();
        let choice = json!({ "include": [blog, "S999", "^.*$"], "exclude": [], "limit": 4, "depth": null });
        FakeResponse::json(&reply(Provider::OpenAi, &choice.to_string(), Ending::Stop))
    });
    let engine = engine_builder().model(Arc::new(model(Provider::OpenAi, &fake))).build().unwrap();
    let found = engine
        .crawl_params(preview(site.url("/"), "what they wrote about their lives, 4 will do"))
        .await
        .unwrap();
    assert_eq!((found.data.limit, found.warning), (Some(4), None));
    let done = crawl(
        &engine,
        crawl_request(site.url("/"), "what they wrote about their lives, 4 will do", json!({})),
    )
    .await;
    assert!(done.documents.len() == 4 && paths(&done).iter().all(|path| path.starts_with("/blog/")));
    assert_eq!(fake.requests().len(), 2);
    // Rules are sufficient, so the model is not called. The model never gets the text of a page.
    engine.crawl_params(preview(site.url("/"), "only the docs")).await.unwrap();
    assert_eq!(fake.requests().len(), 2);
    assert!(fake.requests().iter().all(|request| !request.body.to_string().contains("A magazine")));

    let wrong_key = FakeServer::always(FakeResponse::new(401, "{}"));
    let engine = engine_builder().model(Arc::new(model(Provider::OpenAi, &wrong_key))).build().unwrap();
    let error = engine.crawl_params(preview(site.url("/"), "tasty things")).await.unwrap_err();
    assert!(error.to_string().contains("refuses the key"), "{error}");
    let understood = engine.crawl_params(preview(site.url("/"), "the blog, tasty ones")).await.unwrap();
    assert!(understood.data.include_paths.is_some() && understood.warning.unwrap().contains("tasty"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_crawls_nothing() {
    let site = magazine();
    let engine = engine_builder().build().unwrap();
    let found = engine
        .crawl_params(preview(
            site.url("/"),
            "Blog posts without post-3. At most 20 pages, 2 clicks deep, with subdomains",
        ))
        .await
        .unwrap();
    let found = serde_json::to_value(found).unwrap();
    let expected = json!({ "success": true, "data": {
        "url": site.url("/"), "includePaths": ["/blog(/|$)"], "excludePaths": ["/post\\-3(/|$)"], "limit": 20,
        "maxDiscoveryDepth": 2, "allowSubdomains": true,
    } });
    assert_eq!(found, expected);
    assert!(site.requests().iter().all(|request| !request.line.contains("/blog/")));
}
