//! Kinds of media types.

/// The kind of a body for a reader of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MediaKind {
    /// The type says nothing: the bytes decide.
    Unknown,
    /// A page.
    Html,
    /// XML; it may be a feed or a page.
    Xml,
    /// RSS, Atom or RDF.
    Feed,
    /// JSON, or lines of it.
    Json,
    /// Values that commas separate.
    CommaSeparated,
    /// Values that tabs separate.
    TabSeparated,
    /// Markdown.
    Markdown,
    /// Other text.
    Text,
    /// A PDF.
    Pdf,
    /// A picture that is markup: pages use it as a picture.
    Svg,
    /// A file of an office program. Servers also send tables and pages as such files, so the bytes decide
    /// whether it is text.
    Office,
    /// No text: pictures, recordings, fonts, archives, programs.
    Binary,
    /// A type without a rule here: the bytes decide.
    Other,
}

/// Prefixes of types under `application/` for zipped containers.
const CONTAINERS: &[&str] = &["vnd.openxmlformats-", "vnd.oasis.opendocument.", "epub"];

impl MediaKind {
    /// The kind of a type without parameters, in lower case.
    #[must_use]
    pub fn of(essence: &str) -> Self {
        let (kind, subtype) = essence.split_once('/').unwrap_or_default();
        match (kind, subtype) {
            ("" | "*" | "unknown" | "binary", _) => Self::Unknown,
            ("text", "html" | "x-server-parsed-html") | ("application", "xhtml+xml") => Self::Html,
            ("text" | "application", "xml") => Self::Xml,
            ("application", "rss+xml" | "atom+xml" | "rdf+xml") => Self::Feed,
            ("text" | "application", "json")
            | ("application", "ndjson" | "x-ndjson" | "jsonl" | "x-jsonlines") => Self::Json,
            (
                "text" | "application",
                "csv" | "x-csv" | "comma-separated-values" | "x-comma-separated-values",
            ) => Self::CommaSeparated,
            ("text" | "application", "tab-separated-values" | "tsv" | "x-tsv") => Self::TabSeparated,
            ("text", "markdown" | "x-markdown") => Self::Markdown,
            ("application", "pdf" | "x-pdf") => Self::Pdf,
            ("image", "svg+xml") => Self::Svg,
            ("image" | "audio" | "video" | "font", _) => Self::Binary,
            (
                "application",
                "msword" | "msexcel" | "x-msexcel" | "x-excel" | "excel" | "vnd.ms-excel"
                | "vnd.ms-powerpoint" | "vnd.ms-word",
            ) => Self::Office,
            ("application", "octet-stream" | "binary" | "unknown" | "x-download" | "force-download") => {
                Self::Unknown
            }
            (
                "application",
                "gzip"
                | "java-archive"
                | "java-vm"
                | "mac-binary"
                | "vnd.android.package-archive"
                | "vnd.apple.installer+xml"
                | "vnd.debian.binary-package"
                | "vnd.microsoft.portable-executable"
                | "vnd.ms-cab-compressed"
                | "vnd.ms-fontobject"
                | "vnd.rar"
                | "vnd.sqlite3"
                | "wasm"
                | "x-7z-compressed"
                | "x-apple-diskimage"
                | "x-bittorrent"
                | "x-brotli"
                | "x-bzip"
                | "x-bzip2"
                | "x-compressed"
                | "x-debian-package"
                | "x-dosexec"
                | "x-executable"
                | "x-font-opentype"
                | "x-font-ttf"
                | "x-font-woff"
                | "x-gzip"
                | "x-iso9660-image"
                | "x-lz4"
                | "x-lzip"
                | "x-lzma"
                | "x-msdos-program"
                | "x-msdownload"
                | "x-msi"
                | "x-ole-storage"
                | "x-rar-compressed"
                | "x-raw-disk-image"
                | "x-rpm"
                | "x-shockwave-flash"
                | "x-tar"
                | "x-xz"
                | "x-zip-compressed"
                | "zip"
                | "zstd"
                | "ogg"
                | "font-woff"
                | "font-woff2",
            ) => Self::Binary,
            ("application", _) if CONTAINERS.iter().any(|prefix| subtype.starts_with(prefix)) => Self::Binary,
            (
                "application",
                "javascript" | "x-javascript" | "ecmascript" | "yaml" | "x-yaml" | "toml" | "x-sh" | "sql"
                | "graphql",
            ) => Self::Text,
            (_, subtype) if subtype.ends_with("+json") => Self::Json,
            (_, subtype) if subtype.ends_with("+xml") => Self::Xml,
            ("text", _) => Self::Text,
            _ => Self::Other,
        }
    }

    /// Whether pages hardly ever come from such a body, or only use it as a picture.
    #[must_use]
    pub const fn is_file(self) -> bool {
        matches!(self, Self::Binary | Self::Office | Self::Svg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_kind() {
        for (essence, kind) in [
            ("", MediaKind::Unknown),
            ("*/*", MediaKind::Unknown),
            ("application/unknown", MediaKind::Unknown),
            ("binary/octet-stream", MediaKind::Unknown),
            ("text/html", MediaKind::Html),
            ("application/xhtml+xml", MediaKind::Html),
            ("application/vnd.apple.installer+xml", MediaKind::Binary),
            ("application/vnd.oasis.opendocument.text", MediaKind::Binary),
            ("application/msword", MediaKind::Office),
            ("application/vnd.ms-excel", MediaKind::Office),
            ("application/rtf", MediaKind::Other),
            ("text/comma-separated-values", MediaKind::CommaSeparated),
            ("application/atom+xml", MediaKind::Feed),
            ("application/mathml+xml", MediaKind::Xml),
            ("application/ld+json", MediaKind::Json),
            ("text/x-python", MediaKind::Text),
            ("application/javascript", MediaKind::Text),
            ("application/x-tex", MediaKind::Other),
            ("multipart/mixed", MediaKind::Other),
            ("image/svg+xml", MediaKind::Svg),
            ("video/mp4", MediaKind::Binary),
        ] {
            assert_eq!(MediaKind::of(essence), kind, "{essence}");
        }
    }
}
