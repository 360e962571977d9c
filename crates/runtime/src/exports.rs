//! Documents of Google Docs, Sheets, Slides and Drive.
//!
//! The URL that people share serves a program that draws the document. An export URL serves the document
//! itself, so the page is read from its export. An export has the origin of its document, so the limits of
//! the host, its robots.txt and the headers of the user are the same. Published documents
//! (`/document/d/e/.../pub`) are ordinary pages, and URLs of exports and downloads stay as they are.

use url::{Url, form_urlencoded};

/// Last path segments of URLs that show a document.
const VIEWS: [&str; 4] = ["edit", "present", "preview", "view"];

/// The kind of a shared document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Sheet,
    Slides,
    File,
}

/// The export URL of the document that is shared at `url`; `None` if `url` is not such a document.
pub(crate) fn export(url: &Url) -> Option<Url> {
    let mut segments = url.path_segments()?;
    let kind = match (url.host_str()?, segments.next()?) {
        _ if url.port().is_some() => return None,
        ("docs.google.com", "document") => Kind::Text,
        ("docs.google.com", "spreadsheets") => Kind::Sheet,
        ("docs.google.com", "presentation") => Kind::Slides,
        ("drive.google.com", "file") => Kind::File,
        _ => return None,
    };
    let mut segment = segments.next()?;
    // `/u/2` selects one of the user's accounts; the document is the same.
    if segment == "u" {
        segments.next()?;
        segment = segments.next()?;
    }
    let id = segments.next().filter(|id| segment == "d" && is_token(id) && *id != "e")?;
    let is_view = match (segments.next(), segments.next()) {
        (None | Some(""), None) => true,
        (Some(view), None | Some("")) => VIEWS.contains(&view),
        _ => false,
    };
    is_view.then(|| export_url(kind, id, url))
}

/// The export URL of the document with this id, which is shared at `url`.
fn export_url(kind: Kind, id: &str, url: &Url) -> Url {
    let (path, query) = match kind {
        Kind::Text => (format!("/document/d/{id}/export"), vec![("format", "html")]),
        Kind::Sheet => (format!("/spreadsheets/d/{id}/export"), vec![("format", "csv")]),
        Kind::Slides => (format!("/presentation/d/{id}/export/pdf"), Vec::new()),
        Kind::File => ("/uc".to_owned(), vec![("export", "download"), ("id", id)]),
    };
    // The sheet of the workbook, and the access key in links to older documents.
    let sheet = (kind == Kind::Sheet).then(|| parameter(url, "gid")).flatten();
    let key = parameter(url, "resourcekey");
    let mut export = url.clone();
    export.set_fragment(None);
    export.set_query(None);
    export.set_path(&path);
    let more = [("gid", sheet.as_deref()), ("resourcekey", key.as_deref())];
    let more = more.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)));
    for (name, value) in query.into_iter().chain(more) {
        export.query_pairs_mut().append_pair(name, value);
    }
    export
}

/// The value of a parameter in the fragment, or else in the query.
fn parameter(url: &Url, name: &str) -> Option<String> {
    [url.fragment(), url.query()].into_iter().flatten().find_map(|text| {
        let mut pairs = form_urlencoded::parse(text.as_bytes());
        pairs.find(|(key, value)| key == name && is_token(value)).map(|(_, value)| value.into_owned())
    })
}

/// Whether the text has the characters of ids and keys only.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Is this a host that serves exports after a redirect?
pub(crate) fn serves_exports(url: &Url) -> bool {
    url.scheme() == "https" && url.host_str().is_some_and(|host| host.ends_with(".googleusercontent.com"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_documents_are_read_from_their_exports() {
        for (shared, expected) in [
            (
                "docs.google.com/document/d/1aB-c_9/edit",
                "docs.google.com/document/d/1aB-c_9/export?format=html",
            ),
            (
                "docs.google.com/document/d/1aB/edit?usp=sharing#heading=h.1",
                "docs.google.com/document/d/1aB/export?format=html",
            ),
            ("docs.google.com/document/d/1aB", "docs.google.com/document/d/1aB/export?format=html"),
            ("docs.google.com/document/d/1aB/", "docs.google.com/document/d/1aB/export?format=html"),
            ("docs.google.com/document/d/1aB/view/", "docs.google.com/document/d/1aB/export?format=html"),
            ("docs.google.com/document/u/2/d/1aB/edit", "docs.google.com/document/d/1aB/export?format=html"),
            (
                "docs.google.com/document/d/1aB/edit?resourcekey=0-x_Y",
                "docs.google.com/document/d/1aB/export?format=html&resourcekey=0-x_Y",
            ),
            (
                "docs.google.com/spreadsheets/d/1aB/edit",
                "docs.google.com/spreadsheets/d/1aB/export?format=csv",
            ),
            (
                "docs.google.com/spreadsheets/d/1aB/edit#gid=42",
                "docs.google.com/spreadsheets/d/1aB/export?format=csv&gid=42",
            ),
            (
                "docs.google.com/spreadsheets/d/1aB/edit?gid=7&usp=sharing",
                "docs.google.com/spreadsheets/d/1aB/export?format=csv&gid=7",
            ),
            (
                "docs.google.com/spreadsheets/d/1aB/edit?gid=7#gid=42&range=A1",
                "docs.google.com/spreadsheets/d/1aB/export?format=csv&gid=42",
            ),
            (
                "docs.google.com/spreadsheets/d/1aB/edit?gid=7%26x",
                "docs.google.com/spreadsheets/d/1aB/export?format=csv",
            ),
            (
                "docs.google.com/presentation/d/1aB/edit#slide=id.p",
                "docs.google.com/presentation/d/1aB/export/pdf",
            ),
            ("docs.google.com/presentation/d/1aB/present", "docs.google.com/presentation/d/1aB/export/pdf"),
            ("drive.google.com/file/d/1aB/view?usp=drive_link", "drive.google.com/uc?export=download&id=1aB"),
            ("drive.google.com/file/d/1aB/preview", "drive.google.com/uc?export=download&id=1aB"),
        ] {
            for scheme in ["https", "http"] {
                let url = Url::parse(&format!("{scheme}://{shared}")).unwrap();
                let export = export(&url).map(String::from);
                assert_eq!(export, Some(format!("{scheme}://{expected}")), "{shared}");
            }
        }
    }

    #[test]
    fn other_urls_stay_as_they_are() {
        for url in [
            "https://docs.google.com/document/d/e/2PACX-1vT/pub",
            "https://docs.google.com/spreadsheets/d/e/2PACX-1vT/pubhtml",
            "https://docs.google.com/presentation/d/e/2PACX-1vT/embed",
            "https://docs.google.com/document/d/e/edit",
            "https://docs.google.com/document/d/1aB/export?format=docx",
            "https://docs.google.com/document/d/1aB/mobilebasic",
            "https://docs.google.com/document/d/1aB/edit/more",
            "https://docs.google.com/document/d//edit",
            "https://docs.google.com/document/d/1%2FaB/edit",
            "https://docs.google.com/document/",
            "https://docs.google.com/document/x/1aB/edit",
            "https://docs.google.com/forms/d/1aB/viewform",
            "https://docs.google.com/",
            "https://docs.google.com:8443/document/d/1aB/edit",
            "https://drive.google.com/drive/folders/1aB",
            "https://drive.google.com/uc?export=download&id=1aB",
            "https://drive.google.com/document/d/1aB/edit",
            "https://docs.google.com.example/document/d/1aB/edit",
            "https://example.com/document/d/1aB/edit",
        ] {
            assert_eq!(export(&Url::parse(url).unwrap()), None, "{url}");
        }
    }

    #[test]
    fn an_export_has_no_export() {
        for shared in ["https://docs.google.com/document/d/1aB", "https://drive.google.com/file/d/1aB/view"] {
            let export_of = export(&Url::parse(shared).unwrap()).unwrap();
            assert_eq!(export(&export_of), None, "{shared}");
        }
    }
}
