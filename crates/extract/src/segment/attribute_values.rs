//! Values that attributes state: machine-readable dates, addresses, images, ratings and codes. Those of
//! controls are no values of the page but of a form.

use super::address_of_image::{background, image, preloaded};
use super::drafts::{Draft, Drafts};
use super::element_attributes::ElementAttributes;
use super::outline::NodeFacts;
use super::tag::Tag;
use super::typed_spans::states_rating;
use super::view::View;
use super::{Label, LabelKind, MAX_LABEL_BYTES, MAX_TEXT_BYTES, Origin};
use crate::bind::folded;
use crate::markup::{NodeId, Tree, decode};

/// Longest code in an attribute, in bytes.
const MAX_CODE_BYTES: usize = 64;
/// Longest text of an attribute that may be a rating, in bytes.
const MAX_RATING_BYTES: usize = 80;
/// Images with a side shorter than this are icons, in pixels.
const MIN_IMAGE_PIXELS: u32 = 48;

/// Adds the values that were read with the outline, those after the heading first.
pub(super) fn collect(view: &mut View<'_, '_>, drafts: &mut Drafts) {
    let first = view.first_position();
    let found = std::mem::take(&mut view.outline.attribute_values);
    let (after, before): (Vec<_>, Vec<_>) = found.into_iter().partition(|draft| draft.anchor >= first);
    after.into_iter().chain(before).for_each(|draft| drafts.add(draft));
}

/// Adds the image that a `link` element of the head says to load first, or to show for the page.
pub(super) fn read_head_link(tree: &Tree<'_>, node: NodeId, out: &mut Vec<Draft>) {
    let Some(address) = preloaded(tree, node) else { return };
    let address = address.trim();
    if !address.is_empty() && address.len() <= MAX_TEXT_BYTES {
        out.push(Draft::stated(node, 0, address.to_owned(), Origin::Attribute));
    }
}

/// Reads the values that the attributes of an element state.
pub(super) fn read(
    tree: &Tree<'_>,
    node: NodeId,
    facts: &NodeFacts,
    attributes: &ElementAttributes<'_>,
    out: &mut Vec<Draft>,
) {
    if facts.is_inside(Tag::Control) || facts.is_inside(Tag::Button) {
        return;
    }
    let anchor = tree.text_range(node).start;
    let mut add = |text: &str, label: Option<Label>| {
        let text = decode(text);
        let text = text.trim();
        if !text.is_empty() && text.len() <= MAX_TEXT_BYTES {
            let draft = Draft::stated(node, anchor, text.to_owned(), Origin::Attribute);
            out.push(draft.with_label(label));
        }
    };
    match facts.tag {
        Tag::Time => add(attributes.datetime, None),
        Tag::Data => add(attributes.value, None),
        Tag::Link => {
            if let Some(address) = contact(attributes.href) {
                add(address, None);
            }
        }
        Tag::Image if !is_tiny(attributes) => add(&image(attributes), label(attributes.alt)),
        Tag::Root => {}
        _ => {
            if let Some(address) = background(attributes.style) {
                add(address, label(attributes.aria_label));
            }
        }
    }
    for text in [attributes.aria_label, attributes.title] {
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit && text.len() <= MAX_RATING_BYTES && states_rating(text) {
            add(text, None);
        }
    }
    if let Some((key, value)) = attributes.code
        && is_code(value)
    {
        add(value, label(key.get("data-".len()..).unwrap_or_default()));
    }
}

fn label(text: &str) -> Option<Label> {
    let is_short = (1..=MAX_LABEL_BYTES).contains(&text.len());
    let words = is_short.then(|| folded(&decode(text))).filter(|words| !words.is_empty());
    words.map(|words| Label { words, kind: LabelKind::Attribute })
}

/// The e-mail address or telephone number of a link.
fn contact(href: &str) -> Option<&str> {
    let rest = |scheme: &str| {
        let (start, rest) = href.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    };
    let address = rest("mailto:").or_else(|| rest("tel:"))?;
    let address = address.split('?').next().unwrap_or_default();
    (!address.contains('%')).then_some(address)
}

/// Whether the stated size of an image is that of an icon.
fn is_tiny(attributes: &ElementAttributes<'_>) -> bool {
    [attributes.width, attributes.height]
        .iter()
        .filter_map(|side| side.trim_end_matches("px").parse::<u32>().ok())
        .any(|side| side < MIN_IMAGE_PIXELS)
}

/// Whether a value has the form of a code: one word with a digit.
fn is_code(value: &str) -> bool {
    (2..=MAX_CODE_BYTES).contains(&value.len())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/'))
}
