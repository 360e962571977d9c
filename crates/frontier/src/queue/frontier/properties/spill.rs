//! Spilling does not change the leases.

use super::*;
use crate::queue::spill::testing::TestSpill;
use crate::{Finished, LeaseId, Leased, Outcome};

#[derive(Debug, Clone)]
enum Action {
    Admit { job: usize, host: u8, pages: u8, length: u16, priority: u8 },
    Lease { max: usize },
    Finish { lease: usize, outcome: u8, links: u8, length: u16 },
    Hold { job: usize, held: bool },
    Close { job: usize },
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => (0_usize..2, 0..HOSTS, 1_u8..40, 0_u16..6_000, 0_u8..2)
            .prop_map(|(job, host, pages, length, priority)| {
                Action::Admit { job, host, pages, length, priority }
            }),
        5 => (0_usize..9).prop_map(|max| Action::Lease { max }),
        8 => (0_usize..8, 0_u8..6, 0_u8..20, 0_u16..6_000)
            .prop_map(|(lease, outcome, links, length)| Action::Finish { lease, outcome, links, length }),
        1 => (0_usize..2, any::<bool>()).prop_map(|(job, held)| Action::Hold { job, held }),
        1 => (0_usize..30).prop_map(|job| Action::Close { job }),
    ]
}

/// What a frontier returns for each action, and then until it is empty.
fn run(mut frontier: Frontier, actions: &[Action]) -> Vec<(Leased, Option<Finished>, Admitted)> {
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
    for action in actions {
        let (mut leased, mut finished, mut admitted) = (Leased::default(), None, Admitted::default());
        match *action {
            Action::Admit { job, host, pages, length, priority } => {
                admitted = frontier.admit(jobs[job], 0, new_pages(host, pages, length, priority), now);
            }
            Action::Lease { max } => leased = frontier.lease(max, now),
            Action::Finish { lease, outcome, links, length } if lease < running.len() => {
                let outcome = match outcome {
                    0 => Outcome::Failed,
                    1 => Outcome::Retry { not_before: now },
                    _ => Outcome::Document,
                };
                let links = new_pages(links % HOSTS, links, length, 1);
                finished = Some(frontier.finish(running.remove(lease), outcome, links, now));
            }
            Action::Hold { job, held } => frontier.hold(jobs[job], held),
            Action::Close { job } if job < jobs.len() => frontier.close(jobs[job]),
            Action::Finish { .. } | Action::Close { .. } => {}
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
    fn leases_are_the_same_with_and_without_a_spill(actions in prop::collection::vec(action(), 1..60)) {
        let without = run(Frontier::new(FrontierConfig::default()), &actions);
        let spill = TestSpill::default();
        let storage = Box::new(spill.clone());
        let with = run(Frontier::new(FrontierConfig::default()).with_spill(storage), &actions);
        prop_assert_eq!(without, with);
        prop_assert_eq!(spill.blocks(), 0, "all blocks were read, or dropped with their job");
    }
}
