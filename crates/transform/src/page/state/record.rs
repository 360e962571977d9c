//! Writes the record of a page: its title, its texts in their order, and its author and date.

use std::collections::{HashMap, HashSet};

use gleaner_types::Interrupt;
use serde_json::{Map, Value, json};

use super::context::Context;
use super::value::{Kind, ValueId, Values};
use super::weigh::Weights;
use super::write::Writer;
use super::{keys, leaf, prose};
use crate::names::truncate;

/// A longer title is none, in bytes.
const MAX_TITLE_BYTES: usize = 600;

/// A longer date or name of an author is none, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// Upper bound on the authors that are read.
const MAX_AUTHORS: usize = 10;

/// Letters of a text that may be a version of another.
const MIN_VERSION_LETTERS: usize = 30;

/// A summary is left out if the other texts have this many times its letters.
const SUMMARY_SHARE: usize = 3;

/// The title of a record.
pub(super) fn title_of(values: &Values, record: ValueId) -> Option<&str> {
    let text = |member: ValueId| {
        let text = match values.kind(member) {
            Kind::Text => Some(values.text(member)),
            // `{"title": {"rendered": "..."}}`
            Kind::Object => values.string_of(member, &["rendered", "text", "value", "raw", "default"]),
            _ => None,
        };
        text.map(str::trim).filter(|text| !text.is_empty() && text.len() <= MAX_TITLE_BYTES)
    };
    let find = |is_title: fn(&str) -> bool| {
        let mut titles = values.first_children(record).filter(|member| is_title(values.key(*member)));
        titles.find_map(text)
    };
    find(|key| matches!(key, "title" | "headline")).or_else(|| find(keys::is_title))
}

/// A part of a record.
#[derive(Debug)]
struct Part {
    html: String,
    letters: usize,
    is_summary: bool,
    is_lead: bool,
    fingerprint: String,
}

/// The HTML of a record. Its title is the heading.
pub(super) fn write(
    values: &Values,
    weights: &Weights,
    record: ValueId,
    limit: usize,
    interrupt: &Interrupt,
) -> String {
    let mut writer = Writer::new(values, weights, limit, interrupt);
    let title = if values.kind(record) == Kind::Object { title_of(values, record) } else { None };
    let Some(title) = title else { return writer.write(record, Context::Block) };
    let mut parts: Vec<Part> = Vec::new();
    let mut versions: HashMap<String, usize> = HashMap::new();
    for member in values.children(record) {
        let key = values.key(member);
        if keys::is_other(key) || keys::is_title(key) {
            continue;
        }
        let mut html = writer.write(member, Context::Block);
        if html.is_empty() && keys::is_lead(key) && values.kind(member) == Kind::Text {
            html.push_str("<p>");
            leaf::write_text(values.text(member), &mut html);
            html.push_str("</p>");
        }
        if html.is_empty() {
            continue;
        }
        let letters = if weights.letters(member) > 0 { prose::letters(&html) } else { 0 };
        let (is_summary, is_lead) = (keys::is_summary(key), keys::is_lead(key));
        let part = Part { letters, is_summary, is_lead, fingerprint: prose::fingerprint(&html), html };
        // Of two versions of a text the longer one counts, and of two with equal letters that with tags.
        match versions.get(&part.fingerprint).and_then(|at| parts.get_mut(*at)) {
            Some(other) if part.letters >= MIN_VERSION_LETTERS => {
                if (part.letters, part.html.len()) > (other.letters, other.html.len()) {
                    *other = part;
                }
            }
            _ => {
                versions.insert(part.fingerprint.clone(), parts.len());
                parts.push(part);
            }
        }
    }
    let own: usize = parts.iter().filter(|part| !part.is_summary).map(|part| part.letters).sum();
    let mut html = String::from("<h1>");
    leaf::write_text(title, &mut html);
    html.push_str("</h1>");
    parts.sort_by_key(|part| !part.is_lead);
    for part in &parts {
        if !part.is_summary || part.letters * SUMMARY_SHARE > own {
            html.push_str(&part.html);
        }
    }
    html
}

/// The strings of an object that are shorter versions of other strings of it.
pub(super) fn versions(values: &Values, weights: &Weights, object: ValueId) -> HashSet<ValueId> {
    let mut best: HashMap<String, ValueId> = HashMap::new();
    let mut shorter = HashSet::new();
    let rank = |text: ValueId| {
        let source = values.text(text);
        (prose::letters(source), prose::form(source))
    };
    for member in values.children(object) {
        if values.kind(member) != Kind::Text || weights.letters(member) < MIN_VERSION_LETTERS {
            continue;
        }
        let fingerprint = prose::fingerprint(values.text(member));
        match best.get_mut(&fingerprint) {
            None => {
                best.insert(fingerprint, member);
            }
            Some(other) if rank(member) > rank(*other) => {
                shorter.insert(*other);
                *other = member;
            }
            Some(_) => {
                shorter.insert(member);
            }
        }
    }
    shorter
}

/// Title, authors and date of a record as JSON-LD; empty without a title.
pub(super) fn json_ld(values: &Values, record: ValueId) -> String {
    let Some(title) = title_of(values, record).filter(|_| values.kind(record) == Kind::Object) else {
        return String::new();
    };
    let mut linked = Map::new();
    let mut add = |name: &str, value: Value| {
        linked.entry(name).or_insert(value);
    };
    add("@context", json!("https://schema.org"));
    add("@type", json!("Article"));
    add("headline", json!(title));
    let mut authors = Vec::new();
    for member in values.first_children(record) {
        let key = values.key(member);
        let text = truncate(values.text(member), MAX_NAME_BYTES);
        if keys::is_date(key) && values.kind(member) == Kind::Text {
            add("datePublished", json!(text));
        } else if keys::is_author(key) && authors.is_empty() {
            authors = names_of(values, member);
        }
    }
    if !authors.is_empty() {
        add("author", authors.iter().map(|name| json!({ "@type": "Person", "name": name })).collect());
    }
    // No tag can begin in it.
    Value::Object(linked).to_string().replace('<', "\\u003c")
}

/// The names of one or more persons.
fn names_of(values: &Values, value: ValueId) -> Vec<&str> {
    let name = |value: ValueId| match values.kind(value) {
        Kind::Text => Some(values.text(value)),
        Kind::Object => values.string_of(value, &["name", "displayName", "fullName", "title"]),
        _ => None,
    };
    let names: Vec<&str> = match values.kind(value) {
        Kind::List => values.first_children(value).filter_map(name).take(MAX_AUTHORS).collect(),
        _ => name(value).into_iter().collect(),
    };
    let is_name = |name: &&str| !name.trim().is_empty() && name.len() <= MAX_NAME_BYTES;
    names.into_iter().filter(is_name).collect()
}
