//! Tests of permits for requests that have no lease: limits, gaps and pauses.

use super::*;

const FREE: RequestPacing =
    RequestPacing { gap: Duration::ZERO, delay: Duration::ZERO, job: JobId::from_uuid(uuid::Uuid::nil()) };

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn gap(seconds: u64) -> RequestPacing {
    RequestPacing { gap: Duration::from_secs(seconds), ..FREE }
}

fn delay(job: u128, seconds: u64) -> RequestPacing {
    let job = JobId::from_uuid(uuid::Uuid::from_u128(job));
    RequestPacing { delay: Duration::from_secs(seconds), job, ..FREE }
}

/// A permit, if it is available at once.
async fn try_permit(host_limiter: &HostLimiter, url: &Url, pacing: RequestPacing) -> Option<HostPermit> {
    tokio::select! {
        biased;
        permit = host_limiter.permit(url, pacing) => Some(permit),
        () = tokio::task::yield_now() => None,
    }
}

fn with_max_concurrent(url: &Url, max_concurrent: u32) -> HostLimiter {
    let host_limiter = HostLimiter::default();
    host_limiter.set_limits(url, max_concurrent, Instant::now());
    host_limiter
}

#[tokio::test(start_paused = true)]
async fn requests_in_flight_stay_within_the_limit_of_the_host() {
    let (host_limiter, site) = (HostLimiter::default(), url("https://a.example/x"));
    let lease = host_limiter.lease(&site, 2);
    let first = host_limiter.permit(&site, FREE).await;
    let _second = try_permit(&host_limiter, &site, FREE).await.expect("a redirect takes the second permit");
    assert!(try_permit(&host_limiter, &site, FREE).await.is_none(), "the limit is two");
    assert!(try_permit(&host_limiter, &url("https://b.example/"), FREE).await.is_some());
    assert!(try_permit(&host_limiter, &url("https://a.example:8443/"), FREE).await.is_some());
    drop((first, lease));
    let third = try_permit(&host_limiter, &site, FREE).await.expect("the first has ended");
    assert_eq!(third.in_flight(), 2);
    assert!(try_permit(&host_limiter, &site, FREE).await.is_none(), "two in flight, without a leased page");
    host_limiter.set_limits(&site, 1, Instant::now());
    drop(third);
    assert!(try_permit(&host_limiter, &site, FREE).await.is_none(), "the limit is one, with one in flight");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_request_starts_when_the_limit_rises() {
    let (host_limiter, site) = (HostLimiter::default(), url("https://a.example/"));
    let _first = host_limiter.permit(&site, FREE).await;
    assert!(!host_limiter.has_waiters(&site) && !host_limiter.has_waiters(&url("https://b.example/")));
    let waiting = host_limiter.permit(&site, FREE);
    let raise_limit = async {
        tokio::task::yield_now().await;
        assert!(host_limiter.has_waiters(&site));
        host_limiter.set_limits(&site, 8, Instant::now());
    };
    let (second, ()) = tokio::join!(waiting, raise_limit);
    assert_eq!(second.in_flight(), 2);
    assert!(!host_limiter.has_waiters(&site));
}

#[tokio::test(start_paused = true)]
async fn idle_hosts_are_evicted() {
    let host_limiter = HostLimiter::default();
    let leased = host_limiter.lease(&url("https://leased.example/"), 8);
    let slow = url("https://slow.example/");
    host_limiter.set_gap(&slow, Duration::from_secs(600));
    drop(host_limiter.permit(&slow, FREE).await);
    for host in 0..3 * MAX_IDLE_HOSTS {
        drop(host_limiter.permit(&url(&format!("https://h{host}.example/")), FREE).await);
        tokio::time::advance(Duration::from_millis(10)).await;
    }
    let count = host_limiter.hosts.lock().unwrap().by_name.len();
    assert!(count <= 2 * MAX_IDLE_HOSTS, "{count} hosts are in memory");
    for kept in ["leased.example", "slow.example"] {
        assert!(host_limiter.hosts.lock().unwrap().by_name.contains_key(kept), "{kept}");
    }
    drop(leased);
}

#[tokio::test(start_paused = true)]
async fn a_gap_counts_from_the_end_of_the_last_request() {
    let (host_limiter, site) = (HostLimiter::default(), url("https://a.example/"));
    let _lease = host_limiter.lease(&site, 2);
    let began = Instant::now();
    let permit = host_limiter.permit(&site, gap(2)).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert!(try_permit(&host_limiter, &site, gap(2)).await.is_none(), "a gap allows one request at a time");
    tokio::time::advance(Duration::from_secs(5)).await;
    drop(permit);
    drop(host_limiter.permit(&site, gap(2)).await);
    assert_eq!(began.elapsed(), Duration::from_secs(7));
    drop(host_limiter.permit(&site, FREE).await);
    assert_eq!(began.elapsed(), Duration::from_secs(7), "a request without a gap does not wait");
}

#[tokio::test(start_paused = true)]
async fn a_new_gap_applies_to_waiting_requests() {
    let site = url("https://a.example/");
    let host_limiter = with_max_concurrent(&site, 2);
    let (first, second) = (host_limiter.permit(&site, FREE).await, host_limiter.permit(&site, FREE).await);
    let began = Instant::now();
    let waiting = host_limiter.permit(&site, FREE);
    let set_gap = async {
        tokio::task::yield_now().await;
        host_limiter.set_gap(&site, Duration::from_secs(3));
        drop(first);
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(second);
    };
    drop(tokio::join!(waiting, set_gap).0);
    assert_eq!(began.elapsed(), Duration::from_secs(4), "the end of both requests plus the gap");
}

#[tokio::test(start_paused = true)]
async fn no_request_starts_while_a_host_is_paused() {
    let (host_limiter, site) = (HostLimiter::default(), url("https://a.example/"));
    let began = Instant::now();
    let permit = host_limiter.permit(&site, FREE).await;
    let waiting = host_limiter.permit(&site, FREE);
    let pause = async {
        tokio::task::yield_now().await;
        host_limiter.pause(&site, Duration::from_secs(7));
        host_limiter.pause(&site, Duration::from_secs(2));
        drop(permit);
    };
    drop(tokio::join!(waiting, pause).0);
    assert_eq!(began.elapsed(), Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn the_delay_of_a_job_applies_to_that_job_only() {
    let site = url("https://a.example/");
    let host_limiter = with_max_concurrent(&site, 3);
    let _busy = host_limiter.permit(&site, FREE).await;
    let permit =
        try_permit(&host_limiter, &site, delay(1, 5)).await.expect("requests of other jobs do not count");
    assert!(try_permit(&host_limiter, &site, delay(1, 5)).await.is_none(), "one at a time");
    drop(permit);
    let began = Instant::now();
    assert!(try_permit(&host_limiter, &site, delay(2, 5)).await.is_some(), "another job");
    drop(host_limiter.permit(&site, delay(1, 5)).await);
    assert_eq!(began.elapsed(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn requests_start_in_order_of_arrival() {
    let host_limiter = Arc::new(HostLimiter::default());
    let mut waiting = tokio::task::JoinSet::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    let began = Instant::now();
    for n in 0..10 {
        let (host_limiter, order) = (Arc::clone(&host_limiter), Arc::clone(&order));
        waiting.spawn(async move {
            let permit = host_limiter.permit(&url("https://a.example/"), gap(1)).await;
            order.lock().unwrap().push(n);
            drop(permit);
        });
    }
    waiting.join_all().await;
    assert_eq!(began.elapsed(), Duration::from_secs(9));
    assert!(order.lock().unwrap().is_sorted(), "{order:?}");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_wait_does_not_block_others() {
    let (host_limiter, site) = (HostLimiter::default(), url("https://a.example/"));
    let permit = host_limiter.permit(&site, FREE).await;
    assert!(try_permit(&host_limiter, &site, FREE).await.is_none(), "the wait is cancelled");
    drop(permit);
    assert!(try_permit(&host_limiter, &site, FREE).await.is_some());
    assert!(host_limiter.host(&site).lock().waiting.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_pace_of_the_embedder_lowers_the_limits_of_the_host() {
    let (host_limiter, site) = (HostLimiter::default(), url("https://a.example/"));
    let ask = |pace: Pace| {
        move |host: Box<str>| async move {
            assert_eq!(&*host, "a.example");
            pace
        }
    };
    let two = Pace::new().places(2);
    assert_eq!(host_limiter.ask_pace(&site, ask(two)).await, Some((None, Some(2))));
    host_limiter.set_limits(&site, 8, Instant::now());
    let first = host_limiter.permit(&site, FREE).await;
    let second = host_limiter.permit(&site, FREE).await;
    assert!(try_permit(&host_limiter, &site, FREE).await.is_none(), "two places");
    drop((first, second));
    let gap = |seconds| Pace::new().gap(Duration::from_secs(seconds));
    assert_eq!(host_limiter.ask_pace(&site, ask(gap(5))).await, None, "it was asked a short time ago");
    tokio::time::advance(PACE_LIFETIME).await;
    let changes = host_limiter.ask_pace(&site, ask(gap(5))).await;
    assert_eq!(changes, Some((Some(Duration::from_secs(5)), Some(u32::MAX))));
    assert_eq!(host_limiter.set_gap(&site, Duration::from_secs(3)), Duration::from_secs(5));
    assert_eq!(host_limiter.set_gap(&site, Duration::from_secs(9)), Duration::from_secs(9));
}
