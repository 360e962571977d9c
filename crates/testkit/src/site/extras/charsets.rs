//! Pages in other encodings, each declared in one of the ways that HTML and HTTP define.
//!
//! The bytes are written by hand next to their text, and a test decodes them with a second implementation.
//! The HTML Standard (13.2.3.1) defines the order of precedence: byte order mark, header, meta element.

use super::{Book, Reply};
use crate::site::SiteSpec;
use crate::site::truth::{EncodedTruth, PathTruth, Role};

/// Where a page declares its encoding.
#[derive(Debug, Clone, Copy)]
enum Declared {
    Header(&'static str),
    /// `<meta charset>`, with a header that declares none.
    Meta(&'static str),
    /// `<meta http-equiv>`, with a header that declares none.
    HttpEquiv(&'static str),
    /// The header is correct, and the meta element is wrong.
    HeaderOverMeta(&'static str, &'static str),
    Nowhere,
}

/// A text and its bytes.
type Words = (&'static str, &'static [u8]);

struct Row {
    name: &'static str,
    encoding: &'static str,
    declared: Declared,
    title: Words,
    text: Words,
}

const FRENCH: (Words, Words) = (
    ("Prix à l’été", b"Prix \xe0 l\x92\xe9t\xe9"),
    (
        "Le café coûte 3 € — “très” bon marché, œuvre complète.",
        b"Le caf\xe9 co\xfbte 3 \x80 \x97 \x93tr\xe8s\x94 bon march\xe9, \x9cuvre compl\xe8te.",
    ),
);
const JAPANESE: (Words, Words) = (
    ("日本語のページ", b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83y\x81[\x83W"),
    (
        "これは日本語の文章です。文字コードを正しく判定できるでしょうか。",
        b"\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81B\x95\xb6\x8e\x9a\
          \x83R\x81[\x83h\x82\xf0\x90\xb3\x82\xb5\x82\xad\x94\xbb\x92\xe8\x82\xc5\x82\xab\x82\xe9\x82\xc5\x82\xb5\x82\
          \xe5\x82\xa4\x82\xa9\x81B",
    ),
);
const RUSSIAN: (Words, Words) = (
    ("Русская страница", b"\xf2\xd5\xd3\xd3\xcb\xc1\xd1 \xd3\xd4\xd2\xc1\xce\xc9\xc3\xc1"),
    (
        "Это русский текст в кодировке КОИ8, и он должен читаться без ошибок.",
        b"\xfc\xd4\xcf \xd2\xd5\xd3\xd3\xcb\xc9\xca \xd4\xc5\xcb\xd3\xd4 \xd7 \xcb\xcf\xc4\xc9\xd2\xcf\xd7\xcb\xc5 \
          \xeb\xef\xe98, \xc9 \xcf\xce \xc4\xcf\xcc\xd6\xc5\xce \xde\xc9\xd4\xc1\xd4\xd8\xd3\xd1 \xc2\xc5\xda \
          \xcf\xdb\xc9\xc2\xcf\xcb.",
    ),
);
const CHINESE: (Words, Words) = (
    ("中文网页", b"\xd6\xd0\xce\xc4\xcd\xf8\xd2\xb3"),
    (
        "这是一段中文文字，编码应当被正确识别。",
        b"\xd5\xe2\xca\xc7\xd2\xbb\xb6\xce\xd6\xd0\xce\xc4\xce\xc4\xd7\xd6\xa3\xac\xb1\xe0\xc2\xeb\xd3\xa6\xb5\xb1\xb1\
          \xbb\xd5\xfd\xc8\xb7\xca\xb6\xb1\xf0\xa1\xa3",
    ),
);
const CZECH: (Words, Words) = (
    ("Česká stránka", b"\xc8esk\xe1 str\xe1nka"),
    (
        "Příliš žluťoučký kůň úpěl ďábelské ódy.",
        b"P\xf8\xedli\xb9 \xbelu\xbbou\xe8k\xfd k\xf9\xf2 \xfap\xecl \xef\xe1belsk\xe9 \xf3dy.",
    ),
);

fn rows() -> Vec<Row> {
    let row = |name, encoding, declared, (title, text)| Row { name, encoding, declared, title, text };
    vec![
        row("windows-1252-header", "windows-1252", Declared::Header("windows-1252"), FRENCH),
        // In the Encoding Standard, `latin1` is a label of windows-1252.
        row("latin1-meta", "windows-1252", Declared::Meta("latin1"), FRENCH),
        row("windows-1252-nowhere", "windows-1252", Declared::Nowhere, FRENCH),
        row("shift_jis-header", "shift_jis", Declared::Header("Shift_JIS"), JAPANESE),
        row("shift_jis-meta", "shift_jis", Declared::Meta("shift_jis"), JAPANESE),
        row("koi8-r-http-equiv", "koi8-r", Declared::HttpEquiv("koi8-r"), RUSSIAN),
        row("koi8-r-header-over-meta", "koi8-r", Declared::HeaderOverMeta("koi8-r", "utf-8"), RUSSIAN),
        row("gbk-meta", "gbk", Declared::Meta("gb2312"), CHINESE),
        row("iso-8859-2-header", "iso-8859-2", Declared::Header("\"ISO-8859-2\""), CZECH),
    ]
}

pub(super) fn add(book: &mut Book, _: &SiteSpec) {
    let mut pages: Vec<(EncodedTruth, &'static str, Vec<u8>)> = Vec::new();
    for row in rows() {
        let (content_type, meta) = match row.declared {
            Declared::Header(label) => (content_type(label), String::new()),
            Declared::Meta(label) => ("text/html", format!("<meta charset=\"{label}\">")),
            Declared::HttpEquiv(label) => (
                "text/html",
                format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={label}\">"),
            ),
            Declared::HeaderOverMeta(label, wrong) => {
                (content_type(label), format!("<meta charset=\"{wrong}\">"))
            }
            Declared::Nowhere => ("text/html", String::new()),
        };
        let html = [
            b"<!doctype html>\n<html>\n<head>\n".as_slice(),
            meta.as_bytes(),
            b"\n<title>",
            row.title.1,
            b"</title>\n</head>\n<body>\n<main>\n<h1>",
            row.title.1,
            b"</h1>\n<p>",
            row.text.1,
            b"</p>\n</main>\n</body>\n</html>\n",
        ]
        .concat();
        pages.push((truth(row.name, row.encoding, row.title.0, row.text.0), content_type, html));
    }

    // UTF-16 and UTF-8 with a byte order mark, the second with a wrong header.
    let text = "Der Text beginnt mit einer Marke, größer als nötig: ∑ €.";
    let wide: Vec<u8> = format!("\u{feff}{}", plain("Breite Seite", text))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    pages.push((truth("utf-16le-mark", "utf-16le", "Breite Seite", text), "text/html", wide));
    let marked = format!("\u{feff}{}", plain("Gemerkte Seite", text)).into_bytes();
    let wrong = content_type("windows-1252");
    pages.push((truth("utf-8-mark-over-header", "utf-8", "Gemerkte Seite", text), wrong, marked));

    let links: Vec<(&str, &str)> =
        pages.iter().map(|(truth, _, _)| (truth.path.as_str(), "A page in another encoding")).collect();
    book.index("/charsets/", "Encodings", &links);
    for (encoded, content_type, html) in pages {
        let mut truth = PathTruth::new(&encoded.path, Role::Document);
        truth.title.clone_from(&encoded.title);
        truth.sentences = vec![encoded.text.clone()];
        book.add(truth, Reply::file(content_type, html));
        book.truth.encoded.push(encoded);
    }
}

fn truth(name: &str, encoding: &'static str, title: &str, text: &str) -> EncodedTruth {
    EncodedTruth {
        path: format!("/charsets/{name}"),
        encoding,
        title: title.to_owned(),
        text: text.to_owned(),
    }
}

fn plain(title: &str, text: &str) -> String {
    format!(
        "<!doctype html>\n<html>\n<head>\n<title>{title}</title>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         <p>{text}</p>\n</main>\n</body>\n</html>\n"
    )
}

fn content_type(label: &str) -> &'static str {
    match label {
        "windows-1252" => "text/html; charset=windows-1252",
        "Shift_JIS" => "text/html;charset=Shift_JIS",
        "koi8-r" => "text/html; charset=koi8-r",
        _ => "text/html; charset=\"ISO-8859-2\"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_decode_to_the_text() {
        for row in rows() {
            let encoding = encoding_rs::Encoding::for_label(row.encoding.as_bytes()).unwrap();
            for (text, bytes) in [row.title, row.text] {
                let (decoded, _, wrong) = encoding.decode(bytes);
                assert!(!wrong, "{}", row.name);
                assert_eq!(decoded, text, "{}", row.name);
            }
        }
    }
}
