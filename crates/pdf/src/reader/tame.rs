//! The weight of objects, and objects without the entries that multiply.
//!
//! The text reader attaches some strings of the file to each text that it finds. A long one would take all
//! memory, so it is shortened or left out before the reader sees it. Nothing here uses them.

use pdfboss_core::{Dict, Name, Object};

/// Most characters of a name. The standard allows 127 bytes (ISO 32000-1, annex C).
pub(super) const MAX_NAME_CHARS: usize = 127;

/// Most bytes of a string that is attached to texts.
const MAX_ATTACHED_BYTES: usize = 255;

/// Bytes of a string that weigh as much as a value.
const BYTES_PER_VALUE: u64 = 64;

/// Bytes of a stream that weigh as much as a value: they are only copied.
const STREAM_BYTES_PER_VALUE: u64 = 512;

/// The object without the entries that multiply, and its weight: the number of its values, and more for long
/// strings. The parser bounds the depth of an object, so recursion is safe.
pub(super) fn tame(object: Object) -> (Object, u64) {
    let mut is_wild = false;
    let weight = weigh(&object, &mut is_wild);
    (if is_wild { without_wild(&object) } else { object }, weight)
}

fn weigh(object: &Object, is_wild: &mut bool) -> u64 {
    1 + match object {
        Object::Name(name) => {
            *is_wild |= name.0.len() > MAX_NAME_CHARS;
            name.0.len() as u64 / BYTES_PER_VALUE
        }
        Object::String(bytes) => bytes.len() as u64 / BYTES_PER_VALUE,
        Object::Array(items) => items.iter().map(|item| weigh(item, is_wild)).sum(),
        Object::Dict(entries) => weigh_entries(entries, is_wild),
        Object::Stream(stream) => {
            weigh_entries(&stream.dict, is_wild) + stream.data.len() as u64 / STREAM_BYTES_PER_VALUE
        }
        _ => 0,
    }
}

fn weigh_entries(entries: &Dict, is_wild: &mut bool) -> u64 {
    let mut weight = 0;
    for (key, value) in entries.iter() {
        *is_wild |= multiplies(entries, &key.0, value);
        weight += 1 + weigh(value, is_wild);
    }
    weight
}

fn without_wild(object: &Object) -> Object {
    match object {
        Object::Name(name) => Object::Name(short(name)),
        Object::Array(items) => Object::Array(items.iter().map(without_wild).collect()),
        Object::Dict(entries) => Object::Dict(entries_without_wild(entries)),
        Object::Stream(stream) => Object::Stream(pdfboss_core::Stream {
            dict: entries_without_wild(&stream.dict),
            data: stream.data.clone(),
        }),
        other => other.clone(),
    }
}

fn entries_without_wild(entries: &Dict) -> Dict {
    let mut kept = Dict::new();
    for (key, value) in entries.iter() {
        if !multiplies(entries, &key.0, value) {
            kept.insert(key.clone(), without_wild(value));
        }
    }
    kept
}

fn short(name: &Name) -> Name {
    Name(name.0.chars().take(MAX_NAME_CHARS).collect())
}

/// Whether the text reader would attach this entry to many texts, and it is long or its length is unknown.
pub(super) fn multiplies(entries: &Dict, key: &str, value: &Object) -> bool {
    match key {
        "Alt" | "E" | "Lang" | "FontFamily" => match value {
            Object::String(bytes) => bytes.len() > MAX_ATTACHED_BYTES,
            Object::Ref(_) => true,
            _ => false,
        },
        "A" | "C" => is_element(entries),
        _ => false,
    }
}

/// Whether this is an element of the structure tree. Its attributes are under `A` and `C`.
fn is_element(entries: &Dict) -> bool {
    entries.get_name("S").is_some()
        && entries.get("P").is_some()
        && entries.get("Subtype").is_none()
        && entries.get("Title").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dict(entries: &[(&str, Object)]) -> Dict {
        let mut dict = Dict::new();
        for (key, value) in entries {
            dict.insert(Name((*key).to_owned()), value.clone());
        }
        dict
    }

    #[test]
    fn long_attached_strings_and_names_are_left_out() {
        let long = Object::String(vec![b'x'; 10_000]);
        let entries = dict(&[
            ("Alt", long.clone()),
            ("ActualText", long.clone()),
            ("Lang", Object::String(b"de".to_vec())),
            ("BaseFont", Object::Name(Name("n".repeat(1_000)))),
        ]);
        let (object, weight) = tame(Object::Array(vec![Object::Dict(entries)]));
        assert!(weight > 2 * 10_000 / BYTES_PER_VALUE);
        let items = object.as_array().unwrap();
        let entries = items[0].as_dict().unwrap();
        assert!(entries.get("Alt").is_none());
        assert_eq!(entries.get("ActualText"), Some(&long), "it replaces text once");
        assert!(entries.get("Lang").is_some());
        assert_eq!(entries.get_name("BaseFont").unwrap().0.len(), MAX_NAME_CHARS);
    }

    #[test]
    fn attributes_of_structure_elements_are_left_out_and_actions_are_kept() {
        let attributes = Object::Dict(Dict::new());
        let element = dict(&[
            ("S", Object::Name(Name("P".to_owned()))),
            ("P", Object::Null),
            ("A", attributes.clone()),
        ]);
        assert!(tame(Object::Dict(element)).0.as_dict().unwrap().get("A").is_none());
        let link = dict(&[("Subtype", Object::Name(Name("Link".to_owned()))), ("A", attributes)]);
        assert!(tame(Object::Dict(link)).0.as_dict().unwrap().get("A").is_some());
    }
}
