//! Files made to hurt: each is converted or refused, and the process lives on.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

mod support;

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gleaner_pdf::{Error, Options, convert};
use support::{file, lines, pages, stream};

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

fn repeated(open: &str, close: &str, times: usize) -> Vec<u8> {
    format!("{}{}", open.repeat(times), close.repeat(times)).into_bytes()
}

/// Name, file, and whether it must be refused.
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
    let itself = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>",
        b"/X Do /X Do",
    );
    let bomb = packed(&vec![b' '; 400 * 1024 * 1024]);
    let wide = "%PDF-1.7\n1 0 obj\n<< /Type /XRef /Size 9999999999 /W [1 999999999999 1] /Index [0 4294967295] /Root 1 0 R /Length 3 >>\nstream\nabc\nendstream\nendobj\nstartxref\n9\n%%EOF";
    let looped = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 1 0 R /Kids [1 0 R] >>\nendobj\nxref\n0 2\n0000000000 65535 f \n0000000009 00000 n \ntrailer\n<< /Size 2 /Root 1 0 R /Prev 73 >>\nstartxref\n73\n%%EOF";
    let cmap = b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange \
        1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange 1 begincidrange <0000> <FFFF> 0 endcidrange endcmap end end";
    vec![
        ("nested arrays", pages(std::slice::from_ref(&text), &[repeated("[", "]", 200_000)], "/X 6 0 R"), false),
        ("nested dictionaries", pages(std::slice::from_ref(&text), &[repeated("<</A", ">>", 100_000)], "/X 6 0 R"), false),
        ("nested strings", pages(std::slice::from_ref(&text), &[repeated("(", ")", 200_000)], "/Info 6 0 R"), false),
        ("nested arrays in a page", pages(&[repeated("[", "]", 200_000)], &[], ""), false),
        ("nested dictionaries in a page", pages(&[repeated("<</A", ">>", 100_000)], &[], ""), false),
        ("nested states", pages(&[repeated("q ", "Q ", 200_000)], &[], ""), false),
        ("nested marked content", pages(&[repeated("/P BMC ", "EMC ", 100_000)], &[], ""), false),
        ("widths of a terabyte", wide.as_bytes().to_vec(), true),
        ("chain of page trees", chain(100_000), false),
        ("page tree in itself", file(&[b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(), b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>".to_vec()], ""), true),
        ("table that leads to itself", looped.as_bytes().to_vec(), true),
        ("bomb as a page", page("/Contents 4 0 R", &[stream("/Filter /FlateDecode", &bomb)]), true),
        ("bomb of objects", page("/Contents 4 0 R", &[stream("/Type /ObjStm /N 9 /First 9 /Filter /FlateDecode", &bomb)]), true),
        ("bomb in a bomb", page("/Contents 4 0 R", &[stream("/Filter [/FlateDecode /FlateDecode]", &packed(&bomb))]), true),
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
            "form in itself",
            page("/Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >>", &[stream("", b"/X Do"), itself]),
            false,
        ),
        (
            "font in itself",
            page(
                "/Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >>",
                &[b"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [4 0 R] /W [0 999999999 5] /ToUnicode 6 0 R >>".to_vec(), text.clone(), stream("", cmap)],
            ),
            false,
        ),
        ("parent of itself", page("/Parent 3 0 R /Resources 3 0 R /Contents [3 0 R 3 0 R]", &[]), false),
        ("negative length", page("/Contents 4 0 R", &[b"<< /Length -5 >>\nstream\nabc\nendstream".to_vec()]), false),
        ("length in itself", page("/Contents 4 0 R", &[b"<< /Length 4 0 R >>\nstream\nabc\nendstream".to_vec()]), false),
        ("more objects than allowed", file(&vec![b"null".to_vec(); 1_000_001], ""), true),
        ("many objects", pages(std::slice::from_ref(&text), &vec![b"[1 2 3]".to_vec(); 200_000], ""), false),
        ("many pages of nothing", pages(&vec![Vec::new(); 20_000], &[], ""), false),
        ("numbers without end", pages(&[format!("BT /F1 {} Tf ({}) Tj ET", "9".repeat(100_000), "x".repeat(100_000)).into_bytes()], &[], ""), false),
        ("header alone", b"%PDF-1.7".to_vec(), true),
    ]
}

#[test]
fn the_process_survives() {
    let cases = cases();
    for (name, file, refused) in &cases {
        println!("{name}: {} bytes", file.len());
        let outcome = convert(file, &Options::default());
        println!(
            "  {:?}",
            outcome.as_ref().map(|converted| converted.markdown.len()).map_err(Error::to_string)
        );
        assert!(!refused || outcome.is_err(), "{name} is not refused");
    }
    println!("host survived {0}/{0}", cases.len());
}

#[test]
fn a_file_cut_anywhere_is_survived() {
    let text: Vec<Vec<u8>> = (0..60)
        .map(|page| lines(&[&*format!("Page {page} has some lines of text that say little."); 12]))
        .collect();
    let whole = pages(&text, &[stream("/Filter /FlateDecode", &packed(&vec![b'x'; 50_000]))], "");
    assert_eq!(convert(&whole, &Options::default()).unwrap().pages, 60);
    let mut survived = 0;
    for end in (0..whole.len()).step_by(1_024) {
        // Converted as far as it goes, or refused; both are fine.
        let _either = convert(&whole[..end], &Options::default());
        survived += 1;
    }
    println!("host survived {survived}/{} cuts", whole.len().div_ceil(1_024));
}
