//! Words in sources: messages of the libraries are for users, and every Rust file says what it is.
//!
//! Messages name no Rust item (`EngineBuilder::renderer`) and contain no debug output (`{:?}`), such as
//! `Other(OtherError(..))`.

use std::fs;
use std::path::{Path, PathBuf};

use super::paths::ROOT;

/// Folders of the root with Rust files.
const RUST_FOLDERS: [&str; 4] = ["benches", "crates", "fuzz", "tests"];

/// The folder for the output of builds.
const OUTPUT: &str = "target";

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates");

/// Crates whose messages are for a terminal or for tests.
const EXCLUDED: &[&str] = &["cli", "testkit"];

/// Files and folders of test modules.
const TESTS: &[&str] = &["tests", "tests.rs", "properties", "properties.rs", "fairness.rs"];

/// Collects all Rust files below `folder`, without files and folders of these names.
fn sources(folder: &Path, excluded: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources can be read") {
        let path = entry.expect("a folder of sources can be listed").path();
        if path.file_name().is_some_and(|name| excluded.iter().any(|other| name == *other)) {
            continue;
        }
        if path.is_dir() {
            sources(&path, excluded, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The string literals of a Rust source.
fn texts(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut rest, mut before) = (source, ' ');
    while let Some(first) = rest.chars().next() {
        let after = rest.strip_prefix(first).unwrap_or_default();
        rest = match first {
            '/' if after.starts_with('/') => after.split_once('\n').map_or("", |(_, after)| after),
            '"' => {
                let (text, after) = split(after, end_of_text(after), 1);
                found.push(text);
                after
            }
            'r' if before == 'b' || !(before.is_alphanumeric() || before == '_') => {
                let quoted = after.trim_start_matches('#');
                let hashes = after.len() - quoted.len();
                match quoted.strip_prefix('"') {
                    Some(raw) => {
                        let close = format!("\"{}", "#".repeat(hashes));
                        let (text, after) = split(raw, raw.find(&close).unwrap_or(raw.len()), close.len());
                        found.push(text);
                        after
                    }
                    None => after,
                }
            }
            // A character literal or a lifetime.
            '\'' => {
                let mut letters = after.chars();
                match letters.next() {
                    Some('\\') => {
                        letters.next();
                        letters.as_str().split_once('\'').map_or("", |(_, after)| after)
                    }
                    Some(_) => letters.as_str().strip_prefix('\'').unwrap_or(after),
                    None => "",
                }
            }
            _ => after,
        };
        before = first;
    }
    found
}

/// The end of a string literal, from the byte after its opening quote.
fn end_of_text(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if !escaped => return at,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Splits at `at` and drops `skipped` bytes from the second part.
fn split(text: &str, at: usize, skipped: usize) -> (&str, &str) {
    (text.get(..at).unwrap_or(text), text.get(at + skipped..).unwrap_or_default())
}

/// True for `Builder::renderer`, but not for an IP address such as `::1`.
fn names_an_item(text: &str) -> bool {
    let mut pieces = text.split("::").peekable();
    while let (Some(piece), Some(next)) = (pieces.next(), pieces.peek()) {
        let letter = |letter: char| letter.is_ascii_alphabetic();
        if piece.ends_with(letter) && next.starts_with(letter) {
            return true;
        }
    }
    false
}

#[test]
fn string_literals_of_a_source_are_found() {
    let source = r##"let a = "one \" 'two'"; // "none"
        let b: &'static str = r#"raw "x" text"#; let c = ['"', '\'', '\\']; br"bytes"; "last""##;
    assert_eq!(texts(source), [r#"one \" 'two'"#, r#"raw "x" text"#, "bytes", "last"]);
    assert!(names_an_item("add one by `EngineBuilder::renderer`") && !names_an_item("at [::1] or fe80::1"));
}

#[test]
fn messages_name_no_rust_item_and_contain_no_debug_output() {
    let mut wrong = Vec::new();
    let (mut files, mut seen) = (0, 0);
    for entry in fs::read_dir(CRATES).expect("the folder of crates can be read") {
        let folder = entry.expect("the folder of crates can be listed").path();
        if folder.file_name().is_some_and(|name| EXCLUDED.iter().any(|other| name == *other)) {
            continue;
        }
        let mut found = Vec::new();
        sources(&folder.join("src"), TESTS, &mut found);
        files += found.len();
        for path in found {
            let source = fs::read_to_string(&path).expect("a source can be read");
            let source = source.split_once("#[cfg(test)]\nmod ").map_or(source.as_str(), |(own, _)| own);
            // A single word may be a path in an attribute or part of a message.
            for text in texts(source).into_iter().filter(|text| text.contains(' ')) {
                seen += 1;
                if names_an_item(text) || text.contains(":?}") || text.contains(":#?}") {
                    wrong.push(format!("{}: {text:?}", path.display()));
                }
            }
        }
    }
    assert!(files > 200 && seen > 1000, "{files} files with {seen} texts");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rust_file_opens_with_a_line_that_says_what_it_is() {
    let mut found = Vec::new();
    for folder in RUST_FOLDERS {
        sources(&Path::new(ROOT).join(folder), &[OUTPUT], &mut found);
    }
    assert!(found.len() > 1000, "{} files", found.len());
    found.retain(|path| !fs::read_to_string(path).expect("a source can be read").starts_with("//! "));
    assert!(found.is_empty(), "these files do not open with `//!`: {found:#?}");
}
