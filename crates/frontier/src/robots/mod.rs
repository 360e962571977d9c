//! robots.txt, as RFC 9309 has it, with the two customary additions (`Crawl-delay`, `Sitemap`).
//!
//! An own matcher of a few hundred lines and not a crate: the conformance table beside it is the reason. `texting_robots`
//! 0.2.2 fails 11 of its 65 rows: agent lines with a version or with words behind the token, a `$` inside a pattern, and
//! percent-encoding that differs between rule and path.
//!
//! A pattern is compared piece by piece with a substring search, so one rule costs time linear in the URL, whatever its
//! wildcards. What all rules cost for one URL is bounded by [`MAX_ROBOTS_STEPS`].

mod agent;
mod parse;
mod pattern;
mod tag;

use std::time::Duration;

use url::{Position, Url};

pub use tag::asks_nofollow;

use parse::Parsed;
use pattern::{Rule, normalised_path};

/// Of a longer robots.txt the beginning is read, up to the last whole line (RFC 9309, section 2.5, asks for 500 KiB at
/// least).
pub const MAX_ROBOTS_BYTES: usize = 512 * 1024;

/// A longer `Crawl-delay` is cut to this.
pub const MAX_CRAWL_DELAY: Duration = Duration::from_secs(60);

/// Most steps that deciding about one URL may take: about one for each rule, for each piece of a pattern that is sought, and
/// for each few bytes that it is sought in, some milliseconds in all. A URL that takes more is not allowed. It takes ten
/// thousand rules with wildcards and a URL of a kilobyte to come near it: nobody has so many who does not mean to keep a
/// crawler busy.
pub const MAX_ROBOTS_STEPS: usize = 4_000_000;

/// At most so many `Sitemap:` lines are kept.
pub const MAX_ROBOTS_SITEMAPS: usize = 256;

/// What one agent may fetch of one origin.
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
    /// Longest pattern first, of equal ones those that allow: the first that matches decides.
    rules: Vec<Rule>,
    /// Whatever the rules: nothing is allowed.
    unreachable: bool,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<Url>,
}

/// A rule of robots.txt that decides about a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RobotsRule<'a> {
    /// True for `Allow`, false for `Disallow`.
    pub allow: bool,
    /// The pattern, percent-encoding normalised.
    pub pattern: &'a str,
}

impl RobotsPolicy {
    /// The policy that a robots.txt sets for an agent.
    ///
    /// `agent` is a product token (`gleaner`) or a user agent that begins with one (`gleaner/1.0`). Any bytes are a
    /// robots.txt: what is no rule is passed over.
    #[must_use]
    pub fn parse(body: &[u8], agent: &str) -> Self {
        let Parsed { mut rules, crawl_delay, sitemaps } = parse::parse(body, agent);
        rules.sort_by_key(|rule| (std::cmp::Reverse(rule.length()), !rule.allow));
        rules.dedup();
        Self { rules, unreachable: false, crawl_delay, sitemaps }
    }

    /// The policy that an answer to the request for `/robots.txt` sets, after redirects (RFC 9309, section 2.3.1).
    ///
    /// 2xx: the body's rules. 3xx (more redirects than were followed) and 4xx: no rules, everything is allowed. All
    /// else: [`RobotsPolicy::unreachable`].
    #[must_use]
    pub fn from_status(status: u16, body: &[u8], agent: &str) -> Self {
        match status {
            200..=299 => Self::parse(body, agent),
            300..=499 => Self::allow_all(),
            _ => Self::unreachable(),
        }
    }

    /// Roughly the memory that it takes, in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let rules = self.rules.iter().map(|rule| size_of::<Rule>() + rule.length());
        let sitemaps = self.sitemaps.iter().map(|url| size_of::<Url>() + url.as_str().len());
        size_of::<Self>() + rules.chain(sitemaps).sum::<usize>()
    }

    /// Everything is allowed: there is no robots.txt.
    #[must_use]
    pub const fn allow_all() -> Self {
        Self { rules: Vec::new(), unreachable: false, crawl_delay: None, sitemaps: Vec::new() }
    }

    /// Nothing is allowed: the server failed, or could not be reached (RFC 9309, section 2.3.1.4).
    #[must_use]
    pub const fn unreachable() -> Self {
        Self { rules: Vec::new(), unreachable: true, crawl_delay: None, sitemaps: Vec::new() }
    }

    /// True where nothing is allowed because robots.txt could not be read.
    #[must_use]
    pub const fn is_unreachable(&self) -> bool {
        self.unreachable
    }

    /// True where the agent may fetch `url`. The caller sees to it that this is the policy of the URL's origin.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        // RFC 9309, section 2.2.2: robots.txt itself is always allowed.
        url.path() == "/robots.txt"
            || !self.unreachable
                && self.first_match(url, &mut 0).is_some_and(|rule| rule.is_none_or(|rule| rule.allow))
    }

    /// The rule that decides about `url`, to explain the decision; `None` where none matches, or where to find it takes more
    /// than [`MAX_ROBOTS_STEPS`].
    #[must_use]
    pub fn deciding_rule(&self, url: &Url) -> Option<RobotsRule<'_>> {
        let rule = self.first_match(url, &mut 0)??;
        Some(RobotsRule { allow: rule.allow, pattern: rule.pattern() })
    }

    /// The first rule that matches, if one does; `None` where that takes too many steps to find out.
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

    /// Between two requests, at most [`MAX_CRAWL_DELAY`].
    #[must_use]
    pub const fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The sitemaps that it names, for whatever agent; absolute `http` and `https` URLs, each once.
    #[must_use]
    pub fn sitemaps(&self) -> &[Url] {
        &self.sitemaps
    }
}

#[cfg(test)]
mod tests;
