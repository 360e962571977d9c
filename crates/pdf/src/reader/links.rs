//! The links of a page to the web.

use pdfboss_core::object::decode_text_string;
use pdfboss_core::{Dict, Object, ObjectSource, Rect};

use super::File;
use super::pages::rect;

/// Most links of a page that are read.
const MAX_LINKS: usize = 1_000;

/// Most rectangles of a link: one for each of its lines.
const MAX_BOXES: usize = 64;

/// Most bytes of a URL. Longer ones are left out.
const MAX_URL_BYTES: usize = 1_024;

/// A rectangle of a page that is a link.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Link {
    pub(crate) area: Rect,
    pub(crate) url: String,
}

/// The links among the annotations of a page.
pub(super) fn links(file: &File<'_>, annotations: &[Dict]) -> Vec<Link> {
    let mut links = Vec::new();
    for entries in annotations {
        if entries.get_name("Subtype").is_none_or(|name| name.0 != "Link") {
            continue;
        }
        let Some(url) = url(file, entries) else { continue };
        for area in areas(file, entries) {
            links.push(Link { area, url: url.clone() });
        }
        if links.len() >= MAX_LINKS {
            break;
        }
    }
    links
}

fn url(file: &File<'_>, entries: &Dict) -> Option<String> {
    let action = file.dict(entries, "A")?;
    if file.value(&action, "S")?.as_name()?.0 != "URI" {
        return None;
    }
    let url = decode_text_string(file.value(&action, "URI")?.as_str_bytes()?);
    let url: String = url.trim().chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    let lower = url.get(..8).unwrap_or(&url).to_ascii_lowercase();
    let is_web = ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    (is_web && url.len() <= MAX_URL_BYTES).then_some(url)
}

/// The boxes of the lines of a link; else its rectangle.
fn areas(file: &File<'_>, entries: &Dict) -> Vec<Rect> {
    let corners = match file.value(entries, "QuadPoints") {
        Some(Object::Array(items)) => items,
        _ => Vec::new(),
    };
    let numbers: Vec<f32> = corners
        .iter()
        .take(8 * MAX_BOXES)
        .map_while(|item| file.resolve(item).ok()?.as_f64())
        .map(|number| number as f32)
        .collect();
    let boxes: Vec<Rect> = numbers
        .chunks_exact(8)
        .filter(|corners| corners.iter().all(|number| number.is_finite()))
        .map(|corners| {
            let range = |offset: usize| {
                let values = corners.iter().skip(offset).step_by(2);
                values.fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(*value), high.max(*value)))
            };
            let ((x0, x1), (y0, y1)) = (range(0), range(1));
            Rect::new(x0, y0, x1, y1)
        })
        .collect();
    if boxes.is_empty() { rect(file, entries, "Rect").into_iter().collect() } else { boxes }
}
