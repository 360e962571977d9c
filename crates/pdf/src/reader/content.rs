//! Counts the marks of a content stream before the text reader runs it, and removes what would multiply.
//!
//! The text reader has no limit for the strings and paths of a page: it keeps all of them and compares paths
//! with strings. The same parser counts them first, so both agree on what is drawn.

use memchr::memmem;
use pdfboss_core::Object;
use pdfboss_core::content::{ContentOps, Op, TextItem};

use super::marks::Marks;
use super::tame::{MAX_NAME_CHARS, multiplies};

/// Most strings that a page draws. A page of dense print has a few thousand.
pub const MAX_PAGE_TEXTS: u64 = 50_000;

/// Most bytes of the strings of a page.
const MAX_CODES: u64 = 1_000_000;

/// Most searches of marked content on a page.
const MAX_SEARCHED: u64 = 100_000_000;

/// Most saved graphics states at a time.
const MAX_STATES: u64 = 100_000;

/// Most points of the paths of a page. If there are more, the paths of a content are left out.
const MAX_POINTS: u64 = 400_000;

/// Most comparisons of paths with strings. If there are more, the paths of a content are left out.
const MAX_PAIRS: u64 = 500_000_000;

/// Most sequences of marked content with properties on a page. If there are more, those of a content are left
/// out: the text reader searches all sequences of an element for each of them.
const MAX_TAGGED: u64 = 10_000;

/// Most bytes that are searched for the ends of pictures without one.
const MAX_PICTURE_BYTES: usize = 200_000_000;

/// Most syntax errors that are skipped. After more, the rest of a content is left out.
const MAX_ERRORS: usize = 100;

/// The content without what would multiply, and its marks. `before` are the marks that the page has already.
/// `None` if the page draws too much.
pub(super) fn clean(mut content: Vec<u8>, before: Marks) -> Option<(Vec<u8>, Marks)> {
    if picture_bytes(&content) > MAX_PICTURE_BYTES {
        return None;
    }
    let scan = Scan::of(&content);
    for blank in &scan.blanks {
        blank.apply(&mut content);
    }
    content.truncate(scan.end);
    let mut marks = scan.marks;
    let all = before.and(marks);
    if all.texts > MAX_PAGE_TEXTS
        || all.codes > MAX_CODES
        || all.searched > MAX_SEARCHED
        || scan.states > MAX_STATES
        || before.points.saturating_mul(all.texts) > 4 * MAX_PAIRS
    {
        return None;
    }
    if all.tagged > MAX_TAGGED {
        scan.tagged.iter().for_each(|blank| blank.apply(&mut content));
        marks.tagged = 0;
    }
    if all.points > MAX_POINTS || all.points.saturating_mul(all.texts) > MAX_PAIRS {
        remove_paths(&mut content);
        marks.points = 0;
    }
    Some((content, marks))
}

/// The bytes that a parser searches for the ends of the pictures behind the last end of one.
fn picture_bytes(content: &[u8]) -> usize {
    let is_space = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    let is_end = |at: &usize| {
        is_space(at.checked_sub(1).and_then(|before| content.get(before))) && is_space(content.get(at + 2))
    };
    let end = memmem::find_iter(content, b"EI").filter(is_end).last().unwrap_or(0);
    let rest = content.get(end..).unwrap_or_default();
    memmem::find_iter(rest, b"BI").count().saturating_mul(rest.len())
}

/// Bytes that are replaced by spaces.
struct Blank {
    start: usize,
    end: usize,
    /// They begin marked content, so a beginning without properties takes their place.
    begins: bool,
}

impl Blank {
    fn apply(&self, content: &mut [u8]) {
        const BEGIN: &[u8] = b"/P BMC";
        let Some(bytes) = content.get_mut(self.start..self.end) else { return };
        bytes.fill(b' ');
        if self.begins
            && let Some(head) = bytes.get_mut(..BEGIN.len())
        {
            head.copy_from_slice(BEGIN);
        }
    }
}

/// What a content draws.
#[derive(Default)]
struct Scan {
    marks: Marks,
    blanks: Vec<Blank>,
    /// Where marked content with properties begins, without that of layers.
    tagged: Vec<Blank>,
    /// Most saved states at a time.
    states: u64,
    /// Bytes that can be read.
    end: usize,
}

impl Scan {
    fn of(content: &[u8]) -> Self {
        let mut scan = Self { end: content.len(), ..Self::default() };
        let (mut ops, mut read, mut errors) = (ContentOps::new(content), 0, 0);
        let (mut open, mut saved) = (0_u64, 0_u64);
        loop {
            match ops.next_op() {
                Ok(Some((op, span))) => {
                    let (start, end) = (offset(span.start), offset(span.end));
                    match &op {
                        Op::Save => {
                            saved += 1;
                            scan.states = scan.states.max(saved);
                        }
                        Op::Restore => saved = saved.saturating_sub(1),
                        Op::BeginMarkedContent(_) => open += 1,
                        Op::EndMarkedContent => open = open.saturating_sub(1),
                        Op::BeginMarkedContentProps(tag, properties) => {
                            open += 1;
                            let blank = Blank { start, end, begins: true };
                            if is_heavy(properties) {
                                scan.blanks.push(blank);
                            } else if is_tagged(&tag.0, properties) {
                                scan.marks.tagged += 1;
                                scan.tagged.push(blank);
                            }
                        }
                        Op::SetFont(name, _) if name.0.len() > MAX_NAME_CHARS => {
                            scan.blanks.push(Blank { start, end, begins: false });
                        }
                        op => scan.count(op, open),
                    }
                    read = ops.pos();
                }
                Ok(None) => break,
                Err(_) if errors >= MAX_ERRORS => {
                    scan.end = read;
                    break;
                }
                Err(_) => {
                    errors += 1;
                    let end = ops.pos().max(read + 1);
                    scan.blanks.push(Blank { start: read, end: end.min(content.len()), begins: false });
                    read = end;
                    ops = ContentOps::at(content, end.min(content.len()));
                }
            }
        }
        scan
    }

    fn count(&mut self, op: &Op, open: u64) {
        let marks = &mut self.marks;
        let mut text = |bytes: &[u8]| {
            marks.texts += 1;
            marks.codes += bytes.len() as u64;
            marks.searched += open;
        };
        match op {
            Op::ShowText(bytes) | Op::NextLineShowText(bytes) | Op::NextLineShowTextSpaced(_, _, bytes) => {
                text(bytes);
            }
            Op::ShowTextAdjusted(items) => {
                for item in items {
                    if let TextItem::Str(bytes) = item {
                        text(bytes);
                    }
                }
            }
            Op::MoveTo(..) | Op::LineTo(..) => marks.points += 1,
            Op::Rect(..) => marks.points += 4,
            Op::CurveTo(..) | Op::CurveToV(..) | Op::CurveToY(..) => {
                marks.points += 1;
                marks.curves += 1;
            }
            Op::InlineImage(_) => marks.pictures += 1,
            _ => {}
        }
    }
}

fn offset(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// Whether marked content may belong to an element of the structure tree.
fn is_tagged(tag: &str, properties: &Object) -> bool {
    match properties {
        Object::Dict(entries) => entries.get("MCID").is_some(),
        _ => tag != "OC",
    }
}

/// Whether these properties of marked content have an entry that would be attached to many texts.
fn is_heavy(properties: &Object) -> bool {
    let Object::Dict(entries) = properties else { return false };
    entries.iter().any(|(key, value)| {
        multiplies(entries, &key.0, value)
            || value.as_name().is_some_and(|name| name.0.len() > MAX_NAME_CHARS)
    })
}

/// Replaces all paths by spaces.
fn remove_paths(content: &mut [u8]) {
    let source = content.to_vec();
    let mut ops = ContentOps::new(&source);
    while let Ok(Some((op, span))) = ops.next_op() {
        let is_path = matches!(
            op,
            Op::MoveTo(..)
                | Op::LineTo(..)
                | Op::CurveTo(..)
                | Op::CurveToV(..)
                | Op::CurveToY(..)
                | Op::ClosePath
                | Op::Rect(..)
                | Op::Stroke
                | Op::CloseStroke
                | Op::Fill
                | Op::FillEvenOdd
                | Op::FillStroke
                | Op::FillStrokeEvenOdd
                | Op::CloseFillStroke
                | Op::CloseFillStrokeEvenOdd
        );
        if is_path && let Some(bytes) = content.get_mut(offset(span.start)..offset(span.end)) {
            bytes.fill(b' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(content: &str) -> Option<(String, Marks)> {
        let (content, marks) = clean(content.as_bytes().to_vec(), Marks::default())?;
        Some((String::from_utf8(content).unwrap(), marks))
    }

    #[test]
    fn marks_are_counted() {
        let content = "/P BMC BT (ab) Tj [(c) -300 (d)] TJ ET EMC 1 2 m 3 4 l S 0 0 9 9 re f";
        let (same, marks) = cleaned(content).unwrap();
        assert_eq!(same, content);
        assert_eq!((marks.texts, marks.codes, marks.searched, marks.points), (3, 4, 3, 6));
    }

    #[test]
    fn a_page_that_draws_too_much_is_refused() {
        assert!(cleaned(&"(x) Tj ".repeat(50_000)).is_some());
        assert!(cleaned(&"(x) Tj ".repeat(50_001)).is_none());
        assert!(cleaned(&"q ".repeat(100_001)).is_none());
        assert!(cleaned(&"q Q ".repeat(100_001)).is_some());
        assert!(cleaned(&"q BI /W 1 ID x ".repeat(80_000)).is_none());
        let nested = format!("{}{}", "/P BMC ".repeat(20_000), "(x) Tj ".repeat(20_000));
        assert!(cleaned(&nested).is_none(), "each text would search all of the marked content");
    }

    #[test]
    fn a_drawing_of_many_lines_is_left_out() {
        let (content, marks) = cleaned(&format!("{}(text) Tj", "1 2 m 3 4 l S ".repeat(300_000))).unwrap();
        assert_eq!(content.trim(), "(text) Tj");
        assert_eq!((marks.points, marks.texts), (0, 1));
    }

    #[test]
    fn too_many_tags_are_left_out() {
        let tagged = |count| (0..count).map(|id| format!("/P <</MCID {id}>> BDC EMC ")).collect::<String>();
        assert!(cleaned(&tagged(10_000)).unwrap().0.contains("MCID"));
        let layer = "/OC /Layer BDC EMC ";
        let (content, marks) = cleaned(&format!("{layer}{}", tagged(10_001))).unwrap();
        assert!(content.starts_with(layer) && !content.contains("MCID"));
        assert_eq!(marks.tagged, 0);
        assert_eq!(content.matches("BMC").count(), 10_001);
    }

    #[test]
    fn long_properties_of_marked_content_are_left_out() {
        let content = format!("/Span <</Alt ({})>> BDC (text) Tj EMC", "x".repeat(1_000));
        let (content, _) = cleaned(&content).unwrap();
        let words: Vec<&str> = content.split_whitespace().collect();
        assert_eq!(words, ["/P", "BMC", "(text)", "Tj", "EMC"]);
    }

    #[test]
    fn syntax_errors_do_not_hide_the_text_around_them() {
        let (content, marks) = cleaned("(before) Tj ) > (after) Tj").unwrap();
        assert_eq!(marks.texts, 2, "{content}");
    }
}
