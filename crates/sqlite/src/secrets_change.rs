//! What happens to the secrets of a job when it ends.

use std::io;

use gleaner_store::journal::{Fact, Facts, StoredFacts};
use gleaner_types::JobId;

use crate::job_form;
use crate::secrets::Secrets;

/// Bytes of a block before its facts and after them.
const HEADER: usize = 2;
const CHECKSUM: usize = 8;

/// A change that follows the commit of its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretsChange {
    /// The job ended: only its webhook is still needed.
    End,
    /// The job is removed, or its last event was delivered.
    Remove,
}

impl SecretsChange {
    pub(crate) fn apply(self, secrets: &Secrets, job: JobId) -> io::Result<()> {
        secrets.remove_cookies(job)?;
        let left = match self {
            Self::End => secrets.load(job)?.and_then(|bytes| job_form::secrets_after_end(&bytes)),
            Self::Remove => None,
        };
        match left {
            Some(bytes) => secrets.store(job, &bytes),
            None => secrets.remove(job),
        }
    }
}

/// The facts of a block whose checksum need not be checked.
fn facts(block: &[u8]) -> Facts<'_> {
    Facts::of(block.get(HEADER..block.len().saturating_sub(CHECKSUM)).unwrap_or_default())
}

/// True if the job ends with this block.
pub(crate) fn ends(block: &[u8]) -> bool {
    facts(block).any(|fact| matches!(fact, Ok(Fact::JobEnded { .. })))
}

/// True if a stored job has ended and still has its request or cookies, because the process ended in between.
pub(crate) fn is_due(job: &StoredFacts) -> bool {
    // No page ends after its job, so most running jobs are recognised by their last block.
    let has_pages = |block: &[u8]| facts(block).any(|fact| matches!(fact, Ok(Fact::Ended { .. })));
    let last = job.blocks.iter().rev().find(|block| ends(block) || has_pages(block));
    let has_secrets = !job.job.request.body.is_null() || job.cookies.is_some();
    has_secrets && last.is_some_and(|block| ends(block))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use gleaner_frontier::{JobRules, PageEnd, UrlKey};
    use gleaner_store::NewJob;
    use gleaner_store::journal::{BlockWriter, Keys};
    use gleaner_types::JobState;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn block(facts: &[Fact<'_>]) -> Bytes {
        let mut block = BlockWriter::default();
        facts.iter().for_each(|fact| block.push(fact));
        block.finish().into()
    }

    #[test]
    fn only_ended_jobs_with_a_request_are_due() {
        let end =
            Fact::JobEnded { at: Duration::ZERO, state: JobState::Completed, failure: None, error: None };
        let key = UrlKey::from_raw(7);
        let page = Fact::Ended {
            key,
            end: PageEnd::Document,
            target: None,
            fingerprint: None,
            links: Keys::default(),
        };
        let other = Fact::Paused { paused: true };
        let request = json!({"url": "https://a.example/"});
        for (blocks, request, expected) in [
            (vec![block(&[page]), block(&[page, end])], request.clone(), true),
            (vec![block(&[page, end]), block(&[other])], request.clone(), true),
            (vec![block(&[page, end]), block(&[other])], json!(null), false),
            (vec![block(&[page]), block(&[other])], request, false),
            (vec![], json!(1), false),
        ] {
            let id = JobId::from_uuid(Uuid::from_u128(1));
            let job =
                NewJob { request: request.into(), ..NewJob::new(id, None, JobRules::with_limit(1), vec![]) };
            let mut job = StoredFacts::new(1, job, Duration::ZERO);
            job.blocks = blocks;
            assert_eq!(is_due(&job), expected, "{} blocks", job.blocks.len());
        }
    }
}
