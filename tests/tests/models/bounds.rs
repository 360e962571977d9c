//! Early ends of extract jobs, and long lists: budgets, a dropped reader, a model that omits rows.

use std::sync::{Arc, Condvar, Mutex};

use gleaner::extraction::Stop;
use gleaner::{Budget, ExtractRequest, Limits, ScrapeRequest};
use gleaner_testkit::SHIP_FIELDS;
use gleaner_tests::fakes::{FakeResponse, FakeServer, ReceivedRequest};
use serde_json::{Map, Value, json};

use super::ships::{Template, claims, engine, fleet, page_text, reply_with_usage, ship_of, site};

/// A site whose pages share no template, and a model that reads them.
fn varied_site() -> (FakeServer, FakeServer) {
    let site = FakeServer::start(|_, request| {
        let path = request.target();
        let Some(at) = path.strip_prefix("/ship/").and_then(|at| at.parse::<usize>().ok()) else {
            let links: String =
                (0..30).map(|at| format!("<li><a href=/ship/{at}>Ship {at}</a></li>")).collect();
            return FakeResponse::html(&format!("<main><h1>Fleet</h1><ul>{links}</ul></main>"));
        };
        let values = claims(Template::Changing, at);
        let mut texts: Vec<String> = SHIP_FIELDS
            .iter()
            .map(|name| format!("<p>{}</p>", values[*name]["quote"].as_str().unwrap()))
            .collect();
        texts.rotate_left(at % 6);
        let tag = ["article", "section", "div", "aside"][at % 4];
        FakeResponse::html(&format!("<main><h1>Ship {at}</h1><{tag}>{}</{tag}></main>", texts.concat()))
    });
    let service = FakeServer::start(|_, request| {
        reply_with_usage(request, &ship_of(request).map_or(json!({}), |at| claims(Template::Changing, at)))
    });
    (site, service)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exhausted_token_budget_keeps_extracted_data() {
    let (site, service) = varied_site();
    let budget = Budget::default().tokens(20_000);
    let found = engine(&service)
        .limits(Limits::new().extract_budget(budget))
        .build()
        .unwrap()
        .extract(fleet(&[site.url("/*")]))
        .await
        .unwrap();
    let calls = service.requests().len();
    let whole = found.data["ships"].as_array().unwrap().iter().filter(|row| !row["yard"].is_null()).count();
    println!("token budget of 20,000: {} used by {calls} calls, {whole} ships read", found.tokens_used);
    assert_eq!(found.stopped, Some(Stop::Tokens));
    assert!(
        found
            .warning
            .as_ref()
            .is_some_and(|warning| warning.contains("the token budget does not allow another call")),
        "{:?}",
        found.warning
    );
    assert!(found.tokens_used <= 20_000 && found.spent.overrun_tokens == 0);
    assert!(calls >= 3 && (3..30).contains(&whole), "{calls} calls, {whole} ships");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_budget_and_a_limit_bound_the_fetched_pages() {
    let (site, service) = varied_site();
    let budget = Budget::default().pages(7);
    let found = engine(&service)
        .limits(Limits::new().extract_budget(budget))
        .build()
        .unwrap()
        .extract(fleet(&[site.url("/*")]))
        .await
        .unwrap();
    let fetched = site.requests().iter().filter(|request| request.line.contains(" /ship/")).count();
    assert!(fetched <= 7, "{fetched} pages were fetched");
    assert!(found.spent.pages <= 7 && !found.data["ships"].as_array().unwrap().is_empty());

    let (site, service) = varied_site();
    let request = fleet(&[site.url("/*")]).limit(3);
    let found = engine(&service).build().unwrap().extract(request).await.unwrap();
    assert_eq!(found.pages.len(), 3);
    assert!(found.warning.unwrap().contains("of 31 pages"));
}

/// A gate that opens once.
#[derive(Debug, Default)]
struct Gate(Mutex<bool>, Condvar);

impl Gate {
    fn wait(&self) {
        let mut open = self.0.lock().unwrap();
        while !*open {
            open = self.1.wait(open).unwrap();
        }
    }

    fn open(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_an_extract_ends_its_work() {
    let (called, released) = (Arc::new(Gate::default()), Arc::new(Gate::default()));
    let (site, _) = varied_site();
    let (on_call, on_release) = (Arc::clone(&called), Arc::clone(&released));
    let service = FakeServer::start(move |_, request| {
        on_call.open();
        on_release.wait();
        reply_with_usage(request, &json!({}))
    });
    let engine = engine(&service).build().unwrap();
    let job = tokio::spawn({
        let (engine, request) = (engine.clone(), fleet(&[site.url("/*")]));
        async move { engine.extract(request).await }
    });
    tokio::task::spawn_blocking(move || called.wait()).await.unwrap();
    job.abort();
    assert!(job.await.unwrap_err().is_cancelled());
    let before = site.requests().len();
    released.open();
    // The engine still serves other requests, and nothing of the dropped one.
    engine.scrape(ScrapeRequest::new(site.url("/other"))).await.unwrap();
    let fetched: Vec<String> = site.requests().into_iter().map(|request| request.line).skip(before).collect();
    assert!(fetched.iter().any(|line| line.contains("/other")));
    assert!(fetched.len() <= 1 + 8, "only pages in progress are fetched: {fetched:?}");
    assert_eq!(service.requests().len(), 1);
}

/// A table with headings that do not match the schema.
fn table(rows: usize) -> String {
    let body: String = (0..rows)
        .map(|at| {
            format!(
                "<tr><td>Berth {at:03}</td><td>{} tons</td><td>by {}</td></tr>",
                1_000 + at * 3,
                ["Ida", "Otto", "Mia"][at % 3]
            )
        })
        .collect();
    format!(
        "<main><h1>Harbour</h1><table><tr><th>Where</th><th>How much</th><th>Who</th></tr>{body}\
         </table></main>"
    )
}

/// The rows of [`table`] in a request: at most `max_rows` of them, and none from number `end` on.
fn read_rows(request: &ReceivedRequest, max_rows: usize, end: usize) -> Value {
    let (_, text) = page_text(request).unwrap();
    let rows: Vec<Value> = text
        .lines()
        .filter_map(|line| line.split("Berth ").nth(1)?.get(..3)?.parse::<usize>().ok())
        .filter(|at| *at < end)
        .take(max_rows)
        .map(|at| {
            let (load, keeper) = (1_000 + at * 3, ["Ida", "Otto", "Mia"][at % 3]);
            json!({
                "pier": { "value": format!("Berth {at:03}"), "quote": format!("Berth {at:03}") },
                "load": { "value": load, "quote": format!("{load} tons") },
                "keeper": { "value": keeper, "quote": format!("by {keeper}") },
            })
        })
        .collect();
    json!({ "rows": rows })
}

fn harbour_schema() -> Map<String, Value> {
    let text = json!({ "type": ["string", "null"] });
    let row = json!({ "type": "object", "properties": {
        "pier": text, "load": { "type": ["integer", "null"] }, "keeper": text,
    } });
    json!({ "type": "object", "properties": { "piers": { "type": "array", "items": row } } })
        .as_object()
        .unwrap()
        .clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_complete_or_have_a_warning() {
    const ROWS: usize = 100;
    let site = FakeServer::start(|_, _| FakeResponse::html(&table(ROWS)));
    // Lazy: seven rows per call. Stubborn: no row from number 60 on.
    for (name, max_rows, end, expected) in [("lazy", 7, ROWS, ROWS), ("stubborn", 50, 60, 60)] {
        let service = FakeServer::start(move |_, request| {
            reply_with_usage(request, &read_rows(request, max_rows, end))
        });
        let request = ExtractRequest::new([site.url("/")]).schema(harbour_schema());
        let found = engine(&service).build().unwrap().extract(request).await.unwrap();
        let rows = found.data["piers"].as_array().unwrap();
        let mut piers: Vec<&str> = rows.iter().filter_map(|row| row["pier"].as_str()).collect();
        piers.dedup();
        println!(
            "{name} model: {} of {ROWS} rows by {} calls: {:?}",
            rows.len(),
            service.requests().len(),
            found.warning
        );
        assert_eq!((rows.len(), piers.len()), (expected, expected), "{name}");
        assert_eq!(rows[42], json!({ "pier": "Berth 042", "load": 1_126, "keeper": "Ida" }));
        let coverage = &found.coverage[0];
        assert_eq!(
            (coverage.pointer.as_str(), coverage.found, coverage.counted),
            ("/piers", expected, ROWS),
            "{name}"
        );
        let has_warning = found.warning.is_some_and(|warning| warning.contains("piers: 60 of 100 rows"));
        assert_eq!(has_warning, expected < ROWS, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_model_does_not_affect_values_of_structured_data() {
    let site = site(Template::Labels, 3);
    let service = FakeServer::always(FakeResponse::new(401, "{}"));
    let found = engine(&service).build().unwrap().extract(fleet(&[site.url("/ship/1")])).await.unwrap();
    let warning = found.warning.unwrap();
    assert!(warning.contains("the service refuses the key"), "{warning}");
    assert_eq!((found.stopped, found.pages[0].calls), (None, 1));
}
