//! Features that compare an option with the page and with the other options of its field.

use hashbrown::HashSet;

use super::super::options::ValueOption;
use super::super::page_facts::{PageFacts, text_of};
use super::{Named, count, flag, narrow};
use crate::bind::words::folded;
use crate::segment::{LabelKind, Origin};

/// The number of features of this part.
pub(super) const WIDTH: usize = 24;

/// The rank of an option that no segment states.
const NO_RANK: f32 = 60.0;
/// Longest value that is looked for in the heading, the title and the URL, in bytes.
const MAX_VALUE_BYTES: usize = 200;
/// Upper bound on the steps of the URL's path that are compared.
const MAX_STEPS: usize = 12;
/// Upper bound on the other fields with the same value that count.
const MAX_OTHERS: usize = 8;

/// The order of a field's options on the page, and what they are compared with.
#[derive(Debug)]
pub(super) struct OptionRanks<'p> {
    options: usize,
    /// What the images of the page are called, in folded words.
    image_labels: HashSet<&'p str>,
    /// The steps of the URL's path in folded words.
    path: Vec<String>,
    by_nearness: Vec<f32>,
    by_position: Vec<f32>,
}

impl<'p> OptionRanks<'p> {
    pub(super) fn read(page: &PageFacts<'p, '_>, options: &[ValueOption]) -> Self {
        let mut placed: Vec<(usize, f32, usize)> = Vec::new();
        for (number, option) in options.iter().enumerate() {
            if let Some((_, facts)) = option.segments.first().and_then(|at| page.segment(*at)) {
                placed.push((number, facts.nearness, facts.at));
            }
        }
        let ranks = |placed: &[(usize, f32, usize)]| {
            let mut ranks = vec![NO_RANK; options.len()];
            for (rank, (number, _, _)) in placed.iter().enumerate() {
                if let Some(slot) = ranks.get_mut(*number) {
                    *slot = count(rank);
                }
            }
            ranks
        };
        placed.sort_by_key(|(_, _, at)| *at);
        let by_position = ranks(&placed);
        placed.sort_by(|left, right| right.1.total_cmp(&left.1));
        let stated = page.segments.iter().filter(|segment| segment.origin == Origin::Attribute);
        let labels = stated.filter_map(|segment| segment.label.as_ref());
        let image_labels = labels
            .filter(|label| label.kind == LabelKind::Attribute)
            .map(|label| label.words.as_str())
            .collect();
        let steps = page.evidence.url.path().split('/').filter(|step| !step.is_empty());
        let path = steps.take(MAX_STEPS).map(folded).collect();
        Self { options: options.len(), image_labels, path, by_nearness: ranks(&placed), by_position }
    }
}

/// How an option stands to the rest of the page and to the other options.
#[derive(Debug, Default)]
pub(super) struct RelativeFacts {
    options: f32,
    has_segment: f32,
    prior: f32,
    stating: f32,
    repetitions: f32,
    nearness: f32,
    is_unrelated: f32,
    rank_by_nearness: f32,
    rank_by_position: f32,
    is_headline: f32,
    in_headline: f32,
    has_headline: f32,
    in_title: f32,
    starts_title: f32,
    in_url: f32,
    of_other_field: f32,
    is_on_request: f32,
    states_no_price: f32,
    items: f32,
    has_heading: f32,
    /// An image of the page is called like it, as those of authors are.
    is_image_label: f32,
    /// A step of the URL's path has its words.
    is_path_step: f32,
    /// Steps of the path after that one.
    steps_after: f32,
    /// Steps of the path; none on a start page.
    path_steps: f32,
}

impl RelativeFacts {
    pub(super) fn read(
        page: &PageFacts<'_, '_>,
        field: usize,
        ranks: &OptionRanks<'_>,
        option: &ValueOption,
        at: usize,
    ) -> Self {
        let rank = |ranks: &[f32]| ranks.get(at).copied().unwrap_or(NO_RANK);
        let same = page.best_by_rules.get(&option.key).into_iter().flatten();
        let others = same.filter(|(other, _)| *other != field).take(MAX_OTHERS);
        let mut facts = Self {
            options: count(ranks.options),
            prior: option.prior,
            stating: count(option.stating),
            rank_by_nearness: rank(&ranks.by_nearness),
            rank_by_position: rank(&ranks.by_position),
            of_other_field: others.map(|(_, score)| narrow(*score)).fold(0.0, f32::max),
            is_on_request: flag(page.is_on_request),
            states_no_price: flag(page.states_no_price),
            items: count(page.evidence.items.len()).ln_1p(),
            has_heading: flag(page.evidence.heading.is_some()),
            path_steps: count(ranks.path.len()),
            ..Self::default()
        };
        if let Some((_, of_segment)) = option.segments.first().and_then(|at| page.segment(*at)) {
            facts.has_segment = 1.0;
            facts.repetitions = count(of_segment.repetitions);
            facts.nearness = of_segment.nearness;
            facts.is_unrelated = flag(of_segment.is_unrelated);
        }
        let text = text_of(&option.value);
        if text.len() > MAX_VALUE_BYTES {
            return facts;
        }
        let words = format!(" {} ", folded(&text));
        if words.trim().is_empty() {
            return facts;
        }
        facts.is_headline = flag(page.headline == words);
        facts.in_headline = flag(page.headline.contains(&words));
        facts.has_headline = flag(page.headline.len() > 2 && words.contains(&page.headline));
        facts.in_title = flag(page.title.contains(&words));
        facts.starts_title = flag(page.title.starts_with(&words));
        facts.in_url = flag(page.url.contains(&words));
        facts.is_image_label = flag(ranks.image_labels.contains(words.trim()));
        if let Some(step) = ranks.path.iter().position(|step| step == words.trim()) {
            facts.is_path_step = 1.0;
            facts.steps_after = count(ranks.path.len() - step - 1);
        }
        facts
    }

    pub(super) fn named(&self) -> Named<WIDTH> {
        [
            ("options", self.options),
            ("has_segment", self.has_segment),
            ("prior", self.prior),
            ("stating", self.stating),
            ("repetitions", self.repetitions),
            ("nearness", self.nearness),
            ("is_unrelated", self.is_unrelated),
            ("rank_by_nearness", self.rank_by_nearness),
            ("rank_by_position", self.rank_by_position),
            ("is_headline", self.is_headline),
            ("in_headline", self.in_headline),
            ("has_headline", self.has_headline),
            ("in_title", self.in_title),
            ("starts_title", self.starts_title),
            ("in_url", self.in_url),
            ("of_other_field", self.of_other_field),
            ("is_on_request", self.is_on_request),
            ("states_no_price", self.states_no_price),
            ("items", self.items),
            ("has_heading", self.has_heading),
            ("is_image_label", self.is_image_label),
            ("is_path_step", self.is_path_step),
            ("steps_after", self.steps_after),
            ("path_steps", self.path_steps),
        ]
    }
}
