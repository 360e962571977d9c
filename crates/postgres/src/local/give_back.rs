//! Giving hosts back, with their pace, and with blocks that list no ended pages.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{HostPace, UrlKey};
use tokio_postgres::types::Type;

use super::Local;
use super::term::check_term;
use crate::database::Sql;
use crate::failure::Failure;
use crate::operation::Operation;
use crate::queue::{DecodedBlock, encode_block};
use crate::transaction::Transaction;
use crate::units::{int, micros};

/// Maximum number of hosts that are given back at a time.
const MAX_GIVEN: usize = 1_000;
/// Maximum number of blocks that two statements rewrite.
const MAX_REWRITTEN: usize = 256;

/// How long a host without pages is kept: links to it may be found soon.
const IDLE: Duration = Duration::from_secs(1);

/// A block without its ended pages.
#[derive(Debug)]
pub(super) struct Rewrite {
    pub(super) host: i32,
    pub(super) job: i32,
    pub(super) id: i64,
    pub(super) pages: Pages,
}

/// Which pages of a block stay.
#[derive(Debug)]
pub(super) enum Pages {
    Left(HashSet<UrlKey>),
    Without(HashSet<UrlKey>),
}

impl Pages {
    fn keeps(&self, key: UrlKey) -> bool {
        match self {
            Self::Left(left) => left.contains(&key),
            Self::Without(ended) => !ended.contains(&key),
        }
    }
}

/// Writes blocks without their ended pages, and deletes those that have no others.
pub(super) async fn rewrite(t: &Transaction<'_>, sql: &Sql, blocks: &[Rewrite]) -> Result<(), Failure> {
    let mut wanted: Vec<&Rewrite> = blocks.iter().collect();
    wanted.sort_unstable_by_key(|block| (block.host, block.job, block.id));
    // A part at a time: the server ends a transaction whose client is silent for long.
    for part in wanted.chunks(MAX_REWRITTEN) {
        rewrite_part(t, sql, part).await?;
    }
    Ok(())
}

async fn rewrite_part(t: &Transaction<'_>, sql: &Sql, blocks: &[&Rewrite]) -> Result<(), Failure> {
    let wanted: BTreeMap<(i32, i32, i64), &Pages> =
        blocks.iter().map(|block| ((block.host, block.job, block.id), &block.pages)).collect();
    let hosts: Vec<i32> = wanted.keys().map(|key| key.0).collect();
    let jobs: Vec<i32> = wanted.keys().map(|key| key.1).collect();
    let ids: Vec<i64> = wanted.keys().map(|key| key.2).collect();
    let text = sql.text(
        "SELECT b.host, b.job, b.id, b.pages FROM unnest($1::int[], $2::int[], $3::bigint[])
             AS w (host, job, id) JOIN {schema}.block b USING (host, job, id)
         ORDER BY b.host, b.job, b.id FOR UPDATE OF b",
    );
    let rows = t
        .query_typed(
            &text,
            &[(&hosts, Type::INT4_ARRAY), (&jobs, Type::INT4_ARRAY), (&ids, Type::INT8_ARRAY)],
        )
        .await?;
    let (mut hosts, mut jobs, mut ids, mut bodies) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let key: (i32, i32, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let bytes: &[u8] = row.try_get(3)?;
        let Some(pages) = wanted.get(&key) else { continue };
        // A damaged block stays as it is. The process that loads it ends its job.
        let Ok(decoded) = DecodedBlock::read(bytes) else { continue };
        let Ok(mut left) = decoded.pages("") else { continue };
        left.retain(|page| pages.keeps(page.page.key));
        hosts.push(key.0);
        jobs.push(key.1);
        ids.push(key.2);
        bodies.push((!left.is_empty()).then(|| encode_block(&left)));
    }
    if hosts.is_empty() {
        return Ok(());
    }
    let text = sql.text(
        "WITH n AS (SELECT * FROM unnest($1::int[], $2::int[], $3::bigint[], $4::bytea[])
             AS n (host, job, id, pages)), d AS (
             DELETE FROM {schema}.block b USING n WHERE b.host = n.host AND b.job = n.job AND b.id = n.id
                 AND n.pages IS NULL)
         UPDATE {schema}.block b SET pages = n.pages FROM n
         WHERE b.host = n.host AND b.job = n.job AND b.id = n.id AND n.pages IS NOT NULL",
    );
    t.execute_typed(
        &text,
        &[
            (&hosts, Type::INT4_ARRAY),
            (&jobs, Type::INT4_ARRAY),
            (&ids, Type::INT8_ARRAY),
            (&bodies, Type::BYTEA_ARRAY),
        ],
    )
    .await?;
    Ok(())
}

/// Gives hosts back. Those without blocks have no work any more.
pub(super) struct GiveBack<'a> {
    sql: &'a Sql,
    pub(super) epoch: i64,
    /// In the order of their ids.
    hosts: Vec<(i32, HostPace)>,
    blocks: Vec<Rewrite>,
}

#[async_trait::async_trait]
impl Operation for GiveBack<'_> {
    /// True if pages wait for one of the hosts.
    type Output = bool;

    async fn run(&self, t: &Transaction<'_>) -> Result<bool, Failure> {
        check_term(t, self.sql, self.epoch).await?;
        let ids: Vec<i32> = self.hosts.iter().map(|(id, _)| *id).collect();
        let text = self
            .sql
            .text("SELECT id FROM {schema}.host WHERE id = ANY($1) AND worker = $2 ORDER BY id FOR UPDATE");
        let held = t.query_typed(&text, &[(&ids, Type::INT4_ARRAY), (&self.epoch, Type::INT8)]).await?;
        if held.len() != ids.len() {
            // Only one task gives hosts back, and only the end of the term takes them away.
            return Err(Failure::TermEnded);
        }
        rewrite(t, self.sql, &self.blocks).await?;
        // A statement of its own: it sees the blocks of all that held the hosts before.
        let text = self.sql.text(
            "SELECT w.id FROM unnest($1::int[]) AS w (id)
             WHERE EXISTS (SELECT FROM {schema}.block b WHERE b.host = w.id)",
        );
        let rows = t.query_typed(&text, &[(&ids, Type::INT4_ARRAY)]).await?;
        let with_work: Vec<i32> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        let ready: Vec<i64> = self.hosts.iter().map(|(_, pace)| micros(pace.ready_at)).collect();
        let gaps: Vec<i64> = self.hosts.iter().map(|(_, pace)| micros(pace.gap)).collect();
        let places: Vec<Option<i32>> = self.hosts.iter().map(|(_, pace)| pace.places.map(int)).collect();
        let addresses: Vec<Option<IpAddr>> = self.hosts.iter().map(|(_, pace)| pace.address).collect();
        let text = self.sql.text(
            "UPDATE {schema}.host h SET worker = NULL, has_work = h.id = ANY($7), ready_at = n.ready_at,
                 gap = n.gap, places = n.places, address = n.address
             FROM unnest($1::int[], $3::bigint[], $4::bigint[], $5::int[], $6::inet[])
                 AS n (id, ready_at, gap, places, address)
             WHERE h.id = n.id AND h.worker = $2",
        );
        t.execute_typed(
            &text,
            &[
                (&ids, Type::INT4_ARRAY),
                (&self.epoch, Type::INT8),
                (&ready, Type::INT8_ARRAY),
                (&gaps, Type::INT8_ARRAY),
                (&places, Type::INT4_ARRAY),
                (&addresses, Type::INET_ARRAY),
                (&with_work, Type::INT4_ARRAY),
            ],
        )
        .await?;
        Ok(!with_work.is_empty())
    }
}

impl Local {
    /// Prepares hosts to be given back: those without pages, and those above the fair share if another worker
    /// is hungry, first those with the fewest requests under way. With `all`, every host.
    pub(super) fn choose_leaving(&mut self, all: bool) {
        let (mut leaving, mut loaded) = (Vec::new(), Vec::new());
        for (id, host) in self.hosts.iter().filter(|(_, host)| !host.leaving) {
            let requests = u64::from(self.frontier.host_load(&host.name).in_flight) + host.guards;
            if all || (requests == 0 && host.is_idle_for(IDLE)) {
                leaving.push(*id);
            } else {
                loaded.push((requests, Reverse(*id)));
            }
        }
        if !all && self.others_hungry && self.workers > 1 {
            loaded.sort_unstable();
            let above_share = loaded.len().saturating_sub(self.fair_hosts());
            leaving.extend(loaded.into_iter().take(above_share).map(|(_, Reverse(id))| id));
        }
        for id in leaving {
            self.leave_host(id);
        }
    }

    /// Prepares hosts to be given back whose address another worker holds, or that another worker waits for.
    pub(super) fn leave_hosts(&mut self, hosts: &[i32]) {
        for id in hosts {
            if self.hosts.get(id).is_some_and(|host| !host.leaving) {
                self.leave_host(*id);
            }
        }
    }

    /// The hosts that can be given back now: without requests, and no operation relies on them.
    pub(super) fn plan_give_back<'a>(&mut self, sql: &'a Sql) -> Option<GiveBack<'a>> {
        let leaving: BTreeSet<i32> =
            self.hosts.iter().filter(|(_, host)| host.leaving).map(|(id, _)| *id).collect();
        let (mut hosts, mut blocks) = (Vec::new(), Vec::new());
        for id in leaving {
            let Some(name) = self.hosts.get(&id).map(|host| Arc::clone(&host.name)) else { continue };
            if self.frontier.host_load(&name).waiting > 0 {
                // A lease was returned meanwhile.
                self.leave_host(id);
            }
            if self.is_in_use(id) || self.is_relied_on(id) || hosts.len() >= MAX_GIVEN {
                continue;
            }
            let Some(host) = self.hosts.get(&id) else { continue };
            hosts.push((id, self.frontier.pace(&name)));
            blocks.extend(self.blocks_to_rewrite(host).into_iter().map(|(block, job, left)| Rewrite {
                host: id,
                job,
                id: block,
                pages: Pages::Left(left),
            }));
        }
        (!hosts.is_empty()).then(|| GiveBack { sql, epoch: self.epoch(), hosts, blocks })
    }

    /// Forgets the hosts that were given back.
    pub(super) fn apply_given(&mut self, given: &GiveBack<'_>, has_work: bool) {
        if given.epoch == self.epoch() {
            self.due |= has_work;
            for (id, _) in &given.hosts {
                self.drop_host(*id);
            }
        }
    }

    /// True if hosts wait to be given back.
    pub(super) fn has_leaving(&self) -> bool {
        self.hosts.values().any(|host| host.leaving)
    }
}
