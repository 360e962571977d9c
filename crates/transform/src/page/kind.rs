//! What kind of page a page is: an article, a discussion, a product, a listing, documentation, a collection.
//!
//! Most pages declare it, in JSON-LD, microdata, Open Graph or by their generator. Authors declare wrongly
//! where it costs them nothing (many sites call each page an `article` in Open Graph), so the types of
//! schema.org count first. Of pages that declare nothing the structure tells: how much prose they have, how
//! much of them is links, and how many of their headings lead to other pages. Nothing depends on a language.

use gleaner_types::PageKind;
use memchr::memmem;

use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};

/// Upper bound on the types that are read from JSON-LD.
const MAX_TYPES: usize = 400;

/// Upper bound on the bytes of a type, or of a list of types.
const MAX_TYPE_BYTES: usize = 200;

/// A page with at least this many products is a collection of them.
const MIN_COLLECTED: u32 = 6;

/// A page without a date of publication and with at least this many blocks of code is documentation.
const MIN_CODE_BLOCKS: u32 = 3;

/// Lower bound on the bytes of a paragraph of prose.
const MIN_PROSE_BYTES: usize = 150;

/// Lower bounds on the bytes and the paragraphs of prose of an article.
const MIN_ARTICLE_BYTES: usize = 1_500;
const MIN_ARTICLE_PARAGRAPHS: u32 = 4;

/// Upper bounds on the bytes of prose of a listing: in all if its types or its links say so, and for each
/// heading that is a link.
const MAX_LISTING_BYTES: usize = 1_000;
const MAX_BYTES_PER_TEASER: usize = 250;

/// Lower bound on the headings of a listing that are links.
const MIN_TEASERS: usize = 6;

/// Names of programs that make documentation, as they call themselves in `<meta name="generator">`.
const GENERATORS: [&str; 12] = [
    "antora",
    "asciidoctor",
    "docusaurus",
    "docsy",
    "doxygen",
    "gitbook",
    "javadoc",
    "mkdocs",
    "rustdoc",
    "sphinx",
    "starlight",
    "vitepress",
];

/// The kind of a page; `None` if neither what it declares nor its structure tells.
pub(crate) fn read(tree: &Tree) -> Option<PageKind> {
    let mut facts = Facts::default();
    facts.read(tree);
    facts.declared().or_else(|| facts.structural())
}

/// What tells the kind of a page.
#[derive(Debug, Default)]
struct Facts {
    article: bool,
    discussion: bool,
    documentation: bool,
    collection: bool,
    list: bool,
    products: u32,
    /// Variants of one product.
    is_product_group: bool,
    og_article: bool,
    og_product: bool,
    has_publication: bool,
    code_blocks: u32,
    bytes: usize,
    link_bytes: usize,
    prose_bytes: usize,
    prose_paragraphs: u32,
    /// Headings that are links.
    teasers: usize,
}

impl Facts {
    /// The kind that the page declares.
    fn declared(&self) -> Option<PageKind> {
        if self.discussion {
            Some(PageKind::Discussion)
        } else if self.documentation {
            Some(PageKind::Documentation)
        } else if self.collection {
            Some(PageKind::Collection)
        } else if self.og_product || (self.products > 0 && !self.article) {
            let is_one = self.og_product || self.is_product_group || self.products < MIN_COLLECTED;
            Some(if is_one { PageKind::Product } else { PageKind::Collection })
        } else {
            (self.article || self.has_publication).then_some(PageKind::Article)
        }
    }

    /// The kind of a page that declares none.
    fn structural(&self) -> Option<PageKind> {
        let is_linked = self.link_bytes * 2 > self.bytes;
        if self.code_blocks >= MIN_CODE_BLOCKS {
            Some(PageKind::Documentation)
        } else if ((self.list || is_linked) && self.prose_bytes < MAX_LISTING_BYTES)
            || (self.teasers >= MIN_TEASERS && self.teasers * MAX_BYTES_PER_TEASER > self.prose_bytes)
        {
            Some(PageKind::Listing)
        } else {
            let has_text =
                self.prose_bytes >= MIN_ARTICLE_BYTES && self.prose_paragraphs >= MIN_ARTICLE_PARAGRAPHS;
            let has_few_links = self.link_bytes * 3 < self.bytes;
            (has_text && (self.og_article || has_few_links)).then_some(PageKind::Article)
        }
    }

    fn read(&mut self, tree: &Tree) {
        let mut place = Place::default();
        let mut walk = Walk::new(tree, NodeId::DOCUMENT);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) => match tree.kind(node) {
                    Kind::Text => {
                        let length = tree.text(node).trim_ascii().len();
                        self.bytes += length;
                        self.link_bytes += if place.links > 0 { length } else { 0 };
                    }
                    Kind::Element => {
                        self.enter(tree, node, &mut place);
                        if has_no_text(tree.tag(node)) {
                            walk.skip_children();
                        }
                    }
                    Kind::Document => {}
                },
                Edge::Leave(node) => {
                    if tree.is_element(node) {
                        self.leave(tree.tag(node), &mut place);
                    }
                }
            }
        }
    }

    fn enter(&mut self, tree: &Tree, node: NodeId, place: &mut Place) {
        if let Some(types) = tree.attribute(node, Attr::Itemtype) {
            types.split_ascii_whitespace().for_each(|name| self.add_type(name));
        }
        match tree.tag(node) {
            Tag::Script => self.add_script(tree, node),
            Tag::Meta => self.add_meta(tree, node),
            Tag::Pre => self.code_blocks += 1,
            Tag::P => place.paragraph = Some(self.bytes),
            Tag::A => place.links += 1,
            Tag::H2 | Tag::H3 | Tag::H4 => place.heading = Some(false),
            _ => {}
        }
        if place.links > 0 && place.heading == Some(false) {
            place.heading = Some(true);
            self.teasers += 1;
        }
    }

    fn leave(&mut self, tag: Tag, place: &mut Place) {
        match tag {
            Tag::P => {
                let length = place.paragraph.take().map_or(0, |start| self.bytes.saturating_sub(start));
                if length >= MIN_PROSE_BYTES {
                    self.prose_bytes += length;
                    self.prose_paragraphs += 1;
                }
            }
            Tag::A => place.links = place.links.saturating_sub(1),
            Tag::H2 | Tag::H3 | Tag::H4 => place.heading = None,
            _ => {}
        }
    }

    fn add_meta(&mut self, tree: &Tree, node: NodeId) {
        let name = tree.attribute(node, Attr::Property).or_else(|| tree.attribute(node, Attr::Name));
        let content = || tree.attribute(node, Attr::Content).unwrap_or_default().trim();
        match name {
            Some("og:type") => {
                self.og_article |= content() == "article";
                self.collection |= content() == "product.group";
                self.og_product |= matches!(content(), "product" | "product.item" | "og:product");
            }
            Some("article:published_time") => self.has_publication |= !content().is_empty(),
            Some("generator") => {
                let program = content().split_ascii_whitespace().next().unwrap_or_default();
                self.documentation |= GENERATORS.iter().any(|name| program.eq_ignore_ascii_case(name));
            }
            _ => {}
        }
    }

    /// Adds the types that JSON-LD names. A search for the name of the property replaces a parser.
    fn add_script(&mut self, tree: &Tree, node: NodeId) {
        if !tree.attribute(node, Attr::Type).is_some_and(|kind| kind.contains("ld+json")) {
            return;
        }
        let Some(data) = tree.first_child(node).filter(|text| tree.kind(*text) == Kind::Text) else { return };
        let data = tree.text(data);
        for at in memmem::find_iter(data.as_bytes(), TYPE_NAME).take(MAX_TYPES) {
            let value = data.get(at + TYPE_NAME.len()..).unwrap_or_default();
            let value = value.trim_start_matches([' ', ':', '\n', '\r', '\t']);
            let is_list = value.starts_with('[');
            let ends = |byte: u8| if is_list { byte == b']' } else { matches!(byte, b',' | b'}' | b'\n') };
            let end = value.bytes().take(MAX_TYPE_BYTES).position(ends).unwrap_or_default();
            let names = value.get(..end).unwrap_or_default().split('"').skip(1).step_by(2);
            names.for_each(|name| self.add_type(name));
        }
    }

    /// Adds a type of schema.org, with or without its address.
    fn add_type(&mut self, name: &str) {
        match name.rsplit(['/', '#', ':']).next().unwrap_or_default() {
            "DiscussionForumPosting" | "QAPage" => self.discussion = true,
            "TechArticle" | "APIReference" => self.documentation = true,
            "CollectionPage" => self.collection = true,
            "ItemList" => self.list = true,
            "ProductGroup" => {
                self.is_product_group = true;
                self.products += 1;
            }
            "Product" => self.products += 1,
            "BlogPosting" | "LiveBlogPosting" | "Recipe" | "HowTo" | "Report" => self.article = true,
            name => self.article |= name.ends_with("Article"),
        }
    }
}

/// The property of JSON-LD that names a type.
const TYPE_NAME: &str = "\"@type\"";

/// Where a walk is.
#[derive(Debug, Default)]
struct Place {
    /// The number of open links.
    links: u32,
    /// A heading is open; whether it counts as a link.
    heading: Option<bool>,
    /// The bytes before the open paragraph.
    paragraph: Option<usize>,
}

/// True for elements whose content is no text of the page.
const fn has_no_text(tag: Tag) -> bool {
    matches!(tag, Tag::Script | Tag::Style | Tag::Noscript | Tag::Template | Tag::Svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    fn kind(html: &str) -> Option<PageKind> {
        read(&parse(html, ParseOptions::default()))
    }

    #[test]
    fn a_page_is_what_it_declares() {
        let json_ld = |json: &str| format!("<script type=application/ld+json>{json}</script>");
        let rows = [
            (json_ld(r#"{"@type":"NewsArticle"}"#), Some(PageKind::Article)),
            (json_ld(r#"{"@type" : ["Thing", "https://schema.org/BlogPosting"]}"#), Some(PageKind::Article)),
            (json_ld(r#"{"@type":"Product","name":"Article"}"#), Some(PageKind::Product)),
            (json_ld(&r#"{"@type":"Product"}"#.repeat(6)), Some(PageKind::Collection)),
            (
                json_ld(&format!(
                    r#"{{"@type":"ProductGroup","hasVariant":[{}]}}"#,
                    r#"{"@type":"Product"}"#.repeat(6)
                )),
                Some(PageKind::Product),
            ),
            (json_ld(r#"{"@type":"Article","about":{"@type":"Product"}}"#), Some(PageKind::Article)),
            (json_ld(r#"{"@type":"QAPage"}"#), Some(PageKind::Discussion)),
            (json_ld(r#"{"@type":"TechArticle"}"#), Some(PageKind::Documentation)),
            (json_ld(r#"{"@type":"WebPage"}"#), None),
            (
                "<div itemscope itemtype=https://schema.org/DiscussionForumPosting>".into(),
                Some(PageKind::Discussion),
            ),
            ("<meta property=og:type content=product>".into(), Some(PageKind::Product)),
            ("<meta property=og:type content=product.group>".into(), Some(PageKind::Collection)),
            ("<meta property=og:type content=article>".into(), None),
            ("<meta property=article:published_time content=2024-05-01>".into(), Some(PageKind::Article)),
            ("<meta name=generator content='Docusaurus v3'>".into(), Some(PageKind::Documentation)),
        ];
        for (html, expected) in rows {
            assert_eq!(kind(&html), expected, "{html}");
        }
    }

    #[test]
    fn the_structure_tells_the_kind_of_a_page_that_declares_none() {
        let prose = format!("<p>{}</p>", "word ".repeat(100));
        let rows = [
            ("prose", prose.repeat(5), Some(PageKind::Article)),
            ("little prose", prose.clone(), None),
            ("code", format!("{}{prose}", "<pre>x</pre>".repeat(3)), Some(PageKind::Documentation)),
            (
                "headings that are links",
                "<h3><a href=/a>Title</a></h3>text ".repeat(8),
                Some(PageKind::Listing),
            ),
            (
                "links around headings",
                "<a href=/a><h3>Title</h3></a>text text ".repeat(8),
                Some(PageKind::Listing),
            ),
            ("links", "<li><a href=/a>Title of a page</a>".repeat(8), Some(PageKind::Listing)),
            ("nothing", String::new(), None),
        ];
        for (name, html, expected) in rows {
            assert_eq!(kind(&html), expected, "{name}");
        }
    }
}
