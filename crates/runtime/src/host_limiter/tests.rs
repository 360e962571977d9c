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

/// Whether it may begin at once.
async fn passes(host_limiter: &HostLimiter, url: &Url, pacing: RequestPacing) -> Option<HostPermit> {
    tokio::select! {
        biased;
        permit = host_limiter.permit(url, pacing) => Some(permit),
        () = tokio::task::yield_now() => None,
    }
}

/// The host of `url` has this many places, whether pages of it are leased or not.
fn with_places(url: &Url, places: u32) -> HostLimiter {
    let host_limiter = HostLimiter::default();
    host_limiter.limit(url, places, Instant::now());
    host_limiter
}

#[tokio::test(start_paused = true)]
async fn a_host_has_no_more_requests_than_places() {
    let (host_limiter, here) = (HostLimiter::default(), url("https://a.example/x"));
    let lease = host_limiter.lease(&here, 2);
    let first = lease.permit(FREE).await;
    let _second = passes(&host_limiter, &here, FREE).await.expect("a redirect has the other place");
    assert!(passes(&host_limiter, &here, FREE).await.is_none(), "there are two places");
    assert!(passes(&host_limiter, &url("https://b.example/"), FREE).await.is_some());
    assert!(passes(&host_limiter, &url("https://a.example:8443/"), FREE).await.is_some());
    drop((first, lease));
    let third = passes(&host_limiter, &here, FREE).await.expect("the first has ended");
    assert_eq!(third.in_flight(), 2);
    assert!(passes(&host_limiter, &here, FREE).await.is_none(), "two are on, though no page is leased");
    host_limiter.limit(&here, 1, Instant::now());
    drop(third);
    assert!(passes(&host_limiter, &here, FREE).await.is_none(), "one place is left, and one request is on");
}

#[tokio::test(start_paused = true)]
async fn who_waits_begins_when_the_host_has_more_places() {
    let (host_limiter, here) = (HostLimiter::default(), url("https://a.example/"));
    let _first = host_limiter.permit(&here, FREE).await;
    assert!(!host_limiter.is_waited_for(&here) && !host_limiter.is_waited_for(&url("https://b.example/")));
    let waiting = host_limiter.permit(&here, FREE);
    let told = async {
        tokio::task::yield_now().await;
        assert!(host_limiter.is_waited_for(&here));
        host_limiter.limit(&here, 8, Instant::now());
    };
    let (second, ()) = tokio::join!(waiting, told);
    assert_eq!(second.in_flight(), 2);
    assert!(!host_limiter.is_waited_for(&here));
}

#[tokio::test(start_paused = true)]
async fn hosts_that_rest_are_forgotten() {
    let host_limiter = HostLimiter::default();
    let held = host_limiter.lease(&url("https://held.example/"), 8);
    let slow = url("https://slow.example/");
    host_limiter.set_gap(&slow, Duration::from_secs(600));
    drop(host_limiter.permit(&slow, FREE).await);
    for host in 0..3 * MAX_IDLE_HOSTS {
        drop(host_limiter.permit(&url(&format!("https://h{host}.example/")), FREE).await);
        tokio::time::advance(Duration::from_millis(10)).await;
    }
    let known = host_limiter.hosts.lock().unwrap().known.len();
    assert!(known <= 2 * MAX_IDLE_HOSTS, "{known} hosts are remembered");
    for kept in ["held.example", "slow.example"] {
        assert!(host_limiter.hosts.lock().unwrap().known.contains_key(kept), "{kept}");
    }
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn a_gap_is_kept_from_the_end_of_whatever_was_last() {
    let (host_limiter, here) = (HostLimiter::default(), url("https://a.example/"));
    let lease = host_limiter.lease(&here, 2);
    let began = Instant::now();
    let permit = lease.permit(gap(2)).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert!(passes(&host_limiter, &here, gap(2)).await.is_none(), "with a gap there is one at a time");
    tokio::time::advance(Duration::from_secs(5)).await;
    drop(permit);
    drop(host_limiter.permit(&here, gap(2)).await);
    assert_eq!(began.elapsed(), Duration::from_secs(7));
    drop(host_limiter.permit(&here, FREE).await);
    assert_eq!(began.elapsed(), Duration::from_secs(7), "who asks for no gap waits for none");
}

#[tokio::test(start_paused = true)]
async fn a_gap_that_is_learnt_holds_for_those_who_wait_already() {
    let here = url("https://a.example/");
    let host_limiter = with_places(&here, 2);
    let (first, second) = (host_limiter.permit(&here, FREE).await, host_limiter.permit(&here, FREE).await);
    let began = Instant::now();
    let waiting = host_limiter.permit(&here, FREE);
    let teach = async {
        tokio::task::yield_now().await;
        host_limiter.set_gap(&here, Duration::from_secs(3));
        drop(first);
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(second);
    };
    drop(tokio::join!(waiting, teach).0);
    assert_eq!(began.elapsed(), Duration::from_secs(4), "after both, and then the gap");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_asked_to_be_left_alone_is_left_alone_by_all() {
    let (host_limiter, here) = (HostLimiter::default(), url("https://a.example/"));
    let began = Instant::now();
    let permit = host_limiter.permit(&here, FREE).await;
    let waiting = host_limiter.permit(&here, FREE);
    let rest = async {
        tokio::task::yield_now().await;
        host_limiter.rest(&here, Duration::from_secs(7));
        host_limiter.rest(&here, Duration::from_secs(2));
        drop(permit);
    };
    drop(tokio::join!(waiting, rest).0);
    assert_eq!(began.elapsed(), Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn the_delay_of_a_job_is_its_own() {
    let here = url("https://a.example/");
    let host_limiter = with_places(&here, 3);
    let _busy = host_limiter.permit(&here, FREE).await;
    let permit = passes(&host_limiter, &here, delay(1, 5)).await.expect("what others ask does not count");
    assert!(passes(&host_limiter, &here, delay(1, 5)).await.is_none(), "one at a time");
    drop(permit);
    let began = Instant::now();
    assert!(passes(&host_limiter, &here, delay(2, 5)).await.is_some(), "another job");
    drop(host_limiter.permit(&here, delay(1, 5)).await);
    assert_eq!(began.elapsed(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn who_waits_longest_goes_first() {
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
async fn who_stops_waiting_holds_nobody_up() {
    let (host_limiter, here) = (HostLimiter::default(), url("https://a.example/"));
    let permit = host_limiter.permit(&here, FREE).await;
    assert!(passes(&host_limiter, &here, FREE).await.is_none(), "it gave up");
    drop(permit);
    assert!(passes(&host_limiter, &here, FREE).await.is_some());
    assert!(host_limiter.host(&here).lock().waiting.is_empty());
}
