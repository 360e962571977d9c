//! The `X-Robots-Tag` header, which says of an answer what the robots meta element says of a page.

use super::agent::{Addressee, addressee};

/// Directives with a value, which are not the names of agents.
const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// Do `X-Robots-Tag` headers with these values ask `agent` not to follow the links of the answer?
///
/// A value is a list of directives (`noindex, nofollow`). A name before a colon says for whom those behind it are, up to
/// the next name (`gleaner: nofollow, otherbot: none`); without one they are for everybody. `none` is `noindex` and
/// `nofollow` in one. Letter case is ignored, and so is what is no directive.
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
        let mut concerned = true;
        value.split(',').any(|item| {
            let directive = match item.split_once(':') {
                Some((name, rest)) if is_agent(name.trim()) => {
                    concerned = addressee(name.trim(), agent) != Addressee::Others;
                    rest
                }
                _ => item,
            };
            let is = |word: &str| directive.trim().eq_ignore_ascii_case(word);
            concerned && (is("nofollow") || is("none"))
        })
    })
}

/// A word before a colon; dates have colons too.
fn is_agent(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(char::is_whitespace)
        && !WITH_VALUE.iter().any(|directive| name.eq_ignore_ascii_case(directive))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_for_whom_it_names() {
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
