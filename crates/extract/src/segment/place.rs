//! The place of a segment: what can be said of it as numbers without knowing the field.

mod container;
mod features;
mod link;
mod position;
mod relation;
mod repetition;
mod site;
mod types;
mod words;

use hashbrown::HashSet;

pub(crate) use features::PLACE_FEATURES;

use self::features::Features;
use self::link::Links;
use self::repetition::Repeats;
use self::types::{TypeRank, Types};
use super::drafts::{Draft, Mark};
use super::view::View;
use super::wording::Wording;
use super::{Origin, Segment};
use crate::normalise::fold_spaces;

/// Bytes of text for one unit of work.
const BYTES_PER_UNIT: usize = 32;
/// Units of work to describe a segment, without its text.
const UNITS_PER_SEGMENT: usize = 16;

/// Facts as numbers, in the order of [`PLACE_FEATURES`].
#[derive(Debug, Clone)]
pub(crate) struct Place(pub(crate) [f32; PLACE_FEATURES.len()]);

/// A draft with its text, read once for all features.
#[derive(Debug)]
struct Described {
    draft: Draft,
    text: String,
    wording: Wording,
    types: Types,
}

impl Described {
    fn read(view: &View<'_, '_>, draft: Draft) -> Self {
        let text = match (&draft.stated, &draft.range) {
            (Some(text), _) => fold_spaces(text),
            // Lines mean something in a longer text.
            (None, Some(range)) if draft.origin == Origin::Paragraphs => view.text(range).to_owned(),
            (None, Some(range)) => view.text(range).replace('\n', " "),
            (None, None) => String::new(),
        };
        let wording = Wording::read(&text);
        let types = Types::read(view, &draft, &text, &wording);
        Self { draft, text, wording, types }
    }
}

/// What is known of all segments of a page together.
#[derive(Debug)]
struct Overview {
    repeats: Repeats,
    /// The lines that start with a word such as `by`.
    affixed_lines: HashSet<usize>,
    /// The rank of each segment among those of its type.
    ranks: Vec<TypeRank>,
}

/// The segments of a page with their places, from its drafts in page order. If the work is interrupted, the
/// last ones are missing.
pub(super) fn describe(view: &View<'_, '_>, drafts: Vec<Draft>) -> Vec<Segment> {
    let mut described = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let bytes = draft.end().saturating_sub(draft.anchor);
        if view.tree.interrupt().spend(UNITS_PER_SEGMENT + bytes / BYTES_PER_UNIT) {
            break;
        }
        described.push(Described::read(view, draft));
    }
    let overview = Overview {
        repeats: Repeats::read(&described),
        affixed_lines: relation::affixed_lines(view, &described),
        ranks: types::ranks(view, &described),
    };
    let mut links = Links::default();
    described
        .into_iter()
        .enumerate()
        .map(|(at, found)| {
            let mut features = Features::default();
            let facts = view.outline.facts(found.draft.node);
            position::write(view, &found.draft, &mut features);
            container::write(&facts, &mut features);
            link::write(view, &mut links, &facts, &found.wording, &mut features);
            repetition::write(view, &overview.repeats, &found, &mut features);
            words::write(&found, &mut features);
            types::write(&found.types, overview.ranks.get(at), &mut features);
            relation::write(view, &overview.affixed_lines, &found, &mut features);
            site::write(view, &found.text, &mut features);
            origins(&found.draft, &mut features);
            let Described { draft, text, .. } = found;
            let Draft { node, range, origin, label, .. } = draft;
            Segment { text, node, range, origin, label, place: Place(features.values()) }
        })
        .collect()
}

fn origins(draft: &Draft, to: &mut Features) {
    to.from_element = flag(draft.comes_from(Origin::Element));
    to.from_text_node = flag(draft.comes_from(Origin::TextNode));
    to.from_line = flag(draft.comes_from(Origin::Line));
    to.from_label = flag(draft.comes_from(Origin::AfterLabel));
    to.from_affix = flag(draft.comes_from(Origin::AfterPrefix));
    to.from_title = flag(draft.comes_from(Origin::TitlePart));
    to.from_typed = flag(draft.comes_from(Origin::Typed));
    to.from_attribute = flag(draft.comes_from(Origin::Attribute));
    to.from_breadcrumb = flag(draft.comes_from(Origin::Breadcrumb));
    to.from_site_name = flag(draft.comes_from(Origin::SiteName));
    to.from_paragraphs = flag(draft.comes_from(Origin::Paragraphs));
    to.is_last_step = flag(draft.crumb.1 == 1);
    to.steps_after = scaled(draft.crumb.1);
    to.is_main_text = flag(draft.has(Mark::MainText));
    to.is_first_paragraph = flag(draft.has(Mark::FirstParagraph));
    to.is_section = flag(draft.has(Mark::Section));
    to.is_named_text = flag(draft.has(Mark::NamedText));
}

/// 1 if true, else 0.
fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

/// About the binary logarithm of a size and one: 0, 1, 1.58, 2, then straight between powers of two.
fn scaled(size: usize) -> f32 {
    let next = size.saturating_add(1);
    let shift = next.ilog2().saturating_sub(15);
    let top = u16::try_from(next >> shift).unwrap_or(u16::MAX);
    let power = top.ilog2();
    let whole = u8::try_from(power + shift).unwrap_or(u8::MAX);
    f32::from(whole) + f32::from(top) / f32::from(1_u16 << power) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_with_their_logarithm() {
        for (size, expected) in [(0, 0.0), (1, 1.0), (3, 2.0), (5, 2.5), (1 << 20, 20.0)] {
            assert!((scaled(size) - expected).abs() < 1e-3, "{size}");
        }
        assert!(scaled(usize::MAX) > scaled(1 << 40));
    }
}
