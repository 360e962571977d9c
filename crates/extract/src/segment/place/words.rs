//! Features of the words and signs of a segment.

use super::{Features, flag, scaled};
use crate::segment::wording::{Wording, share};

/// The words and signs of its text, which has this many bytes.
pub(super) fn write(bytes: usize, wording: &Wording, to: &mut Features) {
    to.chars = scaled(wording.chars.max(bytes / 4));
    to.words = scaled(wording.words);
    to.digit_share = share(wording.digits, wording.chars);
    to.capital_share = share(wording.capitals, wording.chars);
    to.sign_share = share(wording.signs, wording.chars);
    to.starts_with_capital = flag(wording.starts_with_capital);
    to.is_capitalised = flag(wording.is_capitalised());
    to.is_all_capitals = flag(wording.is_all_capitals());
    to.ends_sentence = flag(wording.ends_sentence);
    to.has_currency = flag(wording.has_currency);
    to.has_colon = flag(wording.has_colon);
}
