//! Offering pages to jobs: which of them are new.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gleaner_frontier::{Admitted, Candidate, QueuedPage, UrlKey};
use tokio_postgres::types::Type;

use super::block::{BlockPage, NewBlock, encode_blocks};
use super::caches::{Additions, Caches, NO_DEPTH};
use super::graph::{Graph, GraphChanges, NodeSource, Offers};
use super::graph_tables::{self, GraphTables};
use super::host::{self, HeldHosts};
use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;
use crate::units;

/// Maximum size of the name of a host with its port.
const MAX_HOST_BYTES: usize = 1_024;

/// A page that ends, and pages that are offered. Steps happen in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) job: i32,
    pub(super) max_depth: Option<u32>,
    /// The depth of the ended page, as far as known; without one, that of the offered pages.
    pub(super) depth: u32,
    /// The page that ends, whose links are offered.
    pub(super) page: Option<UrlKey>,
    /// The page that it redirects to.
    pub(super) redirected_to: Option<UrlKey>,
    pub(super) from_links: bool,
    pub(super) offered: &'a [Candidate],
}

impl Step<'_> {
    /// The depth of the offered pages, if a page that ends has this one.
    fn depth_of_offered(&self, depth: u32) -> u32 {
        depth.saturating_add(u32::from(self.page.is_some()))
    }
}

/// What a step did.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Taken {
    pub(super) admitted: Admitted,
    /// Pages to queue: new ones, and those that a redirect brought nearer.
    pub(super) queued: u64,
    /// Entries among them that are not pages.
    pub(super) auxiliary: u64,
    /// The redirect target was admitted before.
    pub(super) is_duplicate: bool,
}

/// A page to queue.
#[derive(Debug)]
struct Queued {
    job: i32,
    page: Candidate,
    depth: u32,
    from_link: bool,
}

/// The result of all steps.
#[derive(Debug, Default)]
pub(super) struct Offered {
    pub(super) taken: Vec<Taken>,
    pub(super) additions: Additions,
    queued: Vec<Queued>,
}

impl Offered {
    /// The new pages of jobs for which `is_chosen` holds.
    pub(super) fn new_pages(&self, is_chosen: impl Fn(i32) -> bool) -> Vec<(i32, i64)> {
        let chosen = self.queued.iter().filter(|queued| is_chosen(queued.job));
        chosen.map(|queued| (queued.job, units::key(queued.page.key))).collect()
    }

    /// Prepares the hosts of the new pages, and returns blocks to insert.
    pub(super) async fn blocks(
        &mut self,
        t: &Transaction<'_>,
        sql: &Sql,
        caches: &Caches,
        held: &HeldHosts,
    ) -> Result<Vec<NewBlock>, Failure> {
        // By host and job, each in the order of arrival.
        let mut groups: BTreeMap<(&str, i32), Vec<BlockPage<'_>>> = BTreeMap::new();
        for Queued { job, page, depth, from_link } in &self.queued {
            // Others are not admitted.
            let Some(page) = QueuedPage::of(page, *depth) else { continue };
            groups.entry((page.host, *job)).or_default().push(BlockPage { page, from_link: *from_link });
        }
        if groups.is_empty() {
            return Ok(Vec::new());
        }
        let names: BTreeSet<&str> = groups.keys().map(|(name, _)| *name).collect();
        let ids = host::prepare(t, sql, caches, held, names, &mut self.additions).await?;
        let mut blocks = Vec::new();
        for ((name, job), pages) in groups {
            let id = ids.get(name).copied().ok_or_else(|| Failure::damaged("a host"))?;
            encode_blocks(id, job, pages, &mut blocks);
        }
        Ok(blocks)
    }
}

/// Does the steps: inserts pages that are new, and writes link graphs. `space` has the number of pages that
/// each job still takes.
pub(super) async fn offer(
    t: &Transaction<'_>,
    sql: &Sql,
    caches: &Caches,
    space: &mut HashMap<i32, u64>,
    steps: &[Step<'_>],
) -> Result<Offered, Failure> {
    let known = known_depths(caches, steps);
    let mut fresh = insert_new(t, sql, space, steps, &known).await?;
    let mut tables = GraphTables { transaction: t, sql };
    let mut graphs = load_graphs(&mut tables, steps, &known).await?;
    let mut offered = Offered::default();
    for (step, known) in steps.iter().zip(&known) {
        let mut queue = Vec::new();
        let mut taken = Taken::default();
        if let Some(graph) = graphs.get_mut(&step.job) {
            let mut depth = step.depth;
            let page = step.page.map(units::key);
            if let Some(page) = page {
                depth = graph.ensure_leased(&mut tables, page, step.depth).await?;
                if let Some(target) = step.redirected_to {
                    let target = units::key(target);
                    taken.is_duplicate = !graph.redirect(&mut tables, page, target, &mut queue).await?;
                }
            }
            let space = space.entry(step.job).or_default();
            let depth = step.depth_of_offered(depth);
            let offers = Offers { depth, pages: step.offered, known: &known.offered, of: page };
            taken.admitted = graph.admit(&mut tables, offers, space, &mut queue).await?;
        } else {
            if let Some(target) = step.redirected_to.filter(|target| Some(*target) != step.page) {
                taken.is_duplicate = !fresh.new.remove(&(step.job, units::key(target)));
            }
            for page in step.offered {
                let id = (step.job, units::key(page.key));
                if !is_queueable(page) || fresh.refused.contains(&id) {
                    taken.admitted.overflow += 1;
                } else if fresh.new.remove(&id) {
                    taken.admitted.new += 1;
                    queue.push(page.clone());
                } else {
                    taken.admitted.seen += 1;
                }
            }
        }
        taken.queued = queue.len().try_into().unwrap_or(u64::MAX);
        let is_auxiliary = |page: &&Candidate| page.priority == Candidate::AUXILIARY;
        taken.auxiliary = queue.iter().filter(is_auxiliary).count().try_into().unwrap_or(u64::MAX);
        let (job, from_link) = (step.job, step.from_links);
        let depth = step.depth_of_offered(step.depth);
        offered.queued.extend(queue.into_iter().map(|page| Queued { job, page, depth, from_link }));
        offered.taken.push(taken);
    }
    for queued in &mut offered.queued {
        if let Some(graph) = graphs.get(&queued.job) {
            queued.depth = graph.depth(units::key(queued.page.key)).unwrap_or(queued.depth);
        }
    }
    offered.additions.seen = seen(steps, &known, &graphs, &fresh);
    let mut changes = GraphChanges::default();
    graphs.into_values().for_each(|graph| graph.take_changes(&mut changes));
    graph_tables::store(t, sql, &changes).await?;
    Ok(offered)
}

/// True for a page that can be queued. No longer host exists, and an index could not hold it.
pub(super) fn is_queueable(page: &Candidate) -> bool {
    QueuedPage::of(page, 0).is_some_and(|page| page.host.len() <= MAX_HOST_BYTES)
}

/// What the process knows of the pages of a step: depths that they have at most.
struct Known {
    target: Option<u32>,
    offered: Vec<Option<u32>>,
}

fn known_depths(caches: &Caches, steps: &[Step<'_>]) -> Vec<Known> {
    let keys = |step: &Step<'_>| {
        let job = step.job;
        let target = step.redirected_to.map(units::key);
        let offered: Vec<i64> = step.offered.iter().map(|page| units::key(page.key)).collect();
        target.into_iter().chain(offered).map(move |key| (job, key))
    };
    let mut depths = caches.depths(steps.iter().flat_map(keys)).into_iter();
    let known = steps.iter().map(|step| Known {
        target: step.redirected_to.and_then(|_| depths.next().flatten()),
        offered: depths.by_ref().take(step.offered.len()).collect(),
    });
    known.collect()
}

/// Pages of jobs without `max_depth`.
#[derive(Default)]
struct Fresh {
    /// They are new, and were not met by a step yet.
    new: HashSet<(i32, i64)>,
    /// They are new, and there is no space for them.
    refused: HashSet<(i32, i64)>,
}

/// Inserts the pages of jobs without `max_depth` that are new.
async fn insert_new(
    t: &Transaction<'_>,
    sql: &Sql,
    space: &HashMap<i32, u64>,
    steps: &[Step<'_>],
    known: &[Known],
) -> Result<Fresh, Failure> {
    // In order, with those that take space.
    let (mut wanted, mut is_wanted) = (Vec::new(), HashSet::new());
    for (step, known) in steps.iter().zip(known).filter(|(step, _)| step.max_depth.is_none()) {
        let target = step.redirected_to.filter(|target| known.target.is_none() && Some(*target) != step.page);
        let target = target.map(|target| (units::key(target), false));
        let offered = step.offered.iter().zip(&known.offered);
        let offered = offered.filter(|(page, known)| known.is_none() && is_queueable(page));
        let offered = offered.map(|(page, _)| (units::key(page.key), true));
        for (key, takes_space) in target.into_iter().chain(offered) {
            if is_wanted.insert((step.job, key)) {
                wanted.push((step.job, key, takes_space));
            }
        }
    }
    let mut fresh = Fresh::default();
    let mut counts: HashMap<i32, u64> = HashMap::new();
    for (job, ..) in wanted.iter().filter(|(.., takes_space)| *takes_space) {
        *counts.entry(*job).or_default() += 1;
    }
    let space_of = |job: i32| space.get(&job).copied().unwrap_or(0);
    if counts.iter().any(|(job, count)| *count > space_of(*job)) {
        let stored = stored(t, sql, &wanted).await?;
        wanted.retain(|(job, key, _)| !stored.contains(&(*job, *key)));
        let mut left: HashMap<i32, u64> = counts.keys().map(|job| (*job, space_of(*job))).collect();
        wanted.retain(|&(job, key, takes_space)| {
            let left = left.entry(job).or_default();
            let fits = !takes_space || *left > 0;
            if !fits {
                fresh.refused.insert((job, key));
            } else if takes_space {
                *left -= 1;
            }
            fits
        });
    }
    if wanted.is_empty() {
        return Ok(fresh);
    }
    // In the order of the keys, so that no two transactions wait for each other.
    wanted.sort_unstable();
    let (jobs, keys) = columns(&wanted);
    let text = sql.text(
        "INSERT INTO {schema}.page (job, key) \
         SELECT n.job, n.key FROM unnest($1::int[], $2::bigint[]) AS n (job, key) ORDER BY n.job, n.key \
         ON CONFLICT (job, key) DO NOTHING RETURNING job, key",
    );
    for row in t.query_typed(&text, &[(&jobs, Type::INT4_ARRAY), (&keys, Type::INT8_ARRAY)]).await? {
        fresh.new.insert((row.try_get(0)?, row.try_get(1)?));
    }
    Ok(fresh)
}

fn columns(wanted: &[(i32, i64, bool)]) -> (Vec<i32>, Vec<i64>) {
    wanted.iter().map(|(job, key, _)| (*job, *key)).unzip()
}

/// Those of these pages that are stored.
async fn stored(
    t: &Transaction<'_>,
    sql: &Sql,
    wanted: &[(i32, i64, bool)],
) -> Result<HashSet<(i32, i64)>, Failure> {
    let (jobs, keys) = columns(wanted);
    let text = sql.text(
        "SELECT k.job, k.key FROM unnest($1::int[], $2::bigint[]) AS k (job, key) \
         WHERE EXISTS (SELECT 1 FROM {schema}.page p WHERE p.job = k.job AND p.key = k.key)",
    );
    let mut stored = HashSet::new();
    for row in t.query_typed(&text, &[(&jobs, Type::INT4_ARRAY), (&keys, Type::INT8_ARRAY)]).await? {
        stored.insert((row.try_get(0)?, row.try_get(1)?));
    }
    Ok(stored)
}

/// The graphs of the jobs with `max_depth`, with the pages that the steps probably need.
async fn load_graphs(
    tables: &mut GraphTables<'_, '_>,
    steps: &[Step<'_>],
    known: &[Known],
) -> Result<BTreeMap<i32, Graph>, Failure> {
    let mut graphs = BTreeMap::new();
    let mut needed = Vec::new();
    for (step, known) in steps.iter().zip(known) {
        let Some(max_depth) = step.max_depth else { continue };
        let graph = graphs.entry(step.job).or_insert_with(|| Graph::new(step.job, max_depth));
        let depth = step.depth_of_offered(step.depth);
        let offered = step.offered.iter().zip(&known.offered);
        let offered = offered.filter(|(_, known)| known.is_none_or(|known| known > depth));
        let offered = offered.map(|(page, _)| units::key(page.key));
        let ended = [step.page, step.redirected_to].into_iter().flatten().map(units::key);
        needed.extend(graph.not_loaded(ended.chain(offered)));
    }
    needed.sort_unstable();
    needed.dedup();
    if !needed.is_empty() {
        let mut by_job: HashMap<i32, Vec<_>> = HashMap::new();
        for node in tables.load(&needed).await? {
            by_job.entry(node.job).or_default().push(node);
        }
        for (job, graph) in &mut graphs {
            graph.add(&needed, by_job.remove(job).unwrap_or_default());
        }
    }
    Ok(graphs)
}

/// What the process may remember as seen when the transaction is committed.
fn seen(
    steps: &[Step<'_>],
    known: &[Known],
    graphs: &BTreeMap<i32, Graph>,
    fresh: &Fresh,
) -> Vec<(i32, i64, u32)> {
    let mut seen = Vec::new();
    for (step, known) in steps.iter().zip(known) {
        let target = step.redirected_to.map(|target| (target, known.target));
        let offered = step.offered.iter().zip(&known.offered);
        let offered = offered.filter(|(page, _)| is_queueable(page)).map(|(page, known)| (page.key, *known));
        for (key, known) in target.into_iter().chain(offered) {
            let key = units::key(key);
            let depth = match graphs.get(&step.job) {
                Some(graph) => graph.admitted_depth(key),
                None => Some(NO_DEPTH).filter(|_| !fresh.refused.contains(&(step.job, key))),
            };
            let is_better = |depth: &u32| known.is_none_or(|known| *depth < known);
            seen.extend(depth.filter(is_better).map(|depth| (step.job, key, depth)));
        }
    }
    seen
}
