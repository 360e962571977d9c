//! The web-data API behind axum, beside a route of your own. Ctrl-C ends it in order.
//!
//! `cargo run --release -p gleaner-http --example axum_service -- 127.0.0.1:8080`, then
//! `curl -H 'Authorization: Bearer secret' -H 'Content-Type: application/json' \
//!     -d '{"url": "https://example.com"}' http://127.0.0.1:8080/v2/scrape`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::sync::Arc;

use axum::{Router, routing::get};
use gleaner::Engine;
use gleaner::service::{MemoryAccounts, Team, TeamConfig, TeamId};
use gleaner_http::Service;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    // One team. `Accounts` is the trait for a list of teams of your own.
    let team = TeamConfig::new(Team::new(TeamId::new("me")));
    let accounts = MemoryAccounts::new().with_team("secret", team);
    let engine = Engine::builder().accounts(Arc::new(accounts)).build()?;
    let app = router(engine.clone());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    // A public server also limits connections and the time for the head of a request: see `host.rs`.
    axum::serve(listener, app).with_graceful_shutdown(ctrl_c()).await?;
    engine.stop().await;
    Ok(())
}

pub(crate) fn router(engine: Engine) -> Router {
    Router::new().route("/health", get(|| async { "ok" })).fallback_service(Service::new(engine))
}

async fn ctrl_c() {
    // Without a handler for it, Ctrl-C ends the program at once.
    let _ = tokio::signal::ctrl_c().await;
}
