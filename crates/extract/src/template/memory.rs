//! Learns rules for the fields of a page cluster, and applies them to its next pages.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use siphasher::sip::SipHasher13;

use super::page_view::PageView;
use super::rule::Rule;
use super::signature::Signature;
use crate::bind::{TargetField, leaf_targets, provenance, words};
use crate::evidence::Evidence;
use crate::leaf::{Extraction, Leaf, MissingReason};
use crate::page::Method;
use crate::schema::Shape;

/// Upper bound on the clusters; the least recently used one is evicted first.
pub const MAX_CLUSTERS: usize = 500;
/// Upper bound on the layouts of one cluster.
pub const MAX_LAYOUTS: usize = 4;
/// Upper bound on the candidate rules of one field, until a second page confirms some of them.
pub const MAX_RULES: usize = 48;
/// Pages that must confirm a rule before it counts.
pub const MIN_SUPPORT: u32 = 2;
/// Rules kept for one field once it has support.
const KEPT_RULES: usize = 3;
/// Lower bound on the share of structure that a page has in common with its layout.
const MIN_SIMILARITY: f64 = 0.6;
/// Consecutive pages that a layout may fail to fit before it may be evicted.
const MAX_MISSES: u32 = 3;
/// Confidence of a value from a rule.
const CONFIDENCE: f64 = 0.85;

/// How a page differs from the learned template of its cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum TemplateDrift {
    /// Its elements differ.
    Structure,
    /// Its elements are the same, but fewer than half of the rules lead to a value.
    Fill,
}

/// What was learned about one field of the schema.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LearnedField {
    rules: Vec<Rule>,
    /// Pages that confirm the rules.
    support: u32,
    /// Pages on which a model found nothing.
    empty: u32,
    /// The kinds of text of its values ([`writing`]), one bit each.
    writings: u8,
}

/// The kind of text: letters, digits, both or neither, as a bit. A name that turns into a number was read
/// from the wrong element.
fn writing(value: &Value) -> u8 {
    let Some(text) = value.as_str() else { return 8 };
    let letters = text.chars().any(char::is_alphabetic);
    let digits = text.chars().any(char::is_numeric);
    match (letters, digits) {
        (true, false) => 1,
        (false, true) => 2,
        (true, true) => 4,
        (false, false) => 8,
    }
}

/// A layout of the pages of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Layout {
    signature: Signature,
    #[serde(rename = "places")]
    fields: BTreeMap<String, LearnedField>,
    /// Pages that a model read.
    verified: u32,
    /// Consecutive pages that did not fit.
    misses: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cluster {
    layouts: Vec<Layout>,
    used: u64,
    recalled: u64,
    asked: u64,
}

/// What was learned of the templates of a site, for one schema. Reading with another schema clears it.
///
/// It is data: it can be stored as JSON and used in another process. Its size is bounded by [`MAX_CLUSTERS`],
/// [`MAX_LAYOUTS`] and [`MAX_RULES`]. The only text of pages that it keeps is the context of values, at most
/// 40 characters each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateMemory {
    shape: u64,
    clock: u64,
    clusters: BTreeMap<String, Cluster>,
}

/// The result of applying the rules to a page.
#[derive(Debug, Default)]
pub(crate) struct Recall {
    pub(crate) leaves: Vec<Leaf>,
    /// Fields that are known to be empty: no model call is needed.
    pub(crate) settled: BTreeSet<String>,
    pub(crate) drift: Option<TemplateDrift>,
}

impl TemplateMemory {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Pages of a cluster that needed a model, minus those that needed none.
    pub(crate) fn unpaid_pages(&self, cluster: &str) -> u64 {
        self.clusters.get(cluster).map_or(0, |known| known.asked.saturating_sub(known.recalled))
    }

    fn cluster(&mut self, key: &str, shape: &Shape) -> &mut Cluster {
        let mut hasher = SipHasher13::new();
        hasher.write(serde_json::to_string(shape).unwrap_or_default().as_bytes());
        let shape = hasher.finish();
        if self.shape != shape {
            self.shape = shape;
            self.clusters.clear();
        }
        self.clock += 1;
        if !self.clusters.contains_key(key) && self.clusters.len() >= MAX_CLUSTERS {
            let oldest =
                self.clusters.iter().min_by_key(|(_, cluster)| cluster.used).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.clusters.remove(&oldest);
            }
        }
        let clock = self.clock;
        let cluster = self.clusters.entry(key.to_owned()).or_default();
        cluster.used = clock;
        cluster
    }

    /// Reads the open fields of a page by the rules of its cluster.
    pub(crate) fn recall(
        &mut self,
        key: &str,
        evidence: &Evidence<'_>,
        shape: &Shape,
        extraction: &Extraction,
    ) -> Recall {
        let cluster = self.cluster(key, shape);
        if cluster.layouts.iter().all(|layout| layout.verified < MIN_SUPPORT) {
            return Recall::default();
        }
        let targets = leaf_targets(shape);
        let signature = Signature::of(evidence);
        let view = PageView::new(evidence);
        let mut best: Option<(usize, usize, Vec<Leaf>, BTreeSet<String>)> = None;
        let mut alike = false;
        for (at, layout) in cluster.layouts.iter().enumerate() {
            if layout.signature.similarity(&signature) < MIN_SIMILARITY {
                continue;
            }
            alike = true;
            if layout.verified < MIN_SUPPORT {
                continue;
            }
            let (expected, leaves, settled) = layout.read(&view, &targets, extraction);
            let fits = leaves.len() * 2 >= expected;
            if fits && best.as_ref().is_none_or(|(_, _, known, _)| leaves.len() > known.len()) {
                best = Some((at, expected, leaves, settled));
            }
        }
        match best {
            Some((at, _, leaves, settled)) => {
                if let Some(layout) = cluster.layouts.get_mut(at) {
                    layout.misses = 0;
                }
                Recall { leaves, settled, drift: None }
            }
            None => {
                let drift = if alike { TemplateDrift::Fill } else { TemplateDrift::Structure };
                for layout in cluster.layouts.iter_mut().filter(|layout| layout.verified >= MIN_SUPPORT) {
                    layout.misses += 1;
                }
                Recall { drift: Some(drift), ..Recall::default() }
            }
        }
    }

    /// Counts a page that needed no model.
    pub(crate) fn recalled(&mut self, key: &str, shape: &Shape) {
        self.cluster(key, shape).recalled += 1;
    }

    /// Learns from a page that a model has read. `open` are the fields that the model was asked for.
    pub(crate) fn learn(
        &mut self,
        key: &str,
        evidence: &Evidence<'_>,
        shape: &Shape,
        extraction: &Extraction,
        open: &BTreeSet<String>,
    ) {
        let cluster = self.cluster(key, shape);
        cluster.asked += 1;
        let targets = leaf_targets(shape);
        let view = PageView::new(evidence);
        let signature = Signature::of(evidence);
        let by_model = |pointer: &str| {
            let leaf = extraction.leaves.iter().find(|leaf| leaf.pointer == pointer)?;
            leaf.provenance.first().is_some_and(|proof| proof.method == Method::Model).then_some(leaf)
        };
        // The layout whose rules lead to the values that the model found. If there is none, the page starts a
        // new layout.
        let mut best: Option<(usize, usize)> = None;
        for (at, layout) in cluster.layouts.iter().enumerate() {
            if layout.signature.similarity(&signature) < MIN_SIMILARITY {
                continue;
            }
            let mut compared = 0;
            let mut agreed = 0;
            for target in &targets {
                let (Some(learned), Some(leaf)) =
                    (layout.fields.get(&target.pointer), by_model(&target.pointer))
                else {
                    continue;
                };
                if !learned.rules.is_empty() {
                    compared += 1;
                    agreed += usize::from(
                        learned.rules.iter().any(|rule| rule.confirm(&view, target, &leaf.value).is_some()),
                    );
                }
            }
            if agreed * 2 >= compared && best.is_none_or(|(_, known)| agreed > known) {
                best = Some((at, agreed));
            }
        }
        let at = match best {
            Some((at, _)) => at,
            None => {
                cluster.layouts.retain(|layout| layout.misses < MAX_MISSES);
                if cluster.layouts.len() >= MAX_LAYOUTS {
                    let worst = cluster.layouts.iter().enumerate().max_by_key(|(_, layout)| layout.misses);
                    if let Some(worst) = worst.map(|(at, _)| at) {
                        cluster.layouts.remove(worst);
                    }
                }
                cluster.layouts.push(Layout { signature, fields: BTreeMap::new(), verified: 0, misses: 0 });
                cluster.layouts.len() - 1
            }
        };
        let Some(layout) = cluster.layouts.get_mut(at) else { return };
        layout.verified += 1;
        for target in &targets {
            if !open.contains(&target.pointer) {
                // Without the model, such a value is found on some pages only.
                let own = extraction.leaves.iter().find(|leaf| leaf.pointer == target.pointer);
                if let Some(leaf) = own {
                    let learned = layout.fields.entry(target.pointer.clone()).or_default();
                    learned.learn_value(&view, target, leaf);
                }
                continue;
            }
            let refused = extraction.missing.iter().any(|missing| {
                missing.pointer == target.pointer
                    && !matches!(missing.reason, MissingReason::NotFound | MissingReason::Unsure)
            });
            if refused {
                continue;
            }
            let learned = layout.fields.entry(target.pointer.clone()).or_default();
            match by_model(&target.pointer) {
                Some(leaf) => learned.learn_value(&view, target, leaf),
                None => learned.learn_absence(&view, target),
            }
        }
        // About lists, only one fact is learned: that pages of this kind have none.
        let is_leaf = |pointer: &String| targets.iter().any(|target| target.pointer == *pointer);
        for list in open.iter().filter(|pointer| !pointer.contains("/*/") && !is_leaf(pointer)) {
            let learned = layout.fields.entry(list.clone()).or_default();
            let is_empty = extraction.missing.iter().any(|missing| missing.pointer == *list);
            learned.empty += u32::from(is_empty);
            learned.support += u32::from(!is_empty);
        }
    }
}

impl LearnedField {
    fn learn_value(&mut self, view: &PageView<'_>, target: &TargetField<'_>, leaf: &Leaf) {
        self.writings |= writing(&leaf.value);
        let mut confirmed: Vec<Rule> =
            self.rules.iter().filter_map(|rule| rule.confirm(view, target, &leaf.value)).collect();
        if confirmed.is_empty() {
            self.rules = Rule::induce(view, target, &leaf.value, MAX_RULES);
            self.support = u32::from(!self.rules.is_empty());
            return;
        }
        self.support += 1;
        confirmed.sort_by(|left, right| left.rank(target).total_cmp(&right.rank(target)));
        // Beside a label, a position would give a value even where the label is missing.
        if confirmed.first().is_some_and(|rule| !rule.is_position()) {
            confirmed.retain(|rule| !rule.is_position());
        }
        confirmed.truncate(KEPT_RULES);
        self.rules = confirmed;
    }

    fn learn_absence(&mut self, view: &PageView<'_>, target: &TargetField<'_>) {
        self.empty += 1;
        // A rule that gives a value for an empty field is wrong.
        self.rules.retain(|rule| rule.read(view, target).is_none());
        if self.rules.is_empty() {
            self.support = 0;
        }
    }
}

impl Layout {
    /// The number of fields expected to be filled, the filled ones, and those known to be empty.
    fn read(
        &self,
        view: &PageView<'_>,
        targets: &[TargetField<'_>],
        extraction: &Extraction,
    ) -> (usize, Vec<Leaf>, BTreeSet<String>) {
        let mut expected = 0;
        let mut leaves = Vec::new();
        let mut settled = BTreeSet::new();
        for target in targets {
            let Some(learned) = self.fields.get(&target.pointer) else { continue };
            if !extraction.missing.iter().any(|missing| missing.pointer == target.pointer) {
                continue;
            }
            let trusted = learned.support >= MIN_SUPPORT;
            let found = learned
                .rules
                .iter()
                .filter(|_| trusted)
                .find_map(|rule| rule.read(view, target))
                .filter(|(value, _)| learned.writings & writing(value) != 0);
            match found {
                Some((value, quote)) => {
                    expected += 1;
                    leaves.push(Leaf {
                        pointer: target.pointer.clone(),
                        value,
                        provenance: vec![provenance(view.evidence, &quote, Method::Template, None)],
                        confidence: CONFIDENCE,
                    });
                }
                // The field was empty on earlier pages without its mark.
                None if trusted && learned.empty > 0 => {
                    settled.insert(target.pointer.clone());
                }
                None if trusted => expected += 1,
                None if learned.empty >= MIN_SUPPORT && learned.support == 0 => {
                    // The field was empty on every earlier page. A label with its name would be new.
                    let own = words(target.name);
                    if !view.has_label_with(&own) {
                        settled.insert(target.pointer.clone());
                    }
                }
                None => {}
            }
        }
        for missing in &extraction.missing {
            let is_leaf = targets.iter().any(|target| target.pointer == missing.pointer);
            let known = self.fields.get(&missing.pointer).filter(|_| !is_leaf);
            if known.is_some_and(|known| known.empty >= MIN_SUPPORT && known.support == 0) {
                settled.insert(missing.pointer.clone());
            }
        }
        (expected, leaves, settled)
    }
}
