//! The values of the states of a page, in one vector.
//!
//! A value is followed by all values inside it, so that a value and its content are one range. Sums over
//! contents need one pass from the end, and nothing here recurses. A value takes 24 bytes; maps of
//! `serde_json` take hundreds for an object, and they lose the order of the members, which is the order of
//! the text.

/// Upper bound on the values of a page.
pub(super) const MAX_VALUES: usize = 400_000;

/// Members of an object that are looked at to find one by its name.
const MAX_LOOKED_AT: usize = 64;

/// Digits of the highest index.
const MAX_DIGITS: usize = 9;

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `null`, `undefined` and everything else without content.
    Null,
    /// `true`.
    True,
    /// `false`.
    False,
    /// A number, as written.
    Number,
    /// A string, decoded.
    Text,
    /// The name of a variable.
    Name,
    /// An array.
    List,
    /// An object.
    Object,
}

/// A range of [`Values::text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The range without its first bytes.
    pub(super) const fn skip(self, bytes: u32) -> Self {
        let start = self.start.saturating_add(bytes);
        Self { start: if start < self.end { start } else { self.end }, end: self.end }
    }

    /// Its length in bytes.
    pub(super) const fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    /// The name of the member, if the value is in an object.
    key: Span,
    text: Span,
    /// The index after the last value inside.
    end: u32,
}

/// The index of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ValueId(u32);

impl ValueId {
    /// The index in vectors with one entry per value.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Values, and the text of all strings.
#[derive(Debug, Default)]
pub(super) struct Values {
    nodes: Vec<Node>,
    text: String,
}

impl Values {
    fn node(&self, id: ValueId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The number of values; every index is lower.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if no more values are taken.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() >= MAX_VALUES
    }

    /// Bytes of all strings.
    pub(super) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// Appends to the text of all strings.
    pub(super) fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// The range of the text written since `start` bytes.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let at = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        Span { start: at(start), end: at(self.text.len()) }
    }

    /// Appends a string to the text.
    pub(super) fn store(&mut self, text: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(text);
        self.span_from(start)
    }

    /// Adds a value without content. A container is [closed](Self::close) after its content.
    pub(super) fn push(&mut self, kind: Kind, key: Span, text: Span) -> ValueId {
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX - 1);
        self.nodes.push(Node { kind, key, text, end: id + 1 });
        ValueId(id)
    }

    /// Ends a container: all values added since are its content.
    pub(super) fn close(&mut self, id: ValueId) {
        let end = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.nodes.get_mut(id.index()) {
            node.end = end;
        }
    }

    /// Gives a value another name.
    pub(super) fn set_key(&mut self, id: ValueId, key: Span) {
        if let Some(node) = self.nodes.get_mut(id.index()) {
            node.key = key;
        }
    }

    /// Drops everything beyond a number of values and of bytes of text.
    pub(super) fn truncate(&mut self, values: usize, text_bytes: usize) {
        self.nodes.truncate(values);
        self.text.truncate(text_bytes);
    }

    /// The kind of a value.
    pub(super) fn kind(&self, id: ValueId) -> Kind {
        self.node(id).map_or(Kind::Null, |node| node.kind)
    }

    /// The name of a value in its object; empty elsewhere.
    pub(super) fn key(&self, id: ValueId) -> &str {
        self.node(id).map_or("", |node| self.slice(node.key))
    }

    /// The range of the name of a value.
    pub(super) fn key_span(&self, id: ValueId) -> Span {
        self.node(id).map_or(Span::default(), |node| node.key)
    }

    /// The range of the text of a value.
    pub(super) fn text_span(&self, id: ValueId) -> Span {
        self.node(id).map_or(Span::default(), |node| node.text)
    }

    /// The text of a string, number or name; empty for other values.
    pub(super) fn text(&self, id: ValueId) -> &str {
        self.node(id).map_or("", |node| self.slice(node.text))
    }

    /// The text of a string.
    pub(super) fn string(&self, id: ValueId) -> Option<&str> {
        (self.kind(id) == Kind::Text).then(|| self.text(id))
    }

    /// A number that is an index.
    pub(super) fn index(&self, id: ValueId) -> Option<usize> {
        let text = self.text(id);
        (self.kind(id) == Kind::Number && text.len() <= MAX_DIGITS).then(|| text.parse().ok()).flatten()
    }

    /// The index after the last value inside a value.
    pub(super) fn end(&self, id: ValueId) -> usize {
        self.node(id).map_or(0, |node| node.end as usize)
    }

    /// The elements of a list or the members of an object, in order.
    pub(super) fn children(&self, id: ValueId) -> impl Iterator<Item = ValueId> + '_ {
        let end = self.node(id).map_or(0, |node| node.end);
        let mut next = id.0.saturating_add(1);
        std::iter::from_fn(move || {
            let child = ValueId(next);
            let node = self.node(child).filter(|_| next < end)?;
            next = node.end;
            Some(child)
        })
    }

    /// All values of a range of indices, in order.
    pub(super) fn range(&self, from: usize, to: usize) -> impl DoubleEndedIterator<Item = ValueId> + use<> {
        let at = |index: usize| u32::try_from(index.min(self.nodes.len())).unwrap_or(u32::MAX);
        (at(from)..at(to)).map(ValueId)
    }

    /// The first elements or members.
    pub(super) fn first_children(&self, id: ValueId) -> impl Iterator<Item = ValueId> + '_ {
        self.children(id).take(MAX_LOOKED_AT)
    }

    /// A member of an object by its name, among the first ones.
    pub(super) fn member(&self, id: ValueId, name: &str) -> Option<ValueId> {
        if self.kind(id) != Kind::Object {
            return None;
        }
        self.first_children(id).find(|child| self.key(*child) == name)
    }

    /// The first member of an object with one of these names.
    pub(super) fn member_of(&self, id: ValueId, names: &[&str]) -> Option<ValueId> {
        if self.kind(id) != Kind::Object {
            return None;
        }
        self.first_children(id).find(|child| names.contains(&self.key(*child)))
    }

    /// A string among the members of an object.
    pub(super) fn string_of(&self, id: ValueId, names: &[&str]) -> Option<&str> {
        if self.kind(id) != Kind::Object {
            return None;
        }
        let is_wanted =
            |child: &ValueId| self.kind(*child) == Kind::Text && names.contains(&self.key(*child));
        self.first_children(id).find(is_wanted).map(|child| self.text(child))
    }
}
