//! Crawl rules and the in-memory crawl queue of gleaner: which URLs are the same page, which URLs belong to a
//! crawl, what robots.txt and sitemaps allow, and which page to fetch next.
//!
//! This crate does no I/O, reads no clock and starts no thread. Time is an argument: a
//! [`std::time::Duration`] since an origin that the caller chooses. It is the same origin for all calls, and
//! time never runs backwards. The same calls give the same results, so a crawl can be simulated exactly.
//!
//! # The parts
//!
//! - [`CrawlScope`] decides whether a URL belongs to a crawl, with a typed [`SkipReason`] if it does not.
//! - [`Identity`] decides which URLs name the same page: a canonical form, and its 64-bit [`UrlKey`].
//! - [`RobotsPolicy`] holds what a robots.txt allows one agent (RFC 9309).
//! - [`sitemap::parse`] reads sitemaps, feeds and lists of URLs.
//! - [`Fingerprint`] detects pages with nearly the same text.
//! - [`Frontier`] is the queue of all jobs of an engine: order, politeness, limits, depth and leases. Pages
//!   that are not needed soon can be stored in a [`QueueSpill`]. Its [`QueueChange`]s are what another process
//!   needs to [restore](Frontier::restore) the queue. Several processes can share a crawl if each asks other
//!   hosts: another store keeps the pages, and a process [loads](Frontier::load_page) those of its hosts.
//!
//! # A crawl without the network
//!
//! ```
//! use std::time::Duration;
//!
//! use gleaner_frontier::{
//!     Candidate, CrawlScope, Decision, Frontier, FrontierConfig, Identity, JobRules, Outcome, RobotsPolicy,
//! };
//! # use gleaner_types::plan::{CrawlRules, SitemapMode};
//! use url::Url;
//!
//! # let rules = CrawlRules {
//! #     exclude_paths: vec![], include_paths: vec![], regex_on_full_url: false, max_discovery_depth: None,
//! #     max_path_depth: None, sitemap: SitemapMode::Skip, ignore_query_parameters: false,
//! #     deduplicate_similar_urls: true, crawl_entire_domain: false, allow_external_links: false,
//! #     allow_subdomains: false, ignore_robots_txt: false, robots_user_agent: None,
//! # };
//! // `rules` are those of a checked crawl request.
//! let start = Url::parse("https://example.com/docs/")?;
//! let scope = CrawlScope::new(&start, &rules)?;
//! let identity = Identity::new(&rules);
//! let robots = RobotsPolicy::parse(b"User-agent: *\nDisallow: /docs/internal\n", "gleaner");
//! let candidate = |url: Url, external| Candidate {
//!     key: identity.key(&url),
//!     url,
//!     external,
//!     priority: Candidate::NORMAL,
//! };
//!
//! let mut frontier = Frontier::new(FrontierConfig::default());
//! let job = frontier.open(JobRules::with_limit(100));
//! let now = Duration::ZERO;
//! frontier.admit(job, 0, [candidate(start.clone(), false)], now);
//! let mut crawled = Vec::new();
//! while !frontier.is_idle(job) {
//!     for lease in frontier.lease(8, now).leases {
//!         crawled.push(lease.url.path().to_owned());
//!         // The links of the page, as if it had been fetched.
//!         let links = ["a?utm_source=here", "a", "../blog/", "internal/b", "c.zip"];
//!         let links = links.iter().filter_map(|link| lease.url.join(link).ok()).filter_map(|link| {
//!             match scope.decide(&link, lease.external) {
//!                 Decision::Inside if robots.allows(&link) => Some(candidate(link, false)),
//!                 Decision::External => Some(candidate(link, true)),
//!                 _ => None,
//!             }
//!         });
//!         let links: Vec<_> = links.collect();
//!         frontier.finish(lease.id, Outcome::Document, links, now);
//!     }
//! }
//! assert_eq!(crawled, ["/docs/", "/docs/a"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod fingerprint;
mod identity;
mod octets;
mod percent;
mod queue;
mod robots;
mod scope;
mod site;
pub mod sitemap;

pub use error::{Error, ErrorKind};
pub use fingerprint::{Fingerprint, MAX_FINGERPRINT_WORDS, MIN_FINGERPRINT_WORDS, NEAR_BITS};
pub use identity::{DEFAULT_SEED, Identity, UrlKey};
pub use queue::{
    Admitted, Candidate, Counts, DEFAULT_INITIAL_PER_ADDRESS, DEFAULT_INITIAL_PER_HOST, DEFAULT_LEASE_TIME,
    DEFAULT_MAX_ATTEMPTS, DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_QUEUED_BYTES, DEFAULT_MAX_QUEUED_BYTES_PER_JOB,
    DEFAULT_MAX_QUEUED_PER_JOB, Deferral, DroppedPages, Finished, Frontier, FrontierConfig, Group, GroupLoad,
    HostFeedback, HostLimits, HostLoad, HostPace, JobRules, JobSlot, Lease, LeaseId, Leased, LostPage,
    MAX_BEFORE_FIRST_RESPONSE, MAX_IDLE_HOSTS, MAX_SHAPES, MAX_WAIT, Observation, Outcome, PageEnd,
    QueueChange, QueueSize, QueueSpill, QueuedPage, Restore, SPILL_BLOCK_BYTES, SpilledBlock, Trap,
    url_shape,
};
pub use robots::{
    MAX_CRAWL_DELAY, MAX_ROBOTS_BYTES, MAX_ROBOTS_SITEMAPS, MAX_ROBOTS_STEPS, RobotsLine, RobotsPolicy,
    RobotsRule, asks_nofollow,
};
pub use scope::{CrawlScope, Decision, MAX_URL_BYTES, SkipReason, looks_like_file};
pub use site::same_site;
pub use sitemap::{Sitemap, SitemapEntry, SitemapWarning};
