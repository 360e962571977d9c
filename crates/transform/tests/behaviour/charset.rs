//! Decoding: what decides the encoding, and that the result does not depend on how the bytes are divided.

use encoding_rs::Encoding;
use gleaner_transform::{CharsetSource, Input, decode, links, transform};
use gleaner_types::request::ScrapeOptions;

/// Name, body, header, text, encoding, source.
type Row = (&'static str, Vec<u8>, Option<&'static str>, &'static str, &'static str, CharsetSource);

fn golden() -> Vec<Row> {
    use CharsetSource::{ByteOrderMark, Declaration, Guess, Header};
    let meta = |charset: &str, rest: &[u8]| [format!("<meta charset={charset}>").as_bytes(), rest].concat();
    vec![
        (
            "byte order mark over header and declaration",
            [b"\xEF\xBB\xBF".as_slice(), &meta("koi8-r", "é".as_bytes())].concat(),
            Some("text/html; charset=latin1"),
            "<meta charset=koi8-r>é",
            "UTF-8",
            ByteOrderMark,
        ),
        (
            "header over declaration",
            meta("utf-8", b"\xE9"),
            Some("text/html; charset=latin1"),
            "<meta charset=utf-8>é",
            "windows-1252",
            Header,
        ),
        (
            "unknown header, declaration",
            meta("koi8-r", b"\xC1"),
            Some("text/html; charset=klingon"),
            "<meta charset=koi8-r>а",
            "KOI8-R",
            Declaration,
        ),
        (
            "UTF-7 is never decoded",
            b"+ADw-script+AD4-".to_vec(),
            Some("text/html; charset=utf-7"),
            "+ADw-script+AD4-",
            "UTF-8",
            Guess,
        ),
        ("UTF-7 declared", meta("utf-7", b"+ADw-"), None, "<meta charset=utf-7>+ADw-", "UTF-8", Guess),
        (
            "ISO-2022-JP",
            b"\x1B$B$\"\x1B(B".to_vec(),
            Some("text/html; charset=iso-2022-jp"),
            "あ",
            "ISO-2022-JP",
            Header,
        ),
        (
            "replacement encoding",
            b"abc".to_vec(),
            Some("text/html; charset=hz-gb-2312"),
            "\u{FFFD}",
            "replacement",
            Header,
        ),
        (
            "a declaration of UTF-16 that is readable as ASCII",
            meta("utf-16le", "é".as_bytes()),
            None,
            "<meta charset=utf-16le>é",
            "UTF-8",
            Declaration,
        ),
        ("UTF-16 of an odd length", b"\xFF\xFEa\0b".to_vec(), None, "a\u{FFFD}", "UTF-16LE", ByteOrderMark),
        (
            "a character cut off",
            b"caf\xC3".to_vec(),
            Some("text/html; charset=utf-8"),
            "caf\u{FFFD}",
            "UTF-8",
            Header,
        ),
        (
            "overlong",
            b"\xC0\xAF".to_vec(),
            Some("text/html; charset=utf-8"),
            "\u{FFFD}\u{FFFD}",
            "UTF-8",
            Header,
        ),
        (
            "surrogate",
            b"\xED\xA0\x80".to_vec(),
            Some("text/html; charset=utf-8"),
            "\u{FFFD}\u{FFFD}\u{FFFD}",
            "UTF-8",
            Header,
        ),
        (
            "Shift_JIS whose second byte is ASCII",
            b"\x83\x5C".to_vec(),
            Some("text/html; charset=shift_jis"),
            "ソ",
            "Shift_JIS",
            Header,
        ),
        (
            "GB18030 of four bytes",
            b"\x81\x30\x81\x30".to_vec(),
            Some("text/html; charset=gb18030"),
            "\u{80}",
            "gb18030",
            Header,
        ),
        ("empty", Vec::new(), None, "", "UTF-8", Guess),
    ]
}

#[test]
fn the_encoding_is_the_one_that_a_browser_uses() {
    for (name, body, header, text, encoding, source) in golden() {
        let decoded = decode(&body, header);
        assert_eq!((&*decoded.text, decoded.encoding, decoded.source), (text, encoding, source), "{name}");
    }
}

/// Seen as pages whose umlauts became two letters each.
#[test]
fn a_charset_elsewhere_than_in_a_declaration_is_none() {
    let text = "Grüße aus Łódź: die Straße zum Mühlbach";
    for before in [
        "<!-- <meta charset=\"windows-1251\"> was here --><meta charset=utf-8>",
        "<meta name=description content=\"How to write charset=shift_jis\"><meta charset=utf-8>",
        "<script charset=\"iso-8859-7\" src=\"/x.js\"></script><meta charset=utf-8>",
        "<meta name=generator data-charset=\"koi8-r\" content=x><meta charset=utf-8>",
        "<meta property=og:see content=\"text/html; charset=big5\"><meta charset=utf-8>",
        "<meta charset=none><meta charset=utf-8>",
        "<meta http-equiv=content-language content=\"de; charset=gbk\"><meta charset=utf-8>",
        "<!-- <meta charset=\"windows-1251\"> -->",
        "<title><meta charset=windows-1251></title><meta charset=utf-8 content='charset=big5'>",
    ] {
        // The title is one of the first kilobyte, where browsers do not look what is around a tag.
        let padding = if before.starts_with("<title>") { " ".repeat(1_024) } else { String::new() };
        let page = format!("<!doctype html><html lang=de><head>{padding}{before}</head><body>{text}");
        assert!(decode(page.as_bytes(), Some("text/html")).text.contains(text), "{before}");
    }
}

#[test]
fn a_declaration_behind_the_first_kilobyte_counts() {
    use CharsetSource::{Declaration, Guess};
    let style = format!("<style>{}</style>", "p{margin:0}\n".repeat(200));
    let meta = "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>";
    for (page, source) in [
        (format!("<head>{style}{meta}</head>"), Declaration),
        (format!("<!-- {} --><title>x</title>{meta}", "x".repeat(3_000)), Declaration),
        (format!("<head>{style}</head><body>{meta}"), Guess),
    ] {
        let body = [page.as_bytes(), b"<p>\xC1\xC2\xD7"].concat();
        let decoded = decode(&body, Some("text/html"));
        assert!(decoded.text.ends_with("абв"), "{}", decoded.text);
        assert_eq!((decoded.encoding, decoded.source), ("KOI8-R", source));
        let utf8 = format!("{page}<p>Łódź");
        // Browsers have begun to show the page before a declaration in its body.
        assert_eq!(decode(utf8.as_bytes(), None).text.ends_with("Łódź"), source == Guess, "{utf8}");
    }
}

#[test]
fn labels_mean_the_same_in_every_place() {
    for (label, encoding) in [
        ("UTF8", "UTF-8"),
        ("unicode-1-1-utf-8", "UTF-8"),
        ("866", "IBM866"),
        ("latin2", "ISO-8859-2"),
        ("l3", "ISO-8859-3"),
        ("arabic", "ISO-8859-6"),
        ("logical", "ISO-8859-8-I"),
        ("visual", "ISO-8859-8"),
        ("koi8-ru", "KOI8-U"),
        ("tis-620", "windows-874"),
        ("ascii", "windows-1252"),
        ("iso8859-1", "windows-1252"),
        ("x-cp1251", "windows-1251"),
        ("latin5", "windows-1254"),
        ("x-mac-ukrainian", "x-mac-cyrillic"),
        ("gb2312", "GBK"),
        ("gb18030", "gb18030"),
        ("big5-hkscs", "Big5"),
        ("x-euc-jp", "EUC-JP"),
        ("ms_kanji", "Shift_JIS"),
        ("csiso2022jp", "ISO-2022-JP"),
        ("ks_c_5601-1987", "EUC-KR"),
    ] {
        let header = format!("text/html; charset=\"{label}\"");
        assert_eq!(decode(b"x", Some(&header)).encoding, encoding, "{label}");
        for page in [
            format!("<meta charset={label}>"),
            format!("<meta content='text/html;charset={label}' http-equiv=content-type>"),
            format!("<?xml version='1.0' encoding='{label}'?><html>"),
        ] {
            assert_eq!(decode(page.as_bytes(), None).encoding, encoding, "{page}");
        }
    }
}

/// Decodes a body that arrives in two parts.
fn decode_in_two(encoding: &'static Encoding, body: &[u8], cut: usize) -> String {
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let mut text = String::new();
    let (before, after) = body.split_at(cut);
    for (part, last) in [(before, false), (after, true)] {
        text.reserve(part.len() * 4 + 16);
        let _malformed = decoder.decode_to_string(part, &mut text, last);
    }
    text
}

#[test]
fn the_text_does_not_depend_on_where_the_bytes_are_cut() {
    let text = "aé漢字ソ\u{1F600} Ελληνικά русский";
    let mut bodies: Vec<(&'static Encoding, Vec<u8>)> = golden()
        .into_iter()
        .filter_map(|(_, body, header, ..)| {
            Some((Encoding::for_label(decode(&body, header).encoding.as_bytes())?, body))
        })
        .collect();
    for label in ["utf-8", "shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "big5", "euc-kr", "windows-1251"]
    {
        let encoding = Encoding::for_label(label.as_bytes()).expect("a label of the standard");
        bodies.push((encoding, encoding.encode(text).0.into_owned()));
    }
    let (mut cuts, mut failures) = (0, 0);
    for (encoding, body) in bodies {
        let header = format!("text/html; charset={}", encoding.name());
        let whole = decode(&body, Some(&header));
        for cut in 0..=body.len() {
            cuts += 1;
            failures += usize::from(
                decode_in_two(Encoding::for_label(whole.encoding.as_bytes()).unwrap_or(encoding), &body, cut)
                    != whole.text,
            );
        }
    }
    assert_eq!(failures, 0, "of {cuts} cuts");
}

#[test]
fn queries_of_a_document_that_a_browser_wrote_are_in_the_encoding_of_the_page() {
    let url = "https://example.org/".parse().unwrap();
    let body = "<p>Some words about <a href='?q=я'>tea</a> and more of them.</p>".as_bytes();
    for (content_type, query) in [
        ("text/html; charset=utf-8", "q=%D1%8F"),
        ("text/html; charset=utf-8; document-charset=windows-1251", "q=%FF"),
        ("text/html; charset=utf-8; document-charset=unknown", "q=%D1%8F"),
    ] {
        let input = Input::new(&url, Some(content_type), body);
        assert_eq!(links(input).unwrap().links[0].url.query(), Some(query), "{content_type}");
        let page = transform(input, &ScrapeOptions::new().check().unwrap()).unwrap();
        assert_eq!(page.links.links[0].url.query(), Some(query), "{content_type}");
        let markdown = page.document.markdown.unwrap();
        assert!(markdown.contains(query), "{content_type}: {markdown}");
    }
}
