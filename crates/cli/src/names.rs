//! Names of files for pages: one flat, safe name for each URL.
//!
//! A flat folder of names in place of a tree of folders: a tree needs answers to `/a` being a page and a folder at once,
//! to `..`, and to paths deeper than the file system allows, and gives an attacker something to climb. The names keep
//! what a reader looks for (host and path) and hold these laws, whatever the URL:
//!
//! - only lower-case letters, digits and `.`, `-`, `_`, `+`; at most [`MAX_NAME_BYTES`] bytes; never a leading dot or
//!   dash, `..`, a separator, a control character or a name that Windows reserves;
//! - distinct URLs get distinct names, also where the file system folds case or Unicode forms: a URL whose readable
//!   name could be another's too gets a hash of the whole URL appended.

use percent_encoding::percent_decode_str;
use url::{Origin, Url};
use uuid::Uuid;

/// The longest name, extension included. Below the 143 bytes of the strictest file system in use (eCryptfs).
pub(crate) const MAX_NAME_BYTES: usize = 120;

/// Room left for the readable part beside the hash and the longest extension.
const MAX_READABLE_BYTES: usize = MAX_NAME_BYTES - PREFIX.len() - 1 - HASH_DIGITS - ".json".len();

/// Put before a readable part that must not begin a name.
const PREFIX: &str = "page-";

/// Hexadecimal digits of the hash, four bits each.
const HASH_DIGITS: usize = 16;

/// Device names that Windows keeps for itself, with any extension.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Makes names for pages.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Pages of this origin are named by their path alone.
    home: Option<Origin>,
}

impl Names {
    /// Names that begin with the host: `example.com+docs_intro`.
    pub(crate) fn with_hosts() -> Self {
        Self::default()
    }

    /// Names by the path alone for pages of the same origin as `home`: `docs_intro`.
    pub(crate) fn within(home: &Url) -> Self {
        Self { home: Some(home.origin()) }
    }

    /// The name of `url`, without an extension.
    pub(crate) fn stem(&self, url: &Url) -> String {
        let at_home = self.home.as_ref().is_some_and(|home| *home == url.origin());
        match plain(url, at_home) {
            Some(name) => name,
            None => hashed(url.as_str(), &readable(url, at_home)),
        }
    }

    /// The name of what should be a URL and is not: still safe, still distinct.
    pub(crate) fn stem_of_text(text: &str) -> String {
        hashed(text, "")
    }
}

/// A name from which the URL can be read back, so that it needs no hash; `None` where there is no such name.
///
/// The form is `[scheme "+"] host ["+" port] "+" path`, or `path` alone at home. `https` is not written. Segments of the
/// path are joined by `_`; one that ends in a slash ends in `index`.
fn plain(url: &Url, at_home: bool) -> Option<String> {
    let bare = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && !url.cannot_be_a_base();
    if !bare {
        return None;
    }
    let mut name = String::new();
    if !at_home {
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

/// What a person recognises of the URL: may be shared by others, so it is only used beside a hash.
fn readable(url: &Url, at_home: bool) -> String {
    let mut text = String::new();
    if !at_home {
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
        // Runs of dashes and dots say nothing, and `..` looks like a way up.
        if matches!(letter, '-' | '.') && name.ends_with(letter) {
            continue;
        }
        name.push(letter);
    }
    name
}

/// `readable` beside a hash of `whole`.
fn hashed(whole: &str, readable: &str) -> String {
    // A name-based UUID is a standard (RFC 9562) that spreads URLs well; its low half carries 62 bits of SHA-1.
    let (_, hash) = Uuid::new_v5(&Uuid::NAMESPACE_URL, whole.as_bytes()).as_u64_pair();
    let readable = readable.trim_matches(['-', '.', '_', '+']);
    match readable {
        "" => format!("{PREFIX}{hash:0HASH_DIGITS$x}"),
        _ if is_safe_start(readable) => format!("{readable}-{hash:0HASH_DIGITS$x}"),
        _ => format!("{PREFIX}{readable}-{hash:0HASH_DIGITS$x}"),
    }
}

/// The characters that need no hash: they mean themselves on every file system and in every shell.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '.' | '-')
}

/// Not hidden, not an option, not empty, not a device.
fn is_safe_start(name: &str) -> bool {
    let device = name.split('.').next().unwrap_or_default();
    let numbered = device
        .strip_prefix("com")
        .or_else(|| device.strip_prefix("lpt"))
        .is_some_and(|rest| rest.chars().count() == 1 && rest.chars().all(char::is_numeric));
    name.starts_with(char::is_alphanumeric) && !RESERVED.contains(&device) && !numbered
}

/// Could the name be one with a hash?
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
    fn plain_urls_have_names_that_a_person_would_give() {
        for (name, address, want) in [
            ("root", "https://example.com/", "example.com+index"),
            ("page", "https://example.com/docs/intro", "example.com+docs_intro"),
            ("folder", "https://example.com/docs/", "example.com+docs_index"),
            ("file", "https://example.com/docs/a.html", "example.com+docs_a.html"),
            ("http", "http://example.com/docs", "http+example.com+docs"),
            ("port", "http://127.0.0.1:8080/x", "http+127.0.0.1+8080+x"),
        ] {
            assert_eq!(Names::with_hosts().stem(&url(address)), want, "{name}");
        }
    }

    #[test]
    fn pages_at_home_are_named_by_their_path() {
        let names = Names::within(&url("http://127.0.0.1:4321/"));
        assert_eq!(names.stem(&url("http://127.0.0.1:4321/")), "index");
        assert_eq!(names.stem(&url("http://127.0.0.1:4321/guides/tea")), "guides_tea");
        assert_eq!(names.stem(&url("https://elsewhere.example/guides/tea")), "elsewhere.example+guides_tea");
    }

    #[test]
    fn other_urls_keep_what_is_readable_and_get_a_hash() {
        for (name, address, start) in [
            ("upper case", "https://example.com/Docs", "example.com+docs-"),
            ("query", "https://example.com/find?q=green%20tea", "example.com+find-q-green-tea-"),
            ("index by name", "https://example.com/docs/index", "example.com+docs_index-"),
            ("other script", "https://example.com/%E8%8C%B6", "example.com+茶-"),
            ("empty segment", "https://example.com/a//b", "example.com+a__b-"),
            ("underscore", "https://example.com/a_b", "example.com+a_b-"),
            ("way up", "https://example.com/%2e%2e%2f..%2fetc%2fpasswd", "example.com+._._etc_passwd-"),
            ("IPv6", "http://[::1]/x", "1-+x-"),
            ("ends like a hash", "https://example.com/a-0123456789abcdef", "example.com+a-0123456789abcdef-"),
        ] {
            let got = Names::with_hosts().stem(&url(address));
            let (readable, hash) = got.rsplit_once('-').unwrap();
            assert_eq!(hash.len(), HASH_DIGITS, "{name}: {got}");
            assert_eq!(format!("{readable}-"), start, "{name}");
        }
    }

    #[test]
    fn device_names_hidden_names_and_options_never_begin_a_file() {
        let names = Names::within(&url("https://example.com/"));
        for path in
            ["con", "NUL", "aux.txt", "com1", "lpt9.x", ".htaccess", "-rf", "%00", "%E2%80%AE", "~", "+"]
        {
            let got = names.stem(&url(&format!("https://example.com/{path}")));
            assert!(is_safe_start(&got), "{path}: {got}");
        }
    }

    /// URLs that are likely to be mistaken for each other.
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
        fn distinct_urls_get_distinct_names(texts in proptest::collection::vec(urls(), 2..60), at_home in any::<bool>()) {
            let pages: BTreeSet<Url> = texts.iter().filter_map(|text| Url::parse(text).ok()).collect();
            let names = match pages.first() {
                Some(home) if at_home => Names::within(home),
                _ => Names::with_hosts(),
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
        fn names_are_safe_whatever_the_url(text in "https?://[a-z]{1,3}(\\PC|[\\x00-\\x1f./\\\\%:*?\"<>|]){0,300}") {
            let Ok(url) = Url::parse(&text) else { return Ok(()) };
            for names in [Names::with_hosts(), Names::within(&url)] {
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
