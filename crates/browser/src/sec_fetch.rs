//! The `Sec-Fetch-*` headers (Fetch Metadata Request Headers, W3C). Chromium adds them after the point where
//! requests are intercepted.

use gleaner_fetch::LoadKind;
use gleaner_types::domain::registrable_domain;
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

const DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const USER: HeaderName = HeaderName::from_static("sec-fetch-user");

/// Adds the headers of a load by the page at `document`.
pub(crate) fn add(
    headers: &mut HeaderMap,
    kind: LoadKind,
    resource: &str,
    url: &Url,
    document: Option<&Url>,
) {
    let (dest, mode) = match (kind, resource) {
        (LoadKind::Navigation, _) => ("document", "navigate"),
        (LoadKind::Frame, _) => ("iframe", "navigate"),
        (LoadKind::Resource, "Script") => ("script", "no-cors"),
        (LoadKind::Resource, "Stylesheet") => ("style", "no-cors"),
        (LoadKind::Resource, "Image") => ("image", "no-cors"),
        (LoadKind::Resource, "Font") => ("font", "cors"),
        (LoadKind::Resource, "Media") => ("video", "no-cors"),
        (LoadKind::Resource, "Manifest") => ("manifest", "cors"),
        (LoadKind::Resource, "Ping") => ("empty", "no-cors"),
        _ => ("empty", "cors"),
    };
    let site = match document {
        None => "none",
        Some(document) if document.origin() == url.origin() => "same-origin",
        Some(document) if same_site(document, url) => "same-site",
        Some(_) => "cross-site",
    };
    headers.insert(DEST, HeaderValue::from_static(dest));
    headers.insert(MODE, HeaderValue::from_static(mode));
    headers.insert(SITE, HeaderValue::from_static(site));
    // A visitor begins the first navigation.
    if kind == LoadKind::Navigation && document.is_none() {
        headers.insert(USER, HeaderValue::from_static("?1"));
    }
}

/// Whether both URLs have one scheme and one registrable domain (HTML standard, "same site").
fn same_site(a: &Url, b: &Url) -> bool {
    let domain = |url: &Url| url.domain().and_then(registrable_domain).map(str::to_owned);
    a.scheme() == b.scheme() && domain(a).is_some_and(|of_a| Some(of_a) == domain(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_tell_what_is_loaded_and_from_where() {
        let url = |url: &str| Url::parse(url).unwrap();
        let first = url("https://www.example.com/");
        for (kind, resource, at, document, expected) in [
            (LoadKind::Navigation, "Document", "https://www.example.com/", None, "document navigate none ?1"),
            (
                LoadKind::Navigation,
                "Document",
                "https://b.example/",
                Some(&first),
                "document navigate cross-site -",
            ),
            (
                LoadKind::Frame,
                "Document",
                "https://ads.example.com/",
                Some(&first),
                "iframe navigate same-site -",
            ),
            (
                LoadKind::Resource,
                "Image",
                "https://www.example.com/a",
                Some(&first),
                "image no-cors same-origin -",
            ),
            (
                LoadKind::Resource,
                "Fetch",
                "http://www.example.com/a",
                Some(&first),
                "empty cors cross-site -",
            ),
        ] {
            let mut headers = HeaderMap::new();
            add(&mut headers, kind, resource, &url(at), document);
            let header = |name| headers.get(name).map_or("-", |value: &HeaderValue| value.to_str().unwrap());
            let sent = [DEST, MODE, SITE, USER].map(header).join(" ");
            assert_eq!(sent, expected, "{kind:?} {at}");
        }
    }
}
