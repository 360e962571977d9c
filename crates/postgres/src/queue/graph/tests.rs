//! Comparison with the queue in memory.

use std::collections::BTreeMap;
use std::time::Duration;

use gleaner_frontier::{Finished, Frontier, FrontierConfig, JobRules, Lease, Outcome, UrlKey};

use super::*;

const JOB: i32 = 5;
const NOW: Duration = Duration::from_secs(1);

/// The tables, in memory.
#[derive(Default)]
struct Tables {
    nodes: BTreeMap<i64, StoredNode>,
    loads: usize,
}

#[async_trait]
impl NodeSource for Tables {
    async fn load(&mut self, pages: &[(i32, i64)]) -> Result<Vec<StoredNode>, Failure> {
        self.loads += 1;
        Ok(pages.iter().filter_map(|(_, key)| self.nodes.get(key).cloned()).collect())
    }
}

impl Tables {
    fn node(&mut self, key: i64) -> &mut StoredNode {
        let links = Vec::new();
        let new = StoredNode { job: JOB, key, depth: u32::MAX, links, target: None, parked: None };
        self.nodes.entry(key).or_insert(new)
    }

    fn store(&mut self, graph: Graph) {
        let mut changes = GraphChanges::default();
        graph.take_changes(&mut changes);
        for (_, key) in &changes.unparked {
            assert!(self.node(*key).parked.take().is_some());
        }
        for (_, key, depth) in changes.pages {
            assert!(self.node(key).parked.is_none(), "a page is in one table");
            self.node(key).depth = depth;
        }
        for (_, key, depth, parked) in changes.too_deep {
            (self.node(key).depth, self.node(key).parked) = (depth, Some(parked));
        }
        for (_, key, links, target) in changes.edges {
            (self.node(key).links, self.node(key).target) = (links, target);
        }
    }
}

/// A seeded sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn candidate(number: u64) -> Candidate {
    let url = Url::parse(&format!("https://a.example/{number}")).unwrap();
    let (key, priority) = (UrlKey::from_raw(number), Candidate::NORMAL);
    Candidate { url, key, external: false, priority }
}

/// Offers pages to the stored graph, with what a cache may know of them.
async fn offer(
    tables: &mut Tables,
    graph: &mut Graph,
    depth: u32,
    pages: &[Candidate],
    of: Option<i64>,
    numbers: &mut Numbers,
) -> (Admitted, Vec<Candidate>) {
    let cached = |page: &Candidate, tables: &Tables| {
        let node = tables.nodes.get(&key(page.key)).filter(|node| node.parked.is_none())?;
        Some(node.depth)
    };
    let known: Vec<Option<u32>> = pages
        .iter()
        .map(|page| match numbers.below(3) {
            0 => None,
            more => cached(page, tables).map(|depth| depth + u32::try_from(more - 1).unwrap()),
        })
        .collect();
    let (mut queue, mut space) = (Vec::new(), u64::MAX);
    let offers = Offers { depth, pages, known: &known, of };
    let admitted = graph.admit(tables, offers, &mut space, &mut queue).await.unwrap();
    (admitted, queue)
}

/// Crawls random pages with both queues, and compares what they admit, and the depths of leased pages.
async fn compare(seed: u64) {
    let mut numbers = Numbers(seed);
    let (pages, max_depth) = (10 + numbers.below(60), u32::try_from(1 + numbers.below(5)).unwrap());
    let mut frontier = Frontier::new(FrontierConfig::default());
    let rules = JobRules { max_depth: Some(max_depth), ..JobRules::with_limit(u64::MAX) };
    let job = frontier.open(rules);
    let mut tables = Tables::default();
    let mut leases: Vec<Lease> = Vec::new();
    let mut admit = vec![candidate(0)];
    for step in 0..400 {
        if !admit.is_empty() {
            let depth = if step == 0 { 0 } else { u32::try_from(numbers.below(3)).unwrap() };
            let expected = frontier.admit(job, depth, admit.clone(), NOW);
            let mut graph = Graph::new(JOB, max_depth);
            let (admitted, queue) = offer(&mut tables, &mut graph, depth, &admit, None, &mut numbers).await;
            assert_eq!(admitted, expected, "seed {seed}, step {step}");
            assert_eq!(queue.len() as u64, expected.new);
            tables.store(graph);
            admit.clear();
        }
        let max = usize::try_from(numbers.below(4)).unwrap();
        let leased = frontier.lease(max, NOW).leases;
        for lease in &leased {
            let node = &tables.nodes[&key(lease.key)];
            assert!(node.parked.is_none(), "seed {seed}, step {step}");
            assert_eq!(node.depth, lease.depth, "seed {seed}, step {step}");
        }
        leases.extend(leased);
        if numbers.below(15) == 0 {
            admit = (0..numbers.below(3)).map(|_| candidate(numbers.below(pages))).collect();
        }
        if leases.is_empty() {
            continue;
        }
        let chosen = usize::try_from(numbers.below(leases.len() as u64)).unwrap();
        let lease = leases.swap_remove(chosen);
        let page = key(lease.key);
        let mut graph = Graph::new(JOB, max_depth);
        graph.ensure_leased(&mut tables, page, 99).await.unwrap();
        let mut outcome = if numbers.below(8) == 0 { Outcome::Failed } else { Outcome::Document };
        if numbers.below(4) == 0 {
            let target = UrlKey::from_raw(numbers.below(pages));
            let is_new = frontier.redirected(lease.id, target, NOW);
            let mut queue = Vec::new();
            let ours = graph.redirect(&mut tables, page, key(target), &mut queue).await.unwrap();
            assert_eq!(ours, is_new, "seed {seed}, step {step}");
            if !is_new {
                outcome = Outcome::Skipped;
            }
        }
        let count = if outcome == Outcome::Failed { 0 } else { numbers.below(6) };
        let links: Vec<Candidate> = (0..count).map(|_| candidate(numbers.below(pages))).collect();
        let depth = graph.depth(page).unwrap() + 1;
        let Finished::Accepted { admitted: expected } =
            frontier.finish(lease.id, outcome, links.clone(), NOW)
        else {
            panic!("the lease is valid");
        };
        let (admitted, _) = offer(&mut tables, &mut graph, depth, &links, Some(page), &mut numbers).await;
        tables.store(graph);
        assert_eq!(admitted, expected, "seed {seed}, step {step}");
    }
}

#[tokio::test]
async fn depths_are_those_of_the_queue_in_memory() {
    for seed in 0..300 {
        compare(seed).await;
    }
}

#[tokio::test]
async fn a_nearer_page_loads_one_level_of_links_at_a_time() {
    // A chain of ten pages whose first page comes nearer.
    let mut tables = Tables::default();
    for n in 0..10_i64 {
        let depth = 3 + u32::try_from(n).unwrap();
        *tables.node(n) =
            StoredNode { job: JOB, key: n, depth, links: vec![n + 1], target: None, parked: None };
    }
    let parked = Parked { url: "https://a.example/10".to_owned(), external: false, priority: 128 };
    (tables.node(10).depth, tables.node(10).parked) = (13, Some(parked));
    let mut graph = Graph::new(JOB, 12);
    let (page, mut queue) = (candidate(0), Vec::new());
    let offers = Offers { depth: 1, pages: &[page], known: &[None], of: None };
    let admitted = graph.admit(&mut tables, offers, &mut 100, &mut queue).await.unwrap();
    assert_eq!((admitted.new, admitted.seen), (1, 1));
    assert_eq!(queue, [candidate(10)]);
    assert_eq!(tables.loads, 11);
    tables.store(graph);
    assert!((0..=10).all(|n| tables.nodes[&n].depth == 1 + u32::try_from(n).unwrap()));
}

#[tokio::test]
async fn a_full_queue_refuses_only_new_pages() {
    let (mut tables, mut queue) = (Tables::default(), Vec::new());
    let mut graph = Graph::new(JOB, 3);
    let pages = [candidate(1), candidate(2), candidate(1)];
    let offers = Offers { depth: 0, pages: &pages, known: &[None; 3], of: None };
    let admitted = graph.admit(&mut tables, offers, &mut 1, &mut queue).await.unwrap();
    assert_eq!((admitted.new, admitted.overflow, admitted.seen), (1, 1, 1));
}
