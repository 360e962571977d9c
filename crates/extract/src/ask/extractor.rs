use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{answer, list, prompt, stated, values};
use crate::bind::{Want, bind, folded, leaf_wants, put, unstated};
use crate::error::{Error, ErrorKind};
use crate::evidence::Evidence;
use crate::ground::{ClaimVerifier, LinkTable, Outcome};
use crate::leaf::{Extraction, Leaf, Missing, Reason, step};
use crate::model::{LanguageModel, Message, ModelRequest, ProviderError};
use crate::page::{Method, Page, Part, Provenance, Span, cut};
use crate::rows::Headings;
use crate::schema::{Dialect, Field, Shape, ShapeKind, WireSchema};
use crate::template::{Drift, TemplateMemory};

/// Calls for the single values of one page, lists aside.
pub const MAX_LEAF_CALLS: usize = 24;
/// Bytes of the narrower fragment that a refused claim is asked again on.
const NARROW_BYTES: usize = 3_000;
/// Least bytes of page text that a call carries.
const LEAST_CHUNK: usize = 2_000;
/// Most bytes of page text that a call carries, however much the model reads: a long page is read in pieces, so that a budget that does not
/// allow all of them allows some.
const MAX_CHUNK: usize = 32 << 10;
/// Tokens of an answer beside those of its places.
const ANSWER_TOKENS: u64 = 2_000;
/// Tokens of one place of an answer, value and quote together.
const TOKENS_PER_PLACE: u64 = 1_000;

/// What to read off pages.
#[derive(Debug, Clone, Copy)]
pub struct Task<'t> {
    /// The values and their kinds.
    pub shape: &'t Shape,
    /// What is asked for, in words.
    pub prompt: Option<&'t str>,
    /// Added to the engine's own rules for a model.
    pub system_prompt: Option<&'t str>,
}

impl<'t> Task<'t> {
    /// A task by its shape alone.
    #[must_use]
    pub const fn new(shape: &'t Shape) -> Self {
        Self { shape, prompt: None, system_prompt: None }
    }
}

/// How much of a list was read.
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

/// What was read off one page, and by how many calls.
#[derive(Debug, Clone, PartialEq)]
pub struct PageExtraction {
    /// The data with its proofs.
    pub extraction: Extraction,
    /// For each list that was counted.
    pub coverage: Vec<Coverage>,
    /// Calls of the model.
    pub calls: usize,
    /// What ended the calls early, if anything did.
    pub stopped: Option<ProviderError>,
}

impl PageExtraction {
    /// A sentence for the `warning` of an answer: what stayed empty, what lists lack, what ended the calls.
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

/// Reads pages: the page's own evidence first, a model for what that leaves open.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    model: Option<Arc<dyn LanguageModel>>,
    seed: Option<u64>,
}

impl Extractor {
    /// Without a model: what the evidence leaves open stays empty.
    #[must_use]
    pub fn model_free() -> Self {
        Self::default()
    }

    /// With a model; wrap it in [`Budgeted`](crate::model::Budgeted) to bound what it may cost.
    #[must_use]
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { model: Some(model), seed: None }
    }

    /// Sends this seed with every call.
    #[must_use]
    pub const fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Reads one page. It never fails: what could not be read is empty, with the reason.
    pub async fn page(&self, page: &Page, task: Task<'_>) -> PageExtraction {
        let evidence = Evidence::read(page);
        let extraction = bind(&evidence, task.shape);
        self.complete(page, task, &evidence, extraction).await
    }

    /// Reads one page of a cluster of like pages: what was learned of the cluster first, then as [`page`](Self::page) does. What a
    /// model has to be asked for is learned in turn, so that later pages of the cluster cost no tokens.
    ///
    /// `cluster` is any key that pages of one template share, such as
    /// [`UrlPatterns::of`](crate::UrlPatterns::of) their address. Pages may be read side by side with one memory; it is
    /// locked while a page is looked at and never while a model is asked.
    pub async fn page_of(
        &self,
        memory: &Mutex<TemplateMemory>,
        cluster: &str,
        page: &Page,
        task: Task<'_>,
    ) -> RecalledPage {
        let evidence = Evidence::read(page);
        let extraction = bind(&evidence, task.shape);
        self.read(Some(memory), cluster, page, task, &evidence, extraction).await
    }

    /// Goes on from what the evidence gave: by the memory, where there is one, then by the model.
    pub(super) async fn read(
        &self,
        memory: Option<&Mutex<TemplateMemory>>,
        cluster: &str,
        page: &Page,
        task: Task<'_>,
        evidence: &Evidence<'_>,
        mut extraction: Extraction,
    ) -> RecalledPage {
        let Some(memory) = memory.filter(|_| self.model.is_some()) else {
            let page = self.complete(page, task, evidence, extraction).await;
            return RecalledPage { page, by_template: 0, drift: None };
        };
        let mut recall = lock(memory).recall(cluster, evidence, task.shape, &extraction);
        let by_template = recall.leaves.len();
        for leaf in recall.leaves.drain(..) {
            put(&mut extraction.data, &leaf.pointer, leaf.value.clone());
            extraction.missing.retain(|missing| missing.pointer != leaf.pointer);
            extraction.leaves.push(leaf);
        }
        let (settled, open): (Vec<Missing>, Vec<Missing>) =
            extraction.missing.into_iter().partition(|missing| recall.settled.contains(&missing.pointer));
        extraction.missing = open;
        let asked: BTreeSet<String> =
            extraction.missing.iter().map(|missing| missing.pointer.clone()).collect();
        let mut found = self.complete(page, task, evidence, extraction).await;
        if found.calls == 0 {
            lock(memory).recalled(cluster, task.shape);
        } else if found.stopped.is_none() {
            lock(memory).learn(cluster, evidence, task.shape, &found.extraction, &asked);
        }
        found.extraction.missing.extend(settled);
        RecalledPage { page: found, by_template, drift: recall.drift }
    }

    /// Makes a schema of a prompt, for a request that has none. The model sees the prompt and no page; what it answers is checked and
    /// bounded ([`MAX_DRAFT_FIELDS`](crate::MAX_DRAFT_FIELDS)).
    ///
    /// # Errors
    /// [`ErrorKind::ModelNotConfigured`] without a model, [`ErrorKind::Draft`] where two answers could not be used.
    pub async fn draft_schema(&self, prompt: &str) -> Result<Value, Error> {
        let model = self.model.as_deref().ok_or(ErrorKind::ModelNotConfigured)?;
        crate::draft::draft(model, self.seed, prompt).await
    }

    /// The model, where there is one, and the seed of its calls.
    pub(crate) fn model(&self) -> Option<(&dyn LanguageModel, Option<u64>)> {
        self.model.as_deref().map(|model| (model, self.seed))
    }

    /// Asks for what an extraction lacks, and tells what the bounds of reading left out.
    async fn complete(
        &self,
        page: &Page,
        task: Task<'_>,
        evidence: &Evidence<'_>,
        extraction: Extraction,
    ) -> PageExtraction {
        let mut out = self.ask(page, task, evidence, extraction).await;
        list::tell_cut(evidence.items_cut, task.shape, &out.extraction, &mut out.coverage);
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
        let headings = Headings::read(page, evidence);
        let session =
            Session { model: model.as_ref(), seed: self.seed, page, task, headings, state: Mutex::default() };
        session.leaves(&mut out.extraction).await;
        session.lists(&mut out).await;
        let state = session.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        out.calls = state.calls;
        out.stopped = state.stopped;
        out
    }
}

fn lock(memory: &Mutex<TemplateMemory>) -> std::sync::MutexGuard<'_, TemplateMemory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was read off one page of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledPage {
    /// The data, as of any page.
    pub page: PageExtraction,
    /// Places that rules learned from other pages filled.
    pub by_template: usize,
    /// How the page differs from what was learned, where it does; it was read by the model then.
    pub drift: Option<Drift>,
}

#[derive(Debug, Default)]
struct State {
    calls: usize,
    stopped: Option<ProviderError>,
}

/// One page with one model.
#[derive(Debug)]
pub(super) struct Session<'s> {
    model: &'s dyn LanguageModel,
    seed: Option<u64>,
    pub(super) page: &'s Page,
    pub(super) task: Task<'s>,
    headings: Headings,
    state: Mutex<State>,
}

/// Value and quote of a claim: an object of both, or a bare value.
pub(super) fn claim(claim: &Value) -> (&Value, Option<&str>) {
    match claim.as_object() {
        Some(object) if object.contains_key("value") => {
            (object.get("value").unwrap_or(&Value::Null), object.get("quote").and_then(Value::as_str))
        }
        _ => (claim, None),
    }
}

/// What a call carries of the rest of a page: so many bytes at most, to the end of a line where it can.
pub(super) fn piece_of(rest: &str, chunk: usize) -> &str {
    let piece = cut(rest, chunk);
    let line = piece.rfind('\n').filter(|line| piece.len() < rest.len() && *line > piece.len() / 2);
    line.and_then(|line| piece.get(..line)).unwrap_or(piece)
}

impl Session<'_> {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Did a call fail, or could one not be paid? Then no more are made.
    pub(super) fn is_stopped(&self) -> bool {
        self.state().stopped.is_some()
    }

    /// Does a row say no more than the page's heading?
    pub(super) fn is_heading(&self, row: &[Leaf]) -> bool {
        self.headings.are_all(row)
    }

    /// Asks for so many places; `None` ends the asking.
    pub(super) async fn ask(&self, messages: Vec<Message>, shape: &Shape, places: usize) -> Option<String> {
        if self.state().stopped.is_some() {
            return None;
        }
        let capabilities = self.model.capabilities();
        let dialect = capabilities.schema.unwrap_or(Dialect::JsonSchema);
        let wire = WireSchema::new(shape, dialect);
        let fits = wire.as_value().to_string().len() <= crate::schema::MAX_WIRE_BYTES;
        let schema = (capabilities.schema.is_some() && fits).then(|| wire.as_value().clone());
        let places = u64::try_from(places).unwrap_or(u64::MAX);
        let needed = TOKENS_PER_PLACE.saturating_mul(places).saturating_add(ANSWER_TOKENS);
        let max_tokens =
            needed.min(capabilities.max_output_tokens).min(capabilities.context_tokens / 2).max(1);
        let request = ModelRequest { messages, schema, max_tokens, seed: self.seed };
        let outcome = self.model.complete(&request).await;
        let mut state = self.state();
        state.calls += 1;
        match outcome {
            Ok(answer) => Some(answer.text),
            Err(error) => {
                state.stopped = Some(error);
                None
            }
        }
    }

    /// Bytes of page text that a call can carry.
    pub(super) fn chunk_bytes(&self) -> usize {
        let capabilities = self.model.capabilities();
        let room =
            capabilities.context_tokens.saturating_sub(capabilities.max_output_tokens).saturating_sub(1_500);
        usize::try_from(room).unwrap_or(usize::MAX).saturating_mul(2).clamp(LEAST_CHUNK, MAX_CHUNK)
    }

    /// Asks for the single values that are still missing: on each piece of the page, then once more on the lines that seem to be
    /// about them.
    async fn leaves(&self, extraction: &mut Extraction) {
        let mut refused: Vec<Missing> = Vec::new();
        let chunk = self.chunk_bytes();
        let mut offset = 0;
        let mut calls = 0;
        while offset < self.page.markdown.len() && calls < MAX_LEAF_CALLS {
            let rest = self.page.markdown.get(offset..).unwrap_or_default();
            let piece = piece_of(rest, chunk);
            let Some(shape) = open_shape(self.task.shape, &extraction.missing) else { return };
            calls += 1;
            refused.extend(self.ask_on(piece, offset, &shape, "", extraction).await);
            if self.state().stopped.is_some() {
                break;
            }
            offset += piece.len().max(1);
        }
        // Once more, narrowly, for claims that did not pass.
        refused.retain(|claim| extraction.missing.iter().any(|missing| missing.pointer == claim.pointer));
        if !refused.is_empty()
            && self.state().stopped.is_none()
            && let Some(shape) = open_shape(self.task.shape, &refused)
        {
            let (narrow, offset) = self.narrow(&refused);
            let note = "An earlier answer could not be found on the page. Copy quotes exactly, or give null.";
            let again = self.ask_on(&narrow, offset, &shape, note, extraction).await;
            refused.extend(again);
        }
        let stop = self.state().stopped.clone();
        for missing in &mut extraction.missing {
            if let Some(last) = refused.iter().rev().find(|claim| claim.pointer == missing.pointer) {
                missing.reason = last.reason;
            } else if let Some(stop) = &stop {
                missing.reason = if stop.is_over_budget() { Reason::OverBudget } else { Reason::ModelFailed };
            }
        }
    }

    /// Asks on one piece of the page; what passes the gate is put into the extraction, what does not is given back.
    async fn ask_on(
        &self,
        piece: &str,
        offset: usize,
        shape: &Shape,
        note: &str,
        extraction: &mut Extraction,
    ) -> Vec<Missing> {
        let mut links = LinkTable::default();
        let text = links.replace(piece, &self.page.url);
        let messages = prompt::messages(self.task.system_prompt, self.task.prompt, shape, note, &text);
        let Some(text) = self.ask(messages, shape, leaf_wants(shape).len()).await else { return Vec::new() };
        let Some(answer) = answer::object(&text) else { return Vec::new() };
        let answer = WireSchema::restore(shape, answer);
        let mut verifier = ClaimVerifier::new(piece, &links);
        let mut refused = Vec::new();
        let mut waiting: Vec<(String, Vec<String>, &Shape, &Value)> =
            vec![(String::new(), Vec::new(), shape, &answer)];
        while let Some((pointer, scope, shape, answer)) = waiting.pop() {
            for field in shape.fields() {
                let Some(said) = answer.get(&field.name) else { continue };
                let here = step(&pointer, &field.name);
                if field.shape.is_branch() {
                    let mut scope = scope.clone();
                    scope.push(field.name.clone());
                    waiting.push((here, scope, &field.shape, said));
                    continue;
                }
                let want = Want::new(here.clone(), scope.clone(), field);
                let (value, quote) = claim(said);
                match verifier.judge(&want, value, quote, 0) {
                    Outcome::Proved { value, quote, span } => {
                        put(&mut extraction.data, &here, value.clone());
                        extraction.missing.retain(|missing| missing.pointer != here);
                        let span = Span::new(Part::Markdown, span.start + offset..span.end + offset);
                        let url = self.page.url.as_str().to_owned();
                        let provenance = Provenance { url, quote, span: Some(span), method: Method::Model };
                        extraction.leaves.push(Leaf {
                            pointer: here,
                            value,
                            provenance: vec![provenance],
                            confidence: 0.8,
                        });
                    }
                    Outcome::Refused(Reason::NotFound) => {}
                    Outcome::Refused(reason) => refused.push(Missing { pointer: here, reason }),
                }
            }
        }
        refused
    }

    /// The run of lines that names the missing values most often, and where it begins.
    fn narrow(&self, refused: &[Missing]) -> (String, usize) {
        let names: Vec<String> = refused
            .iter()
            .filter_map(|claim| claim.pointer.rsplit('/').next())
            .flat_map(|name| folded(name).split(' ').map(str::to_owned).collect::<Vec<_>>())
            .filter(|word| word.len() > 2)
            .collect();
        let markdown = self.page.markdown.as_str();
        let mut best = (0, 0);
        let mut at = 0;
        // Windows of a fixed size that overlap by half.
        while at < markdown.len() {
            let window = cut(markdown.get(at..).unwrap_or_default(), NARROW_BYTES);
            let lower = window.to_lowercase();
            let hits: usize = names.iter().map(|name| lower.matches(name.as_str()).take(20).count()).sum();
            if hits > best.0 {
                best = (hits, at);
            }
            let next = at + (window.len() / 2).max(1);
            at = (next..markdown.len()).find(|at| markdown.is_char_boundary(*at)).unwrap_or(markdown.len());
        }
        let window = cut(markdown.get(best.1..).unwrap_or_default(), NARROW_BYTES);
        (window.to_owned(), best.1)
    }

    /// Reads the lists that the evidence left empty or short.
    async fn lists(&self, out: &mut PageExtraction) {
        let list::Lists { rows: lists, plain } = list::lists_of(self.task.shape);
        for (pointer, field) in plain {
            if !out.extraction.missing.iter().any(|missing| missing.pointer == pointer) {
                continue;
            }
            let found = values::read(self, &pointer, &field).await;
            if !found.values.is_empty() {
                put(&mut out.extraction.data, &pointer, Value::Array(found.values));
                out.extraction.missing.retain(|missing| missing.pointer != pointer);
                out.extraction.leaves.extend(found.leaves);
            }
        }
        for (pointer, row) in lists {
            let known = stated::rows_at(&out.extraction.data, &out.extraction.leaves, &pointer);
            let is_missing = out.extraction.missing.iter().any(|missing| missing.pointer == pointer);
            let found = list::read(self, &pointer, row.fields(), known, is_missing).await;
            let Some(found) = found else { continue };
            if !found.rows.is_empty() {
                let below = step(&pointer, "");
                out.extraction.leaves.retain(|leaf| !leaf.pointer.starts_with(&below));
                if pointer.is_empty() {
                    out.extraction.data = Value::Array(found.rows);
                } else {
                    put(&mut out.extraction.data, &pointer, Value::Array(found.rows));
                }
                let places = format!("{below}*/");
                let missing = &mut out.extraction.missing;
                missing.retain(|missing| missing.pointer != pointer && !missing.pointer.starts_with(&places));
                out.extraction.leaves.extend(found.leaves);
                out.extraction.missing.extend(unstated(row, &pointer, &out.extraction.leaves));
            }
            out.coverage.extend(found.coverage);
        }
    }
}

/// The shape with nothing but the single values that are missing; `None` where none is.
fn open_shape(shape: &Shape, missing: &[Missing]) -> Option<Shape> {
    // The depth of a shape is bounded by `MAX_SHAPE_DEPTH`.
    fn keep(shape: &Shape, pointer: &str, missing: &[Missing]) -> Option<Shape> {
        let ShapeKind::Object(fields) = &shape.kind else { return None };
        let kept: Vec<Field> = fields
            .iter()
            .filter_map(|field| {
                let here = step(pointer, &field.name);
                match &field.shape.kind {
                    ShapeKind::Object(_) => {
                        let shape = keep(&field.shape, &here, missing)?;
                        Some(Field { shape, ..field.clone() })
                    }
                    ShapeKind::List(_) => None,
                    _ => missing.iter().any(|missing| missing.pointer == here).then(|| field.clone()),
                }
            })
            .collect();
        (!kept.is_empty()).then(|| Shape { kind: ShapeKind::Object(kept), ..shape.clone() })
    }
    keep(shape, "", missing)
}
