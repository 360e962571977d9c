//! A submitted job in the form of the file. What may be secret is a form of its own, which lies beside the
//! file: the request with its headers, and the webhook.

use gleaner_store::NewJob;
use gleaner_store::journal::Damage;
use gleaner_store::parts::{JobLabel, StoredRules, StoredSecrets};

use crate::seal::{seal, unseal};

/// The record of a job.
pub(crate) fn record(job: &NewJob) -> Vec<u8> {
    // Numbers and truth values can always be written.
    seal(&serde_json::to_vec(&StoredRules::of(job)).unwrap_or_default())
}

fn rules(record: &[u8]) -> Result<StoredRules, Damage> {
    serde_json::from_slice(unseal(record)?).map_err(|_| Damage::Invalid)
}

/// The secrets of a job; `None` if it has none, or if nothing about it may be written.
pub(crate) fn secrets(job: &NewJob) -> Option<Vec<u8>> {
    StoredSecrets::of(job).map(|secrets| serde_json::to_vec(&secrets).unwrap_or_default())
}

/// True if these secrets have more than an ended job needs, or cannot be read.
pub(crate) fn has_request(bytes: &[u8]) -> bool {
    serde_json::from_slice::<StoredSecrets>(bytes).map_or(true, |secrets| !secrets.request.is_null())
}

/// The secrets of an ended job: its webhook, to which events may still be delivered. `None` if it has none.
pub(crate) fn secrets_after_end(bytes: &[u8]) -> Option<Vec<u8>> {
    let secrets: StoredSecrets = serde_json::from_slice(bytes).ok()?;
    Some(serde_json::to_vec(&secrets.after_end()?).unwrap_or_default())
}

/// True if the rules of the job with this record have a depth limit.
pub(crate) fn has_max_depth(record: &[u8]) -> Result<bool, Damage> {
    Ok(rules(record)?.rules().max_depth.is_some())
}

/// The job as it was submitted, without its pages. Without its secrets, it has no request and no webhook.
pub(crate) fn job(label: JobLabel, record: &[u8], secrets: Option<&[u8]>) -> Result<NewJob, Damage> {
    let rules = rules(record)?;
    // Damaged secrets count as none: the other jobs must go on.
    let secrets = secrets.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    Ok(rules.into_job(label, secrets))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::time::Duration;

    use gleaner_frontier::JobRules;
    use gleaner_store::{ApiVersion, JobAccount, JobRequest, Retention, TeamId};
    use gleaner_types::plan::{EventKind, WebhookPlan};
    use gleaner_types::{JobId, JobKind};
    use serde_json::{Map, json};
    use url::Url;
    use uuid::Uuid;

    use super::*;

    fn full() -> NewJob {
        let rules = JobRules {
            limit: 9,
            max_in_flight: Some(2),
            delay: Some(Duration::from_millis(1_500)),
            max_depth: Some(3),
        };
        let webhook = WebhookPlan {
            url: Url::parse("https://receiver.example/hook").unwrap(),
            headers: BTreeMap::from([("authorization".into(), "secret".into())]),
            metadata: Map::from_iter([("customer".to_owned(), json!(7))]),
            events: vec![EventKind::Page, EventKind::Completed],
        };
        let account = JobAccount {
            slots: Some(4),
            max_jobs: Some(5),
            price: 6,
            budget: Some(u64::MAX),
            idempotency_key: Some(Uuid::from_u128(8)),
            part_of: Some(JobId::from_uuid(Uuid::from_u128(10))),
            ..JobAccount::of(TeamId::new("a team"))
        };
        NewJob {
            request: JobRequest { api: ApiVersion::V1, body: json!({"headers": {"cookie": "secret"}}) },
            url: Some("https://a.example".into()),
            sealed: false,
            retention: Retention::Keep,
            account: Some(Box::new(account)),
            webhook: Some(Arc::new(webhook)),
            ..NewJob::new(JobId::from_uuid(Uuid::from_u128(1)), Some(JobKind::Crawl), rules, Vec::new())
        }
    }

    fn read(job: &NewJob) -> NewJob {
        super::job(JobLabel::of(job), &record(job), secrets(job).as_deref()).unwrap()
    }

    #[test]
    fn jobs_are_read_as_written() {
        let id = JobId::from_uuid(Uuid::from_u128(2));
        for job in [full(), NewJob::new(id, None, JobRules::with_limit(u64::MAX), Vec::new())] {
            let found = read(&job);
            assert_eq!(has_max_depth(&record(&job)), Ok(job.rules.max_depth.is_some()));
            // Requests do not print their bodies.
            assert_eq!(found.request, job.request);
            assert_eq!(found.webhook, job.webhook);
            assert_eq!(format!("{found:?}"), format!("{job:?}"));
        }
    }

    #[test]
    fn secrets_are_in_no_other_form() {
        let job = full();
        let record = record(&job);
        assert!(!String::from_utf8_lossy(&record).contains("secret"));
        let bytes = secrets(&job).unwrap();
        let after = String::from_utf8(secrets_after_end(&bytes).unwrap()).unwrap();
        assert!(has_request(&bytes) && !has_request(after.as_bytes()) && has_request(b"damaged"));
        assert!(after.contains("receiver.example") && !after.contains("cookie"), "{after}");
        let without_webhook = NewJob { webhook: None, ..job };
        assert_eq!(secrets_after_end(&secrets(&without_webhook).unwrap()), None);
        let found = super::job(JobLabel::of(&without_webhook), &record, None).unwrap();
        assert!(found.request.body.is_null() && found.webhook.is_none());
    }

    #[test]
    fn a_job_in_memory_leaves_no_address() {
        let job = NewJob { in_memory: true, ..full() };
        assert_eq!((JobLabel::of(&job).url, secrets(&job)), (None, None));
        assert!(!String::from_utf8_lossy(&record(&job)).contains("a.example"));
    }

    #[test]
    fn changed_records_are_detected() {
        let job = full();
        let mut record = record(&job);
        record[3] ^= 1;
        assert_eq!(super::job(JobLabel::of(&job), &record, None).unwrap_err(), Damage::Checksum);
    }
}
