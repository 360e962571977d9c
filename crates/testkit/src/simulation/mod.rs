//! Whole crawls in virtual time, made from a seed and held against what must come of them.
//!
//! [`simulate`] makes a small web and a few crawls of it from a seed, and lets the real engine room (worker loop, memory
//! store, frontier, robots.txt and sitemap readers) run them: only the network and the clock are scripted. Answers are
//! late and come out of order, connections break, hosts are busy or refuse every connection, readers are slow or away for
//! hours, jobs are cancelled and dropped. robots.txt fails and recovers, comes late or not in time, redirects to itself, and
//! names sitemaps of its own host and of others; sites are mapped while they are crawled; start pages redirect, within
//! their part of the site and out of it; teams have few slots, and a queue so small that one of them fills it. In
//! every second seed fetches hang for ever, one or all at once, the store is so late that leases are lost, and the worker
//! loop breaks and begins anew on the same store, with every page in work given up where it stands. Hours pass in
//! milliseconds, and the same seed takes the same course: [`Report::trace`] is a hash of all that happened, in its order,
//! to the millisecond.
//!
//! What must hold, whatever the seed:
//!
//! - No page gives two documents, and no page that a crawl can reach within its depth and limit is missing, unless the
//!   queue was full and its reader was told so. What it can reach is worked out apart from the rules under test, by a
//!   search over the web. A map has what the start page links to and what the sitemaps name, each page once.
//! - Never more documents than the limit.
//! - A page is asked for again only after a failure, or after its lease was lost.
//! - No host is asked for more at once than allowed, nor before its gap or the job's delay is over, nor before the end of
//!   a `Retry-After`: not for robots.txt and sitemaps either, nor by redirects, nor after crashes. The gap and the
//!   `Retry-After` of a host hold for every request that begins after the answer that told them, whosever it is and
//!   however long its page had been leased.
//! - Nor has a team more requests under way than slots.
//! - Nor is an address given more pages to work on than allowed, of all hosts together that are known to be there.
//! - Nothing is asked for a job that has ended, and nobody works on a page whose lease is over.
//! - Every job ends, its counts never run backwards, and at the end they agree with what was read. Its total never counts
//!   more pages than there are.
//!
//! ```
//! use gleaner_testkit::simulation::simulate;
//!
//! let report = simulate(7);
//! assert!(report.violations.is_empty(), "{}", report.story());
//! assert_eq!(report.trace, simulate(7).trace);
//! ```

mod mapping;
mod ports;
mod reading;
mod report;
mod run;
mod served;
mod stage;
mod store;
mod task;
mod wire;
mod world;

pub use report::Report;
pub use run::simulate;
