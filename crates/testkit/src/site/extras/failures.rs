//! Pages that fail, and pages that are slow.

use std::time::Duration;

use bytes::Bytes;

use super::{Body, Book, HTML, Reply, document, page, sentences};
use crate::site::SiteSpec;
use crate::site::truth::{FailureKind, FailureTruth, PathTruth, Role};

/// Maximum delay of `/slow/MS`, in milliseconds.
const LONGEST_WAIT: u64 = 60_000;

pub(super) fn add(book: &mut Book, _: &SiteSpec) {
    let rows = [
        ("/fail/404", FailureKind::Status(404)),
        ("/fail/403", FailureKind::Status(403)),
        ("/fail/410", FailureKind::Status(410)),
        ("/fail/500", FailureKind::Status(500)),
        ("/fail/503", FailureKind::Status(503)),
        ("/fail/503-then-200", FailureKind::Recovers { status: 503, failures: 1 }),
        ("/fail/429-then-200", FailureKind::Recovers { status: 429, failures: 1 }),
        ("/fail/500-500-then-200", FailureKind::Recovers { status: 500, failures: 2 }),
        ("/fail/reset", FailureKind::Reset),
        ("/fail/closed", FailureKind::Closed),
        ("/fail/truncated", FailureKind::Truncated { sent: 600, promised: 6_000 }),
        ("/fail/soft-404", FailureKind::SoftNotFound),
    ];
    let links: Vec<(&str, &str)> = rows.iter().map(|(path, _)| (*path, "It may fail")).collect();
    book.index("/fail/", "Failures", &links);
    for (path, kind) in rows {
        fail(book, path, kind);
    }
}

fn fail(book: &mut Book, path: &str, kind: FailureKind) {
    let title = format!("Failure at {}", path.trim_start_matches("/fail/"));
    let mut truth = PathTruth::new(path, Role::Failure);
    truth.sentences = sentences(&title);
    truth.title = title;
    let whole = Body::WithOrigin(document(&truth, &[]));
    let (status, reply) = match kind {
        // The truth does not contain the target of the link on an error page: a crawl must not follow it.
        FailureKind::Status(status) => {
            let text = format!("<h1>{status}</h1>\n<p>This page answers {status} on purpose.</p>\n");
            let html = page(&truth.title, path, "", &text, &[("/fail/behind-an-error", "Beyond")]);
            (status, Reply::Body { status, content_type: HTML, body: Body::WithOrigin(html) })
        }
        FailureKind::Recovers { status, failures } => {
            (status, Reply::Recovers { status, failures, then: whole })
        }
        FailureKind::Reset => (0, Reply::Reset),
        FailureKind::Closed => (0, Reply::Closed),
        FailureKind::Truncated { sent, promised } => {
            let mut body: Vec<u8> = whole.bytes("http://truncated.example").into();
            body.truncate(sent);
            assert_eq!(body.len(), sent, "the page is longer than the part that is sent");
            (200, Reply::Truncated { body: Bytes::from(body), promised })
        }
        FailureKind::SoftNotFound => {
            let text = "<h1>Page not found</h1>\n<p>The page you are looking for does not exist.</p>\n";
            let reply = Reply::html(page("Page not found", path, "", text, &[]));
            "Page not found".clone_into(&mut truth.title);
            (200, reply)
        }
        FailureKind::Slow(delay) => (200, Reply::Slow { delay, body: whole }),
    };
    truth.status = status;
    if !matches!(kind, FailureKind::Recovers { .. } | FailureKind::Slow(_)) {
        truth.sentences.clear();
    }
    book.truth.failures.push(FailureTruth { path: path.to_owned(), kind });
    book.add(truth, reply);
}

pub(super) fn add_slow(book: &mut Book, _: &SiteSpec) {
    let waits = [50, 250, 1_000];
    let paths = waits.map(|wait| format!("/slow/{wait}"));
    let links: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "It takes its time")).collect();
    book.index("/slow/", "Slow pages", &links);
    for (wait, path) in waits.into_iter().zip(&paths) {
        fail(book, path, FailureKind::Slow(Duration::from_millis(wait)));
        if let Some(truth) = book.paths.last_mut() {
            truth.role = Role::Document;
        }
    }
}

/// The reply for `/slow/MS`, for any number up to the maximum delay.
pub(crate) fn slow(path: &str) -> Option<Reply> {
    let wait: u64 = path.strip_prefix("/slow/")?.parse().ok().filter(|wait| *wait <= LONGEST_WAIT)?;
    let title = format!("After {wait} milliseconds");
    let truth = PathTruth { sentences: sentences(&title), title, ..PathTruth::new(path, Role::Document) };
    Some(Reply::Slow { delay: Duration::from_millis(wait), body: Body::WithOrigin(document(&truth, &[])) })
}
