//! Scattered numbers that are the same in every run.

/// A number below `bound` for this `number`: scattered, but the same in every run. 0 if `bound` is 0.
#[must_use]
pub fn scattered(number: u64, bound: u64) -> u64 {
    let product = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    product.checked_rem(bound).unwrap_or(0)
}
