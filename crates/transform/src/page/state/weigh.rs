//! Weighs the values of a state by the letters of their prose.

use gleaner_types::Interrupt;

use super::meaning::Meanings;
use super::names::Names;
use super::prose;
use super::value::{Kind, ValueId, Values};

/// An object with more members may be a table of translations.
const MIN_TABLE_MEMBERS: usize = 40;

/// Bytes of text that cost one unit of work.
const BYTES_PER_UNIT: usize = 64;

/// What is known of a value.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    /// Letters of the prose in it, without that of other pages, navigation and settings.
    letters: u32,
    /// It is a record of another page.
    is_other_page: bool,
    /// Its title or its address is that of the page.
    is_named: bool,
}

/// The weights of all values.
#[derive(Debug)]
pub(super) struct Weights {
    weights: Vec<Weight>,
    meanings: Meanings,
}

impl Weights {
    /// Weighs all values from the last to the first: the content of a value follows it.
    pub(super) fn of(values: &Values, names: &Names, interrupt: &Interrupt) -> Self {
        let mut weights =
            Self { weights: vec![Weight::default(); values.len()], meanings: Meanings::of(values) };
        for value in values.range(0, values.len()).rev() {
            if interrupt.spend(1 + values.text(value).len() / BYTES_PER_UNIT) {
                break;
            }
            let weight = weights.weigh(values, value, names);
            if let Some(slot) = weights.weights.get_mut(value.index()) {
                *slot = weight;
            }
        }
        weights
    }

    fn get(&self, value: ValueId) -> Weight {
        self.weights.get(value.index()).copied().unwrap_or_default()
    }

    /// Letters of the prose in a value.
    pub(super) fn letters(&self, value: ValueId) -> usize {
        self.get(value).letters as usize
    }

    /// True for a record of another page.
    pub(super) fn is_other_page(&self, value: ValueId) -> bool {
        self.get(value).is_other_page
    }

    /// True for an object with the title or the address of the page.
    pub(super) fn is_named(&self, value: ValueId) -> bool {
        self.get(value).is_named
    }

    fn weigh(&self, values: &Values, value: ValueId, names: &Names) -> Weight {
        let letters = match values.kind(value) {
            Kind::Text => prose::prose_letters(values.text(value)),
            Kind::List => {
                let are_pieces = self.meanings.get(value).is_text() || is_element(values, value);
                values.children(value).map(|child| self.part(values, child, are_pieces)).sum()
            }
            Kind::Object => return self.weigh_object(values, value, names),
            _ => 0,
        };
        Weight { letters: u32::try_from(letters).unwrap_or(u32::MAX), ..Weight::default() }
    }

    /// The letters that a value adds to those of its container. `is_piece` is true for a piece of a text, of
    /// which short strings count too.
    fn part(&self, values: &Values, value: ValueId, is_piece: bool) -> usize {
        let weight = self.get(value);
        match weight.letters {
            _ if weight.is_other_page => 0,
            0 if is_piece && values.kind(value) == Kind::Text => prose::letters(values.text(value)),
            letters => letters as usize,
        }
    }

    fn weigh_object(&self, values: &Values, object: ValueId, names: &Names) -> Weight {
        let is_leaf = is_leaf(values, object, &self.meanings);
        let (mut letters, mut longest, mut members, mut strings) = (0, 0, 0, 0);
        for member in values.children(object) {
            members += 1;
            strings += usize::from(values.kind(member) == Kind::Text);
            let meaning = self.meanings.get(member);
            if meaning.is_other() {
                continue;
            }
            let is_piece = (is_leaf && meaning.is_text()) || values.key(member) == "children";
            let own = self.part(values, member, is_piece);
            longest = longest.max(own);
            letters += own;
        }
        // Many strings of which none is the text: translations or labels.
        if members > MIN_TABLE_MEMBERS && strings * 5 >= members * 4 && longest * 2 < letters {
            letters = 0;
        }
        let is_named = names.are_of(values, object, &self.meanings);
        Weight {
            letters: u32::try_from(letters).unwrap_or(u32::MAX),
            is_other_page: !is_named && is_record(values, object, &self.meanings),
            is_named,
        }
    }
}

/// True for an object with what only a page has: a title, and an address, a date or an author.
fn is_record(values: &Values, object: ValueId, meanings: &Meanings) -> bool {
    let (mut has_title, mut has_more) = (false, false);
    for member in values.first_children(object) {
        let has_content = match values.kind(member) {
            Kind::Text => !values.text(member).is_empty(),
            Kind::Object | Kind::List => values.children(member).next().is_some(),
            Kind::Number => true,
            _ => false,
        };
        if has_content {
            let meaning = meanings.get(member);
            has_title |= meaning.is_title();
            has_more |= meaning.is_address() || meaning.is_date_or_author();
        }
    }
    has_title && has_more
}

/// True for an object that holds a piece of a formatted text: it has a text, and says how that is formatted.
fn is_leaf(values: &Values, object: ValueId, meanings: &Meanings) -> bool {
    const FORMATS: [&str; 16] = [
        "type",
        "_type",
        "nodeType",
        "object",
        "marks",
        "format",
        "style",
        "annotations",
        "bold",
        "italic",
        "code",
        "underline",
        "level",
        "inlineStyleRanges",
        "spans",
        "markups",
    ];
    let (mut has_text, mut has_format, mut members) = (false, false, 0);
    for member in values.first_children(object) {
        members += 1;
        let key = values.key(member);
        has_text |= values.kind(member) == Kind::Text && meanings.get(member).is_text();
        has_format |= FORMATS.contains(&key);
    }
    has_text && (has_format || members == 1)
}

/// True for a list that is an element: `["$", "p", null, {...}]` of React, or `["p", {...}, "text"]`.
pub(super) fn is_element(values: &Values, list: ValueId) -> bool {
    let mut children = values.children(list);
    let Some(first) = children.next().filter(|first| values.kind(*first) == Kind::Text) else { return false };
    let (second, third, fourth) = (children.next(), children.next(), children.next());
    let is_object = |value: Option<ValueId>| value.is_some_and(|value| values.kind(value) == Kind::Object);
    match values.text(first) {
        "$" => third.is_some() && is_object(fourth),
        name => {
            is_object(second) && !name.is_empty() && name.len() <= 20 && !name.contains(char::is_whitespace)
        }
    }
}
