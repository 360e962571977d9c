//! Writes the text of a value as HTML, which is then read like any page.
//!
//! Known nodes of formatted texts become their elements. Of other objects the headings and texts are written
//! in the order of their members. Nothing recurses: open elements are tasks on a stack.

use gleaner_types::Interrupt;

use super::context::Context;
use super::shape::{Shape, attribute};
use super::value::{Kind, ValueId, Values};
use super::weigh::{Weights, is_element};
use super::{image, keys, leaf, prose, record};
use crate::body::markdown;
use crate::html::escape;
use crate::tree::{Tag, decode_references};
use crate::words::is_unspaced;

/// A longer heading is a text, in bytes.
const MAX_HEADING_BYTES: usize = 300;

/// Upper bound on the memory of the parser of Markdown, in bytes. A longer text is written as it is.
const MAX_MARKDOWN_MEMORY: usize = 32 << 20;

/// Upper bound on the objects around the content of a node, such as `data` and `attrs`.
const MAX_WRAPPERS: usize = 3;

/// What is left to write, last first.
#[derive(Debug, Clone, Copy)]
enum Task {
    Value(ValueId, Context),
    Open(Tag),
    Close(Tag),
}

/// Writes values as HTML.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    values: &'a Values,
    weights: &'a Weights,
    interrupt: &'a Interrupt,
    tasks: Vec<Task>,
    /// The definitions of the formats in the present block.
    definitions: Option<ValueId>,
    /// The entities of the present text.
    entities: Option<ValueId>,
    out: String,
    /// Nothing is written beyond this many bytes, except for end tags.
    limit: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        values: &'a Values,
        weights: &'a Weights,
        limit: usize,
        interrupt: &'a Interrupt,
    ) -> Self {
        Self {
            values,
            weights,
            interrupt,
            tasks: Vec::new(),
            definitions: None,
            entities: None,
            out: String::new(),
            limit,
        }
    }

    /// Writes a value, and returns its HTML.
    pub(super) fn write(&mut self, value: ValueId, context: Context) -> String {
        self.tasks.push(Task::Value(value, context));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Close(tag) => self.tag("</", tag),
                _ if self.out.len() >= self.limit || self.interrupt.spend(1) => {}
                Task::Open(tag) => self.tag("<", tag),
                Task::Value(value, context) => self.value(value, context),
            }
        }
        self.limit = self.limit.saturating_sub(self.out.len());
        std::mem::take(&mut self.out)
    }

    fn tag(&mut self, start: &str, tag: Tag) {
        self.out.push_str(start);
        self.out.push_str(tag.name());
        self.out.push('>');
    }

    fn value(&mut self, value: ValueId, context: Context) {
        match self.values.kind(value) {
            Kind::Text => self.text(value, context),
            Kind::List => self.list(value, context),
            Kind::Object => self.object(value, context),
            Kind::Number if !matches!(context, Context::Block | Context::Rows) => self.text(value, context),
            _ => {}
        }
    }

    /// Adds tasks, in their order.
    fn add(&mut self, tasks: impl DoubleEndedIterator<Item = Task>) {
        self.tasks.extend(tasks.rev());
    }

    /// Adds the tasks of an element with content.
    fn add_element(&mut self, tag: Tag, content: ValueId, context: Context) {
        self.tag("<", tag);
        self.tasks.push(Task::Close(tag));
        self.tasks.push(Task::Value(content, context));
    }

    fn text(&mut self, value: ValueId, context: Context) {
        let text = self.values.text(value);
        match context {
            Context::Block => {
                if self.weights.letters(value) > 0 {
                    self.prose(text);
                }
            }
            Context::Inline => leaf::write_text(text, &mut self.out),
            Context::Literal | Context::Code => escape(text, false, &mut self.out),
            Context::Items | Context::Rows | Context::Cells => {
                let tag = if context == Context::Items { Tag::Li } else { Tag::Td };
                self.tag("<", tag);
                leaf::write_text(text, &mut self.out);
                self.tag("</", tag);
            }
        }
    }

    /// Writes a text as paragraphs.
    fn prose(&mut self, text: &str) {
        // HTML that is escaped twice.
        let is_escaped = ["&lt;/p&gt;", "&lt;/div&gt;", "&lt;br"].iter().any(|tag| text.contains(tag));
        if is_escaped && !prose::is_html(text) {
            self.out.push_str("<div>");
            self.out.push_str(&decode_references(text, false));
            self.out.push_str("</div>");
            return;
        }
        match prose::form(text) {
            prose::Form::Html => {
                self.out.push_str("<div>");
                self.out.push_str(text);
                self.out.push_str("</div>");
            }
            prose::Form::Markdown if markdown::parsed_bytes(text) <= MAX_MARKDOWN_MEMORY => {
                self.out.push_str(&markdown::html(text, false, self.interrupt).1);
            }
            _ => {
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    self.tag("<", Tag::P);
                    escape(&decode_references(line, false), false, &mut self.out);
                    self.tag("</", Tag::P);
                }
            }
        }
    }

    fn list(&mut self, list: ValueId, context: Context) {
        if is_element(self.values, list) {
            return self.element(list, context);
        }
        let values = self.values;
        if context == Context::Rows {
            // Rows as lists of cells.
            let rows: Vec<Task> = values
                .children(list)
                .flat_map(|row| match values.kind(row) {
                    Kind::List => {
                        vec![Task::Open(Tag::Tr), Task::Value(row, Context::Cells), Task::Close(Tag::Tr)]
                    }
                    _ => vec![Task::Value(row, Context::Rows)],
                })
                .collect();
            return self.add(rows.into_iter());
        }
        if context == Context::Block && self.is_list_of_strings(list) {
            return self.add_element(Tag::Ul, list, Context::Items);
        }
        // Items without a list around them.
        let is_item = |child: ValueId| {
            context != Context::Items && Shape::of(values, child) == Some(Shape::Element(Tag::Li))
        };
        let mut tasks = Vec::new();
        let mut in_items = None;
        for child in values.children(list) {
            let wanted = is_item(child).then(|| if is_numbered(values, child) { Tag::Ol } else { Tag::Ul });
            if wanted != in_items {
                tasks.extend(in_items.map(Task::Close));
                tasks.extend(wanted.map(Task::Open));
                in_items = wanted;
            }
            tasks.push(Task::Value(child, if wanted.is_some() { Context::Items } else { context }));
        }
        tasks.extend(in_items.map(Task::Close));
        self.add(tasks.into_iter());
    }

    /// True for a list of at least two strings with several words, such as the ingredients of a recipe.
    fn is_list_of_strings(&self, list: ValueId) -> bool {
        let values = self.values;
        let (mut strings, mut phrases, mut all) = (0, 0, 0);
        for child in values.first_children(list) {
            all += 1;
            if let Some(text) = values.string(child) {
                strings += 1;
                let is_phrase = !text.contains("://") && text.contains(|c: char| c == ' ' || is_unspaced(c));
                phrases += usize::from(is_phrase && self.weights.letters(child) == 0);
            }
        }
        strings >= 2 && strings == all && phrases * 2 > strings
    }

    /// Writes an element of a list: `["$", "p", null, {...}]` or `["p", {...}, "text"]`.
    fn element(&mut self, list: ValueId, context: Context) {
        let values = self.values;
        let mut parts = values.children(list);
        let Some(first) = parts.next() else { return };
        if values.text(first) != "$" {
            let attributes = parts.next();
            let tasks: Vec<Task> = parts.map(|part| Task::Value(part, Context::Literal)).collect();
            return self.tagged(values.text(first), attributes, tasks, context);
        }
        let (name, _, properties) = (parts.next(), parts.next(), parts.next());
        let Some(properties) = properties else { return };
        let name = name.and_then(|name| values.string(name)).unwrap_or_default();
        let html = values
            .member(properties, "dangerouslySetInnerHTML")
            .and_then(|inner| values.member(inner, "__html"));
        let tasks = match (html, values.member(properties, "children")) {
            (Some(html), _) => vec![Task::Value(html, Context::Inline)],
            (None, Some(children)) => vec![Task::Value(children, Context::Literal)],
            // A component that shows its properties.
            (None, None) if name.is_empty() => vec![Task::Value(properties, Context::Block)],
            (None, None) => Vec::new(),
        };
        self.tagged(name, Some(properties), tasks, context);
    }

    /// Adds the tasks of an element by its name.
    fn tagged(&mut self, name: &str, attributes: Option<ValueId>, content: Vec<Task>, context: Context) {
        match Shape::of_tag(name) {
            Shape::Skip => {}
            Shape::Image => {
                if let Some(object) = attributes {
                    image::write(self.values, object, &mut self.out);
                }
            }
            Shape::Void(tag) => self.tag("<", tag),
            Shape::Element(tag) => {
                let link = attributes.and_then(|attributes| leaf::link_of(self.values, attributes));
                self.start_tag(tag, attributes, link);
                self.tasks.push(Task::Close(tag));
                let inside = Context::inside(tag);
                let is_code = context == Context::Code || inside == Context::Code;
                let of = |task: Task| match task {
                    Task::Value(value, _) if is_code => Task::Value(value, Context::Code),
                    other => other,
                };
                self.add(content.into_iter().map(of));
            }
            _ => self.add(content.into_iter()),
        }
    }

    /// Writes a start tag with the attributes that matter.
    fn start_tag(&mut self, tag: Tag, attributes: Option<ValueId>, link: Option<&str>) {
        const COPIED: [&str; 8] =
            ["className", "class", "id", "role", "start", "colspan", "rowspan", "datetime"];
        let values = self.values;
        self.out.push('<');
        self.out.push_str(tag.name());
        let copied = COPIED.iter().filter_map(|name| {
            let value = values.string_of(attributes?, &[*name])?;
            Some((if *name == "className" { "class" } else { *name }, value))
        });
        for (name, value) in copied.chain(link.filter(|_| tag == Tag::A).map(|link| ("href", link))) {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            escape(value, true, &mut self.out);
            self.out.push('"');
        }
        self.out.push('>');
    }

    fn object(&mut self, object: ValueId, context: Context) {
        let values = self.values;
        if context == Context::Block && self.weights.is_other_page(object) && !image::is_image(values, object)
        {
            return;
        }
        let Some(shape) = Shape::of(values, object) else {
            if context == Context::Block {
                return self.section(object);
            }
            if context == Context::Items {
                self.tag("<", Tag::Li);
                self.tasks.push(Task::Close(Tag::Li));
                return self.content(object, Context::Inline);
            }
            if leaf::text_of(values, object).is_some()
                && matches!(context, Context::Inline | Context::Literal)
            {
                return leaf::write(values, object, self.definitions, &mut self.out);
            }
            return self.content(object, context);
        };
        match shape {
            Shape::Skip => {}
            Shape::Void(tag) => self.tag("<", tag),
            Shape::Text if context == Context::Code => {
                if let Some(text) = leaf::text_of(values, object) {
                    escape(values.text(text), false, &mut self.out);
                }
            }
            Shape::Text => match leaf::text_of(values, object) {
                // A text that is a part of its own, such as a component of a page.
                Some(text) if context == Context::Block && self.weights.letters(text) > 0 => {
                    self.section(object);
                }
                Some(_) => leaf::write(values, object, self.definitions, &mut self.out),
                None => self.content(object, context),
            },
            Shape::Image => image::write(values, object, &mut self.out),
            Shape::Html => {
                let html = attribute(values, object, &["html", "value", "content", "text", "innerHTML"]);
                if let Some(html) = html {
                    self.out.push_str("<div>");
                    self.out.push_str(html);
                    self.out.push_str("</div>");
                }
            }
            Shape::Code => {
                self.out.push_str("<pre><code");
                if let Some(language) = attribute(values, object, &["language", "lang"]) {
                    self.out.push_str(" class=\"language-");
                    escape(language, true, &mut self.out);
                    self.out.push('"');
                }
                self.out.push('>');
                self.tasks.push(Task::Close(Tag::Pre));
                self.tasks.push(Task::Close(Tag::Code));
                match attribute(values, object, &["code"]) {
                    Some(code) => escape(code, false, &mut self.out),
                    None => self.content(object, Context::Code),
                }
            }
            Shape::Element(tag) => {
                // A component of a page with a heading of its own.
                let has_heading = !matches!(tag, Tag::A)
                    && values.first_children(object).any(|member| {
                        values.kind(member) == Kind::Text
                            && keys::is_title(values.key(member))
                            && values.key(member) != "name"
                    });
                if has_heading && context == Context::Block {
                    return self.section(object);
                }
                let attributes = values.member_of(object, &["props", "properties"]);
                self.start_tag(tag, attributes, leaf::link_of(values, object));
                self.tasks.push(Task::Close(tag));
                self.definitions = values.member(object, "markDefs").or(self.definitions);
                if leaf::has_ranges(values, object) {
                    leaf::write_ranges(values, object, self.entities, &mut self.out);
                    return;
                }
                let inside = if context == Context::Code { Context::Code } else { Context::inside(tag) };
                self.content(object, inside);
            }
            Shape::Group => self.content(object, context),
        }
    }

    /// Adds tasks for the content of a node.
    fn content(&mut self, node: ValueId, context: Context) {
        let mut tasks = Vec::new();
        self.collect(node, context, MAX_WRAPPERS, &mut tasks);
        self.add(tasks.into_iter());
    }

    /// Collects the content of a node. `wrappers` is the number of objects that may be around it.
    fn collect(&mut self, node: ValueId, context: Context, wrappers: usize, tasks: &mut Vec<Task>) {
        let values = self.values;
        self.entities = values.member(node, "entityMap").or(self.entities);
        let own_name = values.string_of(node, &["type"]).unwrap_or_default();
        for member in values.first_children(node) {
            let key = values.key(member);
            let is_content = keys::is_content(key) || (key == own_name && !key.is_empty());
            match values.kind(member) {
                Kind::Object if is_content && wrappers > 0 && Shape::of(values, member).is_none() => {
                    self.collect(member, context, wrappers - 1, tasks);
                }
                Kind::List if key == "items" && context == Context::Inline => tasks.extend([
                    Task::Open(Tag::Ul),
                    Task::Value(member, Context::Items),
                    Task::Close(Tag::Ul),
                ]),
                Kind::List | Kind::Object if is_content => tasks.push(Task::Value(member, context)),
                Kind::Text
                    if keys::is_text(key)
                        && (context != Context::Block || self.weights.letters(member) > 0) =>
                {
                    // Rows and lists have no text of their own.
                    let is_inline = matches!(context, Context::Items | Context::Rows | Context::Cells);
                    tasks.push(Task::Value(member, if is_inline { Context::Inline } else { context }));
                }
                _ => {}
            }
        }
    }

    /// Writes an object that is a part of a text by its headings and texts.
    fn section(&mut self, object: ValueId) {
        let values = self.values;
        let is_short = self.weights.letters(object) == 0;
        if is_short && !is_short_section(values, object) {
            if image::is_image(values, object) {
                image::write(values, object, &mut self.out);
            }
            return;
        }
        self.entities = values.member(object, "entityMap").or(self.entities);
        let shorter = record::versions(values, self.weights, object);
        let mut tasks = Vec::new();
        let mut has_heading = false;
        for member in values.children(object) {
            let key = values.key(member);
            if keys::is_other(key) || shorter.contains(&member) {
                continue;
            }
            match values.kind(member) {
                Kind::Text => {
                    let text = values.text(member);
                    let is_heading = !has_heading && keys::is_heading(key) && text.len() <= MAX_HEADING_BYTES;
                    if is_heading && !text.trim().is_empty() {
                        has_heading = true;
                        tasks.extend([
                            Task::Open(Tag::H2),
                            Task::Value(member, Context::Inline),
                            Task::Close(Tag::H2),
                        ]);
                    } else if self.weights.letters(member) > 0 {
                        tasks.push(Task::Value(member, Context::Block));
                    } else if keys::is_text(key) && (is_short || has_words(text)) && !text.trim().is_empty() {
                        tasks.extend([
                            Task::Open(Tag::P),
                            Task::Value(member, Context::Inline),
                            Task::Close(Tag::P),
                        ]);
                    }
                }
                Kind::List | Kind::Object => tasks.push(Task::Value(member, Context::Block)),
                _ => {}
            }
        }
        self.add(tasks.into_iter());
    }
}

/// True for an object with a heading and a text of which one has several words, such as a question with its
/// answer.
fn is_short_section(values: &Values, object: ValueId) -> bool {
    let headings = || texts_named(values, object, keys::is_heading);
    let texts = || texts_named(values, object, keys::is_text);
    headings().next().is_some() && texts().next().is_some() && headings().chain(texts()).any(has_words)
}

/// The strings of an object by their names.
fn texts_named(values: &Values, object: ValueId, is_wanted: fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let members = values.first_children(object).filter(move |member| is_wanted(values.key(*member)));
    members.filter_map(move |member| values.string(member)).filter(|text| !text.trim().is_empty())
}

/// True for a text of several words, or of a script without spaces.
fn has_words(text: &str) -> bool {
    text.trim().contains(|c: char| c == ' ' || is_unspaced(c))
}

/// True for an item of a numbered list that stands without its list.
fn is_numbered(values: &Values, item: ValueId) -> bool {
    let kind = values.string_of(item, &["listItem", "type"]).unwrap_or_default().to_ascii_lowercase();
    kind.starts_with("number") || kind.starts_with("ordered") || kind.starts_with("o-") || kind == "oli"
}
