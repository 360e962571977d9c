//! Simulates whole crawls in virtual time, generated from a seed, and checks them against invariants.
//!
//! [`simulate`] generates a small web and a few crawls of it. The real worker loop, memory store, frontier,
//! robots.txt reader and sitemap reader run them; only the network and the clock are scripted.
//!
//! - Responses are late and out of order, connections break, hosts are busy or refuse every connection.
//! - Readers are slow or pause for hours. Jobs are cancelled and dropped.
//! - robots.txt fails and recovers, is late or times out, redirects to itself, and names sitemaps of its own
//!   host and of others.
//! - Sites are mapped while they are crawled. Start pages redirect within their section of the site and out
//!   of it.
//! - Teams have few slots, and some queues are so small that one crawl fills them.
//! - In every second seed fetches hang forever, one or all at once; the store is so late that leases are
//!   lost; and the worker loop panics and restarts on the same store, abandoning every page in progress.
//!
//! Hours pass in milliseconds. The same seed gives the same run: [`Report::trace`] is a hash of all events in
//! order, to the millisecond.
//!
//! Invariants, for every seed:
//!
//! - No page gives two documents. No page that a crawl can reach within its depth and limit is missing,
//!   unless the queue was full and the job says so in its warning, or robots.txt of a host on the way hung
//!   before or after its request. A search over the web, which shares no
//!   code with the rules under test, computes what a crawl can reach. A map lists what the start page links
//!   to and what the sitemaps name, each page once.
//! - A job never gives more documents than its limit.
//! - A page is requested again only after a failure, or after its lease was lost. The same holds for each
//!   further form of its URL, which is requested only if the web names it and the page is missing under another
//!   form.
//! - No host receives more concurrent requests than allowed, or a request before its gap, the job's delay or
//!   a `Retry-After` is over. This includes robots.txt, sitemaps, redirects, and requests after a crash.
//!   The gap and the `Retry-After` of a host apply to every request that begins after the response that set
//!   them, whichever job sends it and however long ago its page was leased.
//! - A team has at most as many concurrent requests as slots.
//! - An address has at most the allowed number of leased pages, over all hosts known to resolve to it.
//! - No request is sent for a job that has ended, and no page is worked on after its lease has expired.
//! - Every job ends. Its counts never decrease, and at the end they agree with what was read. Its total never
//!   exceeds the number of pages, of which a missing one counts once for each form of its URL that the web
//!   names.
//!
//! [`simulate_restarts`] runs the same crawls over a durable store, whose journal is a simulated disk:
//!
//! - The power fails before or after any write, sync or report of the disk, or at any moment, also while the
//!   disk is recovered. Of the sectors that are not synced, each is there, torn or lost, in any order. Some
//!   processes are killed while the system goes on.
//! - Another process opens what is left and goes on, with a new runtime. The clients, the receiver of
//!   webhooks and the accounts provider lie outside of the processes and remember what they were told.
//! - The disk is full or fails for seconds or minutes.
//!
//! Its further invariants:
//!
//! - What was acknowledged is there: a submitted job, a cancel, the end of a job with its counts, each
//!   document at its position. A page whose end was acknowledged is not leased again, and a page is requested
//!   again only if it was in work when its process ended.
//! - The receiver gets each event at least once, in order and without gaps, each time with the same body. An
//!   event whose delivery was acknowledged is not sent again.
//! - A job costs one credit for each document. The accounts provider gets the same amount at each settlement,
//!   an operation counts once, no job uses more than was reserved, and nothing stays reserved.
//! - While the disk is stalled, running jobs say that they wait for it. They go on afterwards.
//!
//! [`simulate_on`] runs them over any store, which works in real time while virtual time stands still, in one
//! process that does not end. Events and credits are checked as above.
//!
//! ```
//! use gleaner_testkit::simulation::{simulate, simulate_restarts};
//!
//! let report = simulate(7);
//! assert!(report.violations.is_empty(), "{}", report.transcript());
//! assert_eq!(report.trace, simulate(7).trace);
//!
//! let report = simulate_restarts(7);
//! assert!(report.violations.is_empty(), "{}", report.transcript());
//! ```

mod client;
mod context;
mod crawl_task;
mod disk;
mod job_check;
mod job_reader;
mod map_task;
mod medium;
mod monitor;
mod outside;
mod ports;
mod process;
mod real_time;
mod record;
mod report;
mod restarts;
mod run;
mod served;
mod setup;
mod shared;
mod store;
mod world;

pub use report::Report;
pub use restarts::simulate_restarts;
pub use run::simulate;
pub use shared::simulate_on;
