//! The requests of a server, with their times and concurrency.
//!
//! A request is in progress from the end of its head until its response has been handed to the socket. That
//! is never later than the moment the client has the whole response, so an overlap in this log is a real one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hyper::Request;
use hyper::header::{HOST, USER_AGENT};

/// Maximum number of requests in a log. Later requests are only counted.
pub const LOG_LIMIT: usize = 1_000_000;

/// What the log records of each request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogDetail {
    /// Nothing, for benchmarks.
    Off,
    /// Times, method, path, host, user agent, status, connection and concurrency.
    #[default]
    Requests,
    /// All of [`Requests`](Self::Requests), and every header.
    Headers,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRecord {
    /// Time from the start of the server until the request head was read.
    pub started: Duration,
    /// Time from the start of the server until the response was handed to the socket; `None` before that.
    pub finished: Option<Duration>,
    /// `GET`, `HEAD` and so on.
    pub method: String,
    /// Path and query, as requested.
    pub path: String,
    /// The `Host` header; empty if the request has none.
    pub host: String,
    /// The `User-Agent` header; empty if the request has none.
    pub user_agent: String,
    /// Every header in the order of arrival, names in lower case; empty unless [`LogDetail::Headers`].
    pub headers: Vec<(String, String)>,
    /// The status of the response; 0 if there was none.
    pub status: u16,
    /// The number of the connection, from 1.
    pub connection: u64,
    /// Requests in progress when this one arrived, including this one.
    pub concurrent: usize,
    /// Those of them with the same `Host` header.
    pub concurrent_on_host: usize,
}

/// The requests that a server received, in order of arrival.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// The records, at most [`LOG_LIMIT`].
    pub records: Vec<RequestRecord>,
    /// Number of requests that arrived after the log was full.
    pub dropped: usize,
}

impl Log {
    /// The paths in order of arrival, repeats included.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.records.iter().map(|record| record.path.as_str())
    }

    /// Number of requests for `path` (with its query).
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        self.paths().filter(|asked| *asked == path).count()
    }

    /// The paths that were requested from one host more than once, in the order of their first repeat.
    #[must_use]
    pub fn duplicates(&self) -> Vec<String> {
        let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
        let mut repeated = Vec::new();
        for record in &self.records {
            let count = counts.entry((&record.host, &record.path)).or_default();
            *count += 1;
            if *count == 2 {
                repeated.push(record.path.clone());
            }
        }
        repeated
    }

    /// The log of the requests with this `Host` header.
    #[must_use]
    pub fn for_host(&self, host: &str) -> Self {
        let records = self.records.iter().filter(|record| record.host == host).cloned().collect();
        Self { records, dropped: self.dropped }
    }

    /// Maximum number of concurrent requests.
    #[must_use]
    pub fn max_concurrent(&self) -> usize {
        self.records.iter().map(|record| record.concurrent).max().unwrap_or(0)
    }

    /// Maximum number of concurrent requests to one host.
    #[must_use]
    pub fn max_concurrent_on_host(&self) -> usize {
        self.records.iter().map(|record| record.concurrent_on_host).max().unwrap_or(0)
    }

    /// The shortest time between the starts of two consecutive requests; `None` for fewer than two requests.
    /// If there are several hosts, apply [`Log::for_host`] first.
    #[must_use]
    pub fn shortest_gap(&self) -> Option<Duration> {
        self.records.windows(2).map(|pair| pair[1].started.saturating_sub(pair[0].started)).min()
    }
}

/// Collects the records of a server.
#[derive(Debug)]
pub(crate) struct Recorder {
    detail: LogDetail,
    start: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    log: Log,
    in_work: usize,
    in_work_on_host: HashMap<String, usize>,
}

impl Recorder {
    pub(crate) fn new(detail: LogDetail) -> Self {
        Self { detail, start: Instant::now(), state: Mutex::default() }
    }

    pub(crate) fn log(&self) -> Log {
        self.state.lock().expect("no holder panics").log.clone()
    }

    /// Records the start of a request. Dropping the returned entry records its end.
    pub(crate) fn open<B>(self: &Arc<Self>, request: &Request<B>, connection: u64) -> Entry {
        if self.detail == LogDetail::Off {
            return Entry { recorder: None, index: None, host: String::new() };
        }
        let text = |name| {
            let value = request
                .headers()
                .get(name)
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            value.unwrap_or_default()
        };
        let headers = if self.detail == LogDetail::Headers {
            let pair = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
                (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            };
            request.headers().iter().map(pair).collect()
        } else {
            Vec::new()
        };
        let host = text(HOST);
        let path = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);

        let mut state = self.state.lock().expect("no holder panics");
        state.in_work += 1;
        let concurrent = state.in_work;
        let on_host = state.in_work_on_host.entry(host.clone()).or_default();
        *on_host += 1;
        let record = RequestRecord {
            started: self.start.elapsed(),
            finished: None,
            method: request.method().to_string(),
            path,
            host: host.clone(),
            user_agent: text(USER_AGENT),
            headers,
            status: 0,
            connection,
            concurrent,
            concurrent_on_host: *on_host,
        };
        let index = state.log.records.len();
        let kept = index < LOG_LIMIT;
        if kept {
            state.log.records.push(record);
        } else {
            state.log.dropped += 1;
        }
        Entry { recorder: Some(Arc::clone(self)), index: kept.then_some(index), host }
    }
}

/// A request in progress.
#[derive(Debug)]
pub(crate) struct Entry {
    recorder: Option<Arc<Recorder>>,
    index: Option<usize>,
    host: String,
}

impl Entry {
    pub(crate) fn status(&self, status: u16) {
        if let (Some(recorder), Some(index)) = (&self.recorder, self.index) {
            recorder.state.lock().expect("no holder panics").log.records[index].status = status;
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let Some(recorder) = &self.recorder else { return };
        let mut state = recorder.state.lock().expect("no holder panics");
        state.in_work -= 1;
        if let Some(count) = state.in_work_on_host.get_mut(&self.host) {
            *count -= 1;
        }
        if let Some(index) = self.index {
            state.log.records[index].finished = Some(recorder.start.elapsed());
        }
    }
}
