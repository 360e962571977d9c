//! Ids of scrapes.

use gleaner_types::{Document, JobId};
use uuid::Uuid;

/// The variant bits of a UUID, at the top of its second half (RFC 9562, section 4.1).
const VARIANT: u64 = 0b10 << 62;

/// The id of a scrape of a job: a UUID whose first half is that of the job id and whose second half is made
/// of `random`. A store finds the job by the first half, so it needs no index over the pages of all jobs.
#[must_use]
pub fn scrape_id(job: JobId, random: u64) -> Uuid {
    let (job_half, _) = job.as_uuid().as_u64_pair();
    Uuid::from_u64_pair(job_half, VARIANT | (random & (u64::MAX >> 2)))
}

/// The smallest and the largest possible id of the job of this scrape.
#[must_use]
pub fn job_range(scrape: Uuid) -> (JobId, JobId) {
    let (job_half, _) = scrape.as_u64_pair();
    let job = |low_half| JobId::from_uuid(Uuid::from_u64_pair(job_half, low_half));
    (job(0), job(u64::MAX))
}

/// The half of the id that distinguishes the scrapes of one job.
#[must_use]
pub fn local_half(scrape: Uuid) -> u64 {
    scrape.as_u64_pair().1
}

/// The scrape id in the metadata of a document.
#[must_use]
pub fn id_of(document: &Document) -> Option<Uuid> {
    Uuid::parse_str(document.metadata.scrape_id.as_deref()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrape_id_identifies_its_job() {
        let job = JobId::from_uuid(Uuid::from_u128(0x0195_c0de_0000_7abc_9000_0000_0000_0001));
        for random in [0, 1, u64::MAX] {
            let scrape = scrape_id(job, random);
            assert_eq!(scrape.get_version_num(), 7);
            assert_eq!(scrape.get_variant(), uuid::Variant::RFC4122);
            let (first, last) = job_range(scrape);
            assert!(first <= job && job <= last, "{scrape}");
        }
        assert_ne!(local_half(scrape_id(job, 1)), local_half(scrape_id(job, 2)));
    }
}
