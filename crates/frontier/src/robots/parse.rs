//! Parses bytes into the rules for one agent.

use std::borrow::Cow;
use std::time::Duration;

use encoding_rs::{Encoding, UTF_8};
use url::{ParseError, Url};

use super::agent::{Addressee, addressee};
use super::pattern::Rule;
use super::{MAX_CRAWL_DELAY, MAX_ROBOTS_BYTES, MAX_ROBOTS_SITEMAPS};
use crate::octets;
use crate::scope::MAX_URL_BYTES;

#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) rules: Vec<Rule>,
    pub(super) crawl_delay: Option<Duration>,
    pub(super) sitemaps: Vec<Url>,
    /// As in the file: references without a scheme.
    pub(super) relative_sitemaps: Vec<String>,
}

enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

/// Rules for one addressee: this agent, or every agent.
#[derive(Default)]
struct Group {
    named: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

pub(super) fn parse(body: &[u8], agent: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let (mut ours, mut everyone) = (Group::default(), Group::default());
    // Whom the current group addresses, and whether a rule has ended its list of agents.
    let (mut to_us, mut to_everyone, mut closed) = (false, false, true);
    for (number, line) in lines(&as_utf8(body)) {
        let Some((key, value)) = key_value(line) else { continue };
        match key {
            Key::UserAgent => {
                if closed {
                    (to_us, to_everyone, closed) = (false, false, false);
                }
                match addressee(&value, agent) {
                    Addressee::Us => (to_us, ours.named) = (true, true),
                    Addressee::Everyone => (to_everyone, everyone.named) = (true, true),
                    Addressee::Others => {}
                }
            }
            Key::Allow | Key::Disallow => {
                closed = true;
                let Some(rule) = Rule::new(matches!(key, Key::Allow), &value, number) else { continue };
                if to_everyone {
                    everyone.rules.push(rule.clone());
                }
                if to_us {
                    ours.rules.push(rule);
                }
            }
            // `Crawl-delay` is not part of the RFC, so it must not end the list of agents (section 2.2.4).
            Key::CrawlDelay => {
                let Some(delay) = crawl_delay(&value) else { continue };
                for (group, addressed) in [(&mut ours, to_us), (&mut everyone, to_everyone)] {
                    if addressed {
                        group.crawl_delay = group.crawl_delay.max(Some(delay));
                    }
                }
            }
            Key::Sitemap if parsed.sitemaps.len() + parsed.relative_sitemaps.len() < MAX_ROBOTS_SITEMAPS => {
                match Url::parse(&value) {
                    Ok(url) => {
                        if matches!(url.scheme(), "http" | "https") && !parsed.sitemaps.contains(&url) {
                            parsed.sitemaps.push(url);
                        }
                    }
                    Err(ParseError::RelativeUrlWithoutBase) => {
                        if is_relative(&value) && !parsed.relative_sitemaps.contains(&value) {
                            parsed.relative_sitemaps.push(value);
                        }
                    }
                    Err(_) => {}
                }
            }
            Key::Sitemap => {}
        }
    }
    // A group for this agent replaces the group for every agent, even if it has no rules.
    let group = if ours.named { ours } else { everyone };
    Parsed { rules: group.rules, crawl_delay: group.crawl_delay, ..parsed }
}

/// Whether the text of a `Sitemap` line is a reference without a scheme. The protocol asks for a full URL; a
/// path is common, and can mean only this host. The name of another host would be a guess.
fn is_relative(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_URL_BYTES
        && !text.starts_with("//")
        && !text.contains(char::is_whitespace)
}

/// Some editors save text as UTF-16, with a byte order mark.
fn as_utf8(body: &[u8]) -> Cow<'_, [u8]> {
    match Encoding::for_bom(body) {
        Some((encoding, _)) if encoding != UTF_8 => {
            // Enough to exceed the size limit: a character has two bytes or four.
            let head = body.get(..2 * MAX_ROBOTS_BYTES + 4).unwrap_or(body);
            let (text, _) = encoding.decode_with_bom_removal(head);
            Cow::Owned(text.into_owned().into_bytes())
        }
        _ => Cow::Borrowed(body),
    }
}

/// The lines of the body within the size limit, without comments, with their numbers from 1. A line that the
/// limit cuts is dropped, because half a pattern would match more than intended.
fn lines(body: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let body = match body.get(..MAX_ROBOTS_BYTES) {
        Some(head) if body.len() > MAX_ROBOTS_BYTES => {
            let end = head.iter().rposition(|&byte| is_line_end(byte)).unwrap_or(0);
            head.get(..end).unwrap_or_default()
        }
        _ => body,
    };
    let (mut number, mut after_return) = (0_u32, false);
    body.split_inclusive(|&byte| is_line_end(byte)).map(move |line| {
        // `\r\n` ends one line.
        let is_rest = after_return && line == b"\n";
        number = number.saturating_add(u32::from(!is_rest));
        after_return = line.ends_with(b"\r");
        (number, line.split(|&byte| byte == b'#').next().unwrap_or_default())
    })
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Key and value of a line, without surrounding white space and NULs. The colon may be missing if the line
/// has exactly two words, and common misspellings are accepted: in both cases the intent of the site owner is
/// clear.
fn key_value(line: &[u8]) -> Option<(Key, String)> {
    let text = octets::to_text(line);
    let text = text.trim_matches(is_blank);
    let (key, value) = match text.split_once(':') {
        Some(parts) => parts,
        None => {
            text.split_once(is_blank).filter(|(_, value)| !value.trim_matches(is_blank).contains(is_blank))?
        }
    };
    let key = match key.trim_matches(is_blank).to_ascii_lowercase().as_str() {
        "user-agent" | "useragent" | "user agent" => Key::UserAgent,
        "allow" => Key::Allow,
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => Key::Disallow,
        "crawl-delay" | "crawldelay" | "crawl delay" => Key::CrawlDelay,
        "sitemap" | "site-map" => Key::Sitemap,
        _ => return None,
    };
    Some((key, value.trim_matches(is_blank).to_owned()))
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\0'
}

/// A number of seconds, possibly with a fraction.
fn crawl_delay(value: &str) -> Option<Duration> {
    let seconds: f64 = value.parse().ok()?;
    if !seconds.is_finite() || seconds < 0.0 {
        return None;
    }
    Some(Duration::from_secs_f64(seconds.min(MAX_CRAWL_DELAY.as_secs_f64()))).filter(|delay| !delay.is_zero())
}
