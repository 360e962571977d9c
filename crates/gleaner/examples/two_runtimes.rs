//! One engine in two tokio runtimes, one after the other, and then in code that has none.
//!
//! `cargo run --release -p gleaner --example two_runtimes -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::task::{Context, Poll, Wake, Waker};
use std::{error::Error, pin::pin, sync::Arc, thread, thread::Thread};

use gleaner::{CrawlRequest, Engine, tokio::runtime::Builder, tokio::runtime::Runtime};

fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    println!("{} pages", crawl(&Engine::builder().build()?, &url)?);
    Ok(())
}

pub(crate) fn crawl(engine: &Engine, url: &str) -> Result<u64, Box<dyn Error>> {
    let mut job = Runtime::new()?.block_on(engine.crawl(CrawlRequest::new(url).limit(100)))?;
    // That runtime has ended. The crawl goes on, because the engine has one of its own.
    Builder::new_current_thread().build()?.block_on(job.next()).transpose()?;
    Ok(block_on(job.wait())?.snapshot.completed) // waits without any runtime
}

struct Unpark(Thread);
impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
