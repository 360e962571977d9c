//! Your own resolver of host names, here a table before the resolver of the system.
//!
//! `cargo run --release -p gleaner --example own_resolver -- URL [name=address ...]`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{collections::HashMap, error::Error, io, net::IpAddr, sync::Arc};

use gleaner::{BoxFuture, Engine, Network, Resolve, ScrapeRequest, SystemResolver};

/// The egress guard still checks each address.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) table: HashMap<String, IpAddr>,
    pub(crate) system: SystemResolver,
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        match self.table.get(host) {
            Some(address) => Box::pin(async move { Ok(vec![*address]) }),
            None => self.system.resolve(host),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let mut names = Names::default();
    for argument in arguments {
        let (name, address) = argument.split_once('=').ok_or("an entry is name=address")?;
        names.table.insert(name.to_owned(), address.parse()?);
    }
    let engine = Engine::builder().network(Network::new().resolver(Arc::new(names))).build()?;
    println!("{}", engine.scrape(ScrapeRequest::new(url)).await?.markdown.unwrap_or_default());
    Ok(())
}
