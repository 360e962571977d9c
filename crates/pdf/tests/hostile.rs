//! Hostile files: each is converted or refused, and the process survives. Each is read by a process of its
//! own with low limits of memory and time.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "test code may panic, and figures are printed")]

#[path = "hostile/worker.rs"]
mod worker;

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gleaner_pdf::{Options, convert};
use gleaner_testkit::Size;
use gleaner_testkit::pdf::{EXPENSIVE_PDFS, file, lines, pages, stream};

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A page with its own dictionary and resources, and objects from 3 on.
fn page(dictionary: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {dictionary} >>").into_bytes(),
    ];
    objects.extend_from_slice(more);
    file(&objects, "")
}

/// A few bytes that inflate to 400 MB.
fn bomb() -> Vec<u8> {
    packed(&vec![b' '; 400 * 1024 * 1024])
}

/// The bytes in ASCII characters (PDF 32000-1, 7.4.2).
fn in_hex(bytes: &[u8]) -> Vec<u8> {
    let mut hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.push('>');
    hex.into_bytes()
}

/// LZW data of one repeated byte (PDF 32000-1, 7.4.4): each code stands for one byte more than the one before
/// it, until the table is full and cleared. One round is 7 MB.
fn lzw(rounds: usize) -> Vec<u8> {
    let (mut bits, mut pending, mut out) = (0_u32, 0_u32, Vec::new());
    let mut write = |code: u32, width: u32| {
        pending = pending << width | code;
        bits += width;
        while bits >= 8 {
            bits -= 8;
            out.push((pending >> bits & 0xFF) as u8);
        }
        pending &= (1 << bits) - 1;
    };
    write(256, 9);
    for _ in 0..rounds {
        write(32, 9);
        for code in 258..4_094 {
            // One code early, which is the default (`EarlyChange` 1).
            let width = [511, 1_023, 2_047].iter().filter(|last| code >= **last).count();
            write(code, 9 + width as u32);
        }
        write(256, 12);
    }
    write(257, 9);
    write(0, 8);
    out
}

/// Files with bombs in other streams than the contents of pages.
fn bombs_beside_pages() -> Vec<(String, Vec<u8>)> {
    let bomb = bomb();
    let filters: [(&str, Vec<u8>); 4] = [
        ("/Filter /FlateDecode", bomb.clone()),
        ("/Filter /FlateDecode /ProcSet [/PDF /ImageC]", bomb.clone()),
        ("/Filter [/ASCIIHexDecode /FlateDecode]", in_hex(&bomb)),
        ("/Filter /LZWDecode", lzw(60)),
    ];
    let places = [
        ("form", "/Resources << /XObject << /X 5 0 R >> >>", "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"),
        (
            "picture as a character map",
            "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /A \
             /ToUnicode 5 0 R >> >> >>",
            "/Subtype /Image",
        ),
        (
            "font",
            "/Resources << /Font << /F1 << /Type /Font /Subtype /TrueType /BaseFont /A \
             /FontDescriptor << /Type /FontDescriptor /FontFile2 5 0 R >> >> >> >>",
            "/Length1 9",
        ),
    ];
    let mut cases = Vec::new();
    for (place, resources, dictionary) in places {
        for (filter, data) in &filters {
            let contents = stream("", b"BT /F1 12 Tf (x) Tj ET /X Do");
            let file = page(
                &format!("/Contents 4 0 R {resources}"),
                &[contents, stream(&format!("{dictionary} {filter}"), data)],
            );
            cases.push((format!("{place}, {filter}"), file));
        }
    }
    cases
}

/// Pages that share one content, which calls forms within forms.
fn pages_of_forms(pages: usize) -> Vec<u8> {
    let forms = 20;
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", 4 + forms + page)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{}] /Count {pages} >>", kids.join(" ")).into_bytes(),
        stream("", "/X Do ".repeat(10).as_bytes()),
    ];
    for form in 1..=forms {
        let next = format!("/XObject << /X {} 0 R >>", 4 + form);
        let next = if form == forms { "" } else { next.as_str() };
        let dictionary = format!("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << {next} >>");
        objects.push(stream(&dictionary, "/X Do ".repeat(10).as_bytes()));
    }
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 3 0 R \
                /Resources << /XObject << /X 4 0 R >> >> >>";
    objects.extend(std::iter::repeat_n(page.as_bytes().to_vec(), pages));
    file(&objects, "")
}

/// Pages that share a font with a large character map.
fn pages_of_one_font(pages: usize) -> Vec<u8> {
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", 7 + page)).collect();
    let map = "1 beginbfchar <0041> <0042> endbfchar\n".repeat(50_000);
    let map = format!("begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange {map} endcmap");
    let font = "/Type /Font /Subtype /Type0 /BaseFont /A \
                /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A >>]";
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{}] /Count {pages} /MediaBox [0 0 612 792] >>", kids.join(" "))
            .into_bytes(),
        format!("<< {font} /ToUnicode 4 0 R >>").into_bytes(),
        stream("/Filter /FlateDecode", &packed(map.as_bytes())),
        stream("", b"BT /F1 12 Tf 72 720 Td <00410041004100410041> Tj ET"),
        b"<< /Font << /F1 3 0 R >> >>".to_vec(),
    ];
    let page = "<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources 6 0 R >>";
    objects.extend(std::iter::repeat_n(page.as_bytes().to_vec(), pages));
    file(&objects, "")
}

/// Small files that need much memory when a parser loads them.
fn multiplied() -> Vec<(&'static str, Vec<u8>)> {
    let text = lines(&["Some text."]);
    let beside = |object: Vec<u8>| pages(std::slice::from_ref(&text), &[object], "");
    let list = format!("[{}]", "1 ".repeat(200_000));
    let packed_objects = |table: String, objects: &str| {
        let content = packed(format!("{table}{objects}").as_bytes());
        stream(&format!("/Type /ObjStm /N 9 /First {} /Filter /FlateDecode", table.len()), &content)
    };
    let repeated_entries: String = (0..100_000).map(|number| format!("{} 0 ", 1_000 + number)).collect();
    let inner_entries: String = (0..100).map(|number| format!("{} {number} ", 1_000 + number)).collect();
    let nested_arrays = format!("{}{}", "[".repeat(99), "]".repeat(99));
    let many = vec![packed_objects("900 0 ".to_owned(), &format!("[{}]", "1 ".repeat(1_000_000))); 20];
    let long_rows = "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 9000000000 >>";
    let long_table_rows = b"%PDF-1.7\n1 0 obj\n<< /Type /XRef /Size 9 /W [1 2 1] /Root 1 0 R /Length 8 \
        /Filter /FlateDecode /DecodeParms << /Predictor 12 /Colu#6dns 9000000000 >> >>\n\
        stream\nx\x9cK\x04\0\0b\0b\nendstream\nendobj\nstartxref\n9\n%%EOF";
    vec![
        ("values in object streams", pages(std::slice::from_ref(&text), &many, "")),
        ("an object of a stream many times", beside(packed_objects(repeated_entries, &list))),
        ("objects of a stream within one another", beside(packed_objects(inner_entries, &nested_arrays))),
        ("an object of a table many times", repeated_in_table(&list)),
        ("streams within streams", nested_streams()),
        ("rows of many gigabytes", beside(stream(long_rows, &packed(b"x")))),
        ("rows of many gigabytes in a table", long_table_rows.to_vec()),
        ("too many values", beside("[1 1]".repeat(2_000_000).into_bytes())),
    ]
}

/// A file whose table has many entries for the same object.
fn repeated_in_table(object: &str) -> Vec<u8> {
    let mut file = format!("%PDF-1.7\n1 0 obj\n{object}\nendobj\n");
    let table = file.len();
    file.push_str(&format!("xref\n0 50000\n{}", "0000000009 00000 n \n".repeat(50_000)));
    file.push_str(&format!("trailer\n<< /Size 50000 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    file.into_bytes()
}

/// A file of streams that each reach to the end of the file, after all others.
fn nested_streams() -> Vec<u8> {
    let (streams, head) = (20_000, "00001 0 obj << /Length 00000000 >> stream\n".len());
    let end = 9 + streams * head + 1_000_000;
    let offsets = (0..streams).map(|number| 9 + number * head);
    let mut file = b"%PDF-1.7\n".to_vec();
    for (number, offset) in offsets.clone().enumerate() {
        let length = end - offset - head;
        file.extend(format!("{:05} 0 obj << /Length {length:08} >> stream\n", number + 1).into_bytes());
    }
    file.resize(end, b' ');
    file.extend(b"\nendstream endobj\n");
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", streams + 1).into_bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    file.extend(format!("trailer\n<< /Size 20001 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").into_bytes());
    file
}

/// Small pages with too many texts: all of them together take too much memory.
fn crowded() -> Vec<(&'static str, Vec<u8>)> {
    EXPENSIVE_PDFS.iter().map(|(name, make)| (*name, make(Size::Full))).collect()
}

/// Pages whose texts some parsers do not see, because they end strings or pictures elsewhere.
fn ambiguous() -> Vec<(&'static str, Vec<u8>)> {
    let page = |content: String| pages(&[content.into_bytes()], &[], "");
    let hidden = "BT /F1 12 Tf 1 0 0 1 72 720 Tm (word) Tj ET ".repeat(60_000);
    let picture = "BI /W 20 /H 1 /BPC 8 /CS /Gray ID a EI (bbbbbbbbbbbbbb EI";
    let of_streams = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents [5 0 R 6 0 R] \
          /Resources << /Font << /F1 3 0 R >> >> >>"
            .to_vec(),
        stream("", b"BI /W 1 ID x"),
        stream("", format!("( EI {hidden}").as_bytes()),
    ];
    let after_values = "1 0 0 1 72 720 Tm (word) trueTj ".repeat(100_000);
    let lengths = (1..60_000).map(|at| format!("<< /Length {} 0 R >>\nstream\n", at + 1).into_bytes());
    vec![
        ("texts after values", page(format!("BT /F1 12 Tf 72 720 Td {after_values} ET"))),
        ("texts after a picture", page(format!("{picture} {hidden}"))),
        ("texts after a picture of two streams", file(&of_streams, "")),
        ("lengths that need one another", file(&lengths.collect::<Vec<_>>(), "/Info 1 0 R")),
        ("a count of many objects", objects_without_bytes()),
        ("a long name on each text", long_name()),
        ("a text of a megabyte for each code", mapped(&"0042".repeat(250_000), 100_000)),
        ("a long description of each text", described()),
        ("a table of many objects", packed_table()),
        ("resources that each page inherits", shared_resources()),
    ]
}

/// An object stream that claims to have more objects than memory.
fn objects_without_bytes() -> Vec<u8> {
    let packed = stream("/Type /ObjStm /N 99999999999999 /First 4", b"1 0 << >>");
    let mut file = b"%PDF-1.7\n2 0 obj\n".to_vec();
    file.extend_from_slice(&packed);
    let table = file.len();
    // Rows of a type and two fields: object 1 is in the stream of object 2, which is at byte 9.
    let rows = [0, 0, 0, 2, 2, 0, 1, 9, 0];
    file.extend_from_slice(b"\nendobj\n");
    let start = table + 8;
    let dictionary = "/Type /XRef /Size 3 /W [1 1 1] /Root 1 0 R";
    file.extend_from_slice(b"3 0 obj\n");
    file.extend_from_slice(&stream(dictionary, &rows));
    file.extend(format!("\nendobj\nstartxref\n{start}\n%%EOF").into_bytes());
    file
}

/// A font with a name of a megabyte, and many texts.
fn long_name() -> Vec<u8> {
    let font = format!("<< /Type /Font /Subtype /Type1 /BaseFont /{} >>", "N".repeat(1_000_000));
    let content = format!("BT /F1 12 Tf {} ET", "1 0 0 1 72 720 Tm (word) Tj ".repeat(40_000));
    let resources = "/Resources << /Font << /F1 5 0 R >> >>";
    page(&format!("/Contents 4 0 R {resources}"), &[stream("", content.as_bytes()), font.into_bytes()])
}

/// Codes that a character map replaces by a text, in hexadecimal digits.
fn mapped(text: &str, codes: usize) -> Vec<u8> {
    let map = format!("1 beginbfchar <41> <{text}> endbfchar");
    let font = b"<< /Type /Font /Subtype /Type1 /BaseFont /A /ToUnicode 6 0 R >>".to_vec();
    let content = format!("BT /F1 12 Tf 72 720 Td ({}) Tj ET", "A".repeat(codes));
    let resources = "/Resources << /Font << /F1 5 0 R >> >>";
    let objects = [stream("", content.as_bytes()), font, stream("", map.as_bytes())];
    page(&format!("/Contents 4 0 R {resources}"), &objects)
}

/// Fonts without a map to Unicode that share a program of a hundred bytes, which maps all codes.
fn fonts_with_programs() -> Vec<u8> {
    let mut program = b"\0\x01\0\0\0\x01\0\0\0\0\0\0cmap\0\0\0\0\0\0\0\x1C\0\0\0\x28".to_vec();
    program.extend(b"\0\0\0\x01\0\x03\0\x0A\0\0\0\x0C");
    program.extend(b"\0\x0C\0\0\0\0\0\x1C\0\0\0\0\0\0\0\x01\0\0\0\x20\0\0\xFF\xFF\0\0\0\x01");
    let fonts: String = (0..2_000).map(|at| format!("/F{at} {} 0 R ", 6 + at)).collect();
    let texts: String = (0..2_000).map(|at| format!("/F{at} 12 Tf (ab) Tj ")).collect();
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts \
                [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A \
                /FontDescriptor << /Type /FontDescriptor /FontFile2 5 0 R >> >>] >>";
    let mut objects = vec![stream("", format!("BT {texts} ET").as_bytes()), stream("", &program)];
    objects.extend(std::iter::repeat_n(font.as_bytes().to_vec(), 2_000));
    page(&format!("/Contents 4 0 R /Resources << /Font << {fonts} >> >>"), &objects)
}

/// Marked content with a description of a megabyte, and many texts in it.
fn described() -> Vec<u8> {
    let texts = "1 0 0 1 72 720 Tm (word) Tj ".repeat(40_000);
    let content = format!("/Span << /Alt ({}) >> BDC BT {texts} ET EMC", "x".repeat(1_000_000));
    pages(&[content.into_bytes()], &[], "")
}

/// A cross-reference table that unpacks to a hundred million objects.
fn packed_table() -> Vec<u8> {
    let rows = packed(&vec![0; 200 * 1024 * 1024]);
    let dictionary = "/Type /XRef /Size 200000000 /W [1 1 0] /Root 1 0 R /Filter /FlateDecode";
    let mut file = b"%PDF-1.7\n1 0 obj\n".to_vec();
    file.extend_from_slice(&stream(dictionary, &rows));
    file.extend_from_slice(b"\nendobj\nstartxref\n9\n%%EOF");
    file
}

/// Pages that inherit resources of many entries.
fn shared_resources() -> Vec<u8> {
    let pages = 20_000;
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", 3 + page)).collect();
    let resources: String = (0..50_000).map(|name| format!("/N{name} {name} ")).collect();
    let root = format!(
        "<< /Type /Pages /Count {pages} /Resources << /X << {resources} >> >> /Kids [{}] >>",
        kids.join(" ")
    );
    let mut objects = vec![b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(), root.into_bytes()];
    objects.extend(std::iter::repeat_n(b"<< /Type /Page /Parent 2 0 R >>".to_vec(), pages));
    file(&objects, "")
}

fn repeated(open: &str, close: &str, times: usize) -> Vec<u8> {
    format!("{}{}", open.repeat(times), close.repeat(times)).into_bytes()
}

/// Files with their name, and whether they must be refused.
fn cases() -> Vec<(&'static str, Vec<u8>, bool)> {
    let text = lines(&["Some text."]);
    let chain = |length: usize| {
        let mut objects = vec![b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()];
        for at in 2..length {
            objects.push(
                format!("<< /Type /Pages /Kids [{} 0 R] /Parent {} 0 R >>", at + 1, at - 1).into_bytes(),
            );
        }
        objects.push(b"<< /Type /Page /MediaBox [0 0 9 9] >>".to_vec());
        file(&objects, "")
    };
    let forms: Vec<Vec<u8>> = (5..25)
        .map(|at| {
            let next = if at == 24 { String::new() } else { format!("/XObject << /X {} 0 R >>", at + 1) };
            let dictionary = format!("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << {next} >>");
            stream(&dictionary, "/X Do ".repeat(10).as_bytes())
        })
        .collect();
    let mut laughs = vec![stream("", "/X Do ".repeat(10).as_bytes())];
    laughs.extend(forms);
    let cyclic_form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>",
        b"/X Do /X Do",
    );
    let bomb = bomb();
    let wide = "%PDF-1.7\n1 0 obj\n<< /Type /XRef /Size 9999999999 /W [1 999999999999 1] \
                /Index [0 4294967295] /Root 1 0 R /Length 3 >>\n\
                stream\nabc\nendstream\nendobj\nstartxref\n9\n%%EOF";
    let looped = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 1 0 R /Kids [1 0 R] >>\nendobj\n\
                  xref\n0 2\n0000000000 65535 f \n0000000009 00000 n \n\
                  trailer\n<< /Size 2 /Root 1 0 R /Prev 73 >>\nstartxref\n73\n%%EOF";
    let cyclic_pages = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>".to_vec(),
    ];
    let cmap = b"/CIDInit /ProcSet findresource begin begincmap \
        1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange \
        1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange \
        1 begincidrange <0000> <FFFF> 0 endcidrange endcmap end end";
    let cyclic_font = b"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [4 0 R] \
        /W [0 999999999 5] /ToUnicode 6 0 R >>";
    let long_numbers = format!("BT /F1 {} Tf ({}) Tj ET", "9".repeat(100_000), "x".repeat(100_000));
    let short_stream = |length: &str| format!("<< /Length {length} >>\nstream\nabc\nendstream").into_bytes();
    let beside = |object: Vec<u8>, trailer| pages(std::slice::from_ref(&text), &[object], trailer);
    vec![
        ("nested arrays", beside(repeated("[", "]", 200_000), "/X 6 0 R"), false),
        ("nested dictionaries", beside(repeated("<</A", ">>", 100_000), "/X 6 0 R"), false),
        ("nested strings", beside(repeated("(", ")", 200_000), "/Info 6 0 R"), false),
        ("nested arrays in a page", pages(&[repeated("[", "]", 200_000)], &[], ""), false),
        ("nested dictionaries in a page", pages(&[repeated("<</A", ">>", 100_000)], &[], ""), false),
        ("nested states", pages(&[repeated("q ", "Q ", 200_000)], &[], ""), false),
        ("nested marked content", pages(&[repeated("/P BMC ", "EMC ", 100_000)], &[], ""), false),
        ("widths of a terabyte", wide.as_bytes().to_vec(), true),
        ("chain of page trees", chain(100_000), false),
        ("cyclic page tree", file(&cyclic_pages, ""), true),
        ("table that refers to itself", looped.as_bytes().to_vec(), true),
        ("bomb as a page", page("/Contents 4 0 R", &[stream("/Filter /FlateDecode", &bomb)]), true),
        (
            "bomb of objects",
            page("/Contents 4 0 R", &[stream("/Type /ObjStm /N 9 /First 9 /Filter /FlateDecode", &bomb)]),
            true,
        ),
        (
            "bomb in a bomb",
            page("/Contents 4 0 R", &[stream("/Filter [/FlateDecode /FlateDecode]", &packed(&bomb))]),
            true,
        ),
        (
            "one stream many times",
            page(
                &format!("/Contents [{}]", "4 0 R ".repeat(50_000)),
                &[stream("/Filter /FlateDecode", &packed(&vec![b' '; 1_000_000]))],
            ),
            true,
        ),
        ("forms in forms", page("/Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >>", &laughs), false),
        (
            "cyclic form",
            page(
                "/Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >>",
                &[stream("", b"/X Do"), cyclic_form],
            ),
            false,
        ),
        (
            "cyclic font",
            page(
                "/Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >>",
                &[cyclic_font.to_vec(), text.clone(), stream("", cmap)],
            ),
            false,
        ),
        (
            "page as its own parent",
            page("/Parent 3 0 R /Resources 3 0 R /Contents [3 0 R 3 0 R]", &[]),
            false,
        ),
        ("fonts whose program maps all codes", fonts_with_programs(), false),
        ("negative length", page("/Contents 4 0 R", &[short_stream("-5")]), false),
        ("cyclic length", page("/Contents 4 0 R", &[short_stream("4 0 R")]), false),
        ("more objects than allowed", file(&vec![b"null".to_vec(); 1_000_001], ""), true),
        ("many objects", pages(std::slice::from_ref(&text), &vec![b"[1 2 3]".to_vec(); 200_000], ""), false),
        ("many empty pages", pages(&vec![Vec::new(); 20_000], &[], ""), false),
        ("long numbers", pages(&[long_numbers.into_bytes()], &[], ""), false),
        ("ten letters from right to left for each code", mapped(&"05D0".repeat(10), 990_000), true),
        ("header only", b"%PDF-1.7".to_vec(), true),
    ]
}

#[test]
fn the_process_survives() {
    let mut rows: Vec<(String, Vec<u8>, bool)> =
        cases().into_iter().map(|(name, file, refused)| (name.to_owned(), file, refused)).collect();
    rows.extend(bombs_beside_pages().into_iter().map(|(name, file)| (name, file, false)));
    rows.extend(crowded().into_iter().map(|(name, file)| (name.to_owned(), file, true)));
    let others = multiplied().into_iter().chain(ambiguous());
    rows.extend(others.map(|(name, file)| (name.to_owned(), file, false)));
    let mut failed = Vec::new();
    for (name, file, refused) in &rows {
        match worker::outcome(name, file) {
            None => failed.push(format!("{name}: the process was ended")),
            Some(outcome)
                if *refused && !outcome.starts_with("too much: ") && !outcome.starts_with("refused: ") =>
            {
                failed.push(format!("{name}: {outcome}"));
            }
            Some(_) => {}
        }
    }
    println!("host survived {}/{} within 1 GiB and 20 s", rows.len() - failed.len(), rows.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn affordable_pages_are_converted() {
    let few = convert(&pages_of_forms(3), &Options::default()).unwrap();
    assert_eq!((few.pages, few.pages_converted), (3, 3));
    let few = convert(&pages_of_one_font(3), &Options::default()).unwrap();
    assert_eq!((few.pages, few.pages_converted), (3, 3));
    let text = lines(&["Some text."]);
    let full = "1 0 0 1 72 720 Tm (word) Tj ".repeat(60_000);
    let crowded = [text.clone(), format!("BT /F1 12 Tf {full} ET").into_bytes(), text];
    let few = convert(&pages(&crowded, &[], ""), &Options::default()).unwrap();
    assert_eq!((few.pages, few.pages_converted), (3, 1), "the second page draws too much");
    let outcome = |name: &str, file: &[u8]| {
        let outcome = worker::outcome(name, file).unwrap_or_else(|| panic!("{name}: the process was ended"));
        let (converted, rest) = outcome.split_once('/').unwrap();
        assert!(rest.starts_with("5000 pages"), "{outcome}");
        converted.parse::<u32>().unwrap()
    };
    assert!(
        (1..5_000).contains(&outcome("forms", &pages_of_forms(5_000))),
        "each page draws all forms again"
    );
    assert_eq!(outcome("fonts", &pages_of_one_font(5_000)), 5_000, "a font is read once");
}

#[test]
fn files_cut_anywhere_do_not_panic() {
    let text: Vec<Vec<u8>> =
        (0..60).map(|page| lines(&[&*format!("Page {page} has some lines of text."); 12])).collect();
    let whole = pages(&text, &[stream("/Filter /FlateDecode", &packed(&vec![b'x'; 50_000]))], "");
    assert_eq!(convert(&whole, &Options::default()).unwrap().pages, 60);
    let mut survived = 0;
    for end in (0..whole.len()).step_by(1_024) {
        // Converted in part or refused: both are correct.
        let _either = convert(&whole[..end], &Options::default());
        survived += 1;
    }
    println!("host survived {survived}/{} cuts", whole.len().div_ceil(1_024));
}
