//! A working proxy that records its requests.
//!
//! It accepts SOCKS5 and HTTP (tunnels and absolute form) on one port and distinguishes them by the first
//! byte. It resolves every name to 127.0.0.1, so that a test sees what a proxy with its own resolver does.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::background::{Background, stopped};

/// Maximum bytes of a request head.
const HEAD_LIMIT: usize = 64 * 1024;

/// A proxy on loopback that runs on its own thread until it is dropped.
#[derive(Debug)]
pub struct ProxyServer {
    addr: SocketAddr,
    record: Arc<Mutex<Record>>,
    _background: Background,
}

#[derive(Debug, Default)]
struct Record {
    connections: usize,
    destinations: Vec<String>,
    heads: Vec<String>,
}

/// The required user name and password; `None` for an open proxy.
type Credentials = Option<(String, String)>;

impl ProxyServer {
    /// Starts an open proxy.
    ///
    /// # Errors
    /// If no port can be bound or no thread started.
    pub fn start() -> io::Result<Self> {
        Self::start_with(None)
    }

    /// Starts a proxy that requires this user name and password.
    ///
    /// # Errors
    /// If no port can be bound or no thread started.
    pub fn start_with_credentials(user: &str, password: &str) -> io::Result<Self> {
        Self::start_with(Some((user.to_owned(), password.to_owned())))
    }

    fn start_with(credentials: Credentials) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let record = Arc::new(Mutex::new(Record::default()));
        let shared = Arc::clone(&record);
        let background = Background::start("proxy", move |stop| accept(listener, credentials, shared, stop))?;
        Ok(Self { addr, record, _background: background })
    }

    /// The address that it listens on.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Connections accepted so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.record.lock().expect("no holder panics").connections
    }

    /// The requested destinations, as `host:port`, with the host as the client wrote it.
    #[must_use]
    pub fn destinations(&self) -> Vec<String> {
        self.record.lock().expect("no holder panics").destinations.clone()
    }

    /// The heads of the HTTP requests to the proxy itself.
    #[must_use]
    pub fn heads(&self) -> Vec<String> {
        self.record.lock().expect("no holder panics").heads.clone()
    }
}

async fn accept(
    listener: std::net::TcpListener,
    credentials: Credentials,
    record: Arc<Mutex<Record>>,
    mut stop: watch::Receiver<bool>,
) {
    let listener = TcpListener::from_std(listener).expect("a listener on a running runtime");
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                record.lock().expect("no holder panics").connections += 1;
                let (credentials, record) = (credentials.clone(), Arc::clone(&record));
                connections.spawn(async move {
                    // An error means that one side closed the connection.
                    let _ = serve(stream, &credentials, &record).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(mut near: TcpStream, credentials: &Credentials, record: &Mutex<Record>) -> io::Result<()> {
    let mut first = [0];
    near.peek(&mut first).await?;
    let far = if first[0] == 5 {
        socks5(&mut near, credentials, record).await?
    } else {
        http(&mut near, credentials, record).await?
    };
    if let Some(mut far) = far {
        tokio::io::copy_bidirectional(&mut near, &mut far).await?;
    }
    Ok(())
}

/// Connects to `host:port`. Every name resolves to this machine.
#[expect(clippy::disallowed_methods, reason = "a proxy has to connect to its destinations")]
async fn connect(host: &str, port: u16, record: &Mutex<Record>) -> io::Result<TcpStream> {
    record.lock().expect("no holder panics").destinations.push(format!("{host}:{port}"));
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse() {
        Ok(address) => TcpStream::connect(SocketAddr::new(address, port)).await,
        Err(_) => TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await,
    }
}

async fn socks5(
    near: &mut TcpStream,
    credentials: &Credentials,
    record: &Mutex<Record>,
) -> io::Result<Option<TcpStream>> {
    near.read_u8().await?;
    let mut methods = vec![0; usize::from(near.read_u8().await?)];
    near.read_exact(&mut methods).await?;
    let method = if credentials.is_some() { 2 } else { 0 };
    if !methods.contains(&method) {
        near.write_all(&[5, 0xff]).await?;
        return Ok(None);
    }
    near.write_all(&[5, method]).await?;
    if let Some((user, password)) = credentials {
        near.read_u8().await?;
        let given = (text(near).await?, text(near).await?);
        let fits = given == (user.clone(), password.clone());
        near.write_all(&[1, u8::from(!fits)]).await?;
        if !fits {
            return Ok(None);
        }
    }
    let mut head = [0; 4];
    near.read_exact(&mut head).await?;
    let host = match head[3] {
        1 => Ipv4Addr::from_bits(near.read_u32().await?).to_string(),
        4 => Ipv6Addr::from_bits(near.read_u128().await?).to_string(),
        _ => text(near).await?,
    };
    let port = near.read_u16().await?;
    let far = connect(&host, port, record).await;
    near.write_all(&[5, if far.is_ok() { 0 } else { 5 }, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    Ok(far.ok())
}

async fn text(near: &mut TcpStream) -> io::Result<String> {
    let mut bytes = vec![0; usize::from(near.read_u8().await?)];
    near.read_exact(&mut bytes).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

async fn http(
    near: &mut TcpStream,
    credentials: &Credentials,
    record: &Mutex<Record>,
) -> io::Result<Option<TcpStream>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < HEAD_LIMIT {
        head.push(near.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    record.lock().expect("no holder panics").heads.push(head.clone());
    if let Some((user, password)) = credentials {
        let wanted = format!("Basic {}", base64(format!("{user}:{password}").as_bytes()));
        let given = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("proxy-authorization").then(|| value.trim().to_owned())
        });
        if given.as_deref() != Some(&wanted) {
            near.write_all(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n").await?;
            return Ok(None);
        }
    }
    let mut words = head.split(' ');
    let tunnel = words.next() == Some("CONNECT");
    let target = words.next().unwrap_or_default();
    let authority = match target.split_once("://") {
        Some((_, rest)) => rest.split('/').next().unwrap_or_default(),
        None => target,
    };
    let (host, port) = authority.rsplit_once(':').unwrap_or((authority, "80"));
    match connect(host, port.parse().unwrap_or(80), record).await {
        Ok(mut far) if !tunnel => {
            far.write_all(head.as_bytes()).await?;
            Ok(Some(far))
        }
        Ok(far) => {
            near.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
            Ok(Some(far))
        }
        Err(_) => {
            near.write_all(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n").await?;
            Ok(None)
        }
    }
}

/// Base64 (RFC 4648 section 4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let mut padded = [0; 4];
        padded[1..=three.len()].copy_from_slice(three);
        let bits = u32::from_be_bytes(padded);
        for place in 0..4 {
            let letter = char::from(ALPHABET[(bits >> (18 - 6 * place)) as usize & 63]);
            text.push(if place <= three.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;
    use crate::{RawServer, Step, client};

    #[test]
    fn it_connects_clients_with_the_right_credentials() {
        let server = RawServer::start([Step::ReadRequest, Step::respond("200 OK", &[], "here")]).unwrap();
        let proxy = ProxyServer::start_with_credentials("u", "p").unwrap();
        let port = server.addr().port();
        let mut stream = client::connect(proxy.addr());
        let wanted = format!("CONNECT a.test:{port} HTTP/1.1\r\nProxy-Authorization: Basic dTpw\r\n\r\n");
        stream.write_all(wanted.as_bytes()).unwrap();
        let mut established = [0; 39];
        stream.read_exact(&mut established).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.ends_with("here"), "{answer}");
        assert_eq!(proxy.destinations(), [format!("a.test:{port}")]);

        let mut stranger = client::connect(proxy.addr());
        stranger.write_all(b"CONNECT a.test:80 HTTP/1.1\r\n\r\n").unwrap();
        let mut refusal = String::new();
        stranger.read_to_string(&mut refusal).unwrap();
        assert!(refusal.starts_with("HTTP/1.1 407"), "{refusal}");
        assert_eq!((proxy.connections(), proxy.destinations().len()), (2, 1));
    }
}
