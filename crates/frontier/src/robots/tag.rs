//! The `X-Robots-Tag` header, the equivalent of the robots meta element for a response.

use super::agent::{Addressee, addressee};

/// Directives with a value; these words before a colon are not agent names.
const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// True if `X-Robots-Tag` headers with these values ask `agent` not to follow the links of the response.
///
/// A value is a list of directives (`noindex, nofollow`). A name before a colon addresses the directives
/// after it, up to the next name (`gleaner: nofollow, otherbot: none`); without a name they address every
/// agent. `none` means `noindex` and `nofollow`. Letter case and unknown directives are ignored.
///
/// ```
/// use gleaner_frontier::asks_nofollow;
///
/// assert!(asks_nofollow(["noindex, nofollow"], "gleaner"));
/// assert!(asks_nofollow(["otherbot: noindex, gleaner: nofollow"], "gleaner/1.0"));
/// assert!(!asks_nofollow(["otherbot: nofollow"], "gleaner"));
/// ```
#[must_use]
pub fn asks_nofollow<'a>(values: impl IntoIterator<Item = &'a str>, agent: &str) -> bool {
    values.into_iter().any(|value| {
        let mut is_addressed = true;
        value.split(',').any(|item| {
            let directive = match item.split_once(':') {
                Some((name, rest)) if is_agent(name.trim()) => {
                    is_addressed = addressee(name.trim(), agent) != Addressee::Others;
                    rest
                }
                _ => item,
            };
            let is = |word: &str| directive.trim().eq_ignore_ascii_case(word);
            is_addressed && (is("nofollow") || is("none"))
        })
    })
}

/// True if the word before a colon is an agent name. Dates contain colons too.
fn is_agent(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(char::is_whitespace)
        && !WITH_VALUE.iter().any(|directive| name.eq_ignore_ascii_case(directive))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_apply_to_the_named_agents() {
        for (values, asks) in [
            (&["nofollow"][..], true),
            (&["NoIndex , NOFOLLOW"], true),
            (&["none"], true),
            (&["noindex"], false),
            (&[""], false),
            (&["nofollowing, donofollow"], false),
            (&["gleaner: nofollow"], true),
            (&["Gleaner: noindex, nofollow"], true),
            (&["*: nofollow"], true),
            (&["gleaner-images: nofollow"], false),
            (&["otherbot: nofollow"], false),
            (&["otherbot: noindex, nofollow"], false),
            (&["otherbot: noindex, gleaner: nofollow"], true),
            (&["gleaner: noindex, otherbot: nofollow"], false),
            (&["otherbot: noindex", "nofollow"], true),
            (&["unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow"], true),
            (&["max-snippet: 20, nofollow"], true),
            (&["noindex, otherbot: all, nofollow"], false),
            (&[": nofollow"], false),
            (&[], false),
        ] {
            assert_eq!(asks_nofollow(values.iter().copied(), "gleaner/1.0"), asks, "{values:?}");
        }
    }
}
