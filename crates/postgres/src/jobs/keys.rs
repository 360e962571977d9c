//! Idempotency keys.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::{Error, JobAccount, TeamId};
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::micros;

/// Records the idempotency key of an account, if it has one.
///
/// # Errors
/// [`KeyUsed`](gleaner_store::ErrorKind::KeyUsed).
pub(super) async fn use_key(
    t: &Transaction<'_>,
    sql: &Sql,
    account: Option<&JobAccount>,
    now: Duration,
) -> Result<(), Failure> {
    let Some((team, key)) = account.and_then(|account| Some((&account.team, account.idempotency_key?)))
    else {
        return Ok(());
    };
    let text = "INSERT INTO {schema}.idempotency_key (team, key, at) VALUES ($1, $2, $3) \
                ON CONFLICT (team, key) DO NOTHING";
    let (team, at) = (team.as_str(), micros(now));
    let parameters: [(&(dyn ToSql + Sync), Type); 3] =
        [(&team, Type::TEXT), (&key, Type::UUID), (&at, Type::INT8)];
    let added = t.execute_typed(&sql.text(text), &parameters).await?;
    if added == 0 { Err(Error::key_used().into()) } else { Ok(()) }
}

/// Forgets a key, because its job was refused after all.
pub(super) struct ForgetKey<'a> {
    pub(super) sql: &'a Sql,
    pub(super) team: &'a TeamId,
    pub(super) key: Uuid,
}

#[async_trait]
impl Operation for ForgetKey<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = "DELETE FROM {schema}.idempotency_key WHERE team = $1 AND key = $2";
        let team = self.team.as_str();
        t.execute_typed(&self.sql.text(text), &[(&team, Type::TEXT), (&self.key, Type::UUID)]).await?;
        Ok(())
    }
}

struct IsKeyUsed<'a> {
    sql: &'a Sql,
    team: &'a TeamId,
    key: Uuid,
}

#[async_trait]
impl Operation for IsKeyUsed<'_> {
    type Output = bool;

    async fn run(&self, t: &Transaction<'_>) -> Result<bool, Failure> {
        let text = "SELECT EXISTS (SELECT 1 FROM {schema}.idempotency_key WHERE team = $1 AND key = $2)";
        let team = self.team.as_str();
        let row =
            t.query_typed_one(&self.sql.text(text), &[(&team, Type::TEXT), (&self.key, Type::UUID)]).await?;
        Ok(row.try_get(0)?)
    }
}

impl Inner {
    pub(crate) async fn is_key_used(&self, team: &TeamId, idempotency_key: Uuid) -> Result<bool, Error> {
        let query = IsKeyUsed { sql: &self.db.sql, team, key: idempotency_key };
        Ok(self.db.read(&query).await?)
    }
}
