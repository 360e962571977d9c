//! Fetches the pages of an extract job and extracts data from each.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;
use gleaner_extract::{
    ClusterPageResult, ExecutionPlan, Extractor, MAX_TAUGHT_PAGES, Page, PageExtraction, PlanStep,
    ProbeResult, Shape, SiteUrl, Task, TemplateDrift,
};
use gleaner_runtime::Runtime;
use gleaner_types::plan::{ExtractPlan, ScrapeOptionsPlan};
use gleaner_types::{PageError, SafeUrl};
use tokio::sync::Semaphore;
use url::Url;

use super::act::Candidate;
use super::blocking::{OwnedTask, PageReading};
use super::fetching::{FetchedPage, MAX_CONCURRENT_PAGES, fetch, page_options};
use super::job::Job;
use super::lessons::{Lessons, PageLesson};
use super::page_order::{PageOrder, PageTurn};
use super::sources::Source;
use super::visit::PageOrigin;

/// Maximum pages of one job in work at once: those that wait until the first pages of a cluster teach them,
/// and those that are fetched meanwhile. So many are held in memory.
const MAX_PAGES_IN_WORK: usize = MAX_CONCURRENT_PAGES + MAX_TAUGHT_PAGES;
/// Maximum words of the request for search forms.
const FORM_WORDS: usize = 4;
/// Maximum navigation links of all pages together.
const MAX_NAVIGATION_LINKS: usize = 20_000;

/// A page that was read.
#[derive(Debug)]
pub(super) struct ReadPage {
    pub(super) url: SafeUrl,
    pub(super) result: PageExtraction,
    pub(super) by_template: usize,
    pub(super) drift: Option<TemplateDrift>,
    /// The warning of its document, such as that the page needs JavaScript.
    pub(super) warning: Option<String>,
}

/// Reads the pages of one job: each is fetched, read and dropped.
pub(super) struct Reader<'j> {
    runtime: &'j Arc<Runtime>,
    request: &'j ExtractPlan,
    plan: &'j ExecutionPlan,
    task: Arc<OwnedTask>,
    slots: &'j Arc<Semaphore>,
    /// Permits of the job to fetch a page.
    fetches: Semaphore,
    /// Permits of the job to read a page, which may call the model. A page waits for no other one meanwhile.
    readings: Semaphore,
    job: &'j Job,
    options: ScrapeOptionsPlan,
    /// The words for search forms.
    form_words: String,
    /// The pages that were read, or failed.
    tried: HashSet<Url>,
    /// Pages that were fetched before they were selected.
    fetched: HashMap<Url, FetchedPage>,
    lessons: Lessons,
    /// Pages that may still be read.
    capacity: usize,
    pub(super) pages: Vec<ReadPage>,
    pub(super) failed: Vec<(SafeUrl, PageError)>,
    /// Links of the pages that were read, if the plan follows links.
    navigation_links: Vec<SiteUrl>,
    follows_links: bool,
    /// The first pages that were read, if the plan uses their controls: at most `max_candidates`.
    candidates: Vec<Candidate>,
    max_candidates: usize,
    /// The steps that were taken on pages, one sentence each.
    pub(super) acts: Vec<String>,
    /// Known pages that were not read because of the limit.
    pub(super) over_limit: usize,
    /// Known pages that were not read because the budget was used up.
    pub(super) over_budget: usize,
    pub(super) notes: Vec<String>,
}

impl<'j> Reader<'j> {
    pub(super) fn new(
        runtime: &'j Arc<Runtime>,
        request: &'j ExtractPlan,
        plan: &'j ExecutionPlan,
        shape: &Shape,
        job: &'j Job,
        slots: &'j Arc<Semaphore>,
    ) -> Self {
        let prompt = request.prompt.as_deref();
        let task = Task { shape, prompt, system_prompt: request.system_prompt.as_deref() };
        let follows_links = plan
            .steps
            .iter()
            .any(|step| matches!(step, PlanStep::FollowExternal { .. } | PlanStep::Navigate { .. }));
        let max_candidates = plan.steps.iter().find_map(|step| match step {
            PlanStep::Act { pages, .. } => usize::try_from(*pages).ok(),
            _ => None,
        });
        let words: Vec<&str> = plan.terms.iter().take(FORM_WORDS).map(|(word, _)| word.as_str()).collect();
        Self {
            runtime,
            request,
            plan,
            task: Arc::new(OwnedTask::new(task)),
            slots,
            fetches: Semaphore::new(MAX_CONCURRENT_PAGES),
            readings: Semaphore::new(MAX_CONCURRENT_PAGES),
            job,
            options: page_options(request),
            form_words: words.join(" "),
            tried: HashSet::new(),
            fetched: HashMap::new(),
            lessons: Lessons::default(),
            capacity: usize::try_from(plan.page_limit).unwrap_or(usize::MAX),
            pages: Vec::new(),
            failed: Vec::new(),
            navigation_links: Vec::new(),
            follows_links,
            candidates: Vec::new(),
            max_candidates: max_candidates.unwrap_or_default(),
            acts: Vec::new(),
            over_limit: 0,
            over_budget: 0,
            notes: Vec::new(),
        }
    }

    pub(super) const fn runtime(&self) -> &'j Arc<Runtime> {
        self.runtime
    }

    pub(super) const fn request(&self) -> &'j ExtractPlan {
        self.request
    }

    pub(super) const fn plan(&self) -> &'j ExecutionPlan {
        self.plan
    }

    pub(super) const fn job(&self) -> &'j Job {
        self.job
    }

    /// The shape of the result.
    pub(super) fn shape(&self) -> &Shape {
        &self.task.shape
    }

    /// The slots for large pages.
    pub(super) const fn slots(&self) -> &'j Arc<Semaphore> {
        self.slots
    }

    /// Takes the links of pages that were read since the last call.
    pub(super) fn take_navigation_links(&mut self) -> Vec<SiteUrl> {
        std::mem::take(&mut self.navigation_links)
    }

    /// Whether the page was read, or failed.
    pub(super) fn was_tried(&self, url: &Url) -> bool {
        self.tried.contains(&without_fragment(url))
    }

    /// Whether the page was fetched, read, or failed.
    pub(super) fn was_fetched(&self, url: &Url) -> bool {
        self.was_tried(url) || self.fetched.contains_key(&without_fragment(url))
    }

    /// Takes the pages whose controls may be used.
    pub(super) fn take_candidates(&mut self) -> Vec<Candidate> {
        std::mem::take(&mut self.candidates)
    }

    /// The pages that may still be read.
    pub(super) const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether the limit allows more pages.
    pub(super) const fn has_capacity(&self) -> bool {
        self.capacity > 0
    }

    /// Reads each page once, within the limit and the budget. Pages are fetched and read concurrently; the
    /// results are in the order of `sources`. Where several pages share a cluster, all of them are read with
    /// what the first ones teach.
    pub(super) async fn read(&mut self, sources: Vec<Source>) {
        let mut new: Vec<Source> = sources
            .into_iter()
            .filter(|source| self.tried.insert(without_fragment(&source.target.url)))
            .collect();
        self.over_limit += new.len().saturating_sub(self.capacity);
        new.truncate(self.capacity);
        let lessons = self.lessons.prepare(&new, MAX_PAGES_IN_WORK, &self.task, self.slots);
        let mut fetched = std::mem::take(&mut self.fetched);
        let (this, mut order) = (&*self, PageOrder::default());
        let free = this.max_candidates.saturating_sub(this.candidates.len());
        let mut over_budget = 0;
        let reads = new.into_iter().zip(lessons).enumerate().filter_map(|(index, (source, lesson))| {
            let fetched = fetched.remove(&without_fragment(&source.target.url));
            // A fetched page has been counted, so it is read even if the budget is used up.
            if fetched.is_none() && !this.job.try_count_page() {
                over_budget += 1;
                return None;
            }
            let turn = order.next(&source.cluster);
            Some(async move { (index, this.page(source, fetched, lesson, turn, index < free).await) })
        });
        let mut outcomes: Vec<_> = stream::iter(reads).buffer_unordered(MAX_PAGES_IN_WORK).collect().await;
        self.lessons.finish().await;
        self.over_budget += over_budget;
        outcomes.sort_by_key(|(index, _)| *index);
        for (_, outcome) in outcomes {
            match outcome {
                Ok((page, navigation_links, candidate)) => {
                    self.candidates.extend(candidate);
                    self.capacity = self.capacity.saturating_sub(1);
                    self.pages.push(page);
                    self.navigation_links.extend(navigation_links);
                    self.navigation_links.truncate(MAX_NAVIGATION_LINKS);
                }
                Err((url, error)) => self.failed.push((url, error)),
            }
        }
    }

    /// Fetches one page, unless it was fetched before, and reads it after its lesson. `may_act` keeps it for
    /// the use of its controls.
    async fn page(
        &self,
        source: Source,
        fetched: Option<FetchedPage>,
        lesson: PageLesson,
        mut turn: PageTurn,
        may_act: bool,
    ) -> Result<(ReadPage, Vec<SiteUrl>, Option<Candidate>), (SafeUrl, PageError)> {
        let url = SafeUrl::from(&source.target.url);
        let fetched = match fetched {
            Some(fetched) => Ok(fetched),
            None => self.fetch(&source).await,
        };
        let texts = match &fetched {
            Ok(fetched) => lesson.texts(&fetched.page).await,
            // Before it waits below: the pages that it waits for wait for its lesson.
            Err(_) => {
                drop(lesson);
                None
            }
        };
        // Wait for earlier pages of the cluster only while their template may save calls of the model.
        let useful_memory = || self.job.memory().filter(|memory| memory.pays(&source.cluster));
        if useful_memory().is_some() {
            turn.wait().await;
        }
        let FetchedPage { page, warning } = fetched.map_err(|error| (url.clone(), error))?;
        let may_act = may_act && source.origin != PageOrigin::Foreign;
        let candidate = may_act.then(|| Candidate { source: source.clone(), page: Arc::clone(&page) });
        let reading = PageReading {
            task: Arc::clone(&self.task),
            extractor: self.job.extractor().clone(),
            memory: useful_memory().cloned(),
            cluster: source.cluster,
            alike: source.alike,
            texts,
            form_words: self.follows_links.then(|| self.form_words.clone()),
        };
        let _permit = self.readings.acquire().await;
        let read = reading.read(self.slots, page).await;
        let (read, navigation_links) = read.map_err(|error| (url.clone(), error))?;
        let ClusterPageResult { page: result, by_template, drift } = read;
        Ok((ReadPage { url, result, by_template, drift, warning }, navigation_links, candidate))
    }

    /// Reads a state of a page that a browser shows after actions. It counts against the limit.
    pub(super) async fn read_state(&mut self, source: &Source, page: Arc<Page>) {
        let url = SafeUrl::from(&page.url);
        // What the template of the page settles as missing may be there after actions.
        let cluster = format!("{} after actions", source.cluster);
        let texts = self.lessons.texts(&source.cluster, &page).await;
        let reading = PageReading {
            task: Arc::clone(&self.task),
            extractor: self.job.extractor().clone(),
            memory: self.job.memory().filter(|memory| memory.pays(&cluster)).cloned(),
            cluster,
            alike: source.alike,
            texts,
            form_words: None,
        };
        self.capacity = self.capacity.saturating_sub(1);
        match reading.read(self.slots, page).await {
            Ok((read, _)) => {
                let ClusterPageResult { page: result, by_template, drift } = read;
                self.pages.push(ReadPage { url, result, by_template, drift, warning: None });
            }
            Err(error) => self.failed.push((url, error)),
        }
    }

    async fn fetch(&self, source: &Source) -> Result<FetchedPage, PageError> {
        let _permit = self.fetches.acquire().await;
        fetch(self.runtime, self.request, self.job, &self.options, source).await
    }

    /// Adds pages that were fetched before; [`read`](Self::read) then does not fetch them again.
    pub(super) fn add_prefetched(&mut self, pages: Vec<(Source, Result<FetchedPage, PageError>)>) {
        for (source, outcome) in pages {
            let url = source.target.url;
            match outcome {
                Ok(fetched) => drop(self.fetched.insert(without_fragment(&url), fetched)),
                Err(error) => {
                    self.tried.insert(without_fragment(&url));
                    self.failed.push(((&url).into(), error));
                }
            }
        }
    }

    /// Reads a few pages without a model, to find the clusters that have the requested fields. The pages are
    /// kept for [`read`](Self::read) and do not count against the limit. Also returns the links of each page.
    pub(super) async fn probe(
        &mut self,
        sources: Vec<Source>,
    ) -> (Vec<ProbeResult>, Vec<(Url, Vec<SiteUrl>)>) {
        let this = &*self;
        let fetches =
            sources.into_iter().filter(|source| !this.was_tried(&source.target.url)).map_while(|source| {
                this.job.try_count_page().then_some(async move { (this.fetch(&source).await, source) })
            });
        let outcomes: Vec<_> = stream::iter(fetches).buffered(MAX_CONCURRENT_PAGES).collect().await;
        let (mut probed, mut links) = (Vec::new(), Vec::new());
        for (outcome, source) in outcomes {
            let Ok(fetched) = outcome else { continue };
            let reading = PageReading {
                task: Arc::clone(&self.task),
                extractor: Extractor::model_free(),
                memory: None,
                cluster: source.cluster,
                alike: source.alike,
                // Only the number of values counts, and which pages will be read is not known yet.
                texts: None,
                // Links only: search forms are not filled in.
                form_words: Some(String::new()),
            };
            let Ok((read, navigation_links)) = reading.read(self.slots, Arc::clone(&fetched.page)).await
            else {
                continue;
            };
            let url = source.target.url;
            probed.push(ProbeResult { url: url.as_str().to_owned(), fill: read.page.extraction.fill_rate() });
            self.fetched.insert(without_fragment(&url), fetched);
            links.push((url, navigation_links));
        }
        (probed, links)
    }
}

/// The URL as the key of a page.
fn without_fragment(url: &Url) -> Url {
    let mut key = url.clone();
    key.set_fragment(None);
    key
}
