//! `gleaner crawl --webhook`: the events of a crawl arrive, whole, signed and in order, before the program ends.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use gleaner::service::{Secret, verify};
use gleaner_testkit::{ClosedPort, Site, SiteSpec};
use serde_json::Value;

/// What came in: the signature, and the exact body.
type Received = (Option<String>, Vec<u8>);

/// Takes events on loopback, and answers with the statuses of a script, the last for ever.
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
                let event = take(&stream.unwrap(), *status);
                kept.lock().unwrap().push(event);
            }
        });
        Self { url, received }
    }

    fn events(&self) -> Vec<Value> {
        let received = self.received.lock().unwrap();
        received.iter().map(|(_, body)| serde_json::from_slice(body).unwrap()).collect()
    }
}

/// Reads one request and answers it; the connection ends with it.
fn take(stream: &TcpStream, status: u16) -> Received {
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
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
    (signature, body)
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
fn a_crawl_tells_its_webhook_before_it_ends() {
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
    let mut wanted = vec!["crawl.page"; documents];
    wanted.insert(0, "crawl.started");
    wanted.push("crawl.completed");
    assert_eq!(kinds(&events), wanted);
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
fn only_events_that_were_asked_for_are_sent_and_without_a_secret_unsigned() {
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
fn an_event_that_fails_is_tried_again_under_the_same_id() {
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
fn what_is_wrong_with_a_webhook_is_said_in_the_words_of_the_command_line() {
    let (site, receiver) = (Site::generate(SiteSpec::pages(1)).serve().unwrap(), Receiver::start(&[200]));
    let page = site.base_url();
    let page = page.as_str();
    for (name, words, code, said) in [
        ("a closed address", vec![page, "--webhook", &receiver.url], 1, "--allow-private 127.0.0.0/8"),
        ("no address", vec![page, "--webhook", "ftp://a.example/"], 2, "--webhook"),
        (
            "no event",
            vec![page, "--webhook", &receiver.url, "--webhook-events", "begun"],
            2,
            "--webhook-events",
        ),
        ("events of nothing", vec![page, "--webhook-events", "page"], 2, "--webhook <URL>"),
        (
            "no secret",
            vec![page, "--webhook", &receiver.url, "--webhook-secret-env", "NO_SUCH_SECRET"],
            2,
            "NO_SUCH_SECRET",
        ),
    ] {
        let output = crawl(&words);
        assert_eq!(output.status.code(), Some(code), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{name}: {}", stderr(&output));
    }
    assert!(receiver.events().is_empty());
}

#[test]
fn a_receiver_that_is_dead_is_told_after_the_summary_and_not_waited_for_long() {
    let site = Site::generate(SiteSpec::pages(3)).serve().unwrap();
    let dead = ClosedPort::take().unwrap();
    let hook = format!("{}/hook", dead.base_url());
    let output = crawl(&[&site.base_url(), "--allow-private=127.0.0.0/8", "--webhook", &hook]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let lines = ["pages in ", "events were not delivered"];
    let places: Vec<_> = lines.iter().map(|line| told.find(line)).collect();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?}: {told}");
}
