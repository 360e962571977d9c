//! Benchmarks of gleaner, each compared with its floor.
//!
//! The cost of a page depends on the machine and the page, so a figure alone says little. Each measurement is
//! compared with the least work that any program must do for the same result (the *floor*), over the same
//! pages of a generated site. The ratio is the result.
//!
//! - `cargo bench -p gleaner-benches` runs the criterion groups, one file for each crate or step
//!   (`benches/`): `request` (types), `frontier`, `fetch`, `browser`, `parse` and `transform`, `pdf`,
//!   `extract`, `store`, and `crawl`, which combines them. `cargo bench -p gleaner-benches --bench store`
//!   runs one file.
//! - `floor` and `gleaner-crawl` (`src/bin`) are programs that crawl a site once and print the cost, so that
//!   a tool that counts instructions can run either. Serve the site from another process: `cargo run
//!   --release -p gleaner-testkit --example site -- --port 8080 --pages 20000`.
//! - `instructions` runs them under valgrind and prints the ratios.
//! - `scaling` crawls with one worker thread and with two.
//! - `tarpit` measures how much a host that never responds slows the others.
//! - `neighbour` measures how much a hostile team slows another team; `neighbour pdfs`, how much 20 hostile
//!   PDFs at once slow a good one.
//! - `growth` measures how the cost of hostile pages grows with their size.
//! - `watchdog` measures how much each worst case delays other clients, and whether it ends in time.
//! - `flood` measures the memory of a server whose clients do not read its responses, and the latency of
//!   other clients during that.
//! - `durable` measures the durable store: its cost beside the memory store, its rate, and its size on disk.
//! - `coordination` measures the store of many processes in PostgreSQL: its rate beside a plain queue with a
//!   row for each page, a large backlog, two processes beside one, and a restart of the server. It needs an
//!   installed PostgreSQL.
//! - `evaluate` measures quality on pages and files with truth, whose folders are its arguments.
//!   `peers/markdown.py` writes the Markdown of other tools for it.
//! - `resume` kills a crawl of the command ten times, and checks what it fetched.
//! - `embedding` builds a small program that embeds gleaner, from nothing, and prints what that costs. It needs
//!   the crates of the workspace downloaded, or the network.
//! - `rendering` measures the browser: leaked processes and files, speed compared with Playwright, when pages
//!   are ready, and how long pages wait when a browser hangs. It prints the goal of each figure.
//!
//! Run each with `cargo run --release -p gleaner-benches --bin NAME`, after
//! `cargo build --release -p gleaner-benches --bins`.

pub mod child;
pub mod engine;
pub mod floor;
mod prober;
mod program;
mod report;
mod sample;
mod usage;

pub use prober::{AFTER_LOAD, PROBE_INTERVAL, ProbeLatencies, Prober};
pub use program::{Failure, run_program};
pub use report::Report;
pub use sample::{ORIGIN, Page, graph, page_number, pages};
pub use usage::{
    peak_memory, peak_memory_of, reset_peak_memory, resident_memory, resident_memory_of, written_bytes,
};
