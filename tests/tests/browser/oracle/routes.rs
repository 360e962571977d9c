//! The ways from the first address of a case to its page.

/// Where the first address leads.
pub(super) enum Route {
    /// By a `Location`, with `{host}` and `{case}` in it.
    Location {
        status: &'static str,
        value: &'static [u8],
        /// A path that redirects again.
        next: Option<&'static str>,
    },
    /// By a `Refresh` header, or by markup. Where the page stays, it lacks the element that the driver of
    /// Chromium waits to be gone.
    Refresh { field: &'static str, markup: &'static str },
}

const fn location(status: &'static str, value: &'static [u8]) -> Route {
    Route::Location { status, value, next: None }
}

const fn refresh(markup: &'static str) -> Route {
    Route::Refresh { field: "", markup }
}

pub(super) const ROUTES: &[(&str, Route)] = &[
    ("relative", location("302 Found", b"page")),
    ("by path", location("301 Moved Permanently", b"/c/{case}/page")),
    ("by URL", location("303 See Other", b"http://{host}/c/{case}/page")),
    ("without scheme", location("307 Temporary Redirect", b"//{host}/c/{case}/page")),
    ("UTF-8 in Location", location("302 Found", b"p\xC3\xA4ge")),
    ("Latin 1 in Location", location("302 Found", b"p\xE4ge")),
    ("an empty Location", location("302 Found", b"")),
    ("a fragment", location("308 Permanent Redirect", b"page#part")),
    ("backslashes", location("302 Found", b"\\c\\{case}\\page")),
    ("a query alone", location("302 Found", b"?page=1")),
    (
        "two redirects",
        Route::Location { status: "307 Temporary Redirect", value: b"next", next: Some("next") },
    ),
    ("encoded dots", location("302 Found", b".%2e/{case}/./page")),
    ("bytes in a query", location("302 Found", b"page?q=\xFC '\"<>")),
    ("tabs", location("302 Found", b"\tpa\tge  ")),
    ("broken encoding", location("302 Found", b"page%zz?%")),
    ("no redirect by its status", location("300 Multiple Choices", b"page")),
    ("a refresh", refresh("<meta http-equiv=refresh content='0; url=page'><p id=hop>")),
    (
        "a refresh by base",
        refresh("<base href=deep/><META HTTP-EQUIV='Refresh' CONTENT='0;URL = page'><p id=hop>"),
    ),
    (
        "a refresh in the body",
        refresh("<p id=hop>Please wait.<meta content=\"0;url='page'\" http-equiv=refresh>"),
    ),
    (
        "a refresh with references",
        refresh("<meta http-equiv=refresh content='0,page?a=1&amp;b=2&#38;c&copy=3'><p id=hop>"),
    ),
    ("a refresh without url", refresh("<meta http-equiv=refresh content='.5 page'><p id=hop>")),
    ("a Refresh header", Route::Refresh { field: "0; url=page", markup: "<p id=hop>" }),
    (
        "no refresh",
        refresh(
            "<noscript><meta http-equiv=refresh content='0;url=one'></noscript>\
             <!-- <meta http-equiv=refresh content='0;url=two'> -->\
             <template><meta http-equiv=refresh content='0;url=three'></template>\
             <meta http-equiv=refresh content='30;url=four'>",
        ),
    ),
];
