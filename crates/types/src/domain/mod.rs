//! Public suffixes and registrable domains, by the [public suffix list](https://publicsuffix.org).
//!
//! The rules are a sorted text that a binary search reads (`suffixes.txt`, made by `suffixes.py` from the rules
//! that the crate `psl` 2.1.247 ships; the list is licensed under the MPL 2.0). `psl` itself turns each rule into a
//! function, and compiles some ten thousand of them anew in every crate that asks.

use std::cmp::Ordering;

/// Lines of a name and marks, in the order of the names.
static RULES: &str = include_str!("suffixes.txt");

/// Maximum labels of a suffix. No rule has more than 6, and a wildcard adds one.
const MAX_LABELS: usize = 7;

/// The public suffix of `host`, such as `co.uk`; its last label if no rule names it. `host` is in the form of
/// URLs: lower case, in ASCII, without a trailing dot, and no address. `None` for the empty name.
#[must_use]
pub fn public_suffix(host: &str) -> Option<&str> {
    let mut suffix = host.rsplit('.').next().filter(|label| !label.is_empty())?;
    let mut parent: Option<Marks> = None;
    // From the last label on: the longest rule decides, and an exception ends the search.
    for name in ends(host).take(MAX_LABELS) {
        let marks = marks_of(name);
        if marks.is_some_and(|marks| marks.exception) {
            return name.split_once('.').map(|(_, rest)| rest);
        }
        if marks.is_some_and(|marks| marks.suffix) || parent.is_some_and(|marks| marks.wildcard) {
            suffix = name;
        }
        parent = marks;
    }
    Some(suffix)
}

/// The registrable domain of `host`: its public suffix and one label more. `None` for a host that is itself a
/// suffix, and where that label is empty.
#[must_use]
pub fn registrable_domain(host: &str) -> Option<&str> {
    let suffix = public_suffix(host)?;
    let rest = host.strip_suffix(suffix)?.strip_suffix('.')?;
    let label = rest.rsplit('.').next().filter(|label| !label.is_empty())?;
    host.get(rest.len() - label.len()..)
}

/// What the rules say of a name.
#[derive(Clone, Copy)]
struct Marks {
    suffix: bool,
    wildcard: bool,
    exception: bool,
}

/// `c`, `b.c`, `a.b.c` of `a.b.c`.
fn ends(host: &str) -> impl Iterator<Item = &str> {
    let starts = host.rmatch_indices('.').map(|(dot, _)| dot + 1).chain([0]);
    starts.filter_map(|start| host.get(start..))
}

/// The marks of `name`, found by halving the text.
fn marks_of(name: &str) -> Option<Marks> {
    let mut rest = RULES;
    loop {
        let middle = rest.as_bytes().get(..rest.len() / 2)?;
        let start = middle.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let (line, after) = rest.get(start..)?.split_once('\n')?;
        let (rule, marks) = line.split_once(' ')?;
        rest = match name.cmp(rule) {
            Ordering::Less => rest.get(..start)?,
            Ordering::Greater => after,
            Ordering::Equal => {
                let has = |mark: char| marks.contains(mark);
                return Some(Marks { suffix: has('+'), wildcard: has('*'), exception: has('!') });
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_and_domains() {
        for (host, suffix, domain) in [
            ("com", "com", None),
            ("example.com", "com", Some("example.com")),
            ("a.b.example.com", "com", Some("example.com")),
            ("www.example.co.uk", "co.uk", Some("example.co.uk")),
            ("co.uk", "co.uk", None),
            ("uk", "uk", None),
            // No rule: the last label.
            ("localhost", "localhost", None),
            ("a.b.unknown-suffix", "unknown-suffix", Some("b.unknown-suffix")),
            // `*.ck` without `www.ck`.
            ("ck", "ck", None),
            ("b.ck", "b.ck", None),
            ("a.b.ck", "b.ck", Some("a.b.ck")),
            ("www.ck", "ck", Some("www.ck")),
            ("a.www.ck", "ck", Some("www.ck")),
            ("city.kawasaki.jp", "kawasaki.jp", Some("city.kawasaki.jp")),
            ("a.b.kawasaki.jp", "b.kawasaki.jp", Some("a.b.kawasaki.jp")),
            // Rules below names that are none themselves.
            ("a.b.compute.amazonaws.com", "b.compute.amazonaws.com", Some("a.b.compute.amazonaws.com")),
            ("compute.amazonaws.com", "com", Some("amazonaws.com")),
            ("example.github.io", "github.io", Some("example.github.io")),
            ("www.xn--55qx5d.cn", "xn--55qx5d.cn", Some("www.xn--55qx5d.cn")),
            ("a.xn--p1ai", "xn--p1ai", Some("a.xn--p1ai")),
            // Empty labels are no names.
            (".com", "com", None),
            ("a..com", "com", None),
        ] {
            assert_eq!(public_suffix(host), Some(suffix), "{host}");
            assert_eq!(registrable_domain(host), domain, "{host}");
        }
        assert_eq!(public_suffix(""), None);
        assert_eq!(registrable_domain(""), None);
    }

    #[test]
    fn each_rule_is_found() {
        let mut former = "";
        for line in RULES.lines() {
            let (name, marks) = line.split_once(' ').unwrap();
            assert!(former < name, "{name} is out of order");
            former = name;
            assert!(name.split('.').count() < MAX_LABELS, "{name}");
            let found = marks_of(name).unwrap();
            assert_eq!((found.suffix, found.wildcard), (marks.contains('+'), marks.contains('*')), "{name}");
        }
    }
}
