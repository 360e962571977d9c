//! The requests of a page that tell whether it is still loading.
//!
//! Requests that never end or that repeat would keep a page loading forever: streams, long polls, beacons.
//! They are not counted.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

/// A request that takes longer than this is a stream or a long poll.
const LONG: Duration = Duration::from_secs(4);

/// A request answered this often with the same bytes, or started this often while another of its kind is in
/// flight, is a beacon or a poll.
const REPEATS: u32 = 3;

/// Two requests of one kind that begin at least this far apart are paced by a timer.
const PACED: Duration = Duration::from_millis(100);

/// Upper bound on tracked kinds of requests. Requests of further kinds always count.
const MAX_KINDS: usize = 1_000;

/// Bytes of an answer that are compared with those before it.
const MAX_HASHED: usize = 64 * 1024;

/// Resource types that do not add to a page.
const STREAMS: &[&str] = &[
    "WebSocket",
    "EventSource",
    "Ping",
    "Media",
    "CSPViolationReport",
    "Prefetch",
    "Manifest",
    "TextTrack",
    "SignedExchange",
];

/// Resource types that the parser of a document may wait for.
const BLOCKING: &[&str] = &["Script", "Stylesheet"];

/// Resource types that scripts read.
const DATA: &[&str] = &["XHR", "Fetch", "Script", "Document"];

#[derive(Debug, Default)]
pub(super) struct Activity {
    in_flight: HashMap<u64, Flight>,
    kinds: HashMap<u64, RequestKind>,
    last_number: u64,
    /// Requests that scripts began.
    pub(super) script_requests: u32,
    /// When a request began or ended.
    pub(super) changed: Option<Instant>,
}

#[derive(Debug)]
struct Flight {
    began: Instant,
    kind: u64,
    is_stream: bool,
    is_data: bool,
    is_blocking: bool,
    host: Option<Box<str>>,
}

/// Requests of one method and address, without its query.
#[derive(Debug, Default)]
struct RequestKind {
    in_flight: u32,
    last_began: Option<Instant>,
    paced: u32,
    answer: u64,
    same_answers: u32,
}

/// Requests in flight that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct InFlight {
    pub(super) all: usize,
    /// Data and scripts of the page's own host.
    pub(super) own_data: usize,
}

impl Activity {
    /// Counts a new request. Returns its number.
    pub(super) fn begin(&mut self, method: &str, url: &Url, resource: &str, is_event_stream: bool) -> u64 {
        let now = Instant::now();
        let mut hasher = DefaultHasher::new();
        (method, url.host_str(), url.port(), url.path()).hash(&mut hasher);
        let kind = hasher.finish();
        if self.kinds.len() < MAX_KINDS || self.kinds.contains_key(&kind) {
            let known = self.kinds.entry(kind).or_default();
            if known.in_flight > 0 && known.last_began.is_some_and(|before| now - before >= PACED) {
                known.paced += 1;
            }
            known.in_flight += 1;
            known.last_began = Some(now);
        }
        let is_stream = is_event_stream || STREAMS.contains(&resource);
        if matches!(resource, "XHR" | "Fetch" | "EventSource" | "WebSocket") {
            self.script_requests += 1;
        }
        self.last_number += 1;
        let host = url.host_str().map(Into::into);
        let is_data = DATA.contains(&resource);
        let is_blocking = is_blocking(resource);
        let flight = Flight { began: now, kind, is_stream, is_data, is_blocking, host };
        self.in_flight.insert(self.last_number, flight);
        self.changed = Some(now);
        self.last_number
    }

    /// A request was answered with this body, or failed.
    pub(super) fn end(&mut self, number: u64, body: Option<&[u8]>) {
        let Some(flight) = self.in_flight.remove(&number) else { return };
        self.changed = Some(Instant::now());
        let Some(kind) = self.kinds.get_mut(&flight.kind) else { return };
        kind.in_flight = kind.in_flight.saturating_sub(1);
        let Some(body) = body else { return };
        let mut hasher = DefaultHasher::new();
        body.len().hash(&mut hasher);
        body.get(..MAX_HASHED).unwrap_or(body).hash(&mut hasher);
        let answer = hasher.finish();
        kind.same_answers = if kind.answer == answer { kind.same_answers + 1 } else { 1 };
        kind.answer = answer;
    }

    /// Whether the parser of a document may wait for a request in flight.
    pub(super) fn may_block(&self) -> bool {
        self.in_flight.values().any(|flight| flight.is_blocking)
    }

    /// The requests in flight that a page at `host` waits for.
    pub(super) fn in_flight(&self, host: Option<&str>) -> InFlight {
        let now = Instant::now();
        let mut count = InFlight::default();
        for flight in self.in_flight.values() {
            let repeats = self
                .kinds
                .get(&flight.kind)
                .is_some_and(|kind| kind.same_answers >= REPEATS || kind.paced >= REPEATS);
            if flight.is_stream || repeats || now - flight.began > LONG {
                continue;
            }
            count.all += 1;
            if flight.is_data && flight.host.as_deref() == host {
                count.own_data += 1;
            }
        }
        count
    }
}

/// Whether scripts build a page from resources of this type.
pub(super) fn is_needed(resource: &str) -> bool {
    DATA.contains(&resource)
}

/// Whether the parser of a document may wait for resources of this type.
pub(super) fn is_blocking(resource: &str) -> bool {
    BLOCKING.contains(&resource)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("https://a.example").unwrap().join(path).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn what_never_ends_or_repeats_does_not_count() {
        let mut activity = Activity::default();
        let host = Some("a.example");
        activity.begin("GET", &url("/events"), "Fetch", true);
        activity.begin("POST", &url("/beacon"), "Ping", false);
        assert_eq!(activity.in_flight(host), InFlight::default());
        let data = activity.begin("GET", &url("/data"), "Fetch", false);
        activity.begin("GET", &url("https://b.example/pixel"), "Image", false);
        assert_eq!(activity.in_flight(host), InFlight { all: 2, own_data: 1 });
        activity.end(data, Some(b"x"));
        tokio::time::advance(LONG + Duration::from_millis(1)).await;
        assert_eq!(activity.in_flight(host), InFlight::default(), "a picture that takes too long");
        for _ in 0..REPEATS {
            let poll = activity.begin("GET", &url("/poll?n=1"), "Fetch", false);
            assert_eq!(activity.in_flight(host).own_data, 1);
            activity.end(poll, Some(b"nothing new"));
        }
        activity.begin("GET", &url("/poll?n=2"), "Fetch", false);
        assert_eq!(activity.in_flight(host).own_data, 0, "its answers are all the same");
    }

    #[tokio::test(start_paused = true)]
    async fn only_requests_that_begin_beside_others_of_their_kind_are_paced() {
        for (is_answered, expected) in [(false, 0), (true, 1)] {
            let mut activity = Activity::default();
            let mut last = None;
            for body in 0..=REPEATS {
                if let Some(last) = last.filter(|_| is_answered) {
                    activity.end(last, Some(&[u8::try_from(body).unwrap()]));
                }
                last = Some(activity.begin("GET", &url("/data"), "Fetch", false));
                tokio::time::advance(PACED).await;
            }
            assert_eq!(activity.in_flight(Some("a.example")).own_data, expected, "answered: {is_answered}");
        }
    }
}
