//! The web-data API over HTTP: [`Service`] is a `tower::Service` over the types of the `http` crate. It opens
//! no socket; the program that embeds it mounts it on its own server.
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
//! `axum::serve` limits neither the number of connections, nor the time for the head of a request, nor that
//! for a client to read. A public server should limit all three, as the example `host` does with hyper.
//!
//! Called directly, as in a test:
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
//! [`openapi`] returns the description of the API as an OpenAPI 3.1 document, which is also the response to
//! `GET /openapi.json`.
//!
//! The crate is a thin layer: it finds the operation in a route table, reads key, identifier, query and body,
//! calls the [job service](gleaner::service) of the engine, and serializes the result. The crates below
//! enforce the rules of the contract, so the rules also apply to programs that use the engine without HTTP.

mod auth;
mod blocking;
mod body;
mod checks;
mod document;
mod failure;
mod lists;
mod operation;
mod origin;
mod query;
mod response_body;
mod responses;
mod routes;
mod service;
mod team_slots;
mod watch;

pub use body::BODY_TIMEOUT;
pub use checks::{MAX_CHECKS, MAX_CHECKS_PER_TEAM};
pub use document::openapi;
pub use response_body::{BodyError, ResponseBody, UNREAD_TIMEOUT};
pub use service::Service;
pub use watch::{CLOSE_TIMEOUT, MAX_WATCHERS, MAX_WATCHERS_PER_TEAM, PING_EVERY, SEND_TIMEOUT};
