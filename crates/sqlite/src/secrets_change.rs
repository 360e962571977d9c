//! What happens to the secrets of a job when it ends.

use std::io;

use gleaner_store::journal::{Fact, Facts};
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gleaner_store::journal::BlockWriter;
    use gleaner_types::JobState;

    use super::*;

    #[test]
    fn only_the_end_of_the_job_ends_it() {
        let end =
            Fact::JobEnded { at: Duration::ZERO, state: JobState::Completed, failure: None, error: None };
        let other = Fact::Paused { paused: true };
        for (facts, expected) in [(&[other, end][..], true), (&[end, other], true), (&[other], false)] {
            let mut block = BlockWriter::default();
            facts.iter().for_each(|fact| block.push(fact));
            assert_eq!(ends(&block.finish()), expected);
        }
        assert!(!ends(&[]));
    }
}
