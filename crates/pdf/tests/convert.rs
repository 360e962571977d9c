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

#[test]
fn a_watermark_at_an_angle_is_read_once_behind_the_text() {
    let page = |text: &str| {
        let mut content = lines(&["The kiln is loaded in the evening.", text, "Then it is closed."]);
        content.extend_from_slice(b"\nBT /F1 60 Tf .7071 .7071 -.7071 .7071 80 640 Tm (DRAFT ONLY) Tj ET");
        content
    };
    let file = pages(&[page("Leave room between shelves."), page("Fire slowly.")], &[], "");
    let converted = convert(&file, &Options::default()).unwrap();
    let text = converted.markdown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("in the evening. Leave room between shelves. Then it is closed."), "{text}");
    assert!(text.contains("Fire slowly. Then it is closed."), "{text}");
    assert_eq!(text.matches("DRAFT ONLY").count(), 1, "{text}");
    assert!(!text.contains('#'), "it is no heading: {text}");
}

#[test]
fn invisible_text_over_visible_text_is_dropped() {
    let mut content = lines(&["The kiln is loaded in the evening.", "Leave room between the shelves."]);
    // The layer of text recognition: the same words in other letters, and words of a picture.
    content.extend_from_slice(
        b"\nBT 3 Tr /F1 11 Tf 104 Tz 72.4 720.5 Td (The kiln is loaded in the evening.) Tj ET \
          BT 3 Tr /F1 9 Tf 72.4 704.5 Td (Leave room between) Tj ET \
          BT 3 Tr /F1 12 Tf 72 600 Td (Words of a picture.) Tj ET",
    );
    let hidden = b"BT 3 Tr /F1 12 Tf 72 720 Td (A page that was scanned.) Tj ET".to_vec();
    let converted = convert(&pages(&[content, hidden], &[], ""), &Options::default()).unwrap();
    for text in ["kiln is loaded", "Leave room between", "Words of a picture.", "A page that was scanned."] {
        assert_eq!(converted.markdown.matches(text).count(), 1, "{text}: {}", converted.markdown);
    }
}

/// A file of one page with this text, and these entries of its catalog. The objects of `more` are numbered
/// from 6.
fn with_catalog(text: &str, entries: &str, more: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
                /Resources << /Font << /F1 5 0 R >> >> >>";
    let mut objects = vec![
        format!("<< /Type /Catalog /Pages 2 0 R {entries} >>").into_bytes(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.as_bytes().to_vec(),
        stream("", &lines(&[text])),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    objects.extend_from_slice(more);
    file(&objects, trailer)
}

#[test]
fn metadata_in_xmp_is_read_before_the_dictionary() {
    let xmp = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description><dc:title><rdf:Alt>\
               <rdf:li xml:lang='x-default'>The Kiln</rdf:li></rdf:Alt></dc:title><dc:creator><rdf:Seq>\
               <rdf:li>A. Potter</rdf:li><rdf:li>B. Baker</rdf:li></rdf:Seq></dc:creator>\
               <xmp:CreateDate>2024-01-15T10:30:00Z</xmp:CreateDate></rdf:Description></rdf:RDF></x:xmpmeta>";
    let more = [
        stream("/Type /Metadata /Subtype /XML", xmp.as_bytes()),
        b"<< /Title (kiln.doc) /Author (user) /Subject (Firing) /CreationDate (D:20200101) >>".to_vec(),
    ];
    let file = with_catalog("Fire slowly.", "/Metadata 6 0 R", &more, "/Info 7 0 R");
    let converted = convert(&file, &Options::default()).unwrap();
    assert_eq!(converted.title.as_deref(), Some("The Kiln"));
    assert_eq!(converted.author.as_deref(), Some("A. Potter, B. Baker"));
    assert_eq!(converted.created.as_deref(), Some("D:20240115103000Z"));
    assert_eq!(converted.subject.as_deref(), Some("Firing"), "what XMP does not say");
}

#[test]
fn the_placeholder_of_a_dynamic_form_gives_way_to_the_form() {
    let template = b"<template><subform><draw><value><text>Application for a permit</text></value></draw>\
                     <field name='who'><caption><value><text>Name</text></value></caption></field></subform>\
                     </template>";
    let data = b"<xfa:datasets><xfa:data><f><who>Wilma Quandt</who></f></xfa:data></xfa:datasets>";
    let entries = "/NeedsRendering true /AcroForm << /Fields [] /XFA [(template) 6 0 R (datasets) 7 0 R] >>";
    let file = with_catalog("Please wait...", entries, &[stream("", template), stream("", data)], "");
    let converted = convert(&file, &Options::default()).unwrap();
    assert!(converted.is_placeholder);
    assert_eq!(converted.markdown, "Application for a permit\n\nName: Wilma Quandt");
    let file = with_catalog("Please wait...", "/AcroForm << /Fields [] /XFA 99 0 R >>", &[], "");
    assert!(!convert(&file, &Options::default()).unwrap().is_placeholder, "there is no form");
}

#[test]
fn a_file_may_begin_behind_other_bytes_and_end_early() {
    let file = with_catalog("Fire slowly.", "", &[], "");
    let behind = |bytes: usize| [vec![b' '; bytes], file.clone()].concat();
    let converted = convert(&behind(1_024), &Options::default()).unwrap();
    assert!(converted.markdown.contains("Fire slowly.") && !converted.is_cut);
    assert_eq!(*convert(&behind(1_025), &Options::default()).unwrap_err().kind(), ErrorKind::NotPdf);
    let table = file.windows(5).position(|bytes| bytes == b"xref\n").unwrap();
    let converted = convert(&file[..table], &Options::default()).unwrap();
    assert!(converted.markdown.contains("Fire slowly.") && converted.is_cut);
}

/// A page with these codes, in a composite font with this encoding. The objects of `more` are numbered from 7.
fn composite(codes: &str, encoding: &str, descendant: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
                /Resources << /Font << /F1 5 0 R >> >> >>";
    let font = format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /Kiln /Encoding {encoding} /DescendantFonts [6 0 R] >>"
    );
    let descendant = format!("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Kiln {descendant} >>");
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.as_bytes().to_vec(),
        stream("", format!("BT /F1 12 Tf 72 720 Td <{codes}> Tj ET").as_bytes()),
        font.into_bytes(),
        descendant.into_bytes(),
    ];
    objects.extend_from_slice(more);
    file(&objects, "")
}

#[test]
fn a_font_without_a_map_to_unicode_is_read_by_its_program() {
    // A character map from `k` to `n` to the glyphs 1 to 4.
    let mut program = b"\0\x01\0\0\0\x01\0\0\0\0\0\0cmap\0\0\0\0\0\0\0\x1C\0\0\0\x1E".to_vec();
    program.extend(b"\0\0\0\x01\0\x03\0\x01\0\0\0\x0C");
    program.extend(b"\0\x06\0\x12\0\0\0\x6B\0\x04\0\x01\0\x02\0\x03\0\x04");
    let descendant = "/FontDescriptor << /Type /FontDescriptor /FontFile2 7 0 R >>";
    let text = |program: &[u8]| {
        let file = composite("00010002000300040001", "/Identity-H", descendant, &[stream("", program)]);
        convert(&file, &Options::default()).unwrap()
    };
    assert_eq!(text(&program).markdown.trim(), "klmnk");
    let unknown = text(b"no font");
    assert_eq!((unknown.markdown.as_str(), unknown.pages_unreadable.as_slice()), ("", &[1][..]));
}

#[test]
fn collections_and_vertical_writing_need_no_map_to_unicode() {
    let descendant = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >>";
    for encoding in ["/90ms-RKSJ-H", "/90ms-RKSJ-V"] {
        let file = composite("93FA967B8CEA", encoding, descendant, &[]);
        let converted = convert(&file, &Options::default()).unwrap();
        assert_eq!(converted.markdown.trim(), "日本語", "{encoding}");
        assert!(converted.pages_unreadable.is_empty());
    }
}

#[test]
fn values_of_a_form_stand_behind_their_labels() {
    let label = |text: &str, x: u32, y: u32| format!("BT /F1 11 Tf {x} {y} Td ({text}) Tj ET\n");
    let content = [label("Name:", 72, 690), label("Address:", 72, 660), label("Phone", 72, 600)].concat();
    let field = |value: &str, area: &str| {
        format!("<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V ({value}) /Rect [{area}] >>")
    };
    let fields = [
        field("Mill Lane 4", "160 655 400 673"),
        field("Wilma Quandt", "160 685 400 703"),
        field("555 1234", "72 576 280 594"),
    ];
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Annots [{}] \
         /Resources << /Font << /F1 5 0 R >> >> >>",
        fields.concat()
    );
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.into_bytes(),
        stream("", content.as_bytes()),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    let converted = convert(&file(&objects, ""), &Options::default()).unwrap();
    let words = |text: &str| text.replace('|', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&converted.markdown);
    for (label, value) in [("Name:", "Wilma Quandt"), ("Address:", "Mill Lane 4"), ("Phone", "555 1234")] {
        let (label, value) = (text.find(label), text.find(value));
        assert!(label.is_some() && label < value, "{text}");
    }
    assert!(text.find("Wilma Quandt") < text.find("Address:"), "{text}");
}
