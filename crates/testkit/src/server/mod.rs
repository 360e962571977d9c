//! Serves a generated site over HTTP/1.1 on loopback.

mod body;
mod log;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue, LOCATION, RETRY_AFTER};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::background::{Background, stopped};
use crate::site::Site;
use crate::site::extras::{self, Reply};
use body::ReplyBody;
use log::{Entry, Recorder};
pub use log::{LOG_LIMIT, Log, LogDetail, RequestRecord};
use wire::Wire;

/// Time that requests in progress get to complete when the server is dropped.
const GRACE: Duration = Duration::from_millis(200);

/// Address, port and log detail of a [`Server`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeOptions {
    /// The address to bind. Default 127.0.0.1.
    pub address: IpAddr,
    /// The port. Default 0, with which the system assigns one.
    pub port: u16,
    /// What the log records of each request. Default [`LogDetail::Requests`].
    pub log: LogDetail,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0, log: LogDetail::default() }
    }
}

/// Serves a site on its own thread until it is dropped.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    shared: Arc<Shared>,
    _background: Background,
}

#[derive(Debug)]
struct Shared {
    site: Site,
    recorder: Arc<Recorder>,
    serial: AtomicU64,
    /// Number of failed responses so far, for each path that recovers.
    failed: Mutex<HashMap<String, u32>>,
}

impl Server {
    pub(crate) fn start(site: Site, options: ServeOptions) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((options.address, options.port))?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let shared = Arc::new(Shared {
            site,
            recorder: Arc::new(Recorder::new(options.log)),
            serial: AtomicU64::new(0),
            failed: Mutex::default(),
        });
        let served = Arc::clone(&shared);
        let background = Background::start("generated-site", move |stop| accept(listener, served, stop))?;
        Ok(Self { addr, shared, _background: background })
    }

    /// The address that it listens on.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The absolute URL of a path: `server.url("/p/1")`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// The requests so far.
    #[must_use]
    pub fn log(&self) -> Log {
        self.shared.recorder.log()
    }

    /// Number of requests so far, counted at every [`LogDetail`].
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.shared.serial.load(Ordering::SeqCst)
    }
}

async fn accept(listener: std::net::TcpListener, shared: Arc<Shared>, mut stop: watch::Receiver<bool>) {
    let listener = TcpListener::from_std(listener).expect("a listener on a running runtime");
    let mut connections = JoinSet::new();
    let mut number = 0;
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    number += 1;
                    connections.spawn(converse(stream, number, Arc::clone(&shared), stop.clone()));
                }
                // Probably out of file descriptors: wait until some are released.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(GRACE, all).await;
}

/// Answers the requests of one connection.
async fn converse(stream: TcpStream, connection: u64, shared: Arc<Shared>, mut stop: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let reset = Arc::new(AtomicBool::new(false));
    let wire = TokioIo::new(Wire::new(stream, Arc::clone(&reset)));
    let service = service_fn(|request| {
        let (shared, reset) = (Arc::clone(&shared), Arc::clone(&reset));
        async move { answer(&shared, request, connection, &reset).await }
    });
    let mut served = pin!(hyper::server::conn::http1::Builder::new().serve_connection(wire, service));
    tokio::select! {
        _ = served.as_mut() => return,
        () = stopped(&mut stop) => {}
    }
    served.as_mut().graceful_shutdown();
    let _ = served.await;
}

/// Ends the connection without a response.
type Broken = io::Error;

async fn answer<B>(
    shared: &Shared,
    request: Request<B>,
    connection: u64,
    reset: &AtomicBool,
) -> Result<Response<ReplyBody>, Broken> {
    let serial = shared.serial.fetch_add(1, Ordering::SeqCst);
    let entry = shared.recorder.open(&request, connection);
    let (path, query) = (request.uri().path(), request.uri().query());
    let hold = shared.site.hold(path);
    if !hold.is_zero() {
        tokio::time::sleep(hold).await;
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Ok(html(StatusCode::METHOD_NOT_ALLOWED, "<h1>Method not allowed</h1>".into(), entry));
    }
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let origin = format!("http://{host}");
    let Some(reply) = shared.site.reply(path, query, &origin, serial) else {
        let text =
            "<!doctype html>\n<title>Not found</title>\n<h1>Not found</h1>\n<p>There is no such page.</p>\n";
        return Ok(html(StatusCode::NOT_FOUND, text.into(), entry));
    };
    match reply {
        Reply::Body { status, content_type, body } => {
            let mut response = Response::new(ReplyBody::whole(body.bytes(&origin), entry));
            *response.status_mut() = StatusCode::from_u16(status).expect("the site has valid statuses");
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
            Ok(noted(response))
        }
        Reply::Redirect { status, location } => {
            let status = StatusCode::from_u16(status).expect("the site has valid statuses");
            let mut response = html(status, "<h1>Moved</h1>".into(), entry);
            response.headers_mut().insert(LOCATION, HeaderValue::from_str(&location).expect("a path"));
            Ok(response)
        }
        Reply::Recovers { status, failures, then } => {
            if shared.fails_again(path, failures) {
                let status = StatusCode::from_u16(status).expect("the site has valid statuses");
                let mut response = html(status, "<h1>Try again</h1>".into(), entry);
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("0"));
                return Ok(response);
            }
            Ok(html(StatusCode::OK, then.bytes(&origin), entry))
        }
        Reply::Slow { delay, body } => {
            tokio::time::sleep(delay).await;
            Ok(html(StatusCode::OK, body.bytes(&origin), entry))
        }
        Reply::Truncated { body, promised } => {
            let mut response = Response::new(ReplyBody::truncated(body, promised as u64, entry));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(extras::HTML));
            Ok(noted(response))
        }
        Reply::Reset => {
            reset.store(true, Ordering::SeqCst);
            Err(io::ErrorKind::ConnectionReset.into())
        }
        Reply::Closed => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}

impl Shared {
    fn fails_again(&self, path: &str, failures: u32) -> bool {
        let mut failed = self.failed.lock().expect("no holder panics");
        let count = failed.entry(path.to_owned()).or_default();
        let fails = *count < failures;
        *count += u32::from(fails);
        fails
    }
}

fn html(status: StatusCode, body: Bytes, entry: Entry) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::whole(body, entry));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(extras::HTML));
    noted(response)
}

/// Records the status of a response in its log entry.
fn noted(response: Response<ReplyBody>) -> Response<ReplyBody> {
    response.body().note(response.status().as_u16());
    response
}
