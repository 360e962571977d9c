//! What recurs on the pages of a template, as seen from one of them, and what this means for its values.

use hashbrown::HashSet;
use std::ops::Range;

use super::short_texts::text_key;
use super::title_parts;
use crate::bind::{TargetField, folded};
use crate::evidence::Evidence;
use crate::page::Method;
use crate::segment::{Label, LabelKind, Origin, Segment};

/// Concepts whose value differs from page to page.
const VARYING: [&str; 2] = ["name", "description"];

/// What other pages of the template say about the texts of a page.
#[derive(Debug, Default)]
pub(crate) struct Recurring {
    /// Texts of the page that other pages have in the same place, wherever they occur on the page.
    pub(super) template: HashSet<u64>,
    /// Those of them that occur in menus only.
    pub(super) menu_entries: HashSet<u64>,
    /// Parts of the page's title that the titles of other pages have.
    pub(super) title_parts: HashSet<u64>,
    /// By the start of their values.
    pub(super) labels: Vec<FoundLabel>,
}

/// A text that recurs before texts that differ.
#[derive(Debug)]
pub(super) struct FoundLabel {
    /// The hash of the label.
    pub(super) key: u64,
    /// The label in folded words.
    pub(super) words: String,
    /// The range of its value in `Tree::text`.
    pub(super) value: Range<usize>,
}

impl Recurring {
    /// Whether a text is part of the template. It is not if the page also has it where other pages do not,
    /// such as a brand that the menu and a row of a table name.
    pub(crate) fn is_template(&self, text: &str) -> bool {
        text_key(text).is_some_and(|key| self.template.contains(&key))
    }

    /// Whether a text of the template occurs in menus only.
    pub(crate) fn is_menu_entry(&self, text: &str) -> bool {
        text_key(text).is_some_and(|key| self.menu_entries.contains(&key))
    }

    /// Whether a text is a recurring part of the page's title, such as the name of the shop.
    pub(crate) fn is_title_part(&self, text: &str) -> bool {
        text_key(text).is_some_and(|key| self.title_parts.contains(&key))
    }

    /// Whether a text recurs and is followed by a text that differs from page to page.
    pub(crate) fn is_label(&self, text: &str) -> bool {
        text_key(text).is_some_and(|key| self.labels.iter().any(|label| label.key == key))
    }

    /// The range of a title without the parts that recur; all of it if nothing else would be left.
    pub(crate) fn clean_title(&self, title: &str) -> Range<usize> {
        title_parts::clean(title, |key| self.title_parts.contains(&key))
    }

    /// The recurring label of a segment that is a value: the segment starts where the value starts, or it is
    /// a typed value within.
    fn label_of(&self, segment: &Segment) -> Option<&FoundLabel> {
        // A heading labels all of its section.
        let has_label = segment.label.as_ref().is_some_and(|label| label.kind != LabelKind::HeadingAbove);
        let range = segment.range.as_ref().filter(|_| !has_label)?;
        let before = self.labels.partition_point(|label| label.value.start <= range.start);
        let label = self.labels.get(before.checked_sub(1)?)?;
        let starts_alike = match segment.origin {
            Origin::Typed => true,
            Origin::Element | Origin::TextNode | Origin::Line | Origin::Paragraphs => {
                label.value.start == range.start
            }
            _ => false,
        };
        let is_value = starts_alike && range.end <= label.value.end && !self.is_label(&segment.text);
        is_value.then_some(label)
    }
}

/// Applies what recurs to the segments of a page: parts of titles go if they recur, entries of menus go, and
/// values after recurring labels are added with their labels, each after the segment without. So there are at
/// most twice as many.
pub(crate) fn apply(evidence: &Evidence<'_>, segments: &mut Vec<Segment>) {
    let Some(recurring) = &evidence.recurring else { return };
    let mut applied = Vec::with_capacity(segments.len());
    for mut segment in segments.drain(..) {
        match segment.origin {
            Origin::TitlePart => {
                cut(&mut segment, recurring);
                if recurring.is_title_part(&segment.text) {
                    continue;
                }
            }
            Origin::Typed | Origin::Attribute | Origin::Breadcrumb | Origin::SiteName => {}
            _ if segment.label.is_none() && recurring.is_menu_entry(&segment.text) => continue,
            _ => {}
        }
        let labelled = recurring.label_of(&segment).map(|label| Segment {
            origin: Origin::AfterLabel,
            label: Some(Label { words: label.words.clone(), kind: LabelKind::Sibling }),
            ..segment.clone()
        });
        applied.push(segment);
        applied.extend(labelled);
    }
    *segments = applied;
}

/// Cuts the recurring parts off a title.
fn cut(segment: &mut Segment, recurring: &Recurring) {
    let own = recurring.clean_title(&segment.text);
    if own.len() == segment.text.len() {
        return;
    }
    // After folding, the text may be shorter than its range; then the position of a part is not known.
    segment.range = segment
        .range
        .take()
        .filter(|range| range.len() == segment.text.len())
        .map(|range| range.start + own.start..range.start + own.end);
    segment.text = segment.text.get(own).unwrap_or_default().to_owned();
}

/// Whether a text cannot be the value of a field, because it belongs to the template: a value of what differs
/// from page to page, an entry of a menu, or the label of the field.
///
/// `is_labelled` says that the page names the value: by a label, or in data for programs other than `meta`
/// elements. Such a value may be the same on all pages. So may typed values, such as prices and dates.
pub(crate) fn is_wrong(
    evidence: &Evidence<'_>,
    target: &TargetField<'_>,
    text: &str,
    is_labelled: bool,
) -> bool {
    let Some(recurring) = &evidence.recurring else { return false };
    if is_labelled || !target.is_textual() || !target.shape.choices.is_empty() {
        return false;
    }
    let varies = target.scope.is_empty() && VARYING.iter().any(|concept| target.has_concept(concept));
    (varies && (recurring.is_template(text) || recurring.is_title_part(text)))
        || recurring.is_menu_entry(text)
        || (target.has_name(&folded(text)) && recurring.is_label(text))
}

/// Whether the values that a method finds are named by the page, as [`is_wrong`] asks.
pub(crate) const fn is_labelled(method: Method) -> bool {
    !matches!(method, Method::Meta | Method::Markup | Method::Text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use crate::schema::{Field, Shape};
    use crate::segment::Types;
    use crate::template::SiteTexts;
    use serde_json::json;

    /// A page of a shop.
    fn page(name: &str, motto: &str) -> Page {
        let html = format!(
            "<title>{name} | Cup House</title><nav><a>Home</a> <a>Sale</a></nav><h2>Cup House</h2>\
             <p><b>Motto</b> <i>{motto}</i> <b>Format</b> <i>Paperback</i></p>"
        );
        Page::new("https://shop.example/".parse().unwrap(), html)
    }

    /// Calls `check` with the evidence of the last page, which has seen the others.
    fn on_last(pages: &[Page], check: impl Fn(&Evidence<'_>)) {
        let mut texts = SiteTexts::new();
        pages.iter().for_each(|page| texts.learn(page));
        let mut evidence = Evidence::read(pages.last().unwrap());
        texts.inform(&mut evidence);
        check(&evidence);
    }

    #[test]
    fn texts_of_the_template_are_no_values_of_what_varies() {
        let pages = [page("Dune", "Fear"), page("Emma", "Bold"), page("Ulysses", "Yes")];
        let rows = [
            ("name", "Cup House", false, true),
            ("name", "Cup House", true, false),
            ("name", "Ulysses", false, false),
            ("name", "Sale", false, true),
            ("motto", "Yes", false, false),
            ("motto", "Motto", false, true),
            ("motto", "Home", false, true),
            ("motto", "Cup House", false, false),
            ("motto", "Paperback", false, false),
        ];
        for (name, text, is_labelled, expected) in rows {
            let shape = Shape::from_schema(&json!({ "type": "string" })).unwrap();
            let field = Field { name: name.to_owned(), shape, required: false };
            let target = TargetField::new(format!("/{name}"), Vec::new(), &field);
            on_last(&pages, |evidence| {
                assert_eq!(is_wrong(evidence, &target, text, is_labelled), expected, "{name} {text}");
            });
            on_last(&pages[..1], |evidence| assert!(!is_wrong(evidence, &target, text, is_labelled)));
        }
    }

    #[test]
    fn segments_lose_the_shop_and_get_recurring_labels() {
        let pages = [page("Dune", "Fear"), page("Emma", "Bold")];
        on_last(&pages, |evidence| {
            let segment = |text: &str, origin: Origin| {
                let start = evidence.tree.text().find(text);
                Segment {
                    text: text.to_owned(),
                    node: evidence.tree.nodes().next().unwrap(),
                    range: start.map(|start| start..start + text.len()),
                    origin,
                    label: None,
                    types: Types::default(),
                    described_at: 0,
                }
            };
            let mut segments = vec![
                segment("Emma | Cup House", Origin::TitlePart),
                segment("Cup House", Origin::TitlePart),
                segment("Sale", Origin::Element),
                segment("Cup House", Origin::Element),
                segment("Bold", Origin::Element),
            ];
            apply(evidence, &mut segments);
            let found: Vec<(&str, Option<&str>)> = segments
                .iter()
                .map(|found| (found.text.as_str(), found.label.as_ref().map(|label| label.words.as_str())))
                .collect();
            assert_eq!(found, [("Emma", None), ("Cup House", None), ("Bold", None), ("Bold", Some("motto"))]);
        });
    }
}
