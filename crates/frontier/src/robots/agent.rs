//! Product tokens (RFC 9309, section 2.2.1).

/// The product token that a user agent begins with: up to white space, a slash or a bracket.
///
/// The RFC's tokens are letters, `-` and `_`; digits and dots are common in real ones, so they belong to it here.
fn token(agent: &str) -> &str {
    let end = agent.find(|c: char| c.is_whitespace() || matches!(c, '/' | '(' | '*' | ';' | ','));
    end.and_then(|end| agent.get(..end)).unwrap_or(agent)
}

/// Whom a `User-agent` line addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Addressee {
    Us,
    Everyone,
    Others,
}

/// Whether the line with this value addresses `agent`. Letter case is ignored.
pub(super) fn addressee(value: &str, agent: &str) -> Addressee {
    let named = token(value);
    if named.is_empty() {
        return if value.starts_with('*') { Addressee::Everyone } else { Addressee::Others };
    }
    let ours = token(agent.trim());
    if named.eq_ignore_ascii_case(ours) { Addressee::Us } else { Addressee::Others }
}
