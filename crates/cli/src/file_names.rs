//! File names for pages: one flat, safe name per URL.
//!
//! Alternative: a tree of folders. It would have to handle `/a` as both a page and a folder, `..`, and paths
//! that are too deep for the file system, and it would help path traversal. Names contain host and path, and
//! have these properties for every URL:
//!
//! - only lower-case letters, digits and `.`, `-`, `_`, `+`; at most [`MAX_NAME_BYTES`] bytes; never a
//!   leading dot or dash, `..`, a separator, a control character or a name that Windows reserves;
//! - distinct URLs have distinct names, even if the file system ignores case or Unicode forms: a URL whose
//!   readable name could be that of another one gets a hash of the whole URL.

use percent_encoding::percent_decode_str;
use url::{Origin, Url};
use uuid::Uuid;

/// The longest name, including the extension `.json`; the number of a picture adds a few bytes. It is below
/// the limit of the strictest common file system (143 bytes, eCryptfs).
pub(crate) const MAX_NAME_BYTES: usize = 120;

/// The longest readable part: the rest is for the hash and the longest extension.
const MAX_READABLE_BYTES: usize = MAX_NAME_BYTES - PREFIX.len() - 1 - HASH_DIGITS - ".json".len();

/// The prefix of a readable part that must not begin a name.
const PREFIX: &str = "page-";

/// Hexadecimal digits of the hash, four bits each.
const HASH_DIGITS: usize = 16;

/// Device names that Windows reserves, with any extension.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Makes file names for pages.
#[derive(Debug, Default)]
pub(crate) struct FileNames {
    /// Pages of this origin have names without a host.
    base: Option<Origin>,
}

impl FileNames {
    /// Names that begin with the host: `example.com+docs_intro`.
    pub(crate) fn with_hosts() -> Self {
        Self::default()
    }

    /// Names without a host for pages of the same origin as `base`: `docs_intro`.
    pub(crate) fn within(base: &Url) -> Self {
        Self { base: Some(base.origin()) }
    }

    /// The name of `url`, without an extension.
    pub(crate) fn stem(&self, url: &Url) -> String {
        let in_base = self.base.as_ref().is_some_and(|base| *base == url.origin());
        match reversible(url, in_base) {
            Some(name) => name,
            None => hashed(url.as_str(), &readable(url, in_base)),
        }
    }

    /// The name for a text that is not a URL, also safe and distinct.
    pub(crate) fn stem_of_text(text: &str) -> String {
        hashed(text, "")
    }
}

/// A name from which the URL can be reconstructed, so that it needs no hash; `None` if there is none.
///
/// The form is `[scheme "+"] host ["+" port] "+" path`, or only `path` for pages of the base origin. The
/// scheme `https` is omitted. Segments of the path are joined with `_`; a path that ends in a slash ends in
/// `index`.
fn reversible(url: &Url, in_base: bool) -> Option<String> {
    let is_simple = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && !url.cannot_be_a_base();
    if !is_simple {
        return None;
    }
    let mut name = String::new();
    if !in_base {
        let host = url.host_str().filter(|host| host.chars().all(is_plain))?;
        match url.scheme() {
            "https" => {}
            "http" => name.push_str("http+"),
            _ => return None,
        }
        name.push_str(host);
        name.push('+');
        if let Some(port) = url.port() {
            name.push_str(&port.to_string());
            name.push('+');
        }
    }
    let mut segments = url.path_segments()?.peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "" if last => name.push_str("index"),
            "index" if last => return None,
            "" => return None,
            _ if !segment.chars().all(is_plain) => return None,
            _ => name.push_str(segment),
        }
        if !last {
            name.push('_');
        }
    }
    let fits = name.len() <= MAX_READABLE_BYTES && is_safe_start(&name) && !name.contains("..");
    (fits && !ends_like_hash(&name)).then_some(name)
}

/// The readable part of a URL. Other URLs may have the same one, so it is only used with a hash.
fn readable(url: &Url, in_base: bool) -> String {
    let mut text = String::new();
    if !in_base {
        text.push_str(url.host_str().unwrap_or_default());
        text.push('+');
    }
    text.push_str(&percent_decode_str(url.path().trim_start_matches('/')).decode_utf8_lossy());
    if let Some(query) = url.query() {
        text.push('-');
        text.push_str(&percent_decode_str(query).decode_utf8_lossy());
    }
    let mut name = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        let letter = match letter {
            '/' => '_',
            '.' | '+' | '_' => letter,
            _ if letter.is_alphanumeric() => letter,
            _ => '-',
        };
        if name.len() + letter.len_utf8() > MAX_READABLE_BYTES {
            break;
        }
        // Runs of dashes and dots carry no information, and `..` looks like a parent folder.
        if matches!(letter, '-' | '.') && name.ends_with(letter) {
            continue;
        }
        name.push(letter);
    }
    name
}

/// `readable` with a hash of `whole`.
fn hashed(whole: &str, readable: &str) -> String {
    // A name-based UUID (RFC 9562) is a standard hash; its low half has 62 bits of SHA-1.
    let (_, hash) = Uuid::new_v5(&Uuid::NAMESPACE_URL, whole.as_bytes()).as_u64_pair();
    let readable = readable.trim_matches(['-', '.', '_', '+']);
    match readable {
        "" => format!("{PREFIX}{hash:0HASH_DIGITS$x}"),
        _ if is_safe_start(readable) => format!("{readable}-{hash:0HASH_DIGITS$x}"),
        _ => format!("{PREFIX}{readable}-{hash:0HASH_DIGITS$x}"),
    }
}

/// Characters that need no hash: they are literal in every file system and shell.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '.' | '-')
}

/// Whether the name is not hidden, not an option, not empty and not a device.
fn is_safe_start(name: &str) -> bool {
    let device = name.split('.').next().unwrap_or_default();
    let numbered = device
        .strip_prefix("com")
        .or_else(|| device.strip_prefix("lpt"))
        .is_some_and(|rest| rest.chars().count() == 1 && rest.chars().all(char::is_numeric));
    name.starts_with(char::is_alphanumeric) && !RESERVED.contains(&device) && !numbered
}

/// Whether the name could be one with a hash.
fn ends_like_hash(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(_, end)| {
        end.len() == HASH_DIGITS
            && end.chars().all(|digit| digit.is_ascii_digit() || matches!(digit, 'a'..='f'))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn plain_urls_have_readable_names() {
        for (name, address, want) in [
            ("root", "https://example.com/", "example.com+index"),
            ("page", "https://example.com/docs/intro", "example.com+docs_intro"),
            ("folder", "https://example.com/docs/", "example.com+docs_index"),
            ("file", "https://example.com/docs/a.html", "example.com+docs_a.html"),
            ("http", "http://example.com/docs", "http+example.com+docs"),
            ("port", "http://127.0.0.1:8080/x", "http+127.0.0.1+8080+x"),
        ] {
            assert_eq!(FileNames::with_hosts().stem(&url(address)), want, "{name}");
        }
    }

    #[test]
    fn pages_of_the_base_origin_are_named_by_their_path() {
        let names = FileNames::within(&url("http://127.0.0.1:4321/"));
        assert_eq!(names.stem(&url("http://127.0.0.1:4321/")), "index");
        assert_eq!(names.stem(&url("http://127.0.0.1:4321/guides/tea")), "guides_tea");
        assert_eq!(names.stem(&url("https://elsewhere.example/guides/tea")), "elsewhere.example+guides_tea");
    }

    #[test]
    fn other_urls_have_a_readable_part_and_a_hash() {
        for (name, address, start) in [
            ("upper case", "https://example.com/Docs", "example.com+docs-"),
            ("query", "https://example.com/find?q=green%20tea", "example.com+find-q-green-tea-"),
            ("index by name", "https://example.com/docs/index", "example.com+docs_index-"),
            ("other script", "https://example.com/%E8%8C%B6", "example.com+茶-"),
            ("empty segment", "https://example.com/a//b", "example.com+a__b-"),
            ("underscore", "https://example.com/a_b", "example.com+a_b-"),
            (
                "parent folder",
                "https://example.com/%2e%2e%2f..%2fetc%2fpasswd",
                "example.com+._._etc_passwd-",
            ),
            ("IPv6", "http://[::1]/x", "1-+x-"),
            ("ends like a hash", "https://example.com/a-0123456789abcdef", "example.com+a-0123456789abcdef-"),
        ] {
            let got = FileNames::with_hosts().stem(&url(address));
            let (readable, hash) = got.rsplit_once('-').unwrap();
            assert_eq!(hash.len(), HASH_DIGITS, "{name}: {got}");
            assert_eq!(format!("{readable}-"), start, "{name}");
        }
    }

    #[test]
    fn names_are_never_devices_hidden_or_options() {
        let names = FileNames::within(&url("https://example.com/"));
        for path in
            ["con", "NUL", "aux.txt", "com1", "lpt9.x", ".htaccess", "-rf", "%00", "%E2%80%AE", "~", "+"]
        {
            let got = names.stem(&url(&format!("https://example.com/{path}")));
            assert!(is_safe_start(&got), "{path}: {got}");
        }
    }

    /// URLs with similar names.
    fn urls() -> impl Strategy<Value = String> {
        let scheme = prop_oneof!["https", "http"];
        let host =
            prop_oneof!["http", "a", "A.b", "a.b", "127\\.0\\.0\\.1", "\\[::1\\]", "xn--a", "a-b", "8080"];
        let port = prop_oneof!["", ":80", ":443", ":8080"];
        let path = "(/|/[-._~+%aA1b]{0,4}|/index|/[\\PC]{0,6}|/a-[0-9a-f]{16}|/con|/%[0-9a-f]{2}){0,4}";
        let query = prop_oneof!["", "\\?[a-c=&]{0,3}"];
        (scheme, host, port, path, query)
            .prop_map(|(scheme, host, port, path, query)| format!("{scheme}://{host}{port}{path}{query}"))
    }

    proptest! {
        #[test]
        fn distinct_urls_get_distinct_names(
            texts in proptest::collection::vec(urls(), 2..60),
            in_base in any::<bool>(),
        ) {
            let pages: BTreeSet<Url> = texts.iter().filter_map(|text| Url::parse(text).ok()).collect();
            let names = match pages.first() {
                Some(base) if in_base => FileNames::within(base),
                _ => FileNames::with_hosts(),
            };
            let mut taken: HashMap<String, Url> = HashMap::new();
            for url in pages {
                let name = names.stem(&url).to_lowercase();
                if let Some(other) = taken.insert(name.clone(), url.clone()) {
                    prop_assert!(false, "{} and {} are both {}", other, url, name);
                }
            }
        }

        #[test]
        fn names_are_safe_for_every_url(
            text in "https?://[a-z]{1,3}(\\PC|[\\x00-\\x1f./\\\\%:*?\"<>|]){0,300}",
        ) {
            let Ok(url) = Url::parse(&text) else { return Ok(()) };
            for names in [FileNames::with_hosts(), FileNames::within(&url)] {
                let stem = names.stem(&url);
                prop_assert!(stem.len() + ".json".len() <= MAX_NAME_BYTES, "{}", stem);
                prop_assert!(is_safe_start(&stem), "{}", stem);
                prop_assert!(!stem.contains(".."), "{}", stem);
                prop_assert!(
                    stem.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+')),
                    "{}", stem
                );
                prop_assert_eq!(stem.clone(), stem.to_lowercase());
            }
        }
    }
}
