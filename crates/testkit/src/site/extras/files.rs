//! Files that are not HTML, a page that is empty without scripts, and the assets that all pages share.

use super::{Book, HTML, Reply, pdf_document};
use crate::site::SiteSpec;
use crate::site::chrome;
use crate::site::truth::{PathTruth, Role};

/// A PNG with one gray pixel.
const PIXEL: &[u8] =
    b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\
\x00\x00\x00\x0aIDATx\xdach\x00\x00\x00\x82\x00\x81\xdaE\x08;\x00\x00\x00\x00IEND\xaeB`\x82";

/// An empty ZIP archive: only the end-of-central-directory record.
const ARCHIVE: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

const RSS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>Entries</title>\
<link>/</link><description>New entries of the almanac</description>\n\
<item><title>The first entry of the feed</title><link>/files/notes.txt</link><guid>entry-1</guid>\
<pubDate>Mon, 02 Nov 2026 09:30:00 GMT</pubDate><description>A note &amp;amp; its answer.</description></item>\n\
<item><title>The second entry of the feed</title><link>/files/data.json</link><guid>entry-2</guid>\
<description><![CDATA[<p>Numbers for the <b>season</b>.</p>]]></description></item>\n</channel></rss>\n";

const ATOM: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\
<title>Entries</title><id>urn:almanac</id><updated>2026-11-02T09:30:00Z</updated>\n\
<entry><title>The only entry of the Atom feed</title><id>urn:almanac:1</id><link href=\"/files/notes.txt\"/>\
<updated>2026-11-02T09:30:00Z</updated><summary>A short summary.</summary></entry>\n</feed>\n";

const JSON: &str = "{\"season\":2026,\"open\":true,\"stations\":[{\"name\":\"North gate\",\"visits\":412},{\"name\":\"Mill\",\"visits\":97}]}\n";
const CSV: &str = "station,visits,remark\nNorth gate,412,\"busy, as ever\"\nMill,97,\"said \"\"quiet\"\"\"\n";
const TSV: &str = "station\tvisits\nNorth gate\t412\nMill\t97\n";
const TEXT: &str = "Notes of the almanac\n\nThe gate opens at nine.\n<b>This is not markup.</b>\n";
const MARKDOWN: &str = "# Read me first\n\nThe almanac is kept in *plain* files.\n\n- one\n- two\n";

const SHELL: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Application</title>\n\
<script src=\"/assets/site.js\" defer></script>\n</head>\n<body>\n<noscript>You need to enable JavaScript to run this app.</noscript>\n\
<div id=\"root\"></div>\n<script>window.__STATE__={\"entries\":[1,2,3]};</script>\n</body>\n</html>\n";

pub(super) fn add(book: &mut Book, _: &SiteSpec) {
    let manual = pdf_document(
        "Manual of the almanac",
        &[
            &["Manual of the almanac", "The manual has two pages.", "This is the first one."],
            &["Second page", "The second page ends the manual."],
        ],
    );
    let rows: Vec<(&str, &'static str, Vec<u8>)> = vec![
        ("/files/manual.pdf", "application/pdf", manual.clone()),
        ("/files/UPPER.PDF", "application/pdf", manual.clone()),
        // Only the media type, not the name, identifies the format.
        ("/files/download?id=7", "application/pdf", manual),
        ("/files/feed.xml", "application/rss+xml; charset=utf-8", RSS.into()),
        ("/files/atom.xml", "application/atom+xml", ATOM.into()),
        ("/files/data.json", "application/json", JSON.into()),
        ("/files/table.csv", "text/csv; charset=utf-8", CSV.into()),
        ("/files/table.tsv", "text/tab-separated-values", TSV.into()),
        ("/files/notes.txt", "text/plain; charset=utf-8", TEXT.into()),
        ("/files/readme.md", "text/markdown; charset=utf-8", MARKDOWN.into()),
        ("/files/photo.png", "image/png", PIXEL.into()),
        ("/files/PHOTO.PNG", "image/png", PIXEL.into()),
        ("/files/picture", "image/png", PIXEL.into()),
        ("/files/archive.zip", "application/zip", ARCHIVE.into()),
        ("/files/blob", "application/octet-stream", (0..=255).collect()),
    ];
    let mut links: Vec<(&str, &str)> = rows.iter().map(|(path, ..)| (*path, "A file")).collect();
    links.push(("/files/application", "An application"));
    book.index("/files/", "Files", &links);
    for (path, content_type, body) in rows {
        book.add(PathTruth::new(path, Role::File), Reply::file(content_type, body));
    }
    let mut shell = PathTruth::new("/files/application", Role::Document);
    "Application".clone_into(&mut shell.title);
    book.add(shell, Reply::file(HTML, SHELL));
    book.replies.insert("/feed.xml".to_owned(), Reply::file("application/rss+xml; charset=utf-8", RSS));
}

/// The assets that every site serves. No anchor links to them.
pub(super) fn assets() -> [(&'static str, &'static str, &'static [u8]); 6] {
    [
        ("/assets/site.css", "text/css; charset=utf-8", chrome::CSS.as_bytes()),
        ("/assets/site.js", "text/javascript; charset=utf-8", chrome::SCRIPT.as_bytes()),
        ("/assets/logo.svg", "image/svg+xml", chrome::LOGO.as_bytes()),
        ("/assets/icon.png", "image/png", PIXEL),
        ("/assets/cover.png", "image/png", PIXEL),
        ("/assets/cover-2x.png", "image/png", PIXEL),
    ]
}
