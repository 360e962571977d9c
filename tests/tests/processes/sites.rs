//! The sites: many hosts on different addresses of the loopback network, and the log of their requests.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gleaner_testkit::scattered;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::graph::Graph;

/// Hosts with one address: some hosts share theirs with the next.
const HOSTS_PER_ADDRESS: usize = 2;

/// The address of a host.
pub(crate) fn address(host: usize) -> Ipv4Addr {
    let number = u8::try_from(host / HOSTS_PER_ADDRESS).unwrap();
    Ipv4Addr::new(127, 77, 0, number + 1)
}

/// A request for a page.
#[derive(Debug, Clone)]
pub(crate) struct Visit {
    pub(crate) page: usize,
    pub(crate) host: String,
    /// The user agent, which names the process.
    pub(crate) agent: String,
    /// Distinguishes connections.
    pub(crate) connection: u64,
    pub(crate) started: Duration,
    /// When its response was ready, or its client was gone.
    pub(crate) finished: Duration,
}

/// All sites. They end when this is dropped.
pub(crate) struct Sites {
    pub(crate) port: u16,
    shared: Arc<Shared>,
    _runtime: Runtime,
}

struct Shared {
    graph: Graph,
    port: u16,
    start: Instant,
    visits: Mutex<Vec<Visit>>,
    connections: Mutex<u64>,
}

impl Sites {
    pub(crate) fn start(graph: Graph, hosts: usize) -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().unwrap();
        let addresses = hosts.div_ceil(HOSTS_PER_ADDRESS);
        let listeners = runtime.block_on(async {
            let first = TcpListener::bind((address(0), 0)).await.unwrap();
            let port = first.local_addr().unwrap().port();
            let mut listeners = vec![first];
            for number in 1..addresses {
                listeners.push(TcpListener::bind((address(number * HOSTS_PER_ADDRESS), port)).await.unwrap());
            }
            listeners
        });
        let port = listeners[0].local_addr().unwrap().port();
        let (visits, connections) = Default::default();
        let shared = Arc::new(Shared { graph, port, start: Instant::now(), visits, connections });
        for listener in listeners {
            runtime.spawn(accept(listener, Arc::clone(&shared)));
        }
        Self { port, shared, _runtime: runtime }
    }

    /// The time since the start of the log.
    pub(crate) fn now(&self) -> Duration {
        self.shared.start.elapsed()
    }

    pub(crate) fn visits(&self) -> Vec<Visit> {
        self.shared.visits.lock().unwrap().clone()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Probably out of file descriptors: wait until some are released.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        let connection = {
            let mut connections = shared.connections.lock().unwrap();
            *connections += 1;
            *connections
        };
        tokio::spawn(async move {
            let answer = |request| {
                let shared = Arc::clone(&shared);
                async move { Ok::<_, Infallible>(answer(request, connection, shared).await) }
            };
            // A client that is killed breaks its connections.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer)).await;
        });
    }
}

async fn answer(request: Request<Incoming>, connection: u64, shared: Arc<Shared>) -> Response<Full<Bytes>> {
    let Some(page) = shared.begin(&request, connection) else {
        let mut response = Response::new(Full::from("There is no such page."));
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    };
    let html = shared.graph.html(page.number, shared.port);
    let in_work = InWork { shared, index: page.index };
    tokio::time::sleep(Duration::from_millis(2 + scattered(page.number as u64, 12))).await;
    drop(in_work);
    let mut response = Response::new(Full::from(html));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

/// The number of a requested page, and the index of its visit.
struct Page {
    number: usize,
    index: usize,
}

impl Shared {
    /// Records the start of a request for a page.
    fn begin(&self, request: &Request<Incoming>, connection: u64) -> Option<Page> {
        let number = request.uri().path().trim_start_matches('/').parse().ok()?;
        let text = |name| {
            let value = request.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (host, agent, started) = (text(HOST), text(USER_AGENT), self.start.elapsed());
        let finished = Duration::MAX;
        let mut visits = self.visits.lock().unwrap();
        visits.push(Visit { page: number, host, agent, connection, started, finished });
        Some(Page { number, index: visits.len() - 1 })
    }
}

/// A request in work. Its end is recorded when this is dropped, also with its connection.
struct InWork {
    shared: Arc<Shared>,
    index: usize,
}

impl Drop for InWork {
    fn drop(&mut self) {
        let now = self.shared.start.elapsed();
        self.shared.visits.lock().unwrap()[self.index].finished = now;
    }
}
