//! Valid files.

#[path = "convert/layouts.rs"]
mod layouts;

use gleaner_pdf::{ErrorKind, Options, convert};
use gleaner_testkit::pdf::{file, lines, pages, stream};

fn two_pages() -> Vec<u8> {
    let first = lines(&["The kiln is loaded in the evening.", "Leave room between the shelves."]);
    let second = lines(&["Fire slowly until the water is gone."]);
    let about =
        b"<< /Title (Kiln \\(notes\\)) /Author (A. Potter) /CreationDate (D:20240115103000Z) >>".to_vec();
    pages(&[first, second], &[about], "/Info 8 0 R")
}

#[test]
fn pages_are_converted_in_order() {
    let converted = convert(&two_pages(), &Options::default()).unwrap();
    let (evening, slowly) =
        (converted.markdown.find("in the evening"), converted.markdown.find("Fire slowly"));
    assert!(evening.is_some() && evening < slowly, "{}", converted.markdown);
    assert_eq!((converted.pages, converted.pages_converted), (2, 2));
    assert_eq!(converted.title.as_deref(), Some("Kiln (notes)"));
    assert_eq!(converted.author.as_deref(), Some("A. Potter"));
    assert_eq!(converted.created.as_deref(), Some("D:20240115103000Z"));
}

#[test]
fn pages_above_the_limit_are_counted_and_left_out() {
    let converted = convert(&two_pages(), &Options::default().max_pages(1)).unwrap();
    assert!(converted.markdown.contains("in the evening") && !converted.markdown.contains("Fire slowly"));
    assert_eq!((converted.pages, converted.pages_converted), (2, 1));
}

#[test]
fn a_drawing_of_many_lines_costs_no_text() {
    let mut content = lines(&["The kiln is loaded in the evening.", "Leave room between the shelves."]);
    content.extend_from_slice("\n9 9 m 99 9 l S 9 9 90 1 re f".repeat(20_000).as_bytes());
    let more = lines(&["Fire slowly until the water is gone."]);
    let converted = convert(&pages(&[content, more], &[], ""), &Options::default()).unwrap();
    assert_eq!((converted.pages, converted.pages_converted), (2, 2));
    for text in ["in the evening", "between the shelves", "Fire slowly"] {
        assert!(converted.markdown.contains(text), "{text}: {}", converted.markdown);
    }
}

#[test]
fn text_of_a_negative_size_is_upside_down() {
    let text = |text: &str, x: u32, y: u32| format!("BT /F1 -12 Tf 1 0 0 1 {x} {y} Tm ({text} ) Tj ET\n");
    let page = [text("The kiln", 400, 100), text("is loaded", 353, 100), text("in the evening.", 400, 116)];
    let converted = convert(&pages(&[page.concat().into_bytes()], &[], ""), &Options::default()).unwrap();
    let (loaded, evening) =
        (converted.markdown.find("The kiln is loaded"), converted.markdown.find("in the evening."));
    assert!(loaded.is_some() && loaded < evening, "{}", converted.markdown);
}

#[test]
fn widths_of_a_type_3_font_are_in_units_of_its_matrix() {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R \
                /Resources << /Font << /F1 4 0 R >> >> >>";
    let font = "<< /Type /Font /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /FontBBox [0 0 1 1] \
                /FirstChar 105 /LastChar 115 /Widths 6 0 R /CharProcs << >> \
                /Encoding << /Differences [105 /i /j /k /l /m /n /o /p /q /r /s] >> >>";
    // Each letter is 6 points wide.
    let content = "BT /F1 12 Tf 1 0 0 1 72 720 Tm (kil) Tj 1 0 0 1 90 720 Tm (ns) Tj ET";
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.as_bytes().to_vec(),
        font.as_bytes().to_vec(),
        stream("", content.as_bytes()),
        format!("[{}]", "0.5 ".repeat(11)).into_bytes(),
    ];
    let converted = convert(&file(&objects, ""), &Options::default()).unwrap();
    assert!(converted.markdown.contains("kilns"), "{}", converted.markdown);
}

#[test]
fn text_cannot_become_markup() {
    let page =
        lines(&["<script>alert\\(1\\)</script> and [x]\\(javascript:alert\\) here", "[y]: javascript:x"]);
    let converted = convert(&pages(&[page], &[], ""), &Options::default()).unwrap();
    assert!(!converted.markdown.contains("](javascript"), "{}", converted.markdown);
    assert!(!converted.markdown.replace("\\<", "").contains("<script"), "{}", converted.markdown);
}

#[test]
fn a_file_that_needs_a_password_is_an_error() {
    let encryption =
        format!("<< /Filter /Standard /V 1 /R 2 /P -4 /O <{}> /U <{}> >>", "ab".repeat(32), "cd".repeat(32));
    let file = pages(&[lines(&["secret"])], &[encryption.into_bytes()], "/Encrypt 6 0 R /ID [<00> <00>]");
    let error = convert(&file, &Options::default()).unwrap_err();
    assert!(error.is_encrypted(), "{error}");
}

#[test]
fn a_file_without_pages_is_malformed() {
    let empty = file(&[b"<< /Type /Catalog >>".to_vec()], "");
    assert!(matches!(convert(&empty, &Options::default()).unwrap_err().kind(), ErrorKind::Malformed { .. }));
}
