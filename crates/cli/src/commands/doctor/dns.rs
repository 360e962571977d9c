//! The name servers: a host resolves.

use std::io;

use gleaner::{Resolve as _, SystemResolver};

use super::finding::Finding;

const CHECK: &str = "dns";

const OFFLINE: &str = "connect to the network, or check the name servers; without a network, gleaner demo and \
                       gleaner convert work";

pub(super) fn late(host: &str) -> Finding {
    Finding::note(CHECK, format!("{host}: the name servers do not answer"), OFFLINE)
}

pub(super) async fn check(host: &str) -> Vec<Finding> {
    vec![finding(host, &SystemResolver::default().resolve(host).await.map(|addresses| addresses.len()))]
}

/// The finding for the number of addresses of `host`.
fn finding(host: &str, answer: &io::Result<usize>) -> Finding {
    match answer {
        Ok(1..) => Finding::ok(CHECK, format!("{host} resolves")),
        Ok(0) => Finding::note(CHECK, format!("{host} has no address"), OFFLINE),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Finding::note(CHECK, format!("{host} does not exist, or this machine is offline"), OFFLINE)
        }
        Err(_) => Finding::note(CHECK, format!("{host} does not resolve: the resolver failed"), OFFLINE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_network_is_not_broken() {
        let failed = |kind| Err(io::Error::from(kind));
        for (answer, line) in [
            (Ok(2), "ok "),
            (Ok(0), "note "),
            (failed(io::ErrorKind::NotFound), "note "),
            (failed(io::ErrorKind::Other), "note "),
        ] {
            assert!(finding("a.example", &answer).lines().starts_with(line), "{answer:?}");
        }
    }
}
