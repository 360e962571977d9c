//! Properties of the rate controller for many kinds of hosts, in virtual time: slow, uneven, silent, or with
//! a limited capacity.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::*;

/// Number of random seeds per property.
const SEEDS: u64 = 20;

/// SplitMix64.
struct Random(u64);

impl Random {
    /// The next number in `0.0..1.0`.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A random duration around `seconds`, within this share of it.
    fn about(&mut self, seconds: f64, share: f64) -> Duration {
        Duration::from_micros((seconds * (1.0 - share + 2.0 * share * self.next()) * 1e6) as u64)
    }
}

/// A request to a host.
#[derive(Clone, Copy)]
struct Request {
    /// Its number, from 1.
    number: u32,
    /// Concurrent requests, including this one.
    in_flight: u32,
}

/// The response of a host.
#[derive(Clone, Copy)]
struct Reply {
    status: Option<u16>,
    latency: Duration,
    key: RequestKey,
}

impl Reply {
    /// A good response for a page of its own, of this kind.
    fn page(request: Request, kind: u32, latency: Duration) -> Self {
        Self { status: Some(200), latency, key: RequestKey { page: request.number, kind } }
    }
}

/// A response, and the limit after it.
#[derive(Clone, Copy)]
struct Seen {
    status: Option<u16>,
    limit: u32,
}

/// A crawl of one host that always has more pages to fetch.
struct Crawl {
    rate_controller: RateController,
    now: Duration,
    /// No request starts before this time.
    ready_at: Duration,
    requests: u32,
}

impl Crawl {
    fn new(initial: u32, max: u32) -> Self {
        let now = Duration::from_secs(1000);
        Self {
            rate_controller: RateController::new(initial, max),
            now,
            ready_at: Duration::ZERO,
            requests: 0,
        }
    }

    /// Fetches this many pages and waits for all responses.
    fn run(&mut self, pages: usize, mut host: impl FnMut(Request) -> Reply) -> Vec<Seen> {
        let mut replies: Vec<Reply> = Vec::new();
        let mut in_flight_requests = BinaryHeap::new();
        let mut seen = Vec::new();
        while seen.len() < pages {
            let max = if self.rate_controller.pause().is_zero() {
                self.rate_controller.max_concurrent()
            } else {
                1
            };
            let begins = self.now.max(self.ready_at);
            let has_capacity = replies.len() < pages && in_flight_requests.len() < max as usize;
            if has_capacity && in_flight_requests.peek().is_none_or(|Reverse((end, _))| begins <= *end) {
                self.now = begins;
                self.requests += 1;
                let in_flight = in_flight_requests.len() as u32 + 1;
                let reply = host(Request { number: self.requests, in_flight });
                in_flight_requests.push(Reverse((self.now + reply.latency, replies.len())));
                replies.push(reply);
                continue;
            }
            let Reverse((end, index)) = in_flight_requests.pop().expect("a request is running");
            let Reply { status, latency, key } = replies[index];
            self.now = end;
            let in_flight = in_flight_requests.len() as u32 + 1;
            let pause = self.rate_controller.observe(Observation { status, latency }, key, in_flight, end);
            let pause = pause.unwrap_or_default().max(self.rate_controller.pause());
            if !pause.is_zero() {
                self.ready_at = self.ready_at.max(end + pause);
            }
            seen.push(Seen { status, limit: self.rate_controller.max_concurrent() });
        }
        seen
    }
}

type Host = Box<dyn FnMut(Request) -> Reply>;

/// Pages of which this `share` is slow, with or without a kind of their own.
fn two_costs(seed: u64, share: f64, fast: f64, slow: f64, kinds: bool) -> Host {
    let mut random = Random(seed);
    Box::new(move |request| {
        let is_slow = random.next() < share;
        let latency = random.about(if is_slow { slow } else { fast }, 0.2);
        Reply::page(request, u32::from(is_slow && kinds), latency)
    })
}

/// Pareto latencies with shape `alpha` (a smaller `alpha` has a heavier tail), cut off at half a minute.
fn heavy_tailed(seed: u64, alpha: f64) -> Host {
    let mut random = Random(seed);
    Box::new(move |request| {
        let seconds = (0.1 * (1.0 - random.next()).powf(-1.0 / alpha)).min(30.0);
        Reply::page(request, 0, Duration::from_micros((seconds * 1e6) as u64))
    })
}

/// Alternates between `period` fast pages and `period` slow ones.
fn alternating(seed: u64, period: u32, fast: f64, slow: f64) -> Host {
    let mut random = Random(seed);
    Box::new(move |request| {
        let is_slow = (request.number / period) % 2 == 1;
        Reply::page(request, 0, random.about(if is_slow { slow } else { fast }, 0.2))
    })
}

/// A host whose latency grows from 50 milliseconds to five seconds, independent of the load.
fn degrading(seed: u64) -> Host {
    let mut random = Random(seed);
    Box::new(move |request| {
        let progress = f64::from(request.number.min(2_000)) / 2_000.0;
        Reply::page(request, 0, random.about(0.05 * 100_f64.powf(progress), 0.2))
    })
}

/// A host that processes `capacity` requests concurrently; above that all take proportionally longer. Its
/// pages have `kinds` kinds, each four times as costly as the one before.
fn with_capacity(mut random: Random, capacity: f64, seconds: f64, kinds: u32) -> Host {
    Box::new(move |request| {
        let kind = (random.next() * f64::from(kinds)) as u32;
        let load = (f64::from(request.in_flight) / capacity).max(1.0);
        let latency = random.about(seconds * 4_f64.powi(kind as i32) * load, 0.2);
        Reply::page(request, kind, latency)
    })
}

/// Healthy hosts whose pages differ in cost.
fn healthy_hosts(seed: u64) -> Vec<(&'static str, Host)> {
    vec![
        ("one in ten is slow", two_costs(seed, 0.1, 0.06, 0.6, false)),
        ("half are slow", two_costs(seed, 0.5, 0.06, 0.6, false)),
        ("nine in ten are slow", two_costs(seed, 0.9, 0.06, 0.6, false)),
        ("half are slow, of a kind of their own", two_costs(seed, 0.5, 0.06, 0.6, true)),
        ("half are a thousand times as slow", two_costs(seed, 0.5, 0.01, 10.0, false)),
        ("a tail almost without a mean", heavy_tailed(seed, 1.05)),
        ("a tail without a variance", heavy_tailed(seed, 1.5)),
        ("a lighter tail", heavy_tailed(seed, 3.0)),
        ("twenty fast, twenty slow", alternating(seed, 20, 0.06, 0.6)),
        ("sixty fast, sixty slow", alternating(seed, 60, 0.06, 0.6)),
        ("two hundred fast, as many slow", alternating(seed, 200, 0.06, 0.6)),
        ("two hundred, and as many three times as slow", alternating(seed, 200, 0.1, 0.3)),
        ("increasingly slow", degrading(seed)),
    ]
}

#[test]
fn the_limit_of_a_healthy_host_never_falls_below_half() {
    for seed in 0..SEEDS {
        for (name, host) in healthy_hosts(seed) {
            let mut crawl = Crawl::new(8, 50);
            let mut highest = 0;
            for (n, seen) in crawl.run(2_000, host).into_iter().enumerate() {
                highest = highest.max(seen.limit);
                assert!(2 * seen.limit >= highest, "{name}, {seed}: {} of {highest} after {n}", seen.limit);
            }
            assert!(highest > 30, "{name}, {seed}: {highest} at most");
        }
    }
}

#[test]
fn the_limit_of_a_healthy_host_recovers_within_twenty_responses() {
    for seed in 0..SEEDS {
        for (name, host) in healthy_hosts(seed) {
            let mut crawl = Crawl::new(8, 8);
            let mut below = 0;
            for seen in crawl.run(1_000, host) {
                below = if seen.limit < 8 { below + 1 } else { 0 };
                assert!(below <= 20, "{name}, {seed}: a limit of {} for {below} responses", seen.limit);
            }
        }
    }
}

#[test]
fn slow_pages_after_fast_ones_keep_the_limit() {
    let after = |seconds: f64| {
        move |request: Request| Reply::page(request, 0, Duration::from_micros((seconds * 1e6) as u64))
    };
    // Twenty pages of 600 ms take three rounds at a limit of eight, and at most one more while the controller
    // finds out that the host is not saturated.
    let mut crawl = Crawl::new(8, 8);
    crawl.run(60, after(0.06));
    for _ in 0..4 {
        let began = crawl.now;
        crawl.run(20, after(0.6));
        assert!(crawl.now - began <= Duration::from_millis(2_400), "{:?}", crawl.now - began);
    }
    for (name, period, max) in [("one after the other", 40, 3_700), ("mixed", 1, 4_200)] {
        let mut crawl = Crawl::new(8, 50);
        let began = crawl.now;
        crawl.run(80, alternating(0, period, 0.06, 0.6));
        assert!(crawl.now - began <= Duration::from_millis(max), "{name}: {:?}", crawl.now - began);
    }
}

#[test]
fn the_limit_settles_near_the_capacity_of_a_host() {
    for seed in 0..SEEDS {
        for (seconds, kinds) in [(0.05, 1), (0.5, 1), (0.1, 3)] {
            for capacity in [1, 2, 4, 6, 10, 20] {
                let capacity = f64::from(capacity);
                let mut crawl = Crawl::new(8, 50);
                let seen = crawl.run(4_000, with_capacity(Random(seed), capacity, seconds, kinds));
                let settled: Vec<f64> = seen[2_000..].iter().map(|seen| seen.limit.into()).collect();
                let mean = settled.iter().sum::<f64>() / settled.len() as f64;
                let lowest = settled.iter().copied().fold(f64::MAX, f64::min);
                let name = format!("{capacity} at once in {seconds} s, {kinds} kinds, {seed}");
                assert!((0.8 * capacity..=2.5 * capacity).contains(&mean), "{name}: {mean} on average");
                assert!(lowest >= (capacity / 3.0).floor(), "{name}: {lowest}");
            }
        }
    }
}

#[test]
fn the_limit_rises_when_the_capacity_rises() {
    for seed in 0..SEEDS {
        for capacity in [1.0, 2.0, 4.0] {
            let mut crawl = Crawl::new(8, 50);
            crawl.run(1_000, with_capacity(Random(seed), capacity, 0.2, 1));
            let seen = crawl.run(300, with_capacity(Random(seed), 1000.0, 0.2, 1));
            let recovered = seen.iter().position(|seen| seen.limit >= 8);
            assert!(recovered.is_some_and(|responses| responses < 250), "{capacity}, {seed}: {recovered:?}");
        }
    }
}

#[test]
fn the_limit_falls_when_the_capacity_falls() {
    for seed in 0..SEEDS {
        let mut crawl = Crawl::new(8, 50);
        crawl.run(1_500, with_capacity(Random(seed), 1000.0, 0.1, 1));
        assert!(crawl.rate_controller.max_concurrent() >= 25);
        let seen = crawl.run(1_500, with_capacity(Random(seed), 4.0, 0.1, 1));
        assert!(seen.last().is_some_and(|seen| seen.limit <= 8), "{seed}");
    }
}

/// A host that responds to `capacity` concurrent requests and refuses more.
fn refusing(seed: u64, capacity: u32) -> Host {
    let mut random = Random(seed);
    Box::new(move |request| {
        if request.in_flight > capacity {
            let reply = Reply::page(request, 0, Duration::from_millis(2));
            return Reply { status: Some(429), ..reply };
        }
        Reply::page(request, 0, random.about(0.05, 0.2))
    })
}

#[test]
fn the_limit_settles_at_what_a_host_does_not_refuse() {
    for seed in 0..SEEDS {
        for capacity in [1, 2, 4, 8, 20] {
            let seen = Crawl::new(8, 50).run(2_000, refusing(seed, capacity));
            let settled = &seen[1_000..];
            let refused = settled.iter().filter(|seen| seen.status != Some(200)).count();
            assert!(refused <= 80, "{capacity}, {seed}: {refused} of 1,000 are refused");
            let (lowest, max) = settled
                .iter()
                .fold((u32::MAX, 0), |(lowest, max), seen| (lowest.min(seen.limit), max.max(seen.limit)));
            assert!(2 * lowest >= capacity && max <= 2 * capacity, "{capacity}, {seed}: {lowest} to {max}");
        }
    }
}

/// A host whose every `every`th response is this failure, each for another page or always for one.
fn failing(every: u32, status: Option<u16>, one_page: bool) -> Host {
    Box::new(move |request| {
        let reply = Reply::page(request, 0, Duration::from_millis(50));
        if !request.number.is_multiple_of(every) {
            return reply;
        }
        let page = if one_page { 0 } else { request.number };
        Reply { status, key: RequestKey { page, ..reply.key }, ..reply }
    })
}

#[test]
fn the_limit_recovers_within_twenty_responses_after_an_outage() {
    for status in [None, Some(429), Some(502), Some(503)] {
        for responses in [3, 20, 50, 200] {
            let mut crawl = Crawl::new(8, 50);
            crawl.run(50, failing(u32::MAX, None, false));
            let outage = crawl.run(responses, failing(1, status, false));
            let lowest = outage.iter().map(|seen| seen.limit).min().unwrap();
            assert_eq!(lowest == 1, responses > 3, "{responses} of {status:?}: {lowest}");
            let seen = crawl.run(100, failing(u32::MAX, None, false));
            let recovered = seen.iter().position(|seen| seen.limit >= 8).unwrap();
            assert!(recovered < 20, "{responses} of {status:?}: {recovered}");
        }
    }
}

#[test]
fn one_failing_page_does_not_lower_the_limit() {
    let healthy = Crawl::new(8, 50).run(1_000, failing(u32::MAX, None, true));
    for status in [None, Some(429), Some(502), Some(503), Some(504)] {
        for every in [2, 3, 5, 20] {
            let mut crawl = Crawl::new(8, 50);
            let began = crawl.now;
            let seen = crawl.run(1_000, failing(every, status, true));
            // The first refusal may lower the limit by one, until the page is known.
            assert!(seen[2..].iter().all(|seen| seen.limit >= 7), "{status:?}, 1 of {every}");
            assert_eq!(crawl.ready_at, Duration::ZERO, "{status:?}, 1 of {every}: no pause");
            let max = seen.iter().map(|seen| seen.limit).max();
            assert!(max >= healthy.iter().map(|seen| seen.limit / 2).max(), "{status:?}, 1 of {every}");
            assert!(crawl.now - began < Duration::from_secs(4), "{:?}", crawl.now - began);
        }
    }
}

#[test]
fn a_few_broken_connections_are_not_an_overload() {
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let mut crawl = Crawl::new(8, 50);
        let seen = crawl.run(1_000, |request| {
            let reply = Reply::page(request, 0, Duration::from_millis(50));
            if random.next() < 0.1 { Reply { status: None, ..reply } } else { reply }
        });
        let settled: u32 = seen[200..].iter().map(|seen| seen.limit).sum();
        assert!(settled / 800 >= 8, "{seed}: {} on average", settled / 800);
    }
}
