//! Credits that are reserved for jobs that are not submitted yet.

use async_trait::async_trait;
use gleaner_store::{Error, Reservation};
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::local::term::check_term;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::big;

struct Intend<'a> {
    sql: &'a Sql,
    reservation: &'a Reservation,
    worker: i64,
}

#[async_trait]
impl Operation for Intend<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        check_term(t, self.sql, self.worker).await?;
        let text = "INSERT INTO {schema}.reservation (operation, job, team, credits, worker) \
                    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (operation) DO UPDATE SET job = EXCLUDED.job, \
                    team = EXCLUDED.team, credits = EXCLUDED.credits, worker = EXCLUDED.worker";
        let Reservation { operation, job, team, credits } = self.reservation;
        let (team, credits) = (team.as_str(), big(*credits));
        let parameters: [(&(dyn ToSql + Sync), Type); 5] = [
            (operation, Type::UUID),
            (job.as_uuid(), Type::UUID),
            (&team, Type::TEXT),
            (&credits, Type::INT8),
            (&self.worker, Type::INT8),
        ];
        t.execute_typed(&self.sql.text(text), &parameters).await?;
        Ok(())
    }
}

struct Withdraw<'a> {
    sql: &'a Sql,
    operation: Uuid,
}

#[async_trait]
impl Operation for Withdraw<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = self.sql.text("DELETE FROM {schema}.reservation WHERE operation = $1");
        t.execute_typed(&text, &[(&self.operation, Type::UUID)]).await?;
        Ok(())
    }
}

impl Inner {
    pub(crate) async fn intend(&self, reservation: Reservation) -> Result<(), Error> {
        let (sql, reservation) = (&self.db.sql, &reservation);
        Ok(self.write_in_term(|worker| Intend { sql, reservation, worker }).await?)
    }

    pub(crate) async fn withdrawn(&self, operation: Uuid) -> Result<(), Error> {
        Ok(self.db.write(&Withdraw { sql: &self.db.sql, operation }).await?)
    }
}
