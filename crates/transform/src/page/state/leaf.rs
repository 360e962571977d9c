//! Writes a piece of text with its format: bold, code, a link.

use super::prose;
use super::shape::attribute;
use super::value::{Kind, ValueId, Values};
use crate::html::escape;
use crate::tree::{Tag, decode_references};

/// Upper bound on the formats of a piece and on the formatted ranges of a text.
const MAX_FORMATS: usize = 64;

/// Members with the text of a piece, by their weight.
const TEXT_KEYS: [&str; 5] = ["plain_text", "text", "value", "content", "literal"];

/// The formats of Lexical, by their bits.
const BITS: [(u32, Tag); 7] = [
    (1, Tag::Strong),
    (2, Tag::Em),
    (4, Tag::Del),
    (8, Tag::U),
    (16, Tag::Code),
    (32, Tag::Sub),
    (64, Tag::Sup),
];

/// The format of a piece of text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Format<'v> {
    tags: Vec<Tag>,
    link: Option<&'v str>,
}

impl<'v> Format<'v> {
    fn add_named(&mut self, name: &str) -> bool {
        let tag = match name.to_ascii_lowercase().as_str() {
            "strong" | "bold" | "b" => Tag::Strong,
            "em" | "italic" | "i" | "emphasis" => Tag::Em,
            "code" | "inlinecode" | "inline-code" => Tag::Code,
            "strike" | "strikethrough" | "strike-through" | "s" | "del" => Tag::Del,
            "sub" | "subscript" => Tag::Sub,
            "sup" | "superscript" => Tag::Sup,
            _ => return false,
        };
        if !self.tags.contains(&tag) {
            self.tags.push(tag);
        }
        true
    }

    fn add_link(&mut self, link: Option<&'v str>) {
        self.link = self.link.or(link);
    }

    fn open(&self, out: &mut String) {
        if let Some(link) = self.link {
            out.push_str("<a href=\"");
            escape(link, true, out);
            out.push_str("\">");
        }
        for tag in &self.tags {
            out.push('<');
            out.push_str(tag.name());
            out.push('>');
        }
    }

    fn close(&self, out: &mut String) {
        for tag in self.tags.iter().rev() {
            out.push_str("</");
            out.push_str(tag.name());
            out.push('>');
        }
        if self.link.is_some() {
            out.push_str("</a>");
        }
    }
}

/// The address that a link leads to.
pub(super) fn link_of(values: &Values, object: ValueId) -> Option<&str> {
    attribute(values, object, &["href", "url", "uri"])
}

/// The text of a piece.
pub(super) fn text_of(values: &Values, object: ValueId) -> Option<ValueId> {
    let is_text = |key: &&str| values.member(object, key).filter(|text| values.kind(*text) == Kind::Text);
    TEXT_KEYS.iter().find_map(is_text)
}

/// Writes a piece of text. `definitions` are those of the formats of its block, which Portable Text names by
/// keys.
pub(super) fn write(values: &Values, piece: ValueId, definitions: Option<ValueId>, out: &mut String) {
    let Some(text) = text_of(values, piece) else { return };
    let mut format = Format::default();
    for member in values.first_children(piece) {
        match (values.key(member), values.kind(member)) {
            ("marks", Kind::List) => {
                for mark in values.first_children(member) {
                    add_mark(values, mark, definitions, &mut format);
                }
            }
            ("format", Kind::Number) => {
                let bits = values.index(member).and_then(|bits| u32::try_from(bits).ok()).unwrap_or(0);
                let tags = BITS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, tag)| *tag);
                format.tags.extend(tags);
            }
            ("annotations", Kind::Object) => {
                for member in
                    values.first_children(member).filter(|member| values.kind(*member) == Kind::True)
                {
                    format.add_named(values.key(member));
                }
            }
            ("href", Kind::Text) => format.add_link(Some(values.text(member))),
            (key, Kind::True) => {
                format.add_named(key);
            }
            _ => {}
        }
    }
    format.open(out);
    escape(values.text(text), false, out);
    format.close(out);
}

/// Adds a mark: a name, an object with a type, or a key of a definition.
fn add_mark<'v>(values: &'v Values, mark: ValueId, definitions: Option<ValueId>, format: &mut Format<'v>) {
    if let Some(name) = values.string(mark) {
        if format.add_named(name) {
            return;
        }
        let mut known = definitions.into_iter().flat_map(|list| values.first_children(list));
        let definition = known.find(|known| values.string_of(*known, &["_key"]) == Some(name));
        format.add_link(definition.and_then(|definition| link_of(values, definition)));
        return;
    }
    let kind = values.string_of(mark, &["type", "_type"]).unwrap_or_default();
    if !format.add_named(kind) && kind.to_ascii_lowercase().contains("link") {
        format.add_link(link_of(values, mark));
    }
}

/// Writes a text into HTML: as it is if it holds tags, and escaped otherwise.
pub(super) fn write_text(text: &str, out: &mut String) {
    if prose::is_html(text) {
        out.push_str(text);
    } else {
        escape(&decode_references(text, false), false, out);
    }
}

/// A formatted range of a text, in UTF-16 code units.
struct Range<'v> {
    start: usize,
    end: usize,
    format: Format<'v>,
}

/// True for a block whose format is in ranges of its text (Draft.js, Prismic, Medium).
pub(super) fn has_ranges(values: &Values, block: ValueId) -> bool {
    ranges_of(values, block).next().is_some()
}

fn ranges_of(values: &Values, block: ValueId) -> impl Iterator<Item = ValueId> + '_ {
    let lists = ["inlineStyleRanges", "entityRanges", "spans", "markups"];
    let lists = lists.into_iter().filter_map(move |key| values.member(block, key));
    lists
        .filter(move |list| values.kind(*list) == Kind::List)
        .flat_map(move |list| values.first_children(list))
}

/// Writes the text of a block with formatted ranges. `entities` are those that Draft.js refers to by keys.
pub(super) fn write_ranges(values: &Values, block: ValueId, entities: Option<ValueId>, out: &mut String) {
    let Some(text) = text_of(values, block).map(|text| values.text(text)) else { return };
    let ranges: Vec<Range<'_>> = ranges_of(values, block)
        .take(MAX_FORMATS)
        .filter_map(|range| read_range(values, range, entities))
        .collect();
    let mut bounds: Vec<usize> = ranges.iter().flat_map(|range| [range.start, range.end]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let mut bounds = bounds.into_iter().peekable();
    let (mut from, mut unit) = (0, 0);
    let mut piece_start = 0;
    let write_piece = |from: usize, to: usize, unit: usize, out: &mut String| {
        let piece = text.get(from..to).unwrap_or_default();
        if piece.is_empty() {
            return;
        }
        let around: Vec<&Format<'_>> = ranges
            .iter()
            .filter(|range| range.start <= unit && unit < range.end)
            .map(|range| &range.format)
            .collect();
        around.iter().for_each(|format| format.open(out));
        escape(piece, false, out);
        around.iter().rev().for_each(|format| format.close(out));
    };
    for (at, c) in text.char_indices() {
        while bounds.next_if(|bound| *bound <= unit).is_some() {
            write_piece(from, at, piece_start, out);
            (from, piece_start) = (at, unit);
        }
        unit += c.len_utf16();
    }
    write_piece(from, text.len(), piece_start, out);
}

/// Reads a range by its start and its end or length.
fn read_range<'v>(values: &'v Values, range: ValueId, entities: Option<ValueId>) -> Option<Range<'v>> {
    let number = |names: &[&str]| values.member_of(range, names).and_then(|member| values.index(member));
    let start = number(&["start", "offset"])?;
    let end = number(&["end"]).or_else(|| Some(start.saturating_add(number(&["length"])?)))?;
    let mut format = Format::default();
    let kind = values.string_of(range, &["type", "style"]).unwrap_or_default();
    if !format.add_named(kind) {
        let entity = values.member(range, "key").and_then(|key| {
            let key = values.text(key);
            values.first_children(entities?).find(|entity| values.key(*entity) == key)
        });
        format.add_link(link_of(values, entity.unwrap_or(range)));
    }
    (start < end && (format.link.is_some() || !format.tags.is_empty())).then_some(Range {
        start,
        end,
        format,
    })
}

#[cfg(test)]
mod tests {
    use gleaner_types::Interrupt;

    use super::*;
    use crate::page::state::literal;

    fn values_of(input: &str) -> (Values, ValueId) {
        let mut values = Values::default();
        let parsed = literal::parse(input, &mut values, &Interrupt::never()).unwrap();
        (values, parsed.root)
    }

    #[test]
    fn a_piece_has_its_format() {
        let rows = [
            ("{text:'a & b'}", "a &amp; b"),
            (
                "{type:'text',text:'a',marks:[{type:'bold'},{type:'link',attrs:{href:'/x\"'}}]}",
                "<a href=\"/x&quot;\"><strong>a</strong></a>",
            ),
            ("{text:'a',bold:true,italic:true,code:false}", "<strong><em>a</em></strong>"),
            ("{text:'a',format:17}", "<strong><code>a</code></strong>"),
            ("{nodeType:'text',value:'a',marks:[{type:'italic'}],data:{}}", "<em>a</em>"),
            (
                "{plain_text:'a',text:{content:'a'},href:'/n',annotations:{code:true}}",
                "<a href=\"/n\"><code>a</code></a>",
            ),
            ("{text:'<script>x</script>'}", "&lt;script&gt;x&lt;/script&gt;"),
            ("{other:'a'}", ""),
        ];
        for (input, expected) in rows {
            let (values, piece) = values_of(input);
            let mut out = String::new();
            write(&values, piece, None, &mut out);
            assert_eq!(out, expected, "{input}");
        }
        let (values, block) = values_of(
            "{markDefs:[{_key:'k',_type:'link',href:'/k'}],children:[{text:'a',marks:['strong','k']}]}",
        );
        let piece = values.children(values.member(block, "children").unwrap()).next().unwrap();
        let mut out = String::new();
        write(&values, piece, values.member(block, "markDefs"), &mut out);
        assert_eq!(out, "<a href=\"/k\"><strong>a</strong></a>");
    }

    #[test]
    fn a_text_with_tags_is_html() {
        for (text, expected) in [("a <b>b</b>", "a <b>b</b>"), ("a < b &amp; c", "a &lt; b &amp; c")] {
            let mut out = String::new();
            write_text(text, &mut out);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn ranges_count_utf16_units_and_may_overlap() {
        let rows = [
            ("{text:'abcd',spans:[{start:1,end:3,type:'strong'}]}", "a<strong>bc</strong>d"),
            (
                "{text:'abcd',inlineStyleRanges:[{offset:0,length:3,style:'BOLD'}],\
                  spans:[{start:2,end:4,type:'em'}]}",
                "<strong>ab</strong><strong><em>c</em></strong><em>d</em>",
            ),
            ("{text:'\u{1F600}ab',spans:[{start:2,end:3,type:'em'}]}", "\u{1F600}<em>a</em>b"),
            ("{text:'ab',markups:[{type:'A',href:'/x',start:1,end:9}]}", "a<a href=\"/x\">b</a>"),
            ("{text:'a<b',spans:[{start:0,end:1,type:'em'}]}", "<em>a</em>&lt;b"),
        ];
        for (input, expected) in rows {
            let (values, block) = values_of(input);
            let mut out = String::new();
            assert!(has_ranges(&values, block), "{input}");
            write_ranges(&values, block, None, &mut out);
            assert_eq!(out, expected, "{input}");
        }
        let (values, root) = values_of(
            "[{0:{type:'LINK',data:{url:'/e'}}},{text:'ab',entityRanges:[{offset:0,length:1,key:0}]}]",
        );
        let mut children = values.children(root);
        let (entities, block) = (children.next(), children.next().unwrap());
        let mut out = String::new();
        write_ranges(&values, block, entities, &mut out);
        assert_eq!(out, "<a href=\"/e\">a</a>b");
    }
}
