//! A line of a robots.txt, to show to people.

use std::fmt;

/// Maximum characters of a rule that is shown. A pattern may be as long as its file.
const MAX_CHARS: usize = 200;

/// A rule of a robots.txt as a line of its file.
///
/// ```
/// use gleaner_frontier::RobotsPolicy;
/// use url::Url;
///
/// let policy = RobotsPolicy::parse(b"User-agent: *\nDisallow: /private", "gleaner");
/// let line = policy.forbidding_line(&Url::parse("https://example.com/private/a")?);
/// assert_eq!(line.map(|line| line.to_string()).as_deref(), Some("line 2: Disallow: /private"));
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RobotsLine {
    /// The number of the line, from 1.
    pub number: u32,
    /// The rule, such as `Disallow: /private`, with normalized percent-encoding. A very long one is cut.
    pub rule: String,
}

impl RobotsLine {
    /// The line with this number and rule.
    #[must_use]
    pub fn new(number: u32, mut rule: String) -> Self {
        if let Some((end, _)) = rule.char_indices().nth(MAX_CHARS) {
            rule.truncate(end);
            rule.push_str("...");
        }
        Self { number, rule }
    }
}

impl fmt::Display for RobotsLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.number, self.rule)
    }
}
