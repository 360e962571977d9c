//! The forms of a submitted job in a store, as JSON. What may be secret is a form of its own, so that a store
//! can keep it apart: the request with its headers, and the webhook.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use gleaner_frontier::JobRules;
use gleaner_types::plan::{EventKind, WebhookPlan};
use gleaner_types::{JobId, JobKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;
use uuid::Uuid;

use crate::{ApiVersion, JobAccount, JobRequest, NewJob, Retention, TeamId};

/// What identifies a job in lists. A store keeps it in columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobLabel {
    /// The id of the job.
    pub id: JobId,
    /// The kind of the job; `None` for a single scrape.
    pub kind: Option<JobKind>,
    /// The team that owns it.
    pub team: Option<TeamId>,
    /// The URL under which it is listed; `None` for a job whose pages stay in memory.
    pub url: Option<String>,
}

impl JobLabel {
    /// The label of a job.
    #[must_use]
    pub fn of(job: &NewJob) -> Self {
        Self {
            id: job.id,
            kind: job.kind,
            team: job.account.as_ref().map(|account| account.team.clone()),
            url: job.url.clone().filter(|_| !job.in_memory),
        }
    }
}

/// The rules and limits of a job: what is neither in its label nor secret. New fields are optional.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRules {
    limit: u64,
    max_in_flight: Option<u32>,
    delay: Option<Duration>,
    max_depth: Option<u32>,
    sealed: bool,
    keeps_documents: bool,
    in_memory: bool,
    account: Option<StoredAccount>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredAccount {
    slots: Option<u32>,
    max_jobs: Option<u32>,
    price: u64,
    budget: Option<u64>,
    idempotency_key: Option<Uuid>,
    part_of: Option<Uuid>,
}

impl StoredRules {
    /// The rules and limits of a job.
    #[must_use]
    pub fn of(job: &NewJob) -> Self {
        let account = job.account.as_deref().map(|account| StoredAccount {
            slots: account.slots,
            max_jobs: account.max_jobs,
            price: account.price,
            budget: account.budget,
            idempotency_key: account.idempotency_key,
            part_of: account.part_of.map(|job| *job.as_uuid()),
        });
        Self {
            limit: job.rules.limit,
            max_in_flight: job.rules.max_in_flight,
            delay: job.rules.delay,
            max_depth: job.rules.max_depth,
            sealed: job.sealed,
            // The webhook may be gone before the documents.
            keeps_documents: job.retention == Retention::Keep || job.webhook.is_some(),
            in_memory: job.in_memory,
            account,
        }
    }

    /// Limit, concurrency, delay and depth.
    #[must_use]
    pub const fn rules(&self) -> JobRules {
        JobRules {
            limit: self.limit,
            max_in_flight: self.max_in_flight,
            delay: self.delay,
            max_depth: self.max_depth,
        }
    }

    /// The account of a job of this team, with the budget as submitted; `None` for a job without a team.
    #[must_use]
    pub fn account(&self, team: TeamId) -> Option<Box<JobAccount>> {
        let account = self.account.as_ref()?;
        Some(Box::new(JobAccount {
            team,
            slots: account.slots,
            max_jobs: account.max_jobs,
            price: account.price,
            budget: account.budget,
            idempotency_key: account.idempotency_key,
            part_of: account.part_of.map(JobId::from_uuid),
        }))
    }

    /// The job as it was submitted, without its pages. Without its secrets, it has no request and no webhook.
    #[must_use]
    pub fn into_job(self, label: JobLabel, mut secrets: StoredSecrets) -> NewJob {
        let JobLabel { id, kind, team, url } = label;
        let webhook = secrets.webhook.take();
        NewJob {
            request: secrets.into_request(),
            url,
            sealed: self.sealed,
            retention: if self.keeps_documents { Retention::Keep } else { Retention::Stream },
            in_memory: self.in_memory,
            account: team.and_then(|team| self.account(team)),
            webhook: webhook.map(|webhook| WebhookPlan::from(webhook).into()),
            ..NewJob::new(id, kind, self.rules(), Vec::new())
        }
    }
}

/// The request and the webhook of a job. Each may be missing.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredSecrets {
    /// The request has the form of version 1.
    #[serde(default)]
    pub first_version: bool,
    /// The body of the request; null if there is none.
    #[serde(default)]
    pub request: Value,
    /// The receiver of events.
    #[serde(default)]
    pub webhook: Option<StoredWebhook>,
}

impl StoredSecrets {
    /// The secrets of a job; `None` if it has none, or if nothing about it may be written.
    #[must_use]
    pub fn of(job: &NewJob) -> Option<Self> {
        if job.in_memory || (job.webhook.is_none() && job.request.body.is_null()) {
            return None;
        }
        Some(Self {
            first_version: job.request.api == ApiVersion::V1,
            request: job.request.body.clone(),
            webhook: job.webhook.as_deref().map(StoredWebhook::from),
        })
    }

    /// The request.
    fn into_request(self) -> JobRequest {
        let api = if self.first_version { ApiVersion::V1 } else { ApiVersion::V2 };
        JobRequest { api, body: self.request }
    }

    /// What an ended job needs: its webhook, to which events may still be delivered. `None` if it has none.
    #[must_use]
    pub fn after_end(self) -> Option<Self> {
        let webhook = Some(self.webhook?);
        Some(Self { webhook, ..Self::default() })
    }
}

impl fmt::Debug for StoredSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredSecrets").finish_non_exhaustive()
    }
}

/// The receiver of the events of a job.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredWebhook {
    url: Url,
    headers: BTreeMap<String, String>,
    metadata: Map<String, Value>,
    events: Vec<EventKind>,
}

impl From<&WebhookPlan> for StoredWebhook {
    fn from(plan: &WebhookPlan) -> Self {
        let WebhookPlan { url, headers, metadata, events } = plan.clone();
        Self { url, headers, metadata, events }
    }
}

impl From<StoredWebhook> for WebhookPlan {
    fn from(webhook: StoredWebhook) -> Self {
        let StoredWebhook { url, headers, metadata, events } = webhook;
        Self { url, headers, metadata, events }
    }
}

impl fmt::Debug for StoredWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredWebhook").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A job with a value in every field.
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
            request: JobRequest { api: ApiVersion::V1, body: json!({"cookie": "secret"}) },
            url: Some("https://a.example".into()),
            sealed: false,
            retention: Retention::Keep,
            account: Some(Box::new(account)),
            webhook: Some(webhook.into()),
            ..NewJob::new(JobId::from_uuid(Uuid::from_u128(1)), Some(JobKind::Crawl), rules, Vec::new())
        }
    }

    #[test]
    fn the_forms_stay_the_same() {
        let rules = r#"{"limit":9,"max_in_flight":2,"delay":{"secs":1,"nanos":500000000},"max_depth":3,"#;
        let account = r#""sealed":false,"keeps_documents":true,"in_memory":false,"account":{"slots":4,"#;
        let rest = r#""max_jobs":5,"price":6,"budget":18446744073709551615,"#;
        let ids = r#""idempotency_key":"00000000-0000-0000-0000-000000000008","#;
        let part = r#""part_of":"00000000-0000-0000-0000-00000000000a"}}"#;
        let expected = [rules, account, rest, ids, part].concat();
        assert_eq!(serde_json::to_string(&StoredRules::of(&full())).unwrap(), expected);
        let request = r#"{"first_version":true,"request":{"cookie":"secret"},"webhook":{"#;
        let receiver = r#""url":"https://receiver.example/hook","headers":{"authorization":"secret"},"#;
        let events = r#""metadata":{"customer":7},"events":["page","completed"]}}"#;
        let secrets = StoredSecrets::of(&full()).unwrap();
        assert_eq!(serde_json::to_string(&secrets).unwrap(), [request, receiver, events].concat());
        let old: StoredSecrets = serde_json::from_str("{}").unwrap();
        assert_eq!(old, StoredSecrets::default(), "fields may be missing");
    }

    #[test]
    fn secrets_are_not_printed() {
        let secrets = StoredSecrets::of(&full()).unwrap();
        let printed = format!("{secrets:?} {:?}", secrets.webhook);
        assert!(!printed.contains("cookie") && !printed.contains("receiver.example"), "{printed}");
    }
}
