//! What holds for hosts of many kinds, in virtual time: such as answer slowly, unevenly, not at all, or no more than so
//! much at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::*;

/// Each property is held against this many courses of chance.
const SEEDS: u64 = 20;

/// SplitMix64.
struct Random(u64);

impl Random {
    /// The next number from 0 to below 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// So many seconds, give or take this share of them.
    fn about(&mut self, seconds: f64, share: f64) -> Duration {
        Duration::from_micros((seconds * (1.0 - share + 2.0 * share * self.next()) * 1e6) as u64)
    }
}

/// What is asked of a host.
#[derive(Clone, Copy)]
struct Request {
    /// Its number, from 1.
    number: u32,
    /// Requests under way, this one included.
    in_flight: u32,
}

/// What it answers.
#[derive(Clone, Copy)]
struct Reply {
    status: Option<u16>,
    latency: Duration,
    asked: Asked,
}

impl Reply {
    /// A page of its own, of this kind, that is answered well.
    fn page(request: Request, kind: u32, latency: Duration) -> Self {
        Self { status: Some(200), latency, asked: Asked { page: request.number, kind } }
    }
}

/// An answer that came, and how many pages at once the host is asked for from then on.
#[derive(Clone, Copy)]
struct Seen {
    status: Option<u16>,
    at_once: u32,
}

/// A crawl of one host that has always more pages to ask for.
struct Crawl {
    rate_controller: RateController,
    now: Duration,
    /// Nothing begins before this.
    ready_at: Duration,
    asked: u32,
}

impl Crawl {
    fn new(at_once: u32, most: u32) -> Self {
        let now = Duration::from_secs(1000);
        Self { rate_controller: RateController::new(at_once, most), now, ready_at: Duration::ZERO, asked: 0 }
    }

    /// Asks for this many pages, and waits for all of them.
    fn run(&mut self, pages: usize, mut host: impl FnMut(Request) -> Reply) -> Vec<Seen> {
        let mut replies: Vec<Reply> = Vec::new();
        let mut under_way = BinaryHeap::new();
        let mut seen = Vec::new();
        while seen.len() < pages {
            let most =
                if self.rate_controller.pause().is_zero() { self.rate_controller.at_once() } else { 1 };
            let begins = self.now.max(self.ready_at);
            let has_room = replies.len() < pages && under_way.len() < most as usize;
            if has_room && under_way.peek().is_none_or(|Reverse((end, _))| begins <= *end) {
                self.now = begins;
                self.asked += 1;
                let in_flight = under_way.len() as u32 + 1;
                let reply = host(Request { number: self.asked, in_flight });
                under_way.push(Reverse((self.now + reply.latency, replies.len())));
                replies.push(reply);
                continue;
            }
            let Reverse((end, index)) = under_way.pop().expect("something is under way");
            let Reply { status, latency, asked } = replies[index];
            self.now = end;
            let in_flight = under_way.len() as u32 + 1;
            let pause = self.rate_controller.learn(Observation { status, latency }, asked, in_flight, end);
            let pause = pause.unwrap_or_default().max(self.rate_controller.pause());
            if !pause.is_zero() {
                self.ready_at = self.ready_at.max(end + pause);
            }
            seen.push(Seen { status, at_once: self.rate_controller.at_once() });
        }
        seen
    }
}

type Host = Box<dyn FnMut(Request) -> Reply>;

/// Pages of which this share is slow: of a kind of their own or not.
fn two_costs(seed: u64, share: f64, fast: f64, slow: f64, kinds: bool) -> Host {
    let mut random = Random(seed);
    Box::new(move |request| {
        let is_slow = random.next() < share;
        let latency = random.about(if is_slow { slow } else { fast }, 0.2);
        Reply::page(request, u32::from(is_slow && kinds), latency)
    })
}

/// Latencies with a tail as heavy as `alpha` is small, cut off at half a minute.
fn heavy_tailed(seed: u64, alpha: f64) -> Host {
    let mut random = Random(seed);
    Box::new(move |request| {
        let seconds = (0.1 * (1.0 - random.next()).powf(-1.0 / alpha)).min(30.0);
        Reply::page(request, 0, Duration::from_micros((seconds * 1e6) as u64))
    })
}

/// So many fast pages and as many that take longer, in turn.
fn in_turn(seed: u64, period: u32, fast: f64, slow: f64) -> Host {
    let mut random = Random(seed);
    Box::new(move |request| {
        let is_slow = (request.number / period) % 2 == 1;
        Reply::page(request, 0, random.about(if is_slow { slow } else { fast }, 0.2))
    })
}

/// A host that gets slower and slower, from 50 milliseconds to five seconds, for reasons of its own.
fn slower_and_slower(seed: u64) -> Host {
    let mut random = Random(seed);
    Box::new(move |request| {
        let progress = f64::from(request.number.min(2_000)) / 2_000.0;
        Reply::page(request, 0, random.about(0.05 * 100_f64.powf(progress), 0.2))
    })
}

/// A host that works on `capacity` requests at once; where there are more, all take longer for it. Its pages are of so many
/// kinds, each of which costs four times what the one before does.
fn at_its_limit(mut random: Random, capacity: f64, seconds: f64, kinds: u32) -> Host {
    Box::new(move |request| {
        let kind = (random.next() * f64::from(kinds)) as u32;
        let crowd = (f64::from(request.in_flight) / capacity).max(1.0);
        let latency = random.about(seconds * 4_f64.powi(kind as i32) * crowd, 0.2);
        Reply::page(request, kind, latency)
    })
}

/// Hosts in good health, whose pages differ in cost.
fn healthy_hosts(seed: u64) -> Vec<(&'static str, Host)> {
    vec![
        ("one in ten is slow", two_costs(seed, 0.1, 0.06, 0.6, false)),
        ("half are slow", two_costs(seed, 0.5, 0.06, 0.6, false)),
        ("nine in ten are slow", two_costs(seed, 0.9, 0.06, 0.6, false)),
        ("half are slow, of a kind of their own", two_costs(seed, 0.5, 0.06, 0.6, true)),
        ("half are a thousand times as slow", two_costs(seed, 0.5, 0.01, 10.0, false)),
        ("a tail without a mean, nearly", heavy_tailed(seed, 1.05)),
        ("a tail without a variance", heavy_tailed(seed, 1.5)),
        ("a lighter tail", heavy_tailed(seed, 3.0)),
        ("twenty fast, twenty slow", in_turn(seed, 20, 0.06, 0.6)),
        ("sixty fast, sixty slow", in_turn(seed, 60, 0.06, 0.6)),
        ("two hundred fast, as many slow", in_turn(seed, 200, 0.06, 0.6)),
        ("two hundred, and as many three times as slow", in_turn(seed, 200, 0.1, 0.3)),
        ("slower and slower", slower_and_slower(seed)),
    ]
}

#[test]
fn a_healthy_host_never_falls_under_half_of_its_places() {
    for seed in 0..SEEDS {
        for (name, host) in healthy_hosts(seed) {
            let mut crawl = Crawl::new(8, 50);
            let mut had = 0;
            for (n, seen) in crawl.run(2_000, host).into_iter().enumerate() {
                had = had.max(seen.at_once);
                assert!(2 * seen.at_once >= had, "{name}, {seed}: {} of {had} after {n}", seen.at_once);
            }
            assert!(had > 30, "{name}, {seed}: {had} at most");
        }
    }
}

#[test]
fn a_healthy_host_has_its_places_again_within_twenty_answers() {
    for seed in 0..SEEDS {
        for (name, host) in healthy_hosts(seed) {
            let mut crawl = Crawl::new(8, 8);
            let mut missing = 0;
            for seen in crawl.run(1_000, host) {
                missing = if seen.at_once < 8 { missing + 1 } else { 0 };
                assert!(missing <= 20, "{name}, {seed}: {} places for {missing} answers", seen.at_once);
            }
        }
    }
}

#[test]
fn slow_pages_after_fast_ones_are_asked_for_as_before() {
    let after = |seconds: f64| {
        move |request: Request| Reply::page(request, 0, Duration::from_micros((seconds * 1e6) as u64))
    };
    // Twenty pages of 600 ms take three rounds of eight places, and no more than one round longer while it is found out
    // that the host is not busy.
    let mut crawl = Crawl::new(8, 8);
    crawl.run(60, after(0.06));
    for _ in 0..4 {
        let began = crawl.now;
        crawl.run(20, after(0.6));
        assert!(crawl.now - began <= Duration::from_millis(2_400), "{:?}", crawl.now - began);
    }
    for (name, period, most) in [("one after the other", 40, 3_700), ("mixed", 1, 4_200)] {
        let mut crawl = Crawl::new(8, 50);
        let began = crawl.now;
        crawl.run(80, in_turn(0, period, 0.06, 0.6));
        assert!(crawl.now - began <= Duration::from_millis(most), "{name}: {:?}", crawl.now - began);
    }
}

#[test]
fn a_host_at_its_limit_is_asked_for_about_what_it_bears() {
    for seed in 0..SEEDS {
        for (seconds, kinds) in [(0.05, 1), (0.5, 1), (0.1, 3)] {
            for capacity in [1, 2, 4, 6, 10, 20] {
                let capacity = f64::from(capacity);
                let mut crawl = Crawl::new(8, 50);
                let seen = crawl.run(4_000, at_its_limit(Random(seed), capacity, seconds, kinds));
                let settled: Vec<f64> = seen[2_000..].iter().map(|seen| seen.at_once.into()).collect();
                let mean = settled.iter().sum::<f64>() / settled.len() as f64;
                let least = settled.iter().copied().fold(f64::MAX, f64::min);
                let name = format!("{capacity} at once in {seconds} s, {kinds} kinds, {seed}");
                assert!((0.8 * capacity..=2.5 * capacity).contains(&mean), "{name}: {mean} on average");
                assert!(least >= (capacity / 3.0).floor(), "{name}: {least}");
            }
        }
    }
}

#[test]
fn a_host_that_bears_more_again_is_asked_for_more_again() {
    for seed in 0..SEEDS {
        for capacity in [1.0, 2.0, 4.0] {
            let mut crawl = Crawl::new(8, 50);
            crawl.run(1_000, at_its_limit(Random(seed), capacity, 0.2, 1));
            let seen = crawl.run(300, at_its_limit(Random(seed), 1000.0, 0.2, 1));
            let again = seen.iter().position(|seen| seen.at_once >= 8);
            assert!(again.is_some_and(|answers| answers < 250), "{capacity}, {seed}: {again:?}");
        }
    }
}

#[test]
fn a_host_that_suddenly_bears_less_is_found_out() {
    for seed in 0..SEEDS {
        let mut crawl = Crawl::new(8, 50);
        crawl.run(1_500, at_its_limit(Random(seed), 1000.0, 0.1, 1));
        assert!(crawl.rate_controller.at_once() >= 25);
        let seen = crawl.run(1_500, at_its_limit(Random(seed), 4.0, 0.1, 1));
        assert!(seen.last().is_some_and(|seen| seen.at_once <= 8), "{seed}");
    }
}

/// It answers up to `capacity` requests at once, and refuses more.
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
fn it_settles_at_what_a_host_does_not_refuse() {
    for seed in 0..SEEDS {
        for capacity in [1, 2, 4, 8, 20] {
            let seen = Crawl::new(8, 50).run(2_000, refusing(seed, capacity));
            let settled = &seen[1_000..];
            let refused = settled.iter().filter(|seen| seen.status != Some(200)).count();
            assert!(refused <= 80, "{capacity}, {seed}: {refused} of 1,000 are refused");
            let (least, most) = settled
                .iter()
                .fold((u32::MAX, 0), |(least, most), seen| (least.min(seen.at_once), most.max(seen.at_once)));
            assert!(2 * least >= capacity && most <= 2 * capacity, "{capacity}, {seed}: {least} to {most}");
        }
    }
}

/// A host of which 1 of `every` answers is such a failure, of another page each time or always of one.
fn failing(every: u32, status: Option<u16>, one_page: bool) -> Host {
    Box::new(move |request| {
        let reply = Reply::page(request, 0, Duration::from_millis(50));
        if !request.number.is_multiple_of(every) {
            return reply;
        }
        let page = if one_page { 0 } else { request.number };
        Reply { status, asked: Asked { page, ..reply.asked }, ..reply }
    })
}

#[test]
fn after_a_storm_a_host_has_its_places_again_within_twenty_answers() {
    for status in [None, Some(429), Some(502), Some(503)] {
        for answers in [3, 20, 50, 200] {
            let mut crawl = Crawl::new(8, 50);
            crawl.run(50, failing(u32::MAX, None, false));
            let storm = crawl.run(answers, failing(1, status, false));
            let least = storm.iter().map(|seen| seen.at_once).min().unwrap();
            assert_eq!(least == 1, answers > 3, "{answers} of {status:?}: {least}");
            let seen = crawl.run(100, failing(u32::MAX, None, false));
            let again = seen.iter().position(|seen| seen.at_once >= 8).unwrap();
            assert!(again < 20, "{answers} of {status:?}: {again}");
        }
    }
}

#[test]
fn one_page_that_always_fails_takes_nothing_from_the_others() {
    let well = Crawl::new(8, 50).run(1_000, failing(u32::MAX, None, true));
    for status in [None, Some(429), Some(502), Some(503), Some(504)] {
        for every in [2, 3, 5, 20] {
            let mut crawl = Crawl::new(8, 50);
            let began = crawl.now;
            let seen = crawl.run(1_000, failing(every, status, true));
            // The first refusal may cost one place, until the page is known.
            assert!(seen[2..].iter().all(|seen| seen.at_once >= 7), "{status:?}, 1 of {every}");
            assert_eq!(crawl.ready_at, Duration::ZERO, "{status:?}, 1 of {every}: nobody waits");
            let most = seen.iter().map(|seen| seen.at_once).max();
            assert!(most >= well.iter().map(|seen| seen.at_once / 2).max(), "{status:?}, 1 of {every}");
            assert!(crawl.now - began < Duration::from_secs(4), "{:?}", crawl.now - began);
        }
    }
}

#[test]
fn a_few_broken_connections_among_many_answers_are_no_overload() {
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let mut crawl = Crawl::new(8, 50);
        let seen = crawl.run(1_000, |request| {
            let reply = Reply::page(request, 0, Duration::from_millis(50));
            if random.next() < 0.1 { Reply { status: None, ..reply } } else { reply }
        });
        let settled: u32 = seen[200..].iter().map(|seen| seen.at_once).sum();
        assert!(settled / 800 >= 8, "{seed}: {} on average", settled / 800);
    }
}
