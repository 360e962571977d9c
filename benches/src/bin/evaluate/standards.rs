//! The cases of two standards: the URL Standard (`DIR/url/urltestdata.json` of the Web Platform Tests) and
//! the sniffing of encodings (`DIR/html5lib-tests/encoding/*.dat`).
//!
//! Of the URLs, those with `http` and `https` count: they must parse to the `href` of the case, or fail where
//! it fails. Their canonical form then differs from the `href` only as [`Identity::canonical`] says. Of the
//! encodings, a page that declares none has windows-1252 in the cases, because browsers fall back to it; here
//! the bytes are guessed, which counts as passed.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_frontier::Identity;
use gleaner_transform::{CharsetSource, decode};
use serde_json::{Value, json};
use url::Url;

use crate::{Failure, Outcome};

/// The encoding that cases without a declaration expect.
const FALLBACK: &str = "windows-1252";

/// The results of one kind of case.
#[derive(Default)]
struct Count {
    total: usize,
    /// A line for each case that differs.
    differences: Vec<String>,
}

impl Count {
    fn add(&mut self, difference: Option<String>) {
        self.total += 1;
        self.differences.extend(difference);
    }
}

pub(super) fn evaluate(folder: &Path) -> Result<Outcome, Failure> {
    let file = folder.join("url").join("urltestdata.json");
    let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let (parsed, canonical) = urls(&serde_json::from_slice(&text)?);
    let encodings = encodings(&folder.join("html5lib-tests").join("encoding"))?;
    let (mut table, mut json) = (String::new(), serde_json::Map::new());
    for (name, count) in [("parsedUrls", parsed), ("canonicalUrls", canonical), ("encodings", encodings)] {
        let passed = count.total - count.differences.len();
        let _ = writeln!(table, "{name}: {passed} of {} pass", count.total);
        for difference in &count.differences {
            let _ = writeln!(table, "  {difference}");
        }
        json.insert(name.to_owned(), json!({ "passed": passed, "total": count.total }));
    }
    Ok(Outcome { table: table.trim_end().to_owned(), json: json!({ "standards": Value::Object(json) }) })
}

/// The cases of URLs: parsed, and in canonical form.
fn urls(cases: &Value) -> (Count, Count) {
    let (mut parsed, mut canonical) = (Count::default(), Count::default());
    let identity = Identity::from_options(false, false);
    for case in cases.as_array().into_iter().flatten() {
        let text = |name: &str| case.get(name).and_then(Value::as_str);
        let Some(input) = text("input") else { continue };
        let base = text("base");
        let href = text("href");
        if !href.or(base).into_iter().chain([input]).any(is_web) || href.is_some_and(|href| !is_web(href)) {
            continue;
        }
        let url = match base {
            Some(base) => Url::parse(base).and_then(|base| gleaner_types::join(&base, input)),
            None => Url::parse(input),
        };
        let found = url.as_ref().ok().map(Url::as_str);
        parsed.add((found != href).then(|| {
            format!(
                "{input:?} on {base:?}: {} instead of {}",
                found.unwrap_or("none"),
                href.unwrap_or("none")
            )
        }));
        if let Ok(url) = url
            && is_web(url.as_str())
        {
            canonical.add(canonical_fault(&url, &identity));
        }
    }
    (parsed, canonical)
}

fn is_web(url: &str) -> bool {
    let scheme = url.trim_start_matches(|character| character <= ' ').split(':').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// The changes of the canonical form beyond its documentation.
fn canonical_fault(url: &Url, identity: &Identity) -> Option<String> {
    let text = identity.canonical(url);
    let fault = |what: &str| Some(format!("{url} becomes {text}: {what}"));
    let Ok(form) = Url::parse(&text) else { return fault("it is no URL") };
    if form.as_str() != text || identity.canonical(&form) != text {
        return fault("it is not its own canonical form");
    }
    if !form.username().is_empty() || form.password().is_some() {
        return fault("it has a user");
    }
    let (host, form_host) = (url.host_str().unwrap_or_default(), form.host_str().unwrap_or_default());
    let is_host_same = form_host == host || host.strip_suffix('.') == Some(form_host);
    if (form.scheme(), form.port()) != (url.scheme(), url.port()) || !is_host_same {
        return fault("the origin differs");
    }
    if octets(form.path()) != octets(url.path()) || form.query().map(octets) != url.query().map(octets) {
        return fault("the path or the query has other octets");
    }
    let names_page = |route: &str| route.starts_with(['/', '!']) && !matches!(route, "/" | "!" | "//" | "!/");
    let expected = url.fragment().filter(|fragment| names_page(fragment)).map(octets);
    if form.fragment().map(octets) != expected {
        return fault("the fragment differs");
    }
    None
}

/// The meaning of a part of a URL: its octets, and of a reserved one whether it is escaped.
fn octets(text: &str) -> Vec<(u8, bool)> {
    let mut found = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        let digits =
            tail.get(..2).filter(|_| *byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(octet) => {
                rest = tail.get(2..).unwrap_or_default();
                found.push((octet, b"!$&'()*+,;=:@/?".contains(&octet)));
            }
            None => found.push((*byte, false)),
        }
    }
    found
}

/// The cases of encodings in the files of a folder.
fn encodings(folder: &Path) -> Result<Count, Failure> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "dat"))
        .collect();
    files.sort();
    let mut count = Count::default();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (number, (body, expected)) in encoding_cases(&fs::read(&file)?).into_iter().enumerate() {
            let decoded = decode(&body, Some("text/html"));
            let is_guessed =
                decoded.source == CharsetSource::Guess && expected.eq_ignore_ascii_case(FALLBACK);
            let is_right = is_guessed || decoded.encoding.eq_ignore_ascii_case(&expected);
            let (encoding, source) = (decoded.encoding, decoded.source);
            count.add((!is_right).then(|| {
                format!("{name}, case {}: {encoding} ({source:?}) instead of {expected}", number + 1)
            }));
        }
    }
    Ok(count)
}

/// The bodies of a file, each with its encoding. A body stands between `#data` and `#encoding`.
fn encoding_cases(file: &[u8]) -> Vec<(Vec<u8>, String)> {
    let mut cases = Vec::new();
    let mut body: Option<Vec<u8>> = None;
    let mut lines = file.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        match (line, &mut body) {
            (b"#data", _) => body = Some(Vec::new()),
            (b"#encoding", Some(found)) => {
                let expected = String::from_utf8_lossy(lines.next().unwrap_or_default()).trim().to_owned();
                found.pop();
                cases.push((std::mem::take(found), expected));
                body = None;
            }
            (line, Some(found)) => {
                found.extend_from_slice(line);
                found.push(b'\n');
            }
            (_, None) => {}
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_of_a_file_are_read() {
        let file = b"#data\n<a>\n\xE9\n#encoding\nWindows-1252\n\n#data\n<meta\n#encoding\nutf-8";
        let cases = encoding_cases(file);
        let expected =
            [(b"<a>\n\xE9".to_vec(), "Windows-1252".to_owned()), (b"<meta".to_vec(), "utf-8".to_owned())];
        assert_eq!(cases, expected);
    }

    #[test]
    fn urls_are_compared_with_their_cases() {
        let cases = json!([
            "a comment",
            { "input": "/%7Ea?b#c", "base": "http://u@a.example.", "href": "http://u@a.example./%7Ea?b#c" },
            { "input": "http://a b/", "base": null, "failure": true },
            { "input": "HTTP://a.example", "base": null, "href": "http://wrong.example/" },
            { "input": "mailto:a", "base": "http://a.example/", "href": "mailto:a" },
        ]);
        let (parsed, canonical) = urls(&cases);
        assert_eq!((parsed.total, parsed.differences.len()), (3, 1), "{:?}", parsed.differences);
        assert_eq!((canonical.total, canonical.differences.len()), (2, 0), "{:?}", canonical.differences);
    }

    #[test]
    fn octets_keep_apart_what_is_reserved() {
        assert_eq!(octets("%7e"), octets("~"));
        assert_eq!(octets("%zz%"), octets("%25zz%25"));
        assert_ne!(octets("a%2Fb"), octets("a/b"));
    }
}
