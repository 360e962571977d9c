//! Merges the rows of a list from several pages, by codes, URLs or similar names.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::{Conflict, Merged, conflict};
use crate::bind::{concept_name, empty_object, folded, pointer_order, set_at, set_growing};
use crate::leaf::{Leaf, child_pointer};
use crate::plan::to_f64;
use crate::schema::{Field, ShapeKind};

/// The identities of rows, the strongest first.
const IDENTITIES: [&str; 5] = ["gtin", "sku", "url", "email", "name"];

/// The rank in [`IDENTITIES`] below which all are codes and URLs.
const EMAIL_RANK: usize = 3;

/// The rows of a list during the merge.
pub(super) struct MergedRows<'s> {
    pointer: &'s str,
    fields: &'s [Field],
    /// Pointers to the lists within a row, each with a slash at the end.
    inner: Vec<String>,
    /// The fields that identify a row: their rank in [`IDENTITIES`] and their pointer within a row.
    identifying: Vec<(usize, String)>,
    /// The leaves of each row by their pointer within it.
    rows: Vec<BTreeMap<String, Leaf>>,
    /// The identities of each row.
    identities: Vec<Vec<(usize, String)>>,
    /// The last page that contributed to each row.
    pages: Vec<usize>,
    /// Rows by their identities, at most [`MAX_CANDIDATES`] of each.
    by_identity: HashMap<(usize, String), Vec<usize>>,
    /// Rows by the words of their names, at most [`MAX_CANDIDATES`] of each.
    by_word: HashMap<String, Vec<usize>>,
}

/// Upper bound on the rows that a row is compared with for similarity, per word of its name.
const MAX_CANDIDATES: usize = 64;
/// Lower bound on the share of words that two names of the same thing have in common.
const MIN_SIMILARITY: f64 = 0.8;
/// Lower bound on the words of such a name: short names that differ are different.
const MIN_WORDS: usize = 4;

impl<'s> MergedRows<'s> {
    pub(super) fn new(pointer: &'s str, fields: &'s [Field]) -> Self {
        let mut identifying = Vec::new();
        for (rank, wanted) in IDENTITIES.iter().enumerate() {
            let fields = fields.iter().filter(|field| concept_name(&field.name) == Some(wanted));
            identifying.extend(fields.map(|field| (rank, child_pointer("", &field.name))));
        }
        let lists = fields.iter().filter(|field| matches!(field.shape.kind, ShapeKind::List(_)));
        let inner = lists.map(|field| child_pointer(&child_pointer("", &field.name), "")).collect();
        Self {
            pointer,
            fields,
            inner,
            identifying,
            rows: Vec::new(),
            identities: Vec::new(),
            pages: Vec::new(),
            by_identity: HashMap::new(),
            by_word: HashMap::new(),
        }
    }

    /// The identities of a row; the last one is the row as a whole.
    fn identities(&self, row: &BTreeMap<String, Leaf>) -> Vec<(usize, String)> {
        let mut found: Vec<(usize, String)> = Vec::new();
        for (rank, pointer) in &self.identifying {
            if let Some(leaf) = row.get(pointer)
                && found.last().is_none_or(|(existing, _)| existing != rank)
            {
                found.push((*rank, leaf.value.as_str().map_or_else(|| leaf.value.to_string(), folded)));
            }
        }
        let all: Map<String, Value> =
            row.iter().map(|(pointer, leaf)| (pointer.clone(), leaf.value.clone())).collect();
        found.push((IDENTITIES.len(), Value::Object(all).to_string()));
        found
    }

    /// Whether two rows differ in an identity that is stronger than `rank`.
    fn differ(&self, row: usize, own: &[(usize, String)], rank: usize) -> bool {
        let Some(theirs) = self.identities.get(row) else { return true };
        own.iter()
            .filter(|(kind, _)| *kind < rank)
            .any(|(kind, value)| theirs.iter().any(|(other, existing)| other == kind && existing != value))
    }

    /// Whether two rows have different values in every field that both have, apart from their identities. Two
    /// payments by one name are two.
    fn disagree(&self, row: usize, new: &BTreeMap<String, Leaf>) -> bool {
        let Some(existing) = self.rows.get(row) else { return true };
        let mut differs = false;
        for (pointer, leaf) in new {
            if self.identifying.iter().any(|(_, identifying)| identifying == pointer) {
                continue;
            }
            match existing.get(pointer) {
                Some(theirs) if theirs.value == leaf.value => return false,
                Some(_) => differs = true,
                None => {}
            }
        }
        differs
    }

    /// Whether a row of this page may join an existing one, as far as pages go. On one page only copies are
    /// the same row: equal in every field, including a URL or an article number.
    fn may_join(
        &self,
        row: usize,
        page: usize,
        new: &BTreeMap<String, Leaf>,
        identities: &[(usize, String)],
    ) -> bool {
        if self.pages.get(row).is_none_or(|last| *last != page) {
            return true;
        }
        let has_code = identities.first().is_some_and(|(rank, _)| *rank < EMAIL_RANK);
        has_code
            && self.rows.get(row).is_some_and(|existing| {
                existing.len() == new.len()
                    && new.iter().all(|(pointer, leaf)| {
                        existing.get(pointer).is_some_and(|theirs| theirs.value == leaf.value)
                    })
            })
    }

    /// The existing row for the same thing: by an identity, else by a similar name.
    fn same(
        &self,
        page: usize,
        new: &BTreeMap<String, Leaf>,
        identities: &[(usize, String)],
    ) -> Option<usize> {
        let name_rank = IDENTITIES.len() - 1;
        for identity in identities {
            let existing = self.by_identity.get(identity).map_or(&[][..], Vec::as_slice);
            // Rows that share an identity are distinguished only by all of their fields.
            if identity.0 <= name_rank && existing.len() > 1 {
                let copy = existing.iter().find(|row| {
                    self.pages.get(**row) == Some(&page) && self.may_join(**row, page, new, identities)
                });
                if copy.is_some() {
                    return copy.copied();
                }
                continue;
            }
            let found = existing.iter().find(|row| {
                !self.differ(**row, identities, identity.0)
                    && self.may_join(**row, page, new, identities)
                    && (identity.0 != name_rank || !self.disagree(**row, new))
            });
            if found.is_some() {
                return found.copied();
            }
        }
        let (_, name) = identities.iter().find(|(rank, _)| *rank == name_rank)?;
        let own: BTreeSet<&str> = name.split(' ').collect();
        let numbers = |words: &BTreeSet<&str>| -> Vec<String> {
            let number = |word: &&&str| word.bytes().any(|byte| byte.is_ascii_digit());
            words.iter().filter(number).map(|word| (*word).to_owned()).collect()
        };
        let mut tried: BTreeSet<usize> = BTreeSet::new();
        for word in &own {
            for row in self.by_word.get(*word).into_iter().flatten() {
                if !tried.insert(*row)
                    || self.differ(*row, identities, name_rank)
                    || self.pages.get(*row) == Some(&page)
                    || self.disagree(*row, new)
                {
                    continue;
                }
                let theirs = self.identities.get(*row).map_or(&[][..], Vec::as_slice);
                let Some((_, other)) = theirs.iter().find(|(rank, _)| *rank == name_rank) else { continue };
                let other: BTreeSet<&str> = other.split(' ').collect();
                let shared =
                    to_f64(own.intersection(&other).count()) / to_f64(own.union(&other).count().max(1));
                // `Model 3 red` and `Model 4 red` are different things.
                if own.len().min(other.len()) >= MIN_WORDS
                    && shared >= MIN_SIMILARITY
                    && numbers(&own) == numbers(&other)
                {
                    return Some(*row);
                }
            }
        }
        None
    }

    /// Adds a row to the indexes.
    fn index(&mut self, row: usize, identities: Vec<(usize, String)>) {
        match self.identities.get_mut(row) {
            Some(existing) => {
                for identity in &identities {
                    if !existing.iter().any(|(rank, _)| *rank == identity.0) {
                        existing.push(identity.clone());
                    }
                }
            }
            None => self.identities.push(identities.clone()),
        }
        for identity in identities {
            if identity.0 + 1 == IDENTITIES.len() {
                for word in identity.1.split(' ') {
                    let rows = self.by_word.entry(word.to_owned()).or_default();
                    if rows.len() < MAX_CANDIDATES && !rows.contains(&row) {
                        rows.push(row);
                    }
                }
            }
            let rows = self.by_identity.entry(identity).or_default();
            if rows.len() < MAX_CANDIDATES && !rows.contains(&row) {
                rows.push(row);
            }
        }
    }

    pub(super) fn add(&mut self, page: usize, row: usize, leaves: Vec<Leaf>, conflicts: &mut Vec<Conflict>) {
        let prefix = format!("{}/{row}", self.pointer);
        let new: BTreeMap<String, Leaf> = leaves
            .into_iter()
            .map(|leaf| (leaf.pointer.strip_prefix(&prefix).unwrap_or_default().to_owned(), leaf))
            .collect();
        let identities = self.identities(&new);
        let found = self.same(page, &new, &identities);
        let at = found.unwrap_or(self.rows.len());
        if let Some(existing) = found.and_then(|at| self.rows.get_mut(at)) {
            // A list within a row comes from the first page that has it: its elements have no names that
            // identify them.
            let filled: Vec<&String> = self
                .inner
                .iter()
                .filter(|list| existing.keys().any(|pointer| pointer.starts_with(list.as_str())))
                .collect();
            for (pointer, leaf) in new {
                let is_closed = filled.iter().any(|list| pointer.starts_with(list.as_str()));
                match existing.get_mut(&pointer) {
                    None if is_closed => {}
                    None => {
                        existing.insert(pointer, leaf);
                    }
                    Some(own) if own.value == leaf.value => own.provenance.extend(leaf.provenance),
                    Some(_) => conflict(conflicts, leaf),
                }
            }
        } else {
            self.rows.push(new);
        }
        match self.pages.get_mut(at) {
            Some(last) => *last = page,
            None => self.pages.push(page),
        }
        self.index(at, identities);
    }

    pub(super) fn finish(self, out: &mut Merged) {
        let mut rows = Vec::with_capacity(self.rows.len());
        for (at, leaves) in self.rows.into_iter().enumerate() {
            let mut row = if self.fields.is_empty() { Value::Null } else { empty_object(self.fields) };
            let mut leaves: Vec<(String, Leaf)> = leaves.into_iter().collect();
            leaves.sort_by_cached_key(|(pointer, _)| pointer_order(pointer));
            for (pointer, leaf) in leaves {
                set_growing(&mut row, self.fields, &pointer, leaf.value.clone());
                out.leaves.push(Leaf { pointer: format!("{}/{at}{pointer}", self.pointer), ..leaf });
            }
            crate::bind::drop_disallowed_nulls(&mut row, self.fields);
            rows.push(row);
        }
        if self.pointer.is_empty() {
            out.data = Value::Array(rows);
        } else {
            set_at(&mut out.data, self.pointer, Value::Array(rows));
        }
    }
}
