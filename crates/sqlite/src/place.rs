//! The keys of rows: a job and a number within it in one integer, so that the rows of a job are neighbours, a
//! new row is an append, and a job is a range.

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

#[cfg(test)]
mod tests {
    use super::*;

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
