//! Calls that fail: the disk is full, or broken, once in each thread.

use gleaner_tests::fakes::{FakeResponse, FakeServer};

use super::crawl::{Crawl, Ended};

/// Calls of each kind that fail in the short form.
const SHORT: u64 = 4;

/// Kinds of calls, and how they fail.
const FAILURES: &[(&str, &str)] = &[("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fdatasync", "EIO")];

/// Lets calls fail, `count` of each kind spread over all, or every one.
fn fail_calls(count: Option<u64>) {
    let receiver = FakeServer::always(FakeResponse::new(200, ""));
    for (call, error) in FAILURES {
        let Some(calls) = Crawl::new(&receiver, 0).count_calls(call, true) else { return };
        let count = count.unwrap_or(calls).min(calls);
        let (mut refused, mut survived) = (0, 0);
        for number in 0..count {
            let index = 1 + number * calls / count;
            println!("{call} {index} of {calls}: {error}");
            let mut crawl = Crawl::new(&receiver, number);
            match crawl.disturb(&format!("{call}:error={error}:when={index}"), true) {
                // It went on in the same process, which requested no page twice.
                Some(Ended::Survived) => {
                    survived += 1;
                    crawl.check();
                }
                Some(Ended::Refused) => {
                    refused += 1;
                    crawl.finish();
                }
                Some(Ended::Undisturbed) => crawl.check(),
                Some(Ended::Killed) | None => panic!("nothing kills it"),
            }
        }
        assert!(survived * 2 >= count, "{survived} of {count} processes survived, {refused} did not open");
    }
}

#[test]
fn a_failed_call_ends_no_crawl() {
    fail_calls(Some(SHORT));
}

#[test]
#[ignore = "takes many minutes; CI runs the short form"]
fn no_failed_call_ends_a_crawl() {
    fail_calls(None);
}
