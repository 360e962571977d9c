//! Figures, their medians, and how they are printed.

use std::fmt::Display;
use std::time::Duration;

/// Prints a figure with its goal.
pub(crate) fn figure(what: &str, value: impl Display, goal: &str) {
    // As a text, because not every number is padded by itself.
    let value = value.to_string();
    println!("{what:<66} {value:>14}   goal: {goal}");
}

/// Prints a title above figures.
pub(crate) fn title(text: &str) {
    println!("\n{text}");
}

/// The middle of the values; 0 without values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    quantile(values, 500)
}

/// The value that `per_mille` of 1,000 values do not exceed; 0 without values.
pub(crate) fn quantile(values: impl IntoIterator<Item = f64>, per_mille: usize) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * per_mille).div_ceil(1_000).saturating_sub(1);
    values.get(rank).copied().unwrap_or(0.0)
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "a count that is only reported")]
pub(crate) fn count(number: usize) -> f64 {
    number as f64
}
