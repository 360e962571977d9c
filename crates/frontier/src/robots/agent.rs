//! Product tokens (RFC 9309, section 2.2.1).

/// The product token at the start of a user agent: everything before white space, a slash or a bracket.
///
/// The RFC's tokens consist of letters, `-` and `_`; digits and dots are common in real tokens, so they are
/// accepted here.
fn token(agent: &str) -> &str {
    let end = agent.find(|c: char| c.is_whitespace() || matches!(c, '/' | '(' | '*' | ';' | ','));
    end.and_then(|end| agent.get(..end)).unwrap_or(agent)
}

/// The agents that a `User-agent` line addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Addressee {
    Us,
    Everyone,
    Others,
}

/// Which agents the value of a `User-agent` line addresses. Letter case is ignored.
pub(super) fn addressee(value: &str, agent: &str) -> Addressee {
    let named = token(value);
    if named.is_empty() {
        return if value.starts_with('*') { Addressee::Everyone } else { Addressee::Others };
    }
    let ours = token(agent.trim());
    if named.eq_ignore_ascii_case(ours) { Addressee::Us } else { Addressee::Others }
}
