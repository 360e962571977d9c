//! An HTTP/1.1 service on loopback with scripted answers.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The request line.
    pub line: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body; null where it is no JSON.
    pub body: Value,
}

impl Asked {
    /// The first header of this name, which is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The path and query that are asked for.
    #[must_use]
    pub fn target(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }
}

/// What a fake says.
#[derive(Debug, Clone)]
pub struct Says {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Claims more bytes than it sends.
    pub breaks_off: bool,
}

impl Says {
    /// A status and a body.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), breaks_off: false }
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

    /// 404 with a page that says so.
    #[must_use]
    pub fn missing() -> Self {
        Self::new(404, "<h1>Not found</h1>").with("content-type", "text/html")
    }

    /// The same with one more header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Behaviour = dyn Fn(usize, &Asked) -> Says + Send + Sync;

/// The service. It has one thread for each connection, and serves for the rest of the process.
#[derive(Debug)]
pub struct Fake {
    addr: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Fake {
    /// Answers by a function of how many requests came before and of the request.
    #[must_use]
    pub fn start(behaviour: impl Fn(usize, &Asked) -> Says + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (behaviour, kept): (Arc<Behaviour>, _) = (Arc::new(behaviour), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (behaviour, kept) = (Arc::clone(&behaviour), Arc::clone(&kept));
                std::thread::spawn(move || converse(stream, behaviour.as_ref(), &kept));
            }
        });
        Self { addr, asked }
    }

    /// Says the same to everyone.
    #[must_use]
    pub fn saying(says: Says) -> Self {
        Self::start(move |_, _| says.clone())
    }

    /// The address of this path, which begins with a slash.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// The requests so far, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn converse(mut stream: TcpStream, behaviour: &Behaviour, kept: &Mutex<Vec<Asked>>) {
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
    let mut asked = Asked { line, headers, body: Value::Null };
    let length: usize = asked.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(read) => body.extend_from_slice(&chunk[..read]),
        }
    }
    asked.body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let before = {
        let mut kept = kept.lock().unwrap();
        kept.push(asked.clone());
        kept.len() - 1
    };
    let says = behaviour(before, &asked);
    let claimed = says.body.len() + usize::from(says.breaks_off) * 100;
    let mut answer =
        format!("HTTP/1.1 {} X\r\nContent-Length: {claimed}\r\nConnection: close\r\n", says.status);
    for (name, value) in &says.headers {
        answer.push_str(&format!("{name}: {value}\r\n"));
    }
    answer.push_str("\r\n");
    let _ = stream.write_all(answer.as_bytes()).and_then(|()| stream.write_all(&says.body));
}
