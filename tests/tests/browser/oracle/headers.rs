//! The parts of a head: status, content coding, media type, cookies. Answers that Chromium does not show at
//! all, such as plain text that is said to be gzip, are left out: there is nothing to compare with.

/// A status and a field beside it.
pub(super) struct Status {
    pub(super) name: &'static str,
    pub(super) line: &'static str,
    pub(super) field: &'static [u8],
    /// How often the field occurs.
    pub(super) times: usize,
}

const fn status(name: &'static str, line: &'static str) -> Status {
    Status { name, line, field: b"", times: 0 }
}

pub(super) const STATUSES: &[Status] = &[
    status("200", "200 OK"),
    status("200 without reason", "200"),
    status("203", "203 Non-Authoritative Information"),
    status("404", "404 Not Found"),
    status("410", "410 Gone"),
    Status { name: "150 fields", line: "200 OK", field: b"X-Field: value", times: 150 },
    Status {
        name: "a field that is no ASCII",
        line: "200 OK",
        field: b"X-Field: caf\xE9 \xC3\xBC",
        times: 1,
    },
];

/// What `Content-Encoding` says, and what is so.
pub(super) struct Coding {
    pub(super) name: &'static str,
    pub(super) value: &'static str,
    pub(super) pack: Pack,
}

#[derive(Clone, Copy)]
pub(super) enum Pack {
    Plain,
    Gzip,
    /// Without the checksum and the length at the end.
    GzipCut,
    /// With bytes behind the end.
    GzipAndMore,
    /// What the standard calls `deflate`.
    Zlib,
    /// What some servers call `deflate`.
    Deflate,
}

const fn coding(name: &'static str, value: &'static str, pack: Pack) -> Coding {
    Coding { name, value, pack }
}

pub(super) const CODINGS: &[Coding] = &[
    coding("no coding", "", Pack::Plain),
    coding("gzip", "gzip", Pack::Gzip),
    coding("UTF-8 as coding", "UTF-8", Pack::Plain),
    coding("x-gzip", "x-gzip", Pack::Gzip),
    coding("none as coding", "none", Pack::Plain),
    coding("GZIP", "GZIP", Pack::Gzip),
    coding("8bit as coding", "8bit", Pack::Plain),
    coding("deflate", "deflate", Pack::Zlib),
    coding("identity", "identity", Pack::Plain),
    coding("raw deflate", "deflate", Pack::Deflate),
    coding("binary as coding", "binary", Pack::Plain),
    coding("gzip without its trailer", "gzip", Pack::GzipCut),
    coding("gzip with more behind it", "gzip", Pack::GzipAndMore),
];

pub(super) const MEDIA_TYPES: &[(&str, &str)] = &[
    ("text/html", "text/html{parameter}"),
    ("TEXT/HTML", "TEXT/HTML{parameter}"),
    ("a last semicolon", "text/html{parameter};"),
    ("two semicolons", "text/html;{parameter}"),
    ("two types", "text/html, text/html{parameter}"),
    ("no semicolon", "text/html text/html{parameter}"),
    ("charset without semicolon", "text/html charset=utf-8{parameter}"),
    ("another parameter first", "text/html; a=\"b;c\"{parameter}"),
    ("two fields", "text/html{parameter}\r\nContent-Type: text/html"),
    ("an unknown type", "unknown/unknown{parameter}"),
    ("no type", ""),
];

/// None of them has a path that other cases share.
pub(super) const COOKIES: &[(&str, &[&[u8]])] = &[
    ("no cookie", &[]),
    ("a cookie", &[b"a=b"]),
    ("a UTF-8 cookie", &[b"a=\xC3\xBC"]),
    ("a Latin 1 cookie", &[b"a=\xFC"]),
    ("a UTF-8 name of a cookie", &[b"\xC3\xBC=b"]),
    ("a quoted cookie", &[b"a=\"b, c\""]),
    ("a cookie without name", &[b"solo"]),
    ("a cookie with an empty name", &[b"=value"]),
    ("an old cookie", &[b"a=b; Expires=Thu, 01-Jan-1970 00:00:00 GMT", b"c=d; Max-Age=0"]),
    ("a cookie of another site", &[b"a=b; Domain=example.com", b"c=d; Path=/other"]),
    ("a secure cookie", &[b"a=b; Secure"]),
    ("a cookie for all sites", &[b"a=b; SameSite=None"]),
    ("two cookies", &[b"a=1", b"b=2"]),
    ("a cookie that is replaced", &[b"a=1", b"a=2"]),
    ("a cookie with spaces", &[b"  a  =  b=c  ; HttpOnly; ;", b"__Host-d=e"]),
    ("odd attributes of a cookie", &[b"a=b; Max-Age=soon; Path=relative; Domain=127.0.0.1"]),
];
