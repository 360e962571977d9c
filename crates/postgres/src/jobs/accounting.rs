//! What the accounts provider needs to know.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use gleaner_store::{
    Accounting, EndedJob, Error, Reservation, Shortage, Store as _, TeamId, grant_operation,
};
use gleaner_types::JobId;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::job_form::load_forms;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{big, count};

/// The number of grants of each job with a shortage, as this process listed it last.
#[derive(Debug, Default)]
pub(crate) struct ListedShortages(Mutex<HashMap<JobId, u64>>);

impl ListedShortages {
    fn lock(&self) -> MutexGuard<'_, HashMap<JobId, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of grants that the shortage of a job was listed with. A listed shortage is granted once.
    pub(super) fn take(&self, job: JobId) -> Option<u64> {
        self.lock().remove(&job)
    }

    fn replace(&self, listed: impl Iterator<Item = (JobId, u64)>) {
        *self.lock() = listed.collect();
    }
}

struct List<'a> {
    sql: &'a Sql,
    max: usize,
    /// The tokens that this process holds of each job, and those in use.
    tokens: HashMap<i32, (u64, u64)>,
}

struct Listed {
    /// With the number of grants.
    short: Vec<(Shortage, u64)>,
    ended: Vec<EndedJob>,
    unsubmitted: Vec<Reservation>,
}

#[async_trait]
impl Operation for List<'_> {
    type Output = Listed;

    async fn run(&self, t: &Transaction<'_>) -> Result<Listed, Failure> {
        Ok(Listed {
            short: self.short(t).await?,
            ended: self.ended(t).await?,
            unsubmitted: self.unsubmitted(t).await?,
        })
    }
}

impl List<'_> {
    fn limit(&self) -> i64 {
        big(self.max as u64)
    }

    async fn short(&self, t: &Transaction<'_>) -> Result<Vec<(Shortage, u64)>, Failure> {
        // As `JobRow::missing_credits`, so that only jobs with a shortage are read.
        let rest = "WHERE state = 0 AND budget IS NOT NULL AND NOT denied AND NOT removed \
                    AND credits_used + (tokens_held + 1::numeric) * price > budget \
                    AND least(pending - pending_auxiliary, max_documents - documents) > tokens_held \
                    ORDER BY id LIMIT $1";
        let rows = JobRow::select(t, self.sql, rest, &[(&self.limit(), Type::INT8)]).await?;
        let shortage = |mut row: JobRow| {
            // What is held without use may still cover a page. It is used, or given back, before long.
            let (held, used) = self.tokens.get(&row.number).copied().unwrap_or_default();
            if row.tokens_held > held {
                return None;
            }
            row.tokens_held = used;
            let credits = row.missing_credits()?;
            let operation = grant_operation(row.id, row.grants);
            let shortage = Shortage { job: row.id, team: row.team?, operation, credits, price: row.price };
            Some((shortage, row.grants))
        };
        Ok(rows.into_iter().filter_map(shortage).collect())
    }

    async fn ended(&self, t: &Transaction<'_>) -> Result<Vec<EndedJob>, Failure> {
        let rest = "WHERE unsettled ORDER BY ended_at, number LIMIT $1";
        let rows = JobRow::select(t, self.sql, rest, &[(&self.limit(), Type::INT8)]).await?;
        let numbers: Vec<i32> = rows.iter().map(|row| row.number).collect();
        let mut forms = load_forms(t, self.sql, &numbers).await?;
        let ended = |row: &JobRow| {
            let url = forms.remove(&row.number).and_then(|form| form.url);
            ended_job(row, url)
        };
        Ok(rows.iter().filter_map(ended).collect())
    }

    async fn unsubmitted(&self, t: &Transaction<'_>) -> Result<Vec<Reservation>, Failure> {
        let text = "SELECT operation, job, team, credits FROM {schema}.reservation AS r \
                    WHERE NOT EXISTS (SELECT 1 FROM {schema}.worker AS w WHERE w.id = r.worker) \
                    ORDER BY operation LIMIT $1";
        let rows = t.query_typed(&self.sql.text(text), &[(&self.limit(), Type::INT8)]).await?;
        let reservation = |row: &tokio_postgres::Row| {
            Ok(Reservation {
                operation: row.try_get(0)?,
                job: JobId::from_uuid(row.try_get::<_, Uuid>(1)?),
                team: TeamId::new(row.try_get::<_, &str>(2)?),
                credits: count(row.try_get(3)?),
            })
        };
        rows.iter().map(reservation).collect()
    }
}

/// The end of a job, for the accounts provider.
pub(super) fn ended_job(row: &JobRow, url: Option<String>) -> Option<EndedJob> {
    Some(EndedJob {
        team: row.team.clone()?,
        url: url.unwrap_or_default(),
        snapshot: row.snapshot(),
        zero_data_retention: false,
    })
}

impl Inner {
    /// The entries of the store and of the memory of this process.
    pub(crate) async fn accounting(&self, max: usize) -> Result<Accounting, Error> {
        let listed = self.db.read(&List { sql: &self.db.sql, max, tokens: self.tokens() }).await?;
        let grants = listed.short.iter().map(|(shortage, grants)| (shortage.job, *grants));
        self.listed_shortages.replace(grants);
        let mut accounting = self.memory.accounting(max).await?;
        accounting.short.extend(listed.short.into_iter().map(|(shortage, _)| shortage));
        accounting.short.sort_by_key(|shortage| shortage.job);
        accounting.short.truncate(max);
        accounting.ended.extend(listed.ended);
        accounting.ended.sort_by_key(|ended| ended.snapshot.ended_at);
        accounting.ended.truncate(max);
        accounting.unsubmitted = listed.unsubmitted;
        Ok(accounting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_shortage_is_granted_once() {
        let id = |number| JobId::from_uuid(Uuid::from_u128(number));
        let listed = ListedShortages::default();
        listed.replace([(id(1), 5), (id(2), 0)].into_iter());
        assert_eq!((listed.take(id(1)), listed.take(id(1)), listed.take(id(3))), (Some(5), None, None));
        listed.replace(std::iter::empty());
        assert_eq!(listed.take(id(2)), None);
    }
}
