//! From a tree to Markdown (CommonMark with GFM's tables, task lists and strikethrough), in one walk.
//!
//! Why not a ready converter: the one that was measured came back as the same HTML for 93 of 100 examples of the
//! CommonMark specification, recursed on the depth of the page and parsed it a second time.

mod block;
mod code;
mod emphasis;
mod escape;
mod inline;
mod math;
mod table;

use crate::address::Resolver;
use crate::page::picture;
use crate::tree::{Attr, Edge, Kind, NodeId, Space, Tag, Tree, Walk};
use crate::view::View;
use block::{Container, Item, Leaf, Lines};
use inline::{Inline, Mark, Place, Target};
use table::Table;

/// How Markdown is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<'a> {
    /// Makes addresses absolute.
    pub(crate) resolver: &'a Resolver,
    /// Write a placeholder for images that stand in the page itself as `data:`.
    pub(crate) remove_base64_images: bool,
    /// Keep what a reader cannot see but a document can hold: empty links, headings and quotes, and tables that
    /// Markdown has no form for (as HTML). For HTML that is converted for its own sake, not read as a page.
    pub(crate) faithful: bool,
}

/// What stands for the address of an image whose bytes stood in the page.
pub(crate) const BASE64_PLACEHOLDER: &str = "<Base64-Image-Removed>";

/// Writes a part of a tree. The result has no blank lines at its start or end, and a line end only between lines.
pub(crate) fn write(tree: &Tree, view: &View, options: Options<'_>) -> String {
    let mut writer = Writer {
        tree,
        view,
        options,
        lines: Lines::default(),
        inline: Inline::default(),
        lists: Vec::new(),
        ended_list: None,
        table: None,
        heading: None,
        block_link: None,
        task: false,
        addresses_left: tree.attribute_budget(),
    };
    for root in &view.roots {
        writer.walk(*root);
        writer.flush();
    }
    writer.lines.finish()
}

#[derive(Debug)]
struct List {
    ordered: bool,
    number: u64,
    /// The character of its markers: `-` or `*`, `.` or `)`.
    mark: char,
    tight: bool,
    /// An item was begun.
    begun: bool,
    /// The width of the last marker.
    width: usize,
    /// Depth of containers at which its items stand.
    depth: usize,
    /// It stands in a list without an item around it: this many containers were opened for it.
    opened: bool,
}

struct Writer<'t> {
    tree: &'t Tree,
    view: &'t View,
    options: Options<'t>,
    lines: Lines,
    inline: Inline,
    lists: Vec<List>,
    /// A list that has just ended: container depth, order and mark. Another right after it needs another mark.
    ended_list: Option<(usize, bool, char)>,
    table: Option<Table>,
    /// The level of the heading we are in.
    heading: Option<u8>,
    /// A link around whole blocks; the first of them with text becomes the link.
    block_link: Option<Target>,
    /// The paragraph begins with the box of a task.
    task: bool,
    /// Bytes of addresses that may still be written.
    addresses_left: usize,
}

impl Writer<'_> {
    fn walk(&mut self, root: NodeId) {
        let tree = self.tree;
        let mut walk = Walk::new(tree, root);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) => match tree.kind(node) {
                    Kind::Text if self.view.hidden.contains(node) => {}
                    Kind::Text => self.inline.text(tree.text(node)),
                    Kind::Element => {
                        if self.math(node) || self.view.skips(tree, node) || !self.enter(node) {
                            walk.skip_children();
                        }
                    }
                    Kind::Document => {}
                },
                Edge::Leave(node) => {
                    if tree.kind(node) == Kind::Element && !self.view.hidden.contains(node) {
                        self.leave(node);
                    }
                }
            }
        }
    }

    fn in_cell(&self) -> bool {
        self.table.is_some()
    }

    /// Starts an element; false where its children are not to be walked.
    fn enter(&mut self, node: NodeId) -> bool {
        let tree = self.tree;
        let tag = tree.tag(node);
        match tag {
            Tag::Br => self.line_break(),
            Tag::Em | Tag::I | Tag::Cite | Tag::Dfn | Tag::Var if !self.is_icon(node) => {
                self.inline.open(Mark::Em);
            }
            Tag::Strong | Tag::B => self.inline.open(Mark::Strong),
            Tag::Del | Tag::S | Tag::Strike => self.inline.open(Mark::Strike),
            Tag::Sub => self.inline.open(Mark::Sub),
            Tag::Sup => self.inline.open(Mark::Sup),
            Tag::Kbd => self.inline.open(Mark::Kbd),
            Tag::Mark => self.inline.open(Mark::Highlight),
            Tag::Q => self.inline.text("\""),
            Tag::Rt => self.inline.text("("),
            Tag::Code | Tag::Samp | Tag::Tt => {
                self.inline.code(&tree.text_content(node));
                return false;
            }
            Tag::A => self.open_link(node),
            Tag::Img => self.image(node),
            Tag::Picture => {}
            Tag::Input => self.task(node),
            Tag::Iframe | Tag::Embed => self.frame(node),
            Tag::Video | Tag::Audio => {
                self.frame(node);
                return false;
            }
            Tag::Select | Tag::Textarea | Tag::Canvas | Tag::Object | Tag::Progress | Tag::Meter => {
                return false;
            }
            Tag::Template => return tree.has(node, Attr::Shadowrootmode),
            Tag::Pre | Tag::Xmp | Tag::Plaintext => {
                self.code_block(node);
                return false;
            }
            _ if tag.is_block() => return self.enter_block(node, tag),
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: NodeId) {
        let tag = self.tree.tag(node);
        match tag {
            Tag::Em | Tag::I | Tag::Cite | Tag::Dfn | Tag::Var if !self.is_icon(node) => {
                self.inline.close(Mark::Em);
            }
            Tag::Strong | Tag::B => self.inline.close(Mark::Strong),
            Tag::Del | Tag::S | Tag::Strike => self.inline.close(Mark::Strike),
            Tag::Sub => self.inline.close(Mark::Sub),
            Tag::Sup => self.inline.close(Mark::Sup),
            Tag::Kbd => self.inline.close(Mark::Kbd),
            Tag::Mark => self.inline.close(Mark::Highlight),
            Tag::Q => self.inline.text("\""),
            Tag::Rt => self.inline.text(")"),
            Tag::A => {
                self.inline.close_link();
                if self.block_link.is_some() {
                    self.flush();
                    self.block_link = None;
                }
            }
            Tag::Pre | Tag::Xmp | Tag::Plaintext => {}
            _ if tag.is_block() => self.leave_block(tag),
            _ => {}
        }
    }

    /// Icon fonts use `i` for pictures.
    fn is_icon(&self, node: NodeId) -> bool {
        self.tree.tag(node) == Tag::I && self.tree.first_child(node).is_none()
    }

    fn line_break(&mut self) {
        if self.in_cell() || self.heading.is_some() || !self.inline.is_flat() || self.block_link.is_some() {
            self.inline.line_break();
        } else if self.inline.trailing_breaks() > 0 {
            self.flush(); // two in a row are meant as a new paragraph
        } else {
            self.inline.line_break();
        }
    }

    /// Ends the paragraph, heading or cell text collected so far.
    fn flush(&mut self) {
        if self.inline.is_empty() {
            self.inline.take(Place::Paragraph);
            if let (true, Some(level), false) = (self.options.faithful, self.heading, self.in_cell()) {
                self.lines.start(Leaf::Other);
                self.lines.write(&"#".repeat(usize::from(level)));
            }
            return;
        }
        if self.in_cell() {
            // A block inside a cell: its end is a break.
            self.inline.line_break();
            return;
        }
        let link = self.block_link.take();
        let place = if self.heading.is_some() || link.is_some() { Place::Heading } else { Place::Paragraph };
        let mut text = self.inline.take(place);
        if text.is_empty() {
            self.block_link = link;
            return;
        }
        if let Some(target) = link {
            if text.contains("](") {
                self.block_link = Some(target);
            } else {
                let mut linked = String::with_capacity(text.len() + target.address.len() + 4);
                linked.push('[');
                let start = linked.len();
                linked.push_str(&text);
                escape::brackets(&mut linked, start);
                linked.push_str("](");
                escape::destination(&target.address, false, &mut linked);
                linked.push(')');
                text = linked;
            }
        }
        match self.heading {
            Some(level) => {
                self.lines.start(Leaf::Other);
                self.lines.write(&"#".repeat(usize::from(level)));
                self.lines.write(" ");
                self.lines.write(&close_hashes(&text));
            }
            None => {
                let is_box =
                    |text: &str| ["[ ] ", "[x] ", "[X] "].iter().any(|start| text.starts_with(start));
                let escape_box = self.lines.at_item_start() && !self.task && is_box(&text);
                self.lines.start(Leaf::Paragraph);
                let mut start = String::new();
                for (index, line) in text.split('\n').enumerate() {
                    start.clear();
                    if index == 0 && escape_box {
                        start.push('\\');
                    }
                    escape::line_start(line.trim_start_matches(' '), index == 0, &mut start);
                    if index > 0 {
                        self.lines.next_line();
                    }
                    self.lines.write(&start);
                }
            }
        }
        self.task = false;
        self.ended_list = None;
    }

    fn enter_block(&mut self, node: NodeId, tag: Tag) -> bool {
        if self.in_cell() {
            return self.enter_block_in_cell(node, tag);
        }
        if matches!(tag, Tag::Td | Tag::Th) {
            // A table for layout: cells beside each other, rows below each other.
            self.inline.space();
            return true;
        }
        self.flush();
        match tag {
            _ if tag.heading_level().is_some() => self.heading = tag.heading_level(),
            Tag::Hr => {
                self.lines.start(Leaf::Other);
                self.lines.write(if self.lines.in_item() { "___" } else { "---" });
                self.ended_list = None;
            }
            Tag::Blockquote => self.lines.push(Container::Quote { started: false }),
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => self.open_list(node, tag == Tag::Ol),
            Tag::Li => self.open_item(node),
            Tag::Table if table::holds_data(self.tree, node) => self.table = Some(Table::default()),
            Tag::Table if self.options.faithful && self.html_table(node) => return false,
            Tag::Dt => self.inline.open(Mark::Strong),
            Tag::Summary => self.inline.open(Mark::Strong),
            _ => {}
        }
        true
    }

    fn enter_block_in_cell(&mut self, node: NodeId, tag: Tag) -> bool {
        let tree = self.tree;
        let Some(table) = &mut self.table else { return true };
        match tag {
            Tag::Thead => table.head(true),
            Tag::Tr => table.start_row(),
            Tag::Td | Tag::Th => {
                self.inline.take(Place::Cell);
                table.start_cell(tree, node);
            }
            Tag::Hr | Tag::Caption => {
                if !self.inline.is_empty() {
                    self.inline.line_break();
                }
            }
            Tag::Li => {
                self.break_in_cell();
                self.inline.raw("-");
                self.inline.space();
            }
            _ => self.break_in_cell(),
        }
        true
    }

    fn break_in_cell(&mut self) {
        if !self.inline.is_empty() && self.inline.trailing_breaks() == 0 {
            self.inline.line_break();
        }
    }

    fn leave_block(&mut self, tag: Tag) {
        if self.in_cell() {
            self.leave_block_in_cell(tag);
            return;
        }
        match tag {
            Tag::Dt | Tag::Summary => self.inline.close(Mark::Strong),
            Tag::Td | Tag::Th => {
                self.inline.space();
                return;
            }
            _ => {}
        }
        self.flush();
        match tag {
            _ if tag.heading_level().is_some() => self.heading = None,
            Tag::Blockquote => self.lines.pop(self.options.faithful),
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => self.close_list(),
            Tag::Li => self.close_item(),
            _ => {}
        }
    }

    fn leave_block_in_cell(&mut self, tag: Tag) {
        let Some(table) = &mut self.table else { return };
        match tag {
            Tag::Thead => table.head(false),
            Tag::Tr => table.end_row(),
            Tag::Td | Tag::Th => {
                let content = self.inline.take(Place::Cell);
                table.end_cell(content);
            }
            Tag::Caption => {
                let caption = self.inline.take(Place::Heading);
                if !caption.is_empty() {
                    self.lines.start(Leaf::Paragraph);
                    let mut line = String::new();
                    escape::line_start(&caption, true, &mut line);
                    self.lines.write(&line);
                }
            }
            Tag::Table => {
                if let Some(table) = self.table.take().filter(|table| !table.is_empty()) {
                    self.inline.take(Place::Cell);
                    self.ended_list = None;
                    self.lines.start(Leaf::Table);
                    for (index, line) in table.lines().iter().enumerate() {
                        if index > 0 {
                            self.lines.next_line();
                        }
                        self.lines.write(line);
                    }
                }
            }
            Tag::Li | Tag::Ul | Tag::Ol | Tag::P | Tag::Div | Tag::Blockquote | Tag::Dd | Tag::Dt => {
                self.break_in_cell();
            }
            _ => {}
        }
    }

    /// Writes a table as HTML where it is small enough to be read.
    fn html_table(&mut self, node: NodeId) -> bool {
        if Walk::new(self.tree, node)
            .any(|edge| matches!(edge, Edge::Enter(inner) if self.tree.tag(inner) == Tag::Pre))
        {
            return false;
        }
        let view = View { roots: vec![node], ..self.view.clone() };
        let html =
            crate::html::write(self.tree, &view, self.options.resolver, self.options.remove_base64_images);
        // Every parser adds `tbody` by itself.
        let html = html.replace("<tbody>", "").replace("</tbody>", "");
        self.lines.start(Leaf::Table);
        // An empty line would end the block.
        for (index, line) in html.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
            if index > 0 {
                self.lines.next_line();
            }
            self.lines.write(line);
        }
        self.ended_list = None;
        true
    }

    fn open_list(&mut self, node: NodeId, ordered: bool) {
        let start = self.tree.attribute(node, Attr::Start).and_then(|start| start.trim().parse::<u64>().ok());
        // A list right inside a list belongs to the item before it.
        let inside_list = self.lists.last().is_some_and(|list| list.depth == self.lines.depth());
        let mut opened = false;
        if inside_list {
            let (width, begun) = self.lists.last().map_or((2, false), |list| (list.width, list.begun));
            if begun {
                self.lines.push(Container::Item(Item {
                    marker: " ".repeat(width),
                    started: true,
                    tight: true,
                    first: false,
                    interrupts: true,
                }));
                opened = true;
            }
        }
        let depth = self.lines.depth();
        let mark = match self.ended_list {
            Some((ended, was_ordered, mark)) if ended == depth && was_ordered == ordered => match mark {
                '-' => '*',
                '*' => '-',
                '.' => ')',
                _ => '.',
            },
            _ if ordered => '.',
            _ => '-',
        };
        let loose =
            self.tree.elements(node).any(|item| self.tree.tag(item) == Tag::Li && self.is_loose(item));
        self.lists.push(List {
            ordered,
            number: start.unwrap_or(1).min(999_999_999),
            mark,
            tight: !loose,
            begun: false,
            width: 2,
            depth,
            opened,
        });
    }

    /// Does an item make its list one with blank lines?
    fn is_loose(&self, item: NodeId) -> bool {
        let visible = |node: &NodeId| !self.view.hidden.contains(*node);
        self.tree.elements(item).filter(visible).any(|child| match self.tree.tag(child) {
            Tag::P => true,
            // One wrapper around everything counts as the item itself.
            Tag::Div => self.tree.elements(child).any(|inner| self.tree.tag(inner) == Tag::P),
            _ => false,
        })
    }

    fn open_item(&mut self, node: NodeId) {
        let implied = self.lists.last().is_none_or(|list| list.depth != self.lines.depth());
        if implied {
            // An item outside any list.
            let depth = self.lines.depth();
            self.lists.push(List {
                ordered: false,
                number: 1,
                mark: '-',
                tight: true,
                begun: false,
                width: 2,
                depth,
                opened: false,
            });
        }
        let Some(list) = self.lists.last_mut() else { return };
        if let Some(value) =
            self.tree.attribute(node, Attr::Value).and_then(|value| value.trim().parse::<u64>().ok())
        {
            list.number = value.min(999_999_999);
        }
        let marker =
            if list.ordered { format!("{}{} ", list.number, list.mark) } else { format!("{} ", list.mark) };
        let interrupts = !list.ordered || list.number == 1;
        list.number = (list.number + 1).min(999_999_999);
        list.width = marker.len();
        let first = !std::mem::replace(&mut list.begun, true) && !list.opened;
        let tight = list.tight;
        self.ended_list = None;
        self.lines.push(Container::Item(Item { marker, started: false, tight, first, interrupts }));
    }

    fn close_item(&mut self) {
        self.lines.pop(true);
        // An item outside any list opened a list of its own, which goes on while items follow.
        self.ended_list = None;
    }

    fn close_list(&mut self) {
        let depth = self.lines.depth();
        // Lists that items outside any list opened end here too.
        while let Some(list) = self.lists.pop() {
            if list.begun {
                self.ended_list = Some((list.depth, list.ordered, list.mark));
            }
            if list.opened {
                self.lines.pop(false);
            }
            if list.depth <= depth {
                break;
            }
        }
    }

    fn open_link(&mut self, node: NodeId) {
        let tree = self.tree;
        let Some(href) = tree.attribute(node, Attr::Href) else { return };
        let Some(address) = self.options.resolver.output(href) else { return };
        let Some(left) = self.addresses_left.checked_sub(address.len()) else { return };
        self.addresses_left = left;
        let title_bytes = tree.attribute(node, Attr::Title).map_or(0, str::len);
        self.addresses_left = self.addresses_left.saturating_sub(title_bytes);
        if self.options.faithful && tree.first_child(node).is_none() {
            self.empty_link(node, href);
            return;
        }
        let title = tree.attribute(node, Attr::Title).filter(|title| !title.trim().is_empty());
        // A title may run over lines, but no line of it may be empty.
        let keeps_lines = self.options.faithful && self.lines.depth() == 0 && !self.in_cell();
        let title = title.map(|title| {
            let whole = keeps_lines && !title.trim_matches('\n').lines().any(|line| line.trim().is_empty());
            if whole { title.to_owned() } else { fold(title) }
        });
        let target = Target { address: address.into_owned(), title };
        if !self.in_cell() && self.heading.is_none() && self.inline.is_flat() && holds_blocks(tree, node) {
            self.flush();
            self.block_link = Some(target);
        } else if self.block_link.is_none() {
            self.inline.open_link(target);
        }
    }

    /// Markdown has no form for a link without text that keeps its address as it is.
    fn empty_link(&mut self, node: NodeId, href: &str) {
        let mut raw = String::from("<a href=\"");
        crate::html::escape(href, true, &mut raw);
        raw.push('"');
        if let Some(title) = self.tree.attribute(node, Attr::Title) {
            raw.push_str(" title=\"");
            crate::html::escape(title, true, &mut raw);
            raw.push('"');
        }
        raw.push_str("></a>");
        self.inline.raw(&raw);
    }

    fn image(&mut self, node: NodeId) {
        let tree = self.tree;
        if picture::is_tracker(tree, node) {
            return;
        }
        let alt = tree.attribute(node, Attr::Alt).unwrap_or_default();
        let Some(source) = picture::source(tree, node) else { return };
        let title = tree.attribute(node, Attr::Title).map(fold).filter(|title| !title.is_empty());
        let address = if !picture::is_inline(source) {
            match self.options.resolver.output(source) {
                Some(address) => address.into_owned(),
                None => return,
            }
        } else if !self.options.remove_base64_images {
            source.to_owned()
        } else if source.contains("base64") {
            BASE64_PLACEHOLDER.to_owned()
        } else {
            return; // a drawing in place of a picture to come
        };
        if let Some(left) = self.addresses_left.checked_sub(address.len() + alt.len()) {
            self.addresses_left = left;
            self.inline.image(alt, Target { address, title });
        }
    }

    /// A check box at the start of an item is a task.
    fn task(&mut self, node: NodeId) {
        let tree = self.tree;
        let is_box =
            tree.attribute(node, Attr::Type).is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"));
        if is_box && self.inline.is_empty() && self.lines.at_item_start() {
            self.inline.raw(if tree.has(node, Attr::Checked) { "[x]" } else { "[ ]" });
            self.task = true;
            self.inline.space();
        }
    }

    /// What is embedded becomes a link.
    fn frame(&mut self, node: NodeId) {
        let tree = self.tree;
        let source = [Attr::Src, Attr::DataSrc].into_iter().find_map(|name| {
            tree.attribute(node, name).filter(|source| !source.is_empty() && !source.starts_with("about:"))
        });
        let source = source.or_else(|| {
            tree.elements(node)
                .find(|child| tree.tag(*child) == Tag::Source)
                .and_then(|child| tree.attribute(child, Attr::Src))
        });
        let Some(url) = source.and_then(|source| self.options.resolver.web(source)) else { return };
        let label = tree
            .attribute(node, Attr::Title)
            .or_else(|| tree.attribute(node, Attr::AriaLabel))
            .map(fold)
            .filter(|label| !label.is_empty())
            .unwrap_or_else(|| url.host_str().unwrap_or_default().to_owned());
        if self.inline.open_link(Target { address: url.into(), title: None }) {
            self.inline.text(&label);
            self.inline.close_link();
        }
    }

    fn math(&mut self, node: NodeId) -> bool {
        let Some(formula) = math::of(self.tree, node) else { return false };
        if !formula.is_empty() {
            self.inline.raw(&formula);
        }
        true
    }

    fn code_block(&mut self, node: NodeId) {
        let code = code::text(self.tree, node, self.options.faithful);
        if self.in_cell() || self.heading.is_some() {
            self.inline.code(code.trim());
            return;
        }
        self.flush();
        let language = code::language(self.tree, node).unwrap_or_default();
        let fence = code::fence(&code, &language);
        self.lines.start(Leaf::Other);
        self.lines.write(&fence);
        self.lines.write(&language);
        if !code.is_empty() {
            for line in code.split('\n') {
                self.lines.next_line_with(line);
            }
        }
        self.lines.next_line_with(&fence);
        self.ended_list = None;
    }
}

/// Escapes hashes at the end of a heading, which would be dropped.
fn close_hashes(text: &str) -> String {
    let without = text.trim_end_matches('#');
    if without.len() < text.len() && (without.is_empty() || without.ends_with(' ')) {
        format!("{without}\\{}", text.get(without.len()..).unwrap_or_default())
    } else {
        text.to_owned()
    }
}

/// With white space folded and ends trimmed.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Are there blocks inside a link?
fn holds_blocks(tree: &Tree, link: NodeId) -> bool {
    Walk::new(tree, link).any(|edge| matches!(edge, Edge::Enter(node) if tree.tag(node).is_block() && tree.space(node) == Space::Html))
}

/// A fence that a text of this language cannot end.
pub(crate) fn fence(text: &str, language: &str) -> String {
    code::fence(text, language)
}

#[cfg(test)]
mod tests {
    use crate::html_to_markdown;

    /// `(name, html, markdown)`.
    type Row = (&'static str, &'static str, &'static str);

    fn check(rows: &[Row]) {
        for (name, html, markdown) in rows {
            assert_eq!(html_to_markdown(html, None), *markdown, "{name}");
        }
    }

    #[test]
    fn blocks() {
        check(&[
            ("headings", "<h1>A</h1><h2>B</h2><h6>C</h6>", "# A\n\n## B\n\n###### C"),
            ("hashes at the end", "<h2>C #</h2>", "## C \\#"),
            ("a break in a heading", "<h2>A<br>B</h2>", "## A B"),
            ("paragraphs", "<p>a\n  b</p><p>c</p>", "a b\n\nc"),
            ("bare text", "a<div>b</div>c", "a\n\nb\n\nc"),
            ("rule", "<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
            ("hard break", "a<br>b", "a  \nb"),
            ("two breaks", "a<br><br>b", "a\n\nb"),
            ("break at the end", "<p>a<br></p>", "a"),
            ("quote", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
            ("quote in a quote", "<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
            ("details", "<details><summary>S</summary><p>b</p></details>", "**S**\n\nb"),
            (
                "figure",
                "<figure><img src=a.png alt=x><figcaption>C</figcaption></figure>",
                "![x](a.png)\n\nC",
            ),
            ("title is not content", "<title>T</title><p>a", "a"),
            ("shadow root", "<div><template shadowrootmode=open><p>s</p></template></div>", "s"),
            ("template", "<template><p>s</p></template>t", "t"),
        ]);
    }

    #[test]
    fn inline() {
        check(&[
            ("emphasis", "<em>a</em> <strong>b</strong> <del>c</del>", "*a* **b** ~~c~~"),
            ("old emphasis", "<i>a</i><b>b</b>", "*a***b**"),
            ("inside a word", "un<em>frigging</em>believable", "un*frigging*believable"),
            ("space inside", "a<b> b </b>c", "a **b** c"),
            ("colon inside", "<b>a:</b>b", "<strong>a:</strong>b"),
            ("nested", "<em>a <em>b</em></em>", "*a *b**"),
            ("both", "<strong><em>a</em></strong> <em><strong>b</strong></em>", "**_a_** ***b***"),
            ("empty", "a<b></b>b", "ab"),
            ("sub and sup", "H<sub>2</sub>O x<sup>2</sup>", "H<sub>2</sub>O x<sup>2</sup>"),
            ("keys", "<kbd>Ctrl</kbd>", "<kbd>Ctrl</kbd>"),
            ("code", "<code>a`b</code>", "``a`b``"),
            ("code at ticks", "<code>`</code>", "`` ` ``"),
            ("code is not escaped", "<code>*a* &lt;b&gt;</code>", "`*a* <b>`"),
            ("quotation", "<q>a</q>", "\"a\""),
            ("ruby", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
            ("soft hyphen and zero width", "a\u{ad}b\u{200b}c\u{feff}", "abc"),
            ("control characters", "a\u{1b}[31mb", "a[31mb"),
            ("tags as text", "&lt;script>x&lt;/script>", "\\<script>x\\</script>"),
            (
                "formula",
                "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>",
                "$x^2$",
            ),
            (
                "formula in a script",
                "a <script type='math/tex; mode=display'>\\alpha</script>",
                "a $$\\alpha$$",
            ),
        ]);
    }

    #[test]
    fn links_and_images() {
        check(&[
            ("link", "<a href='/a b'>x</a>", "[x](</a b>)"),
            ("title", "<a href=a title='t \"q\"'>x</a>", "[x](a \"t \\\"q\\\"\")"),
            ("parentheses", "<a href='a(b'>x</a> <a href='a(b)'>y</a>", "[x](<a(b>) [y](a(b))"),
            ("brackets", "<a href=a>x]</a> <a href=a>[x]</a>", "[x\\]](a) [[x]](a)"),
            (
                "dangerous",
                "<a href='javascript:x'>a</a> <a href='data:text/html,x'>b</a> <a href=' \tvbscript:x'>c</a>",
                "a b c",
            ),
            ("mail", "<a href=mailto:a@b.example>m</a>", "[m](mailto:a@b.example)"),
            ("around blocks", "<a href=/p><h3>T</h3><p>x</p></a>", "### [T](/p)\n\nx"),
            ("bang before", "wow!<a href=a>x</a>", "wow\\![x](a)"),
            ("image", "<img src=a.png alt='an [x]' title=t>", "![an [x]](a.png \"t\")"),
            ("image in a link", "<a href=b><img src=a.png alt=x></a>", "[![x](a.png)](b)"),
            ("lazy image", "<img src='data:image/gif;base64,R0' data-src=/r.png alt=l>", "![l](/r.png)"),
            ("inline image", "<img src='data:image/png;base64,R0' alt=l>", "![l](<Base64-Image-Removed>)"),
            ("tracker", "a<img src=t.gif width=1 height=1>", "a"),
            (
                "frame",
                "<iframe src='https://v.example/1' title='A film'></iframe>",
                "[A film](https://v.example/1)",
            ),
        ]);
    }

    #[test]
    fn lists() {
        check(&[
            ("tight", "<ul><li>a<li>b</ul>", "- a\n- b"),
            ("loose", "<ul><li><p>a</p></li><li><p>b</p></li></ul>", "- a\n\n- b"),
            ("ordered", "<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
            ("nested", "<ul><li>a<ol><li>b<li>c</ol><li>d</ul>", "- a\n  1. b\n  2. c\n- d"),
            ("list right in a list", "<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
            ("item without a list", "<li>a<li>b", "- a\n- b"),
            ("two lists", "<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
            (
                "tasks",
                "<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>",
                "- [x] a\n- [ ] b",
            ),
            ("code in an item", "<ul><li>a<pre>x\ny</pre></ul>", "- a\n  ```\n  x\n  y\n  ```"),
            ("quote in an item", "<ul><li><blockquote>q</blockquote></ul>", "- > q"),
            ("paragraphs in an item", "<ol><li><p>a</p><p>b</p></ol>", "1. a\n\n   b"),
            ("empty item", "<ul><li>a<li><li>b</ul>", "- a\n-\n- b"),
            ("number as text", "<p>1. a</p>", "1\\. a"),
            ("terms", "<dl><dt>T<dd>D</dl>", "**T**\n\nD"),
        ]);
    }

    #[test]
    fn code_blocks() {
        check(&[
            ("plain", "<pre>a\n  b\n</pre>", "```\na\n  b\n```"),
            ("class on code", "<pre><code class=language-rust>x</code></pre>", "```rust\nx\n```"),
            ("class on pre", "<pre class='brush: js;'>x</pre>", "```js\nx\n```"),
            (
                "class around",
                "<div class='highlight highlight-source-python'><pre>x</pre></div>",
                "```python\nx\n```",
            ),
            (
                "sphinx",
                "<div class='highlight-c notranslate'><div class=highlight><pre>x</pre></div></div>",
                "```c\nx\n```",
            ),
            ("fence inside", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
            ("spans and breaks", "<pre><span>a</span><br><b>b</b></pre>", "```\na\nb\n```"),
            ("line numbers", "<pre><span class=lineno>1</span>a</pre>", "```\na\n```"),
        ]);
    }

    #[test]
    fn tables() {
        check(&[
            ("plain", "<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
            (
                "alignment",
                "<table><tr><th align=left>A<th align=center>B<th style='text-align: right'>C<tr><td>1<td>2<td>3</table>",
                "| A | B | C |\n| :--- | :---: | ---: |\n| 1 | 2 | 3 |",
            ),
            (
                "without a header",
                "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
                "| 1 | 2 |\n| --- | --- |\n| 3 | 4 |",
            ),
            (
                "pipes and blocks",
                "<table><tr><th>a|b<tr><td><p>x</p><p>y</p></table>",
                "| a\\|b |\n| --- |\n| x<br>y |",
            ),
            (
                "spans",
                "<table><tr><th colspan=2>W<th>Z<tr><td rowspan=2>r<td>1<td>2<tr><td>3<td>4</table>",
                "| W | | Z |\n| --- | --- | --- |\n| r | 1 | 2 |\n| | 3 | 4 |",
            ),
            ("caption", "<table><caption>C</caption><tr><th>A</table>", "C\n\n| A |\n| --- |"),
            (
                "list in a cell",
                "<table><tr><th>A<tr><td><ul><li>x<li>y</ul></table>",
                "| A |\n| --- |\n| - x<br>- y |",
            ),
            (
                "code in a cell",
                "<table><tr><th>A<tr><td><code>a|b</code></table>",
                "| A |\n| --- |\n| `a\\|b` |",
            ),
        ]);
    }

    #[test]
    fn a_page_leaves_out_what_nobody_sees() {
        let rows: &[Row] = &[
            (
                "table for layout",
                "<table role=presentation><tr><td>a<td>b<tr><td><h2>c</h2></table>",
                "a b\n\n## c",
            ),
            ("empty link", "a <a href=b></a>c", "a c"),
            ("empty heading", "<h2></h2><p>a", "a"),
            ("empty quote", "<blockquote></blockquote><p>a", "a"),
        ];
        for (name, html, markdown) in rows {
            let tree = crate::tree::parse(html, crate::tree::ParseOptions::default());
            let resolver = crate::address::Resolver::without_base();
            let options = super::Options { resolver: &resolver, remove_base64_images: true, faithful: false };
            assert_eq!(super::write(&tree, &crate::view::View::whole(&tree), options), *markdown, "{name}");
        }
    }

    #[test]
    fn addresses_are_absolute_where_there_is_a_page() {
        let url = "https://example.org/a/b".parse().unwrap();
        let html = "<base href=/docs/><a href=x>1</a> <a href='#f'>2</a> <img src=//cdn.example/i.png alt=3>";
        assert_eq!(
            html_to_markdown(html, Some(&url)),
            "[1](https://example.org/docs/x) [2](https://example.org/docs/#f) ![3](https://cdn.example/i.png)"
        );
    }
}
