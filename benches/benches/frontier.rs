//! The cost of scope checks, deduplication and the queue for the links of pages, compared with a set of
//! strings.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use gleaner::CrawlRequest;
use gleaner::plan::{CrawlPlan, SitemapMode};
use gleaner_benches::{ORIGIN, graph, page_number};
use gleaner_frontier::{
    Candidate, CrawlScope, Decision, Frontier, FrontierConfig, Identity, JobRules, Outcome,
};
use url::Url;

const PAGES: u32 = 2_000;

fn set_of_strings(links: &[Vec<Url>]) -> usize {
    let mut seen = HashSet::from([format!("{ORIGIN}/")]);
    let mut queue = VecDeque::from([0]);
    while let Some(page) = queue.pop_front() {
        for link in links.get(page).into_iter().flatten() {
            if seen.insert(link.as_str().to_owned()) {
                queue.push_back(page_number(link));
            }
        }
    }
    seen.len()
}

fn plan() -> CrawlPlan {
    let request = CrawlRequest::new(format!("{ORIGIN}/")).sitemap(SitemapMode::Skip);
    request.check().expect("the request is valid")
}

fn with_frontier(links: &[Vec<Url>], plan: &CrawlPlan, start: &Url) -> u64 {
    let (scope, identity) =
        (CrawlScope::new(start, &plan.rules).expect("the scope is valid"), Identity::new(&plan.rules));
    let mut config = FrontierConfig::default();
    config.initial_per_host = 16;
    let mut frontier = Frontier::new(config);
    let job = frontier.open(JobRules::with_limit(1_000_000));
    let candidate = |url: &Url| Candidate {
        key: identity.key(url),
        url: url.clone(),
        external: false,
        priority: Candidate::NORMAL,
    };
    let now = Duration::ZERO;
    frontier.admit(job, 0, [candidate(start)], now);
    loop {
        let leased = frontier.lease(16, now);
        if leased.leases.is_empty() {
            return frontier.counts(job).map_or(0, |counts| counts.documents);
        }
        for lease in leased.leases {
            let found = links.get(page_number(&lease.url)).into_iter().flatten();
            let in_scope = found.filter(|link| scope.decide(link, false) == Decision::Inside).map(candidate);
            frontier.finish(lease.id, Outcome::Document, in_scope, now);
        }
    }
}

fn frontiers(criterion: &mut Criterion) {
    let (links, plan) = (graph(PAGES), plan());
    let start = Url::parse(ORIGIN).expect("the URL is valid");
    assert_eq!(set_of_strings(&links), PAGES as usize);
    assert_eq!(with_frontier(&links, &plan, &start), u64::from(PAGES));
    let mut group = criterion.benchmark_group("frontier");
    group.throughput(Throughput::Elements(PAGES.into()));
    group.bench_function("floor: set of strings and a queue", |bencher| {
        bencher.iter_batched(|| (), |()| set_of_strings(&links), BatchSize::PerIteration);
    });
    group.bench_function("gleaner: scope, identity, frontier", |bencher| {
        bencher.iter_batched(|| (), |()| with_frontier(&links, &plan, &start), BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = frontiers }
criterion_main!(benches);
