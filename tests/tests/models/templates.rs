//! Pages of one template through a wildcard: a model reads the first ones, and learned templates the rest.

use gleaner::ExtractResult;
use gleaner_testkit::SHIP_FIELDS;
use gleaner_tests::fakes::FakeServer;
use serde_json::Value;

use super::ships::{Template, accurate_model, engine, fleet, site, truth};

const SHIPS: usize = 50;

async fn extract(service: &FakeServer, urls: &[String]) -> ExtractResult {
    engine(service).build().unwrap().extract(fleet(urls)).await.unwrap()
}

/// F1 score over the values of all ships.
fn f1(template: Template, data: &Value) -> f64 {
    let rows = data["ships"].as_array().unwrap();
    let (mut correct, mut extracted, mut expected) = (0, 0, 0);
    for at in 0..SHIPS {
        let truth = truth(template, at);
        let row = rows.iter().find(|row| row["name"] == truth["name"]).unwrap_or(&Value::Null);
        for name in SHIP_FIELDS.iter().chain(&["name"]) {
            extracted += usize::from(!row[name].is_null());
            expected += usize::from(!truth[name].is_null());
            correct += usize::from(!row[name].is_null() && row[name] == truth[name]);
        }
    }
    let extra = rows.len().saturating_sub(SHIPS) * (SHIP_FIELDS.len() + 1);
    2.0 * correct as f64 / (extracted + expected + extra) as f64
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_of_one_template_costs_a_tenth_of_one_call_per_page() {
    for template in [Template::Labels, Template::Changing] {
        let (site, service) = (site(template, SHIPS), accurate_model(template));
        let found = extract(&service, &[site.url("/*")]).await;
        let calls = service.requests().len();
        let rows = found.data["ships"].as_array().unwrap().len();

        // For comparison, each page in its own request, so that no template is learned.
        let separate = accurate_model(template);
        let mut separate_tokens = 0;
        for at in 0..SHIPS {
            separate_tokens += extract(&separate, &[site.url(&format!("/ship/{at}"))]).await.tokens_used;
        }
        let saved = 1.0 - found.tokens_used as f64 / separate_tokens as f64;
        let f1 = f1(template, &found.data);
        println!(
            "{template:?}: {rows} rows, {calls} calls, {:.1} % fewer tokens than {separate_tokens}, \
             leaf F1 {f1:.3}",
            saved * 100.0
        );
        assert_eq!(rows, SHIPS, "{:?}", found.warning);
        assert!(separate.requests().len() >= SHIPS && separate_tokens > 0);
        assert!(saved >= 0.9, "{template:?}: {saved}");
        assert!(f1 >= 0.98, "{template:?}: {f1}");
        let without_calls = found.pages.iter().filter(|page| page.by_template > 0 && page.calls == 0).count();
        assert!(
            without_calls >= SHIPS - calls,
            "{template:?}: {without_calls} pages by template, {calls} calls"
        );
        let drift = found.pages.iter().position(|page| page.drift.is_some());
        match template {
            Template::Labels => assert_eq!(drift, None),
            Template::Changing => {
                assert!(drift.is_some_and(|at| (25..28).contains(&at)), "noticed at {drift:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_value_has_provenance_on_its_page() {
    let (site, service) = (site(Template::Labels, 12), accurate_model(Template::Labels));
    let found = extract(&service, &[site.url("/*")]).await;
    assert!(found.leaves.len() >= 12 * 6);
    for leaf in &found.leaves {
        assert_eq!(found.data.pointer(&leaf.pointer), Some(&leaf.value));
        for proof in &leaf.provenance {
            assert!(proof.url.starts_with(&site.url("/")), "{proof:?}");
            assert!(!proof.quote.is_empty());
        }
    }
    let plan = found.plan.as_ref().unwrap();
    assert!(found.tokens_used <= plan.estimate.most_tokens, "the estimate is an upper bound");
    assert_eq!(found.spent.tokens, found.tokens_used);
    assert_eq!(found.ledger.len(), service.requests().len());
}
