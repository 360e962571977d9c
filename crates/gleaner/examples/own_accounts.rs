//! Your own accounts: your keys open the job service, and you learn what each job used.
//!
//! `cargo run --release -p gleaner --example own_accounts -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::sync::Arc;

use gleaner::service::{Accounts, SubmitContext, Team, TeamId};
use gleaner::{BoxFuture, Document, Engine, JobError, JobId, ScrapeRequest};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// One key; what its jobs use goes on a bill. Accounts with balances implement further methods.
#[derive(Debug)]
pub(crate) struct Bills(pub(crate) UnboundedSender<u64>);

impl Accounts for Bills {
    fn authenticate<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Team>, JobError>> {
        Box::pin(async move { Ok((key == "secret").then(|| Team::new(TeamId::new("birds")))) })
    }
    fn settle<'a>(&'a self, _: &'a TeamId, _: JobId, used: u64) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(async move { self.0.send(used).map_err(|_| JobError::failed("nobody reads the bills")) })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    let (sender, mut bills) = unbounded_channel();
    let engine = Engine::builder().accounts(Arc::new(Bills(sender))).build()?;
    println!("{}", scrape(&engine, "secret", &url).await?.markdown.unwrap_or_default());
    println!("credits: {:?}", bills.recv().await);
    Ok(())
}

pub(crate) async fn scrape(engine: &Engine, key: &str, url: &str) -> Result<Document, JobError> {
    let team = engine.service().authenticate(key).await?;
    let plan = ScrapeRequest::new(url).check()?;
    engine.service().scrape(&team, plan, SubmitContext::default()).await
}
