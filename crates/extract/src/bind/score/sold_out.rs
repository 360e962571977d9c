//! Things that are sold out though their data for machines says otherwise.
//!
//! Shops forget to update the data that no reader sees. What a reader sees counts if it is nothing but that
//! the thing is not available, and nothing to see says that it is: no other line, and no button that buys.

use super::options::{ValueOption, is_structured};
use crate::bind::pool::Candidate;
use crate::bind::target::TargetField;
use crate::bind::words::words;
use crate::normalise::ValueForm;
use crate::page::Method;
use crate::typed::{StockState, stock};

/// Upper bound on the words of a line that is nothing but that a thing is not available.
const MAX_LINE_WORDS: usize = 3;
/// The lowest probability of such a value.
const PROBABILITY: f32 = 0.85;

/// Makes what a reader sees the likeliest option if that is only that the thing is not available.
pub(super) fn prefer(target: &TargetField<'_>, options: &[ValueOption], probabilities: &mut [f32]) {
    if target.form != ValueForm::Availability {
        return;
    }
    let is_out = |proof: &Candidate| stock(&proof.quote).map(StockState::is_orderable) == Some(false);
    let shows_other =
        |option: &ValueOption| proofs(option).any(|proof| !is_structured(proof.method) && !is_out(proof));
    let is_line = |proof: &Candidate| {
        proof.method == Method::Text && is_out(proof) && words(&proof.quote).len() <= MAX_LINE_WORDS
    };
    let sold_out = options.iter().position(|option| proofs(option).any(is_line));
    let Some(sold_out) = sold_out.filter(|_| !options.iter().any(shows_other)) else { return };
    let highest = probabilities.iter().copied().fold(PROBABILITY, f32::max);
    for (number, probability) in probabilities.iter_mut().enumerate() {
        *probability = if number == sold_out { highest } else { 0.0 };
    }
}

fn proofs(option: &ValueOption) -> impl Iterator<Item = &Candidate> {
    option.choice.iter().flat_map(|choice| &choice.proofs)
}
