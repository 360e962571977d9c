//! The forms in which durations are given.

/// A duration in minutes, as a decimal number.
pub(crate) fn minutes(seconds: u64) -> String {
    let (minutes, rest) = (seconds / 60, seconds % 60);
    if rest == 0 { minutes.to_string() } else { format!("{minutes}.{:02}", rest * 100 / 60) }
}

/// The form of ISO 8601, in hours, minutes and seconds.
pub(crate) fn iso_duration(seconds: u64) -> String {
    if seconds == 0 {
        return "PT0S".to_owned();
    }
    let mut out = String::from("PT");
    for (count, unit) in [(seconds / 3_600, 'H'), (seconds / 60 % 60, 'M'), (seconds % 60, 'S')] {
        if count > 0 {
            out.push_str(&count.to_string());
            out.push(unit);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_forms() {
        let rows =
            [(5_400, "90", "PT1H30M"), (90, "1.50", "PT1M30S"), (93_600, "1560", "PT26H"), (0, "0", "PT0S")];
        for (seconds, decimal, iso) in rows {
            assert_eq!((minutes(seconds).as_str(), iso_duration(seconds).as_str()), (decimal, iso));
        }
    }
}
