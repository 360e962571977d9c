//! A process of the engine, which works on the jobs of a database. It crawls the sites whose start pages it
//! reads from standard input, one a line, and stops at its end.

use std::io::{self, BufRead as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use gleaner::CrawlRequest;
use gleaner::plan::SitemapMode;
use gleaner::request::Format;
use gleaner_benches::engine::loopback;
use gleaner_postgres::{PostgresConfig, PostgresStore};
use gleaner_testkit::KilledOnDrop;

use crate::{Failure, runtime};

/// The argument with which the program starts itself as such a process.
pub(crate) const CHILD: &str = "--child";

/// Works with at most this many pages at once.
pub(crate) fn run(url: &str, schema: &str, concurrency: u32) -> Result<(), Failure> {
    let runtime = runtime()?;
    let engine = runtime.block_on(async {
        let mut config = PostgresConfig::new(url);
        schema.clone_into(&mut config.schema);
        let frontier = &mut config.memory.frontier;
        frontier.max_in_flight = concurrency;
        (frontier.initial_per_host, frontier.max_per_host) = (concurrency, concurrency);
        let store = Arc::new(PostgresStore::open(config).await?);
        let engine = loopback().concurrency(concurrency).store(store).build()?;
        engine.resume().await;
        Ok::<_, Failure>(engine)
    })?;
    println!("ready");
    for start in io::stdin().lock().lines() {
        let start = start?;
        let request =
            CrawlRequest::new(start).limit(1_000_000).sitemap(SitemapMode::Skip).formats([Format::Markdown]);
        let _id = runtime.block_on(engine.crawl(request))?.detach();
    }
    runtime.block_on(engine.stop());
    Ok(())
}

/// Such a process.
pub(crate) struct Process {
    child: KilledOnDrop,
}

impl Process {
    /// Starts it and waits until it works.
    pub(crate) fn start(url: &str, schema: &str, concurrency: u32) -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([CHILD, url, schema, &concurrency.to_string()]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut process = Self { child: KilledOnDrop(child) };
        let mut line = String::new();
        if let Some(out) = process.child().stdout.take() {
            io::BufReader::new(out).read_line(&mut line)?;
        }
        if line.trim() == "ready" { Ok(process) } else { Err("a process did not start".into()) }
    }

    fn child(&mut self) -> &mut Child {
        &mut self.child.0
    }

    /// Lets it crawl the site with this start page.
    pub(crate) fn crawl(&mut self, start: &str) -> Result<(), Failure> {
        let input = self.child().stdin.as_mut().ok_or("the process has no input")?;
        writeln!(input, "{start}")?;
        Ok(input.flush()?)
    }

    /// Ends it in an orderly way.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        drop(self.child().stdin.take());
        let status = self.child().wait()?;
        if status.success() { Ok(()) } else { Err(format!("a process ended with {status}").into()) }
    }
}
