//! Dynamic forms (XFA): their pages only ask for another program, and the form is in XML beside them.

use std::collections::{HashMap, VecDeque};

use pdfboss_core::{Object, ObjectSource as _};

use super::File;
use super::xml::{Event, Events, attributes, decoded};

/// Most bytes of a form that are read.
const MAX_BYTES: usize = 4 << 20;

/// Most parts of a form.
const MAX_PACKETS: usize = 100;

/// Elements whose texts are not shown.
const HIDDEN: [&str; 8] = ["assist", "bind", "calculate", "desc", "event", "format", "items", "validate"];

/// The texts of a dynamic form, one for each of its fields and texts. `None` if the file has no such form:
/// its pages show what there is. A form whose parts cannot be read has no texts.
pub(crate) fn form(file: &File<'_>) -> Option<Vec<String>> {
    let root = file.dict(file.trailer(), "Root")?;
    let acro_form = file.dict(&root, "AcroForm")?;
    let packets = file.value(&acro_form, "XFA")?;
    // A static form has its fields on its pages too.
    let must_render = matches!(file.value(&root, "NeedsRendering"), Some(Object::Bool(true)));
    let has_fields = matches!(file.value(&acro_form, "Fields"), Some(Object::Array(f)) if !f.is_empty());
    if has_fields && !must_render {
        return None;
    }
    let packets = match packets {
        Object::Array(items) => items,
        stream => vec![stream],
    };
    let mut document = String::new();
    for packet in packets.iter().take(2 * MAX_PACKETS) {
        let Ok(Object::Stream(stream)) = file.resolve(packet) else { continue };
        document.push_str(&decoded(&file.stream_data(&stream).unwrap_or_default()));
        if document.len() > MAX_BYTES {
            return Some(Vec::new());
        }
    }
    let mut values = values(&document);
    Some(texts(&document, &mut values))
}

/// The values of the fields of a form, by their names.
fn values(document: &str) -> HashMap<&str, VecDeque<String>> {
    let mut values: HashMap<&str, VecDeque<String>> = HashMap::new();
    let (mut depth, mut text) = (0_usize, String::new());
    // The text is that of an element without inner ones.
    let mut is_leaf = false;
    for event in Events::of(document) {
        match event {
            Event::Open(name, _, is_empty) => {
                if (depth > 0 || name == "datasets") && !is_empty {
                    depth += 1;
                    is_leaf = true;
                }
                text.clear();
            }
            Event::Text(more) if depth > 0 => text.push_str(&more),
            Event::Text(_) => {}
            Event::Close(name) => {
                if depth > 0 && is_leaf && !text.trim().is_empty() {
                    values.entry(name).or_default().push_back(folded(&text));
                }
                depth = if name == "datasets" { 0 } else { depth.saturating_sub(1) };
                is_leaf = false;
                text.clear();
            }
        }
    }
    values
}

/// A text or field of a form that is being read.
#[derive(Default)]
struct Shown {
    name: String,
    label: String,
    value: String,
    is_hidden: bool,
}

/// The texts of the template of a form: those between its fields, and the fields with their labels.
fn texts(document: &str, values: &mut HashMap<&str, VecDeque<String>>) -> Vec<String> {
    let mut texts = Vec::new();
    let mut shown: Option<Shown> = None;
    // Open elements of each kind around the present one.
    let (mut template, mut captions, mut hidden, mut contents) = (0_usize, 0_usize, 0_usize, 0_usize);
    for event in Events::of(document) {
        match event {
            Event::Open("template", _, false) => template += 1,
            Event::Close("template") => template = template.saturating_sub(1),
            _ if template == 0 => {}
            Event::Open("draw" | "field", written, false) => shown = Some(begun(written)),
            Event::Open("caption", _, false) => captions += 1,
            Event::Open("text" | "exData", _, false) => contents += 1,
            // A line of rich text.
            Event::Open("p" | "br", ..) => {
                if let Some(shown) = &mut shown {
                    shown.add(" ", captions > 0);
                }
            }
            Event::Open(name, _, false) if HIDDEN.contains(&name) => hidden += 1,
            Event::Text(text) if contents > 0 && hidden == 0 => {
                if let Some(shown) = &mut shown {
                    shown.add(&text, captions > 0);
                }
            }
            Event::Close("caption") => captions = captions.saturating_sub(1),
            Event::Close("text" | "exData") => contents = contents.saturating_sub(1),
            Event::Close(name) if HIDDEN.contains(&name) => hidden = hidden.saturating_sub(1),
            Event::Close("draw" | "field") => {
                if let Some(shown) = shown.take() {
                    let value = values.get_mut(shown.name.as_str()).and_then(VecDeque::pop_front);
                    texts.extend(shown.line(value));
                }
            }
            _ => {}
        }
    }
    texts
}

fn begun(written: &str) -> Shown {
    let mut shown = Shown::default();
    for (name, value) in attributes(written) {
        match name {
            "name" => shown.name = value,
            "presence" => shown.is_hidden = value != "visible",
            _ => {}
        }
    }
    shown
}

impl Shown {
    fn add(&mut self, text: &str, is_label: bool) {
        (if is_label { &mut self.label } else { &mut self.value }).push_str(text);
    }

    /// What is shown, with this value instead of the one of the template.
    fn line(self, value: Option<String>) -> Option<String> {
        if self.is_hidden {
            return None;
        }
        let (label, value) = (folded(&self.label), value.unwrap_or_else(|| folded(&self.value)));
        let line = match (label.is_empty(), value.is_empty()) {
            (false, false) if label.ends_with([':', '?', '.']) => format!("{label} {value}"),
            (false, false) => format!("{label}: {value}"),
            _ => label + &value,
        };
        Some(line).filter(|line| !line.is_empty())
    }
}

/// The text with its white space folded.
fn folded(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_its_texts_and_fields() {
        let document = "<template><subform><draw name='t'><value><text>Application</text></value></draw>\
             <field name='who'><caption><value><text>Name</text></value></caption>\
             <items><text>1</text></items><event><script>x</script></event></field>\
             <draw><value><exData><body><p>Read <b>all</b></p><p>of it.</p></body></exData></value></draw>\
             <draw presence='hidden'><value><text>secret</text></value></draw>\
             <field name='when'><caption><value><text>Date:</text></value></caption></field>\
             </subform></template>\
             <xfa:datasets><xfa:data><f><who>W. Quandt &amp; Co</who><when>2024-05-01</when></f></xfa:data>\
             </xfa:datasets>";
        let mut values = values(document);
        assert_eq!(
            texts(document, &mut values),
            ["Application", "Name: W. Quandt & Co", "Read all of it.", "Date: 2024-05-01"]
        );
    }
}
