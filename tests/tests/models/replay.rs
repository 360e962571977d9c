//! A replay of recorded model calls and cached pages gives the same bytes without any connection.

use std::sync::Arc;

use gleaner::model::{LanguageModel, Recorder, Replay};
use gleaner::{CacheStore, ExtractResult, MemoryCache, Storage};
use gleaner_models::Provider;
use gleaner_tests::fakes::{engine_builder, model};

use super::ships::{Template, accurate_model, fleet, site};

async fn extract(
    model: Arc<dyn LanguageModel>,
    cache: Arc<dyn CacheStore>,
    urls: &[String],
    offline: bool,
) -> ExtractResult {
    let engine = engine_builder().storage(Storage::new().cache(cache)).model(model);
    let mut request = fleet(urls).show_sources(true);
    if let Some(options) = &mut request.scrape_options {
        options.lockdown = Some(offline);
    }
    engine.build().unwrap().extract(request).await.unwrap()
}

/// The result as bytes, without the reservations of calls: these depend on how a model counts tokens before a
/// call, which a transcript does not record.
fn result_bytes(mut result: ExtractResult) -> Vec<u8> {
    result.ledger.clear();
    serde_json::to_vec(&result).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_is_byte_identical_without_connections() {
    let (site, service) = (site(Template::Labels, 10), accurate_model(Template::Labels));
    let urls: Vec<String> = (0..10).map(|at| site.url(&format!("/ship/{at}"))).collect();
    let cache: Arc<dyn CacheStore> = Arc::new(MemoryCache::default());
    let recorder = Arc::new(Recorder::new(model(Provider::OpenAi, &service)));
    let first = extract(Arc::clone(&recorder) as _, Arc::clone(&cache), &urls, false).await;
    let transcript = serde_json::to_string(&recorder.transcript()).unwrap();
    let (calls, fetched) = (service.requests().len(), site.requests().len());
    assert!(calls > 0 && !first.data["ships"].as_array().unwrap().is_empty());

    let bytes = result_bytes(first);
    for round in 0..5 {
        let replay = Replay::new(serde_json::from_str(&transcript).unwrap());
        let again = result_bytes(extract(Arc::new(replay), Arc::clone(&cache), &urls, true).await);
        let prefix = again.iter().zip(&bytes).take_while(|(left, right)| left == right).count();
        let excerpt = |bytes: &[u8]| {
            let from = prefix.saturating_sub(80);
            String::from_utf8_lossy(&bytes[from..bytes.len().min(prefix + 80)]).into_owned()
        };
        assert!(again == bytes, "round {round}: {}\n{}", excerpt(&again), excerpt(&bytes));
    }
    assert_eq!((service.requests().len(), site.requests().len()), (calls, fetched), "a connection was made");
    println!("replay: {} bytes with provenance and costs, 5 rounds identical, 0 connections", bytes.len());
}
