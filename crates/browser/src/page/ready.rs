//! When a page is complete.
//!
//! A page is ready when no request that brings content is in flight, its visible text stays the same, and it
//! does not look like a shell ("Loading ..."). A page whose scripts began nothing by its `load` event is
//! ready at once. The figures below come from measurements of pages built by scripts, of endless ones and of
//! static ones.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use serde::Deserialize;
use tokio::time::{Instant, sleep, sleep_until};

use super::activity::InFlight;
use super::state::{PageFault, PageState};
use super::tab::Tab;
use super::visits::Visits;
use crate::protocol::runtime::TerminateExecution;
use crate::wire::CallError;

const OBSERVE: &str = concat!(
    "function run(...all) {",
    include_str!("../js/own.js"),
    include_str!("../js/ready.js"),
    "return observe(...all); }"
);

/// The `load` event counts as fired this long after the document was parsed.
const MAX_LOAD: Duration = Duration::from_secs(8);
/// A document that takes longer to parse is observed unfinished.
const MAX_PARSE: Duration = Duration::from_secs(5);
/// A document that takes longer to parse, or half of its time, goes on without the script or style sheet
/// that it waits for.
const MAX_BLOCKED: Duration = Duration::from_secs(8);
/// From then on, each of them is given up this long after its request.
const MAX_UNANSWERED: Duration = Duration::from_secs(2);
/// How often they are given up.
const UNBLOCK_GAP: Duration = Duration::from_secs(1);
const NETWORK_QUIET: Duration = Duration::from_millis(500);
const TEXT_QUIET: Duration = Duration::from_millis(300);
/// Requests that are neither data nor scripts of the page's host do not count up to this number in flight.
const MANY_REQUESTS: usize = 2;
/// A page with little text that has not changed since `load` gets this time.
const THIN: Duration = Duration::from_millis(1_200);
/// Text that changes all the time without growing is a ticker.
const TICKER_AFTER: Duration = Duration::from_secs(3);
const TICKER_STABLE: Duration = Duration::from_secs(1);
/// Text that grows without end is read after this time.
const MAX_GROWTH: Duration = Duration::from_secs(6);
/// A shell in which nothing happens for this long stays one.
const SHELL_IDLE: Duration = Duration::from_secs(5);
/// Gaps between observations: the first few, and later ones.
const FIRST_GAP: Duration = Duration::from_millis(50);
const GAP: Duration = Duration::from_millis(100);
const FIRST_GAPS: u32 = 4;
/// The page's scripts are stopped after this many observations in a row without an answer.
const STOP_SCRIPTS_AFTER: u32 = 3;
const MAX_LOST: u32 = 6;

/// Bounds of settling after an action.
const SETTLE_GRACE: Duration = Duration::from_millis(100);
const SETTLE_NETWORK_QUIET: Duration = Duration::from_millis(250);
const SETTLE_TEXT_QUIET: Duration = Duration::from_millis(150);
const MAX_SETTLE: Duration = Duration::from_secs(3);

/// What `ready.js` sees.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Observation {
    timers: u64,
    frames: u64,
    idles: u64,
    /// Letters of the visible text.
    length: u64,
    hash: i64,
    /// Why this does not look like the page yet; empty if it does.
    shell: String,
    thin: bool,
    scripts: u64,
    /// How long the observation took, in milliseconds.
    ms: f64,
}

/// Why waiting has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// The page is complete, as far as can be seen.
    Ready,
    /// It still looks like a shell.
    Shell,
    /// The time ran out.
    Deadline,
}

/// Why a page could not be observed.
#[derive(Debug)]
pub(crate) enum ReadyError {
    Call(CallError),
    /// Its scripts do not let other scripts run.
    Unresponsive,
    /// Its scripts lead from document to document.
    Endless,
}

impl From<CallError> for ReadyError {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

/// Waits until the page is complete, at most until [`Tab::until`].
pub(crate) async fn wait(tab: &Tab<'_>) -> Result<Readiness, ReadyError> {
    tab.shared.change(|state| state.visits = Visits::default());
    tokio::select! {
        readiness = observe(tab) => readiness,
        never = unblock(tab) => match never {},
    }
}

/// Gives up what keeps documents from being parsed: the rest of a document is worth more than a script that
/// does not answer, such as a counter.
async fn unblock(tab: &Tab<'_>) -> Infallible {
    let patience = MAX_BLOCKED.min(tab.until().saturating_duration_since(Instant::now()) / 2);
    loop {
        let navigated = tab.shared.wait_for(|state| state.navigated.filter(|_| state.parsed.is_none())).await;
        sleep_until(navigated + patience).await;
        tab.shared.change(|state| {
            if state.navigated == Some(navigated) && state.is_blocked() {
                state.given_up_before = Instant::now().checked_sub(MAX_UNANSWERED.min(patience / 2));
            }
        });
        sleep(UNBLOCK_GAP).await;
    }
}

/// Observes the page until it is complete.
async fn observe(tab: &Tab<'_>) -> Result<Readiness, ReadyError> {
    let mut watch = ReadinessWatch::default();
    let mut lost = 0;
    loop {
        let deadline = tab.until();
        if tab.shared.lock().visits.is_endless() {
            return Err(ReadyError::Endless);
        }
        if Instant::now() >= deadline {
            return Ok(Readiness::Deadline);
        }
        let Some(phase) = loaded(tab, &mut watch, deadline).await else { continue };
        let observation = match tab.run::<Observation>(OBSERVE, Vec::new()).await {
            Ok(observation) => observation,
            Err(CallError::TimedOut(_)) => {
                lost += 1;
                if lost == STOP_SCRIPTS_AFTER {
                    let text = "its scripts did not end, and were stopped".to_owned();
                    tab.shared.change(|state| state.fault = Some(PageFault { text, is_own: true }));
                    tab.call(&TerminateExecution {}).await?;
                } else if lost >= MAX_LOST {
                    return Err(ReadyError::Unresponsive);
                }
                continue;
            }
            Err(error) if error.is_gone() && !tab.client().is_closed() => {
                sleep(FIRST_GAP).await;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        lost = 0;
        let slow = Duration::try_from_secs_f64(observation.ms / 1_000.0 * 5.0).unwrap_or(GAP);
        let (network, is_awaited) = {
            let state = tab.shared.lock();
            if state.documents != watch.document {
                continue;
            }
            (Network::of(&state), state.is_leaving() || state.is_blocked())
        };
        let verdict = watch.observe(observation, network, phase, Instant::now());
        if let Some(readiness) = verdict.filter(|_| !is_awaited) {
            return Ok(readiness);
        }
        let gap = if watch.observations <= FIRST_GAPS { FIRST_GAP } else { GAP };
        sleep_until((Instant::now() + gap.max(slow)).min(deadline)).await;
    }
}

/// When the current document counts as loaded. Waits for it; `None` if the document changes meanwhile or the
/// time is over.
async fn loaded(tab: &Tab<'_>, watch: &mut ReadinessWatch, deadline: Instant) -> Option<Instant> {
    let (document, loaded, next) = {
        let state = tab.shared.lock();
        let next = match (state.parsed, state.navigated) {
            (Some(parsed), _) => parsed + MAX_LOAD,
            (None, Some(navigated)) => navigated + MAX_PARSE,
            (None, None) => deadline,
        };
        (state.documents, state.loaded, next)
    };
    if document != watch.document {
        *watch = ReadinessWatch { document, ..ReadinessWatch::default() };
    }
    if let Some(loaded) = loaded.or_else(|| Some(next).filter(|next| Instant::now() >= *next)) {
        return Some(loaded);
    }
    tokio::select! {
        () = sleep_until(next.min(deadline)) => {}
        () = tab.shared.wait_for(|state| {
            (state.documents != document || state.loaded.is_some() || state.parsed.is_some()).then_some(())
        }), if tab.shared.lock().parsed.is_none() => {}
        () = tab.shared.wait_for(|state| {
            (state.documents != document || state.loaded.is_some()).then_some(())
        }) => {}
    }
    None
}

/// Waits for the effects of an action: a new document, or requests and changes of the text.
pub(crate) async fn settle(tab: &Tab<'_>) -> Result<(), ReadyError> {
    let deadline = tab.until();
    let (document, requests) = {
        let state = tab.shared.lock();
        (state.documents, state.activity.changed)
    };
    let before: Option<Observation> = tab.run(OBSERVE, Vec::new()).await.ok();
    sleep_until((Instant::now() + SETTLE_GRACE).min(deadline)).await;
    let has_new_document = || {
        let state = tab.shared.lock();
        state.documents != document || state.is_leaving()
    };
    if has_new_document() {
        wait(tab).await?;
        return Ok(());
    }
    let end = (Instant::now() + MAX_SETTLE).min(deadline);
    let mut last: Option<Observation> = None;
    let (mut text_since, mut network_since) = (Instant::now(), Instant::now());
    while Instant::now() < end {
        if has_new_document() {
            wait(tab).await?;
            return Ok(());
        }
        let observation: Option<Observation> = tab.run(OBSERVE, Vec::new()).await.ok();
        let (now, network) = (Instant::now(), Network::of(&tab.shared.lock()));
        let is_idle = tab.shared.lock().activity.changed == requests && network.in_flight.all == 0;
        let same = |one: &Option<Observation>| {
            one.as_ref().map(|one| (one.hash, one.length))
                == observation.as_ref().map(|now| (now.hash, now.length))
        };
        if last.is_none() && is_idle && same(&before) {
            return Ok(());
        }
        if network.in_flight.own_data > 0 || network.in_flight.all > MANY_REQUESTS {
            network_since = now;
        }
        if !same(&last) {
            text_since = now;
        }
        last = observation;
        if now - network_since >= SETTLE_NETWORK_QUIET && now - text_since >= SETTLE_TEXT_QUIET {
            return Ok(());
        }
        sleep(FIRST_GAP).await;
    }
    Ok(())
}

/// The requests of the page at the time of an observation.
#[derive(Debug, Clone, Copy, Default)]
struct Network {
    in_flight: InFlight,
    script_requests: u32,
    changed: Option<Instant>,
}

impl Network {
    fn of(state: &PageState) -> Self {
        let host = state.url.as_ref().and_then(url::Url::host_str);
        Self {
            in_flight: state.activity.in_flight(host),
            script_requests: state.activity.script_requests,
            changed: state.activity.changed,
        }
    }
}

/// What was seen of one document.
#[derive(Debug, Default)]
struct ReadinessWatch {
    document: u64,
    observations: u32,
    first: Option<Observation>,
    last: Option<Observation>,
    /// When the text changed.
    text_changed: Option<Instant>,
    /// Since when no request that counts is in flight.
    quiet_since: Option<Instant>,
    /// When the text changed, or a request was answered.
    active: Option<Instant>,
    /// Lengths of the text, for a second and a little more.
    lengths: VecDeque<(Instant, u64)>,
}

impl ReadinessWatch {
    /// Adds an observation. `loaded` is the time of the `load` event. Returns the verdict, if there is one.
    fn observe(
        &mut self,
        seen: Observation,
        network: Network,
        loaded: Instant,
        now: Instant,
    ) -> Option<Readiness> {
        self.observations += 1;
        let has_changed =
            self.last.as_ref().is_none_or(|last| (last.hash, last.length) != (seen.hash, seen.length));
        if has_changed {
            (self.text_changed, self.active) = (Some(now), Some(now));
        }
        let InFlight { all, own_data } = network.in_flight;
        if own_data > 0 || all > MANY_REQUESTS {
            self.quiet_since = None;
        } else {
            self.quiet_since.get_or_insert(now);
        }
        if all > 0 {
            self.active = self.active.max(network.changed);
        }
        self.lengths.push_back((now, seen.length));
        while self.lengths.get(1).is_some_and(|(at, _)| now - *at >= TICKER_STABLE) {
            self.lengths.pop_front();
        }
        let first = self.first.get_or_insert_with(|| seen.clone());
        let as_at_first = (first.hash, first.length) == (seen.hash, seen.length);
        let begun = seen.timers + seen.frames + seen.idles + u64::from(network.script_requests);
        let verdict = if seen.shell.is_empty()
            && begun == 0
            && all == 0
            && (seen.scripts == 0 || (self.observations >= 2 && as_at_first))
        {
            Some(Readiness::Ready)
        } else if seen.shell.is_empty() {
            self.quiet(&seen, as_at_first, now - loaded.min(now), now)
        } else {
            let idle = self.active.map_or(Duration::ZERO, |active| now - active.min(now));
            (idle >= SHELL_IDLE).then_some(Readiness::Shell)
        };
        self.last = Some(seen);
        verdict
    }

    fn quiet(&self, seen: &Observation, as_at_first: bool, age: Duration, now: Instant) -> Option<Readiness> {
        let network = self.quiet_since.is_some_and(|since| now - since >= NETWORK_QUIET);
        let text = self.text_changed.is_some_and(|changed| now - changed >= TEXT_QUIET);
        if !network {
            return None;
        }
        if text {
            let may_grow = seen.thin && as_at_first && age < THIN;
            return (!may_grow).then_some(Readiness::Ready);
        }
        let earlier = self.lengths.front().filter(|(at, _)| now - *at >= TICKER_STABLE);
        let is_ticker = age > TICKER_AFTER
            && earlier.is_some_and(|(_, length)| length.abs_diff(seen.length) * 10 <= seen.length);
        (is_ticker || age > MAX_GROWTH).then_some(Readiness::Ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(hash: i64, length: u64) -> Observation {
        Observation {
            timers: 0,
            frames: 0,
            idles: 0,
            length,
            hash,
            shell: String::new(),
            thin: length < 200,
            scripts: 1,
            ms: 1.0,
        }
    }

    /// The time after load at which a page is ready; `seen` gives what is seen at a time in milliseconds.
    fn ready_after(seen: impl Fn(u64) -> (Observation, Network)) -> (u64, Readiness) {
        let (mut watch, loaded) = (ReadinessWatch::default(), Instant::now());
        for time in (0..20_000).step_by(50) {
            let (observation, network) = seen(time);
            let now = loaded + Duration::from_millis(time);
            if let Some(readiness) = watch.observe(observation, network, loaded, now) {
                return (time, readiness);
            }
        }
        panic!("it is never ready");
    }

    fn busy(own_data: usize) -> Network {
        Network { in_flight: InFlight { all: own_data, own_data }, script_requests: 1, changed: None }
    }

    #[tokio::test(start_paused = true)]
    async fn pages_are_ready_when_nothing_more_comes() {
        let static_page = |_| (Observation { scripts: 0, ..text(1, 900) }, Network::default());
        assert_eq!(ready_after(static_page), (0, Readiness::Ready));
        assert_eq!(ready_after(|_| (text(1, 900), Network::default())), (50, Readiness::Ready));
        let clock = |_| (Observation { timers: 1, ..text(1, 900) }, Network::default());
        assert_eq!(ready_after(clock), (500, Readiness::Ready));
        let fetching = |time| if time < 3_000 { (text(1, 300), busy(1)) } else { (text(2, 900), busy(0)) };
        assert_eq!(ready_after(fetching).0, 3_500);
        let shell = |time| {
            let shell = Observation { shell: "words".into(), timers: 1, ..text(1, 10) };
            (if time < 3_000 { shell } else { Observation { timers: 2, ..text(2, 900) } }, Network::default())
        };
        assert_eq!(ready_after(shell).0, 3_300);
        let endless = |_| (Observation { shell: "busy".into(), ..text(1, 10) }, Network::default());
        assert_eq!(ready_after(endless), (5_000, Readiness::Shell));
        let ticker =
            |time: u64| (Observation { timers: 9, ..text(time.cast_signed(), 900) }, Network::default());
        assert_eq!(ready_after(ticker), (3_050, Readiness::Ready));
        let growing = |time: u64| {
            (Observation { timers: 9, ..text(time.cast_signed(), time * 10) }, Network::default())
        };
        assert_eq!(ready_after(growing), (6_050, Readiness::Ready));
        let thin = |_| (Observation { timers: 1, ..text(1, 20) }, Network::default());
        assert_eq!(ready_after(thin), (1_200, Readiness::Ready));
    }
}
