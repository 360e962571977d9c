//! An HTTP/1.1 server on loopback with scripted responses.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// The request line.
    pub line: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body, or null if it is not JSON.
    pub body: Value,
}

impl ReceivedRequest {
    /// The first header with this name, in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The requested path and query.
    #[must_use]
    pub fn target(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }
}

/// A response of a fake server.
#[derive(Debug, Clone)]
pub struct FakeResponse {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// `Content-Length` claims more bytes than the server sends.
    pub truncated: bool,
}

impl FakeResponse {
    /// A status and a body.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), truncated: false }
    }

    /// 200 with JSON.
    #[must_use]
    pub fn json(body: &Value) -> Self {
        Self::new(200, body.to_string()).with("content-type", "application/json")
    }

    /// 200 with a page.
    #[must_use]
    pub fn html(body: &str) -> Self {
        Self::new(200, body).with("content-type", "text/html; charset=utf-8")
    }

    /// 404 with a page.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(404, "<h1>Not found</h1>").with("content-type", "text/html")
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Behaviour = dyn Fn(usize, &ReceivedRequest) -> FakeResponse + Send + Sync;

/// The server. It has one thread per connection and runs until the process ends.
#[derive(Debug)]
pub struct FakeServer {
    addr: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl FakeServer {
    /// Responds with `behaviour`, which gets the number of earlier requests and the request.
    #[must_use]
    pub fn start(
        behaviour: impl Fn(usize, &ReceivedRequest) -> FakeResponse + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let received: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
        let (behaviour, log): (Arc<Behaviour>, _) = (Arc::new(behaviour), Arc::clone(&received));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (behaviour, log) = (Arc::clone(&behaviour), Arc::clone(&log));
                std::thread::spawn(move || serve_connection(stream, behaviour.as_ref(), &log));
            }
        });
        Self { addr, received }
    }

    /// Sends the same response to every request.
    #[must_use]
    pub fn always(response: FakeResponse) -> Self {
        Self::start(move |_, _| response.clone())
    }

    /// The URL of this path, which starts with a slash.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// The requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap().clone()
    }

    /// The requests so far, in order. The server forgets them, and counts from 0 again.
    #[must_use]
    pub fn take_requests(&self) -> Vec<ReceivedRequest> {
        std::mem::take(&mut *self.received.lock().unwrap())
    }
}

fn serve_connection(mut stream: TcpStream, behaviour: &Behaviour, log: &Mutex<Vec<ReceivedRequest>>) {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 << 10];
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.lines();
    let line = lines.next().unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut received = ReceivedRequest { line, headers, body: Value::Null };
    let length: usize = received.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(read) => body.extend_from_slice(&chunk[..read]),
        }
    }
    received.body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let before = {
        let mut log = log.lock().unwrap();
        log.push(received.clone());
        log.len() - 1
    };
    let response = behaviour(before, &received);
    let claimed = response.body.len() + usize::from(response.truncated) * 100;
    let mut head_text =
        format!("HTTP/1.1 {} X\r\nContent-Length: {claimed}\r\nConnection: close\r\n", response.status);
    for (name, value) in &response.headers {
        head_text.push_str(&format!("{name}: {value}\r\n"));
    }
    head_text.push_str("\r\n");
    let _ = stream.write_all(head_text.as_bytes()).and_then(|()| stream.write_all(&response.body));
}
