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
        spans.retain(|span| is_within(span, page.crop_box));
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
            content.extend_from_slice(&part);
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
        let content = Object::Stream(Stream { dict: Dict::new(), data: content });
        entries.insert(Name("Contents".to_owned()), content);
        let order = match (&self.structure, entries.get("StructParents")) {
            (Some(_), Some(_)) => ReadingOrder::StructureTree,
            _ => ReadingOrder::Content,
        };
        let (media, crop) = (page.media_box, page.crop_box);
        let page =
            Page::from_parts(page.index, media, crop, page.rotate, resources, entries, page.object_ref());
        self.file.expect_counted();
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

/// Whether the middle of a text is in the visible area of its page.
fn is_within(span: &TextSpan, area: Rect) -> bool {
    let (x, y) = ((span.bbox.x0 + span.bbox.x1) / 2.0, (span.bbox.y0 + span.bbox.y1) / 2.0);
    (area.x0..=area.x1).contains(&x) && (area.y0..=area.y1).contains(&y)
}
