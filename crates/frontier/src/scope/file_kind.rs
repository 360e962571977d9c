//! Files that are not pages, by extension.

/// Extensions of files that are not scraped, lower case, sorted. PDF is missing because it is scraped. `js`,
/// `ai`, `so` and similar are missing because the names of real pages end with them too often; their content
/// type decides.
const BINARY: [&str; 86] = [
    "3gp", "7z", "aac", "apk", "avi", "avif", "bin", "bmp", "br", "bz2", "cab", "cur", "deb", "dll", "dmg",
    "doc", "docx", "ear", "eot", "eps", "exe", "flac", "flv", "gif", "gz", "heic", "heif", "ico", "img",
    "ipa", "iso", "jar", "jp2", "jpe", "jpeg", "jpg", "jxl", "lz", "lz4", "lzma", "m4a", "m4v", "mid",
    "midi", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods", "odt", "oga", "ogg", "ogv",
    "opus", "otf", "pkg", "png", "ppt", "pptx", "psd", "rar", "rpm", "svg", "svgz", "swf", "tar", "tgz",
    "tif", "tiff", "ttf", "war", "wav", "webm", "webp", "wma", "wmv", "woff", "woff2", "xls", "xlsx", "xz",
    "zip",
];

/// Length of the longest extension.
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
    BINARY.binary_search_by(|known| known.bytes().cmp(extension.iter().map(u8::to_ascii_lowercase))).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_for_binary_search() {
        assert!(BINARY.is_sorted());
    }

    #[test]
    fn by_extension() {
        for (path, binary) in [
            ("/a/photo.jpg", true),
            ("/a/photo.JPEG", true),
            ("/font.woff2", true),
            ("/backup.tar.gz", true),
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
