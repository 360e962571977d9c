//! The door under attack: raw TCP servers on loopback, written here, against the public API.

#![expect(clippy::unwrap_used, clippy::string_slice, reason = "helpers of tests fail as tests do")]

mod fetcher {
    mod support;

    mod bodies; // encodings, limits, lying lengths, kinds
    mod cache; // copies: whose, how old, how whole
    mod connections; // which are kept, and where they lead
    mod cookies; // who gets back what, and that no job sees another's
    mod dns; // answers that are kept are judged all the same
    mod egress; // a canary listens where nobody may go
    mod failures; // every failure has its kind, and no secret in its words
    mod redirects; // chains, loops, methods, what another origin sees
    mod refresh; // redirects that the page itself asks for
    mod retries; // who is tried again, how often, and after what wait
    mod time; // one deadline for everything
    mod tls; // certificates, HTTP/2, the assumed scheme
}
