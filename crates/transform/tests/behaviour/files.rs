//! Files that are pages to a reader: tables, RTF, notebooks, Markdown with front matter, XHTML, plain text.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, transform};
use gleaner_types::request::{Format, ScrapeOptions};
use gleaner_types::{Document, MetaValue};

fn read_at(address: &str, body: &[u8], content_type: &str) -> Document {
    let url = format!("https://example.org/docs/{address}").parse().unwrap();
    let input = Input::new(&url, Some(content_type), body);
    let formats = [Format::Markdown, Format::Links, Format::RawHtml];
    transform(input, &ScrapeOptions::new().formats(formats).check().unwrap()).unwrap().document
}

fn markdown(body: &[u8], content_type: &str) -> String {
    read_at("file", body, content_type).markdown.unwrap()
}

#[test]
fn the_delimiter_is_the_one_that_fits_the_rows() {
    let prices =
        "| Preis, EUR | Name, Ort | Menge |\n| --- | --- | --- |\n| 1,20 | Berg | 3 |\n| 2,40 | Dahl | 4 |";
    for delimiter in [";", "\t", "|"] {
        let rows = ["Preis, EUR;Name, Ort;Menge", "1,20;Berg;3", "2,40;Dahl;4"].join("\r\n");
        for content_type in
            ["text/csv", "application/csv", "text/comma-separated-values", "application/vnd.ms-excel"]
        {
            let text = rows.replace(';', delimiter);
            assert_eq!(markdown(text.as_bytes(), content_type), prices, "{delimiter:?} {content_type}");
        }
    }
    for (text, row) in [
        (
            "Datum;\"Betrag, netto\";\"Konto, Name\"\n01.02.;\"1.204,50\";\"Berg, Anna\"\n",
            "| 01.02. | 1.204,50 | Berg, Anna |",
        ),
        ("sep=;\nName;Menge\nBerg;3,5\n", "| Berg | 3,5 |"),
        ("Report, second quarter\n\nName;Grain;Sum\nBerg;Oats;3\nDahl;Rye;4\n", "| Berg | Oats | 3 |"),
        ("id,text\n1,\"one; two\nthree; four\"\n2,x\n", "| 1 | one; two<br>three; four |"),
    ] {
        assert!(markdown(text.as_bytes(), "text/csv").contains(row), "{text}");
    }
}

#[test]
fn tables_of_office_programs_are_read_in_their_encodings() {
    let text = "Name\tOrt\r\nBerg\tMünchen\r\n";
    let units: Vec<u16> = "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for body in [little, big, text.as_bytes().to_vec()] {
        for content_type in ["text/csv", "application/vnd.ms-excel", "text/tab-separated-values"] {
            assert!(markdown(&body, content_type).contains("| Berg | München |"), "{content_type}");
        }
    }
    let page = b"<html><meta charset=windows-1252><table><tr><th>Name<th>Ort<tr><td>Berg<td>M\xFCnchen</table></html>";
    assert!(markdown(page, "application/vnd.ms-excel").contains("| Berg | München |"));
}

#[test]
fn the_name_of_a_file_tells_what_its_type_does_not() {
    for content_type in ["text/plain; charset=utf-8", "application/octet-stream"] {
        assert_eq!(read_at("a.md", b"# A *b*", content_type).markdown.unwrap(), "# A *b*", "{content_type}");
        let table = read_at("a.csv", b"a;b\n1;2", content_type).markdown.unwrap();
        assert!(table.ends_with("| 1 | 2 |"), "{content_type}: {table}");
        assert_eq!(read_at("a.txt", b"# A *b*", content_type).markdown.unwrap(), "```\n# A *b*\n```");
    }
}

#[test]
fn front_matter_is_metadata() {
    let yaml = "---\ntitle: \"Weir rules\"\ndescription: All rules\nauthor: W. Quandt\ndate: 2024-05-01\ntags: [a, b]\n---\n\nThe gate is *closed*.\n";
    let toml = "+++\ntitle = 'Weir rules'\ndescription = \"All rules\"\nauthors = [\"W. Quandt\"]\ndate = 2024-05-01\ntags = [\"a\", \"b\"]\n+++\nThe gate is *closed*.\n";
    for text in [yaml.to_owned(), yaml.replace('\n', "\r\n"), toml.to_owned()] {
        let document = read_at("p.md", text.as_bytes(), "text/markdown");
        assert_eq!(document.markdown.as_deref(), Some("The gate is *closed*."), "{text}");
        assert_eq!(document.raw_html.as_deref(), Some(&*text));
        let metadata = document.metadata;
        assert_eq!(metadata.title.as_deref(), Some("Weir rules"), "{text}");
        assert_eq!(metadata.description.as_deref(), Some("All rules"), "{text}");
        assert_eq!(metadata.keywords.as_deref(), Some("a, b"), "{text}");
        assert!(metadata.published_time.unwrap().starts_with("2024-05-01"), "{text}");
        assert_eq!(metadata.other.get("author"), Some(&MetaValue::One("W. Quandt".to_owned())), "{text}");
    }
    let text = "---\n\nA text between lines.\n\n---\n\nThe rest.\n";
    let document = read_at("p.md", text.as_bytes(), "text/markdown").markdown.unwrap();
    assert!(document.contains("A text between lines.") && document.contains("The rest."), "{document}");
}

#[test]
fn references_of_markdown_are_resolved() {
    let text = "See [rules](rules.md), [up](../a.md#b), [ref][r], <img src=\"img/x.png\" alt=x> and ![map](img/map.png).\n\n[r]: /r\n";
    let document = read_at("p.md", text.as_bytes(), "text/markdown");
    let markdown = document.markdown.unwrap();
    for address in ["/docs/rules.md", "/a.md#b", "/r", "/docs/img/x.png", "/docs/img/map.png"] {
        assert!(markdown.contains(&format!("(https://example.org{address})")), "{address}: {markdown}");
    }
    assert_eq!(document.links.unwrap().len(), 3);
}

#[test]
fn rtf_is_read_as_its_text() {
    let rtf = br#"{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}{\stylesheet{\s1 heading 1;}}{\info{\title Weir rules}{\author W. Quandt}}
{\*\generator X;}\pard\s1\b Rules\b0\par\pard\f0\fs24 The gate is \b closed\b0  at night.\par
{\listtext\'b7\tab}one\par{\listtext\'b7\tab}two\par\pard M\'fchle, \u8364?5\par
\trowd\intbl Name\cell Sum\cell\row\trowd\intbl Berg\cell 3\cell\row\pard
{\field{\*\fldinst HYPERLINK "https://e.example/a"}{\fldrslt x}}End.}"#;
    for content_type in
        ["application/rtf", "text/rtf", "application/msword", "text/plain", "application/octet-stream"]
    {
        let document = read_at("a", rtf, content_type);
        let markdown = document.markdown.unwrap();
        for part in [
            "The gate is **closed** at night.",
            "- one\n- two",
            "Mühle, €5",
            "| Name | Sum |\n| --- | --- |\n| Berg | 3 |",
            "End.",
        ] {
            assert!(markdown.contains(part), "{part}: {markdown}");
        }
        assert!(markdown.starts_with("# "), "{markdown}");
        assert!(!markdown.contains(['\\', '{']) && !markdown.contains("Arial"), "{markdown}");
        assert_eq!(document.metadata.title.as_deref(), Some("Weir rules"), "{content_type}");
        assert!(document.metadata.other.contains_key("author"), "{content_type}");
    }
}

#[test]
fn notebooks_are_read_as_their_cells() {
    let notebook = serde_json::json!({
        "cells": [
            { "cell_type": "markdown", "source": ["# Weir\n", "The *level* is $\\{a_1\\}$, see [data](data.csv).\n"] },
            { "cell_type": "code", "source": ["print('a')\n", "b"], "outputs": [{ "output_type": "stream", "text": ["a *\n"] }] },
        ],
        "metadata": { "language_info": { "name": "python" } },
        "nbformat": 4,
    });
    for content_type in
        ["application/x-ipynb+json", "application/json", "text/plain", "application/octet-stream"]
    {
        let document = read_at("a.ipynb", notebook.to_string().as_bytes(), content_type);
        assert_eq!(
            document.markdown.unwrap(),
            "# Weir\n\nThe *level* is $\\{a_1\\}$, see [data](https://example.org/docs/data.csv).\n\n\
             ```python\nprint('a')\nb\n```\n\n```\na *\n```",
            "{content_type}"
        );
        assert_eq!(document.metadata.title.as_deref(), Some("Weir"), "{content_type}");
    }
}

#[test]
fn xhtml_is_read_as_xml() {
    let page = "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head>
        <title/><script src='a.js'/><style/></head><body><h1>Weir rules</h1><p>The gate is closed.</p><p><a id='top'/>A boat pays.</p>
        <p><![CDATA[Berg & Dahl are <partners>.]]></p><div/><p>The <a href='k'>keeper</a> lives at the lock.<br/>So it is.</p></body></html>";
    for content_type in ["application/xhtml+xml", "application/xml", "text/xml; charset=utf-8"] {
        let document = read_at("p", page.as_bytes(), content_type);
        let markdown = document.markdown.unwrap();
        for part in [
            "# Weir rules",
            "The gate is closed.",
            "A boat pays.",
            "Berg & Dahl are \\<partners>.",
            "So it is.",
        ] {
            assert!(markdown.contains(part), "{content_type} {part}: {markdown}");
        }
        assert_eq!(document.links.unwrap(), ["https://example.org/docs/k"], "{content_type}");
        assert_eq!(document.raw_html.as_deref(), Some(page), "{content_type}");
    }
}

#[test]
fn pages_and_lines_of_a_text_stay_apart() {
    let text = "Page one.\u{c}Page two.\r\n\u{c}Page three.\rEnd.";
    assert_eq!(markdown(text.as_bytes(), "text/plain"), "```\nPage one.\nPage two.\nPage three.\nEnd.\n```");
}

#[test]
fn texts_without_a_declared_encoding_are_guessed() {
    let japanese = "昨日の記録です。川の水位は三メートルでした。村の人々は橋を見ていました。";
    let russian = "Уровень воды в реке был три метра. Жители деревни смотрели на мост.";
    for (encoding, text) in [
        (encoding_rs::SHIFT_JIS, japanese),
        (encoding_rs::EUC_JP, japanese),
        (encoding_rs::KOI8_R, russian),
        (encoding_rs::WINDOWS_1251, russian),
    ] {
        let (body, _, _) = encoding.encode(text);
        for content_type in ["text/plain", "text/markdown", "text/csv"] {
            assert!(markdown(&body, content_type).contains(text), "{} {content_type}", encoding.name());
        }
    }
}
