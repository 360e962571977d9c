//! Files that are not pages, by extension.

use gleaner_types::media::{MediaKind, of_extension};

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
