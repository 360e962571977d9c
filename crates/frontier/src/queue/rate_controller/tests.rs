use super::*;

fn milliseconds(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn answer(status: u16, latency: Duration) -> Observation {
    Observation { status: Some(status), latency }
}

fn page(page: u32) -> Asked {
    Asked { page, kind: 0 }
}

#[test]
fn a_host_that_never_answered_gets_few_places() {
    let new = RateController::new(8, 50);
    assert_eq!(new.at_once(), MAX_BEFORE_FIRST_ANSWER);
    assert_eq!(RateController::new(1, 50).at_once(), 1);
    for (name, status, expected) in [
        ("a page", Some(200), 8),
        ("an error is an answer", Some(404), 8),
        ("a refusal is none", Some(503), MAX_BEFORE_FIRST_ANSWER),
        ("silence", None, MAX_BEFORE_FIRST_ANSWER),
    ] {
        let mut rate_controller = new.clone();
        let latency = Duration::from_secs(9);
        rate_controller.learn(Observation { status, latency }, page(1), 2, Duration::from_secs(10));
        assert_eq!(rate_controller.at_once(), expected, "{name}");
    }
}

#[test]
fn silence_slows_a_host_down_only_where_it_has_answered_before() {
    // What it does to one page after another; then how many at once, and the pauses that were made, in seconds.
    for (name, answers, at_once, pauses) in [
        ("refused once", &[None][..], 2, &[][..]),
        ("refused four times", &[None; 4], 2, &[]),
        ("refused five times", &[None; 5], 1, &[]),
        ("refused for ever", &[None; 1000], 1, &[]),
        ("up after all", &[None, None, None, None, None, None, Some(200)], 8, &[]),
        ("up, and an error", &[None, None, None, None, None, None, Some(404)], 8, &[]),
        ("up, and overloaded", &[None, Some(503), None], 2, &[]),
        ("up, and overloaded for all", &[Some(503); 7], 1, &[1, 2, 4, 8, 16]),
        ("down for two pages", &[Some(200), None, None, Some(200), Some(200), None, None], 8, &[]),
        ("down after an answer", &[Some(200), None, None, None, None, None, None], 1, &[1, 2, 4, 8]),
    ] {
        let mut rate_controller = RateController::new(8, 50);
        let mut made = Vec::new();
        for (n, status) in (1..).zip(answers) {
            let seen = Observation { status: *status, latency: milliseconds(1) };
            let pause = rate_controller.learn(seen, page(n), 1, Duration::from_secs(100 * u64::from(n)));
            made.extend(pause.map(|pause| pause.as_secs()));
        }
        assert_eq!((rate_controller.at_once(), &*made), (at_once, pauses), "{name}");
    }
}

#[test]
fn one_page_that_fails_slows_a_host_down_neither_alone_nor_among_others() {
    for status in [None, Some(429), Some(502), Some(503), Some(504)] {
        for others in 0..4 {
            let mut rate_controller = RateController::new(8, 50);
            let (mut now, mut pauses) = (Duration::from_secs(100), 0);
            rate_controller.learn(answer(200, milliseconds(50)), page(0), 1, now);
            for n in 1..200 {
                now += Duration::from_secs(1);
                let failed = Observation { status, latency: milliseconds(30) };
                pauses += u32::from(rate_controller.learn(failed, page(7), 1, now).is_some());
                for other in 0..others {
                    now += Duration::from_secs(1);
                    let well = answer(200, milliseconds(50));
                    pauses +=
                        u32::from(rate_controller.learn(well, page(1000 * n + other), 1, now).is_some());
                }
                // Until it is known for failing, a refusal may cost one place of eight.
                assert!(
                    rate_controller.at_once() >= 7,
                    "{status:?}, {others} others: {}",
                    rate_controller.at_once()
                );
            }
            assert_eq!((pauses, rate_controller.pause()), (0, Duration::ZERO), "{status:?}, {others} others");
        }
    }
}

#[test]
fn it_does_not_speed_up_on_a_host_that_is_hardly_asked() {
    let mut rate_controller = RateController::new(8, 50);
    for n in 0..1000 {
        rate_controller.learn(answer(200, milliseconds(50)), page(n), 1, Duration::from_secs(n.into()));
    }
    assert_eq!(rate_controller.at_once(), 8);
}

#[test]
fn a_burst_of_refusals_counts_once() {
    let mut rate_controller = RateController::new(8, 50);
    rate_controller.answered();
    let now = Duration::from_secs(10);
    let refusals = (0..8).map(|n| {
        let at = now + milliseconds(u64::from(n));
        rate_controller.learn(answer(503, milliseconds(100)), page(n), 8 - n, at)
    });
    let pauses: Vec<Duration> = refusals.flatten().collect();
    assert_eq!(pauses, [FIRST_PAUSE]);
    assert_eq!(rate_controller.at_once(), 4);
}

#[test]
fn pauses_grow_while_even_one_is_too_much_and_shrink_again() {
    let mut rate_controller = RateController::new(1, 50);
    let mut now = Duration::from_secs(100);
    let mut pauses = Vec::new();
    for n in 0..10 {
        now += Duration::from_secs(100);
        let pause = rate_controller.learn(answer(429, milliseconds(10)), page(n), 1, now);
        pauses.extend(pause.map(|pause| pause.as_secs()));
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60], "two pages alone say nothing of the host");
    for n in 10..17 {
        now += Duration::from_secs(100);
        assert_eq!(rate_controller.learn(answer(200, milliseconds(10)), page(n), 1, now), None);
    }
    assert_eq!(rate_controller.pause(), Duration::ZERO);
    assert_eq!(rate_controller.at_once(), 1);
    rate_controller.learn(answer(200, milliseconds(10)), page(17), 1, now + Duration::from_secs(1));
    assert_eq!(rate_controller.at_once(), 2);
}

#[test]
fn what_was_learnt_long_ago_does_not_hold_a_host_up() {
    for (idle, left) in [(599, 30), (600, 0)] {
        let mut rate_controller = RateController::new(1, 50);
        let mut now = Duration::from_secs(100);
        for n in 0..10 {
            now += Duration::from_secs(100);
            rate_controller.learn(answer(503, milliseconds(10)), page(n), 1, now);
        }
        now += Duration::from_secs(idle) + milliseconds(10);
        rate_controller.learn(answer(200, milliseconds(10)), page(10), 1, now);
        assert_eq!(rate_controller.pause().as_secs(), left, "{idle} s");
        assert_eq!(rate_controller.at_once(), 1);
    }
}

#[test]
fn other_errors_are_no_overload() {
    for (status, overload) in
        [(200, false), (404, false), (403, false), (500, false), (429, true), (503, true)]
    {
        assert_eq!(answer(status, Duration::ZERO).is_overload(), overload, "{status}");
    }
    assert!(Observation { status: None, latency: Duration::ZERO }.is_overload());
}
