//! The public entry to extraction from one page: a task in, data with proofs out.

use gleaner_types::BoxFuture;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session::Session;
use super::{choices, list, withheld};
use crate::bind::{bind, set_at};
use crate::error::{Error, ErrorKind};
use crate::evidence::Evidence;
use crate::leaf::{Extraction, Missing};
use crate::model::{LanguageModel, ProviderError};
use crate::page::Page;
use crate::row_page::PageHeadings;
use crate::schema::Shape;
use crate::template::{TemplateDrift, TemplateMemory};

/// What to read from a page.
#[derive(Debug, Clone, Copy)]
pub struct Task<'t> {
    /// The fields and their types.
    pub shape: &'t Shape,
    /// The request in words.
    pub prompt: Option<&'t str>,
    /// Appended to the engine's own rules for a model.
    pub system_prompt: Option<&'t str>,
}

impl<'t> Task<'t> {
    /// A task with a shape and no prompts.
    #[must_use]
    pub const fn new(shape: &'t Shape) -> Self {
        Self { shape, prompt: None, system_prompt: None }
    }
}

/// How complete a list is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// The list: an RFC 6901 pointer.
    pub pointer: String,
    /// Rows in the result.
    pub found: usize,
    /// Records on the page.
    pub counted: usize,
}

/// The result of reading one page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageExtraction {
    /// The data with its proofs.
    pub extraction: Extraction,
    /// The coverage of each list whose records could be counted.
    pub coverage: Vec<Coverage>,
    /// Calls to the model.
    pub calls: usize,
    /// The error that ended the calls early, if any.
    pub stopped: Option<ProviderError>,
}

impl PageExtraction {
    /// A sentence for the `warning` of a response: empty fields, incomplete lists, and the error that ended
    /// the calls.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let mut parts: Vec<String> = self.extraction.warning().into_iter().collect();
        for list in self.coverage.iter().filter(|list| list.found < list.counted) {
            let name = list.pointer.trim_start_matches('/');
            parts.push(format!("{name}: {} of {} rows", list.found, list.counted));
        }
        parts.extend(self.stopped.iter().map(ToString::to_string));
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Reads pages: the page's own evidence first, then a model for the fields that the evidence leaves open.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    model: Option<Arc<dyn LanguageModel>>,
    seed: Option<u64>,
}

impl Extractor {
    /// An extractor without a model: fields that the evidence leaves open stay empty.
    #[must_use]
    pub fn model_free() -> Self {
        Self::default()
    }

    /// An extractor with a model. Wrap the model in [`Budgeted`](crate::model::Budgeted) to limit its cost.
    #[must_use]
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { model: Some(model), seed: None }
    }

    /// Sets the seed of every call.
    #[must_use]
    pub const fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Reads one page. It never fails: a field that cannot be read is empty, with the reason.
    pub fn page<'a>(&'a self, page: &'a Page, task: Task<'a>) -> BoxFuture<'a, PageExtraction> {
        Box::pin(async move {
            let evidence = Evidence::read(page);
            let extraction = bind(&evidence, task.shape);
            self.read(None, "", page, task, &evidence, extraction).await.page
        })
    }

    /// Reads one page of a cluster of similar pages: first by the rules learned from the cluster, then as
    /// [`page`](Self::page) does. The rules are updated with the values that the model finds, so that later
    /// pages of the cluster need no tokens.
    ///
    /// `cluster` is any key that pages of one template share, such as the
    /// [`UrlPatterns::of`](crate::UrlPatterns::of) of their addresses. Pages may be read concurrently with
    /// one memory: it is locked while a page is analysed, never during a model call.
    pub fn page_of<'a>(
        &'a self,
        memory: &'a Mutex<TemplateMemory>,
        cluster: &'a str,
        page: &'a Page,
        task: Task<'a>,
    ) -> BoxFuture<'a, ClusterPageResult> {
        Box::pin(async move {
            let evidence = Evidence::read(page);
            let extraction = bind(&evidence, task.shape);
            self.read(Some(memory), cluster, page, task, &evidence, extraction).await
        })
    }

    /// Continues from the result of the evidence: by the memory, if there is one, then by the model. With a
    /// model, fields that ask for what no rule knows are open.
    pub(super) async fn read(
        &self,
        memory: Option<&Mutex<TemplateMemory>>,
        cluster: &str,
        page: &Page,
        task: Task<'_>,
        evidence: &Evidence<'_>,
        mut extraction: Extraction,
    ) -> ClusterPageResult {
        let withheld = match &self.model {
            Some(_) => withheld::withhold(&mut extraction, task.shape),
            None => Vec::new(),
        };
        let mut read = self.read_open(memory, cluster, page, task, evidence, extraction).await;
        // The model did not decide.
        if read.page.stopped.is_some() || page.markdown.trim().is_empty() {
            withheld::give_back(withheld, &mut read.page.extraction);
        }
        read
    }

    async fn read_open(
        &self,
        memory: Option<&Mutex<TemplateMemory>>,
        cluster: &str,
        page: &Page,
        task: Task<'_>,
        evidence: &Evidence<'_>,
        mut extraction: Extraction,
    ) -> ClusterPageResult {
        let Some(memory) = memory.filter(|_| self.model.is_some()) else {
            let page = self.complete(page, task, evidence, extraction).await;
            return ClusterPageResult { page, by_template: 0, drift: None };
        };
        let mut recall = lock(memory).recall(cluster, evidence, task.shape, &extraction);
        let by_template = recall.leaves.len();
        for leaf in recall.leaves.drain(..) {
            set_at(&mut extraction.data, &leaf.pointer, leaf.value.clone());
            extraction.missing.retain(|missing| missing.pointer != leaf.pointer);
            extraction.leaves.push(leaf);
        }
        let (settled, open): (Vec<Missing>, Vec<Missing>) =
            extraction.missing.into_iter().partition(|missing| recall.settled.contains(&missing.pointer));
        extraction.missing = open;
        let open_fields: BTreeSet<String> =
            extraction.missing.iter().map(|missing| missing.pointer.clone()).collect();
        let mut found = self.complete(page, task, evidence, extraction).await;
        if found.calls == 0 {
            lock(memory).recalled(cluster, task.shape);
        } else if found.stopped.is_none() {
            lock(memory).learn(cluster, evidence, task.shape, &found.extraction, &open_fields);
        }
        found.extraction.missing.extend(settled);
        ClusterPageResult { page: found, by_template, drift: recall.drift }
    }

    /// Drafts a schema from a prompt, for a request without one. The model sees the prompt and no page. Its
    /// answer is checked and limited in size ([`MAX_DRAFT_FIELDS`](crate::MAX_DRAFT_FIELDS)).
    ///
    /// # Errors
    /// [`ErrorKind::ModelNotConfigured`] without a model, [`ErrorKind::Draft`] if two answers in a row cannot
    /// be used.
    pub fn draft_schema<'a>(&'a self, prompt: &'a str) -> BoxFuture<'a, Result<Value, Error>> {
        Box::pin(async move {
            let model = self.model.as_deref().ok_or(ErrorKind::ModelNotConfigured)?;
            crate::draft::draft(model, self.seed, prompt).await
        })
    }

    /// The model, if there is one, and the seed of its calls.
    pub(crate) fn model(&self) -> Option<(&dyn LanguageModel, Option<u64>)> {
        self.model.as_deref().map(|model| (model, self.seed))
    }

    /// Asks the model for the missing fields, and counts the entities that exceed the bounds of reading.
    async fn complete(
        &self,
        page: &Page,
        task: Task<'_>,
        evidence: &Evidence<'_>,
        extraction: Extraction,
    ) -> PageExtraction {
        let mut out = self.ask(page, task, evidence, extraction).await;
        list::count_left_out_items(evidence.items_cut, task.shape, &out.extraction, &mut out.coverage);
        out
    }

    async fn ask(
        &self,
        page: &Page,
        task: Task<'_>,
        evidence: &Evidence<'_>,
        extraction: Extraction,
    ) -> PageExtraction {
        let mut out = PageExtraction { extraction, coverage: Vec::new(), calls: 0, stopped: None };
        let Some(model) = &self.model else {
            out.coverage = list::coverage(page, task.shape, &out.extraction);
            return out;
        };
        if page.markdown.trim().is_empty() {
            return out;
        }
        let headings = PageHeadings::read(page, evidence);
        let session = Session::new(model.as_ref(), self.seed, page, task, headings);
        let offered = if session.offers_choices() {
            choices::offered_fields(page, evidence, task.shape, &out.extraction.missing)
        } else {
            Vec::new()
        };
        session.leaves(offered, &mut out.extraction).await;
        session.lists(&mut out).await;
        (out.calls, out.stopped) = session.finish();
        out
    }
}

fn lock(memory: &Mutex<TemplateMemory>) -> MutexGuard<'_, TemplateMemory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The result of reading one page of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterPageResult {
    /// The result, as for any page.
    pub page: PageExtraction,
    /// Number of fields filled by rules learned from other pages.
    pub by_template: usize,
    /// How the page differs from the learned template, if it does. The model read the page then.
    pub drift: Option<TemplateDrift>,
}
