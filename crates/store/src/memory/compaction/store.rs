//! The blocks of the store itself.

use std::collections::BTreeMap;

use gleaner_types::JobId;
use uuid::Uuid;

use super::super::activity::{self, MAX_ACTIVITIES};
use super::super::keys::IdempotencyKeys;
use crate::journal::{Block, BlockWriter, Damage, Fact};
use crate::{EndedJobs, TeamId};

/// Folds the oldest blocks of the store itself into one, which takes their place. `blocks` begins with the
/// block that an earlier call made, if there is one. `is_known` tells whether the journal has a job.
///
/// # Errors
/// The damage of the blocks.
pub fn compact_store<B: AsRef<[u8]>>(
    blocks: &[B],
    is_known: impl Fn(JobId) -> bool,
) -> Result<Vec<u8>, Damage> {
    let mut keys = IdempotencyKeys::default();
    let mut intents: BTreeMap<Uuid, Fact<'_>> = BTreeMap::new();
    let mut settled = Vec::new();
    let mut activities = EndedJobs::new(MAX_ACTIVITIES);
    for block in blocks {
        for fact in Block::open(block.as_ref())?.facts() {
            match fact? {
                Fact::KeyUsed { team, key, at } => {
                    keys.insert(&TeamId::new(team), key, at);
                }
                Fact::KeysExpired { until } => {
                    keys.expire(until);
                }
                fact @ Fact::Intended { operation, .. } => {
                    intents.insert(operation, fact);
                }
                Fact::Withdrawn { operation } => {
                    intents.remove(&operation);
                }
                Fact::Settled { job } => settled.push(job),
                fact => match activity::logged(&fact)? {
                    Some(ended) => activities.add(ended),
                    None => return Err(Damage::Invalid),
                },
            }
        }
    }
    let mut block = BlockWriter::default();
    for (team, key, at) in keys.iter() {
        block.push(&Fact::KeyUsed { team: team.as_str(), key, at });
    }
    intents.values().for_each(|intended| block.push(intended));
    for job in settled.into_iter().filter(|job| is_known(*job)) {
        block.push(&Fact::Settled { job });
    }
    for ended in activities.iter() {
        activity::list(ended, |fact| block.push(fact));
    }
    Ok(block.finish())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn block(facts: &[Fact<'_>]) -> Vec<u8> {
        let mut block = BlockWriter::default();
        facts.iter().for_each(|fact| block.push(fact));
        block.finish()
    }

    #[test]
    fn only_what_is_still_needed_is_kept() {
        let (id, job) = (Uuid::from_u128, |number| JobId::from_uuid(Uuid::from_u128(number)));
        let at = Duration::from_secs;
        let used = |key, seconds| Fact::KeyUsed { team: "a", key: id(key), at: at(seconds) };
        let intended =
            |number| Fact::Intended { operation: id(number), job: job(number), team: "a", credits: 5 };
        let first = block(&[used(1, 1), intended(1), used(2, 2), intended(2), Fact::Settled { job: job(7) }]);
        let made = compact_store(&[&first], |_| true).unwrap();
        let second = block(&[
            Fact::Withdrawn { operation: id(1) },
            Fact::KeysExpired { until: at(1) },
            used(3, 3),
            Fact::Settled { job: job(8) },
        ]);
        let made = compact_store(&[&made, &second], |known| known == job(8)).unwrap();
        let facts: Result<Vec<_>, _> = Block::open(&made).unwrap().facts().collect();
        assert_eq!(facts.unwrap(), [used(2, 2), used(3, 3), intended(2), Fact::Settled { job: job(8) }]);
        let other = block(&[Fact::Paused { paused: true }]);
        assert_eq!(compact_store(&[other], |_| true), Err(Damage::Invalid));
    }
}
