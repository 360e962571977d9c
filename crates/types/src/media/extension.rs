//! Media types by the extensions of files.

/// Extensions in lower case, sorted, each with its type. `js`, `ai`, `so` and similar are missing because the
/// names of real pages end with them too often; their content type decides.
const EXTENSIONS: &[(&str, &str)] = &[
    ("3gp", "video/3gpp"),
    ("7z", "application/x-7z-compressed"),
    ("aac", "audio/aac"),
    ("apk", "application/vnd.android.package-archive"),
    ("atom", "application/atom+xml"),
    ("avi", "video/x-msvideo"),
    ("avif", "image/avif"),
    ("bin", "application/octet-stream"),
    ("bmp", "image/bmp"),
    ("br", "application/x-brotli"),
    ("bz2", "application/x-bzip2"),
    ("cab", "application/vnd.ms-cab-compressed"),
    ("csv", "text/csv"),
    ("cur", "image/x-icon"),
    ("deb", "application/vnd.debian.binary-package"),
    ("dll", "application/x-msdownload"),
    ("dmg", "application/x-apple-diskimage"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("ear", "application/java-archive"),
    ("eot", "application/vnd.ms-fontobject"),
    ("eps", "image/x-eps"),
    ("epub", "application/epub+zip"),
    ("exe", "application/x-msdownload"),
    ("flac", "audio/flac"),
    ("flv", "video/x-flv"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("heic", "image/heic"),
    ("heif", "image/heif"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ico", "image/x-icon"),
    ("img", "application/x-raw-disk-image"),
    ("ipa", "application/octet-stream"),
    ("ipynb", "application/x-ipynb+json"),
    ("iso", "application/x-iso9660-image"),
    ("jar", "application/java-archive"),
    ("jp2", "image/jp2"),
    ("jpe", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("jsonl", "application/x-ndjson"),
    ("jxl", "image/jxl"),
    ("lz", "application/x-lzip"),
    ("lz4", "application/x-lz4"),
    ("lzma", "application/x-lzma"),
    ("m4a", "audio/mp4"),
    ("m4v", "video/x-m4v"),
    ("markdown", "text/markdown"),
    ("md", "text/markdown"),
    ("mid", "audio/midi"),
    ("midi", "audio/midi"),
    ("mkv", "video/x-matroska"),
    ("mov", "video/quicktime"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("mpeg", "video/mpeg"),
    ("mpg", "video/mpeg"),
    ("msi", "application/x-msi"),
    ("ndjson", "application/x-ndjson"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("oga", "audio/ogg"),
    ("ogg", "application/ogg"),
    ("ogv", "video/ogg"),
    ("opus", "audio/opus"),
    ("otf", "font/otf"),
    ("pdf", "application/pdf"),
    ("pkg", "application/vnd.apple.installer+xml"),
    ("png", "image/png"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("psd", "image/vnd.adobe.photoshop"),
    ("rar", "application/vnd.rar"),
    ("rpm", "application/x-rpm"),
    ("rss", "application/rss+xml"),
    ("rtf", "application/rtf"),
    ("shtml", "text/html"),
    ("svg", "image/svg+xml"),
    ("svgz", "image/svg+xml"),
    ("swf", "application/x-shockwave-flash"),
    ("tar", "application/x-tar"),
    ("tgz", "application/gzip"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("tsv", "text/tab-separated-values"),
    ("ttf", "font/ttf"),
    ("txt", "text/plain"),
    ("war", "application/java-archive"),
    ("wav", "audio/wav"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
    ("wma", "audio/x-ms-wma"),
    ("wmv", "video/x-ms-wmv"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xht", "application/xhtml+xml"),
    ("xhtml", "application/xhtml+xml"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("xz", "application/x-xz"),
    ("zip", "application/zip"),
];

/// The media type of files with an extension, in any letter case; `None` if the extension is unknown.
///
/// The frontier asks for every link of every page, so nothing is copied.
#[must_use]
pub fn of_extension(extension: &[u8]) -> Option<&'static str> {
    let folded = || extension.iter().map(u8::to_ascii_lowercase);
    let at = EXTENSIONS.binary_search_by(|(known, _)| known.bytes().cmp(folded())).ok()?;
    EXTENSIONS.get(at).map(|(_, media_type)| *media_type)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::MediaType;

    #[test]
    fn the_table_is_sorted_for_binary_search() {
        assert!(EXTENSIONS.is_sorted_by(|(before, _), (after, _)| before < after));
        for (extension, media_type) in EXTENSIONS {
            assert_eq!(MediaType::parse(media_type).unwrap().essence(), *media_type, "{extension}");
        }
        assert_eq!(of_extension(b"WebP"), Some("image/webp"));
        assert_eq!((of_extension(b""), of_extension(b"js")), (None, None));
    }
}
