//! Replaces references by the values that they name.
//!
//! Frameworks write a value that occurs twice once, and refer to it. The forms are recognised by their shape:
//! tables whose containers hold indices (devalue of Nuxt and Svelte, turbo-stream of Remix), records under
//! keys (caches of GraphQL clients), parameters of a function, pairs of a type and a value (Astro), rows of a
//! stream (server components of React). Strings that hold JSON are replaced by their values too.

use std::collections::{HashMap, HashSet};

use gleaner_types::Interrupt;

use super::literal;
use super::value::{Kind, MAX_VALUES, Span, ValueId, Values};
use crate::names::truncate;

/// Upper bound on the depth of a value whose references are replaced. What is deeper is left out.
const MAX_DEPTH: usize = 96;

/// Upper bound on references that are followed one within another, between records under keys.
const MAX_KEYED: usize = 3;

/// A shorter string is not read as JSON, in bytes.
const MIN_JSON_BYTES: usize = 60;

/// Longer keys and names of variables are not referred to, in bytes.
const MAX_KEY_BYTES: usize = 500;

/// Copies may multiply the values of a page by this.
const MAX_COPIES: usize = 4;

/// Values that the copies of any page may have.
const BASE_VALUES: usize = 1_024;

/// The name of the member that refers to a record by its key.
const KEY_REFERENCE: &str = "__ref";

/// How a value refers to others.
#[derive(Debug)]
pub(super) enum References {
    /// Not at all, except for JSON in strings.
    None,
    /// Containers of a table hold indices of it.
    Indices(Vec<ValueId>),
    /// Like [`Self::Indices`]; the names of members are indices too, after a `_`.
    NamedIndices(Vec<ValueId>),
    /// `{"__ref": key}` refers to the object under this key.
    Keys(HashMap<String, ValueId>),
    /// Names of variables.
    Names(HashMap<String, ValueId>),
    /// `[type, value]` stands for its value.
    Pairs,
    /// `"$1f"` refers to a row.
    Rows(HashMap<String, ValueId>),
}

impl References {
    /// Recognises the references in a value by its shape.
    pub(super) fn of(values: &Values, root: ValueId) -> Self {
        match values.kind(root) {
            Kind::List => {
                let Some(first) = values.children(root).next() else { return Self::None };
                let has_indices = values.children(first).next().is_some()
                    && values.children(first).all(|child| is_index(values, child));
                let table = || values.children(root).collect();
                match values.kind(first) {
                    Kind::Object if has_indices => {
                        let is_named = |child| values.key(child).strip_prefix('_').is_some_and(is_digits);
                        if values.children(first).all(is_named) {
                            Self::NamedIndices(table())
                        } else {
                            Self::Indices(table())
                        }
                    }
                    // `["Reactive", 1]`
                    Kind::List if has_indices || is_wrapper(values, first) => Self::Indices(table()),
                    _ => Self::None,
                }
            }
            Kind::Object => {
                let mut members = values.children(root).peekable();
                if members.peek().is_some() && members.all(|member| pair(values, member).is_some()) {
                    return Self::Pairs;
                }
                let keys = keys(values, root);
                if keys.is_empty() { Self::None } else { Self::Keys(keys) }
            }
            _ => Self::None,
        }
    }

    const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for an index, or a negative number that stands for a value such as `undefined`.
fn is_index(values: &Values, value: ValueId) -> bool {
    let text = values.text(value);
    values.kind(value) == Kind::Number && is_digits(text.strip_prefix('-').unwrap_or(text))
}

/// True for an entry of a table that wraps another: `["Ref", 7]`.
fn is_wrapper(values: &Values, value: ValueId) -> bool {
    let mut children = values.children(value);
    let is_name = children.next().is_some_and(|name| values.kind(name) == Kind::Text);
    is_name && children.next().is_some_and(|index| is_index(values, index)) && children.next().is_none()
}

/// The value of `[type, value]`, whose type is a small number.
fn pair(values: &Values, value: ValueId) -> Option<ValueId> {
    if values.kind(value) != Kind::List {
        return None;
    }
    let mut children = values.children(value);
    let kind = children.next()?;
    let inner = children.next()?;
    let is_pair = values.index(kind).is_some_and(|kind| kind < 16) && children.next().is_none();
    is_pair.then_some(inner)
}

/// The objects that a value refers to by their keys.
fn keys(values: &Values, root: ValueId) -> HashMap<String, ValueId> {
    let all = || values.range(root.index(), values.end(root));
    let referred: HashSet<&str> = all()
        .filter(|value| values.kind(*value) == Kind::Text && values.key(*value) == KEY_REFERENCE)
        .map(|value| values.text(value))
        .collect();
    if referred.is_empty() {
        return HashMap::new();
    }
    let is_referred = |value: &ValueId| {
        let key = values.key(*value);
        values.kind(*value) == Kind::Object && key.len() <= MAX_KEY_BYTES && referred.contains(key)
    };
    all().filter(is_referred).map(|value| (values.key(value).to_owned(), value)).collect()
}

/// What is left to do, last first.
#[derive(Debug, Clone, Copy)]
enum Task {
    Copy {
        from: ValueId,
        key: Span,
        depth: usize,
    },
    Close(ValueId),
    /// The content of this value is copied.
    Leave(ValueId),
}

/// Copies a value with its references replaced. Beyond the bounds on values and on text, content is left out.
/// `text_bytes` is what is left of the text that all copies may repeat, in bytes.
pub(super) fn resolve(
    values: &mut Values,
    root: ValueId,
    references: &References,
    text_bytes: &mut usize,
    interrupt: &Interrupt,
) -> ValueId {
    if references.is_none() && !holds_json(values, root) {
        return root;
    }
    let max_values = (values.len() * MAX_COPIES + BASE_VALUES).min(2 * MAX_VALUES);
    let mut copier = Copier {
        values,
        references,
        text_bytes,
        interrupt,
        tasks: vec![Task::Copy { from: root, key: Span::default(), depth: 0 }],
        open: HashSet::new(),
        keyed_values: match references {
            References::Keys(keys) => keys.values().copied().collect(),
            _ => HashSet::new(),
        },
        keyed: 0,
        max_values,
    };
    if let References::Indices(table) | References::NamedIndices(table) = references {
        copier.tasks = table
            .first()
            .map(|from| Task::Copy { from: *from, key: Span::default(), depth: 0 })
            .into_iter()
            .collect();
    }
    copier.run().unwrap_or(root)
}

/// True if a string of the value holds JSON.
fn holds_json(values: &Values, root: ValueId) -> bool {
    let mut all = values.range(root.index(), values.end(root));
    all.any(|value| values.string(value).is_some_and(is_json))
}

/// True for a text that may be an object or a list in JSON.
fn is_json(text: &str) -> bool {
    if text.len() < MIN_JSON_BYTES {
        return false;
    }
    let text = text.trim_ascii();
    let bytes = text.as_bytes();
    let inner = bytes.get(1..).unwrap_or_default().trim_ascii_start().first();
    match (bytes.first(), bytes.last()) {
        (Some(b'{'), Some(b'}')) => matches!(inner, Some(b'"')),
        (Some(b'['), Some(b']')) => matches!(inner, Some(b'{' | b'[' | b'"')),
        _ => false,
    }
}

#[derive(Debug)]
struct Copier<'a> {
    values: &'a mut Values,
    references: &'a References,
    text_bytes: &'a mut usize,
    interrupt: &'a Interrupt,
    tasks: Vec<Task>,
    /// The referred values around the present one.
    open: HashSet<ValueId>,
    /// The records under keys.
    keyed_values: HashSet<ValueId>,
    /// Records under keys around the present value.
    keyed: usize,
    /// No more values are copied.
    max_values: usize,
}

impl Copier<'_> {
    /// Copies all; the first copy is the root.
    fn run(&mut self) -> Option<ValueId> {
        let mut root = None;
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Close(copy) => self.values.close(copy),
                Task::Leave(value) => {
                    self.open.remove(&value);
                    self.keyed = self.keyed.saturating_sub(1);
                }
                Task::Copy { from, key, depth } => {
                    if self.values.len() >= self.max_values || self.interrupt.spend(1) {
                        continue;
                    }
                    let copy = self.copy(from, key, depth);
                    root = root.or(copy);
                }
            }
        }
        root
    }

    fn copy(&mut self, from: ValueId, key: Span, depth: usize) -> Option<ValueId> {
        let Some(target) = self.target(from) else {
            return Some(self.values.push(Kind::Null, key, Span::default()));
        };
        let is_reference = target != from
            || match self.references {
                References::Indices(_) | References::NamedIndices(_) => true,
                References::Keys(_) => self.keyed_values.contains(&target),
                _ => false,
            };
        match self.values.kind(target) {
            kind @ (Kind::List | Kind::Object) => {
                // A value inside itself.
                let is_cycle = is_reference && self.open.contains(&target);
                let is_far =
                    is_reference && self.keyed >= MAX_KEYED && matches!(self.references, References::Keys(_));
                if is_cycle || is_far || depth >= MAX_DEPTH {
                    return Some(self.values.push(Kind::Null, key, Span::default()));
                }
                if is_reference {
                    self.open.insert(target);
                    self.keyed += 1;
                    self.tasks.push(Task::Leave(target));
                }
                let copy = self.values.push(kind, key, Span::default());
                self.tasks.push(Task::Close(copy));
                let start = self.tasks.len();
                self.push_children(target, depth + 1);
                if let Some(added) = self.tasks.get_mut(start..) {
                    added.reverse();
                }
                Some(copy)
            }
            kind => {
                let mut text = self.values.text_span(target);
                let Some(left) = self.text_bytes.checked_sub(text.len()) else {
                    return Some(self.values.push(Kind::Null, key, Span::default()));
                };
                *self.text_bytes = left;
                if kind == Kind::Text
                    && is_json(self.values.text(target))
                    && let Some(parsed) = self.json(target)
                {
                    self.values.set_key(parsed, key);
                    return Some(parsed);
                }
                if matches!(self.references, References::Rows(_)) && kind == Kind::Text {
                    let Some(escape) = escape_bytes(self.values.text(target)) else {
                        return Some(self.values.push(Kind::Null, key, Span::default()));
                    };
                    text = text.skip(escape);
                }
                Some(self.values.push(kind, key, text))
            }
        }
    }

    /// Parses a string that holds JSON.
    fn json(&mut self, string: ValueId) -> Option<ValueId> {
        let text = self.values.text(string).trim_ascii().to_owned();
        *self.text_bytes = self.text_bytes.checked_sub(text.len())?;
        let before = (self.values.len(), self.values.text_bytes());
        let parsed = literal::parse(&text, self.values, self.interrupt).ok()?;
        if parsed.end < text.len() {
            self.values.truncate(before.0, before.1);
            return None;
        }
        Some(parsed.root)
    }

    /// The value that a value stands for: itself, or the one that it refers to. `None` if there is none.
    fn target(&self, value: ValueId) -> Option<ValueId> {
        let values = &*self.values;
        match self.references {
            References::Names(names) if values.kind(value) == Kind::Name => {
                names.get(truncate(values.text(value), MAX_KEY_BYTES)).copied()
            }
            References::Keys(keys) => match values.string_of(value, &[KEY_REFERENCE]) {
                Some(key) => keys.get(truncate(key, MAX_KEY_BYTES)).copied(),
                None => Some(value),
            },
            // The elements of a list in a pair are pairs, but the list itself is none.
            References::Pairs => Some(pair(values, value).unwrap_or(value)),
            References::Rows(rows) => match values.string(value).and_then(row_of) {
                Some(row) => Some(rows.get(row).copied().unwrap_or(value)),
                None => Some(value),
            },
            References::Indices(table) | References::NamedIndices(table) => wrapped(values, table, value),
            References::None | References::Names(_) => Some(value),
        }
    }

    /// Adds tasks for the content of a container.
    fn push_children(&mut self, container: ValueId, depth: usize) {
        let values = &*self.values;
        let (table, is_named) = match self.references {
            References::Indices(table) => (Some(table), false),
            References::NamedIndices(table) => (Some(table), true),
            _ => (None, false),
        };
        let Some(table) = table else {
            let copies = values.children(container);
            self.tasks.extend(copies.map(|from| Task::Copy { from, key: values.key_span(from), depth }));
            return;
        };
        // A list that begins with a name is a set or a map, unless it wraps one value.
        let is_typed = values.kind(container) == Kind::List
            && values.children(container).next().is_some_and(|first| values.kind(first) == Kind::Text);
        for child in values.children(container).skip(usize::from(is_typed)) {
            let Some(from) = values.index(child).and_then(|index| table.get(index)).copied() else {
                continue;
            };
            let mut key = values.key_span(child);
            if is_named {
                let name = values.key(child).strip_prefix('_').and_then(|index| index.parse::<usize>().ok());
                let name = name.and_then(|index| table.get(index)).copied();
                key = name.map_or(key, |name| values.text_span(name));
            }
            self.tasks.push(Task::Copy { from, key, depth });
        }
    }
}

/// The entry of a table that an entry wraps, such as `["Ref", 7]` and `["Date", "2024-05-01"]`.
fn wrapped(values: &Values, table: &[ValueId], entry: ValueId) -> Option<ValueId> {
    let mut entry = entry;
    for _ in 0..8 {
        if values.kind(entry) != Kind::List {
            return Some(entry);
        }
        let mut children = values.children(entry);
        let Some(name) = children.next().and_then(|first| values.string(first)) else { return Some(entry) };
        let (second, third) = (children.next(), children.next());
        match (second, third) {
            (Some(value), None) if values.kind(value) == Kind::Text => return Some(value),
            (Some(index), None) if name != "Set" && name != "Map" => {
                entry = values.index(index).and_then(|index| table.get(index)).copied()?;
            }
            _ => return Some(entry),
        }
    }
    None
}

/// The row that a string of a stream refers to: `$1f`, or `$L1f` for one that is sent later.
fn row_of(text: &str) -> Option<&str> {
    let row = text.strip_prefix('$')?;
    let row = row.strip_prefix(['L', '@']).unwrap_or(row);
    let is_row = !row.is_empty() && row.len() <= 8 && row.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_row.then_some(row)
}

/// The bytes that a string of a stream begins with and that are no text: `$$` stands for `$`, and `$D` is
/// before a date. `None` for strings that name something else; `$` alone marks an element.
fn escape_bytes(text: &str) -> Option<u32> {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.get(1), bytes.get(2)) {
        (Some(b'$'), Some(b'$'), _) => Some(1),
        (Some(b'$'), Some(b'D'), Some(b'0'..=b'9')) => Some(2),
        (Some(b'$'), Some(_), _) => None,
        _ => Some(0),
    }
}
