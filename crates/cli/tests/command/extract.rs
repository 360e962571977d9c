//! `gleaner extract`, and the format `json` of `scrape` and `convert`: output, costs, and messages about
//! missing values.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::Path;

use gleaner_testkit::{RawServer, Server, Site, SiteSpec, Step};
use serde_json::{Value, json};

use super::support::{gleaner, printed, refuses, run_on_loopback, run_with_input, stderr};

fn shop() -> (Site, Server) {
    let site =
        Site::generate(SiteSpec { pages: 5, extras: "products".parse().unwrap(), ..SiteSpec::default() });
    let server = site.serve().unwrap();
    (site, server)
}

fn schema(folder: &Path, schema: &Value) -> String {
    let file = folder.join("schema.json");
    fs::write(&file, schema.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

fn products() -> Value {
    let text = json!({ "type": ["string", "null"] });
    let row = json!({ "type": "object", "properties": { "name": text, "sku": text, "brand": text,
        "price": { "type": ["number", "null"] } } });
    json!({ "type": "object", "properties": { "products": { "type": "array", "items": row } } })
}

#[test]
fn a_wildcard_gives_a_row_per_page_as_the_plan_says() {
    let place = tempfile::tempdir().unwrap();
    let (site, server) = shop();
    let schema = schema(place.path(), &products());
    let below = server.url("/shop/*");
    let plan = run_on_loopback(&["extract", &below, "--schema", &schema, "--plan"]);
    assert_eq!(plan.status.code(), Some(0), "{}", stderr(&plan));
    let plan = String::from_utf8(plan.stdout).unwrap();
    for part in [
        "1. list the pages of",
        "read up to",
        "estimate:",
        " pages, without a model, at most 0 credits",
        "because no model is configured",
    ] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
    assert_eq!(server.requests(), 0, "a plan fetches nothing");

    let output = run_on_loopback(&["extract", &below, "--schema", &schema]);
    let data = printed(&output);
    let truth = site.truth();
    let known: Vec<_> = truth.extras().products.iter().collect();
    let rows = data["products"].as_array().unwrap();
    for product in &known {
        let row = rows.iter().find(|row| row["sku"] == product.sku.as_str());
        let row = row.unwrap_or_else(|| panic!("{product:?} is not in {data}"));
        assert_eq!(row["name"], product.name.as_str());
        assert_eq!(row["price"].as_f64(), product.price.parse().ok(), "{product:?}");
    }
    assert_eq!(rows.len(), known.len(), "{data}");
    assert!(stderr(&output).contains("values of "), "{}", stderr(&output));
}

#[test]
fn sources_and_proofs_are_shown_on_request() {
    let place = tempfile::tempdir().unwrap();
    let (site, server) = shop();
    let fields =
        json!({ "properties": { "sku": { "type": "string" }, "warranty": { "type": ["string", "null"] } } });
    let schema = schema(place.path(), &fields);
    let truth = site.truth();
    let product = truth.extras().products.first().cloned().unwrap();
    let url = server.url(&product.path);
    let shown = printed(&run_on_loopback(&["extract", &url, "--schema", &schema, "--show-sources"]));
    assert_eq!(
        shown,
        json!({ "data": { "sku": product.sku, "warranty": null }, "sources": { "sku": [url] } })
    );

    let output = run_on_loopback(&["extract", &url, "--schema", &schema, "--proofs"]);
    let all = printed(&output);
    let proof = &all["leaves"][0]["provenance"][0];
    assert!(proof["quote"].as_str().unwrap().contains(&product.sku), "{proof}");
    assert_eq!((&proof["url"], &all["missing"][0]["pointer"]), (&json!(url), &json!("/warranty")));
    assert_eq!(all["missing"][0]["reason"], "notFound");
    assert!(stderr(&output).contains("note: not found on the page: warranty"), "{}", stderr(&output));
}

#[test]
fn convert_and_scrape_print_json_for_a_schema() {
    let place = tempfile::tempdir().unwrap();
    let fields =
        json!({ "properties": { "price": { "type": "number" }, "brand": { "type": ["string", "null"] } } });
    let schema = schema(place.path(), &fields);
    let page = "<h1>Red cup</h1><p class=price>12,50 €</p><dl><dt>Brand</dt><dd>Acme</dd></dl>";
    let want = json!({ "price": 12.5, "brand": "Acme" });

    let words = ["convert", "-", "--formats", "json", "--schema", &schema];
    assert_eq!(printed(&run_with_input(&words, page.as_bytes()))["json"], want);

    let answer = Step::respond("200 OK", &[("content-type", "text/html; charset=utf-8")], page);
    let server = RawServer::start([Step::ReadRequest, answer]).unwrap();
    let document =
        printed(&run_on_loopback(&["scrape", &server.base_url(), "--formats", "json", "--schema", &schema]));
    assert_eq!((&document["json"], document.get("markdown")), (&want, None));
}

#[test]
fn messages_name_the_missing_option() {
    let place = tempfile::tempdir().unwrap();
    let good = schema(place.path(), &products());
    let bad = place.path().join("bad.json");
    fs::write(&bad, "{\"type\": 7}").unwrap();
    let bad = bad.to_str().unwrap();
    let site = "https://example.com";
    let rows: &[(&[&str], &[&str])] = &[
        (&["extract", site], &["--prompt", "--schema"]),
        (&["extract", site, "--prompt", "who"], &["--model", "--schema"]),
        (&["extract", site, "--prompt", "who", "--plan"], &["--model", "--schema"]),
        (&["extract", "--schema", &good], &["--prompt"]),
        (&["extract", "--prompt", "who", "--schema", &good], &["without URLs", "--search-url", "name pages"]),
        (&["extract", "ftp://example.com", "--schema", &good], &["[URLS]"]),
        (&["extract", site, "--schema", bad], &["--schema"]),
        (&["extract", site, "--schema", "/no/such/file"], &["--schema", "/no/such/file"]),
        (&["extract", site, "--schema", &good, "--limit", "0"], &["--limit"]),
        (&["extract", site, "--schema", &good, "--budget-tokens", "9"], &["--model"]),
        (
            &["extract", site, "--schema", &good, "--model", "m", "--model-key-env", "NO_SUCH_KEY"],
            &["NO_SUCH_KEY"],
        ),
        (&["extract", site, "--schema", &good, "--plan", "--proofs"], &["--plan", "--proofs"]),
    ];
    for (words, wanted) in rows {
        refuses(words, wanted);
    }
    let canary = gleaner_testkit::Canary::start().unwrap();
    let refused = gleaner(&["extract", &canary.base_url(), "--schema", &good]).output().unwrap();
    assert_eq!((refused.status.code(), canary.connections()), (Some(1), 0));
    assert!(stderr(&refused).contains("--allow-private 127.0.0.0/8"), "{}", stderr(&refused));
}

#[test]
fn a_model_is_used_within_the_budget_and_the_plan_shows_its_cost() {
    let place = tempfile::tempdir().unwrap();
    let schema =
        schema(place.path(), &json!({ "properties": { "captain": { "type": ["string", "null"] } } }));
    let page = "<main><h1>The ship</h1><p>She was commanded by Ada Quill for many years, as all who sailed \
                in her recall.</p></main>";
    let answer = Step::respond("200 OK", &[("content-type", "text/html; charset=utf-8")], page);
    let site = RawServer::start([Step::ReadRequest, answer]).unwrap();
    let claim = json!({ "captain": { "value": "Ada Quill", "quote": "commanded by Ada Quill" } }).to_string();
    let reply = json!({ "choices": [{ "finish_reason": "stop",
        "message": { "role": "assistant", "content": claim } }],
        "usage": { "prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320 } });
    let answer = Step::respond("200 OK", &[("content-type", "application/json")], reply.to_string());
    let service = RawServer::start([Step::ReadRequest, answer]).unwrap();
    let at = format!("{}/v1", service.base_url().trim_end_matches('/'));
    let url = site.base_url();
    let words = ["extract", &url, "--schema", &schema, "--model", "m", "--model-url", &at];
    let plan = run_on_loopback(&[&words[..], &["--plan"]].concat());
    let plan = String::from_utf8(plan.stdout).unwrap();
    assert!(plan.contains("then model") && plan.contains("0 to 1 calls"), "{plan}");
    assert_eq!(service.connections(), 0);

    let output = run_on_loopback(&words);
    assert_eq!(printed(&output), json!({ "captain": "Ada Quill" }), "{}", stderr(&output));
    assert!(stderr(&output).contains("320 tokens in 1 call"), "{}", stderr(&output));

    let poor = run_on_loopback(&[&words[..], &["--quiet", "--budget-tokens", "50"]].concat());
    assert_eq!(serde_json::from_slice::<Value>(&poor.stdout).unwrap(), json!({ "captain": null }));
    assert_eq!(poor.status.code(), Some(1), "there is no output");
    assert!(stderr(&poor).contains("budget"), "{}", stderr(&poor));
}
