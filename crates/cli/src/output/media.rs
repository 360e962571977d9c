//! Pictures and PDFs of a document, as files beside its page.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gleaner::Document;

/// A file for a picture or a PDF.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Media {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// Takes the pictures and PDFs out of `document`, and puts the names of their files in their place.
///
/// The screenshot of the page is named by the page's `stem`. Those of actions get numbers, and so do PDFs:
/// `stem.1.png`. URLs that are no data URIs stay.
pub(super) fn take(document: &mut Document, stem: &str) -> Vec<Media> {
    let mut taken = Vec::new();
    let mut put = |uri: &mut String, stem: &str| {
        if let Some((extension, bytes)) = decoded(uri) {
            let name = format!("{stem}.{extension}");
            uri.clone_from(&name);
            taken.push(Media { name, bytes });
        }
    };
    if let Some(screenshot) = &mut document.screenshot {
        // The stem `a.1` is the name of the first picture of the page `a`, so its own pictures have another.
        if ends_in_number(stem) { put(screenshot, &format!("{stem}.0")) } else { put(screenshot, stem) }
    }
    if let Some(actions) = &mut document.actions {
        for list in [&mut actions.screenshots, &mut actions.pdfs] {
            for (index, uri) in list.iter_mut().enumerate() {
                put(uri, &format!("{stem}.{}", index + 1));
            }
        }
    }
    taken
}

/// Whether the part after the last dot is a number.
fn ends_in_number(stem: &str) -> bool {
    let end = stem.rsplit_once('.').map_or("", |(_, end)| end);
    !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit())
}

/// The extension and the bytes of a data URI; `None` for other URIs and for unknown types.
fn decoded(uri: &str) -> Option<(&'static str, Vec<u8>)> {
    let (media_type, base64) = uri.strip_prefix("data:")?.split_once(";base64,")?;
    let extension = match media_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/webp" => "webp",
        "application/pdf" => "pdf",
        _ => return None,
    };
    Some((extension, BASE64_STANDARD.decode(base64).ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(document: &mut Document, stem: &str) -> Vec<String> {
        take(document, stem).into_iter().map(|media| media.name).collect()
    }

    #[test]
    fn documents_name_their_files() {
        let mut document: Document = serde_json::from_value(json!({
            "screenshot": "data:image/webp;base64,Zm9vYg==",
            "actions": {
                "screenshots": ["data:image/png;base64,YQ==", "data:image/jpeg;base64,Yg=="],
                "scrapes": [], "javascriptReturns": [],
                "pdfs": ["data:application/pdf;base64,Yw=="],
            },
            "metadata": {},
        }))
        .unwrap();
        let taken = take(&mut document, "a+b");
        assert_eq!(taken[0], Media { name: "a+b.webp".to_owned(), bytes: b"foob".to_vec() });
        let names: Vec<&str> = taken.iter().map(|media| media.name.as_str()).collect();
        assert_eq!(names, ["a+b.webp", "a+b.1.png", "a+b.2.jpg", "a+b.1.pdf"]);
        assert_eq!(document.screenshot.as_deref(), Some("a+b.webp"));
        let actions = document.actions.unwrap();
        assert_eq!(
            (actions.screenshots, actions.pdfs),
            (vec!["a+b.1.png".into(), "a+b.2.jpg".into()], vec!["a+b.1.pdf".into()])
        );
    }

    #[test]
    fn other_uris_stay() {
        for uri in
            ["https://media.example/1.png", "data:image/png;base64,???", "data:text/html;base64,YQ==", ""]
        {
            let mut document = Document::default();
            document.screenshot = Some(uri.to_owned());
            assert!(take(&mut document, "a").is_empty(), "{uri}");
            assert_eq!(document.screenshot.as_deref(), Some(uri));
        }
    }

    #[test]
    fn pages_with_numbers_share_no_file_with_others() {
        let shot = "data:image/png;base64,YQ==";
        let document = json!({
            "screenshot": shot,
            "actions": { "screenshots": [shot], "scrapes": [], "javascriptReturns": [], "pdfs": [] },
            "metadata": {},
        });
        let mut all = Vec::new();
        for stem in ["a", "a.0", "a.1", "a.0.1", "a.1.0", "a.1.1", "a.b"] {
            all.extend(names(&mut serde_json::from_value(document.clone()).unwrap(), stem));
        }
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!((all.len(), count), (14, 14), "{all:?}");
    }
}
