//! Recognises the nodes of formatted texts by their types.
//!
//! Editors and content systems store a text as a tree of nodes (ProseMirror, Slate, Lexical, Draft.js,
//! EditorJS, Portable Text, Contentful, Prismic, Notion, mdast, hast). All name the type of a node in a
//! member, and differ in the spelling of the names.

use super::value::{Kind, ValueId, Values};
use crate::names::truncate;
use crate::tree::Tag;

/// Upper bound on the length of a type that is read, in bytes.
const MAX_TYPE_BYTES: usize = 64;

/// Members that name the type of a node, by their weight.
const TYPE_KEYS: [&str; 12] = [
    "nodeType",
    "type",
    "_type",
    "blockName",
    "blockType",
    "tagName",
    "tag",
    "object",
    "kind",
    "__typename",
    "component",
    "__component",
];

/// Members with the attributes of a node.
const ATTRIBUTE_KEYS: [&str; 7] = ["attrs", "attributes", "props", "properties", "data", "file", "metadata"];

/// What a node of a formatted text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// An element of HTML with content.
    Element(Tag),
    /// A piece of text with its format.
    Text,
    /// A block of code.
    Code,
    /// A picture.
    Image,
    /// An element of HTML without content.
    Void(Tag),
    /// HTML.
    Html,
    /// Only its content counts.
    Group,
    /// Nothing of it is text.
    Skip,
}

impl Shape {
    /// The shape of a node; `None` for objects without a type that is known.
    pub(super) fn of(values: &Values, object: ValueId) -> Option<Self> {
        let typed = TYPE_KEYS.iter().find_map(|key| {
            let name = values.string_of(object, &[*key])?;
            Some((*key, name))
        });
        // `{"name": "core/paragraph"}`
        let named = || values.string_of(object, &["name"]).filter(|name| name.starts_with("core/"));
        let (key, name) = typed.or_else(|| Some(("name", named()?)))?;
        let name = normalized(name);
        // `{"type": "element", "tagName": "p"}`, `{"object": "block", "type": "paragraph"}`
        if matches!(name.as_str(), "element" | "htmlelement") {
            let tag = values.string_of(object, &["tagName", "tag", "name"])?;
            return Some(Self::of_tag(tag));
        }
        if name == "block" {
            return Some(Self::of_block(values, object));
        }
        if matches!(name.as_str(), "heading" | "header" | "headingblock") {
            return Some(Self::Element(heading(level(values, object))));
        }
        if matches!(name.as_str(), "list" | "listblock" | "nestedlist") {
            return Some(Self::Element(if is_ordered(values, object) { Tag::Ol } else { Tag::Ul }));
        }
        match Self::of_name(&name) {
            Some(shape) => Some(shape),
            // A `tag` may be a label as well.
            None if matches!(key, "tag" | "tagName") => {
                Some(Self::of_tag(&name)).filter(|shape| matches!(shape, Self::Element(_)))
            }
            None => None,
        }
    }

    /// The shape of a block of Portable Text: its style, and whether it is in a list.
    fn of_block(values: &Values, object: ValueId) -> Self {
        if values.string_of(object, &["listItem"]).is_some() {
            return Self::Element(Tag::Li);
        }
        let style = normalized(values.string_of(object, &["style"]).unwrap_or_default());
        Self::of_name(&style).unwrap_or(Self::Element(Tag::P))
    }

    /// The shape of an element of HTML by its name.
    pub(super) fn of_tag(name: &str) -> Self {
        let (tag, _) = Tag::lookup(&truncate(name, MAX_TYPE_BYTES).to_ascii_lowercase());
        match tag {
            Tag::Img => Self::Image,
            Tag::Br | Tag::Hr => Self::Void(tag),
            // Components, and elements that hold nothing to read or change how what follows is parsed.
            Tag::Other
            | Tag::Html
            | Tag::Body
            | Tag::Frameset
            | Tag::Plaintext
            | Tag::Noembed
            | Tag::Noframes => Self::Group,
            Tag::Head
            | Tag::Iframe
            | Tag::Object
            | Tag::Template
            | Tag::Textarea
            | Tag::Xmp
            | Tag::Input
            | Tag::Select
            | Tag::Option
            | Tag::Math => Self::Skip,
            tag if tag.is_invisible() || tag.is_void() => Self::Skip,
            tag => Self::Element(tag),
        }
    }

    /// The shape of a node with this type, normalised.
    fn of_name(name: &str) -> Option<Self> {
        const LEVELS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
        let heading_level = |rest: &str| {
            let level = LEVELS.iter().position(|level| *level == rest).map(|at| at + 1);
            level.or_else(|| rest.parse().ok().filter(|level| (1..=6).contains(level)))
        };
        for start in ["heading", "header", "headline", "h"] {
            if let Some(level) = name.strip_prefix(start).and_then(heading_level) {
                return Some(Self::Element(heading(level)));
            }
        }
        Some(match name {
            "text" | "span" | "leaf" | "textnode" => Self::Text,
            "paragraph" | "p" | "unstyled" | "normal" | "textblock" | "paragraphblock" | "preformatted" => {
                Self::Element(Tag::P)
            }
            "ul" | "bulletlist" | "bulletedlist" | "unorderedlist" | "tasklist" | "checklist" => {
                Self::Element(Tag::Ul)
            }
            "ol" | "orderedlist" | "numberedlist" | "numberlist" => Self::Element(Tag::Ol),
            "li" | "listitem" | "unorderedlistitem" | "orderedlistitem" | "olistitem"
            | "bulletedlistitem" | "numberedlistitem" | "taskitem" | "todo" | "checklistitem" | "uli"
            | "oli" => Self::Element(Tag::Li),
            "blockquote" | "quote" | "pullquote" | "bq" | "pq" => Self::Element(Tag::Blockquote),
            "code" | "codeblock" | "pre" | "fencedcode" | "codefence" => Self::Code,
            "inlinecode" => Self::Element(Tag::Code),
            "table" => Self::Element(Tag::Table),
            "tablerow" | "tr" => Self::Element(Tag::Tr),
            "tablecell" | "td" => Self::Element(Tag::Td),
            "tableheader" | "tableheadercell" | "tablecellheader" | "th" => Self::Element(Tag::Th),
            "image" | "img" | "figure" | "imageblock" | "picture" | "embeddedassetblock" => Self::Image,
            "thematicbreak" | "horizontalrule" | "hr" | "delimiter" | "divider" | "separator" => {
                Self::Void(Tag::Hr)
            }
            "hardbreak" | "linebreak" | "br" | "break" => Self::Void(Tag::Br),
            "link" | "a" | "hyperlink" | "externallink" | "autolink" => Self::Element(Tag::A),
            "strong" | "bold" | "b" => Self::Element(Tag::Strong),
            "em" | "emphasis" | "italic" | "i" => Self::Element(Tag::Em),
            "delete" | "strikethrough" | "strike" | "del" => Self::Element(Tag::Del),
            "underline" | "u" => Self::Element(Tag::U),
            "subscript" | "sub" => Self::Element(Tag::Sub),
            "superscript" | "sup" => Self::Element(Tag::Sup),
            "html" | "raw" | "htmlblock" | "freeform" => Self::Html,
            "doc" | "document" | "root" | "richtext" | "fragment" | "tablehead" | "tablebody" | "tbody"
            | "thead" => Self::Group,
            "script" | "style" | "comment" | "yaml" => Self::Skip,
            _ => return None,
        })
    }
}

/// A type in small letters and digits, without the name of its module (`core/list-item`).
fn normalized(name: &str) -> String {
    let name = truncate(name, MAX_TYPE_BYTES);
    let name = name.rsplit(['/', ':', '.']).next().unwrap_or_default();
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

const fn heading(level: usize) -> Tag {
    match level {
        1 => Tag::H1,
        2 => Tag::H2,
        3 => Tag::H3,
        4 => Tag::H4,
        5 => Tag::H5,
        _ => Tag::H6,
    }
}

/// The level of a heading; 2 if it does not say.
fn level(values: &Values, object: ValueId) -> usize {
    let wanted = ["level", "depth", "tag", "size"];
    let found = attribute(values, object, &wanted).unwrap_or_default();
    found.trim_start_matches('h').parse().ok().filter(|level| (1..=6).contains(level)).unwrap_or(2)
}

fn is_ordered(values: &Values, object: ValueId) -> bool {
    let holders =
        std::iter::once(object).chain(ATTRIBUTE_KEYS.iter().filter_map(|key| values.member(object, key)));
    let mut members = holders.flat_map(|holder| values.first_children(holder));
    members.any(|member| match values.key(member) {
        "ordered" => values.kind(member) == Kind::True,
        "listType" | "style" | "tag" | "listStyleType" | "format" => {
            matches!(values.text(member), "ordered" | "number" | "numbered" | "ol" | "decimal")
        }
        _ => false,
    })
}

/// The first text or number with one of these names, on a node or among its attributes.
pub(super) fn attribute<'v>(values: &'v Values, object: ValueId, wanted: &[&str]) -> Option<&'v str> {
    let of = |holder: ValueId| {
        let is_wanted = |member: &ValueId| {
            matches!(values.kind(*member), Kind::Text | Kind::Number) && wanted.contains(&values.key(*member))
        };
        let found = values.first_children(holder).find(is_wanted);
        found.map(|member| values.text(member))
    };
    let inner = || ATTRIBUTE_KEYS.iter().filter_map(|key| values.member(object, key));
    of(object).or_else(|| inner().find_map(of))
}

#[cfg(test)]
mod tests {
    use gleaner_types::Interrupt;

    use super::*;
    use crate::page::state::literal;

    #[test]
    fn nodes_of_many_editors_are_recognised() {
        let rows = [
            ("{type:'paragraph'}", Some(Shape::Element(Tag::P))),
            ("{type:'heading',attrs:{level:3}}", Some(Shape::Element(Tag::H3))),
            ("{type:'heading',tag:'h4'}", Some(Shape::Element(Tag::H4))),
            ("{type:'header',data:{level:2}}", Some(Shape::Element(Tag::H2))),
            ("{type:'header-two'}", Some(Shape::Element(Tag::H2))),
            ("{nodeType:'heading-5'}", Some(Shape::Element(Tag::H5))),
            ("{_type:'block',style:'h2'}", Some(Shape::Element(Tag::H2))),
            ("{_type:'block',style:'normal'}", Some(Shape::Element(Tag::P))),
            ("{_type:'block',style:'normal',listItem:'bullet'}", Some(Shape::Element(Tag::Li))),
            ("{object:'block',type:'paragraph'}", Some(Shape::Element(Tag::P))),
            ("{type:'list',listType:'number'}", Some(Shape::Element(Tag::Ol))),
            ("{type:'list',data:{style:'unordered'}}", Some(Shape::Element(Tag::Ul))),
            ("{type:'list',ordered:true}", Some(Shape::Element(Tag::Ol))),
            ("{type:'bulletList'}", Some(Shape::Element(Tag::Ul))),
            ("{blockName:'core/list-item'}", Some(Shape::Element(Tag::Li))),
            ("{type:'element',tagName:'pre'}", Some(Shape::Element(Tag::Pre))),
            ("{type:'element',tag:'script'}", Some(Shape::Skip)),
            ("{type:'element',tag:'my-card'}", Some(Shape::Group)),
            ("{type:'codeBlock'}", Some(Shape::Code)),
            ("{type:'text'}", Some(Shape::Text)),
            ("{type:'hardBreak'}", Some(Shape::Void(Tag::Br))),
            ("{type:'unknown-card'}", None),
            ("{title:'paragraph'}", None),
        ];
        for (input, expected) in rows {
            let mut values = Values::default();
            let parsed = literal::parse(input, &mut values, &Interrupt::never()).unwrap();
            assert_eq!(Shape::of(&values, parsed.root), expected, "{input}");
        }
    }
}
