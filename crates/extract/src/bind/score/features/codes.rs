//! What tells the code of the page's thing from other codes: a code that the page shows under a name beats
//! one that only machines see, and a text that contains another code says more than the code.

use memchr::memmem;

use super::super::options::ValueOption;
use super::super::page_facts::{PageFacts, text_of};
use super::super::segment_names::NamePlace;
use super::{Named, flag};
use crate::bind::codes::MIN_LABEL_SCORE;
use crate::bind::target::TargetField;
use crate::normalise::ValueForm;
use crate::segment::{Origin, Segment};

/// The number of features of this part.
pub(super) const WIDTH: usize = 9;

/// Longest value that is compared, in bytes.
const MAX_CODE_BYTES: usize = 64;
/// Shortest code that is looked for in other codes and in addresses, in letters and digits. Shorter ones are
/// sizes and counts.
const MIN_BARE_BYTES: usize = 4;
/// Upper bound on the addresses of images that are searched together, in bytes.
const MAX_ADDRESS_BYTES: usize = 16 << 10;

/// An option as a code.
#[derive(Debug, Default)]
struct Code {
    /// In lower case.
    text: String,
    /// Only its letters and digits, without zeros at the start.
    bare: String,
    /// Whether the page shows it.
    is_shown: bool,
    /// Whether it is a single word with a name of the field beside it.
    is_named: bool,
    /// Whether it is several words or the address of a file.
    is_compound: bool,
}

impl Code {
    fn read(page: &PageFacts<'_, '_>, field: usize, option: &ValueOption) -> Self {
        let text = text_of(&option.value);
        if text.len() > MAX_CODE_BYTES {
            return Self { is_compound: true, ..Self::default() };
        }
        let text = text.to_lowercase();
        let bare: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        let mut code = Self {
            bare: bare.trim_start_matches('0').to_owned(),
            is_compound: text.contains(char::is_whitespace) || (text.contains('/') && text.contains('.')),
            text,
            ..Self::default()
        };
        let shown = option.segments.iter().filter_map(|at| page.segment(*at));
        let mut has_name = has_label(option);
        for (_, facts) in shown.filter(|(segment, facts)| segment.range.is_some() && !facts.is_unrelated) {
            code.is_shown = true;
            has_name |= facts.names.iter().any(|name| {
                let is_near = match name.place {
                    NamePlace::Label | NamePlace::Property | NamePlace::Element(0) => true,
                    NamePlace::Element(1) => name.is_whole,
                    NamePlace::Heading | NamePlace::Element(_) => false,
                };
                let relation = page.names.relation(name.meaning, field);
                is_near && relation.is_own()
            });
        }
        code.is_named = has_name && !code.is_compound;
        code
    }

    /// Whether another code is a part of this one.
    fn contains(&self, other: &Self) -> bool {
        other.bare.len() >= MIN_BARE_BYTES
            && other.bare.len() < self.bare.len()
            && self.bare.contains(other.bare.as_str())
    }
}

/// Whether the rules find the value after a label.
fn has_label(option: &ValueOption) -> bool {
    let mut proofs = option.choice.iter().flat_map(|choice| &choice.proofs);
    proofs.any(|proof| proof.score >= MIN_LABEL_SCORE && proof.method.is_beside_label())
}

/// The options of a field for a code, seen together. Empty for other fields.
#[derive(Debug, Default)]
pub(super) struct CodeOverview {
    codes: Vec<Code>,
    /// Those that have a name.
    named: usize,
    /// The addresses of the page's images, in lower case.
    addresses: String,
}

impl CodeOverview {
    pub(super) fn read(
        page: &PageFacts<'_, '_>,
        field: usize,
        target: &TargetField<'_>,
        options: &[ValueOption],
    ) -> Self {
        if !matches!(target.form, ValueForm::Code | ValueForm::Gtin) {
            return Self::default();
        }
        let codes: Vec<Code> = options.iter().map(|option| Code::read(page, field, option)).collect();
        // The number in `AB-1204` has the label of the whole code.
        let is_whole = |code: &&Code| !codes.iter().any(|other| other.is_named && other.contains(code));
        let named = codes.iter().filter(|code| code.is_named).filter(is_whole).count();
        Self { codes, named, addresses: image_addresses(page) }
    }

    /// Whether an image has the code in its address, as a whole word.
    fn is_in_image(&self, code: &Code) -> bool {
        let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = self.addresses.as_bytes();
        code.bare.len() >= MIN_BARE_BYTES
            && memmem::find_iter(bytes, code.text.as_bytes()).any(|at| {
                let before = at.checked_sub(1).and_then(|before| bytes.get(before));
                !is_word(before) && !is_word(bytes.get(at + code.text.len()))
            })
    }
}

/// The addresses of the first images, one a line.
fn image_addresses(page: &PageFacts<'_, '_>) -> String {
    let tree = &page.evidence.tree;
    let is_image = |segment: &&Segment| {
        segment.origin == Origin::Attribute && tree.is(segment.node, &["img", "source", "picture", "image"])
    };
    let mut out = String::new();
    for segment in page.segments.iter().filter(is_image) {
        if out.len() + segment.text.len() > MAX_ADDRESS_BYTES {
            break;
        }
        out.push_str(&segment.text.to_ascii_lowercase());
        out.push('\n');
    }
    tree.interrupt().spend(out.len() / 64);
    out
}

/// How a code stands to the other options and to the page's images. All zero if the field is no code.
#[derive(Debug, Default)]
pub(super) struct CodeFacts {
    is_shown: f32,
    is_named: f32,
    is_only_named: f32,
    /// Another option is named, but this one is not.
    has_named_rival: f32,
    contains_other: f32,
    within_other: f32,
    /// Another option differs only in its signs or in zeros at the start.
    has_same: f32,
    in_image: f32,
    is_compound: f32,
}

impl CodeFacts {
    /// Compares an option with the others, of which there are at most
    /// [`MAX_OPTIONS`](super::super::options::MAX_OPTIONS).
    pub(super) fn read(overview: &CodeOverview, at: usize) -> Self {
        let Some(code) = overview.codes.get(at) else { return Self::default() };
        let mut facts = Self {
            is_shown: flag(code.is_shown),
            is_named: flag(code.is_named),
            is_only_named: flag(code.is_named && overview.named == 1),
            has_named_rival: flag(!code.is_named && overview.named > 0),
            in_image: flag(overview.is_in_image(code)),
            is_compound: flag(code.is_compound),
            ..Self::default()
        };
        for (number, other) in overview.codes.iter().enumerate() {
            if number == at {
                continue;
            }
            if code.contains(other) {
                facts.contains_other = 1.0;
            } else if other.contains(code) {
                facts.within_other = 1.0;
            } else if !code.bare.is_empty() && code.bare == other.bare {
                facts.has_same = 1.0;
            }
        }
        facts
    }

    pub(super) fn named(&self) -> Named<WIDTH> {
        [
            ("is_shown", self.is_shown),
            ("is_named", self.is_named),
            ("is_only_named", self.is_only_named),
            ("has_named_rival", self.has_named_rival),
            ("contains_other", self.contains_other),
            ("within_other", self.within_other),
            ("has_same", self.has_same),
            ("in_image", self.in_image),
            ("is_compound", self.is_compound),
        ]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::{PageSegments, feature_names, option_tables};
    use crate::bind::leaf_targets;
    use crate::evidence::Evidence;
    use crate::page::Page;
    use crate::schema::Shape;

    #[test]
    fn a_code_with_a_name_differs_from_a_code_for_machines() {
        let html = "<h1>Red cup</h1><img src=/big/cup-55501.jpg width=600><div data-sku=773928></div>\
            <p>Item no.: AB-1204</p><p>Size 2020</p>";
        let page = Page::new("https://shop.example/cup-773928".parse().unwrap(), html);
        let evidence = Evidence::read(&page);
        let shape = Shape::from_schema(&json!({ "properties": { "sku": { "type": "string" } } })).unwrap();
        let tables = option_tables(&PageSegments::new(&evidence), shape.fields(), &leaf_targets(&shape));
        let names = feature_names();
        let feature = |value: &str, name: &str| {
            let at = tables[0].options.iter().position(|option| option.value == value).unwrap();
            let column = names.iter().position(|known| *known == format!("code_{name}")).unwrap();
            tables[0].rows[at * names.len() + column]
        };
        let rows = [
            ("AB-1204", "is_named", 1.0),
            ("AB-1204", "has_named_rival", 0.0),
            ("773928", "has_named_rival", 1.0),
            ("773928", "is_shown", 0.0),
            ("773928", "is_only_named", 0.0),
            ("AB-1204", "is_only_named", 1.0),
        ];
        for (value, name, expected) in rows {
            assert!((feature(value, name) - expected).abs() < 1e-6, "{value}: {name}");
        }
    }

    #[test]
    fn parts_of_codes_are_compared() {
        let code = |text: &str| super::Code {
            text: text.to_lowercase(),
            bare: text.to_lowercase().replace(['/', '-'], ""),
            ..super::Code::default()
        };
        let codes = ["SKU12045", "12045", "120/45", "12"].into_iter().map(code).collect();
        let overview =
            super::CodeOverview { codes, named: 0, addresses: "/a/12045_1.jpg\n/b/x12045.jpg".to_owned() };
        let facts = |at: usize| {
            let facts = super::CodeFacts::read(&overview, at);
            let values = [facts.contains_other, facts.within_other, facts.has_same, facts.in_image];
            values.map(|value| value > 0.5)
        };
        let rows = [
            ("SKU12045", [true, false, false, false]),
            ("12045", [false, true, true, true]),
            ("120/45", [false, true, true, false]),
            ("12", [false, false, false, false]),
        ];
        for (at, (text, expected)) in rows.into_iter().enumerate() {
            assert_eq!(facts(at), expected, "{text}");
        }
    }
}
