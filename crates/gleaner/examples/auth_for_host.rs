//! Signs in at one host: each request for one of its pages has a token, and no other request has it.
//!
//! `cargo run --release -p gleaner --example auth_for_host -- https://members.example/ members.example TOKEN`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{error::Error, sync::Arc};

use gleaner::hooks::{HookError, PageHooks, RequestDraft};
use gleaner::{BoxFuture, CrawlRequest, Engine};

pub(crate) struct Login {
    pub(crate) host: String,
    pub(crate) token: String,
}

impl PageHooks for Login {
    // It is async, so it may also fetch a token. A redirect to another origin loses what it sets.
    fn prepare<'a>(&'a self, request: &'a mut RequestDraft<'_>) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            if request.url().host_str() == Some(self.host.as_str()) {
                request.set_header("Authorization", format!("Bearer {}", self.token));
            }
            Ok(())
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = || arguments.next().ok_or("the arguments are URL HOST TOKEN");
    let (url, login) = (argument()?, Login { host: argument()?, token: argument()? });
    let engine = Engine::builder().hooks(Arc::new(login)).build()?;
    let mut job = engine.crawl(CrawlRequest::new(url).limit(100)).await?;
    while let Some(page) = job.next().await.transpose()? {
        println!("{:?} {}", page.metadata.status_code, page.metadata.url.unwrap_or_default());
    }
    Ok(())
}
