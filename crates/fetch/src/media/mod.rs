//! Media types of bodies, and which of them are refused before the body is read.

mod sniff;

use http::HeaderMap;
use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};

pub(crate) use sniff::{SNIFFED_BYTES, is_recognised};

/// Which kinds of bodies a request accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accept {
    /// What can become a page: text, markup, data and PDF. Images, audio, video, fonts and archives are
    /// refused: by their `Content-Type` before the body is read, or by the first bytes if that header is
    /// missing, says nothing or is wrong.
    #[default]
    Page,
    /// Anything.
    Any,
    /// Anything. The body is not read, because only the status is needed.
    Nothing,
}

/// The decision about a body by its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    /// The first bytes decide.
    Unsure,
    /// Refused, with the type.
    Refused(String),
}

/// Types under `application/` without text.
const BINARY_APPLICATIONS: &[&str] = &[
    "gzip",
    "java-archive",
    "mac-binary",
    "msword",
    "vnd.android.package-archive",
    "vnd.apple.installer+xml",
    "vnd.debian.binary-package",
    "vnd.microsoft.portable-executable",
    "vnd.ms-cab-compressed",
    "vnd.ms-excel",
    "vnd.ms-fontobject",
    "vnd.ms-powerpoint",
    "vnd.rar",
    "wasm",
    "x-7z-compressed",
    "x-apple-diskimage",
    "x-bittorrent",
    "x-bzip",
    "x-bzip2",
    "x-compressed",
    "x-debian-package",
    "x-dosexec",
    "x-executable",
    "x-font-opentype",
    "x-font-ttf",
    "x-font-woff",
    "x-gzip",
    "x-iso9660-image",
    "x-lzip",
    "x-lzma",
    "x-msdos-program",
    "x-msdownload",
    "x-rar-compressed",
    "x-rpm",
    "x-shockwave-flash",
    "x-tar",
    "x-xz",
    "x-zip-compressed",
    "zip",
    "zstd",
    "ogg",
    "font-woff",
    "font-woff2",
];

/// Prefixes of types under `application/` for zipped containers.
const BINARY_APPLICATION_PREFIXES: &[&str] = &["vnd.openxmlformats-", "vnd.oasis.opendocument.", "epub"];

pub(crate) fn judge_type(accept: Accept, headers: &HeaderMap) -> Verdict {
    if accept != Accept::Page {
        return Verdict::Accepted;
    }
    essence(headers).map_or(Verdict::Unsure, |essence| judge_essence(&essence))
}

fn judge_essence(essence: &str) -> Verdict {
    let Some((kind, subtype)) = essence.split_once('/') else { return Verdict::Unsure };
    match kind {
        // An SVG is markup, but pages use it as a picture.
        "image" | "audio" | "video" | "font" => Verdict::Refused(essence.to_owned()),
        "application"
            if matches!(subtype, "octet-stream" | "binary" | "unknown" | "x-download" | "force-download") =>
        {
            Verdict::Unsure
        }
        "application"
            if BINARY_APPLICATIONS.contains(&subtype)
                || BINARY_APPLICATION_PREFIXES.iter().any(|prefix| subtype.starts_with(prefix)) =>
        {
            Verdict::Refused(essence.to_owned())
        }
        "binary" => Verdict::Unsure,
        _ => Verdict::Accepted,
    }
}

/// The essence of `Content-Type`, in lower case.
fn essence(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// The media type of the body, by its headers and its first bytes.
pub(crate) fn computed(headers: &HeaderMap, bytes: &[u8]) -> String {
    let nosniff = headers
        .get(X_CONTENT_TYPE_OPTIONS)
        .is_some_and(|value| value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"nosniff"));
    sniff::computed(essence(headers).as_deref(), !nosniff, bytes)
}

/// Checks the first bytes against what the request accepts. The error is the type that is refused.
pub(crate) fn judge_bytes(accept: Accept, headers: &HeaderMap, bytes: &[u8]) -> Result<(), String> {
    if accept != Accept::Page {
        return Ok(());
    }
    let kind = computed(headers, bytes);
    match judge_essence(&kind) {
        Verdict::Refused(kind) => Err(kind),
        Verdict::Unsure if kind == "application/octet-stream" => Err(kind),
        Verdict::Unsure | Verdict::Accepted => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn judge(content_type: &str) -> Verdict {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap());
        judge_type(Accept::Page, &headers)
    }

    #[test]
    fn declared_types_are_judged() {
        for accepted in [
            "text/html; charset=utf-8",
            "TEXT/PLAIN",
            "application/xhtml+xml",
            "application/json",
            "application/pdf",
            "application/rss+xml",
            "application/x-unheard-of",
            "multipart/mixed",
        ] {
            assert_eq!(judge(accepted), Verdict::Accepted, "{accepted}");
        }
        for refused in [
            "image/png",
            "Image/SVG+XML",
            "audio/mpeg",
            "video/mp4; codecs=x",
            "font/woff2",
            "application/zip",
            "application/GZIP",
            "application/epub+zip",
            "application/wasm",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ] {
            assert!(matches!(judge(refused), Verdict::Refused(_)), "{refused}");
        }
        for unsure in ["application/octet-stream", "binary/octet-stream", "garbage", ""] {
            assert_eq!(judge(unsure), Verdict::Unsure, "{unsure}");
        }
        assert_eq!(judge_type(Accept::Page, &HeaderMap::new()), Verdict::Unsure);
        assert_eq!(judge_type(Accept::Any, &HeaderMap::new()), Verdict::Accepted);
    }

    #[test]
    fn first_bytes_are_judged() {
        for (content_type, bytes, refused) in [
            (None, &b"<!doctype html>"[..], None),
            (None, b"%PDF-1.7\n%\x00\x01\x02", None),
            (None, b"\xff\xfeh\0t\0m\0l\0", None),
            (None, "äöü, plain UTF-8\r\n\tand tabs".as_bytes(), None),
            (None, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("image/png")),
            (None, b"\x7fELF\x02\x01\x01\0", Some("application/octet-stream")),
            (Some("text/html"), b"PK\x03\x04\x14\0", Some("application/zip")),
            (Some("text/html; charset=utf-8"), b"\x01\x02", None),
            (Some("garbage"), b"text", None),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(value) = content_type {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            }
            let found = judge_bytes(Accept::Page, &headers, bytes).err();
            assert_eq!(found.as_deref(), refused, "{content_type:?} {bytes:?}");
            assert_eq!(judge_bytes(Accept::Any, &headers, bytes), Ok(()));
        }
    }
}
