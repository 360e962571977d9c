//! A server of a few pages, selected by request target, with any size and headers.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::raw::read_head;
use crate::background::{Background, stopped};

/// The target of the default page, which answers all targets without a page.
const ANY: &str = "*";

/// The response of a [`PageServer`] to one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostilePage {
    target: String,
    content_type: String,
    status: u16,
    headers: Vec<(String, String)>,
    bodies: Vec<Bytes>,
    delay: Duration,
}

impl HostilePage {
    /// A page at this target (path and query) with this media type. An empty media type omits the header.
    pub fn new(target: impl Into<String>, content_type: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self {
            target: target.into(),
            content_type: content_type.into(),
            status: 200,
            headers: Vec::new(),
            bodies: vec![body.into()],
            delay: Duration::ZERO,
        }
    }

    /// An HTML page.
    pub fn html(target: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self::new(target, "text/html", body)
    }

    /// The default page, which answers every target without a page.
    pub fn anywhere(content_type: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self::new(ANY, content_type, body)
    }

    /// Sets the status. Default: 200.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body of the next request. The last body also answers all later requests.
    #[must_use]
    pub fn then(mut self, body: impl Into<Bytes>) -> Self {
        self.bodies.push(body.into());
        self
    }

    /// Waits this long before each response. Default: zero.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The request target.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The media type.
    #[must_use]
    pub fn content_type(&self) -> &str {
        &self.content_type
    }

    /// The last body, which all later requests get.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        self.bodies.last().expect("a page has a body")
    }

    fn head(&self, length: usize) -> String {
        let mut head = format!("HTTP/1.1 {} -\r\nContent-Length: {length}\r\n", self.status);
        if !self.content_type.is_empty() {
            head.push_str(&format!("Content-Type: {}\r\n", self.content_type));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head + "\r\n"
    }
}

/// Serves pages on loopback, on its own thread, until it is dropped. Of two pages with the same target, the
/// later one is served. A target without a page gets 404.
#[derive(Debug)]
pub struct PageServer {
    addr: SocketAddr,
    pages: Arc<Pages>,
    _background: Background,
}

/// The pages by their targets.
type Pages = HashMap<String, Counted>;

/// A page, its number of requests, and when it was last sent.
#[derive(Debug)]
struct Counted {
    page: HostilePage,
    asked: AtomicUsize,
    sent: Mutex<Option<Instant>>,
}

impl PageServer {
    /// Serves the pages on 127.0.0.1.
    ///
    /// # Errors
    /// If no port can be bound or no thread started.
    pub fn start(pages: Vec<HostilePage>) -> io::Result<Self> {
        Self::start_on(IpAddr::V4(Ipv4Addr::LOCALHOST), pages)
    }

    /// Serves the pages on this address.
    ///
    /// # Errors
    /// If it cannot be bound or no thread started.
    pub fn start_on(address: IpAddr, pages: Vec<HostilePage>) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((address, 0))?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let counted = |page: HostilePage| {
            (page.target.clone(), Counted { page, asked: AtomicUsize::new(0), sent: Mutex::default() })
        };
        let pages: Arc<Pages> = Arc::new(pages.into_iter().map(counted).collect());
        let served = Arc::clone(&pages);
        let background = Background::start("hostile-pages", move |stop| accept(listener, served, stop))?;
        Ok(Self { addr, pages, _background: background })
    }

    /// `http://ADDRESS:PORT`, without a trailing slash.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The number of requests so far for the page with this target.
    #[must_use]
    pub fn requests(&self, target: &str) -> usize {
        self.pages.get(target).map_or(0, |counted| counted.asked.load(Ordering::Relaxed))
    }

    /// When the page with this target was last sent.
    #[must_use]
    pub fn last_sent(&self, target: &str) -> Option<Instant> {
        *self.pages.get(target)?.sent.lock().expect("no thread panics with it")
    }
}

async fn accept(listener: std::net::TcpListener, pages: Arc<Pages>, mut stop: watch::Receiver<bool>) {
    let listener = TcpListener::from_std(listener).expect("a listener on a running runtime");
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let pages = Arc::clone(&pages);
                    connections.spawn(async move {
                        // An error means that the client closed the connection.
                        let _ = converse(stream, &pages).await;
                    });
                }
                // Probably out of file descriptors: wait until some are released.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Answers the requests of one connection in order.
async fn converse(mut stream: TcpStream, pages: &Pages) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut unread = Vec::new();
    loop {
        let head = read_head(&mut stream, &mut unread).await?;
        let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let target = String::from_utf8_lossy(line.split(|byte| *byte == b' ').nth(1).unwrap_or_default());
        match pages.get(&*target).or_else(|| pages.get(ANY)) {
            Some(Counted { page, asked, sent }) => {
                let number = asked.fetch_add(1, Ordering::Relaxed);
                let body = page.bodies.get(number).unwrap_or_else(|| page.body());
                if !page.delay.is_zero() {
                    tokio::time::sleep(page.delay).await;
                }
                *sent.lock().expect("no thread panics with it") = Some(Instant::now());
                stream.write_all(page.head(body.len()).as_bytes()).await?;
                stream.write_all(body).await?;
            }
            None => stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;

    #[test]
    fn pages_are_selected_by_target() {
        let pages = vec![
            HostilePage::html("/a?b=c", "first").header("X-Note", "yes").then("second"),
            HostilePage::new("/bare", "", "no type"),
        ];
        let server = PageServer::start(pages.clone()).unwrap();
        let mut client = Client::new(server.addr);
        for body in ["first", "second", "second"] {
            let answer = client.get("/a?b=c").unwrap();
            assert_eq!((answer.status, answer.text().as_str()), (200, body));
            assert_eq!((&*answer.headers["content-type"], &*answer.headers["x-note"]), ("text/html", "yes"));
        }
        assert!(!client.get("/bare").unwrap().headers.contains_key("content-type"));
        assert_eq!(client.get("/a").unwrap().status, 404);
        assert_eq!((pages[0].target(), pages[0].content_type()), ("/a?b=c", "text/html"));
        assert_eq!(&pages[0].body()[..], b"second");

        assert_eq!((server.requests("/a?b=c"), server.requests("/bare"), server.requests("/a")), (3, 1, 0));
        assert!(server.last_sent("/bare") >= server.last_sent("/a?b=c") && server.last_sent("/a").is_none());

        let server = PageServer::start(vec![HostilePage::anywhere("text/plain", "all")]).unwrap();
        assert_eq!(Client::new(server.addr).get("/some/where").unwrap().text(), "all");
    }
}
