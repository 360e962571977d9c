//! What the logs of the sites must show.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::disturb::Resumed;
use super::sites::Visit;

/// Requests that a process had decided before it was stopped are sent within this time after it goes on.
const LATE: Duration = Duration::from_secs(1);
/// Requests of a host that are looked at for each request: those before it.
const LOOK_BACK: usize = 200;

/// Checks that no host had more than `places` requests at once, and that each of them began at least `gap`
/// after another had left its place. Of a process that was stopped, one request for each connection may be
/// late. Returns the number of those.
pub(crate) fn politeness(visits: &[Visit], places: usize, gap: Duration, resumed: &[Resumed]) -> usize {
    let mut hosts: BTreeMap<&str, Vec<&Visit>> = BTreeMap::new();
    for visit in visits {
        hosts.entry(&visit.host).or_default().push(visit);
    }
    let may_be_late = |visit: &Visit| {
        resumed.iter().any(|process| {
            let begin = process.at;
            visit.agent == process.agent && (begin..begin + LATE).contains(&visit.started)
        })
    };
    let mut late = Vec::new();
    for (host, mut visits) in hosts {
        visits.sort_by_key(|visit| visit.started);
        for (index, visit) in visits.iter().enumerate() {
            let earlier = &visits[index.saturating_sub(LOOK_BACK)..index];
            let together: Vec<&&Visit> = earlier
                .iter()
                .filter(|earlier| earlier.finished.saturating_add(gap) > visit.started)
                .collect();
            if together.len() < places {
                continue;
            }
            let excused: Vec<&Visit> = together
                .iter()
                .map(|earlier| **earlier)
                .chain([*visit])
                .filter(|visit| may_be_late(visit))
                .collect();
            assert!(
                together.len() + 1 - excused.len() <= places,
                "{host}: {visit:?} began beside {together:?}; places: {places}, gap: {gap:?}"
            );
            late.extend(excused.into_iter().map(|visit| (visit.connection, visit.started)));
        }
    }
    let late: BTreeSet<(u64, Duration)> = late.into_iter().collect();
    let connections: BTreeSet<u64> = late.iter().map(|(connection, _)| *connection).collect();
    assert_eq!(late.len(), connections.len(), "at most one late request for each connection: {late:?}");
    late.len()
}

/// Checks that at most this many visits were repeated. Returns their number.
pub(crate) fn repeats(visits: &[Visit], most: u64) -> usize {
    let pages: BTreeSet<usize> = visits.iter().map(|visit| visit.page).collect();
    let repeats = visits.len() - pages.len();
    assert!(repeats as u64 <= most, "{repeats} pages were requested again; at most {most} were in work");
    repeats
}
