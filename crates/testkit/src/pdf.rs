//! Hand-written PDFs, including PDFs that are expensive to read.

mod hostile;

pub use hostile::hostile_pdfs;

use crate::worst::Size;

/// Writes a file of these objects, numbered from 1, with a cross-reference table. The first object is the
/// catalog.
#[must_use]
pub fn file(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::with_capacity(objects.len());
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n", at + 1).into_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    let size = objects.len() + 1;
    file.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n")
            .into_bytes(),
    );
    file
}

/// A stream object.
#[must_use]
pub fn stream(dictionary: &str, content: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {dictionary} /Length {} >>\nstream\n", content.len()).into_bytes();
    object.extend_from_slice(content);
    object.extend_from_slice(b"\nendstream");
    object
}

/// The content of a page that shows these lines.
#[must_use]
pub fn lines(lines: &[&str]) -> Vec<u8> {
    let mut content = String::from("BT /F1 12 Tf 72 720 Td 16 TL\n");
    for line in lines {
        content.push_str(&format!("({line}) Tj T*\n"));
    }
    content.push_str("ET");
    content.into_bytes()
}

/// A file with one page per content. The objects of `more` follow, numbered from 4 + 2 * pages.
#[must_use]
pub fn pages(contents: &[Vec<u8>], more: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len()).into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    for (page, content) in contents.iter().enumerate() {
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
                5 + 2 * page
            )
            .into_bytes(),
        );
        objects.push(stream("", content));
    }
    objects.extend_from_slice(more);
    file(&objects, trailer)
}

/// Generates a file of this size.
pub type MakePdf = fn(Size) -> Vec<u8>;

/// PDFs with too many texts and lines: comparing them takes minutes and exhausts the memory.
pub const EXPENSIVE_PDFS: [(&str, MakePdf); 6] = [
    ("texts at one place", |size| text("1 0 0 1 72 720 Tm (word) Tj ", size.of(20_000, 100_000))),
    ("letters of one line", |size| text("(x) Tj ", size.of(50_000, 480_000))),
    ("lines without end", |size| text("0 -9 Td (word) Tj ", size.of(20_000, 100_000))),
    ("columns of one line", |size| {
        drawing(format!("BT /F1 12 Tf [{}] TJ ET", "(word) -900 ".repeat(size.of(20_000, 100_000))))
    }),
    ("texts in forms", texts_in_forms),
    ("pictures without an end", |size| {
        let pictures = "q BI /W 1 ID x ".repeat(size.of(20_000, 80_000));
        drawing(format!("BT /F1 12 Tf (x) Tj ET {pictures}"))
    }),
];

/// A file of one page with this content.
fn drawing(content: String) -> Vec<u8> {
    pages(&[content.into_bytes()], &[], "")
}

fn text(drawn: &str, times: usize) -> Vec<u8> {
    drawing(format!("BT /F1 12 Tf 72 720 Td {} ET", drawn.repeat(times)))
}

fn texts_in_forms(size: Size) -> Vec<u8> {
    let form = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> >>";
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /XObject << /X 6 0 R >> >> >>".to_vec(),
        stream("", "/X Do ".repeat(size.of(300, 1_000)).as_bytes()),
        stream(form, "BT /F1 12 Tf 1 0 0 1 9 9 Tm (word) Tj ET ".repeat(100).as_bytes()),
    ];
    file(&objects, "")
}
