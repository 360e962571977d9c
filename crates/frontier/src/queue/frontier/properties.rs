//! Properties that hold after any sequence of calls.

use proptest::prelude::*;

use self::model::Model;
use super::*;

mod depth;
mod model;
mod restart;
mod spill;

const HOSTS: u8 = 3;
const GROUPS: u8 = 3;
const MAX_IN_FLIGHT: u32 = 6;
const MAX_PER_HOST: u32 = 2;
const MAX_PER_ADDRESS: u32 = 3;
const LEASE_TIME: Duration = Duration::from_secs(40);
const MAX_ATTEMPTS: u32 = 4;

/// A page of the model: its host and its number there.
type Page = (u8, u8);

#[derive(Debug, Clone)]
enum Step {
    Open { group: u8, limit: Option<u8>, max_in_flight: Option<u8>, delay: Option<u8> },
    Slots { group: u8, slots: Option<u8> },
    Close { job: usize },
    Admit { job: usize, pages: Vec<Page>, priority: u8 },
    Hold { job: usize, held: bool },
    Lease { max: usize },
    Finish { lease: usize, outcome: u8, links: Vec<Page>, request_sent: bool },
    Expire,
    Wait { seconds: u8 },
    Gap { host: u8, seconds: u8 },
    Pause { host: u8, seconds: u8 },
    Resolve { host: u8, address: u8 },
}

fn page() -> impl Strategy<Value = Page> {
    (0..HOSTS, 0_u8..6)
}

fn step() -> impl Strategy<Value = Step> {
    let some = |range: std::ops::Range<u8>| prop_oneof![Just(None), range.prop_map(Some)];
    prop_oneof![
        1 => (0..GROUPS, some(0..6), some(1..3), some(1..9))
            .prop_map(|(group, limit, max_in_flight, delay)| {
                Step::Open { group, limit, max_in_flight, delay }
            }),
        1 => (0..GROUPS, some(0..4)).prop_map(|(group, slots)| Step::Slots { group, slots }),
        1 => (0_usize..4).prop_map(|job| Step::Close { job }),
        4 => (0_usize..4, prop::collection::vec(page(), 1..8), any::<u8>())
            .prop_map(|(job, pages, priority)| Step::Admit { job, pages, priority }),
        2 => (0_usize..4, any::<bool>()).prop_map(|(job, held)| Step::Hold { job, held }),
        6 => (0_usize..9).prop_map(|max| Step::Lease { max }),
        8 => (0_usize..8, 0_u8..6, prop::collection::vec(page(), 0..3), prop::bool::weighted(0.7))
            .prop_map(|(lease, outcome, links, request_sent)| {
                Step::Finish { lease, outcome, links, request_sent }
            }),
        1 => Just(Step::Expire),
        4 => (0_u8..30).prop_map(|seconds| Step::Wait { seconds }),
        1 => (0..HOSTS, 0_u8..9).prop_map(|(host, seconds)| Step::Gap { host, seconds }),
        1 => (0..HOSTS, 0_u8..20).prop_map(|(host, seconds)| Step::Pause { host, seconds }),
        2 => (0..HOSTS, 0_u8..2).prop_map(|(host, address)| Step::Resolve { host, address }),
    ]
}

fn secs(n: u8) -> Duration {
    Duration::from_secs(n.into())
}

fn url_of((host, number): Page) -> Url {
    Url::parse(&format!("https://h{host}.test/{number}")).unwrap()
}

fn key_of((host, number): Page) -> UrlKey {
    UrlKey::from_raw(u64::from(host) << 8 | u64::from(number))
}

fn candidate(page: Page, priority: u8) -> Candidate {
    Candidate { url: url_of(page), key: key_of(page), external: false, priority }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn the_frontier_agrees_with_the_model(steps in prop::collection::vec(step(), 1..80)) {
        let mut model = Model::new();
        model.open(0, None, None, None);
        for step in steps {
            model.run(step);
        }
        model.drain();
    }

    #[test]
    fn the_same_calls_give_the_same_leases(steps in prop::collection::vec(step(), 1..60)) {
        let trace = |steps: &[Step]| {
            let mut model = Model::new();
            model.open(0, None, None, None);
            let mut trace = Vec::new();
            for step in steps {
                model.run(step.clone());
                trace.push(model.leases.iter().map(|lease| (lease.job, lease.page)).collect::<Vec<_>>());
            }
            trace
        };
        prop_assert_eq!(trace(&steps), trace(&steps));
    }
}
