//! The keys of rows: a job and a number within it in one integer, so that the rows of a job are neighbours, a
//! new row is an append, and a job is a range.

use gleaner_store::journal::Part;

/// Bits of the number within a job.
const NUMBER_BITS: u32 = 40;

/// The largest number within a job.
const MAX_NUMBER: u64 = (1 << NUMBER_BITS) - 1;

/// The largest number of a job.
const MAX_JOB: u64 = (1 << (63 - NUMBER_BITS)) - 1;

/// The key of a row.
pub(crate) const fn place(job: u64, number: u64) -> i64 {
    (((job & MAX_JOB) << NUMBER_BITS) | (number & MAX_NUMBER)).cast_signed()
}

/// The first and the last possible key of a job.
pub(crate) const fn range(job: u64) -> (i64, i64) {
    (place(job, 0), place(job, MAX_NUMBER))
}

/// The number of a key within its job.
pub(crate) const fn number_of(place: i64) -> u64 {
    place.cast_unsigned() & MAX_NUMBER
}

/// Bits of the number of a part, below the kind of the part.
const PART_BITS: u32 = 36;

/// The key of a part of a job.
pub(crate) const fn part_place(job: u64, part: Part, number: u64) -> i64 {
    place(job, ((part as u64) << PART_BITS) | part_number(number.cast_signed()))
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
        let places = keys.map(|(job, number)| place(job, number));
        assert!(places.is_sorted_by(|a, b| a < b) && places[0] == 0);
        assert_eq!(places.map(number_of), keys.map(|(_, number)| number));
        let (first, last) = range(1);
        assert!(
            place(0, MAX_NUMBER) < first && first <= place(1, 7) && place(1, 7) < last && last < place(2, 0)
        );
    }
}
