//! When everything fails, retries add no storm to the failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use gleaner_fetch::{FollowAll, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::support::builder;

const LOGICAL: usize = 1000;

/// Fails each request in this way, in the task's own runtime, whose clock the test has stopped. Counts the requests.
async fn failing(answer: &'static [u8]) -> (std::net::SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let seen = Arc::clone(&seen);
            tokio::spawn(async move {
                let mut buffer = [0; 2048];
                while matches!(stream.read(&mut buffer).await, Ok(length) if length > 0) {
                    seen.fetch_add(1, SeqCst);
                    if answer.is_empty() {
                        let _ = stream.set_zero_linger();
                        return;
                    }
                    if stream.write_all(answer).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, count)
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_failures_is_not_a_storm_of_requests() {
    let rows: &[(&str, &[u8])] = &[
        ("503", b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n"),
        ("503 for a year", b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nretry-after: 31536000\r\n\r\n"),
        ("503 until soon", b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nretry-after: soon\r\n\r\n"),
        ("429 for no time", b"HTTP/1.1 429 Slow\r\ncontent-length: 0\r\nretry-after: 0\r\n\r\n"),
        ("reset", b""),
    ];
    let mut figures = Vec::new();
    for (name, answer) in rows {
        let (address, count) = failing(answer).await;
        let fetcher = builder().seed(25).build().unwrap();
        for _ in 0..LOGICAL {
            let mut request = Request::get(format!("http://{address}/").parse().unwrap());
            request.max_retries = 3;
            request.timeout = Some(Duration::from_secs(300));
            let outcome = fetcher.fetch(request, &FollowAll).await;
            assert!(outcome.is_err() || outcome.is_ok_and(|response| !response.is_success()), "{name}");
        }
        let sent = count.load(SeqCst);
        figures.push(format!("{:.3} ({name})", sent as f64 / LOGICAL as f64));
        assert!(sent >= LOGICAL && sent * 10 <= LOGICAL * 11, "{name}: {sent} requests for {LOGICAL}");
    }
    println!("retries: requests per logical request {}", figures.join(", "));
}
