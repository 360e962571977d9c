//! Bot challenges: pages that a site shows to suspected bots instead of the requested page.
//!
//! They are recognised by their text; no rule here names a site or a vendor. A page counts as a bot challenge
//! only if it is small and has one of the phrases in its title or two of them anywhere, so an article about
//! such pages does not.

use crate::error::{Error, ErrorKind};
use crate::response::Response;

/// Bot challenges are small. A longer page is not examined.
const MAX_CHALLENGE_BYTES: usize = 64 * 1024;

/// Phrases of bot challenges that are rare in other pages. In lower case.
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

/// Whether a better proxy may change this outcome: a refusal, a bot challenge, or a broken connection.
pub(crate) fn wants_better_proxy(outcome: &Result<Response, Error>) -> bool {
    match outcome {
        Ok(response) => match response.status {
            401 | 403 | 429 => true,
            // An overloaded site sends 5xx to everybody, so only the text of a challenge counts.
            200..=299 | 500..=599 => is_bot_challenge(&response.body),
            _ => false,
        },
        Err(error) => {
            error.is_retryable()
                && matches!(error.kind(), ErrorKind::Connect | ErrorKind::Protocol | ErrorKind::Proxy)
        }
    }
}

/// Whether this body is a bot challenge.
pub(crate) fn is_bot_challenge(body: &[u8]) -> bool {
    if body.is_empty() || body.len() > MAX_CHALLENGE_BYTES {
        return false;
    }
    match phrases_in(body).count_ones() {
        0 => false,
        1 => {
            let text = String::from_utf8_lossy(body).to_ascii_lowercase();
            let title = between(&text, "<title", "</title>").unwrap_or_default();
            PHRASES.iter().any(|phrase| title.contains(phrase))
        }
        _ => true,
    }
}

/// Length of the shortest phrase in bytes.
const SHORTEST: usize = 12;

/// How many bytes the search examines before each step.
const BLOCK: usize = 4;

/// How far the search may advance after a block at the end of a window of [`SHORTEST`] bytes: to the next
/// offset where the block could be part of the beginning of a phrase (Wu and Manber 1994). So most bytes of a
/// page are never examined, while a search for one phrase after the other would read the page forty times.
static STEPS: [u8; SLOTS] = {
    let mut steps = [(SHORTEST + 1 - BLOCK) as u8; SLOTS];
    let mut phrase = 0;
    #[expect(clippy::indexing_slicing, reason = "checked when compiled")]
    while phrase < PHRASES.len() {
        let bytes = PHRASES[phrase].as_bytes();
        let mut end = BLOCK;
        while end <= SHORTEST {
            let slot = slot([bytes[end - 4], bytes[end - 3], bytes[end - 2], bytes[end - 1]]);
            let step = (SHORTEST - end) as u8;
            if step < steps[slot] {
                steps[slot] = step;
            }
            end += 1;
        }
        phrase += 1;
    }
    steps
};

/// Number of slots in [`STEPS`]: enough that collisions are rare, and few enough for the L1 cache.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 12;

/// The slot of a block in [`STEPS`], the same for lower and upper case: Fibonacci hashing of the low five
/// bits of each byte.
const fn slot(block: [u8; BLOCK]) -> usize {
    let folded = u32::from_le_bytes(block) & 0x1f1f_1f1f;
    (folded.wrapping_mul(0x9e37_79b1) >> (u32::BITS - SLOT_BITS)) as usize
}

/// The phrases with a given first, second or third letter, one bit each.
static BEGINNINGS: [[u64; 32]; 3] = {
    let mut beginnings = [[0; 32]; 3];
    let mut phrase = 0;
    #[expect(clippy::indexing_slicing, reason = "checked when compiled")]
    while phrase < PHRASES.len() {
        let bytes = PHRASES[phrase].as_bytes();
        let mut letter = 0;
        while letter < 3 {
            beginnings[letter][bytes[letter] as usize & 31] |= 1 << phrase;
            letter += 1;
        }
        phrase += 1;
    }
    beginnings
};

/// The phrases that match the first three letters of a text, one bit each.
fn candidates(text: &[u8]) -> u64 {
    text.iter().zip(&BEGINNINGS).fold(u64::MAX, |left, (byte, phrases)| {
        left & phrases.get(usize::from(byte & 31)).copied().unwrap_or(0)
    })
}

/// The phrases in a body, one bit each.
fn phrases_in(body: &[u8]) -> u64 {
    let mut found = 0;
    let mut start = 0;
    while let Some(block) = body.get(start + SHORTEST - BLOCK..).and_then(<[u8]>::first_chunk) {
        let step = STEPS.get(slot(*block)).copied().unwrap_or(1);
        if step == 0 {
            found |= phrases_at_start(body.get(start..).unwrap_or_default());
            start += 1;
        }
        start += usize::from(step);
    }
    found
}

/// The phrases that a text begins with, one bit each.
#[cold]
fn phrases_at_start(text: &[u8]) -> u64 {
    let mut matched = 0;
    let mut left = candidates(text);
    while left != 0 {
        let phrase = PHRASES.get(left.trailing_zeros() as usize).copied().unwrap_or_default();
        if text.get(..phrase.len()).is_some_and(|found| found.eq_ignore_ascii_case(phrase.as_bytes())) {
            matched |= left & left.wrapping_neg();
        }
        left &= left - 1;
    }
    matched
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bot_challenges_are_recognised() {
        for page in [
            "<!doctype html><html><head><title>Just a moment...</title></head><body></body></html>",
            "<html><head><TITLE lang=en>Access Denied</TITLE></head><body>Reference 18.2</body></html>",
            "<html><title>a.org</title><body><p>Please verify you are human</p><p>Complete the CAPTCHA</p>",
            "<h1>Sorry, you have been blocked</h1><p>We saw unusual traffic from your network.</p>",
        ] {
            assert!(is_bot_challenge(page.as_bytes()), "{page}");
        }
    }

    #[test]
    fn every_phrase_is_found_at_any_offset() {
        assert!(PHRASES.len() <= 64 && PHRASES.iter().all(|phrase| phrase.len() >= SHORTEST));
        for (bit, phrase) in PHRASES.iter().enumerate() {
            for before in 0..2 * SHORTEST {
                for text in [(*phrase).to_owned(), phrase.to_ascii_uppercase()] {
                    let page = format!("{}{text}{}", "s".repeat(before), "\u{e9}".repeat(before % 3));
                    let expected = PHRASES.iter().enumerate().filter(|(_, other)| phrase.contains(**other));
                    let expected = expected.fold(0, |bits, (bit, _)| bits | 1_u64 << bit);
                    assert_eq!(phrases_in(page.as_bytes()), expected, "{page}");
                    assert_ne!(expected >> bit & 1, 0);
                }
            }
        }
        assert_eq!(phrases_in(b"access denie"), 0);
    }

    #[test]
    fn other_pages_are_not_bot_challenges() {
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
            assert!(!is_bot_challenge(page.as_bytes()), "{page:.80}");
        }
        assert!(!is_bot_challenge(b"\xff\xfe\0\x01"));
    }
}
