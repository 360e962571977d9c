//! What this process works on: the hosts that it holds, their loaded pages, and its shares of jobs and teams.

mod ended;
mod fill;
mod finish;
mod give_back;
mod grants;
mod holds;
mod hosts;
mod jobs;
mod leases;
mod pace;
mod poll;
mod refill;
mod shares;
mod successor;
mod teams;
pub(crate) mod term;
mod turns;
mod watchers;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Frontier, FrontierConfig, JobSlot, UrlKey};
use gleaner_store::{LeaseId, TeamId, WorkerId};
use gleaner_types::JobId;
use tokio::time::Instant;

use self::ended::EndedRows;
use self::hosts::{HeldHost, LoadedBlock};
use self::jobs::JobMirror;
use self::teams::Teams;
use self::term::{Part, Term};
use crate::queue::HeldHosts;

pub(crate) use self::grants::regrant;
pub(crate) use self::holds::Holds;
pub(crate) use self::turns::Turns;
pub(crate) use self::watchers::Watchers;

/// A leased page.
#[derive(Debug, Clone)]
pub(crate) struct LeasedEntry {
    pub(crate) job: i32,
    pub(crate) max_depth: Option<u32>,
    pub(crate) key: UrlKey,
    pub(crate) depth: u32,
    pub(crate) host: i32,
    pub(crate) block: i64,
    pub(crate) auxiliary: bool,
    pub(crate) external: bool,
    pub(crate) worker: WorkerId,
}

/// A lease of this process.
#[derive(Debug)]
struct HeldLease {
    entry: LeasedEntry,
    expires_at: Duration,
}

/// The state of this process in its term.
#[derive(Debug)]
pub(crate) struct Local {
    config: FrontierConfig,
    frontier: Frontier,
    term: Term,
    part: Part,
    jobs: HashMap<i32, JobMirror>,
    by_id: HashMap<JobId, i32>,
    by_slot: HashMap<JobSlot, i32>,
    teams: Teams,
    hosts: HashMap<i32, HeldHost>,
    by_name: HashMap<Arc<str>, i32>,
    blocks: HashMap<i64, LoadedBlock>,
    leases: HashMap<u64, HeldLease>,
    /// Leases that ended without their workers, until a renewal reports them.
    lost: HashMap<WorkerId, Vec<LeaseId>>,
    /// Pages that were given up and are not committed as failed yet.
    given_up: Vec<crate::queue::GivenUp>,
    ended: EndedRows,
    /// The hosts that are held and not about to be given back, for operations.
    snapshot: Option<Arc<HeldHosts>>,
    /// Earlier snapshots that may be in use.
    snapshots: Vec<std::sync::Weak<HeldHosts>>,
    /// The pace of these hosts has changed since it was stored.
    paced: BTreeSet<i32>,
    /// The database may have pages to lease now.
    due: bool,
    /// A job without loaded pages has changed: it gets a turn before the loaded ones.
    newcomer: bool,
    /// The last poll found free hosts with work.
    has_free: bool,
    /// Pages that the last lease asked for and did not get.
    wanted: usize,
    /// The same at the start of the last refill.
    asked: usize,
    /// All hosts and shares are to be given back.
    drains: bool,
    /// The last refill found too little.
    starved: bool,
    /// The host with which the next refill begins.
    next_host: i32,
    /// Jobs and teams that had nothing to grant since the last poll.
    starved_jobs: HashSet<i32>,
    starved_teams: HashSet<TeamId>,
    /// Counts the changes of jobs by this process.
    changes: u64,
    /// The latest time of a caller, and when that was.
    now: Duration,
    seen_at: Option<Instant>,
    /// The memory store leases first this time.
    memory_first: bool,
    /// Live workers, including this one.
    workers: u64,
    /// Another worker found no host to take.
    others_hungry: bool,
    /// The hosts that all workers hold.
    all_hosts: u64,
}

impl Local {
    pub(crate) fn new(config: FrontierConfig) -> Self {
        Self {
            frontier: Frontier::new(config.clone()),
            config,
            term: Term::default(),
            part: Part::default(),
            jobs: HashMap::new(),
            by_id: HashMap::new(),
            by_slot: HashMap::new(),
            teams: Teams::default(),
            hosts: HashMap::new(),
            by_name: HashMap::new(),
            blocks: HashMap::new(),
            leases: HashMap::new(),
            lost: HashMap::new(),
            given_up: Vec::new(),
            ended: EndedRows::default(),
            snapshot: None,
            snapshots: Vec::new(),
            paced: BTreeSet::new(),
            due: false,
            newcomer: false,
            has_free: false,
            wanted: 0,
            asked: 0,
            drains: false,
            starved: false,
            starved_jobs: HashSet::new(),
            starved_teams: HashSet::new(),
            next_host: 0,
            changes: 0,
            now: Duration::ZERO,
            seen_at: None,
            memory_first: false,
            workers: 1,
            others_hungry: false,
            all_hosts: 0,
        }
    }

    pub(crate) fn epoch(&self) -> i64 {
        self.term.epoch
    }

    /// The number of changes of jobs by this process so far.
    fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn workers(&self) -> u64 {
        self.workers
    }

    pub(crate) fn set_due(&mut self) {
        self.due = true;
        self.starved_jobs.clear();
        self.starved_teams.clear();
    }

    /// Records the time of a caller. Returns it, or that of an earlier call if it is later: the time of the
    /// frontier never runs backwards.
    fn at(&mut self, now: Duration) -> Duration {
        self.now = self.now.max(now);
        self.seen_at = Some(Instant::now());
        self.now
    }

    /// The time now on the clock of the callers.
    fn time(&self) -> Duration {
        self.now.saturating_add(self.seen_at.map(|at| at.elapsed()).unwrap_or_default())
    }

    /// The number of hosts that this process may hold while others find none.
    fn fair_hosts(&self) -> usize {
        usize::try_from(self.all_hosts.div_ceil(self.workers.max(1))).unwrap_or(usize::MAX).max(1)
    }

    /// True if a caller has given the time.
    const fn knows_time(&self) -> bool {
        self.seen_at.is_some()
    }

    /// How many pages the leases before this refill asked for and did not get.
    fn asked(&self) -> u64 {
        u64::try_from(self.asked).unwrap_or(u64::MAX)
    }

    /// Forgets all that belongs to the term that has ended. Its leases are lost.
    fn reset(&mut self) {
        let epoch = self.term.epoch.cast_unsigned();
        for (number, lease) in std::mem::take(&mut self.leases) {
            self.lost.entry(lease.entry.worker).or_default().push(LeaseId { number, epoch });
        }
        self.frontier = Frontier::new(self.config.clone());
        self.jobs.clear();
        self.by_id.clear();
        self.by_slot.clear();
        self.teams = Teams::default();
        self.hosts.clear();
        self.by_name.clear();
        self.blocks.clear();
        self.given_up.clear();
        self.ended = EndedRows::default();
        (self.snapshot, self.snapshots) = (None, Vec::new());
        self.paced.clear();
        self.due = true;
    }
}
