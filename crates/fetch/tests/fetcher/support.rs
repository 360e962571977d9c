//! Servers that send exactly the bytes of a test, a resolver with a table, and a listener that no request may
//! reach.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gleaner_fetch::{EgressPolicy, Error, Fetcher, FetcherBuilder, FollowAll, Request, Resolve, Response};
use gleaner_types::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// One request as the server received it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    pub(crate) fn path(&self) -> &str {
        self.line().split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A server on 127.0.0.1.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
}

impl Site {
    /// Answers each request with the bytes of `answer`, and keeps the connection open unless they contain
    /// `connection: close`.
    pub(crate) async fn serve(answer: impl Fn(&Seen) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::serve_on("127.0.0.1:0", None, answer).await
    }

    /// The same over TLS.
    pub(crate) async fn serve_tls(
        tls: tokio_rustls::TlsAcceptor,
        answer: impl Fn(&Seen) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        Self::serve_on("127.0.0.1:0", Some(tls), answer).await
    }

    pub(crate) async fn serve_on(
        address: &str,
        tls: Option<tokio_rustls::TlsAcceptor>,
        answer: impl Fn(&Seen) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let (answer, seen) = (Arc::new(answer), Arc::new(Mutex::new(Vec::new())));
        let log = Arc::clone(&seen);
        let site = Self::script_on(address, move |stream| {
            let (answer, seen, tls) = (Arc::clone(&answer), Arc::clone(&log), tls.clone());
            async move {
                let talk = |seen: &Seen| answer(seen);
                match tls {
                    None => converse(stream, &seen, talk).await,
                    Some(tls) => {
                        if let Ok(stream) = tls.accept(stream).await {
                            converse(stream, &seen, talk).await;
                        }
                    }
                }
            }
        })
        .await;
        Self { seen, ..site }
    }

    /// Passes each connection to `script`.
    pub(crate) async fn script<F>(script: impl Fn(TcpStream) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::script_on("127.0.0.1:0", script).await
    }

    async fn script_on<F>(address: &str, script: impl Fn(TcpStream) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(script(stream));
            }
        });
        Self { address, seen: Arc::default(), connections }
    }

    pub(crate) fn url(&self, host: &str, path: &str) -> Url {
        Url::parse(&format!("http://{host}:{}{path}", self.address.port())).unwrap()
    }

    pub(crate) fn https(&self, host: &str, path: &str) -> Url {
        Url::parse(&format!("https://{host}:{}{path}", self.address.port())).unwrap()
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    seen: &Mutex<Vec<Seen>>,
    answer: impl Fn(&Seen) -> Vec<u8>,
) {
    while let Some(request) = read_request(&mut stream).await {
        seen.lock().unwrap().push(request.clone());
        let bytes = answer(&request);
        let close = bytes.windows(17).any(|window| window.eq_ignore_ascii_case(b"connection: close"));
        if stream.write_all(&bytes).await.is_err() || stream.flush().await.is_err() {
            return;
        }
        if close {
            let _ = stream.shutdown().await;
            return;
        }
    }
}

/// One request from the wire; `None` at the end of the connection.
pub(crate) async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Seen> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.ok()?);
    }
    let mut seen = Seen { head: String::from_utf8_lossy(&bytes).into_owned(), body: Vec::new() };
    let length = seen.header("content-length").map_or(0, |text| text.parse().unwrap());
    seen.body = vec![0; length];
    stream.read_exact(&mut seen.body).await.ok()?;
    Some(seen)
}

/// A complete answer with these headers.
pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

pub(crate) fn page(body: &str) -> Vec<u8> {
    answer(200, &[("content-type", "text/html")], body.as_bytes())
}

pub(crate) fn redirect(status: u16, location: &str) -> Vec<u8> {
    answer(status, &[("location", location)], b"")
}

/// A server without TLS. It answers a TLS handshake as common servers do: with a 400 in plain HTTP.
pub(crate) async fn plain_only(body: &'static str) -> Site {
    Site::script(move |mut stream| async move {
        let mut first = [0; 1];
        let _ = stream.peek(&mut first).await;
        if first == *b"\x16" {
            let _ = stream.write_all(&answer(400, &[("connection", "close")], b"")).await;
        } else if read_request(&mut stream).await.is_some() {
            let _ = stream.write_all(&page(body)).await;
        }
    })
    .await
}

/// Resolves names from a table, and every other name under `test` to 127.0.0.1.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) table: HashMap<&'static str, Vec<IpAddr>>,
    pub(crate) calls: AtomicUsize,
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::SeqCst);
            match self.table.get(host) {
                Some(answers) => Ok(answers.clone()),
                None if host.trim_end_matches('.').ends_with(".test") => {
                    Ok(vec![IpAddr::from([127, 0, 0, 1])])
                }
                None if host.starts_with("fails.") => Err(io::Error::other("the resolver is down")),
                None => Err(io::ErrorKind::NotFound.into()),
            }
        })
    }
}

/// The hosts that the policy of the tests allows by name. Their addresses stay forbidden for other names.
pub(crate) const OPEN_HOSTS: &[&str] = &["a.test", "b.test", "sub.a.test"];

pub(crate) fn policy() -> EgressPolicy {
    OPEN_HOSTS.iter().fold(EgressPolicy::public_only(), |policy, host| policy.allow_host(host))
}

pub(crate) fn builder() -> FetcherBuilder {
    Fetcher::builder().egress(policy()).resolver(Arc::new(Names::default()))
}

pub(crate) fn fetcher() -> Fetcher {
    builder().build().unwrap()
}

pub(crate) async fn get(url: Url) -> Result<Response, Error> {
    fetcher().fetch(Request::get(url), &FollowAll).await
}

/// Listens on a forbidden address and counts connections.
pub(crate) struct Canary(std::net::TcpListener);

impl Canary {
    pub(crate) fn on(address: &str) -> Self {
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// The system completes connections before `accept`, so none is missed.
    pub(crate) fn connections(&self) -> usize {
        std::iter::from_fn(|| self.0.accept().ok()).count()
    }
}
