//! `gleaner crawl --webhook`: the events of a crawl arrive complete, signed and in order before the program
//! ends.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use gleaner::service::{Secret, verify};
use gleaner_testkit::{ClosedPort, Site, SiteSpec};
use serde_json::Value;

/// A received event: the signature and the exact body.
type Received = (Option<String>, Vec<u8>);

/// Receives events on loopback, and answers with these statuses; the last one repeats.
struct Receiver {
    url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    fn start(statuses: &'static [u16]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let status = statuses.get(number).or(statuses.last()).unwrap();
                let stream = stream.unwrap();
                let event = receive(&stream);
                // Before the answer, which lets the program end.
                kept.lock().unwrap().push(event);
                answer(&stream, *status);
            }
        });
        Self { url, received }
    }

    fn events(&self) -> Vec<Value> {
        let received = self.received.lock().unwrap();
        received.iter().map(|(_, body)| serde_json::from_slice(body).unwrap()).collect()
    }
}

/// Reads one request.
fn receive(stream: &TcpStream) -> Received {
    let mut reader = BufReader::new(stream);
    let (mut signature, mut length) = (None, 0);
    let mut line = String::new();
    while reader.read_line(&mut line).unwrap() > 2 {
        if let Some((name, value)) = line.split_once(':') {
            match name.to_ascii_lowercase().as_str() {
                "x-service-signature" => signature = Some(value.trim().to_owned()),
                "content-length" => length = value.trim().parse().unwrap(),
                _ => {}
            }
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (signature, body)
}

/// Answers a request; the connection is closed after it.
fn answer(mut stream: &TcpStream, status: u16) {
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
}

fn crawl(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.arg("crawl").args(words).env("HOOK_SECRET", "whsec");
    command.stdin(Stdio::null()).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[test]
fn events_arrive_before_the_crawl_ends() {
    let (site, receiver) = (Site::generate(SiteSpec::pages(3)).serve().unwrap(), Receiver::start(&[200]));
    let output = crawl(&[
        &site.base_url(),
        "--allow-private=127.0.0.0/8",
        "--webhook",
        &receiver.url,
        "--webhook-secret-env",
        "HOOK_SECRET",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let events = receiver.events();
    let documents = String::from_utf8(output.stdout.clone()).unwrap().lines().count();
    assert!(documents >= 3, "{}", stderr(&output));
    let mut expected = vec!["crawl.page"; documents];
    expected.insert(0, "crawl.started");
    expected.push("crawl.completed");
    assert_eq!(kinds(&events), expected);
    for (event, line) in events.iter().skip(1).zip(output.stdout.split(|byte| *byte == b'\n')) {
        if event["type"] == "crawl.page" {
            let document: Value = serde_json::from_slice(line).unwrap();
            assert_eq!(event["data"][0], document, "the same documents in the same order");
        }
    }
    let secret = Secret::new("whsec");
    for (signature, body) in receiver.received.lock().unwrap().iter() {
        assert!(verify(&secret, body, signature.as_ref().unwrap()).is_ok());
    }
}

#[test]
fn only_requested_events_are_sent_and_unsigned_without_a_secret() {
    let (site, receiver) = (Site::generate(SiteSpec::pages(2)).serve().unwrap(), Receiver::start(&[200]));
    let output = crawl(&[
        &site.base_url(),
        "--allow-private=127.0.0.0/8",
        "--webhook",
        &receiver.url,
        "--webhook-events",
        "started,completed",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(kinds(&receiver.events()), ["crawl.started", "crawl.completed"]);
    assert!(receiver.received.lock().unwrap().iter().all(|(signature, _)| signature.is_none()));
}

#[test]
fn a_failed_event_is_retried_with_the_same_id() {
    let (site, receiver) =
        (Site::generate(SiteSpec::pages(1)).serve().unwrap(), Receiver::start(&[503, 200]));
    let output = crawl(&[
        &site.base_url(),
        "--allow-private=127.0.0.0/8",
        "--webhook",
        &receiver.url,
        "--webhook-events=completed",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let events = receiver.events();
    assert_eq!(kinds(&events), ["crawl.completed"; 2]);
    assert_eq!(events[0], events[1], "with the same webhookId");
}

#[test]
fn faults_of_webhooks_name_options() {
    let (site, receiver) = (Site::generate(SiteSpec::pages(1)).serve().unwrap(), Receiver::start(&[200]));
    let page = site.base_url();
    let page = page.as_str();
    for (name, words, code, expected) in [
        ("a private address", vec![page, "--webhook", &receiver.url], 1, "--allow-private 127.0.0.0/8"),
        ("an invalid URL", vec![page, "--webhook", "ftp://a.example/"], 2, "--webhook"),
        (
            "an unknown event",
            vec![page, "--webhook", &receiver.url, "--webhook-events", "begun"],
            2,
            "--webhook-events",
        ),
        ("events without a webhook", vec![page, "--webhook-events", "page"], 2, "--webhook <URL>"),
        (
            "a missing secret",
            vec![page, "--webhook", &receiver.url, "--webhook-secret-env", "NO_SUCH_SECRET"],
            2,
            "NO_SUCH_SECRET",
        ),
    ] {
        let output = crawl(&words);
        assert_eq!(output.status.code(), Some(code), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{name}: {}", stderr(&output));
    }
    assert!(receiver.events().is_empty());
}

#[test]
fn an_unreachable_receiver_is_reported_after_the_summary() {
    let site = Site::generate(SiteSpec::pages(3)).serve().unwrap();
    let dead = ClosedPort::take().unwrap();
    let hook = format!("{}/hook", dead.base_url());
    let output = crawl(&[&site.base_url(), "--allow-private=127.0.0.0/8", "--webhook", &hook]);
    let stderr = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let lines = ["pages in ", "events were not delivered"];
    let positions: Vec<_> = lines.iter().map(|line| stderr.find(line)).collect();
    assert!(positions.is_sorted() && positions.iter().all(Option::is_some), "{positions:?}: {stderr}");
}

#[test]
fn undelivered_events_are_the_error_of_a_summary_in_json() {
    let (site, dead) = (Site::generate(SiteSpec::pages(1)).serve().unwrap(), ClosedPort::take().unwrap());
    let hook = format!("{}/hook", dead.base_url());
    let output = crawl(&[
        &site.base_url(),
        "--allow-private=127.0.0.0/8",
        "--webhook",
        &hook,
        "--webhook-events",
        "completed",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: Value = serde_json::from_str(stderr(&output).lines().last().unwrap()).unwrap();
    assert!(report["error"].as_str().unwrap().contains("1 event was not delivered"), "{report}");
}
