//! The site of the suite: its pages, and a log of its requests.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use url::Url;

pub(super) const PDF: &[u8] = b"%PDF-1.7 of the suite";
pub(super) const TEXT: &[u8] = b"Words of a text file.";
pub(super) const JSON: &[u8] = b"{\"words\":\"of a JSON file\"}";

/// A server on loopback until it is dropped. Every host name leads to it.
#[derive(Debug)]
pub(super) struct Site {
    address: SocketAddr,
    log: Arc<Log>,
    server: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Log {
    requests: Mutex<Vec<SiteRequest>>,
    /// The number of requests so far.
    count: watch::Sender<usize>,
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(super) struct SiteRequest {
    pub(super) path: String,
    /// The header lines, names in lower case.
    headers: Vec<(String, String)>,
}

impl SiteRequest {
    /// All values of a header.
    pub(super) fn headers(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }
}

impl Site {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let log = Arc::<Log>::default();
        let server = tokio::spawn(serve(listener, Arc::clone(&log)));
        Self { address, log, server }
    }

    pub(super) fn url(&self, host: &str, path: &str) -> Url {
        let url = Url::parse(&format!("http://{host}:{}{path}", self.address.port()));
        url.expect("the addresses of the suite are URLs")
    }

    /// The requests for a path so far.
    pub(super) fn requests(&self, path: &str) -> Vec<SiteRequest> {
        self.log.requests().iter().filter(|request| request.path == path).cloned().collect()
    }

    /// Forgets the requests so far.
    pub(super) fn clear(&self) {
        self.log.requests().clear();
    }

    /// Completes at the first request for a path since [`clear`](Self::clear).
    pub(super) async fn requested(&self, path: &str) {
        let mut count = self.log.count.subscribe();
        let _ = count.wait_for(|_| !self.requests(path).is_empty()).await;
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Log {
    /// Nothing panics while the lock is held.
    fn requests(&self) -> MutexGuard<'_, Vec<SiteRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn serve(listener: TcpListener, log: Arc<Log>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(converse(stream, Arc::clone(&log)));
    }
}

/// Answers the requests of a connection.
async fn converse(mut stream: TcpStream, log: Arc<Log>) {
    while let Some(request) = read(&mut stream).await {
        let answer = answer(&request);
        log.requests().push(request);
        log.count.send_modify(|count| *count += 1);
        match answer {
            Answer::Bytes(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Answer::Never => return pending().await,
            Answer::End => return,
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<SiteRequest> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    Some(SiteRequest { path, headers: lines.filter_map(header).collect() })
}

enum Answer {
    Bytes(Vec<u8>),
    Never,
    /// The connection ends without an answer.
    End,
}

fn answer(request: &SiteRequest) -> Answer {
    let port = request.headers("host").first().and_then(|host| host.split(':').nth(1)).unwrap_or("80");
    let at = |host: &str, path: &str| format!("http://{host}:{port}{path}");
    let html = |body: &str| respond("200 OK", &[("content-type", "text/html")], body.as_bytes());
    let moved = |to: &str| respond("302 Found", &[("location", to)], b"");
    match request.path.as_str() {
        "/" => html("<title>Start</title><p>The start page.</p>"),
        "/chain" => moved("/middle"),
        "/middle" => moved(&at("b.test", "/end")),
        "/end" => html("<p>The end of the chain.</p>"),
        "/astray" => moved("/refused"),
        "/embeds" => {
            let other = at("b.test", "/other.png");
            html(&format!("<p>Pictures.</p><img src=\"/own.png\"><img src=\"{other}\">"))
        }
        "/leaves" => moved(&at("b.test", "/stranger")),
        "/stranger" => html(&format!("<p>A stranger.</p><img src=\"{}\">", at("a.test", "/own.png"))),
        "/cookies" => {
            let headers = [("content-type", "text/html"), ("set-cookie", "site=2; Path=/")];
            respond("200 OK", &headers, b"<p>Cookies.</p><img src=\"/own.png\">")
        }
        "/own.png" | "/other.png" => {
            respond("200 OK", &[("content-type", "image/png")], b"\x89PNG\r\n\x1a\n")
        }
        "/text" => respond("200 OK", &[("content-type", "text/plain")], TEXT),
        "/json" => respond("200 OK", &[("content-type", "application/json")], JSON),
        "/pdf" => respond("200 OK", &[("content-type", "application/pdf")], PDF),
        "/slow" => html("<p>The part that came in time.</p><script async src=\"/never.js\"></script>"),
        "/never.js" => Answer::Never,
        "/broken" => Answer::End,
        _ => respond("404 Not Found", &[("content-type", "text/html")], b"<p>There is no such page.</p>"),
    }
}

fn respond(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    Answer::Bytes([head.as_bytes(), b"\r\n", body].concat())
}
