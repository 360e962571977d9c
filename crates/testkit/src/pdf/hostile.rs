//! PDFs that attack the reader of their syntax: nesting, cycles, bombs, huge numbers.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::{EXPENSIVE_PDFS, MakePdf, drawing, file, pages, stream};

/// Twenty PDFs that cost their reader much time, memory or stack: [`EXPENSIVE_PDFS`] and others.
#[must_use]
pub fn hostile_pdfs() -> Vec<(&'static str, MakePdf)> {
    [EXPENSIVE_PDFS.as_slice(), OTHERS.as_slice()].concat()
}

const OTHERS: [(&str, MakePdf); 14] = [
    ("nested arrays", |size| beside(nested("[", "]", size.of(20_000, 200_000)))),
    ("nested dictionaries", |size| beside(nested("<</A", ">>", size.of(10_000, 100_000)))),
    ("nested arrays in a page", |size| drawing(nested("[", "]", size.of(20_000, 200_000)))),
    ("nested strings in a page", |size| drawing(nested("(", ")", size.of(20_000, 200_000)))),
    ("nested states", |size| drawing(nested("q ", "Q ", size.of(50_000, 2_000_000)))),
    ("chain of page trees", |size| chain(size.of(10_000, 100_000))),
    ("the same page many times", |size| same_page(size.of(5_000, 200_000))),
    ("cyclic page tree", |_| {
        let tree = b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>";
        file(&[CATALOG.to_vec(), tree.to_vec()], "")
    }),
    ("bomb as a page", |size| page_of(&packed(&vec![b' '; size.of(10 << 20, 400 << 20)]), "/FlateDecode")),
    ("bomb in a bomb", |size| {
        let bomb = packed(&packed(&vec![b' '; size.of(10 << 20, 400 << 20)]));
        page_of(&bomb, "[/FlateDecode /FlateDecode]")
    }),
    ("forms in forms", |_| forms(20)),
    ("texts everywhere", |size| {
        let texts: String = (0..size.of(20_000, 300_000))
            .map(|at| format!("1 0 0 1 {} {} Tm (word{at}) Tj ", at * 7 % 600, at * 13 % 800))
            .collect();
        drawing(format!("BT /F1 12 Tf {texts} ET"))
    }),
    ("lines everywhere", |size| {
        let lines: String = (0..size.of(5_000, 200_000))
            .map(|at| format!("0 {} m 600 {} l S ", at % 800, at * 7 % 800))
            .collect();
        drawing(lines + "BT /F1 12 Tf 72 720 Td (word) Tj ET")
    }),
    ("character map of all codes", |_| character_map()),
];

const CATALOG: &[u8] = b"<< /Type /Catalog /Pages 2 0 R >>";

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("a vector accepts all bytes");
    encoder.finish().expect("a vector accepts all bytes")
}

fn nested(open: &str, close: &str, times: usize) -> String {
    format!("{}{}", open.repeat(times), close.repeat(times))
}

/// A file of one page, and an object that its trailer refers to.
fn beside(object: String) -> Vec<u8> {
    pages(&[super::lines(&["Some text."])], &[object.into_bytes()], "/X 6 0 R")
}

/// A file of one page with this content, encoded by a filter.
fn page_of(content: &[u8], filter: &str) -> Vec<u8> {
    let page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>";
    let tree = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    let content = stream(&format!("/Filter {filter}"), content);
    file(&[CATALOG.to_vec(), tree.to_vec(), page.to_vec(), content], "")
}

/// A page tree of this depth.
fn chain(length: usize) -> Vec<u8> {
    let mut objects = vec![CATALOG.to_vec()];
    for at in 2..length {
        objects
            .push(format!("<< /Type /Pages /Kids [{} 0 R] /Parent {} 0 R >>", at + 1, at - 1).into_bytes());
    }
    objects.push(b"<< /Type /Page /MediaBox [0 0 9 9] >>".to_vec());
    file(&objects, "")
}

fn same_page(times: usize) -> Vec<u8> {
    let tree = format!("<< /Type /Pages /Kids [{}] /Count {times} >>", "3 0 R ".repeat(times));
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
                /Resources << /Font << /F1 5 0 R >> >> >>";
    let font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
    let content = stream("", &super::lines(&["Some text."]));
    file(&[CATALOG.to_vec(), tree.into_bytes(), page.as_bytes().to_vec(), content, font.to_vec()], "")
}

/// Forms that each show the next one ten times.
fn forms(depth: usize) -> Vec<u8> {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R \
                /Resources << /XObject << /X 5 0 R >> >> >>";
    let calls = "/X Do ".repeat(10);
    let tree = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    let mut objects =
        vec![CATALOG.to_vec(), tree.to_vec(), page.as_bytes().to_vec(), stream("", calls.as_bytes())];
    for form in 1..=depth {
        let next = if form == depth { String::new() } else { format!("/XObject << /X {} 0 R >>", 5 + form) };
        let form = format!("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << {next} >>");
        objects.push(stream(&form, calls.as_bytes()));
    }
    file(&objects, "")
}

/// A font whose map covers four billion codes, a hundred times.
fn character_map() -> Vec<u8> {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
                /Resources << /Font << /F1 5 0 R >> >> >>";
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 6 0 R \
                /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A \
                /W [0 2147483647 500] >>] >>";
    let ranges = "<00000000> <FFFFFFFF> <0041> ".repeat(100);
    let map = format!(
        "begincmap 1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange \
         100 beginbfrange {ranges} endbfrange endcmap"
    );
    let objects = [
        CATALOG.to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.as_bytes().to_vec(),
        stream("", b"BT /F1 12 Tf 72 720 Td <00410042> Tj ET"),
        font.as_bytes().to_vec(),
        stream("", map.as_bytes()),
    ];
    file(&objects, "")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn twenty_files_with_different_names() {
        let files = hostile_pdfs();
        let names: BTreeSet<&str> = files.iter().map(|(name, _)| *name).collect();
        assert_eq!((files.len(), names.len()), (20, 20));
        for (name, make) in files {
            let file = make(Size::Moderate);
            assert!(file.starts_with(b"%PDF-") && file.ends_with(b"%%EOF\n"), "{name}");
            assert!(file.len() < 4 << 20, "{name}: {} bytes", file.len());
        }
    }
}
