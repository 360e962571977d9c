//! The ids of scrapes.

use gleaner_types::{Document, JobId};
use uuid::Uuid;

/// The bits that a UUID keeps for its variant, at the top of its second half (RFC 9562, 4.1).
const VARIANT: u64 = 0b10 << 62;

/// The id of a scrape of the job: a UUID whose first half is the job's and whose second half is made of `random`. A store
/// finds the job by the first half, so it needs no index over the pages of all jobs.
#[must_use]
pub fn scrape_id(job: JobId, random: u64) -> Uuid {
    let (of_job, _) = job.as_uuid().as_u64_pair();
    Uuid::from_u64_pair(of_job, VARIANT | (random & (u64::MAX >> 2)))
}

/// The first and the last id that a job with scrapes of this id can have.
pub(crate) fn jobs(scrape: Uuid) -> (JobId, JobId) {
    let (of_job, _) = scrape.as_u64_pair();
    let job = |own| JobId::from_uuid(Uuid::from_u64_pair(of_job, own));
    (job(0), job(u64::MAX))
}

/// The half of the id that tells the scrapes of a job apart.
pub(crate) fn own_half(scrape: Uuid) -> u64 {
    scrape.as_u64_pair().1
}

/// The id that a document says it has.
pub(crate) fn id_of(document: &Document) -> Option<Uuid> {
    Uuid::parse_str(document.metadata.scrape_id.as_deref()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrape_leads_to_its_job() {
        let job = JobId::from_uuid(Uuid::from_u128(0x0195_c0de_0000_7abc_9000_0000_0000_0001));
        for random in [0, 1, u64::MAX] {
            let scrape = scrape_id(job, random);
            assert_eq!(scrape.get_version_num(), 7);
            assert_eq!(scrape.get_variant(), uuid::Variant::RFC4122);
            let (first, last) = jobs(scrape);
            assert!(first <= job && job <= last, "{scrape}");
        }
        assert_ne!(own_half(scrape_id(job, 1)), own_half(scrape_id(job, 2)));
    }
}
