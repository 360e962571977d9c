//! What annotations show: their appearances, drawn like the content of the page, and the values of form
//! fields without one.

use std::fmt::Write as _;

use pdfboss_core::object::decode_text_string;
use pdfboss_core::{Dict, Matrix, Name, Object, ObjectSource, Rect};

use super::File;
use super::pages::rect;

/// Most annotations of a page that are read.
const MAX_ANNOTATIONS: usize = 5_000;

/// Most bytes of an appearance that is not an object of its own.
const MAX_DIRECT_BYTES: usize = 1 << 20;

/// Most fields above a field.
const MAX_PARENTS: usize = 16;

/// Most characters of the value of a field.
const MAX_VALUE_CHARS: usize = 20_000;

/// Most bytes of the values of the fields of a page.
const MAX_NOTE_BYTES: usize = 200_000;

/// Bits of the flags of an annotation that is not shown (PDF 32000-1, 12.5.3): hidden, no view.
const HIDDEN: i64 = 1 << 1 | 1 << 5;

/// The text of an annotation without an appearance, and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Note {
    pub(crate) area: Rect,
    pub(crate) text: String,
}

/// What the annotations of a page show.
#[derive(Default)]
pub(super) struct Shown {
    /// A content that draws all appearances.
    pub(super) content: Vec<u8>,
    /// Its resources.
    pub(super) resources: Dict,
    pub(super) notes: Vec<Note>,
}

/// The annotations of a page.
pub(super) fn annotations(file: &File<'_>, page: &Dict) -> Vec<Dict> {
    let Some(Object::Array(items)) = file.value(page, "Annots") else { return Vec::new() };
    let entries = |item: &Object| match file.resolve(item) {
        Ok(Object::Dict(entries)) => Some(entries),
        _ => None,
    };
    items.iter().take(MAX_ANNOTATIONS).filter_map(entries).collect()
}

/// What these annotations show.
pub(super) fn shown(file: &File<'_>, annotations: &[Dict]) -> Shown {
    let (mut shown, mut forms, mut content) = (Shown::default(), Dict::new(), String::new());
    let mut note_bytes = MAX_NOTE_BYTES;
    for (at, entries) in annotations.iter().enumerate() {
        let kind = entries.get_name("Subtype").map_or("", |name| name.0.as_str());
        if matches!(kind, "Popup" | "Link") || entries.get_int("F").unwrap_or(0) & HIDDEN != 0 {
            continue;
        }
        let Some(area) = rect(file, entries, "Rect") else { continue };
        match appearance(file, entries) {
            Some((form, dict)) => {
                let Some(place) = placed(file, &dict, area) else { continue };
                let Matrix { a, d, e, f, .. } = place;
                let _ = writeln!(content, "q {a:.5} 0 0 {d:.5} {e:.3} {f:.3} cm /A{at} Do Q");
                forms.insert(Name(format!("A{at}")), form);
            }
            None => {
                let text = match kind {
                    "Widget" => field_value(file, entries),
                    "FreeText" => text(file.value(entries, "Contents").as_ref()),
                    _ => None,
                };
                if let Some(text) = text.filter(|text| text.len() <= note_bytes) {
                    note_bytes -= text.len();
                    shown.notes.push(Note { area, text });
                }
            }
        }
    }
    shown.content = content.into_bytes();
    shown.resources.insert(Name("XObject".to_owned()), Object::Dict(forms));
    shown
}

/// The normal appearance of an annotation in its state, and its dictionary.
fn appearance(file: &File<'_>, entries: &Dict) -> Option<(Object, Dict)> {
    let mut normal = file.dict(entries, "AP")?.get("N")?.clone();
    let mut found = file.resolve(&normal).ok()?;
    if let Object::Dict(states) = &found {
        normal = states.get(&entries.get_name("AS")?.0)?.clone();
        found = file.resolve(&normal).ok()?;
    }
    let Object::Stream(mut stream) = found else { return None };
    let is_form = stream.dict.get_name("Subtype").is_some_and(|name| name.0 == "Form");
    if normal.as_ref().is_some() && is_form {
        return Some((normal, stream.dict));
    }
    if stream.data.len() > MAX_DIRECT_BYTES {
        return None;
    }
    stream.dict.insert(Name("Subtype".to_owned()), Object::Name(Name("Form".to_owned())));
    let dict = stream.dict.clone();
    Some((Object::Stream(stream), dict))
}

/// The matrix that puts an appearance in the rectangle of its annotation (PDF 32000-1, 12.5.5).
fn placed(file: &File<'_>, form: &Dict, area: Rect) -> Option<Matrix> {
    let Some(bounds) = rect(file, form, "BBox") else { return Some(Matrix::identity()) };
    let bounds = bounds.transform(matrix(file, form));
    let scale = |size: f32, of: f32| if of.abs() > f32::EPSILON { size / of } else { 1.0 };
    let (a, d) = (scale(area.width(), bounds.width()), scale(area.height(), bounds.height()));
    let (e, f) = (area.x0 - bounds.x0 * a, area.y0 - bounds.y0 * d);
    let place = Matrix { a, b: 0.0, c: 0.0, d, e, f };
    [a, d, e, f].iter().all(|number| number.is_finite()).then_some(place)
}

fn matrix(file: &File<'_>, form: &Dict) -> Matrix {
    let Some(Object::Array(items)) = file.value(form, "Matrix") else { return Matrix::identity() };
    let numbers: Vec<f32> =
        items.iter().take(6).map_while(|item| file.resolve(item).ok()?.as_f64()).map(|n| n as f32).collect();
    match numbers.as_slice() {
        [a, b, c, d, e, f] => Matrix { a: *a, b: *b, c: *c, d: *d, e: *e, f: *f },
        _ => Matrix::identity(),
    }
}

/// The value of a text field or a list, which a field inherits from those above it.
fn field_value(file: &File<'_>, entries: &Dict) -> Option<String> {
    let (mut kind, mut value) = (None, None);
    let mut field = entries.clone();
    for _ in 0..MAX_PARENTS {
        kind = kind.or_else(|| file.value(&field, "FT"));
        value = value.or_else(|| file.value(&field, "V"));
        if kind.is_some() && value.is_some() {
            break;
        }
        field = file.dict(&field, "Parent")?;
    }
    if !matches!(kind?.as_name()?.0.as_str(), "Tx" | "Ch") {
        return None;
    }
    match value? {
        Object::Array(items) => {
            let texts: Vec<String> = items.iter().take(100).filter_map(|item| text(Some(item))).collect();
            Some(texts.join(", ")).filter(|text| !text.is_empty())
        }
        value => text(Some(&value)),
    }
}

fn text(value: Option<&Object>) -> Option<String> {
    let text: String = decode_text_string(value?.as_str_bytes()?).chars().take(MAX_VALUE_CHARS).collect();
    Some(text).filter(|text| !text.trim().is_empty())
}
