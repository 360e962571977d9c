//! Where pages lie makes no difference.

use super::*;
use crate::queue::spill::testing::TestSpill;
use crate::{Finished, LeaseId, Leased, Outcome};

#[derive(Debug, Clone)]
enum Act {
    Admit { job: usize, host: u8, pages: u8, length: u16, priority: u8 },
    Lease { max: usize },
    Finish { lease: usize, outcome: u8, links: u8, length: u16 },
    Hold { job: usize, held: bool },
    Close { job: usize },
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (0_usize..2, 0..HOSTS, 1_u8..40, 0_u16..6_000, 0_u8..2)
            .prop_map(|(job, host, pages, length, priority)| Act::Admit { job, host, pages, length, priority }),
        5 => (0_usize..9).prop_map(|max| Act::Lease { max }),
        8 => (0_usize..8, 0_u8..6, 0_u8..20, 0_u16..6_000)
            .prop_map(|(lease, outcome, links, length)| Act::Finish { lease, outcome, links, length }),
        1 => (0_usize..2, any::<bool>()).prop_map(|(job, held)| Act::Hold { job, held }),
        1 => (0_usize..30).prop_map(|job| Act::Close { job }),
    ]
}

/// What a frontier answers to each act, and at the end to being asked for everything there is.
fn play(mut frontier: Frontier, acts: &[Act]) -> Vec<(Leased, Option<Finished>, Admitted)> {
    let rules = || JobRules { max_in_flight: Some(5), ..JobRules::with_limit(u64::MAX) };
    let jobs = [(); 2].map(|()| frontier.open(rules()));
    let (mut next, mut trace, mut running) = (0, Vec::new(), Vec::<LeaseId>::new());
    let mut new_pages = |host: u8, pages: u8, length: u16, priority: u8| {
        let numbers: Vec<u64> = (0..pages)
            .map(|_| {
                next += 1;
                next
            })
            .collect();
        numbers.into_iter().map(move |number| Candidate {
            url: Url::parse(&format!("https://h{host}.test/{number}/{}", "x".repeat(length.into()))).unwrap(),
            key: UrlKey::from_raw(number),
            external: false,
            priority,
        })
    };
    let now = Duration::ZERO;
    for act in acts {
        let (mut leased, mut finished, mut admitted) = (Leased::default(), None, Admitted::default());
        match *act {
            Act::Admit { job, host, pages, length, priority } => {
                admitted = frontier.admit(jobs[job], 0, new_pages(host, pages, length, priority), now);
            }
            Act::Lease { max } => leased = frontier.lease(max, now),
            Act::Finish { lease, outcome, links, length } if lease < running.len() => {
                let outcome = match outcome {
                    0 => Outcome::Failed,
                    1 => Outcome::Retry { not_before: now },
                    _ => Outcome::Document,
                };
                let links = new_pages(links % HOSTS, links, length, 1);
                finished = Some(frontier.finish(running.remove(lease), outcome, links, now));
            }
            Act::Hold { job, held } => frontier.hold(jobs[job], held),
            Act::Close { job } if job < jobs.len() => frontier.close(jobs[job]),
            Act::Finish { .. } | Act::Close { .. } => {}
        }
        running.extend(leased.leases.iter().map(|lease| lease.id));
        trace.push((leased, finished, admitted));
    }
    jobs.iter().for_each(|job| frontier.hold(*job, false));
    loop {
        for lease in running.drain(..) {
            frontier.finish(lease, Outcome::Document, [], now);
        }
        let leased = frontier.lease(8, now);
        if leased.leases.is_empty() {
            break;
        }
        running.extend(leased.leases.iter().map(|lease| lease.id));
        trace.push((leased, None, Admitted::default()));
    }
    assert!(jobs.iter().all(|job| frontier.is_idle(*job)));
    assert_eq!(frontier.take_dropped(), []);
    trace
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_same_leases_with_and_without_cold_storage(acts in prop::collection::vec(act(), 1..60)) {
        let without = play(Frontier::new(FrontierConfig::default()), &acts);
        let shelf = TestSpill::default();
        let storage = Box::new(shelf.clone());
        let with = play(Frontier::new(FrontierConfig::default()).with_cold_storage(storage), &acts);
        prop_assert_eq!(without, with);
        prop_assert_eq!(shelf.held(), 0, "all were read, or dropped with their job");
    }
}
