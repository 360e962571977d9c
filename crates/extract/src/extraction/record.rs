//! Verifies a row of a model's answer against one record of the page.

use hashbrown::HashSet;
use std::ops::Range;

use serde_json::Value;
use url::Url;

use super::row_schema::RowSchema;
use super::session::{Session, claim};
use crate::bind::{TargetField, drop_disallowed_nulls, empty_object, leaf_targets, set_at};
use crate::ground::{ClaimOutcome, ClaimVerifier, LinkTable};
use crate::leaf::{Leaf, child_pointer};
use crate::normalise::ValueForm;
use crate::page::{Method, PagePart, Provenance, Span};
use crate::schema::{Field, Shape, ShapeKind};

/// Upper bound on the values of one list within a row.
const MAX_INNER_VALUES: usize = 200;

/// One record of the page.
#[derive(Debug)]
pub(super) struct PageRecord<'p> {
    pub(super) text: &'p str,
    offset: usize,
    links: LinkTable,
}

/// The part of a row that a record states.
#[derive(Debug)]
pub(super) struct VerifiedRow {
    pub(super) row: Value,
    /// Pointers start at the row.
    pub(super) leaves: Vec<Leaf>,
    claims: usize,
    /// Number of leaves of the row's own fields; they come first in `leaves`.
    own: usize,
}

impl VerifiedRow {
    /// Whether the record states more than half of the claims.
    pub(super) const fn is_supported(&self) -> bool {
        // Lists within a row prove it only if the row has no fields of its own.
        let leaves = if self.claims > 0 { self.own * 2 } else { self.leaves.len() };
        leaves > self.claims
    }
}

impl<'p> PageRecord<'p> {
    pub(super) fn new(markdown: &'p str, range: Range<usize>, base: &Url) -> Option<Self> {
        let offset = range.start;
        let text = markdown.get(range)?;
        let mut links = LinkTable::default();
        links.replace(text, base);
        Some(Self { text, offset, links })
    }

    /// Whether this record can state the value. Link ids are shared by all records of a call, so an address
    /// may belong to another record.
    fn allows(&self, target: &TargetField<'_>, value: &Value) -> bool {
        let is_address = target.form == ValueForm::Url && target.shape.choices.is_empty();
        !is_address || value.as_str().is_some_and(|url| self.links.resolve(url).is_some())
    }

    /// Verifies a row against the record.
    pub(super) fn verify(
        &self,
        session: &Session<'_>,
        links: &LinkTable,
        row_schema: &RowSchema<'_>,
        targets: &[TargetField<'_>],
        row: &Value,
    ) -> VerifiedRow {
        let mut row_verifier =
            RowVerifier { session, record: self, verifier: ClaimVerifier::new(self.text, links) };
        let mut verified =
            VerifiedRow { row: empty_object(row_schema.fields), leaves: Vec::new(), claims: 0, own: 0 };
        for target in targets {
            let Some((claimed, leaf)) = row_verifier.leaf(target, row.pointer(&target.pointer)) else {
                continue;
            };
            verified.claims += usize::from(claimed);
            if let Some(leaf) = leaf {
                set_at(&mut verified.row, &leaf.pointer, leaf.value.clone());
                verified.leaves.push(leaf);
            }
        }
        verified.own = verified.leaves.len();
        if verified.claims == 0 || verified.is_supported() {
            row_verifier.lists(row_schema.fields, row, &mut verified);
        }
        drop_disallowed_nulls(&mut verified.row, row_schema.fields);
        verified
    }
}

struct RowVerifier<'j, 'p> {
    session: &'j Session<'j>,
    record: &'j PageRecord<'p>,
    verifier: ClaimVerifier<'p>,
}

impl RowVerifier<'_, '_> {
    /// Whether the answer claims a value, and the leaf if the claim is proved; `None` if there is no claim.
    fn leaf(
        &mut self,
        target: &TargetField<'_>,
        claimed_value: Option<&Value>,
    ) -> Option<(bool, Option<Leaf>)> {
        let (value, quote) = claim(claimed_value?);
        if value.is_null() {
            return None;
        }
        let ClaimOutcome::Verified { value, quote, span } = self.verifier.verify(target, value, quote, 0)
        else {
            return Some((true, None));
        };
        if !self.record.allows(target, &value) {
            return Some((true, None));
        }
        let offset = self.record.offset;
        let span = Span::new(PagePart::Markdown, span.start + offset..span.end + offset);
        let provenance = Provenance {
            url: self.session.page.url.as_str().to_owned(),
            quote,
            span: Some(span),
            method: Method::Model,
        };
        let pointer = target.pointer.clone();
        Some((true, Some(Leaf { pointer, value, provenance: vec![provenance], confidence: 0.8 })))
    }

    /// Verifies the lists within a row against the row's record; a value counts once. Lists within those
    /// lists are not read.
    fn lists(&mut self, fields: &[Field], row: &Value, verified: &mut VerifiedRow) {
        let mut waiting = vec![(String::new(), Vec::new(), fields)];
        while let Some((pointer, scope, fields)) = waiting.pop() {
            for field in fields {
                let child = child_pointer(&pointer, &field.name);
                match &field.shape.kind {
                    ShapeKind::Object(inner) => {
                        let mut scope: Vec<String> = scope.clone();
                        scope.push(field.name.clone());
                        waiting.push((child, scope, inner));
                    }
                    ShapeKind::List(inner) => {
                        let claimed_value = row.pointer(&child).and_then(Value::as_array);
                        let claimed_value = claimed_value.map(Vec::as_slice).unwrap_or_default();
                        let (values, leaves) = self.list(&child, &field.name, inner, claimed_value);
                        if !values.is_empty() {
                            set_at(&mut verified.row, &child, Value::Array(values));
                            verified.leaves.extend(leaves);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn list(
        &mut self,
        pointer: &str,
        name: &str,
        inner: &Shape,
        claimed_value: &[Value],
    ) -> (Vec<Value>, Vec<Leaf>) {
        let mut values = Vec::new();
        let mut all = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        let plain = Field { name: name.to_owned(), shape: inner.clone(), required: false };
        let targets = if inner.is_branch() {
            leaf_targets(inner)
        } else {
            vec![TargetField::new(String::new(), Vec::new(), &plain)]
        };
        for element in claimed_value.iter().take(MAX_INNER_VALUES) {
            let mut made = if inner.is_branch() { empty_object(inner.fields()) } else { Value::Null };
            let mut leaves = Vec::new();
            let mut claims = 0;
            for target in &targets {
                let Some((_, leaf)) = self.leaf(target, element.pointer(&target.pointer)) else { continue };
                claims += 1;
                leaves.extend(leaf);
            }
            if leaves.len() * 2 <= claims {
                continue;
            }
            for leaf in &leaves {
                if leaf.pointer.is_empty() {
                    made = leaf.value.clone();
                } else {
                    set_at(&mut made, &leaf.pointer, leaf.value.clone());
                }
            }
            drop_disallowed_nulls(&mut made, inner.fields());
            if !seen.insert(made.to_string()) {
                continue;
            }
            let element_pointer = child_pointer(pointer, &values.len().to_string());
            all.extend(
                leaves
                    .into_iter()
                    .map(|leaf| Leaf { pointer: format!("{element_pointer}{}", leaf.pointer), ..leaf }),
            );
            values.push(made);
        }
        (values, all)
    }
}
