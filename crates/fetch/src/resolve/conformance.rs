//! The test suite for every [`Resolve`] implementation.

#![expect(clippy::expect_used, reason = "a rule that is broken ends the suite")]

use std::collections::BTreeSet;
use std::io;
use std::net::IpAddr;

use futures_util::FutureExt as _;
use futures_util::future::join_all;

use super::{MAX_ANSWERS, Resolve};

/// Lookups at once.
const LOOKUPS: usize = 64;

/// What every [`Resolve`] must do. `name` has the same addresses during the suite, as `localhost` has.
/// `missing` does not exist; without one, failures are not tested.
///
/// # Panics
/// If the resolver breaks a rule of its contract.
pub async fn resolve(resolver: &dyn Resolve, name: &str, missing: Option<&str>) {
    let addresses = lookup(resolver, name).await;
    assert!(!addresses.is_empty(), "a name that exists has an address");
    assert!(addresses.len() <= MAX_ANSWERS, "a name has at most {MAX_ANSWERS} addresses");
    assert!(lookup(resolver, name).await == addresses, "a second lookup has the same answer");

    let answer = resolver.resolve_with_ttl(name).await.expect("the name exists");
    assert!(set(answer.addresses) == addresses, "the answer with its time to live has the same addresses");

    for found in join_all((0..LOOKUPS).map(|_| lookup(resolver, name))).await {
        assert!(found == addresses, "lookups at once have the same answer");
    }

    for _ in 0..LOOKUPS {
        drop(resolver.resolve(name).now_or_never());
    }
    assert!(lookup(resolver, name).await == addresses, "dropped lookups do not block later ones");

    let Some(missing) = missing else { return };
    for _ in 0..2 {
        let kind = resolver.resolve(missing).await.err().map(|error| error.kind());
        assert_eq!(kind, Some(io::ErrorKind::NotFound), "the error of a name that does not exist");
        let kind = resolver.resolve_with_ttl(missing).await.err().map(|error| error.kind());
        assert_eq!(kind, Some(io::ErrorKind::NotFound), "the same with a time to live");
    }
    assert!(lookup(resolver, name).await == addresses, "a failed lookup affects no other name");
}

async fn lookup(resolver: &dyn Resolve, name: &str) -> BTreeSet<IpAddr> {
    set(resolver.resolve(name).await.expect("the name exists"))
}

fn set(addresses: Vec<IpAddr>) -> BTreeSet<IpAddr> {
    addresses.into_iter().collect()
}
