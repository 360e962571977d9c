//! Generated sites and hostile servers for the tests and benches of gleaner.
//!
//! This crate is not published. It depends on no other crate of the workspace, so that every crate can use
//! it in tests. Only the feature `simulation` adds such dependencies: it runs the engine in virtual time.
//!
//! A site with known contents, served on loopback:
//!
//! ```
//! use gleaner_testkit::{Extras, Site, SiteSpec};
//!
//! let site = Site::generate(SiteSpec { pages: 500, extras: Extras::all(), ..SiteSpec::default() });
//! let server = site.serve()?;
//! // ... crawl server.base_url() here, then compare:
//! let truth = site.truth();
//! assert_eq!(truth.path("/p/1").and_then(|page| page.depth), Some(1));
//! assert!(truth.path("/private/").is_some_and(|page| page.forbidden));
//! assert_eq!(server.log().duplicates(), Vec::<String>::new());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`worst_cases`] lists hostile requests and pages, which a test and a benchmark program share.
//! [`PAGE_SHAPES`] lists the shapes of their pages.
//!
//! A server that misbehaves by script, and an address that no client may connect to:
//!
//! ```
//! use gleaner_testkit::{Canary, RawServer, Step};
//!
//! let endless = RawServer::start([
//!     Step::ReadRequest,
//!     Step::send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
//!     Step::send_endless("<p>more</p>"),
//! ])?;
//! let canary = Canary::start()?;
//! // ... fetch endless.base_url(), and pages that point at canary.base_url() ...
//! assert_eq!(endless.connections(), 0);
//! assert_eq!(canary.connections(), 0);
//! # Ok::<(), std::io::Error>(())
//! ```
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code: a broken assumption should fail the test at once"
)]

mod acting;
mod apps;
mod background;
pub mod browser;
#[cfg(test)]
mod client;
mod hostile;
mod killed_on_drop;
mod paper;
pub mod pdf;
mod port;
#[cfg(unix)]
mod postgres;
mod process_group;
mod process_log;
mod scan;
mod scatter;
mod server;
mod ships;
#[cfg(feature = "simulation")]
pub mod simulation;
mod site;
pub mod strace;
mod worst;

pub use acting::{ACTING_SITES, ActingAnswer, ActingSite, ActingStep, CUPS, FOUNDER};
pub use apps::{App, Apps};
pub use hostile::{Canary, HostilePage, PageServer, ProxyServer, RawServer, Step};
pub use killed_on_drop::KilledOnDrop;
pub use paper::{Paper, PaperPage};
pub use port::{ClosedPort, unused_port};
#[cfg(unix)]
pub use postgres::{Bouncer, CutProxy, Moment, PgServer};
pub use process_group::{ProcessGroup, children_of, cpu_seconds_of, listening_sockets, zombies_of};
pub use process_log::ProcessLog;
pub use scan::hrefs;
pub use scatter::scattered;
pub use server::{LOG_LIMIT, Log, LogDetail, RequestRecord, ServeOptions, Server};
pub use ships::{SHIP_FIELDS, ShipValue, has_motto, ship};
pub use site::{
    EncodedTruth, ExtraTruth, Extras, FailureKind, FailureTruth, LINKS_PER_PAGE, PathTruth, ProductTruth,
    RedirectTruth, Role, Site, SiteSpec, TrapTruth, Truth,
};
pub use worst::{Attack, ExpectedEnd, PAGE_SHAPES, PageShape, Size, WorstCase, worst_cases};
