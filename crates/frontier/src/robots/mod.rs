//! robots.txt by RFC 9309, with the two common extensions `Crawl-delay` and `Sitemap`.
//!
//! This is an own matcher of a few hundred lines because of the conformance table in its tests:
//! `texting_robots` 0.2.2 fails 11 of the 65 rows (agent lines with a version or with words after the token,
//! a `$` inside a pattern, and percent-encoding that differs between rule and path).
//!
//! A pattern is matched piece by piece with a substring search, so one rule costs time linear in the URL,
//! however many wildcards it has. [`MAX_ROBOTS_STEPS`] bounds the cost of all rules for one URL.

mod agent;
mod line;
mod parse;
mod pattern;
mod tag;

use std::time::Duration;

use url::{Position, Url};

pub use line::RobotsLine;
pub use tag::asks_nofollow;

use parse::Parsed;
use pattern::{Rule, normalised_path};

/// Maximum size of a robots.txt in bytes. Of a longer one only the beginning is read, up to the last complete
/// line (RFC 9309, section 2.5, requires at least 500 KiB).
pub const MAX_ROBOTS_BYTES: usize = 512 * 1024;

/// Upper bound of `Crawl-delay`; longer values are reduced to it.
pub const MAX_CRAWL_DELAY: Duration = Duration::from_secs(60);

/// Maximum steps to decide about one URL: about one for each rule, one for each pattern piece that is
/// searched, and one for each few bytes that are scanned, so some milliseconds in total. A URL that needs
/// more is not allowed. Only ten thousand rules with wildcards and a URL of a kilobyte come near this limit,
/// and such a file exists only to slow down a crawler.
pub const MAX_ROBOTS_STEPS: usize = 4_000_000;

/// Maximum number of `Sitemap:` lines that are kept.
pub const MAX_ROBOTS_SITEMAPS: usize = 256;

/// What one agent may fetch from one origin.
///
/// ```
/// use gleaner_frontier::RobotsPolicy;
/// use url::Url;
///
/// let body = b"User-agent: *\nDisallow: /private/\nAllow: /private/press$\nCrawl-delay: 2\n";
/// let policy = RobotsPolicy::parse(body, "gleaner");
/// assert!(policy.allows(&Url::parse("https://example.com/private/press")?));
/// assert!(!policy.allows(&Url::parse("https://example.com/private/press/old")?));
/// assert_eq!(policy.crawl_delay().map(|delay| delay.as_secs()), Some(2));
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsPolicy {
    /// Longest pattern first; among equal lengths, `Allow` first. The first match decides.
    rules: Vec<Rule>,
    /// Nothing is allowed, regardless of the rules.
    unreachable: bool,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<Url>,
    relative_sitemaps: Vec<String>,
}

/// The rule of a robots.txt that decides about a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RobotsRule<'a> {
    /// True for `Allow`, false for `Disallow`.
    pub allow: bool,
    /// The pattern, with normalized percent-encoding.
    pub pattern: &'a str,
    /// The number of its line, from 1.
    pub line: u32,
}

impl RobotsPolicy {
    /// Parses the policy of a robots.txt for an agent.
    ///
    /// `agent` is a product token (`gleaner`) or a user agent that begins with one (`gleaner/1.0`). Any bytes
    /// are accepted: lines that are not rules are ignored.
    #[must_use]
    pub fn parse(body: &[u8], agent: &str) -> Self {
        let Parsed { mut rules, crawl_delay, sitemaps, relative_sitemaps } = parse::parse(body, agent);
        rules.sort_by_key(|rule| (std::cmp::Reverse(rule.length()), !rule.allow));
        rules.dedup_by(|next, rule| next.equals(rule));
        Self { rules, unreachable: false, crawl_delay, sitemaps, relative_sitemaps }
    }

    /// The policy that follows from the response to a request for `/robots.txt`, after redirects (RFC 9309,
    /// section 2.3.1).
    ///
    /// 2xx: the rules of the body. 3xx (too many redirects) and 4xx: no rules, everything is allowed.
    /// Anything else: [`RobotsPolicy::unreachable`].
    #[must_use]
    pub fn from_status(status: u16, body: &[u8], agent: &str) -> Self {
        match status {
            200..=299 => Self::parse(body, agent),
            300..=499 => Self::allow_all(),
            _ => Self::unreachable(),
        }
    }

    /// The approximate memory use, in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let rules = self.rules.iter().map(|rule| size_of::<Rule>() + rule.length());
        let sitemaps = self.sitemaps.iter().map(|url| size_of::<Url>() + url.as_str().len());
        let relative = self.relative_sitemaps.iter().map(|text| size_of::<String>() + text.len());
        size_of::<Self>() + rules.chain(sitemaps).chain(relative).sum::<usize>()
    }

    /// A policy that allows everything: there is no robots.txt.
    #[must_use]
    pub const fn allow_all() -> Self {
        Self {
            rules: Vec::new(),
            unreachable: false,
            crawl_delay: None,
            sitemaps: Vec::new(),
            relative_sitemaps: Vec::new(),
        }
    }

    /// A policy that allows nothing: the server failed or was unreachable (RFC 9309, section 2.3.1.4).
    #[must_use]
    pub const fn unreachable() -> Self {
        Self {
            rules: Vec::new(),
            unreachable: true,
            crawl_delay: None,
            sitemaps: Vec::new(),
            relative_sitemaps: Vec::new(),
        }
    }

    /// True if nothing is allowed because robots.txt could not be read.
    #[must_use]
    pub const fn is_unreachable(&self) -> bool {
        self.unreachable
    }

    /// True if the agent may fetch `url`. The caller ensures that this is the policy of the origin of `url`.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        // RFC 9309, section 2.2.2: robots.txt itself is always allowed.
        url.path() == "/robots.txt"
            || !self.unreachable
                && self.first_match(url, &mut 0).is_some_and(|rule| rule.is_none_or(|rule| rule.allow))
    }

    /// The rule that decides about `url`, to explain the decision. `None` if no rule matches, or if the
    /// search needs more than [`MAX_ROBOTS_STEPS`].
    #[must_use]
    pub fn deciding_rule(&self, url: &Url) -> Option<RobotsRule<'_>> {
        let rule = self.first_match(url, &mut 0)??;
        Some(RobotsRule { allow: rule.allow, pattern: rule.pattern(), line: rule.line })
    }

    /// The line that forbids `url`. `None` if none does: the URL is allowed, or robots.txt could not be read,
    /// or the search needs more than [`MAX_ROBOTS_STEPS`].
    #[must_use]
    pub fn forbidding_line(&self, url: &Url) -> Option<RobotsLine> {
        let rule = self.deciding_rule(url).filter(|rule| !rule.allow)?;
        Some(RobotsLine::new(rule.line, format!("Disallow: {}", rule.pattern)))
    }

    /// The first matching rule, if any; `None` if the search needs too many steps.
    fn first_match(&self, url: &Url, steps: &mut usize) -> Option<Option<&Rule>> {
        if self.rules.is_empty() {
            return Some(None);
        }
        let path = normalised_path(&url[Position::BeforePath..Position::AfterQuery]);
        for rule in &self.rules {
            let matches = rule.matches(&path, steps);
            if *steps > MAX_ROBOTS_STEPS {
                return None;
            }
            if matches {
                return Some(Some(rule));
            }
        }
        Some(None)
    }

    /// The minimum time between two requests, at most [`MAX_CRAWL_DELAY`].
    #[must_use]
    pub const fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The sitemaps that the file names, for any agent: absolute `http` and `https` URLs without duplicates.
    #[must_use]
    pub fn sitemaps(&self) -> &[Url] {
        &self.sitemaps
    }

    /// As [`sitemaps`](Self::sitemaps), with those that the file at `robots_txt` names without a scheme: by a
    /// path (`/maps/all.xml`), or by a host and a path (`example.com/all.xml`).
    #[must_use]
    pub fn sitemaps_at(&self, robots_txt: &Url) -> Vec<Url> {
        let resolve = |text: &String| {
            let is_host = |(first, _): (&str, &str)| first.contains('.') && !first.starts_with('.');
            match text.split_once('/').is_some_and(is_host) {
                true => robots_txt.join(&format!("//{text}")),
                false => robots_txt.join(text),
            }
        };
        let mut all = self.sitemaps.clone();
        for url in self.relative_sitemaps.iter().filter_map(|text| resolve(text).ok()) {
            if matches!(url.scheme(), "http" | "https") && !all.contains(&url) {
                all.push(url);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
