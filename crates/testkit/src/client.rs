//! A blocking client for the tests of this crate, with just enough HTTP/1.1 to see what a server sends.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

pub(crate) fn connect(addr: SocketAddr) -> TcpStream {
    try_connect(addr).expect("connects to loopback")
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests of the servers need a client other than the one under test"
)]
pub(crate) fn try_connect(addr: SocketAddr) -> io::Result<TcpStream> {
    TcpStream::connect(addr)
}

/// One keep-alive connection.
pub(crate) struct Client {
    addr: SocketAddr,
    stream: BufReader<TcpStream>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }
}

impl Client {
    pub(crate) fn new(addr: SocketAddr) -> Self {
        Self { addr, stream: BufReader::new(connect(addr)) }
    }

    /// Sends a GET request. After an error it opens a new connection.
    pub(crate) fn get(&mut self, path: &str) -> io::Result<Answer> {
        let answer = self.ask(path);
        if answer.is_err() {
            self.stream = BufReader::new(connect(self.addr));
        }
        answer
    }

    fn ask(&mut self, path: &str) -> io::Result<Answer> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: testkit\r\n\r\n", self.addr);
        self.stream.get_mut().write_all(request.as_bytes())?;
        let status = self.line()?.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut headers = HashMap::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(": ").ok_or(io::ErrorKind::InvalidData)?;
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(Answer { status, headers, body })
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}
