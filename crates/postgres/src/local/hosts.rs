//! The hosts that this process holds, and their loaded blocks.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use gleaner_frontier::{HostPace, UrlKey};
use tokio::time::Instant;

use super::Local;
use super::jobs::PagePlace;
use crate::failure::Failure;
use crate::queue::{BlockPage, DecodedBlock, HeldHosts};

/// A host that this process holds.
#[derive(Debug)]
pub(super) struct HeldHost {
    pub(super) name: Arc<str>,
    /// The loaded pages of each job that are not leased.
    pub(super) jobs: BTreeMap<i32, u64>,
    /// Its loaded blocks.
    pub(super) blocks: BTreeSet<i64>,
    /// The pace as the database has it.
    pub(super) stored: HostPace,
    /// It is about to be given back: none of its pages is loaded.
    pub(super) leaving: bool,
    /// The last read of its blocks found none that is not loaded.
    pub(super) is_exhausted: bool,
    /// Since when it has no pages.
    pub(super) idle_since: Option<Instant>,
    /// Requests without a lease that may be under way.
    pub(super) guards: u64,
}

impl HeldHost {
    /// True if it had no pages for this time.
    pub(super) fn is_idle_for(&self, time: Duration) -> bool {
        self.idle_since.is_some_and(|since| since.elapsed() >= time)
    }
}

/// A block whose pages are loaded.
#[derive(Debug)]
pub(super) struct LoadedBlock {
    pub(super) host: i32,
    pub(super) job: i32,
    /// The pages that have not ended.
    pub(super) left: HashSet<UrlKey>,
    /// Numbers of the rows of `ended` that list others.
    pub(super) rows: BTreeSet<i64>,
}

impl Local {
    /// Begins to hold a host.
    pub(super) fn hold_host(&mut self, id: i32, name: &str, pace: HostPace, leaving: bool) {
        if self.hosts.contains_key(&id) {
            return;
        }
        let name: Arc<str> = Arc::from(name);
        self.by_name.insert(Arc::clone(&name), id);
        self.frontier.set_pace(&name, pace, self.now);
        let stored = self.frontier.pace(&name);
        let host = HeldHost {
            name,
            jobs: BTreeMap::new(),
            blocks: BTreeSet::new(),
            stored,
            leaving,
            is_exhausted: false,
            idle_since: None,
            guards: 0,
        };
        self.hosts.insert(id, host);
        self.snapshot = None;
    }

    /// Ends the hold of a host, which has no pages here.
    pub(super) fn drop_host(&mut self, id: i32) {
        let Some(host) = self.hosts.remove(&id) else { return };
        self.by_name.remove(&host.name);
        for block in host.blocks {
            self.forget_block(block);
        }
        self.paced.remove(&id);
        self.snapshot = None;
    }

    /// Prepares to give a host back: drops its waiting pages, which are in the database.
    pub(super) fn leave_host(&mut self, id: i32) {
        let now = self.now;
        let Some(host) = self.hosts.get_mut(&id) else { return };
        host.leaving = true;
        let (name, blocks) = (Arc::clone(&host.name), host.blocks.clone());
        for (number, waiting) in std::mem::take(&mut host.jobs) {
            if let Some(job) = self.jobs.get_mut(&number) {
                job.waiting = job.waiting.saturating_sub(waiting);
            }
        }
        self.frontier.unload_host(&name, now);
        let on_host = self.leases.values().filter(|lease| lease.entry.host == id);
        let leased: HashSet<(i32, UrlKey)> =
            on_host.map(|lease| (lease.entry.job, lease.entry.key)).collect();
        for id in blocks {
            let Some(block) = self.blocks.get(&id) else { continue };
            let Some(job) = self.jobs.get_mut(&block.job) else { continue };
            for key in block.left.iter().filter(|key| !leased.contains(&(block.job, **key))) {
                if job.pages.get(key).is_some_and(|place| place.block == id) {
                    job.pages.remove(key);
                }
            }
        }
        self.snapshot = None;
    }

    /// Loads the pages of a block of a host that is held, in a job that is open. An error if some cannot be
    /// read.
    pub(super) fn load_block(&mut self, id: i64, host: i32, job: i32, bytes: &[u8]) -> Result<(), Failure> {
        let now = self.now;
        let Some(holder) = self.hosts.get_mut(&host).filter(|host| !host.leaving) else { return Ok(()) };
        let Some(mirror) = self.jobs.get_mut(&job).filter(|_| !self.blocks.contains_key(&id)) else {
            return Ok(());
        };
        let decoded = DecodedBlock::read(bytes)?;
        let (mut left, mut is_damaged) = (HashSet::new(), false);
        for BlockPage { page, from_link } in decoded.pages(&holder.name)? {
            left.insert(page.key);
            mirror.pages.insert(page.key, PagePlace { host, block: id });
            if self.frontier.load_page(mirror.slot, &page, 0, from_link, now) {
                mirror.waiting += 1;
                *holder.jobs.entry(job).or_default() += 1;
            } else {
                // Only damage makes a URL that is not valid.
                is_damaged = true;
            }
        }
        holder.blocks.insert(id);
        self.blocks.insert(id, LoadedBlock { host, job, left, rows: BTreeSet::new() });
        if is_damaged { Err(Failure::damaged("a waiting page")) } else { Ok(()) }
    }

    /// Forgets a block that is deleted, or that belongs to an ended job or to a host that is given back.
    pub(super) fn forget_block(&mut self, id: i64) {
        let Some(block) = self.blocks.remove(&id) else { return };
        if let Some(host) = self.hosts.get_mut(&block.host) {
            host.blocks.remove(&id);
        }
        for row in block.rows {
            self.ended.release(row);
        }
    }

    /// The hosts that are held and stay so while the result is in use.
    pub(crate) fn held_hosts(&mut self) -> Arc<HeldHosts> {
        if let Some(snapshot) = &self.snapshot {
            return Arc::clone(snapshot);
        }
        let held = self.hosts.iter().filter(|(_, host)| !host.leaving).map(|(id, _)| *id);
        let snapshot: Arc<HeldHosts> = Arc::new(held.collect());
        self.snapshots.retain(|snapshot| snapshot.strong_count() > 0);
        self.snapshots.push(Arc::downgrade(&snapshot));
        self.snapshot = Some(Arc::clone(&snapshot));
        snapshot
    }

    /// True if a request to the host may be under way, or its page is not committed yet. A host that is
    /// leaving does not get into use again.
    pub(super) fn is_in_use(&self, id: i32) -> bool {
        let Some(host) = self.hosts.get(&id) else { return false };
        host.guards > 0
            || self.frontier.host_load(&host.name).in_flight > 0
            || self.leases.values().any(|lease| lease.entry.host == id)
            || self.given_up.iter().any(|page| page.entry.host == id)
    }

    /// True if an operation may still rely on this process holding the host.
    pub(super) fn is_relied_on(&self, id: i32) -> bool {
        let used = self.snapshots.iter().filter_map(Weak::upgrade);
        used.into_iter().any(|snapshot| snapshot.contains(&id))
    }

    /// The remaining pages of the blocks of a host that list ended ones.
    pub(super) fn blocks_to_rewrite(&self, host: &HeldHost) -> Vec<(i64, i32, HashSet<UrlKey>)> {
        let blocks = host.blocks.iter().filter_map(|id| Some((*id, self.blocks.get(id)?)));
        let changed = blocks.filter(|(_, block)| !block.rows.is_empty());
        changed.map(|(id, block)| (id, block.job, block.left.clone())).collect()
    }

    /// Loaded blocks of these hosts.
    pub(super) fn loaded_blocks(&self, hosts: &[i32]) -> Vec<i64> {
        let held = hosts.iter().filter_map(|id| self.hosts.get(id));
        held.flat_map(|host| host.blocks.iter().copied()).collect()
    }
}
