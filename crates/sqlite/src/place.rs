//! The keys of rows: a job and a number within it in one integer, so that the rows of a job are neighbours, a
//! new row is an append, and a job is a range.

use gleaner_store::journal::{MAX_JOB_NUMBER, Part};
use rusqlite::Error;

/// Bits of the number within a job. The others are those of the job: every scrape of a team takes one.
pub(crate) const NUMBER_BITS: u32 = 32;

/// The largest number within a job.
const MAX_NUMBER: u64 = (1 << NUMBER_BITS) - 1;

/// The largest number of a job.
const MAX_JOB: u64 = (1 << (63 - NUMBER_BITS)) - 1;
const _: () = assert!(MAX_JOB == MAX_JOB_NUMBER, "the store numbers jobs up to the largest one");

const fn key(job: u64, number: u64) -> i64 {
    (job << NUMBER_BITS | number).cast_signed()
}

/// The key of a row.
///
/// # Errors
/// If the job or the number within it is too large for a key.
pub(crate) fn place(job: u64, number: u64) -> rusqlite::Result<i64> {
    if job <= MAX_JOB && number <= MAX_NUMBER {
        return Ok(key(job, number));
    }
    let text = format!("the number {number} of job {job} is too large for a key");
    Err(Error::ToSqlConversionFailure(text.into()))
}

/// The first and the last possible key of a job. There is none for a job whose number is too large.
pub(crate) const fn range(job: u64) -> (i64, i64) {
    if job > MAX_JOB {
        return (i64::MAX, i64::MIN);
    }
    (key(job, 0), key(job, MAX_NUMBER))
}

/// The number of a key within its job.
pub(crate) const fn number_of(place: i64) -> u64 {
    place.cast_unsigned() & MAX_NUMBER
}

/// Bits of the number of a part, below the three of the kind of the part.
const PART_BITS: u32 = NUMBER_BITS - 3;

/// The key of a part of a job.
pub(crate) const fn part_place(job: u64, part: Part, number: u64) -> i64 {
    key(job & MAX_JOB, ((part as u64) << PART_BITS) | part_number(number.cast_signed()))
}

/// The number of a part among those of its job.
pub(crate) const fn part_number(place: i64) -> u64 {
    place.cast_unsigned() & ((1 << PART_BITS) - 1)
}

/// The first and the last possible key of parts of this kind.
pub(crate) const fn part_range(job: u64, part: Part) -> (i64, i64) {
    (part_place(job, part, 0), part_place(job, part, u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_job_are_ordered_by_kind_and_number() {
        let place = |job, number| place(job, number).unwrap();
        let mut last = place(7, 0);
        for part in Part::COMPACTED {
            let (first, end) = part_range(7, part);
            assert!(last <= first && first < part_place(7, part, 1) && part_place(7, part, 1) < end);
            assert_eq!(part_number(part_place(7, part, 12)), 12);
            last = end;
        }
        assert!(last < place(8, 0));
    }

    #[test]
    fn keys_are_ordered_by_job_and_number() {
        let keys = [(0, 0), (0, 1), (0, MAX_NUMBER), (1, 0), (1, 7), (MAX_JOB, MAX_NUMBER)];
        let places = keys.map(|(job, number)| place(job, number).unwrap());
        assert!(places.is_sorted_by(|a, b| a < b) && places[0] == 0);
        assert_eq!(places.map(number_of), keys.map(|(_, number)| number));
        let (first, last) = range(1);
        let place = |job, number| place(job, number).unwrap();
        assert!(
            place(0, MAX_NUMBER) < first && first <= place(1, 7) && place(1, 7) < last && last < place(2, 0)
        );
    }

    #[test]
    fn numbers_that_are_too_large_have_no_key() {
        for (job, number) in [(MAX_JOB + 1, 0), (1 << 40, 1), (0, MAX_NUMBER + 1)] {
            assert!(place(job, number).is_err(), "number {number} of job {job}");
        }
        assert_eq!(range(MAX_JOB).1, i64::MAX);
        let (first, last) = range(MAX_JOB + 1);
        assert!(first > last, "the range is empty");
    }
}
