//! Tests of the concurrency limit that follows the responses of a host.

use super::*;

fn milliseconds(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn response(status: u16, latency: Duration) -> Observation {
    Observation { status: Some(status), latency }
}

fn page(page: u32) -> RequestKey {
    RequestKey { page, kind: 0 }
}

#[test]
fn a_host_without_responses_has_a_low_limit() {
    let new = RateController::new(8, 50);
    assert_eq!(new.max_concurrent(), MAX_BEFORE_FIRST_RESPONSE);
    assert_eq!(RateController::new(1, 50).max_concurrent(), 1);
    for (name, status, expected) in [
        ("a page", Some(200), 8),
        ("an error is a response", Some(404), 8),
        ("a refusal is not", Some(503), MAX_BEFORE_FIRST_RESPONSE),
        ("no response", None, MAX_BEFORE_FIRST_RESPONSE),
    ] {
        let mut rate_controller = new.clone();
        let latency = Duration::from_secs(9);
        rate_controller.observe(Observation { status, latency }, page(1), 2, Duration::from_secs(10));
        assert_eq!(rate_controller.max_concurrent(), expected, "{name}");
    }
}

#[test]
fn a_host_continues_at_what_was_learned() {
    let mut rate_controller = RateController::new(8, 50);
    assert_eq!(rate_controller.learned(), None);
    for (learned, expected) in [(0, 1), (30, 30), (51, 50)] {
        rate_controller.continue_at(learned);
        assert_eq!((rate_controller.max_concurrent(), rate_controller.learned()), (expected, Some(expected)));
    }
}

#[test]
fn missing_responses_slow_a_host_only_after_its_first_response() {
    // Responses to one page after another; then the limit, and the pauses in seconds.
    for (name, answers, max_concurrent, pauses) in [
        ("refused once", &[None][..], 2, &[][..]),
        ("refused four times", &[None; 4], 2, &[]),
        ("refused five times", &[None; 5], 1, &[]),
        ("always refused", &[None; 1000], 1, &[]),
        ("up after all", &[None, None, None, None, None, None, Some(200)], 8, &[]),
        ("up, and an error", &[None, None, None, None, None, None, Some(404)], 8, &[]),
        ("up, and overloaded", &[None, Some(503), None], 2, &[]),
        ("up, and always overloaded", &[Some(503); 7], 1, &[1, 2, 4, 8, 16]),
        ("down for two pages", &[Some(200), None, None, Some(200), Some(200), None, None], 8, &[]),
        ("down after a response", &[Some(200), None, None, None, None, None, None], 1, &[1, 2, 4, 8]),
    ] {
        let mut rate_controller = RateController::new(8, 50);
        let mut made = Vec::new();
        for (n, status) in (1..).zip(answers) {
            let observation = Observation { status: *status, latency: milliseconds(1) };
            let pause =
                rate_controller.observe(observation, page(n), 1, Duration::from_secs(100 * u64::from(n)));
            made.extend(pause.map(|pause| pause.as_secs()));
        }
        assert_eq!((rate_controller.max_concurrent(), &*made), (max_concurrent, pauses), "{name}");
    }
}

#[test]
fn one_failing_page_does_not_slow_a_host() {
    for status in [None, Some(429), Some(502), Some(503), Some(504)] {
        for others in 0..4 {
            let mut rate_controller = RateController::new(8, 50);
            let (mut now, mut pauses) = (Duration::from_secs(100), 0);
            rate_controller.observe(response(200, milliseconds(50)), page(0), 1, now);
            for n in 1..200 {
                now += Duration::from_secs(1);
                let failed = Observation { status, latency: milliseconds(30) };
                pauses += u32::from(rate_controller.observe(failed, page(7), 1, now).is_some());
                for other in 0..others {
                    now += Duration::from_secs(1);
                    let good = response(200, milliseconds(50));
                    pauses +=
                        u32::from(rate_controller.observe(good, page(1000 * n + other), 1, now).is_some());
                }
                // Until the page is known to fail, a refusal may lower the limit from eight to seven.
                assert!(
                    rate_controller.max_concurrent() >= 7,
                    "{status:?}, {others} others: {}",
                    rate_controller.max_concurrent()
                );
            }
            assert_eq!((pauses, rate_controller.pause()), (0, Duration::ZERO), "{status:?}, {others} others");
        }
    }
}

#[test]
fn the_limit_does_not_grow_on_an_idle_host() {
    let mut rate_controller = RateController::new(8, 50);
    for n in 0..1000 {
        rate_controller.observe(response(200, milliseconds(50)), page(n), 1, Duration::from_secs(n.into()));
    }
    assert_eq!(rate_controller.max_concurrent(), 8);
}

#[test]
fn a_burst_of_refusals_counts_once() {
    let mut rate_controller = RateController::new(8, 50);
    rate_controller.mark_answered();
    let now = Duration::from_secs(10);
    let refusals = (0..8).map(|n| {
        let at = now + milliseconds(u64::from(n));
        rate_controller.observe(response(503, milliseconds(100)), page(n), 8 - n, at)
    });
    let pauses: Vec<Duration> = refusals.flatten().collect();
    assert_eq!(pauses, [FIRST_PAUSE]);
    assert_eq!(rate_controller.max_concurrent(), 4);
}

#[test]
fn pauses_grow_while_one_request_is_too_much_and_shrink_again() {
    let mut rate_controller = RateController::new(1, 50);
    let mut now = Duration::from_secs(100);
    let mut pauses = Vec::new();
    for n in 0..10 {
        now += Duration::from_secs(100);
        let pause = rate_controller.observe(response(429, milliseconds(10)), page(n), 1, now);
        pauses.extend(pause.map(|pause| pause.as_secs()));
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60], "two pages alone tell nothing about the host");
    for n in 10..17 {
        now += Duration::from_secs(100);
        assert_eq!(rate_controller.observe(response(200, milliseconds(10)), page(n), 1, now), None);
    }
    assert_eq!(rate_controller.pause(), Duration::ZERO);
    assert_eq!(rate_controller.max_concurrent(), 1);
    rate_controller.observe(response(200, milliseconds(10)), page(17), 1, now + Duration::from_secs(1));
    assert_eq!(rate_controller.max_concurrent(), 2);
}

#[test]
fn an_old_overload_does_not_delay_a_host() {
    for (idle, left) in [(599, 30), (600, 0)] {
        let mut rate_controller = RateController::new(1, 50);
        let mut now = Duration::from_secs(100);
        for n in 0..10 {
            now += Duration::from_secs(100);
            rate_controller.observe(response(503, milliseconds(10)), page(n), 1, now);
        }
        now += Duration::from_secs(idle) + milliseconds(10);
        rate_controller.observe(response(200, milliseconds(10)), page(10), 1, now);
        assert_eq!(rate_controller.pause().as_secs(), left, "{idle} s");
        assert_eq!(rate_controller.max_concurrent(), 1);
    }
}

#[test]
fn other_errors_are_not_an_overload() {
    for (status, overload) in
        [(200, false), (404, false), (403, false), (500, false), (429, true), (503, true)]
    {
        assert_eq!(response(status, Duration::ZERO).is_overload(), overload, "{status}");
    }
    assert!(Observation { status: None, latency: Duration::ZERO }.is_overload());
}
