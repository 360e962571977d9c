//! Metadata in XMP (ISO 16684-1): the title, authors and dates of a file as the newer of its two ways to say
//! them.

use pdfboss_core::{Metadata, Object, ObjectSource as _};

use super::File;
use super::xml::{Event, Events, attributes, decoded};

/// Most bytes of metadata that are read.
const MAX_BYTES: usize = 1 << 20;

/// Most values of a property.
const MAX_ITEMS: usize = 100;

/// The metadata of a file in XMP; empty if it has none.
pub(crate) fn xmp(file: &File<'_>) -> Metadata {
    let stream = file.dict(file.trailer(), "Root").and_then(|root| file.value(&root, "Metadata"));
    let Some(Object::Stream(stream)) = stream else { return Metadata::default() };
    let bytes = file.stream_data(&stream).unwrap_or_default();
    read(&decoded(bytes.get(..MAX_BYTES).unwrap_or(&bytes)))
}

/// A property whose values are being read.
#[derive(Default)]
struct Property {
    items: Vec<String>,
    text: String,
    /// The present item is that of the default language, which is the first.
    is_default: bool,
}

impl Property {
    fn end_item(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() || self.items.len() >= MAX_ITEMS {
            return;
        }
        let at = if self.is_default { 0 } else { self.items.len() };
        self.items.insert(at, text);
    }
}

fn read(document: &str) -> Metadata {
    let mut metadata = Metadata::default();
    // The names of the open elements below `RDF`, and the property that is open.
    let mut open: Vec<&str> = Vec::new();
    let mut is_inside = false;
    let mut property = Property::default();
    for event in Events::of(document) {
        match event {
            Event::Open("RDF", ..) => is_inside = true,
            Event::Close("RDF") => is_inside = false,
            _ if !is_inside => {}
            Event::Open(name, written, is_empty) => {
                match open.len() {
                    0 if name == "Description" => {
                        for (name, value) in attributes(written) {
                            set(&mut metadata, name, vec![value]);
                        }
                    }
                    1 => property = Property::default(),
                    _ if name == "li" => {
                        property.text.clear();
                        let mut languages = attributes(written).into_iter();
                        property.is_default =
                            languages.any(|(name, value)| name == "lang" && value == "x-default");
                    }
                    _ => {}
                }
                if !is_empty {
                    open.push(name);
                }
            }
            Event::Text(text) => property.text.push_str(&text),
            Event::Close(name) => {
                if open.pop().is_some() && name == "li" {
                    property.end_item();
                } else if open.len() == 1 {
                    property.is_default = false;
                    property.end_item();
                    set(&mut metadata, name, std::mem::take(&mut property.items));
                }
            }
        }
    }
    metadata
}

/// Sets what a property says, if nothing has said it before.
fn set(metadata: &mut Metadata, name: &str, mut items: Vec<String>) {
    items.retain(|item| !item.trim().is_empty());
    let Some(first) = items.first().cloned() else { return };
    let (slot, value) = match name {
        "title" => (&mut metadata.title, Some(first)),
        "creator" => (&mut metadata.author, Some(items.join(", "))),
        "description" => (&mut metadata.subject, Some(first)),
        "Keywords" => (&mut metadata.keywords, Some(first)),
        "subject" => (&mut metadata.keywords, Some(items.join(", "))),
        "CreateDate" => (&mut metadata.creation_date, date(&first)),
        "ModifyDate" => (&mut metadata.mod_date, date(&first)),
        _ => return,
    };
    if slot.is_none() {
        *slot = value;
    }
}

/// A date of ISO 8601 as a PDF writes it: `2024-01-15T10:30:00+01:00` as `D:20240115103000+01'00'`.
fn date(date: &str) -> Option<String> {
    let date = date.trim();
    let (day, time) = date.split_once('T').unwrap_or((date, ""));
    let zone = time.find(['+', '-', 'Z']).unwrap_or(time.len());
    let (time, zone) = time.split_at(zone);
    let time = time.split('.').next().unwrap_or_default();
    let digits: String =
        day.chars().filter(|c| *c != '-').chain(time.chars().filter(|c| *c != ':')).collect();
    let is_date = (4..=14).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let zone = match zone.split_once(':') {
        Some((hours, minutes)) => format!("{hours}'{minutes}'"),
        None => zone.to_owned(),
    };
    is_date.then(|| format!("D:{digits}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_elements_or_attributes() {
        let metadata = read(
            "<x:xmpmeta><rdf:RDF><rdf:Description xmp:CreateDate='2024-01-15T10:30:00+01:00' \
             xmp:CreatorTool='Press'><dc:title><rdf:Alt><rdf:li xml:lang='de'>Der Ofen</rdf:li>\
             <rdf:li xml:lang='x-default'>The Kiln &amp; more</rdf:li></rdf:Alt></dc:title>\
             <dc:creator><rdf:Seq><rdf:li>A. Potter</rdf:li><rdf:li>B. Baker</rdf:li></rdf:Seq></dc:creator>\
             <xmpMM:History><rdf:Seq><rdf:li rdf:parseType='Resource'><stEvt:title>no</stEvt:title>\
             </rdf:li></rdf:Seq></xmpMM:History><pdf:Keywords>clay, fire</pdf:Keywords></rdf:Description>\
             <rdf:Description><xmp:ModifyDate>2024-02-01</xmp:ModifyDate></rdf:Description></rdf:RDF>",
        );
        assert_eq!(metadata.title.as_deref(), Some("The Kiln & more"));
        assert_eq!(metadata.author.as_deref(), Some("A. Potter, B. Baker"));
        assert_eq!(metadata.keywords.as_deref(), Some("clay, fire"));
        assert_eq!(metadata.creation_date.as_deref(), Some("D:20240115103000+01'00'"));
        assert_eq!(metadata.mod_date.as_deref(), Some("D:20240201"));
        assert_eq!(metadata.subject, None);
    }

    #[test]
    fn dates_of_iso_8601_are_dates_of_pdf() {
        for (iso, expected) in [
            ("2024-01-15T10:30:00Z", Some("D:20240115103000Z")),
            ("2024-01-15T10:30:00.25-05:00", Some("D:20240115103000-05'00'")),
            ("2024", Some("D:2024")),
            ("soon", None),
        ] {
            assert_eq!(date(iso).as_deref(), expected, "{iso}");
        }
    }
}
