//! Writes a small PDF (ISO 32000-1): one font, consecutive lines of text, a correct xref table.

use std::fmt::Write as _;

/// A PDF with one page per item of `pages`. An item has the lines of text of its page (ASCII).
pub(crate) fn document(title: &str, pages: &[&[&str]]) -> Vec<u8> {
    // Objects 1 to 4 are fixed. Each page adds two: itself and its content.
    let kids: String = (0..pages.len()).map(|nth| format!("{} 0 R ", 5 + 2 * nth)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [ {kids}] /Count {} >>", pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!("<< /Title ({}) /Producer (county almanac) >>", escaped(title)),
    ];
    for (nth, lines) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] \
             /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            6 + 2 * nth
        ));
        let mut content = "BT\n/F1 12 Tf\n72 770 Td\n16 TL\n".to_owned();
        for line in *lines {
            let _ = writeln!(content, "({}) Tj\nT*", escaped(line));
        }
        content.push_str("ET\n");
        objects.push(format!("<< /Length {} >>\nstream\n{content}endstream", content.len()));
    }

    // A comment of four bytes above 127 marks the file as binary (7.5.2).
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = Vec::with_capacity(objects.len());
    for (nth, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", nth + 1).as_bytes());
    }
    let start = file.len();
    let size = objects.len() + 1;
    // An entry of the table has 20 bytes, including its end of line (7.5.4).
    let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n");
    for offset in offsets {
        let _ = writeln!(table, "{offset:010} 00000 n ");
    }
    let _ = write!(table, "trailer\n<< /Size {size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{start}\n%%EOF\n");
    file.extend_from_slice(table.as_bytes());
    file
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_points_at_the_objects() {
        let file = document("A (small) file", &[&["One line."], &["Two", "lines."]]);
        let text = String::from_utf8_lossy(&file).replace('\u{fffd}', "?");
        assert!(text.contains("(A \\(small\\) file)") && text.contains("(lines.) Tj"));
        let (_, after) = text.rsplit_once("startxref\n").unwrap();
        let start: usize = after.lines().next().unwrap().parse().unwrap();
        assert!(file[start..].starts_with(b"xref\n0 9\n"));
        let entries = &file[start + b"xref\n0 9\n".len()..];
        for (nth, entry) in entries.chunks(20).take(9).enumerate().skip(1) {
            let offset: usize = std::str::from_utf8(&entry[..10]).unwrap().parse().unwrap();
            assert!(file[offset..].starts_with(format!("{nth} 0 obj\n").as_bytes()), "object {nth}");
        }
    }
}
