//! Benchmarks of gleaner, each beside its floor.
//!
//! A figure alone says little: what a page costs depends on the machine and the page. So everything that is measured
//! stands beside the least that any program must do for the same end (the *floor*), over the same pages of a
//! generated site, and the ratio is what counts.
//!
//! - `cargo bench -p gleaner-benches` runs the criterion groups, a file for each crate or step (`benches/`):
//!   `request` (types), `frontier`, `fetch`, `parse` and `transform`, `pdf`, `extract`, `store`, and `crawl`, which is all
//!   of them at work. `cargo bench -p gleaner-benches --bench store` runs one file.
//! - `floor` and `gleaner-crawl` (`src/bin`) are whole programs that crawl one site once and print what it cost, so
//!   that a tool which counts instructions can be put around either. The site is best served by another process:
//!   `cargo run --release -p gleaner-testkit --example site -- --port 8080 --pages 20000`.
//! - `instructions` puts valgrind around them and prints the ratios, `scaling` crawls with one worker thread and with
//!   two, `tarpit` measures what a host that never answers costs the others, `neighbour` what a hostile team costs an
//!   innocent one, `growth` how the cost of pages that are made to hurt grows with their size, and `watchdog` what each
//!   of the worst cases costs everybody else, and whether it ends in time. Each is
//!   `cargo run --release -p gleaner-benches --bin NAME`, after `cargo build --release -p gleaner-benches --bins`.

pub mod child;
pub mod engine;
pub mod floor;
mod report;
mod sample;

pub use report::{Report, peak_memory};
pub use sample::{ORIGIN, Page, graph, page_number, pages};
