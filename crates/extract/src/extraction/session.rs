//! Calls a model for the open fields of one page, and verifies its claims.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::choices::{self, OfferedField};
use super::extractor::{PageExtraction, Task};
use super::{answer, list, matched_run, plain_values, prompt};
use crate::bind::{TargetField, folded, leaf_targets, missing_in_rows, set_at};
use crate::ground::{ClaimOutcome, ClaimVerifier, LinkTable};
use crate::leaf::{Extraction, Leaf, Missing, MissingReason, child_pointer};
use crate::model::{LanguageModel, Message, ModelRequest, ProviderError};
use crate::page::{Method, Page, PagePart, Provenance, Span, char_boundary, truncate};
use crate::row_page::PageHeadings;
use crate::schema::{Dialect, Field, Shape, ShapeKind, WireSchema};

/// Upper bound on the calls for the single fields of one page. Lists have their own bounds.
pub const MAX_LEAF_CALLS: usize = 24;
/// Size of the fragment that a refused claim is asked for again on, in bytes.
const NARROW_BYTES: usize = 3_000;
/// Lower bound on the page text of a call, in bytes.
const MIN_CHUNK: usize = 2_000;
/// Upper bound on the page text of a call, in bytes, whatever the model's context. A long page is read in
/// pieces, so that a budget too small for the whole page still covers part of it.
const MAX_CHUNK: usize = 32 << 10;
/// Tokens of an answer besides those of its fields.
const ANSWER_TOKENS: u64 = 2_000;
/// Tokens of one field of an answer, value and quote together.
const TOKENS_PER_FIELD: u64 = 1_000;
/// Tokens of one field of an answer that chooses among candidates.
const TOKENS_PER_CHOICE: u64 = 100;
/// The largest context of a model that is offered candidates before it reads the page, in tokens.
///
/// A model with a larger context reads the page at least as well, and one call for all fields costs it less
/// than one for each field.
const SMALL_CONTEXT_TOKENS: u64 = 8_192;

/// Confidence in a value that a small model chose.
const CHOICE_CONFIDENCE: f64 = 0.7;

#[derive(Debug, Default)]
struct State {
    calls: usize,
    stopped: Option<ProviderError>,
}

/// The reading of one page with one model.
#[derive(Debug)]
pub(super) struct Session<'s> {
    model: &'s dyn LanguageModel,
    seed: Option<u64>,
    pub(super) page: &'s Page,
    pub(super) task: Task<'s>,
    headings: PageHeadings,
    state: Mutex<State>,
}

/// The value and the quote of a claim: an object with both, or a bare value.
pub(super) fn claim(claim: &Value) -> (&Value, Option<&str>) {
    match claim.as_object() {
        Some(object) if object.contains_key("value") => {
            (object.get("value").unwrap_or(&Value::Null), object.get("quote").and_then(Value::as_str))
        }
        _ => (claim, None),
    }
}

/// The part of the rest of a page that one call carries: at most `chunk` bytes, up to a line end if there is
/// one in the second half.
pub(super) fn piece_of(rest: &str, chunk: usize) -> &str {
    let piece = truncate(rest, chunk);
    let line = piece.rfind('\n').filter(|line| piece.len() < rest.len() && *line > piece.len() / 2);
    line.and_then(|line| piece.get(..line)).unwrap_or(piece)
}

impl<'s> Session<'s> {
    pub(super) fn new(
        model: &'s dyn LanguageModel,
        seed: Option<u64>,
        page: &'s Page,
        task: Task<'s>,
        headings: PageHeadings,
    ) -> Self {
        Self { model, seed, page, task, headings, state: Mutex::default() }
    }

    /// The calls made, and the error that ended them early.
    pub(super) fn finish(self) -> (usize, Option<ProviderError>) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.calls, state.stopped)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a call failed or exceeded the budget. No further calls are made then.
    pub(super) fn is_stopped(&self) -> bool {
        self.state().stopped.is_some()
    }

    /// Whether a row states only the page's heading.
    pub(super) fn is_heading(&self, row: &[Leaf]) -> bool {
        self.headings.are_all(row)
    }

    /// Whether candidates are offered to the model.
    pub(super) fn offers_choices(&self) -> bool {
        self.model.capabilities().context_tokens <= SMALL_CONTEXT_TOKENS
    }

    /// Sends a request for this number of fields; `None` ends the reading.
    pub(super) async fn ask(&self, messages: Vec<Message>, shape: &Shape, fields: usize) -> Option<String> {
        let capabilities = self.model.capabilities();
        let wire = WireSchema::new(shape, capabilities.schema.unwrap_or(Dialect::JsonSchema));
        let fields = u64::try_from(fields).unwrap_or(u64::MAX);
        let needed = TOKENS_PER_FIELD.saturating_mul(fields).saturating_add(ANSWER_TOKENS);
        self.send(messages, wire.as_value(), needed).await
    }

    /// Sends a request whose answer has this schema and needs at most this many tokens; `None` ends the
    /// reading.
    async fn send(&self, messages: Vec<Message>, schema: &Value, needed: u64) -> Option<String> {
        if self.state().stopped.is_some() {
            return None;
        }
        let capabilities = self.model.capabilities();
        let fits = schema.to_string().len() <= crate::schema::MAX_WIRE_BYTES;
        let schema = (capabilities.schema.is_some() && fits).then(|| schema.clone());
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

    /// Lets the model choose among the candidates of fields. A chosen candidate brings its own proof, so
    /// there is nothing to verify. Other fields stay missing. Returns the number of calls.
    async fn choose(&self, fields: Vec<OfferedField>, extraction: &mut Extraction) -> usize {
        let mut calls = 0;
        for offer in choices::offers(fields, self.chunk_bytes()) {
            let messages = offer.messages(self.task.system_prompt, self.task.prompt);
            let fields = u64::try_from(offer.len()).unwrap_or(u64::MAX);
            let text = self.send(messages, &offer.schema(), TOKENS_PER_CHOICE.saturating_mul(fields)).await;
            let Some(text) = text else { break };
            calls += 1;
            let Some(answer) = answer::object(&text) else { continue };
            for (pointer, candidate) in offer.chosen(&answer) {
                set_at(&mut extraction.data, pointer, candidate.value.clone());
                extraction.missing.retain(|missing| missing.pointer != pointer);
                extraction.leaves.push(Leaf {
                    pointer: pointer.to_owned(),
                    value: candidate.value.clone(),
                    provenance: candidate.proofs.clone(),
                    confidence: CHOICE_CONFIDENCE,
                });
            }
        }
        calls
    }

    /// Bytes of page text that fit into a call.
    pub(super) fn chunk_bytes(&self) -> usize {
        let capabilities = self.model.capabilities();
        let tokens =
            capabilities.context_tokens.saturating_sub(capabilities.max_output_tokens).saturating_sub(1_500);
        usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(2).clamp(MIN_CHUNK, MAX_CHUNK)
    }

    /// Asks for the single fields that are still missing: first among the candidates that are offered, then
    /// on each piece of the page, then once more on the lines that seem to be about the refused claims.
    pub(super) async fn leaves(&self, offered: Vec<OfferedField>, extraction: &mut Extraction) {
        let mut refused: Vec<Missing> = Vec::new();
        let chunk = self.chunk_bytes();
        let mut offset = 0;
        let mut calls = self.choose(offered, extraction).await;
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
        // Retry refused claims on a narrower fragment.
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
                missing.reason = if stop.is_over_budget() {
                    MissingReason::OverBudget
                } else {
                    MissingReason::ModelFailed
                };
            }
        }
    }

    /// Asks for fields on one piece of the page. Verified claims go into the extraction; refused claims are
    /// returned.
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
        let Some(text) = self.ask(messages, shape, leaf_targets(shape).len()).await else {
            return Vec::new();
        };
        let Some(answer) = answer::object(&text) else { return Vec::new() };
        let answer = WireSchema::restore(shape, answer);
        let mut verifier = ClaimVerifier::new(piece, &links);
        let mut refused = Vec::new();
        let mut waiting: Vec<(String, Vec<String>, &Shape, &Value)> =
            vec![(String::new(), Vec::new(), shape, &answer)];
        while let Some((pointer, scope, shape, answer)) = waiting.pop() {
            for field in shape.fields() {
                let Some(claimed) = answer.get(&field.name) else { continue };
                let child = child_pointer(&pointer, &field.name);
                if field.shape.is_branch() {
                    let mut scope = scope.clone();
                    scope.push(field.name.clone());
                    waiting.push((child, scope, &field.shape, claimed));
                    continue;
                }
                let target = TargetField::new(child.clone(), scope.clone(), field);
                let (value, quote) = claim(claimed);
                match verifier.verify(&target, value, quote, 0) {
                    ClaimOutcome::Verified { value, quote, span } => {
                        set_at(&mut extraction.data, &child, value.clone());
                        extraction.missing.retain(|missing| missing.pointer != child);
                        let span = Span::new(PagePart::Markdown, span.start + offset..span.end + offset);
                        let url = self.page.url.as_str().to_owned();
                        let provenance = Provenance { url, quote, span: Some(span), method: Method::Model };
                        extraction.leaves.push(Leaf {
                            pointer: child,
                            value,
                            provenance: vec![provenance],
                            confidence: 0.8,
                        });
                    }
                    ClaimOutcome::Refused(MissingReason::NotFound) => {}
                    ClaimOutcome::Refused(reason) => refused.push(Missing { pointer: child, reason }),
                }
            }
        }
        refused
    }

    /// The window of the page that names the refused fields most often, and its offset.
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
        // Windows of a fixed size, each overlapping the next by half.
        while at < markdown.len() {
            let window = truncate(markdown.get(at..).unwrap_or_default(), NARROW_BYTES);
            let lower = window.to_lowercase();
            let hits: usize = names.iter().map(|name| lower.matches(name.as_str()).take(20).count()).sum();
            if hits > best.0 {
                best = (hits, at);
            }
            at = char_boundary(markdown, at + (window.len() / 2).max(1));
        }
        let window = truncate(markdown.get(best.1..).unwrap_or_default(), NARROW_BYTES);
        (window.to_owned(), best.1)
    }

    /// Reads the lists that the evidence left empty or incomplete.
    pub(super) async fn lists(&self, out: &mut PageExtraction) {
        let list::ShapeLists { rows: lists, plain } = list::lists_of(self.task.shape);
        for (pointer, field) in plain {
            if !out.extraction.missing.iter().any(|missing| missing.pointer == pointer) {
                continue;
            }
            let found = plain_values::read(self, &pointer, &field).await;
            if !found.values.is_empty() {
                set_at(&mut out.extraction.data, &pointer, Value::Array(found.values));
                out.extraction.missing.retain(|missing| missing.pointer != pointer);
                out.extraction.leaves.extend(found.leaves);
            }
        }
        for (pointer, row) in lists {
            let known = matched_run::rows_at(&out.extraction.data, &out.extraction.leaves, &pointer);
            let is_missing = out.extraction.missing.iter().any(|missing| missing.pointer == pointer);
            let found = list::read(self, &pointer, row.fields(), known, is_missing).await;
            let Some(found) = found else { continue };
            if !found.rows.is_empty() {
                let below = child_pointer(&pointer, "");
                out.extraction.leaves.retain(|leaf| !leaf.pointer.starts_with(&below));
                if pointer.is_empty() {
                    out.extraction.data = Value::Array(found.rows);
                } else {
                    set_at(&mut out.extraction.data, &pointer, Value::Array(found.rows));
                }
                let row_fields = format!("{below}*/");
                let missing = &mut out.extraction.missing;
                missing.retain(|missing| {
                    missing.pointer != pointer && !missing.pointer.starts_with(&row_fields)
                });
                out.extraction.leaves.extend(found.leaves);
                out.extraction.missing.extend(missing_in_rows(row, &pointer, &out.extraction.leaves));
            }
            out.coverage.extend(found.coverage);
        }
    }
}

/// The shape reduced to the missing single fields; `None` if no such field is missing.
fn open_shape(shape: &Shape, missing: &[Missing]) -> Option<Shape> {
    // The depth of a shape is bounded by `MAX_SHAPE_DEPTH`.
    fn keep(shape: &Shape, pointer: &str, missing: &[Missing]) -> Option<Shape> {
        let ShapeKind::Object(fields) = &shape.kind else { return None };
        let open_fields: Vec<Field> = fields
            .iter()
            .filter_map(|field| {
                let child = child_pointer(pointer, &field.name);
                match &field.shape.kind {
                    ShapeKind::Object(_) => {
                        let shape = keep(&field.shape, &child, missing)?;
                        Some(Field { shape, ..field.clone() })
                    }
                    ShapeKind::List(_) => None,
                    _ => missing.iter().any(|missing| missing.pointer == child).then(|| field.clone()),
                }
            })
            .collect();
        (!open_fields.is_empty()).then(|| Shape { kind: ShapeKind::Object(open_fields), ..shape.clone() })
    }
    keep(shape, "", missing)
}
