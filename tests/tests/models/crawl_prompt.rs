//! Crawl options out of words, by rules and by a model, against generated sites.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner::plan::CrawlParamsPreviewPlan;
use gleaner::request::CrawlParamsPreviewRequest;
use gleaner::{CrawlRequest, Engine, ErrorCode, JobResult};
use gleaner_models::Provider;
use gleaner_testkit::{Extras, Server, Site, SiteSpec};
use gleaner_tests::fakes::{
    Ending, FakeResponse, FakeServer, ReceivedRequest, Task, engine_builder, model, reply, task_of,
};
use serde_json::{Value, json};

/// A shop beside thirty other pages, and what is in it.
fn shop() -> (Server, BTreeSet<String>) {
    let extras = Extras { products: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(30) });
    let products = site.truth().extras().products.iter().map(|product| product.path.clone()).collect();
    (site.serve().unwrap(), products)
}

/// A site with a blog, documentation and pages about itself; its start page links to all of them.
fn magazine() -> FakeServer {
    let mut paths: Vec<String> = (1..=8).map(|post| format!("/blog/post-{post}")).collect();
    paths.extend((1..=5).map(|page| format!("/docs/part-{page}")));
    paths.extend(["/about", "/contact", "/imprint"].map(str::to_owned));
    FakeServer::start(move |_, asked| {
        let path = asked.target();
        let links: String = paths.iter().map(|path| format!("<li><a href=\"{path}\">{path}</a>")).collect();
        match path {
            "/" => FakeResponse::html(&format!("<main><h1>A magazine</h1><ul>{links}</ul></main>")),
            path if paths.iter().any(|known| known == path) => FakeResponse::html(&format!(
                "<main><h1>{path}</h1><p>The text of the page at {path} is not a long one.</p></main>"
            )),
            _ => FakeResponse::new(404, "").with("content-type", "text/html"),
        }
    })
}

fn paths(done: &JobResult) -> BTreeSet<String> {
    let path = |url: &str| {
        url.split_once("//").unwrap().1.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"))
    };
    done.documents.iter().map(|page| path(page.metadata.url.as_ref().unwrap())).collect()
}

fn asked(url: String, prompt: &str, more: Value) -> CrawlRequest {
    let mut request = json!({ "url": url, "prompt": prompt });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(request).unwrap()
}

async fn crawl(engine: &Engine, request: CrawlRequest) -> JobResult {
    engine.crawl(request).await.unwrap().wait().await.unwrap()
}

fn preview(url: String, prompt: &str) -> CrawlParamsPreviewPlan {
    CrawlParamsPreviewRequest::new(url, prompt).check().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn words_that_name_a_section_crawl_that_section() {
    let engine = engine_builder().build().unwrap();
    let site = magazine();
    let posts: BTreeSet<String> = (1..=8).map(|post| format!("/blog/post-{post}")).collect();
    let done = crawl(&engine, asked(site.url("/"), "only blog posts", json!({}))).await;
    assert_eq!((paths(&done), done.snapshot.warning.as_deref()), (posts.clone(), None));
    // Nothing but the start page was fetched beside them, twice: for the map and for the crawl.
    let others: Vec<String> =
        site.requests().into_iter().map(|asked| asked.line).filter(|line| line.contains("/docs/")).collect();
    assert_eq!(others, [""; 0]);

    let few = crawl(&engine, asked(site.url("/"), "only blog posts, at most 3 pages", json!({}))).await;
    assert!(few.documents.len() == 3 && paths(&few).is_subset(&posts));
    let all_but =
        crawl(&engine, asked(site.url("/"), "everything except the docs and the blog", json!({}))).await;
    assert_eq!(paths(&all_but), ["/", "/about", "/contact", "/imprint"].map(str::to_owned).into());
    let remarked = crawl(&engine, asked(site.url("/"), "the blog posts about unicorns", json!({}))).await;
    assert_eq!(paths(&remarked), posts);
    assert!(remarked.snapshot.warning.unwrap().contains("unicorns"));

    let (site, products) = shop();
    let done = crawl(&engine, asked(site.url("/"), "only the shop", json!({}))).await;
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
async fn what_the_request_states_itself_wins() {
    let engine = engine_builder().build().unwrap();
    let site = magazine();
    let more = json!({ "limit": 2, "includePaths": ["^/docs/"] });
    let prompted =
        engine.compile_prompt(asked(site.url("/"), "at most 50 pages without part-1", more)).await.unwrap();
    assert_eq!(prompted.generated.limit, Some(50));
    let in_effect = prompted.in_effect();
    assert_eq!((in_effect.limit, in_effect.include_paths), (Some(2), Some(vec!["^/docs/".to_owned()])));
    let done = engine.begin_crawl(prompted, &[]).await.unwrap().wait().await.unwrap();
    assert!(done.documents.len() == 2 && paths(&done).iter().all(|path| path.starts_with("/docs/")));

    // Patterns of whole addresses where the request wants these.
    let more = json!({ "regexOnFullURL": true });
    let prompted = engine.compile_prompt(asked(site.url("/"), "only /docs", more)).await.unwrap();
    let done = engine.begin_crawl(prompted, &[]).await.unwrap().wait().await.unwrap();
    assert_eq!(done.documents.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_below_a_path_is_held_against_what_it_can_reach() {
    let engine = engine_builder().build().unwrap();
    let site = magazine();
    // Below the documentation there is no blog.
    let narrow =
        engine.compile_prompt(asked(site.url("/docs/"), "only the blog", json!({}))).await.unwrap_err();
    assert_eq!(
        narrow.code(),
        ErrorCode::ModelNotConfigured,
        "no word names a part of what is below: {narrow}"
    );
    let narrow = asked(site.url("/docs/part-1"), "only the blog", json!({ "crawlEntireDomain": false }));
    assert!(engine.compile_prompt(narrow).await.is_err());
    let wide = asked(site.url("/"), "the whole site, only the blog", json!({}));
    let wide = engine.compile_prompt(wide).await.unwrap();
    assert_eq!(wide.generated.crawl_entire_domain, Some(true));
    assert!(wide.generated.include_paths.unwrap()[0].contains("blog"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_rules_do_not_understand_is_refused_by_name() {
    let engine = engine_builder().build().unwrap();
    let site = magazine();
    let error = engine.crawl(asked(site.url("/"), "tasty things", json!({}))).await.unwrap_err();
    assert_eq!((error.code(), error.http_status()), (ErrorCode::ModelNotConfigured, 400));
    assert!(error.to_string().contains("`prompt`"), "{error}");
    let error = engine.crawl(asked(site.url("/"), "the blog without the blog", json!({}))).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadRequest);
    assert_eq!(error.faults().unwrap().as_slice()[0].path.to_string(), "prompt");
    let gone = FakeServer::always(FakeResponse::new(404, ""));
    let empty = crawl(&engine, asked(gone.url("/"), "at most 3 pages", json!({}))).await;
    assert_eq!(empty.documents.len(), 1, "a page of an error is a page");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_chooses_among_the_sections_of_the_site() {
    let site = magazine();
    let fake = FakeServer::start(|_, asked: &ReceivedRequest| {
        assert_eq!(task_of(asked), Task::Crawl);
        let list = asked.body["messages"][1]["content"].as_str().unwrap();
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
    let done =
        crawl(&engine, asked(site.url("/"), "what they wrote about their lives, 4 will do", json!({}))).await;
    assert!(done.documents.len() == 4 && paths(&done).iter().all(|path| path.starts_with("/blog/")));
    assert_eq!(fake.requests().len(), 2);
    // Rules are enough, so nothing is spent; a page of the site was never shown to the model.
    engine.crawl_params(preview(site.url("/"), "only the docs")).await.unwrap();
    assert_eq!(fake.requests().len(), 2);
    assert!(fake.requests().iter().all(|asked| !asked.body.to_string().contains("A magazine")));

    let away = FakeServer::always(FakeResponse::new(401, "{}"));
    let engine = engine_builder().model(Arc::new(model(Provider::OpenAi, &away))).build().unwrap();
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
    assert!(site.requests().iter().all(|asked| !asked.line.contains("/blog/")));
}
