//! Amounts of units of time: `90`, `1.5`, `1 1/2`, `½`.

use super::token::Tokens;

/// An amount of units, as a fraction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    pub(super) numerator: u64,
    pub(super) denominator: u64,
}

impl Amount {
    /// The amount in seconds, rounded down. One unit has `unit` seconds.
    pub(super) fn seconds(self, unit: u64) -> u64 {
        self.numerator.saturating_mul(unit) / self.denominator.max(1)
    }
}

/// `90`, `1.5`, `1,25`, `½`, `1½`, `1 1/2`, and the token behind it.
pub(super) fn amount_at(tokens: &Tokens<'_>, at: usize) -> Option<(Amount, usize)> {
    if let Some((numerator, denominator)) = tokens.mark(at).and_then(fraction) {
        return Some((Amount { numerator, denominator }, at + 1));
    }
    let (whole, _) = tokens.number(at).filter(|(_, digits)| *digits <= 4)?;
    let whole = u64::from(whole);
    if let Some((numerator, denominator)) = tokens.mark(at + 1).and_then(fraction) {
        return Some((Amount { numerator: whole * denominator + numerator, denominator }, at + 2));
    }
    if matches!(tokens.mark(at + 1), Some('.' | ','))
        && tokens.is_attached(at + 1)
        && tokens.is_attached(at + 2)
        && let Some((part, digits @ 1..=2)) = tokens.number(at + 2)
    {
        let denominator = if digits == 1 { 10 } else { 100 };
        return Some((Amount { numerator: whole * denominator + u64::from(part), denominator }, at + 3));
    }
    if let Some((numerator, denominator)) = slashed(tokens, at) {
        return Some((Amount { numerator, denominator }, at + 3));
    }
    if let Some((numerator, denominator)) = slashed(tokens, at + 1) {
        return Some((Amount { numerator: whole * denominator + numerator, denominator }, at + 4));
    }
    Some((Amount { numerator: whole, denominator: 1 }, at + 1))
}

/// `1/2`.
fn slashed(tokens: &Tokens<'_>, at: usize) -> Option<(u64, u64)> {
    let (numerator, _) = tokens.number(at)?;
    tokens.mark(at + 1).filter(|mark| matches!(mark, '/' | '⁄'))?;
    let (denominator, _) = tokens.number(at + 2)?;
    (0 < numerator && numerator < denominator && denominator <= 8)
        .then_some((u64::from(numerator), u64::from(denominator)))
}

/// The numerator and the denominator of a sign such as `½`.
pub(super) const fn fraction(mark: char) -> Option<(u64, u64)> {
    match mark {
        '½' => Some((1, 2)),
        '¼' => Some((1, 4)),
        '¾' => Some((3, 4)),
        '⅓' => Some((1, 3)),
        '⅔' => Some((2, 3)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_fractions() {
        let rows =
            [("90", 5_400), ("1.5", 90), ("1,25", 75), ("½", 30), ("1½", 90), ("1 1/2", 90), ("1/2", 30)];
        for (text, expected) in rows {
            let (amount, _) = amount_at(&Tokens::new(text), 0).unwrap();
            assert_eq!(amount.seconds(60), expected, "{text}");
        }
    }
}
