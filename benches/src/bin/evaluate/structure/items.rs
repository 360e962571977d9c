//! The items of a document: its headings, list items, cells and so on, each with its text.

use std::collections::{BTreeMap, HashSet};

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::{Html, Node};

use super::html_notes::{self, HtmlNotes};
use super::markdown_notes::MarkdownNotes;
use super::normal;
use crate::{dom, render};

/// A kind of structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Headings,
    /// List items, without the lists inside.
    Items,
    /// Cells of data tables.
    Cells,
    Code,
    /// Blocks of code whose language is known.
    Languages,
    Images,
    /// Captions right beside an image.
    Captions,
    Formulas,
    Links,
    Notes,
    /// References to notes. The text is that of the note.
    References,
    Quotes,
}

impl Kind {
    pub(super) const ALL: [Self; 12] = [
        Self::Headings,
        Self::Items,
        Self::Cells,
        Self::Code,
        Self::Languages,
        Self::Images,
        Self::Captions,
        Self::Formulas,
        Self::Links,
        Self::Notes,
        Self::References,
        Self::Quotes,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Headings => "headings",
            Self::Items => "list items",
            Self::Cells => "table cells",
            Self::Code => "code blocks",
            Self::Languages => "code languages",
            Self::Images => "images",
            Self::Captions => "captions",
            Self::Formulas => "formulas",
            Self::Links => "links",
            Self::Notes => "footnotes",
            Self::References => "references",
            Self::Quotes => "quotes",
        }
    }
}

/// One item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Item {
    /// The normalized text, words separated by spaces. For images the alternative text.
    pub(super) text: String,
    /// The file name of an image, the language of code, or else empty.
    pub(super) key: String,
}

impl Item {
    pub(super) fn new(key: &str, text: &str) -> Self {
        Self { text: text.to_owned(), key: key.to_owned() }
    }
}

/// The items of a document, with their elements.
#[derive(Debug, Default)]
pub(super) struct Items(BTreeMap<Kind, Vec<(Item, Option<NodeId>)>>);

impl Items {
    /// The items of Markdown. `captions` are the captions of the page.
    pub(super) fn of_markdown(markdown: &str, captions: &[String]) -> Self {
        let split = MarkdownNotes::of(markdown);
        let page = Html::parse_fragment(&render::html_with_formulas(&split.body));
        let root = page.tree.root();
        let mut items = Self::of_tree(root, &HashSet::new(), &HashSet::new());
        items.add_captions(root, captions);
        let mut notes: BTreeMap<&str, String> = BTreeMap::new();
        for (label, note) in &split.notes {
            let rendered = Html::parse_fragment(&render::html_with_formulas(note));
            let text = html_notes::text(rendered.tree.root());
            items.add(Kind::Notes, Item::new("", &text), None);
            notes.insert(label, text);
        }
        for note in split.references.iter().filter_map(|label| notes.get(label.as_str())) {
            items.add(Kind::References, Item::new("", note), None);
        }
        items
    }

    /// The items of a part of a page, except for captions.
    pub(super) fn of_html(root: NodeRef<'_, Node>) -> Self {
        let notes = HtmlNotes::of(root);
        let mut items = Self::of_tree(root, &notes.reference_nodes(), &notes.note_nodes());
        for note in notes.notes() {
            items.add(Kind::Notes, Item::new("", &html_notes::text(note)), Some(note.id()));
        }
        for (reference, note) in &notes.references {
            items.add(Kind::References, Item::new("", &html_notes::text(*note)), Some(reference.id()));
        }
        items
    }

    /// The items of one kind.
    pub(super) fn get(&self, kind: Kind) -> Vec<Item> {
        self.0.get(&kind).into_iter().flatten().map(|(item, _)| item.clone()).collect()
    }

    /// Removes the items for which `keeps` is false. Items without an element stay.
    pub(super) fn retain(&mut self, keeps: impl Fn(Kind, &Item, NodeId) -> bool) {
        for (kind, items) in &mut self.0 {
            items.retain(|(item, node)| node.is_none_or(|node| keeps(*kind, item, node)));
        }
    }

    /// Removes the headings that are the title of the page. Returns true if there was one.
    pub(super) fn remove_title(&mut self, title: &str) -> bool {
        let Some(headings) = self.0.get_mut(&Kind::Headings) else { return false };
        let before = headings.len();
        headings.retain(|(heading, _)| !normal::is_title(&heading.text, title));
        headings.len() < before
    }

    /// Adds those of the captions of a page that are right beside an image here.
    pub(super) fn add_captions(&mut self, root: NodeRef<'_, Node>, captions: &[String]) {
        let events = events(root);
        let mut beside: Vec<Vec<String>> = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let is_image = |at: Option<usize>| at.and_then(|at| events.get(at)).is_some_and(Event::is_image);
            if let Event::Text { words, .. } = event
                && (is_image(at.checked_sub(1)) || is_image(Some(at + 1)))
            {
                beside.push(words.clone());
            }
        }
        for caption in captions {
            let words: Vec<&str> = caption.split(' ').collect();
            let is_caption = |text: &Vec<String>| {
                text.iter().map(String::as_str).eq(words.iter().copied())
                    || (words.len() >= 5
                        && normal::f1(text.iter().map(String::as_str), words.iter().copied()) > 0.9)
            };
            if let Some(at) = beside.iter().position(is_caption) {
                beside.swap_remove(at);
                self.add(Kind::Captions, Item::new("", caption), None);
            }
        }
    }

    fn add(&mut self, kind: Kind, item: Item, node: Option<NodeId>) {
        self.0.entry(kind).or_default().push((item, node));
    }

    fn of_tree(root: NodeRef<'_, Node>, references: &HashSet<NodeId>, notes: &HashSet<NodeId>) -> Self {
        let mut items = Self::default();
        let mut data_tables = HashSet::new();
        let is_reference = |inner: NodeRef<'_, Node>| references.contains(&inner.id());
        for node in root.descendants() {
            let Some(element) = node.value().as_element() else { continue };
            if is_reference(node) || notes.contains(&node.id()) {
                continue;
            }
            let mut add = |kind, key: &str, words: Vec<String>| {
                if !words.is_empty() {
                    items.add(kind, Item::new(key, &words.join(" ")), Some(node.id()));
                }
            };
            let words = || normal::words(&dom::text_of(node, is_reference));
            match element.name() {
                "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => add(Kind::Headings, "", words()),
                "li" => {
                    let own = dom::text_of(node, |inner| {
                        is_reference(inner) || is_named(inner, "ul") || is_named(inner, "ol")
                    });
                    add(Kind::Items, "", normal::words(&own));
                }
                "table" if is_data(node) => {
                    data_tables.insert(node.id());
                }
                "td" | "th" => {
                    let table = node.ancestors().find(|around| is_named(*around, "table"));
                    if table.is_some_and(|table| data_tables.contains(&table.id())) {
                        add(Kind::Cells, "", words());
                    }
                }
                "pre" => {
                    let code = normal::code(&dom::text_of(node, |_| false));
                    if let Some(language) = language(node) {
                        add(Kind::Languages, &language, code.clone());
                    }
                    add(Kind::Code, "", code);
                }
                "img" => {
                    if let Some(item) = image(node) {
                        items.add(Kind::Images, item, Some(node.id()));
                    }
                }
                "a" if element.attr("href").is_some() => add(Kind::Links, "", words()),
                "blockquote" => {
                    let text = dom::text_of(node, is_reference);
                    add(Kind::Quotes, "", normal::words(without_marker(&text)));
                }
                _ => {
                    if let Some(tex) = formula(node) {
                        add(Kind::Formulas, "", normal::tex(&tex));
                    }
                }
            }
        }
        items
    }
}

/// The captions of the figures of a page that have one image or more, with their figures.
pub(super) fn figures(root: NodeRef<'_, Node>) -> Vec<(String, NodeRef<'_, Node>)> {
    let figures = root.descendants().filter(|node| is_named(*node, "figure"));
    let captioned = figures.filter_map(|figure| {
        let mut captions = figure.descendants().filter(|node| is_named(*node, "figcaption"));
        let (caption, None) = (captions.next()?, captions.next()) else { return None };
        let words = normal::words(&dom::text_of(caption, |_| false));
        let has_image = figure.descendants().any(|node| is_named(node, "img"));
        (has_image && !words.is_empty()).then(|| (words.join(" "), figure))
    });
    captioned.collect()
}

/// An image or a run of text in reading order.
#[derive(Debug)]
pub(super) enum Event {
    Image,
    /// The words of one block, and the position of its first text among all nodes.
    Text {
        words: Vec<String>,
        at: usize,
    },
}

impl Event {
    const fn is_image(&self) -> bool {
        matches!(self, Self::Image)
    }
}

/// The images and texts below a node. Positions count the nodes from `root` on, in document order.
pub(super) fn events(root: NodeRef<'_, Node>) -> Vec<Event> {
    let mut events = Vec::new();
    let mut text = String::new();
    let (mut at, mut position, mut skipped) = (0, 0_usize, 0_u32);
    let flush = |text: &mut String, at: usize, events: &mut Vec<Event>| {
        if !text.trim().is_empty() {
            events.push(Event::Text { words: normal::words(text), at });
        }
        text.clear();
    };
    for edge in root.traverse() {
        let (Edge::Open(node) | Edge::Close(node)) = edge;
        let opens = matches!(edge, Edge::Open(_));
        position += usize::from(opens);
        if dom::has_no_text(node) {
            skipped = if opens { skipped + 1 } else { skipped - 1 };
        } else if skipped == 0 {
            if dom::is_block(node) {
                flush(&mut text, at, &mut events);
            } else if let (Node::Text(inner), true) = (node.value(), opens) {
                if text.is_empty() {
                    at = position;
                }
                text.push_str(inner);
            } else if opens && is_named(node, "img") {
                flush(&mut text, at, &mut events);
                events.push(Event::Image);
            }
        }
    }
    flush(&mut text, at, &mut events);
    events
}

fn is_named(node: NodeRef<'_, Node>, name: &str) -> bool {
    node.value().as_element().is_some_and(|element| element.name() == name)
}

fn attribute<'t>(node: NodeRef<'t, Node>, name: &str) -> Option<&'t str> {
    node.value().as_element()?.attr(name)
}

/// Has a table at least two rows of two cells, and no table inside?
fn is_data(table: NodeRef<'_, Node>) -> bool {
    let is_cell = |node: &NodeRef<'_, Node>| is_named(*node, "td") || is_named(*node, "th");
    let is_row =
        |node: &NodeRef<'_, Node>| is_named(*node, "tr") && node.children().filter(is_cell).count() >= 2;
    table.descendants().filter(is_row).count() >= 2
        && table.descendants().skip(1).all(|node| !is_named(node, "table"))
}

/// The language that the class of a block of code or of the code inside names.
fn language(block: NodeRef<'_, Node>) -> Option<String> {
    let classes = block.descendants().filter_map(|node| attribute(node, "class"));
    let mut words = classes.flat_map(str::split_whitespace);
    let name =
        words.find_map(|word| word.strip_prefix("language-").or_else(|| word.strip_prefix("lang-")))?;
    Some(name.to_lowercase())
}

/// An image by its file name and its alternative text. Icons, and images without either, are left out.
fn image(node: NodeRef<'_, Node>) -> Option<Item> {
    const ADDRESSES: [&str; 6] =
        ["data-src", "data-original", "data-lazy-src", "src", "srcset", "data-srcset"];
    /// The width and height of the largest icon.
    const MAX_ICON: u32 = 48;
    let size = |name| attribute(node, name).and_then(|size| size.trim_end_matches("px").parse::<u32>().ok());
    if [size("width"), size("height")].into_iter().flatten().any(|size| size <= MAX_ICON) {
        return None;
    }
    let addresses = ADDRESSES.into_iter().filter_map(|name| attribute(node, name)).map(str::trim);
    let address = addresses
        .filter(|address| {
            !address.is_empty() && !address.starts_with("data:") && !address.contains("Base64-Image-Removed")
        })
        .map(file_name)
        .next()
        .unwrap_or_default();
    let text = normal::words(attribute(node, "alt").unwrap_or_default()).join(" ");
    (!address.is_empty() || !text.is_empty()).then(|| Item::new(&address, &text))
}

/// The file name of an image. An address in the query of another is the address.
fn file_name(address: &str) -> String {
    let first = address.split_whitespace().next().unwrap_or_default();
    let inner = first.split(['?', '&']).find_map(|part| part.strip_prefix("url="));
    let inner = inner.map(|inner| inner.replace("%2F", "/").replace("%2f", "/").replace("%3F", "?"));
    let address = inner.as_deref().unwrap_or(first);
    let path = address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    path.rsplit('/').next().unwrap_or_default().to_lowercase()
}

/// The TeX of an element that is a formula.
fn formula(node: NodeRef<'_, Node>) -> Option<String> {
    let element = node.value().as_element()?;
    let own_text = |node: NodeRef<'_, Node>| -> String {
        node.descendants().filter_map(|node| node.value().as_text()).map(|text| &**text).collect()
    };
    match element.name() {
        "math" => {
            let annotation = node.descendants().find(|inner| {
                attribute(*inner, "encoding").is_some_and(|kind| kind.to_ascii_lowercase().contains("tex"))
            });
            annotation.map(own_text).or_else(|| element.attr("alttext").map(str::to_owned))
        }
        "script" if element.attr("type").is_some_and(|kind| kind.starts_with("math/tex")) => {
            Some(own_text(node))
        }
        _ => element.attr("data-math-style").map(|_| own_text(node)),
    }
}

/// The text of a quote without the marker of a callout, such as `[!NOTE]`.
fn without_marker(text: &str) -> &str {
    let marked = text.trim_start().strip_prefix("[!").and_then(|rest| rest.split_once(']'));
    match marked {
        Some((kind, rest)) if kind.chars().all(|c| c.is_alphanumeric() || c == '-') => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(items: &Items, kind: Kind) -> Vec<String> {
        items.get(kind).into_iter().map(|item| format!("{}|{}", item.key, item.text)).collect()
    }

    #[test]
    fn markdown_has_items_of_each_kind() {
        let markdown = "# Title\n\n- one\n  - two\n- three $x^2$\n\n| a | b |\n| - | - |\n| c | ✓ |\n\n\
            ```rust\nlet x;\n```\n\n![cat](/i/cat.png?w=1)\n\nA caption\n\nText [link](/x)[^1].\n\n\
            > [!NOTE]\n> Quote\n\n[^1]: The note";
        let items = Items::of_markdown(markdown, &["a caption".to_owned(), "another".to_owned()]);
        let expected: [(Kind, &[&str]); 12] = [
            (Kind::Headings, &["|title"]),
            (Kind::Items, &["|one", "|two", "|three x 2"]),
            (Kind::Cells, &["|a", "|b", "|c", "|✓"]),
            (Kind::Code, &["|let x ;"]),
            (Kind::Languages, &["rust|let x ;"]),
            (Kind::Images, &["cat.png|cat"]),
            (Kind::Captions, &["|a caption"]),
            (Kind::Formulas, &["|x ^ 2"]),
            (Kind::Links, &["|link"]),
            (Kind::Notes, &["|the note"]),
            (Kind::References, &["|the note"]),
            (Kind::Quotes, &["|quote"]),
        ];
        for (kind, expected) in expected {
            assert_eq!(texts(&items, kind), expected, "{kind:?}");
        }
    }

    #[test]
    fn html_has_items_of_each_kind() {
        let page = Html::parse_fragment(
            "<h2>A</h2><p>B<sup><a href='#n'>1</a></sup><math><semantics><mi>x</mi>\
             <annotation encoding='application/x-tex'>x</annotation></semantics></math></p>\
             <figure><img src='/a/b.png'><figcaption>The caption</figcaption></figure><img width=1 src=c.png>\
             <table><tr><td>layout</table><ol><li id=n>Note</ol>\
             <pre><code class='hljs language-C'>x</code></pre>",
        );
        let mut items = Items::of_html(page.tree.root());
        let captions: Vec<String> =
            figures(page.tree.root()).into_iter().map(|(caption, _)| caption).collect();
        items.add_captions(page.tree.root(), &captions);
        let expected: [(Kind, &[&str]); 8] = [
            (Kind::Headings, &["|a"]),
            (Kind::Items, &[]),
            (Kind::Cells, &[]),
            (Kind::Languages, &["c|x"]),
            (Kind::Images, &["b.png|"]),
            (Kind::Captions, &["|the caption"]),
            (Kind::Formulas, &["|x"]),
            (Kind::References, &["|note"]),
        ];
        for (kind, expected) in expected {
            assert_eq!(texts(&items, kind), expected, "{kind:?}");
        }
        assert!(!items.remove_title("Another title"));
    }
}
