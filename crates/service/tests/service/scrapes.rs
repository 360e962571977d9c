//! Documents by the id of their scrape.

use std::time::Duration;

use gleaner_service::{JobService, ServiceConfig, SubmitContext};
use gleaner_store::TeamId;
use gleaner_types::plan::BatchPlan;
use gleaner_types::request::ScrapeRequest;
use gleaner_types::response::ScrapeResponse;
use gleaner_types::{Document, JobId};
use uuid::Uuid;

use crate::support::*;

/// The document that a team reads by the scrape id of a document.
async fn reread(service: &JobService, team: &str, document: &Document) -> Option<Document> {
    let scrape: Uuid = document.metadata.scrape_id.as_deref().unwrap().parse().unwrap();
    match service.scraped_document(&TeamId::new(team), scrape).await {
        Ok(json) => {
            let response: ScrapeResponse = serde_json::from_slice(&json.to_vec()).unwrap();
            assert!(response.success);
            Some(response.data)
        }
        Err(error) => {
            assert_eq!((error.http_status(), error.body().error.as_str()), (404, "Job not found"));
            None
        }
    }
}

async fn scrape(service: &std::sync::Arc<JobService>, path: &str, zero_data_retention: bool) -> Document {
    let request =
        ScrapeRequest::new(format!("https://a.example/{path}")).zero_data_retention(zero_data_retention);
    let plan = request.check().unwrap();
    let mut document = service.scrape(&team("a"), plan, SubmitContext::default()).await.unwrap();
    // It is not kept.
    document.metadata.duration = None;
    document
}

#[tokio::test(start_paused = true)]
async fn a_scrape_is_readable_for_a_day_and_only_by_its_team() {
    let (service, _) = service(ServiceConfig::default());
    let one = scrape(&service, "one", false).await;
    let two = scrape(&service, "two", false).await;
    assert_ne!(one.metadata.scrape_id, two.metadata.scrape_id);
    assert_eq!(reread(&service, "a", &one).await.as_ref(), Some(&one));
    assert_eq!(reread(&service, "a", &two).await.as_ref(), Some(&two));
    assert_eq!(reread(&service, "b", &one).await, None);
    tokio::time::sleep(Duration::from_secs(86_400 - 60)).await;
    assert_eq!(reread(&service, "a", &one).await.as_ref(), Some(&one));
    tokio::time::sleep(Duration::from_secs(60 + 15)).await;
    assert_eq!(reread(&service, "a", &one).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_scrape_with_zero_data_retention_is_not_kept() {
    let (service, _) = service(ServiceConfig::default());
    let document = scrape(&service, "one", true).await;
    assert_eq!(reread(&service, "a", &document).await, None);
}

#[tokio::test(start_paused = true)]
async fn each_page_of_a_job_is_readable_while_its_results_are_kept() {
    let (service, _) = service(ServiceConfig::default());
    let paths: Vec<String> = (0..40).map(|number| format!("p{number}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut jobs: Vec<JobId> = Vec::new();
    for zero_data_retention in [false, true, false] {
        let plan = BatchPlan { zero_data_retention, ..plan(&paths) };
        jobs.push(service.batch(&team("a"), plan, SubmitContext::default()).await.unwrap().id);
    }
    let mut documents = Vec::new();
    for id in jobs {
        documents.extend(ended(&service, id).await.data);
    }
    assert_eq!(documents.len(), 120);
    for document in &documents {
        assert_eq!(reread(&service, "a", document).await.as_ref(), Some(document));
        assert_eq!(reread(&service, "b", document).await, None);
    }
    tokio::time::sleep(Duration::from_secs(86_400 + 60)).await;
    for document in &documents {
        assert_eq!(reread(&service, "a", document).await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_id_is_not_found() {
    let (service, _) = service(ServiceConfig::default());
    let id = batch(&service, &["one"]).await;
    ended(&service, id).await;
    for unknown in [Uuid::nil(), Uuid::max(), *id.as_uuid()] {
        let error = service.scraped_document(&TeamId::new("a"), unknown).await.unwrap_err();
        assert_eq!(error.http_status(), 404, "{unknown}");
    }
}
