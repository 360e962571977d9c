//! Texts of several paragraphs are taken whole.

use super::options::ValueOption;

/// A longer text is taken if its probability is at least this share of that of its start.
const MIN_SHARE: f32 = 0.5;

/// If the likeliest option is the start of a longer one that is likely too, that one takes its place.
pub(super) fn prefer(options: &[ValueOption], probabilities: &mut [f32]) {
    let likeliest =
        probabilities.iter().copied().enumerate().max_by(|left, right| left.1.total_cmp(&right.1));
    let Some((start, probability)) = likeliest else { return };
    let text_of = |option: &ValueOption| option.value.as_str().unwrap_or_default().trim_end().to_owned();
    let Some(text) = options.get(start).map(text_of).filter(|text| !text.is_empty()) else { return };
    let longer = options.iter().zip(probabilities.iter()).enumerate().filter(|(_, (option, own))| {
        let other = option.value.as_str().unwrap_or_default();
        let rest = other.strip_prefix(text.as_str());
        **own >= probability * MIN_SHARE && rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
    });
    let longest = longer.max_by_key(|(_, (option, _))| option.value.as_str().map_or(0, str::len));
    if let Some(whole) = longest.map(|(number, _)| number) {
        probabilities.swap(start, whole);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_longest_likely_text_takes_the_place_of_its_start() {
        let option = |text: &str| ValueOption {
            value: Value::from(text),
            key: text.to_owned(),
            choice: None,
            segments: Vec::new(),
            stating: 1,
            prior: 0.0,
        };
        let options =
            ["A cup.", "A cup.\nIt is red.", "A cup.\nIt is red.\nBuy it.", "A cup.board"].map(option);
        let mut probabilities = [0.8, 0.5, 0.3, 0.7];
        prefer(&options, &mut probabilities);
        assert_eq!(probabilities, [0.5, 0.8, 0.3, 0.7]);
        let mut probabilities = [0.8, 0.3, 0.3, 0.7];
        prefer(&options, &mut probabilities);
        assert_eq!(probabilities, [0.8, 0.3, 0.3, 0.7]);
    }
}
