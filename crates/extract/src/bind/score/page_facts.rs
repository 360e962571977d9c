//! Facts of each segment that all fields of a schema share: names, distance to the heading, repetitions.

use hashbrown::HashMap;

use serde_json::Value;

use super::fit::{fits, is_long_text};
use super::meaning::MeaningTable;
use super::rules::RulePools;
use super::segment_names::{NameReader, SegmentName};
use crate::bind::pool::agreement_key;
use crate::bind::target::TargetField;
use crate::bind::words::folded;
use crate::evidence::Evidence;
use crate::page::truncate;
use crate::segment::{Places, Segment};

/// Distance from the main heading at which a segment is half as near as directly below it, in bytes of
/// visible text.
const HALF_NEAR_BYTES: f32 = 600.0;
/// A segment above the heading counts as this many times as far as one below it.
const ABOVE_FACTOR: f32 = 2.0;
/// The start of a text whose digits are counted, in bytes.
const COUNTED_BYTES: usize = 300;
/// Upper bound on the pairs of a field and a segment that are compared.
const MAX_COMPARED: usize = 400_000;
/// Units of work to read the facts of one segment.
const UNITS_PER_SEGMENT: usize = 8;

/// What is known of a segment for the fields of one schema.
#[derive(Debug)]
pub(crate) struct SegmentFacts {
    /// Empty if it fits no field.
    pub(crate) names: Vec<SegmentName>,
    /// Nearness to the main heading, 0 to 1.
    pub(crate) nearness: f32,
    /// Start in the visible text, in bytes.
    pub(crate) at: usize,
    /// Whether it is in a part of the page about other things.
    pub(crate) is_unrelated: bool,
    /// Digits at the start of its text, up to [`COUNTED_BYTES`].
    pub(crate) digits: usize,
    /// Segments with exactly this text.
    pub(crate) repetitions: usize,
}

/// What is known of a page before its options are rated.
#[derive(Debug)]
pub(crate) struct PageFacts<'p, 'a> {
    pub(crate) evidence: &'p Evidence<'a>,
    pub(crate) segments: &'p [Segment],
    pub(crate) places: &'p Places<'p, 'a>,
    /// In the order of the segments. If the work was interrupted, the last ones are missing.
    pub(crate) facts: Vec<SegmentFacts>,
    /// For each field the numbers of the segments that may state a value of its type, in page order.
    pub(crate) fitting: Vec<Vec<usize>>,
    pub(crate) names: &'p MeaningTable,
    /// The fields with each value as the best candidate of the rules, with its score; by [`agreement_key`].
    pub(crate) best_by_rules: HashMap<String, Vec<(usize, f64)>>,
    /// In folded words, with a space before and after.
    pub(crate) headline: String,
    /// Like [`headline`](Self::headline), of the `title` element.
    pub(crate) title: String,
    /// Like [`headline`](Self::headline), of the URL.
    pub(crate) url: String,
    pub(crate) is_on_request: bool,
    pub(crate) states_no_price: bool,
}

impl<'p, 'a> PageFacts<'p, 'a> {
    pub(crate) fn read(
        evidence: &'p Evidence<'a>,
        (segments, places): (&'p [Segment], &'p Places<'p, 'a>),
        rules: &RulePools,
        targets: &[TargetField<'_>],
        names: &'p MeaningTable,
    ) -> Self {
        let tree = &evidence.tree;
        let heading = evidence.heading.map_or(0, |node| tree.text_range(node).start);
        let mut repetitions: HashMap<&str, usize> = HashMap::with_capacity(segments.len());
        for segment in segments {
            *repetitions.entry(segment.text.as_str()).or_default() += 1;
        }
        let mut facts = Vec::with_capacity(segments.len());
        for segment in segments {
            if tree.interrupt().spend(UNITS_PER_SEGMENT) {
                break;
            }
            let at = segment
                .range
                .as_ref()
                .map_or_else(|| tree.text_range(segment.node).start, |range| range.start);
            facts.push(SegmentFacts {
                names: Vec::new(),
                nearness: nearness(heading, at),
                at,
                is_unrelated: evidence.unrelated().contains(segment.node),
                digits: truncate(&segment.text, COUNTED_BYTES)
                    .chars()
                    .filter(|found| found.is_numeric())
                    .count(),
                repetitions: repetitions.get(segment.text.as_str()).copied().unwrap_or(1),
            });
        }
        let fitting = fitting(evidence, segments, &facts, targets);
        read_names(evidence, names, segments, &fitting, &mut facts);
        let mut best_by_rules: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        for (field, best) in rules.best().into_iter().enumerate() {
            if let Some(best) = best {
                best_by_rules.entry(agreement_key(&best.value)).or_default().push((field, best.score));
            }
        }
        let spaced = |text: &str| format!(" {} ", folded(text));
        Self {
            evidence,
            segments,
            places,
            facts,
            fitting,
            names,
            best_by_rules,
            headline: spaced(evidence.headline()),
            title: spaced(&evidence.title),
            url: spaced(evidence.url.as_str()),
            is_on_request: rules.is_on_request,
            states_no_price: rules.states_no_price,
        }
    }

    /// A segment with its facts.
    pub(crate) fn segment(&self, at: usize) -> Option<(&'p Segment, &SegmentFacts)> {
        self.segments.get(at).zip(self.facts.get(at))
    }
}

/// For each field the segments that may state a value of its type.
fn fitting(
    evidence: &Evidence<'_>,
    segments: &[Segment],
    facts: &[SegmentFacts],
    targets: &[TargetField<'_>],
) -> Vec<Vec<usize>> {
    let tree = &evidence.tree;
    let compared = MAX_COMPARED / targets.len().max(1);
    let of_field = |target: &TargetField<'_>| {
        let is_long = is_long_text(target);
        let pairs = segments.iter().zip(facts).enumerate().take(compared);
        let fitting = pairs.filter(|(_, (segment, facts))| fits(tree, target, is_long, segment, facts));
        let found: Vec<usize> = fitting.map(|(at, _)| at).collect();
        if tree.interrupt().spend(found.len() / 8) { Vec::new() } else { found }
    };
    targets.iter().map(of_field).collect()
}

/// Reads the names beside the segments that fit a field.
fn read_names(
    evidence: &Evidence<'_>,
    names: &MeaningTable,
    segments: &[Segment],
    fitting: &[Vec<usize>],
    facts: &mut [SegmentFacts],
) {
    let mut is_wanted = vec![false; facts.len()];
    for at in fitting.iter().flatten() {
        if let Some(slot) = is_wanted.get_mut(*at) {
            *slot = true;
        }
    }
    let mut reader = NameReader::new(evidence, names);
    for ((segment, facts), is_wanted) in segments.iter().zip(facts).zip(is_wanted) {
        if is_wanted {
            facts.names = reader.names_of(segment);
        }
    }
}

/// Nearness to the main heading, 0 to 1, from two positions in the visible text.
fn nearness(heading: usize, at: usize) -> f32 {
    let distance = |bytes: usize| f32::from(u16::try_from(bytes).unwrap_or(u16::MAX));
    let far = match at.checked_sub(heading) {
        Some(below) => distance(below),
        None => ABOVE_FACTOR * distance(heading - at),
    };
    HALF_NEAR_BYTES / (HALF_NEAR_BYTES + far)
}

/// The text of a value.
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
