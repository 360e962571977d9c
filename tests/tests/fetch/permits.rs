//! Many requests, few permits: how much of what the permits allow is used, and that none is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use gleaner_fetch::{Fetcher, FollowAll, HostLimits, Politeness, Request};
use gleaner_tests::process::{in_a_process, peak_memory, url_from_parent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::support::builder;

const REQUESTS: usize = 10_000;
const PERMITS: u32 = 100;
const LATENCY: Duration = Duration::from_millis(50);
/// What one logical request that waits may cost in memory.
const MOST_BYTES_EACH: usize = 32 * 1024;

/// What the server sees.
#[derive(Debug, Default)]
struct Seen {
    requests: AtomicUsize,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
}

/// Answers each request after [`LATENCY`], on a runtime of its own.
fn slow_server(seen: Arc<Seen>) -> (std::net::SocketAddr, tokio::runtime::Runtime) {
    // A runtime cannot be made in another's task.
    let made = std::thread::spawn(|| {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        (runtime, listener)
    });
    let (runtime, listener) = made.join().unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let seen = Arc::clone(&seen);
            let _ = stream.set_nodelay(true);
            tokio::spawn(async move {
                let mut buffer = [0; 2048];
                // One request is one read: a client waits for each answer.
                while matches!(stream.read(&mut buffer).await, Ok(length) if length > 0) {
                    seen.requests.fetch_add(1, SeqCst);
                    seen.most_under_way.fetch_max(seen.under_way.fetch_add(1, SeqCst) + 1, SeqCst);
                    tokio::time::sleep(LATENCY).await;
                    seen.under_way.fetch_sub(1, SeqCst);
                    let answer =
                        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\ntext";
                    if stream.write_all(answer).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, runtime)
}

fn polite(politeness: &Politeness) -> Fetcher {
    builder().politeness(politeness.clone()).build().unwrap()
}

fn start(fetcher: &Fetcher, address: std::net::SocketAddr) -> tokio::task::JoinHandle<u16> {
    let fetcher = fetcher.clone();
    let mut request = Request::get(format!("http://{address}/").parse().unwrap());
    request.timeout = Some(Duration::from_secs(120));
    tokio::spawn(async move { fetcher.fetch(request, &FollowAll).await.unwrap().status })
}

#[test]
fn ten_thousand_requests_share_a_hundred_permits() {
    let figures = in_a_process("permits::child", "http://127.0.0.1/");
    println!("permits: {figures}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run in a process of its own, for its memory"]
async fn child() {
    if url_from_parent().is_none() {
        return;
    }
    let seen = Arc::new(Seen::default());
    let (address, server) = slow_server(Arc::clone(&seen));
    let politeness = Politeness::new(PERMITS, HostLimits::concurrency(PERMITS));
    let fetcher = polite(&politeness);
    start(&fetcher, address).await.unwrap();
    let before = peak_memory();
    let started = Instant::now();
    let tasks: Vec<_> = (0..REQUESTS).map(|_| start(&fetcher, address)).collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), 200);
    }
    let took = started.elapsed();
    let allowed = LATENCY.mul_f64(REQUESTS as f64 / f64::from(PERMITS));
    let each = (peak_memory() - before) as usize / REQUESTS;
    assert!(each <= MOST_BYTES_EACH, "{each} bytes for a request that waits");
    assert_eq!(seen.requests.load(SeqCst), REQUESTS + 1);
    assert!(seen.most_under_way.load(SeqCst) <= PERMITS as usize, "{seen:?}");
    assert_eq!(politeness.in_use(), 0);
    server.shutdown_background();
    println!(
        "CHILD {REQUESTS} requests in {took:.2?}, {:.1} % of what {PERMITS} permits allow at {LATENCY:?}; {each} bytes each",
        100.0 * allowed.as_secs_f64() / took.as_secs_f64(),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_of_them_cancelled_leave_no_permit_behind() {
    let seen = Arc::new(Seen::default());
    let (address, server) = slow_server(Arc::clone(&seen));
    let politeness = Politeness::new(PERMITS, HostLimits::concurrency(PERMITS));
    let fetcher = polite(&politeness);
    let tasks: Vec<_> = (0..REQUESTS).map(|_| start(&fetcher, address)).collect();
    // A fixed sequence of pseudo-random numbers: a linear congruence, its upper bits.
    let mut random = 1_u64;
    let mut aborted = 0;
    for (nth, task) in tasks.iter().enumerate() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if random >> 63 == 0 {
            task.abort();
            aborted += 1;
        }
        // In all states: waiting, connecting, sent, reading, done.
        if nth % 100 == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    let (mut answered, mut cancelled) = (0, 0);
    for task in tasks {
        match task.await {
            Ok(status) => answered += usize::from(status == 200),
            Err(error) => cancelled += usize::from(error.is_cancelled()),
        }
    }
    println!(
        "permits: {aborted} of {REQUESTS} aborted: {answered} answered, {cancelled} cancelled, {} permits leaked",
        politeness.in_use()
    );
    assert_eq!(answered + cancelled, REQUESTS);
    // How many were cancelled in time is up to the machine.
    assert!(cancelled > 0 && answered >= REQUESTS - aborted);
    assert_eq!(politeness.in_use(), 0);
    // All of them can be had again, at once.
    let host = address.to_string();
    let mut permits = Vec::new();
    for _ in 0..PERMITS {
        permits.push(tokio::time::timeout(Duration::from_secs(60), politeness.acquire(&host)).await.unwrap());
    }
    assert_eq!(politeness.in_use(), PERMITS as usize);
    server.shutdown_background();
}
