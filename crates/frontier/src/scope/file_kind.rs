//! Files that are not pages, by extension.
//!
//! A name is a hint. Where it is unsure, the page is requested, and its content type decides.

use url::Url;

use gleaner_types::media::{MediaKind, of_extension};

/// Extensions among them that names of pages end with about as often: country domains (`globo.com.br`), and
/// words (`mr.mid`).
const AMBIGUOUS: [&str; 4] = ["bin", "br", "cur", "mid"];

/// Extensions of programs that make pages from their query (`ZyNET.exe?Dockey=17`).
const PROGRAMS: [&str; 2] = ["dll", "exe"];

/// Extensions of programs that make pages from the path after them (`index.php/photo.jpg`).
const SCRIPTS: [&str; 9] = ["asp", "aspx", "cfm", "cgi", "dll", "exe", "jsp", "php", "pl"];

/// The kind of content that an address suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Page,
    File,
    /// It looks like a file, and may be a page.
    Unsure,
}

/// The kind of content at `url`, by its name.
pub(super) fn kind(url: &Url) -> Kind {
    if !is_binary(url.path()) {
        return Kind::Page;
    }
    let (folder, name) = url.path().rsplit_once('/').unwrap_or(("", url.path()));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_one_of = |known: &[&str], text: &str| known.iter().any(|one| text.eq_ignore_ascii_case(one));
    let is_script =
        |segment: &str| segment.rsplit_once('.').is_some_and(|(_, extension)| is_one_of(&SCRIPTS, extension));
    // Wikis have pages about files: `File:Harbour.jpg`, in any language.
    let has_namespace = stem.contains(':') || stem.contains("%3A") || stem.contains("%3a");
    let is_unsure = has_namespace
        || is_one_of(&AMBIGUOUS, extension)
        || (url.query().is_some_and(|query| !query.is_empty()) && is_one_of(&PROGRAMS, extension))
        || folder.split('/').any(is_script);
    if is_unsure { Kind::Unsure } else { Kind::File }
}

/// Length of the longest extension of a file that is not scraped.
const MAX_EXTENSION_LEN: usize = 5;

/// True if the last segment of `path` ends with such an extension, in any letter case.
///
/// Only the last few octets are read, because this runs for every link of every page.
pub(super) fn is_binary(path: &str) -> bool {
    let bytes = path.as_bytes();
    let from_end =
        bytes.iter().rev().take(MAX_EXTENSION_LEN + 1).position(|byte| matches!(byte, b'.' | b'/'));
    let Some((name, extension)) = from_end.and_then(|length| bytes.split_at_checked(bytes.len() - length))
    else {
        return false;
    };
    // The dot must follow a name, not a slash.
    if extension.len() < 2 || !matches!(name, [.., before, b'.'] if *before != b'/') {
        return false;
    }
    let kind = of_extension(extension).map(MediaKind::of);
    // The type of some files says nothing: `bin`.
    kind.is_some_and(|kind| kind.is_file() || kind == MediaKind::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_those_of_pages_are_unsure() {
        for (path, expected) in [
            ("/wiki/File:Harbour_1902.jpg", Kind::Unsure),
            ("/wiki/Datei%3AHafen.png", Kind::Unsure),
            ("/Exe/ZyNET.exe?Dockey=17", Kind::Unsure),
            ("/Exe/ZyNET.exe", Kind::File),
            ("/Exe/ZyNET.EXE?", Kind::File),
            ("/scripts/shop.dll?item=4", Kind::Unsure),
            ("/sites/globo.com.br", Kind::Unsure),
            ("/whois/example.bin", Kind::Unsure),
            ("/story/mr.mid", Kind::Unsure),
            ("/index.php/photo.jpg", Kind::Unsure),
            ("/cgi-bin/view.cgi/a/photo.jpg", Kind::Unsure),
            ("/photo.jpg?w=200", Kind::File),
            ("/a:b/photo.jpg", Kind::File),
            ("/backup.tar.gz", Kind::File),
            ("/commits/release.tar.gz/history", Kind::Page),
            ("/report.pdf", Kind::Page),
            ("/sites/globo.com.br/", Kind::Page),
        ] {
            let url = Url::parse("https://a.example").unwrap().join(path).unwrap();
            assert_eq!(kind(&url), expected, "{path}");
        }
    }

    #[test]
    fn by_extension() {
        for (path, binary) in [
            ("/a/photo.jpg", true),
            ("/a/photo.JPEG", true),
            ("/font.woff2", true),
            ("/backup.tar.gz", true),
            ("/setup.bin", true),
            ("/map.svg", true),
            ("/letter.DOCX", true),
            ("/data.csv", false),
            ("/feed.xml", false),
            ("/report.pdf", false),
            ("/report.PDF", false),
            ("/page.html", false),
            ("/photo.jpg/", false),
            ("/photo.jpg/comments", false),
            ("/guide/next.js", false),
            ("/v1.2", false),
            ("/.zip", false),
            ("/zip", false),
            ("/a.superlongextension", false),
        ] {
            assert_eq!(is_binary(path), binary, "{path}");
        }
    }
}
