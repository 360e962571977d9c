//! The limits of a team for new jobs.

use gleaner_store::{Error, JobAccount, MAX_UNSETTLED_JOBS};
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;
use crate::units::{count, int};

/// Checks that the team may run one more job than those with other numbers than `except`, and than `local`
/// jobs in memory; and that it is not too far behind with settlements. It locks the row of the team, so that
/// its submits are checked one after another.
pub(super) async fn check_limits(
    t: &Transaction<'_>,
    sql: &Sql,
    account: &JobAccount,
    except: i32,
    local: u64,
) -> Result<(), Failure> {
    let team = account.team.as_str();
    let text = "INSERT INTO {schema}.team AS t (name, slots) VALUES ($1, $2) \
                ON CONFLICT (name) DO UPDATE SET slots = coalesce(EXCLUDED.slots, t.slots)";
    let slots = account.slots.map(int);
    t.execute_typed(&sql.text(text), &[(&team, Type::TEXT), (&slots, Type::INT4)]).await?;
    if let Some(max) = account.max_jobs {
        let text = "SELECT count(*) FROM {schema}.job WHERE state = 0 AND team = $1 AND number <> $2";
        let row = t.query_typed_one(&sql.text(text), &[(&team, Type::TEXT), (&except, Type::INT4)]).await?;
        if count(row.try_get(0)?).saturating_add(local) >= u64::from(max) {
            return Err(Error::too_many_jobs(max).into());
        }
    }
    let text = "SELECT count(*), count(*) FILTER (WHERE team = $1) FROM {schema}.job WHERE unsettled";
    let row = t.query_typed_one(&sql.text(text), &[(&team, Type::TEXT)]).await?;
    let (all, of_team) = (count(row.try_get(0)?), count(row.try_get(1)?));
    if of_team < (MAX_UNSETTLED_JOBS as u64).saturating_sub(all) {
        return Ok(());
    }
    Err(Error::full(format!("{of_team} jobs of the team have ended and are not settled yet")).into())
}
