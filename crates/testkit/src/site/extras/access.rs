//! robots.txt and the pages that its rules cover (RFC 9309).

use std::fmt::Write as _;

use super::{Body, Book, ORIGIN, Reply};
use crate::site::SiteSpec;
use crate::site::truth::{PathTruth, Role};

/// The agent for which robots.txt disallows everything.
pub(crate) const SHUT_OUT: &str = "unwelcome";

/// Path, whether robots.txt disallows it for an agent that it does not name, and title.
const PATHS: [(&str, bool, &str); 7] = [
    ("/private/", true, "Private papers"),
    ("/private/one", true, "Private paper one"),
    ("/private/open/", false, "Opened papers"),
    ("/private/open/one", false, "Opened paper one"),
    ("/rules/ledger.print", true, "Ledger for print"),
    ("/rules/ledger.print?copy=1", false, "Ledger for print, copy"),
    ("/rules/notes", false, "Notes on the rules"),
];

pub(super) fn add(book: &mut Book, spec: &SiteSpec) {
    let mut text = String::from(
        "# Rules of the county almanac\nUser-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /*.print$\n",
    );
    if let Some(delay) = spec.crawl_delay {
        let _ = writeln!(text, "Crawl-delay: {}", delay.as_secs_f64());
    }
    let _ = write!(text, "\nUser-agent: {SHUT_OUT}\nDisallow: /\n");
    if spec.extras.sitemap {
        let _ = write!(text, "\nSitemap: {ORIGIN}/sitemap.xml\n");
    }
    let body = Body::WithOrigin(text);
    let reply = Reply::Body { status: 200, content_type: "text/plain; charset=utf-8", body };
    book.replies.insert("/robots.txt".to_owned(), reply);

    let links: Vec<(&str, &str)> = PATHS.iter().map(|(path, _, title)| (*path, *title)).collect();
    book.index("/rules/", "Rules for robots", &links);
    for (path, forbidden, title) in PATHS {
        let truth = PathTruth { forbidden, ..PathTruth::new(path, Role::Document) };
        book.document(truth, title, &[]);
    }
}
