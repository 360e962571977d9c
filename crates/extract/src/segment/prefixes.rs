//! Texts without the words before and after their value: `Ada` in `By Ada`.

use super::clean::clean;
use super::drafts::{Draft, Drafts, Mark};
use super::tag::Tag;
use super::view::View;
use super::{Label, LabelKind, MAX_LABEL_BYTES, Origin};
use crate::bind::folded;
use crate::typed::strip_affixes;

/// Longest text that may have such words, in bytes.
const MAX_AFFIXED_BYTES: usize = 120;
/// Upper bound on the texts that are searched for such words, those near the heading first.
const MAX_SEARCHED: usize = 600;

/// The label that the words before a value give it. `Reviewed by` names no author.
fn label_of(prefix: &str) -> Option<Label> {
    let words = folded(prefix);
    let kind = if prefix.trim_end().ends_with([':', '：']) { LabelKind::Colon } else { LabelKind::Inline };
    (!words.is_empty() && words.len() <= MAX_LABEL_BYTES).then_some(Label { words, kind })
}

pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    let mut found = Vec::new();
    let may_have_affix = |draft: &&mut Draft| {
        let origins = [Origin::Element, Origin::TextNode, Origin::Line, Origin::AfterLabel];
        origins.contains(&draft.origin)
            && draft.range.as_ref().is_some_and(|range| {
                // One word has none, unless it is in brackets or has a colon.
                let text = view.text(range);
                range.len() <= MAX_AFFIXED_BYTES
                    && text.bytes().any(|byte| !byte.is_ascii_alphanumeric())
                    && text.contains(char::is_alphanumeric)
            })
            && !view.outline.facts(draft.node).is_inside(Tag::Nav)
            && !view.evidence.unrelated().contains(draft.node)
    };
    for draft in drafts.iter_mut().filter(may_have_affix).take(MAX_SEARCHED) {
        let Some(range) = draft.range.clone() else { continue };
        let text = view.text(&range);
        if view.tree.interrupt().spend(1 + text.len() / 16) {
            return;
        }
        let inner = strip_affixes(text);
        if inner.is_empty() || inner.len() == text.len() {
            continue;
        }
        draft.mark(Mark::Affixed);
        let label = label_of(text.get(..inner.start).unwrap_or_default());
        let inner = range.start + inner.start..range.start + inner.end;
        if let Some(inner) = clean(view.tree.text(), inner) {
            found.push(Draft::visible(draft.node, inner, Origin::AfterPrefix).with_label(label));
        }
    }
    for draft in found {
        let node = draft.range.as_ref().and_then(|range| view.outline.element_of(view.tree, range));
        drafts.add(Draft { node: node.unwrap_or(draft.node), ..draft });
    }
}
