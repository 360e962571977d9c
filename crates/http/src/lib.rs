//! The web-data API over HTTP: [`Service`] is a `tower::Service` over the types of the `http` crate. It opens no socket;
//! the program that embeds it does, and mounts it where it likes.
//!
//! With axum:
//!
//! ```no_run
//! use gleaner::Engine;
//! use gleaner_http::Service;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Engine::builder().build()?;
//! let app = axum::Router::new().fallback_service(Service::new(engine));
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
//! axum::serve(listener, app).await?;
//! # Ok(())
//! # }
//! ```
//!
//! `axum::serve` bounds neither connections nor the time that the head of a request takes. A server that strangers reach
//! should bound both, as the example `host` does it with hyper.
//!
//! Or called by hand, as a test does:
//!
//! ```
//! use gleaner::Engine;
//! use gleaner_http::Service;
//! use http_body_util::{BodyExt, Empty};
//! use tower_service::Service as _;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut service = Service::new(Engine::builder().build()?);
//! let request = http::Request::get("/v2/team/queue-status").body(Empty::<bytes::Bytes>::new())?;
//! let response = service.call(request).await?;
//! assert_eq!(response.status(), 401);
//! let body = response.into_body().collect().await?.to_bytes();
//! assert_eq!(body, r#"{"success":false,"error":"Unauthorized: Token missing"}"#);
//! # Ok(())
//! # }
//! ```
//!
//! [`openapi`] describes all of it as an OpenAPI 3.1 document, which the service answers `GET /openapi.json` with.
//!
//! What it does is little: it finds the operation in a table, reads key, identifier, query and body, lets the
//! [desk](gleaner::service) of the engine do the work, and writes down what came of it. Whatever is a rule of the contract
//! is held by the crates behind it, and holds for programs without a wire too.

mod answers;
mod auth;
mod blocking;
mod body;
mod checks;
mod document;
mod failure;
mod operation;
mod origin;
mod query;
mod routes;
mod service;
mod watch;

pub use body::BODY_TIMEOUT;
pub use checks::{MAX_CHECKS, MAX_CHECKS_OF_TEAM};
pub use document::openapi;
pub use service::Service;
pub use watch::{CLOSE_TIMEOUT, MAX_WATCHERS, MAX_WATCHERS_OF_TEAM, PING_EVERY, SEND_TIMEOUT};
