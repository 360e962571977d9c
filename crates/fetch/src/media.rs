//! Media types of bodies, and which of them are refused before the body is read.

use gleaner_types::media::{self, MediaKind, MediaType};
use http::HeaderMap;
use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};

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

pub(crate) fn judge_type(accept: Accept, headers: &HeaderMap) -> Verdict {
    if accept != Accept::Page {
        return Verdict::Accepted;
    }
    judge_essence(declared(headers).essence())
}

fn judge_essence(essence: &str) -> Verdict {
    match MediaKind::of(essence) {
        MediaKind::Unknown | MediaKind::Office => Verdict::Unsure,
        kind if kind.is_file() => Verdict::Refused(essence.to_owned()),
        _ => Verdict::Accepted,
    }
}

/// `Content-Type` as sent, if it is there. Several lines are joined with commas (Fetch, "get, decode, and
/// split").
pub(crate) fn content_type(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(CONTENT_TYPE).iter();
    lines.map(crate::headers::text).reduce(|joined, line| format!("{joined}, {line}"))
}

fn declared(headers: &HeaderMap) -> MediaType {
    MediaType::of_header(&content_type(headers).unwrap_or_default())
}

/// The media type of the body, by its headers and its first bytes.
pub(crate) fn computed(headers: &HeaderMap, bytes: &[u8]) -> String {
    let nosniff = headers
        .get(X_CONTENT_TYPE_OPTIONS)
        .is_some_and(|value| value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"nosniff"));
    media::computed(&declared(headers), !nosniff, bytes)
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
        // Tables and pages are also sent as files of office programs.
        Verdict::Unsure if MediaKind::of(&kind) == MediaKind::Office && !media::is_text(bytes) => Err(kind),
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
            "text/html charset=utf-8",
            "image/png, text/html",
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
        for unsure in [
            "application/octet-stream",
            "binary/octet-stream",
            "application/vnd.ms-excel",
            "garbage",
            "",
            "*/*",
            "text/html/",
        ] {
            assert_eq!(judge(unsure), Verdict::Unsure, "{unsure}");
        }
        assert_eq!(judge_type(Accept::Page, &HeaderMap::new()), Verdict::Unsure);
        assert_eq!(judge_type(Accept::Any, &HeaderMap::new()), Verdict::Accepted);
    }

    #[test]
    fn several_lines_are_one_list() {
        let mut headers = HeaderMap::new();
        assert_eq!(content_type(&headers), None);
        for line in [&b"text/html;charset=gbk"[..], b"text/plain;x=\xe9", b"bogus"] {
            headers.append(CONTENT_TYPE, HeaderValue::from_bytes(line).unwrap());
        }
        assert_eq!(content_type(&headers).unwrap(), "text/html;charset=gbk, text/plain;x=é, bogus");
        assert_eq!(computed(&headers, b"<p>"), "text/plain");
    }

    #[test]
    fn first_bytes_are_judged() {
        for (content_type, bytes, refused) in [
            (None, &b"<!doctype html>"[..], None),
            (None, b"%PDF-1.7\n%\x00\x01\x02", None),
            (None, b"\xff\xfeh\0t\0m\0l\0", None),
            (None, "äöü, plain UTF-8\r\n\tand tabs".as_bytes(), None),
            (None, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("image/png")),
            (None, b"\x7fELF\x02\x01\x01\0", Some("application/x-executable")),
            (None, b"\x01\x02\x03", Some("application/octet-stream")),
            (Some("text/html"), b"PK\x03\x04\x14\0", Some("application/zip")),
            (Some("text/html; charset=utf-8"), b"\x01\x02", None),
            (Some("garbage"), b"text", None),
            (Some("\"text/html\""), b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (Some("application/vnd.ms-excel"), b"a;b\n1;2", None),
            (Some("application/msword"), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Some("application/msword")),
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
