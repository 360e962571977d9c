//! What a job was submitted with: it is written once, in a row of its own.

use std::collections::HashMap;
use std::time::Duration;

use gleaner_frontier::JobRules;
use gleaner_store::{ApiVersion, JobAccount, JobRequest, NewJob, TeamId};
use gleaner_types::JobId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::database::Sql;
use crate::failure::Failure;
use crate::outbox::webhook_form;
use crate::text;
use crate::transaction::Transaction;
use crate::units::{count, number};

/// What a process needs to work on a job: its rules and its account.
#[derive(Debug, Clone)]
pub(crate) struct JobForm {
    pub(crate) rules: JobRules,
    /// The budget is the current one.
    pub(crate) account: Option<Box<JobAccount>>,
    /// Null after the end of the job.
    pub(crate) request: JobRequest,
    pub(crate) url: Option<String>,
}

/// What is not a column of the job, or not exactly. New fields are optional.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    limit: u64,
    delay: Option<Duration>,
    slots: Option<u32>,
    max_jobs: Option<u32>,
    idempotency_key: Option<Uuid>,
    /// The request has the form of the first version of the API.
    first_version: bool,
}

impl Stored {
    fn of(job: &NewJob) -> Self {
        let account = job.account.as_deref();
        Self {
            limit: job.rules.limit,
            delay: job.rules.delay,
            slots: account.and_then(|account| account.slots),
            max_jobs: account.and_then(|account| account.max_jobs),
            idempotency_key: account.and_then(|account| account.idempotency_key),
            first_version: job.request.api == ApiVersion::V1,
        }
    }
}

/// The URL that a job is listed under.
fn listed_url(job: &NewJob) -> Option<String> {
    job.url.clone().or_else(|| job.pages.first().map(|page| page.url.to_string()))
}

/// Writes the form of a new job with this number.
pub(crate) async fn insert(
    t: &Transaction<'_>,
    sql: &Sql,
    job: i32,
    submitted: &NewJob,
) -> Result<(), Failure> {
    let url = listed_url(submitted);
    let url = url.as_deref().map(text::clean);
    let request = Some(&submitted.request.body).filter(|body| !body.is_null()).map(Value::to_string);
    // Numbers and truth values can always be written.
    let form = serde_json::to_string(&Stored::of(submitted)).unwrap_or_default();
    let webhook = submitted.webhook.as_deref().map(webhook_form::write);
    let text = "INSERT INTO {schema}.job_form (job, url, request, form, webhook) VALUES ($1, $2, $3, $4, $5)";
    t.execute_typed(
        &sql.text(text),
        &[
            (&job, Type::INT4),
            (&url.as_deref(), Type::TEXT),
            (&request, Type::TEXT),
            (&form, Type::TEXT),
            (&webhook, Type::TEXT),
        ],
    )
    .await?;
    Ok(())
}

/// The forms of jobs, by their numbers. Unknown jobs are left out.
pub(crate) async fn load_forms(
    t: &Transaction<'_>,
    sql: &Sql,
    numbers: &[i32],
) -> Result<HashMap<i32, JobForm>, Failure> {
    let text = "SELECT j.number, j.team, j.max_in_flight, j.max_depth, j.price, j.budget, j.part_of, f.url, \
                f.request, f.form \
                FROM {schema}.job_form AS f JOIN {schema}.job AS j ON j.number = f.job WHERE f.job = ANY($1)";
    let rows = t.query_typed(&sql.text(text), &[(&numbers, Type::INT4_ARRAY)]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, form(row)?))).collect()
}

fn form(row: &Row) -> Result<JobForm, Failure> {
    let stored: Stored =
        serde_json::from_str(row.try_get(9)?).map_err(|_| Failure::damaged("the form of a job"))?;
    let rules = JobRules {
        limit: stored.limit,
        max_in_flight: row.try_get::<_, Option<i32>>(2)?.map(number),
        delay: stored.delay,
        max_depth: row.try_get::<_, Option<i32>>(3)?.map(number),
    };
    let price = count(row.try_get(4)?);
    let budget = row.try_get::<_, Option<i64>>(5)?.map(count);
    let part_of = row.try_get::<_, Option<Uuid>>(6)?.map(JobId::from_uuid);
    let account = row.try_get::<_, Option<&str>>(1)?.map(|team| {
        Box::new(JobAccount {
            slots: stored.slots,
            max_jobs: stored.max_jobs,
            price,
            budget,
            idempotency_key: stored.idempotency_key,
            part_of,
            ..JobAccount::of(TeamId::new(team))
        })
    });
    let body = match row.try_get::<_, Option<&str>>(8)? {
        Some(json) => serde_json::from_str(json).map_err(|_| Failure::damaged("the request of a job"))?,
        None => Value::Null,
    };
    let api = if stored.first_version { ApiVersion::V1 } else { ApiVersion::V2 };
    Ok(JobForm { rules, account, request: JobRequest { api, body }, url: row.try_get(7)? })
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::{Candidate, UrlKey};
    use gleaner_types::JobKind;
    use url::Url;

    use super::*;

    #[test]
    fn a_job_without_a_url_is_listed_under_its_first_page() {
        let url = Url::parse("https://a.example/").unwrap();
        let key = UrlKey::from_raw(1);
        let page = Candidate { url, key, external: false, priority: Candidate::NORMAL };
        let id = JobId::from_uuid(Uuid::from_u128(1));
        let rules = JobRules::with_limit(u64::MAX);
        let job = NewJob::new(id, Some(JobKind::Crawl), rules, vec![page]);
        assert_eq!(listed_url(&job).as_deref(), Some("https://a.example/"));
        let named = NewJob { url: Some("a.example".into()), ..job };
        assert_eq!(listed_url(&named).as_deref(), Some("a.example"));
        assert_eq!(listed_url(&NewJob { url: None, pages: Vec::new(), ..named }), None);
    }

    #[test]
    fn exact_numbers_are_read_as_written() {
        let id = JobId::from_uuid(Uuid::from_u128(1));
        let delay = Some(Duration::new(1, 1));
        let rules = JobRules { delay, ..JobRules::with_limit(u64::MAX) };
        let account = JobAccount {
            slots: Some(4),
            idempotency_key: Some(Uuid::from_u128(8)),
            ..JobAccount::of(TeamId::new("a"))
        };
        let account = Some(Box::new(account));
        let job = NewJob { account, ..NewJob::new(id, Some(JobKind::Crawl), rules, Vec::new()) };
        let json = serde_json::to_string(&Stored::of(&job)).unwrap();
        let found: Stored = serde_json::from_str(&json).unwrap();
        assert_eq!((found.limit, found.delay, found.slots), (u64::MAX, delay, Some(4)));
        assert_eq!((found.idempotency_key, found.first_version), (Some(Uuid::from_u128(8)), false));
    }
}
