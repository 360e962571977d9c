//! Pages that stand between a reader and the page.
//!
//! Recognised by what they say and not by who sends them: no rule here names a site or a vendor. A page is taken for a
//! wall only if it is small and says so in its title, or in two ways in its text, so that an article about such pages is
//! not one.

use crate::error::{Error, ErrorKind};
use crate::response::Response;

/// Walls are small; a longer page is taken for what it seems.
const MAX_WALL: usize = 64 * 1024;

/// Said by walls and hardly by pages. In lower case.
const PHRASES: &[&str] = &[
    "access denied",
    "access to this page has been denied",
    "are you a human",
    "are you a robot",
    "attention required",
    "automated access",
    "automated requests",
    "bot detection",
    "bot verification",
    "checking if the site connection is secure",
    "checking your browser",
    "complete the captcha",
    "complete the security check",
    "confirm you are human",
    "confirm you are not a robot",
    "enable cookies to continue",
    "enable javascript and cookies",
    "human verification",
    "just a moment",
    "pardon our interruption",
    "please verify you are",
    "press & hold",
    "press and hold to confirm",
    "prove you are human",
    "request blocked",
    "request unsuccessful",
    "security challenge",
    "security check",
    "solve the captcha",
    "suspicious activity",
    "unusual activity",
    "unusual traffic",
    "verify that you are human",
    "verify that you are not a robot",
    "verify you are human",
    "verify you are not a robot",
    "verifying you are human",
    "you have been blocked",
    "your request has been blocked",
];

/// Is `outcome` what a better proxy may change: a refusal, a wall, or a connection that was cut?
pub(crate) fn wants_better_proxy(outcome: &Result<Response, Error>) -> bool {
    match outcome {
        Ok(response) => match response.status {
            401 | 403 | 429 => true,
            // An overloaded site answers so too, and to everybody: only with a wall's words is it one.
            200..=299 | 500..=599 => is_wall(&response.body),
            _ => false,
        },
        Err(error) => {
            matches!(error.kind(), ErrorKind::Connect | ErrorKind::Protocol | ErrorKind::Proxy)
        }
    }
}

/// Does this body stand between a reader and the page?
pub(crate) fn is_wall(body: &[u8]) -> bool {
    if body.is_empty() || body.len() > MAX_WALL {
        return false;
    }
    let text = String::from_utf8_lossy(body).to_ascii_lowercase();
    let title = between(&text, "<title", "</title>").unwrap_or_default();
    if PHRASES.iter().any(|phrase| title.contains(phrase)) {
        return true;
    }
    PHRASES.iter().filter(|phrase| text.contains(**phrase)).nth(1).is_some()
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls() {
        for page in [
            "<!doctype html><html><head><title>Just a moment...</title></head><body></body></html>",
            "<html><head><TITLE lang=en>Access Denied</TITLE></head><body>Reference 18.2</body></html>",
            "<html><title>example.org</title><body><p>Please verify you are human</p><p>Complete the CAPTCHA</p>",
            "<h1>Sorry, you have been blocked</h1><p>We saw unusual traffic from your network.</p>",
        ] {
            assert!(is_wall(page.as_bytes()), "{page}");
        }
    }

    #[test]
    fn pages_that_are_none() {
        let article = format!(
            "<title>Why sites ask</title><p>unusual traffic ... verify you are human ...</p>{}",
            "<p>text</p>".repeat(10_000)
        );
        for page in [
            "",
            "<title>Shop</title><p>Our captcha policy</p>",
            "<title>Help</title><p>If you see \"access denied\", sign in.</p>",
            "<title>A moment of just joy</title>",
            "<title>never closed, access denied",
            &article,
        ] {
            assert!(!is_wall(page.as_bytes()), "{page:.80}");
        }
        assert!(!is_wall(b"\xff\xfe\0\x01"));
    }
}
