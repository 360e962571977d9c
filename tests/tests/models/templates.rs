//! Pages of one template through a wildcard: the first are read by the model, the others by what they taught.

use gleaner::ExtractResult;
use gleaner_testkit::SHIP_FIELDS;
use gleaner_tests::fakes::FakeServer;
use serde_json::Value;

use super::ships::{Template, engine, fleet, reader, site, truth};

const SHIPS: usize = 50;

async fn extract(service: &FakeServer, urls: &[String]) -> ExtractResult {
    engine(service).build().unwrap().extract(fleet(urls)).await.unwrap()
}

/// F1 over the values of all ships.
fn f1(template: Template, data: &Value) -> f64 {
    let rows = data["ships"].as_array().unwrap();
    let (mut right, mut told, mut known) = (0, 0, 0);
    for at in 0..SHIPS {
        let truth = truth(template, at);
        let row = rows.iter().find(|row| row["name"] == truth["name"]).unwrap_or(&Value::Null);
        for name in SHIP_FIELDS.iter().chain(&["name"]) {
            told += usize::from(!row[name].is_null());
            known += usize::from(!truth[name].is_null());
            right += usize::from(!row[name].is_null() && row[name] == truth[name]);
        }
    }
    let extra = rows.len().saturating_sub(SHIPS) * (SHIP_FIELDS.len() + 1);
    2.0 * right as f64 / (told + known + extra) as f64
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_of_one_template_costs_a_tenth_of_one_call_a_page() {
    for template in [Template::Labels, Template::Changing] {
        let (site, service) = (site(template, SHIPS), reader(template));
        let found = extract(&service, &[site.url("/*")]).await;
        let calls = service.requests().len();
        let rows = found.data["ships"].as_array().unwrap().len();

        // One call a page: each page in a request of its own, so that nothing is learned.
        let alone = reader(template);
        let mut each = 0;
        for at in 0..SHIPS {
            each += extract(&alone, &[site.url(&format!("/ship/{at}"))]).await.tokens_used;
        }
        let saved = 1.0 - found.tokens_used as f64 / each as f64;
        let f1 = f1(template, &found.data);
        println!(
            "{template:?}: {rows} rows, {calls} calls, {:.1} % fewer tokens than {each}, leaf F1 {f1:.3}",
            saved * 100.0
        );
        assert_eq!(rows, SHIPS, "{:?}", found.warning);
        assert!(alone.requests().len() >= SHIPS && each > 0);
        assert!(saved >= 0.9, "{template:?}: {saved}");
        assert!(f1 >= 0.98, "{template:?}: {f1}");
        let spared = found.pages.iter().filter(|page| page.by_template > 0 && page.calls == 0).count();
        assert!(spared >= SHIPS - calls, "{template:?}: {spared} pages by template, {calls} calls");
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
async fn every_value_has_its_proof_on_its_page() {
    let (site, service) = (site(Template::Labels, 12), reader(Template::Labels));
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
    assert!(found.tokens_used <= plan.estimate.most_tokens, "the estimate holds");
    assert_eq!(found.spent.tokens, found.tokens_used);
    assert_eq!(found.ledger.len(), service.requests().len());
}
