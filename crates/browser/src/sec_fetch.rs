//! The `Sec-Fetch-*` headers (Fetch Metadata Request Headers, W3C). Chromium adds them after the point where
//! requests are intercepted.

use gleaner_fetch::LoadKind;
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
        (LoadKind::Resource, _) => ("empty", "cors"),
    };
    let site = match document.filter(|document| matches!(document.scheme(), "http" | "https")) {
        None => "none",
        Some(document) if document.origin() == url.origin() => "same-origin",
        Some(_) => "cross-site",
    };
    headers.insert(DEST, HeaderValue::from_static(dest));
    headers.insert(MODE, HeaderValue::from_static(mode));
    headers.insert(SITE, HeaderValue::from_static(site));
    if kind == LoadKind::Navigation {
        headers.insert(USER, HeaderValue::from_static("?1"));
    }
}
