//! The fetcher against raw TCP servers on loopback, through the public API.

#![expect(clippy::unwrap_used, clippy::string_slice, reason = "test helpers may panic")]

mod fetcher {
    mod support;

    mod bodies; // codings, limits, wrong lengths, media types
    mod cache; // which copies are kept and served
    mod cache_sharing; // one fetch for concurrent requests
    mod connections; // which are kept, and their addresses
    mod cookies; // which requests get which cookies
    mod dns; // the policy also checks cached answers
    mod egress; // a canary listens on forbidden addresses
    mod failures; // every failure has its kind, and its text no secrets
    mod redirects; // chains, loops, methods, headers for another origin
    mod refresh; // redirects by `Refresh`
    mod render; // the network of a browser
    mod time; // deadlines and timeouts
    mod tls; // certificates, HTTP/2, the assumed scheme
}
