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

use super::blocking::{Asked, Reading};
use super::job::Job;
use super::sources::Source;
use super::turns::{PageOrder, PageTurn};
use super::visit::visit;

/// Pages of one job that are worked on at once.
const PAGES_AT_ONCE: usize = 8;
/// Words of the request that search forms are filled with.
const FORM_WORDS: usize = 4;
/// Ways on that are kept for following, those of all pages together.
const MAX_WAYS_ON: usize = 20_000;

/// A page that was read.
#[derive(Debug)]
pub(super) struct ReadPage {
    pub(super) url: SafeUrl,
    pub(super) found: PageExtraction,
    pub(super) by_template: usize,
    pub(super) drift: Option<TemplateDrift>,
    /// What the document said about itself, such as that it needs JavaScript.
    pub(super) remark: Option<String>,
}

/// A page with what its document had besides.
#[derive(Debug)]
pub(super) struct Fetched {
    page: Arc<Page>,
    remark: Option<String>,
}

/// What extraction reads of a page, and nothing else.
fn options(request: &ExtractPlan) -> ScrapeOptionsPlan {
    let formats = Formats { markdown: true, raw_html: true, ..Formats::default() };
    ScrapeOptionsPlan { formats, ..request.options.clone() }
}

/// Fetches pages before it is known what is read off them.
pub(super) async fn ahead(
    runtime: &Arc<Runtime>,
    request: &ExtractPlan,
    job: &Job,
    pages: Vec<Source>,
) -> Vec<(Source, Result<Fetched, PageError>)> {
    let options = &options(request);
    let works = pages.into_iter().map_while(|source| {
        job.takes_page().then_some(async move {
            let fetched = fetch(runtime, request, job, options, &source).await;
            (source, fetched)
        })
    });
    stream::iter(works).buffered(PAGES_AT_ONCE).collect().await
}

async fn fetch(
    runtime: &Arc<Runtime>,
    request: &ExtractPlan,
    job: &Job,
    options: &ScrapeOptionsPlan,
    source: &Source,
) -> Result<Fetched, PageError> {
    let Source { target, origin, .. } = source;
    let visiting =
        visit(runtime, job.owner(), target.clone(), *origin, options.clone(), request.zero_data_retention);
    let late = || PageError {
        code: ErrorCode::ScrapeTimeout,
        message: "the time budget of the job ran out".to_owned(),
    };
    let document = job.in_time(visiting).await.unwrap_or_else(|| Err(late()))?;
    Ok(fetched(document, target))
}

/// Reads the pages of one job: each is fetched, read and let go.
pub(super) struct Reader<'j> {
    runtime: &'j Arc<Runtime>,
    request: &'j ExtractPlan,
    plan: &'j ExecutionPlan,
    asked: Arc<Asked>,
    places: &'j Arc<Semaphore>,
    job: &'j Job,
    options: ScrapeOptionsPlan,
    /// What search forms are filled with.
    words: String,
    seen: HashSet<Url>,
    /// Probed pages, until it is known which of them are read.
    probed: HashMap<Url, Fetched>,
    /// Pages that may still be read.
    left: usize,
    pub(super) pages: Vec<ReadPage>,
    pub(super) failed: Vec<(SafeUrl, PageError)>,
    /// Ways on from the pages, where the plan follows any.
    navigation_links: Vec<SiteUrl>,
    follows: bool,
    /// Pages that were known and not read, because of the limit.
    pub(super) left_out: usize,
    /// Pages that were known and not read, because the budget ended before them.
    pub(super) unpaid: usize,
    pub(super) notes: Vec<String>,
}

impl<'j> Reader<'j> {
    pub(super) fn new(
        runtime: &'j Arc<Runtime>,
        request: &'j ExtractPlan,
        plan: &'j ExecutionPlan,
        shape: &Shape,
        job: &'j Job,
        places: &'j Arc<Semaphore>,
    ) -> Self {
        let prompt = request.prompt.as_deref();
        let task = Task { shape, prompt, system_prompt: request.system_prompt.as_deref() };
        let follows = plan
            .steps
            .iter()
            .any(|step| matches!(step, PlanStep::FollowExternal { .. } | PlanStep::Navigate { .. }));
        let words: Vec<&str> = plan.terms.iter().take(FORM_WORDS).map(|(word, _)| word.as_str()).collect();
        Self {
            runtime,
            request,
            plan,
            asked: Arc::new(Asked::of(task)),
            places,
            job,
            options: options(request),
            words: words.join(" "),
            seen: HashSet::new(),
            probed: HashMap::new(),
            left: usize::try_from(plan.page_limit).unwrap_or(usize::MAX),
            pages: Vec::new(),
            failed: Vec::new(),
            navigation_links: Vec::new(),
            follows,
            left_out: 0,
            unpaid: 0,
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

    /// Where what takes long is done.
    pub(super) const fn places(&self) -> &'j Arc<Semaphore> {
        self.places
    }

    /// Ways on from the pages that were read since the last time.
    pub(super) fn navigation_links(&mut self) -> Vec<SiteUrl> {
        std::mem::take(&mut self.navigation_links)
    }

    /// Was this page read already, or tried?
    pub(super) fn has_seen(&self, url: &Url) -> bool {
        self.seen.contains(&plain(url))
    }

    /// As [`has_seen`](Self::has_seen), pages that were only looked at with it.
    pub(super) fn knows(&self, url: &Url) -> bool {
        self.has_seen(url) || self.probed.contains_key(&plain(url))
    }

    /// Is there a place of the schema that no page fills, or a list, of which more may always be?
    pub(super) fn lacks_something(&self) -> bool {
        if self.plan.cardinality != Cardinality::One {
            return true;
        }
        let filled = |pointer: &str| {
            let is_it =
                |leaf: &Leaf| leaf.pointer == pointer || leaf.pointer.starts_with(&format!("{pointer}/"));
            self.pages.iter().any(|page| page.found.extraction.leaves.iter().any(is_it))
        };
        self.pages
            .iter()
            .flat_map(|page| &page.found.extraction.missing)
            .any(|missing| !filled(&missing.pointer))
    }

    /// May more pages be read?
    pub(super) const fn has_room(&self) -> bool {
        self.left > 0
    }

    /// Reads pages, each once, as far as the limit and the budget go. They are fetched side by side and read
    /// as they come; the result is in the order given.
    pub(super) async fn read(&mut self, sources: Vec<Source>) {
        let mut fresh: Vec<Source> =
            sources.into_iter().filter(|source| self.seen.insert(plain(&source.target.url))).collect();
        self.left_out += fresh.len().saturating_sub(self.left);
        fresh.truncate(self.left);
        let mut probed = std::mem::take(&mut self.probed);
        let (this, mut turns) = (&*self, PageOrder::default());
        let mut unpaid = 0;
        let works = fresh.into_iter().enumerate().filter_map(|(at, source)| {
            let known = probed.remove(&plain(&source.target.url));
            // A probed page is paid for already, also where the budget ended at a page before it.
            if known.is_none() && !this.job.takes_page() {
                unpaid += 1;
                return None;
            }
            let turn = turns.next(&source.cluster);
            Some(async move { (at, this.page(source, known, turn).await) })
        });
        let mut done: Vec<_> = stream::iter(works).buffer_unordered(PAGES_AT_ONCE).collect().await;
        self.unpaid += unpaid;
        done.sort_by_key(|(at, _)| *at);
        for (_, outcome) in done {
            match outcome {
                Ok((page, navigation_links)) => {
                    self.left = self.left.saturating_sub(1);
                    self.pages.push(page);
                    self.navigation_links.extend(navigation_links);
                    self.navigation_links.truncate(MAX_WAYS_ON);
                }
                Err((url, error)) => self.failed.push((url, error)),
            }
        }
    }

    /// One page, from its address to what it says.
    async fn page(
        &self,
        source: Source,
        known: Option<Fetched>,
        mut turn: PageTurn,
    ) -> Result<(ReadPage, Vec<SiteUrl>), (SafeUrl, PageError)> {
        let url = SafeUrl::from(&source.target.url);
        let fetched = match known {
            Some(fetched) => Ok(fetched),
            None => self.fetch(&source).await,
        };
        // A template that has been learned spares the model; one that teaches nothing is not waited for.
        let pays = || self.job.memory().filter(|memory| memory.pays(&source.cluster));
        if pays().is_some() {
            turn.come().await;
        }
        let Fetched { page, remark } = fetched.map_err(|error| (url.clone(), error))?;
        let reading = Reading {
            asked: Arc::clone(&self.asked),
            extractor: self.job.extractor().clone(),
            memory: pays().cloned(),
            cluster: source.cluster,
            alike: source.alike,
            words: self.follows.then(|| self.words.clone()),
        };
        let read = reading.read(self.places, page).await;
        let (read, navigation_links) = read.map_err(|error| (url.clone(), error))?;
        let ClusterPageResult { page: found, by_template, drift } = read;
        Ok((ReadPage { url, found, by_template, drift, remark }, navigation_links))
    }

    async fn fetch(&self, source: &Source) -> Result<Fetched, PageError> {
        fetch(self.runtime, self.request, self.job, &self.options, source).await
    }

    /// Takes over pages that were fetched before; they are read when their turn comes.
    pub(super) fn know(&mut self, pages: Vec<(Source, Result<Fetched, PageError>)>) {
        for (source, outcome) in pages {
            let url = source.target.url;
            match outcome {
                Ok(fetched) => drop(self.probed.insert(plain(&url), fetched)),
                Err(error) => {
                    self.seen.insert(plain(&url));
                    self.failed.push(((&url).into(), error));
                }
            }
        }
    }

    /// Reads a few pages without a model, to see which clusters hold what is asked for. They are kept for
    /// reading, but do not count against the limit. The links of each page are given too.
    pub(super) async fn probe(
        &mut self,
        sources: Vec<Source>,
    ) -> (Vec<ProbeResult>, Vec<(Url, Vec<SiteUrl>)>) {
        let this = &*self;
        let works =
            sources.into_iter().filter(|source| !this.has_seen(&source.target.url)).map_while(|source| {
                this.job.takes_page().then_some(async move { (this.fetch(&source).await, source) })
            });
        let done: Vec<_> = stream::iter(works).buffered(PAGES_AT_ONCE).collect().await;
        let (mut probed, mut links) = (Vec::new(), Vec::new());
        for (outcome, source) in done {
            let Ok(fetched) = outcome else { continue };
            let reading = Reading {
                asked: Arc::clone(&self.asked),
                extractor: Extractor::model_free(),
                memory: None,
                cluster: source.cluster,
                alike: source.alike,
                // No form is filled in.
                words: Some(String::new()),
            };
            let Ok((read, navigation_links)) = reading.read(self.places, Arc::clone(&fetched.page)).await
            else {
                continue;
            };
            let url = source.target.url;
            probed.push(ProbeResult { url: url.as_str().to_owned(), fill: read.page.extraction.fill_rate() });
            self.probed.insert(plain(&url), fetched);
            links.push((url, navigation_links));
        }
        (probed, links)
    }
}

/// The address by which a page is known: the fragment is no part of it.
fn plain(url: &Url) -> Url {
    let mut plain = url.clone();
    plain.set_fragment(None);
    plain
}

fn fetched(document: Document, target: &Target) -> Fetched {
    let Document { metadata, raw_html, markdown, warning, .. } = document;
    let said = metadata.url.as_deref().or(metadata.source_url.as_deref());
    let url = said.and_then(|url| Url::parse(url).ok()).unwrap_or_else(|| target.url.clone());
    let mut page = Page::new(url, raw_html.unwrap_or_default())
        .with_markdown(markdown.unwrap_or_default())
        .with_interrupt(&Interrupt::armed());
    page.title = metadata.title;
    Fetched { page: Arc::new(page), remark: warning }
}
