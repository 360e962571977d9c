//! What a job was submitted with: it is written once, in a row of its own.

use std::collections::HashMap;

use gleaner_frontier::JobRules;
use gleaner_store::parts::StoredRules;
use gleaner_store::{ApiVersion, JobAccount, JobRequest, NewJob, TeamId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::outbox::webhook_form;
use crate::text;
use crate::transaction::Transaction;
use crate::units::count;

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

/// The form of a job. New fields are optional.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    rules: StoredRules,
    /// The request has the form of the first version of the API.
    first_version: bool,
}

impl Stored {
    fn of(job: &NewJob) -> Self {
        Self { rules: StoredRules::of(job), first_version: job.request.api == ApiVersion::V1 }
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
    let text = "SELECT j.number, j.team, j.budget, f.url, f.request, f.form \
                FROM {schema}.job_form AS f JOIN {schema}.job AS j ON j.number = f.job WHERE f.job = ANY($1)";
    let rows = t.query_typed(&sql.text(text), &[(&numbers, Type::INT4_ARRAY)]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, form(row)?))).collect()
}

fn form(row: &Row) -> Result<JobForm, Failure> {
    let stored: Stored =
        serde_json::from_str(row.try_get(5)?).map_err(|_| Failure::damaged("the form of a job"))?;
    let team = row.try_get::<_, Option<&str>>(1)?.map(TeamId::new);
    let mut account = team.and_then(|team| stored.rules.account(team));
    if let Some(account) = &mut account {
        account.budget = row.try_get::<_, Option<i64>>(2)?.map(count);
    }
    let body = match row.try_get::<_, Option<&str>>(4)? {
        Some(json) => serde_json::from_str(json).map_err(|_| Failure::damaged("the request of a job"))?,
        None => Value::Null,
    };
    let api = if stored.first_version { ApiVersion::V1 } else { ApiVersion::V2 };
    let request = JobRequest { api, body };
    Ok(JobForm { rules: stored.rules.rules(), account, request, url: row.try_get(3)? })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gleaner_frontier::{Candidate, UrlKey};
    use gleaner_types::{JobId, JobKind};
    use url::Url;
    use uuid::Uuid;

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
        let rules = JobRules { delay: Some(Duration::new(1, 1)), ..JobRules::with_limit(u64::MAX) };
        let account = JobAccount { budget: Some(u64::MAX), ..JobAccount::of(TeamId::new("a")) };
        let account = Some(Box::new(account));
        let job = NewJob { account, ..NewJob::new(id, Some(JobKind::Crawl), rules, Vec::new()) };
        let json = serde_json::to_string(&Stored::of(&job)).unwrap();
        let found: Stored = serde_json::from_str(&json).unwrap();
        assert_eq!((found.rules, found.first_version), (StoredRules::of(&job), false));
    }
}
