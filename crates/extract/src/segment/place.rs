//! The place of a segment: what can be said of it as numbers without knowing the field.

mod container;
mod features;
mod link;
mod position;
mod relation;
mod repetition;
mod shapes;
mod site;
mod types;
mod words;

use std::borrow::Cow;
use std::sync::OnceLock;

use hashbrown::HashSet;

pub(crate) use features::PLACE_FEATURES;
pub(crate) use shapes::TextShape;
pub(crate) use types::Types;

use self::features::Features;
use self::repetition::Repeats;
use self::shapes::Shapes;
use self::types::TypeRank;
use super::drafts::{Draft, Mark};
use super::site_names::Found as SiteFound;
use super::view::View;
use super::wording::Wording;
use super::{Origin, Segment};
use crate::normalise::fold_spaces;

/// Bytes of text for one unit of work.
const BYTES_PER_UNIT: usize = 32;
/// Units of work to describe a segment and to read its place later, without its text.
const UNITS_PER_SEGMENT: usize = 16;

/// Facts as numbers, in the order of [`PLACE_FEATURES`].
#[derive(Debug, Clone)]
pub(crate) struct Place(pub(crate) [f32; PLACE_FEATURES.len()]);

/// What is known of a segment apart from its text.
#[derive(Debug)]
struct Described {
    draft: Draft,
    wording: Wording,
    types: Types,
    shapes: Shapes,
    site: OnceLock<Option<SiteFound>>,
    is_of_person: OnceLock<bool>,
    place: OnceLock<Box<Place>>,
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

/// The places of the segments of a page. Few segments may be the value of a field, so what takes long to read
/// is read when it is first asked for.
#[derive(Debug)]
pub(crate) struct Places<'e, 'a> {
    view: View<'e, 'a>,
    overview: Overview,
    described: Vec<Described>,
}

/// The segments of a page and their places, from its drafts in page order. If the work is interrupted, the
/// last ones are missing.
pub(super) fn describe<'e, 'a>(view: View<'e, 'a>, drafts: Vec<Draft>) -> (Vec<Segment>, Places<'e, 'a>) {
    let mut segments = Vec::with_capacity(drafts.len());
    let mut described = Vec::with_capacity(drafts.len());
    for (described_at, draft) in drafts.into_iter().enumerate() {
        let bytes = draft.end().saturating_sub(draft.anchor);
        if view.tree.interrupt().spend(UNITS_PER_SEGMENT + bytes / BYTES_PER_UNIT) {
            break;
        }
        let text = text_of(&view, &draft).into_owned();
        let wording = Wording::read(&text);
        let types = Types::read(&view, &draft, &text, &wording);
        segments.push(Segment {
            text,
            node: draft.node,
            range: draft.range.clone(),
            origin: draft.origin,
            label: draft.label.clone(),
            types,
            described_at,
        });
        described.push(Described {
            draft,
            wording,
            types,
            shapes: Shapes::default(),
            site: OnceLock::new(),
            is_of_person: OnceLock::new(),
            place: OnceLock::new(),
        });
    }
    let overview = Overview {
        repeats: Repeats::read(&described),
        affixed_lines: relation::affixed_lines(&view, &described),
        ranks: types::ranks(&view, &described),
    };
    (segments, Places { view, overview, described })
}

fn text_of<'v>(view: &View<'v, '_>, draft: &Draft) -> Cow<'v, str> {
    match (&draft.stated, &draft.range) {
        (Some(text), _) => fold_spaces(text).into(),
        (None, Some(range)) => {
            let text = view.text(range);
            // Lines mean something in a longer text.
            let is_folded = draft.origin != Origin::Paragraphs && text.contains('\n');
            if is_folded { text.replace('\n', " ").into() } else { text.into() }
        }
        (None, None) => Cow::default(),
    }
}

impl Places<'_, '_> {
    /// The place of a segment of this page.
    pub(crate) fn of(&self, segment: &Segment) -> Option<&Place> {
        let found = self.described.get(segment.described_at)?;
        Some(found.place.get_or_init(|| Box::new(self.read(segment.described_at, found))))
    }

    /// A number of the place of a segment of this page, by its index in [`PLACE_FEATURES`].
    pub(crate) fn feature(&self, segment: &Segment, feature: usize) -> f32 {
        self.of(segment).and_then(|place| place.0.get(feature)).copied().unwrap_or_default()
    }

    /// Whether the text of a segment has this shape.
    pub(crate) fn has_shape(&self, segment: &Segment, shape: TextShape) -> bool {
        self.described.get(segment.described_at).is_some_and(|found| self.is_of_shape(found, shape))
    }

    /// Whether the link of a segment leads to a person of the site, or to the author by its `rel`.
    pub(crate) fn links_to_person_or_author(&self, segment: &Segment) -> bool {
        let found = self.described.get(segment.described_at);
        found.is_some_and(|found| {
            *found.is_of_person.get_or_init(|| link::leads_to_person_or_author(&self.view, found.draft.node))
        })
    }

    /// What is known of the text of a segment, if it is a name of the site.
    pub(crate) fn site(&self, segment: &Segment) -> Option<&SiteFound> {
        self.described.get(segment.described_at).and_then(|found| self.site_of(found))
    }

    fn is_of_shape(&self, found: &Described, shape: TextShape) -> bool {
        found.shapes.has(shape, || shapes::read(shape, &self.view, &text_of(&self.view, &found.draft), found))
    }

    /// What is known of the text, if it is a name of the site.
    fn site_of<'d>(&self, found: &'d Described) -> Option<&'d SiteFound> {
        let find = || self.view.site.find(&text_of(&self.view, &found.draft));
        found.site.get_or_init(find).as_ref()
    }

    fn read(&self, at: usize, found: &Described) -> Place {
        let Self { view, overview, .. } = self;
        let mut features = Features::default();
        let facts = view.outline.facts(found.draft.node);
        position::write(view, &found.draft, &mut features);
        container::write(&facts, &mut features);
        link::write(view, &facts, &found.wording, &mut features);
        repetition::write(view, &overview.repeats, found, &mut features);
        words::write(text_of(view, &found.draft).len(), &found.wording, &mut features);
        types::write(&found.types, overview.ranks.get(at), &mut features);
        shapes::write(|shape| self.is_of_shape(found, shape), &mut features);
        relation::write(view, &overview.affixed_lines, found, &mut features);
        site::write(self.site_of(found), &mut features);
        origins(&found.draft, &mut features);
        Place(features.values())
    }
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
