use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;
use gleaner_extract::{
    Cardinality, ClusterPageResult, ExecutionPlan, Extractor, Leaf, Page, PageExtraction, PlanStep,
    ProbeResult, Shape, SiteUrl, Task, TemplateDrift,
};
use gleaner_runtime::Runtime;
use gleaner_types::plan::{ExtractPlan, Formats, ScrapeOptionsPlan, Target};
use gleaner_types::{Document, ErrorCode, Interrupt, PageError, SafeUrl};
use tokio::sync::Semaphore;
use url::Url;

use super::act::Candidate;
use super::answer::{field_name, with_any_row};
use super::blocking::{OwnedTask, PageReading};
use super::job::Job;
use super::page_order::{PageOrder, PageTurn};
use super::sources::Source;
use super::visit::{PageOrigin, visit};

/// Maximum pages of one job in work at once.
const MAX_CONCURRENT_PAGES: usize = 8;
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

/// A page that was fetched, and the warning of its document.
#[derive(Debug)]
pub(super) struct FetchedPage {
    page: Arc<Page>,
    warning: Option<String>,
}

/// The options of the request, with the formats that extraction needs.
fn page_options(request: &ExtractPlan) -> ScrapeOptionsPlan {
    let formats = Formats { markdown: true, raw_html: true, ..Formats::default() };
    ScrapeOptionsPlan { formats, ..request.options.clone() }
}

/// Fetches pages before the schema is known.
pub(super) async fn prefetch(
    runtime: &Arc<Runtime>,
    request: &ExtractPlan,
    job: &Job,
    pages: Vec<Source>,
) -> Vec<(Source, Result<FetchedPage, PageError>)> {
    let options = &page_options(request);
    let fetches = pages.into_iter().map_while(|source| {
        job.try_count_page().then_some(async move {
            let fetched = fetch(runtime, request, job, options, &source).await;
            (source, fetched)
        })
    });
    stream::iter(fetches).buffered(MAX_CONCURRENT_PAGES).collect().await
}

async fn fetch(
    runtime: &Arc<Runtime>,
    request: &ExtractPlan,
    job: &Job,
    options: &ScrapeOptionsPlan,
    source: &Source,
) -> Result<FetchedPage, PageError> {
    let Source { target, origin, .. } = source;
    let visit =
        visit(runtime, job.owner(), target.clone(), *origin, options.clone(), request.zero_data_retention);
    let late = || PageError {
        code: ErrorCode::ScrapeTimeout,
        message: "the time budget of the job ran out".to_owned(),
    };
    let document = job.in_time(visit).await.unwrap_or_else(|| Err(late()))?;
    Ok(to_page(document, target))
}

/// Reads the pages of one job: each is fetched, read and dropped.
pub(super) struct Reader<'j> {
    runtime: &'j Arc<Runtime>,
    request: &'j ExtractPlan,
    plan: &'j ExecutionPlan,
    task: Arc<OwnedTask>,
    slots: &'j Arc<Semaphore>,
    job: &'j Job,
    options: ScrapeOptionsPlan,
    /// The words for search forms.
    form_words: String,
    /// The pages that were read, or failed.
    tried: HashSet<Url>,
    /// Pages that were fetched before they were selected.
    fetched: HashMap<Url, FetchedPage>,
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
            job,
            options: page_options(request),
            form_words: words.join(" "),
            tried: HashSet::new(),
            fetched: HashMap::new(),
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

    /// Whether a field of the schema is empty on all pages. A list always counts, because there may be more
    /// rows.
    pub(super) fn is_incomplete(&self) -> bool {
        if self.plan.cardinality != Cardinality::One {
            return true;
        }
        let is_filled = |pointer: &str| {
            let fills =
                |leaf: &Leaf| leaf.pointer == pointer || leaf.pointer.starts_with(&format!("{pointer}/"));
            self.pages.iter().any(|page| page.result.extraction.leaves.iter().any(fills))
        };
        self.pages
            .iter()
            .flat_map(|page| &page.result.extraction.missing)
            .any(|missing| !is_filled(&missing.pointer))
    }

    /// The names of the fields that are empty on all pages.
    pub(super) fn missing_names(&self) -> Vec<String> {
        let pointer_of = |pointer: &str| field_name(&with_any_row(pointer));
        let leaves = self.pages.iter().flat_map(|page| &page.result.extraction.leaves);
        let filled: HashSet<String> = leaves.map(|leaf| pointer_of(&leaf.pointer)).collect();
        let mut seen = HashSet::new();
        let missing = self.pages.iter().flat_map(|page| &page.result.extraction.missing);
        let names = missing.map(|missing| pointer_of(&missing.pointer));
        let mut names: Vec<String> =
            names.filter(|name| !filled.contains(name) && seen.insert(name.clone())).collect();
        if self.plan.cardinality != Cardinality::One {
            names.push("further rows, if the page has not shown all".to_owned());
        }
        names
    }

    /// The values on all pages that were read.
    pub(super) fn value_count(&self) -> usize {
        self.pages.iter().map(|page| page.result.extraction.leaves.len()).sum()
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
    /// results are in the order of `sources`.
    pub(super) async fn read(&mut self, sources: Vec<Source>) {
        let mut new: Vec<Source> = sources
            .into_iter()
            .filter(|source| self.tried.insert(without_fragment(&source.target.url)))
            .collect();
        self.over_limit += new.len().saturating_sub(self.capacity);
        new.truncate(self.capacity);
        let mut fetched = std::mem::take(&mut self.fetched);
        let (this, mut order) = (&*self, PageOrder::default());
        let free = this.max_candidates.saturating_sub(this.candidates.len());
        let mut over_budget = 0;
        let reads = new.into_iter().enumerate().filter_map(|(index, source)| {
            let fetched = fetched.remove(&without_fragment(&source.target.url));
            // A fetched page has been counted, so it is read even if the budget is used up.
            if fetched.is_none() && !this.job.try_count_page() {
                over_budget += 1;
                return None;
            }
            let turn = order.next(&source.cluster);
            Some(async move { (index, this.page(source, fetched, turn, index < free).await) })
        });
        let mut outcomes: Vec<_> = stream::iter(reads).buffer_unordered(MAX_CONCURRENT_PAGES).collect().await;
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

    /// Fetches one page, unless it was fetched before, and reads it. `may_act` keeps it for the use of its
    /// controls.
    async fn page(
        &self,
        source: Source,
        fetched: Option<FetchedPage>,
        mut turn: PageTurn,
        may_act: bool,
    ) -> Result<(ReadPage, Vec<SiteUrl>, Option<Candidate>), (SafeUrl, PageError)> {
        let url = SafeUrl::from(&source.target.url);
        let fetched = match fetched {
            Some(fetched) => Ok(fetched),
            None => self.fetch(&source).await,
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
            form_words: self.follows_links.then(|| self.form_words.clone()),
        };
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
        let reading = PageReading {
            task: Arc::clone(&self.task),
            extractor: self.job.extractor().clone(),
            memory: self.job.memory().filter(|memory| memory.pays(&cluster)).cloned(),
            cluster,
            alike: source.alike,
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

fn to_page(document: Document, target: &Target) -> FetchedPage {
    let Document { metadata, raw_html, markdown, warning, .. } = document;
    let final_url = metadata.url.as_deref().or(metadata.source_url.as_deref());
    let url = final_url.and_then(|url| Url::parse(url).ok()).unwrap_or_else(|| target.url.clone());
    let mut page = Page::new(url, raw_html.unwrap_or_default())
        .with_markdown(markdown.unwrap_or_default())
        .with_interrupt(&Interrupt::armed());
    page.title = metadata.title;
    FetchedPage { page: Arc::new(page), warning }
}
