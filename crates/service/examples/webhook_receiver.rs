//! A webhook receiver: verifies each event, drops repeats by their id, and prints new events.
//!
//! ```sh
//! cargo run -p gleaner-service --example webhook_receiver -- 127.0.0.1:8099 whsec
//! ```
//!
//! It serves one request at a time and closes the connection. A real receiver takes the same three steps
//! within a web framework: read the whole body, [`verify`] it, check `webhookId`.

#![expect(clippy::print_stdout, reason = "the example prints the events")]

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use gleaner_service::{Secret, verify};
use gleaner_types::event::{SIGNATURE_HEADER, WebhookPayload};
use serde_json::Value;

/// Larger bodies are refused before they are read.
const MAX_BODY: usize = 64 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:8099".to_owned());
    let secret = Secret::new(arguments.next().unwrap_or_else(|| "whsec".to_owned()));
    let listener = TcpListener::bind(&address)?;
    println!("listening on {}", listener.local_addr()?);
    let mut seen = HashSet::new();
    for stream in listener.incoming() {
        let stream = stream?;
        let status = match receive(&stream) {
            Ok((signature, body)) => process(&secret, &signature, &body, &mut seen),
            Err(_) => "400 Bad Request",
        };
        let _disconnected =
            write!(&stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
    Ok(())
}

/// Verifies an event and processes it once.
fn process(secret: &Secret, signature: &str, body: &[u8], seen: &mut HashSet<String>) -> &'static str {
    // Verify before parsing.
    if verify(secret, body, signature).is_err() {
        println!("refused: the signature is wrong");
        return "401 Unauthorized";
    }
    let Ok(event) = serde_json::from_slice::<WebhookPayload<Value>>(body) else { return "400 Bad Request" };
    // The sender repeats an event if it did not receive the response to the last attempt.
    if seen.insert(event.webhook_id) {
        println!("{} of {}: success {}, {} documents", event.kind, event.id, event.success, event.data.len());
    } else {
        println!("{} of {}: a repeat", event.kind, event.id);
    }
    "200 OK"
}

/// The signature and the exact body of a request.
fn receive(stream: &TcpStream) -> std::io::Result<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let (mut signature, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.by_ref().take(64 << 10).read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            if name.eq_ignore_ascii_case(SIGNATURE_HEADER) {
                signature = value.trim().to_owned();
            } else if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
    }
    if length > MAX_BODY {
        return Err(std::io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((signature, body))
}
