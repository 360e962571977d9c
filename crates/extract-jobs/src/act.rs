//! Uses the controls of pages that were read, in a browser, until nothing is missing.
//!
//! A page is not kept open. Each visit repeats the earlier actions on a new page, does the next step one or
//! more times, and records the page after each. Each recorded state is read like a page. Every visit counts
//! as a page of the budget, and so does every further state that is read.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use gleaner_extract::{
    ActionSequence, Control, ControlChoice, ControlKind, ControlQuestion, MAX_VISITS_PER_PAGE, Page,
    PlanStep, Step, controls,
};
use gleaner_types::plan::{Formats, PlannedAction, ScrapeOptionsPlan};
use gleaner_types::{Document, ErrorCode, Interrupt, PageError, SafeUrl};
use url::Url;

use super::blocking::{blocking, is_large};
use super::reader::Reader;
use super::sources::{Source, is_named_host};
use super::visit::{PageOrigin, visit};

/// Maximum repetitions of one step.
const MAX_TIMES: usize = 10;

/// A page that was read, and whose controls may be used.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) source: Source,
    pub(super) page: Arc<Page>,
}

/// Uses the controls of the first pages that were read, if the plan has this step.
pub(super) async fn act(reader: &mut Reader<'_>) {
    let steps = reader.plan().steps.iter().find_map(|step| match step {
        PlanStep::Act { steps, .. } => Some(*steps),
        _ => None,
    });
    let Some(steps) = steps else { return };
    for Candidate { source, page } in reader.take_candidates() {
        if !needs_more(reader) {
            return;
        }
        let Some(text) = visible_text(reader, &page).await else { continue };
        // The browser shows it again.
        drop(page);
        let acting = Acting {
            sequence: ActionSequence::after(&reader.request().options.actions),
            reader: &mut *reader,
            source,
            seen: HashSet::from([fingerprint(&text)]),
            taken: Vec::new(),
            visits_left: MAX_VISITS_PER_PAGE,
        };
        acting.run(steps).await;
    }
}

/// Whether something is missing and the limit allows another page.
fn needs_more(reader: &Reader<'_>) -> bool {
    reader.has_capacity() && reader.is_incomplete() && reader.job().ledger.stopped().is_none()
}

/// The visible text of a page; `None` if the engine fails on it.
async fn visible_text(reader: &Reader<'_>, page: &Arc<Page>) -> Option<String> {
    if !is_large(page, reader.shape()) {
        return Some(page.visible_text());
    }
    let large = Arc::clone(page);
    blocking(reader.slots(), &page.interrupt, async move { large.visible_text() }).await.ok()
}

/// A state of a page.
#[derive(Debug, Clone)]
struct State {
    page: Arc<Page>,
    /// Its visible text.
    text: Arc<str>,
}

/// Why a visit gave no states.
#[derive(Debug)]
enum VisitError {
    /// The budget or the visits of the page are used up.
    OverBudget,
    /// The page failed.
    Page(PageError),
}

/// The use of the controls of one page.
struct Acting<'r, 'j> {
    reader: &'r mut Reader<'j>,
    source: Source,
    /// The actions that lead to the current state.
    sequence: ActionSequence,
    /// The fingerprints of the texts that were read.
    seen: HashSet<u64>,
    /// The steps so far, for the model.
    taken: Vec<String>,
    visits_left: u64,
}

impl Acting<'_, '_> {
    async fn run(mut self, steps: u64) {
        let Some(State { mut page, .. }) = self.look().await else { return };
        for _ in 0..steps {
            if !needs_more(self.reader) {
                return;
            }
            let Some((controls, choice)) = self.choose(&page).await else { return };
            let Some(step) = Step::of(&controls, &choice.moves) else {
                self.record("no control is used", &choice.why);
                return;
            };
            let times = self.sequence.room(&step, choice.times.min(MAX_TIMES));
            if times == 0 {
                self.record("one visit has no room for further actions", "");
                return;
            }
            let what = describe(&controls, &choice);
            let states = match self.repeat(&step, times).await {
                Ok(states) => self.changed(&page, states).await,
                Err(VisitError::OverBudget) => return,
                Err(VisitError::Page(error)) => {
                    self.record(&format!("{what}, which failed ({})", error.message), &choice.why);
                    // The message quotes the page.
                    self.taken.push(format!("{what}: it could not be used"));
                    continue;
                }
            };
            let done = states.len();
            let Some(last) = states.last().cloned() else {
                self.record(&format!("{what}, which showed nothing new on the site"), &choice.why);
                self.taken.push(format!("{what}: nothing new"));
                continue;
            };
            let what = if done == 1 { what } else { format!("{what}, {done} times") };
            self.record(&what, &choice.why);
            self.taken.push(what);
            self.sequence.push(&step, done);
            self.read(states).await;
            page = last.page;
        }
    }

    /// The page as a browser shows it. Its text is read if it differs from the text that was read before.
    async fn look(&mut self) -> Option<State> {
        let states = match self.visit(self.sequence.look()).await {
            Ok(states) => states,
            Err(VisitError::OverBudget) => return None,
            Err(VisitError::Page(error)) => {
                self.record(&format!("the browser could not show it ({})", error.message), "");
                return None;
            }
        };
        let (url, html) = states.into_iter().next()?;
        let state = self.to_state(url, html).await?;
        self.read(vec![state.clone()]).await;
        Some(state)
    }

    /// Asks the model which controls to use; `None` if there is none, or no answer.
    async fn choose(&mut self, page: &Arc<Page>) -> Option<(Vec<Control>, ControlChoice)> {
        let controls = if is_large(page, self.reader.shape()) {
            let large = Arc::clone(page);
            blocking(self.reader.slots(), &page.interrupt, async move { controls(&large) }).await.ok()?
        } else {
            controls(page)
        };
        if controls.is_empty() {
            return None;
        }
        let missing = self.reader.missing_names();
        let question = ControlQuestion {
            prompt: self.reader.request().prompt.as_deref(),
            missing: &missing,
            found: self.reader.value_count(),
            taken: &self.taken,
            page,
            controls: &controls,
            max_times: MAX_TIMES,
        };
        match self.reader.job().extractor().choose_controls(question).await {
            Ok(choice) => Some((controls, choice)),
            Err(error) => {
                self.record(&format!("no control is used: {error}"), "");
                None
            }
        }
    }

    /// Does a step `times` times in one visit, and gives the state after each. If the step cannot be done so
    /// often, such as on the last page of a list, a second visit does it as often as it could be.
    async fn repeat(&mut self, step: &Step, times: usize) -> Result<Vec<(Url, String)>, VisitError> {
        let error = match self.visit(self.sequence.with(step, times)).await {
            Err(VisitError::Page(error)) if error.code == ErrorCode::ScrapeActionError => error,
            outcome => return outcome,
        };
        let done = failed_action(&error.message).map(|failed| self.sequence.done_before(step, failed));
        match done.unwrap_or(times / 2).min(times.saturating_sub(1)) {
            0 => Err(VisitError::Page(error)),
            fewer => self.visit(self.sequence.with(step, fewer)).await,
        }
    }

    /// Visits the page with these actions, and gives the states that they recorded.
    async fn visit(&mut self, actions: Vec<PlannedAction>) -> Result<Vec<(Url, String)>, VisitError> {
        let (reader, job) = (&*self.reader, self.reader.job());
        let Some(left) = self.visits_left.checked_sub(1).filter(|_| job.try_count_page()) else {
            return Err(VisitError::OverBudget);
        };
        self.visits_left = left;
        let request = reader.request();
        let options = ScrapeOptionsPlan {
            formats: Formats::default(),
            actions,
            // The page may show its content only after its cookie dialog is answered.
            block_ads: false,
            ..request.options.clone()
        };
        let Source { target, origin, .. } = &self.source;
        // What a step leads to was not named by the user, so robots.txt applies to it.
        let origin = if *origin == PageOrigin::Named { PageOrigin::Found } else { *origin };
        let visit = visit(
            reader.runtime(),
            job.owner(),
            target.clone(),
            origin,
            options,
            request.zero_data_retention,
        );
        match job.in_time(visit).await {
            Some(Ok(document)) => Ok(states(&document)),
            Some(Err(error)) => Err(VisitError::Page(error)),
            None => Err(VisitError::OverBudget),
        }
    }

    /// The states up to the first that equals the one before it, or that is on another site than the request
    /// allows.
    async fn changed(&self, before: &Page, states: Vec<(Url, String)>) -> Vec<State> {
        let request = self.reader.request();
        let mut changed: Vec<State> = Vec::new();
        for (url, html) in states {
            let last = changed.last().map_or(before, |state| &*state.page);
            if last.html == html && last.url == url {
                break;
            }
            if !request.allow_external_links && !is_named_host(request, &url) {
                break;
            }
            let Some(state) = self.to_state(url, html).await else { break };
            changed.push(state);
        }
        changed
    }

    /// A recorded state as a page; `None` if it cannot be transformed.
    async fn to_state(&self, url: Url, html: String) -> Option<State> {
        let reader = &*self.reader;
        let formats = Formats { markdown: true, ..Formats::default() };
        let options = ScrapeOptionsPlan { formats, ..reader.request().options.clone() };
        let document = reader.runtime().transform_state(url.clone(), html.clone(), options);
        let document = reader.job().in_time(document).await?.ok()?;
        let mut page = Page::new(url, html)
            .with_markdown(document.markdown.unwrap_or_default())
            .with_interrupt(&Interrupt::armed());
        page.title = document.metadata.title;
        let page = Arc::new(page);
        let text = visible_text(reader, &page).await?.into();
        Some(State { page, text })
    }

    /// Reads the states whose text is new. A state whose text is part of the next one is left out, such as a
    /// list that grows.
    async fn read(&mut self, states: Vec<State>) {
        // The visit has counted one page.
        let mut is_counted = true;
        let mut states = states.into_iter().peekable();
        while let Some(state) = states.next() {
            let is_part = states.peek().is_some_and(|next| is_part_of(&state.text, &next.text));
            if is_part || !self.seen.insert(fingerprint(&state.text)) {
                continue;
            }
            if !self.reader.has_capacity() {
                self.reader.over_limit += 1;
            } else if !std::mem::take(&mut is_counted) && !self.reader.job().try_count_page() {
                self.reader.over_budget += 1;
            } else {
                self.reader.read_state(&self.source, state.page).await;
            }
        }
    }

    /// Adds a sentence about this page to the plan of the result.
    fn record(&mut self, what: &str, why: &str) {
        let url = SafeUrl::from(&self.source.target.url);
        let why = if why.is_empty() { String::new() } else { format!(", because: {why}") };
        self.reader.acts.push(format!("on {url}: {what}{why}"));
    }
}

/// The states that a visit recorded.
fn states(document: &Document) -> Vec<(Url, String)> {
    let recorded = document.actions.iter().flat_map(|results| &results.scrapes);
    let states = recorded.filter_map(|state| {
        let url = Url::parse(state.get("url")?.as_str()?).ok()?;
        Some((url, state.get("html")?.as_str()?.to_owned()))
    });
    states.filter(|(url, _)| matches!(url.scheme(), "http" | "https")).collect()
}

/// The index of the action that a message says has failed.
fn failed_action(message: &str) -> Option<usize> {
    message.split("action ").skip(1).find_map(|rest| {
        let (index, rest) = rest.split_once(' ')?;
        rest.starts_with("failed").then(|| index.parse().ok())?
    })
}

/// The moves of a choice in words.
fn describe(controls: &[Control], choice: &ControlChoice) -> String {
    let moves = choice.moves.iter().filter_map(|step| {
        let control = controls.get(step.control)?;
        let (label, text) = (&control.label, step.text.as_deref().unwrap_or_default());
        Some(match control.kind {
            ControlKind::Field => format!("wrote \"{text}\" into \"{label}\""),
            ControlKind::Choice => format!("chose \"{text}\" in \"{label}\""),
            _ => format!("pressed \"{label}\""),
        })
    });
    moves.collect::<Vec<_>>().join(", ")
}

fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Whether every line of a text is also in the other one.
fn is_part_of(text: &str, whole: &str) -> bool {
    let lines: HashSet<&str> = whole.lines().collect();
    text.lines().all(|line| lines.contains(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_types::ActionResults;
    use serde_json::json;

    #[test]
    fn the_failed_action_is_read_from_its_message() {
        let rows = [
            ("action 12 failed: covered by <div>", Some(12)),
            ("https://a.example/: action 0 failed: missing", Some(0)),
            ("https://a.example/action x: action 3 failed: action 4 failed", Some(3)),
            ("the browser crashed", None),
            ("action x failed", None),
        ];
        for (message, expected) in rows {
            assert_eq!(failed_action(message), expected, "{message}");
        }
    }

    #[test]
    fn a_growing_list_is_part_of_its_next_state() {
        assert!(is_part_of("# Jobs\n- a\n- b\nfooter", "# Jobs\n- a\n- b\n- c\nfooter"));
        assert!(!is_part_of("# Jobs\n- a\n- b", "# Jobs\n- c\n- d"));
    }

    #[test]
    fn only_states_with_an_address_on_the_web_count() {
        let scrapes = vec![
            json!({ "url": "https://a.example/", "html": "<p>x" }),
            json!({ "url": "chrome-error://chromewebdata/", "html": "<p>x" }),
            json!({ "url": "https://a.example/" }),
        ];
        let (mut document, mut results) = (Document::default(), ActionResults::default());
        results.scrapes = scrapes;
        document.actions = Some(results);
        assert_eq!(states(&document), [(Url::parse("https://a.example/").unwrap(), "<p>x".to_owned())]);
        assert!(states(&Document::default()).is_empty());
    }
}
