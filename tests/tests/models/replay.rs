//! What was recorded gives the same bytes again, with nothing to ask and nowhere to fetch.

use std::sync::Arc;

use gleaner::model::{LanguageModel, Recorder, Replay};
use gleaner::{CacheStore, ExtractResult, MemoryCache};
use gleaner_models::Provider;
use gleaner_tests::fakes::{engine_builder, model};

use super::ships::{Template, fleet, reader, site};

async fn extract(
    model: Arc<dyn LanguageModel>,
    cache: Arc<dyn CacheStore>,
    urls: &[String],
    offline: bool,
) -> ExtractResult {
    let engine = engine_builder().cache(cache).model(model);
    let mut request = fleet(urls).show_sources(true);
    if let Some(options) = &mut request.scrape_options {
        options.lockdown = Some(offline);
    }
    engine.build().unwrap().extract(request).await.unwrap()
}

/// All that a result tells, save what was set aside for each call: that depends on how a model counts tokens before it is
/// asked, which a transcript does not know.
fn told(mut result: ExtractResult) -> Vec<u8> {
    result.ledger.clear();
    serde_json::to_vec(&result).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_is_byte_identical_with_the_network_off() {
    let (site, service) = (site(Template::Labels, 10), reader(Template::Labels));
    let urls: Vec<String> = (0..10).map(|at| site.url(&format!("/ship/{at}"))).collect();
    let cache: Arc<dyn CacheStore> = Arc::new(MemoryCache::default());
    let recorder = Arc::new(Recorder::new(model(Provider::OpenAi, &service)));
    let first = extract(Arc::clone(&recorder) as _, Arc::clone(&cache), &urls, false).await;
    let transcript = serde_json::to_string(&recorder.transcript()).unwrap();
    let (asked, fetched) = (service.asked().len(), site.asked().len());
    assert!(asked > 0 && !first.data["ships"].as_array().unwrap().is_empty());

    let bytes = told(first);
    for round in 0..5 {
        let replay = Replay::new(serde_json::from_str(&transcript).unwrap());
        let again = told(extract(Arc::new(replay), Arc::clone(&cache), &urls, true).await);
        let same = again.iter().zip(&bytes).take_while(|(left, right)| left == right).count();
        let shown = |bytes: &[u8]| {
            let from = same.saturating_sub(80);
            String::from_utf8_lossy(&bytes[from..bytes.len().min(same + 80)]).into_owned()
        };
        assert!(again == bytes, "round {round}: {}\n{}", shown(&again), shown(&bytes));
    }
    assert_eq!(
        (service.asked().len(), site.asked().len()),
        (asked, fetched),
        "something was asked or fetched"
    );
    println!("replay: {} bytes with proofs and costs, 5 rounds identical, 0 connections", bytes.len());
}
