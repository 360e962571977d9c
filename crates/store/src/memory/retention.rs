//! What the store no longer keeps goes from its journal, too.

use std::time::Duration;

use bytes::Bytes;
use gleaner_types::JobId;
use uuid::Uuid;

use super::facts::FactLog;
use super::histories::Histories;
use super::state::State;
use crate::journal::{Fact, Row};
use crate::{HistoryKey, PastScrape, TeamId};

impl Histories {
    /// Records a scrape. What is dropped for it is removed from the journal, after the rows of this job.
    pub(super) fn record_logged(
        &mut self,
        (log, journal): (&mut FactLog, Option<u64>),
        job: JobId,
        key: HistoryKey,
        scrape: PastScrape,
    ) {
        for dropped in self.record(job, key, scrape) {
            log.row(journal.or(Some(0)), || Row::HistoryDropped(HistoryKey::clone(&dropped)));
        }
    }
}

impl State {
    /// Keeps a single scrape.
    pub(super) fn keep_scrape(&mut self, team: &TeamId, scrape: Uuid, json: Bytes, now: Duration) {
        let dropped = self.scrapes.keep(team, scrape, json, now);
        self.drop_scrapes(dropped);
    }

    /// Removes single scrapes that were kept at or before `until`.
    pub(super) fn expire_scrapes(&mut self, until: Duration) {
        let dropped = self.scrapes.remove_expired(until);
        self.drop_scrapes(dropped);
    }

    fn drop_scrapes(&mut self, dropped: Vec<Uuid>) {
        for scrape in dropped {
            self.log.row(Some(0), || Row::ScrapeDropped(scrape));
        }
    }

    /// Forgets idempotency keys that were used at or before `until`.
    pub(super) fn expire_keys(&mut self, until: Duration) {
        if self.keys.expire(until) {
            self.log.push_global(&Fact::KeysExpired { until });
        }
    }
}
