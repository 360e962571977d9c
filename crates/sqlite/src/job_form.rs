//! A submitted job in the form of the file. What may be secret is a form of its own, which lies beside the
//! file: the request with its headers, and the webhook.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::JobRules;
use gleaner_store::journal::Damage;
use gleaner_store::{ApiVersion, JobAccount, JobRequest, NewJob, Retention, TeamId};
use gleaner_types::plan::{EventKind, WebhookPlan};
use gleaner_types::{JobId, JobKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;
use uuid::Uuid;

use crate::seal::{seal, unseal};

/// What is neither a column nor secret. New fields are optional.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    limit: u64,
    max_in_flight: Option<u32>,
    delay: Option<Duration>,
    max_depth: Option<u32>,
    sealed: bool,
    keeps_documents: bool,
    in_memory: bool,
    account: Option<Account>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Account {
    slots: Option<u32>,
    max_jobs: Option<u32>,
    price: u64,
    budget: Option<u64>,
    idempotency_key: Option<Uuid>,
    part_of: Option<Uuid>,
}

/// What lies beside the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Secret {
    #[serde(default)]
    first_version: bool,
    #[serde(default)]
    request: Value,
    #[serde(default)]
    webhook: Option<Webhook>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Webhook {
    url: Url,
    headers: BTreeMap<String, String>,
    metadata: Map<String, Value>,
    events: Vec<EventKind>,
}

/// The columns of a job beside its record.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    pub(crate) id: JobId,
    pub(crate) kind: Option<JobKind>,
    pub(crate) team: Option<TeamId>,
    pub(crate) url: Option<String>,
}

/// The columns of a job. Nothing about the pages of a job in memory is written.
pub(crate) fn columns(job: &NewJob) -> Columns {
    Columns {
        id: job.id,
        kind: job.kind,
        team: job.account.as_ref().map(|account| account.team.clone()),
        url: job.url.clone().filter(|_| !job.in_memory),
    }
}

/// The record of a job.
pub(crate) fn record(job: &NewJob) -> Vec<u8> {
    let account = job.account.as_deref().map(|account| Account {
        slots: account.slots,
        max_jobs: account.max_jobs,
        price: account.price,
        budget: account.budget,
        idempotency_key: account.idempotency_key,
        part_of: account.part_of.map(|job| *job.as_uuid()),
    });
    let record = Record {
        limit: job.rules.limit,
        max_in_flight: job.rules.max_in_flight,
        delay: job.rules.delay,
        max_depth: job.rules.max_depth,
        sealed: job.sealed,
        // The webhook may be gone before the documents.
        keeps_documents: job.retention == Retention::Keep || job.webhook.is_some(),
        in_memory: job.in_memory,
        account,
    };
    // Numbers and truth values can always be written.
    seal(&serde_json::to_vec(&record).unwrap_or_default())
}

/// The secrets of a job; `None` if it has none, or if nothing about it may be written.
pub(crate) fn secrets(job: &NewJob) -> Option<Vec<u8>> {
    let webhook = job.webhook.as_deref().map(|plan| Webhook {
        url: plan.url.clone(),
        headers: plan.headers.clone(),
        metadata: plan.metadata.clone(),
        events: plan.events.clone(),
    });
    let is_needed = !job.in_memory && (webhook.is_some() || !job.request.body.is_null());
    let first_version = job.request.api == ApiVersion::V1;
    let secret = Secret { first_version, request: job.request.body.clone(), webhook };
    is_needed.then(|| serde_json::to_vec(&secret).unwrap_or_default())
}

/// True if these secrets have more than an ended job needs, or cannot be read.
pub(crate) fn has_request(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Secret>(bytes).map_or(true, |secret| !secret.request.is_null())
}

/// The secrets of an ended job: its webhook, to which events may still be delivered. `None` if it has none.
pub(crate) fn secrets_after_end(bytes: &[u8]) -> Option<Vec<u8>> {
    let secret: Secret = serde_json::from_slice(bytes).ok()?;
    let webhook = Some(secret.webhook?);
    Some(serde_json::to_vec(&Secret { webhook, ..Secret::default() }).unwrap_or_default())
}

/// True if the rules of the job with this record have a depth limit.
pub(crate) fn has_max_depth(record: &[u8]) -> Result<bool, Damage> {
    let record: Record = serde_json::from_slice(unseal(record)?).map_err(|_| Damage::Invalid)?;
    Ok(record.max_depth.is_some())
}

/// The job as it was submitted, without its pages. Without its secrets, it has no request and no webhook.
pub(crate) fn job(columns: Columns, record: &[u8], secrets: Option<&[u8]>) -> Result<NewJob, Damage> {
    let record: Record = serde_json::from_slice(unseal(record)?).map_err(|_| Damage::Invalid)?;
    // Damaged secrets count as none: the other jobs must go on.
    let secret: Secret = secrets.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    let rules = JobRules {
        limit: record.limit,
        max_in_flight: record.max_in_flight,
        delay: record.delay,
        max_depth: record.max_depth,
    };
    let account = record.account.zip(columns.team).map(|(account, team)| {
        Box::new(JobAccount {
            team,
            slots: account.slots,
            max_jobs: account.max_jobs,
            price: account.price,
            budget: account.budget,
            idempotency_key: account.idempotency_key,
            part_of: account.part_of.map(JobId::from_uuid),
        })
    });
    let api = if secret.first_version { ApiVersion::V1 } else { ApiVersion::V2 };
    let webhook = secret.webhook.map(|webhook| {
        let Webhook { url, headers, metadata, events } = webhook;
        Arc::new(WebhookPlan { url, headers, metadata, events })
    });
    Ok(NewJob {
        request: JobRequest { api, body: secret.request },
        url: columns.url,
        sealed: record.sealed,
        retention: if record.keeps_documents { Retention::Keep } else { Retention::Stream },
        in_memory: record.in_memory,
        account,
        webhook,
        ..NewJob::new(columns.id, columns.kind, rules, Vec::new())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        super::job(columns(job), &record(job), secrets(job).as_deref()).unwrap()
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
        let found = super::job(columns(&without_webhook), &record, None).unwrap();
        assert!(found.request.body.is_null() && found.webhook.is_none());
    }

    #[test]
    fn a_job_in_memory_leaves_no_address() {
        let job = NewJob { in_memory: true, ..full() };
        assert_eq!((columns(&job).url, secrets(&job)), (None, None));
        assert!(!String::from_utf8_lossy(&record(&job)).contains("a.example"));
    }

    #[test]
    fn changed_records_are_detected() {
        let job = full();
        let mut record = record(&job);
        record[3] ^= 1;
        assert_eq!(super::job(columns(&job), &record, None).unwrap_err(), Damage::Checksum);
    }
}
