//! A server for the demo site, on a loopback port that the system chooses.

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use super::site::{Answer, Site};

/// Upper bound on simultaneous connections.
const MAX_CONNECTIONS: usize = 64;

/// The delay of each response. It makes progress visible, as with a remote site.
const LATENCY: Duration = Duration::from_millis(40);

/// A running server. Dropping it stops it and closes its connections.
#[derive(Debug)]
pub(crate) struct Server {
    origin: String,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Serves the site on a free port of 127.0.0.1, which no other machine can reach.
    ///
    /// # Errors
    /// The system has no free port.
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let site = Arc::new(Site::at(&origin));
        Ok(Self { origin, accepting: tokio::spawn(accept(listener, site)) })
    }

    /// The site's origin: `http://127.0.0.1:PORT`, without a trailing slash.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts connections until it is aborted. Its connections end with it.
async fn accept(listener: TcpListener, site: Arc<Site>) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        // After a failed accept, for example without free descriptors, wait until a connection ends and
        // returns its permit.
        let Ok((stream, _)) = listener.accept().await else {
            connections.join_next().await;
            continue;
        };
        let site = Arc::clone(&site);
        connections.spawn(async move {
            serve(stream, &site).await;
            drop(permit);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Serves one connection to its end.
async fn serve(stream: TcpStream, site: &Site) {
    let service = service_fn(|request| async move { Ok::<_, Infallible>(respond(&request, site).await) });
    // An error here means that the client disconnected, which is no error of the server.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(10))
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn respond(request: &Request<Incoming>, site: &Site) -> Response<Full<Bytes>> {
    tokio::time::sleep(LATENCY).await;
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "This site is for reading.\n");
    }
    match site.answer(request.uri().path()) {
        Answer::File { content_type, body } => {
            let mut response = Response::new(Full::new(body));
            response.headers_mut().insert(CONTENT_TYPE, content_type.parse().unwrap_or(TEXT));
            response
        }
        Answer::Moved(path) => {
            let mut response = plain(StatusCode::MOVED_PERMANENTLY, "This page has moved.\n");
            if let Ok(location) = path.parse() {
                response.headers_mut().insert(LOCATION, location);
            }
            response
        }
        Answer::Missing => {
            let mut response = plain(StatusCode::NOT_FOUND, NOT_FOUND);
            response.headers_mut().insert(CONTENT_TYPE, HTML);
            response
        }
    }
}

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const NOT_FOUND: &str = "<!doctype html><html lang=\"en\"><title>Not found | Larkfield Tea House</title>\
    <h1>No such page</h1><p>Perhaps it was on the other towpath. <a href=\"/\">Back to the tea house</a>.</p>\
    </html>\n";

fn plain(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, TEXT);
    response
}
