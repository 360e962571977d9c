//! Kinds of bodies: which are refused before they are read.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// Which kinds of bodies a request takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accept {
    /// What can become a page: text, markup, data and PDF. Images, audio, video, fonts and archives are refused by
    /// their `Content-Type` before the body is read, and a body without a telling type by its first bytes.
    #[default]
    Page,
    /// Anything.
    Any,
}

/// What the headers tell about a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Taken,
    /// The first bytes decide.
    Unsure,
    /// Refused, with the type.
    Refused(String),
}

/// Types under `application/` that hold no text.
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

/// Prefixes of types under `application/` that are zipped containers.
const BINARY_APPLICATION_PREFIXES: &[&str] = &["vnd.openxmlformats-", "vnd.oasis.opendocument.", "epub"];

pub(crate) fn judge_type(accept: Accept, headers: &HeaderMap) -> Verdict {
    if accept == Accept::Any {
        return Verdict::Taken;
    }
    let Some(value) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return Verdict::Unsure;
    };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let Some((kind, subtype)) = essence.split_once('/') else { return Verdict::Unsure };
    match kind {
        // An SVG is markup, but a picture to whoever links to it.
        "image" | "audio" | "video" | "font" => Verdict::Refused(essence),
        "application"
            if matches!(subtype, "octet-stream" | "binary" | "unknown" | "x-download" | "force-download") =>
        {
            Verdict::Unsure
        }
        "application"
            if BINARY_APPLICATIONS.contains(&subtype)
                || BINARY_APPLICATION_PREFIXES.iter().any(|prefix| subtype.starts_with(prefix)) =>
        {
            Verdict::Refused(essence)
        }
        "binary" => Verdict::Unsure,
        _ => Verdict::Taken,
    }
}

/// Most first bytes that are looked at, as in the MIME Sniffing standard.
const SNIFFED_BYTES: usize = 1445;

/// Do these first bytes belong to something that is neither text nor PDF? After the MIME Sniffing standard, section
/// 7.2: a byte order mark makes text, a byte that no text has makes a binary.
pub(crate) fn looks_binary(bytes: &[u8]) -> bool {
    let head = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    let marks: [&[u8]; 4] = [b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe", b"%PDF-"];
    if marks.iter().any(|mark| head.starts_with(mark)) {
        return false;
    }
    head.iter().any(|byte| matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
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
    fn types() {
        for taken in [
            "text/html; charset=utf-8",
            "TEXT/PLAIN",
            "application/xhtml+xml",
            "application/json",
            "application/pdf",
            "application/rss+xml",
            "application/x-unheard-of",
            "multipart/mixed",
        ] {
            assert_eq!(judge(taken), Verdict::Taken, "{taken}");
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
        assert_eq!(judge_type(Accept::Any, &HeaderMap::new()), Verdict::Taken);
    }

    #[test]
    fn first_bytes() {
        for (bytes, binary) in [
            (&b"<!doctype html>"[..], false),
            (b"%PDF-1.7\n%\x00\x01\x02", false),
            (b"\xff\xfeh\0t\0m\0l\0", false),
            ("äöü, plain UTF-8\r\n\tand tabs".as_bytes(), false),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", true),
            (b"PK\x03\x04\x14\0", true),
            (b"\x7fELF\x02\x01\x01\0", true),
        ] {
            assert_eq!(looks_binary(bytes), binary, "{bytes:?}");
        }
    }
}
