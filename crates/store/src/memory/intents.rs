//! Credits that are reserved for jobs that are not submitted yet.

use std::collections::{BTreeMap, HashMap};

use gleaner_types::JobId;
use uuid::Uuid;

use crate::Reservation;

/// The reservations that are neither submitted nor withdrawn.
#[derive(Debug, Default)]
pub(super) struct Intents {
    by_operation: BTreeMap<Uuid, Intent>,
    by_job: HashMap<JobId, Vec<Uuid>>,
}

#[derive(Debug)]
struct Intent {
    reservation: Reservation,
    /// An earlier process reserved them.
    is_listed: bool,
}

impl Intents {
    pub(super) fn insert(&mut self, reservation: Reservation, is_listed: bool) {
        let (operation, job) = (reservation.operation, reservation.job);
        self.remove(operation);
        self.by_operation.insert(operation, Intent { reservation, is_listed });
        self.by_job.entry(job).or_default().push(operation);
    }

    /// Removes a reservation. False if it is unknown.
    pub(super) fn remove(&mut self, operation: Uuid) -> bool {
        let Some(Intent { reservation, .. }) = self.by_operation.remove(&operation) else { return false };
        if let Some(operations) = self.by_job.get_mut(&reservation.job) {
            operations.retain(|other| *other != operation);
            if operations.is_empty() {
                self.by_job.remove(&reservation.job);
            }
        }
        true
    }

    /// Removes the reservations for a job, and returns their ids.
    pub(super) fn remove_job(&mut self, job: JobId) -> Vec<Uuid> {
        let operations = self.by_job.remove(&job).unwrap_or_default();
        for operation in &operations {
            self.by_operation.remove(operation);
        }
        operations
    }

    /// At most `max` reservations of earlier processes.
    pub(super) fn listed(&self, max: usize) -> Vec<Reservation> {
        let listed = self.by_operation.values().filter(|intent| intent.is_listed);
        listed.map(|intent| intent.reservation.clone()).take(max).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TeamId;

    #[test]
    fn reservations_are_found_by_operation_and_by_job() {
        let id = |number| JobId::from_uuid(Uuid::from_u128(number));
        let reservation = |operation, job| Reservation {
            operation: Uuid::from_u128(operation),
            job: id(job),
            team: TeamId::new("a"),
            credits: 1,
        };
        let mut intents = Intents::default();
        for (operation, job) in [(1, 7), (2, 7), (3, 7), (4, 8), (4, 8)] {
            intents.insert(reservation(operation, job), operation != 3);
        }
        assert_eq!(intents.listed(10), [reservation(1, 7), reservation(2, 7), reservation(4, 8)]);
        assert!(intents.remove(Uuid::from_u128(1)) && !intents.remove(Uuid::from_u128(1)));
        assert_eq!(intents.remove_job(id(7)), [2, 3].map(Uuid::from_u128));
        assert_eq!(intents.listed(10), [reservation(4, 8)]);
        assert!(intents.remove(Uuid::from_u128(4)));
        assert!(intents.by_operation.is_empty() && intents.by_job.is_empty());
    }
}
