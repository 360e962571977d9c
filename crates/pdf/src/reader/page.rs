//! The texts, lines and links of a page.

use pdfboss_core::document::content_stream_data_with;
use pdfboss_core::{
    Dict, Immediate, Name, Object, ObjectSource, OcState, Page, Rect, Stream, StructureTree, block_on,
};
use pdfboss_text::{
    FontCache, ReadingOrder, Ruling, TextSpan, extract_spans_and_rulings_reporting_cached_with,
};

use super::annotations::{Note, annotations, shown};
use super::bullets::bullets;
use super::links::links;
use super::{File, Link, PageNode};

/// A page without text that draws at least this many curves may draw its letters.
const MIN_DRAWN_CURVES: u64 = 300;

/// Most bytes of the texts of a page. A code may stand for several letters.
const MAX_TEXT_BYTES: usize = 4_000_000;

/// Reads the pages of a file.
pub(crate) struct Reader<'f, 'b> {
    file: &'f File<'b>,
    fonts: FontCache,
    layers: Option<OcState>,
    structure: Option<StructureTree>,
}

/// What a page shows.
#[derive(Debug, Default)]
pub(crate) struct ReadPage {
    /// Its texts, in the order of the structure tree or of the content.
    pub(crate) spans: Vec<TextSpan>,
    /// The straight lines that it draws.
    pub(crate) rulings: Vec<Ruling>,
    /// Small shapes that it fills, which may be bullets.
    pub(crate) bullets: Vec<Rect>,
    pub(crate) links: Vec<Link>,
    pub(crate) notes: Vec<Note>,
    /// Its visible area.
    pub(crate) area: Rect,
    /// The texts have the order of the structure tree.
    pub(crate) is_tagged: bool,
    /// It has pictures or drawings that may show text.
    pub(crate) has_pictures: bool,
}

impl<'f, 'b> Reader<'f, 'b> {
    pub(crate) fn new(file: &'f File<'b>) -> Self {
        let source = Immediate(file);
        Self {
            file,
            fonts: FontCache::default(),
            layers: block_on(OcState::load_with(&source, file.trailer())),
            structure: block_on(StructureTree::load_with(&source, file.trailer())),
        }
    }

    /// Reads a page. What cannot be read is left out.
    pub(crate) fn read(&self, index: usize, node: &PageNode) -> ReadPage {
        let file = self.file;
        file.begin_page();
        let page = node.read(file, index);
        let content = file.cleaned(self.content(page.dict())).unwrap_or_default();
        let bullets = if file.marks().points > 0 { bullets(&content) } else { Vec::new() };
        let mut entries = Dict::new();
        if let Some(parents) = file.value(page.dict(), "StructParents") {
            entries.insert(Name("StructParents".to_owned()), parents);
        }
        let (mut spans, rulings, is_tagged) = self.drawn(&page, content, page.resources.clone(), entries);
        let annotations = annotations(file, page.dict());
        let links = links(file, &annotations);
        let shown = shown(file, &annotations);
        if !shown.content.is_empty() {
            let (more, _, _) = self.drawn(&page, shown.content, shown.resources, Dict::new());
            spans.extend(more);
        }
        if spans.iter().map(|span| span.text.len()).sum::<usize>() > MAX_TEXT_BYTES {
            file.exceed_marks();
            spans.clear();
        }
        spans.iter_mut().for_each(set_turn);
        spans.retain(|span| is_visible(span.bbox, span.size, page.crop_box));
        let marks = file.marks();
        ReadPage {
            spans,
            rulings,
            bullets,
            links,
            notes: shown.notes,
            area: page.crop_box,
            is_tagged,
            has_pictures: marks.pictures > 0 || marks.curves >= MIN_DRAWN_CURVES,
        }
    }

    /// The content of a page: its streams, one after the other.
    fn content(&self, page: &Dict) -> Vec<u8> {
        let file = self.file;
        let streams = match file.value(page, "Contents") {
            Some(Object::Array(items)) => items,
            Some(stream) => vec![stream],
            None => return Vec::new(),
        };
        let mut content = Vec::new();
        for item in &streams {
            let Ok(Object::Stream(stream)) = file.resolve(item) else { continue };
            let Ok(part) = block_on(content_stream_data_with(Immediate(file), &stream)) else { continue };
            if content.is_empty() {
                content = part;
            } else {
                content.extend_from_slice(&part);
            }
            content.push(b'\n');
        }
        content
    }

    /// The texts and lines that a content draws, and whether the structure tree orders them.
    fn drawn(
        &self,
        page: &Page,
        content: Vec<u8>,
        resources: Dict,
        mut entries: Dict,
    ) -> (Vec<TextSpan>, Vec<Ruling>, bool) {
        let stream = Object::Stream(Stream { dict: Dict::new(), data: Vec::new() });
        entries.insert(Name("Contents".to_owned()), stream);
        let order = match (&self.structure, entries.get("StructParents")) {
            (Some(_), Some(_)) => ReadingOrder::StructureTree,
            _ => ReadingOrder::Content,
        };
        let (media, crop) = (page.media_box, page.crop_box);
        let page =
            Page::from_parts(page.index, media, crop, page.rotate, resources, entries, page.object_ref());
        self.file.expect_counted(content);
        let read = block_on(extract_spans_and_rulings_reporting_cached_with(
            Immediate(self.file),
            &page,
            &self.fonts,
            self.layers.as_ref(),
            self.structure.as_ref(),
            order,
        ));
        let Ok((spans, rulings, report)) = read else { return Default::default() };
        (spans, rulings, report.order == ReadingOrder::StructureTree)
    }
}

/// A negative size turns a text by half a turn.
fn set_turn(span: &mut TextSpan) {
    if span.size < 0.0 {
        span.size = -span.size;
        span.rotate = (span.rotate + 180) % 360;
    }
}

/// Whether at least a letter of a text, or half of a shorter one, is in the visible area of its page.
fn is_visible(text: Rect, size: f32, area: Rect) -> bool {
    // Some fonts have their ascent below their descent.
    let text = text.normalize();
    let is_in = |start: f32, end: f32, from: f32, to: f32| {
        end.min(to) - start.max(from) >= ((end - start) / 2.0).min(size.max(0.0))
    };
    is_in(text.x0, text.x1, area.x0, area.x1) && is_in(text.y0, text.y1, area.y0, area.y1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_goes_beyond_its_page_is_visible() {
        let area = Rect::new(0.0, 0.0, 600.0, 800.0);
        let is_visible = |x0, y0, x1, y1| is_visible(Rect::new(x0, y0, x1, y1), 10.0, area);
        assert!(is_visible(50.0, 400.0, 90.0, 412.0));
        assert!(is_visible(550.0, 400.0, 900.0, 412.0));
        assert!(is_visible(-300.0, 400.0, 20.0, 412.0));
        assert!(is_visible(50.0, 412.0, 90.0, 400.0));
        // Turned by a quarter.
        assert!(is_visible(50.0, 700.0, 62.0, 1200.0));
        assert!(!is_visible(598.0, 400.0, 900.0, 412.0));
        assert!(!is_visible(50.0, -9.0, 900.0, 3.0));
        assert!(!is_visible(610.0, 400.0, 650.0, 412.0));
    }
}
