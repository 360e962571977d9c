//! The paths that the documents of the repository name in backquotes exist: from the root, or from `crates`.

use std::fs;
use std::path::Path;

pub(super) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Documents of the root, beside the guide.
const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];

/// The last part of a path, without its extension, that stands for a name of the reader's choice.
const PLACEHOLDER: &str = "name";

/// The pages of the guide, as paths from the root.
pub(super) fn guide() -> Vec<String> {
    let pages = fs::read_dir(Path::new(ROOT).join("docs")).expect("the guide can be listed");
    let names = pages.map(|entry| entry.expect("a page can be listed").file_name());
    let names = names.map(|name| format!("docs/{}", name.to_string_lossy()));
    names.filter(|name| name.ends_with(".md")).collect()
}

/// The lines of a document without blocks of code.
pub(super) fn prose(document: &str) -> String {
    let mut in_code = false;
    let mut text = String::new();
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// The text in backquotes, without blocks of code.
fn quoted(document: &str) -> Vec<String> {
    let text = prose(document);
    // An odd backquote affects no other paragraph.
    let quotes = text.split("\n\n").flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2));
    quotes.map(str::to_owned).collect()
}

/// Whether the text is a path in the repository: of a source file, or below a folder of the root or a crate.
fn is_path(text: &str) -> bool {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || "_-./".contains(character);
    let Some((first, _)) = text.split_once('/') else { return false };
    if first.is_empty() || !text.chars().all(is_allowed) {
        return false;
    }
    let path = Path::new(text);
    if path.file_stem().is_some_and(|stem| stem == PLACEHOLDER) {
        return false;
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    let root = Path::new(ROOT);
    matches!(extension, Some("rs" | "md" | "toml" | "sh"))
        || root.join(first).is_dir()
        || root.join("crates").join(first).is_dir()
}

fn exists(path: &str) -> bool {
    let root = Path::new(ROOT);
    root.join(path).exists() || root.join("crates").join(path).exists()
}

#[test]
fn documents_name_only_paths_that_exist() {
    let mut missing = Vec::new();
    let documents = DOCUMENTS.iter().map(|name| (*name).to_owned()).chain(guide());
    for name in documents {
        let document = fs::read_to_string(Path::new(ROOT).join(&name)).expect("a document can be read");
        let paths = quoted(&document).into_iter().filter(|text| is_path(text));
        missing.extend(paths.filter(|path| !exists(path)).map(|path| format!("{name}: {path}")));
    }
    assert!(missing.is_empty(), "these paths do not exist: {missing:#?}");
}

#[test]
fn other_text_in_backquotes_is_no_path() {
    let text = "See `crates/http`\nand `runtime/src/absent.rs`, `absent/lib.rs`, `GET /v2/map`.\n\n\
                ```sh\ncat `tests/absent`\n```\n`/v2/map`, `text/html`, `crates/*/tests`, `fuzz/corpus/name`";
    let paths: Vec<String> = quoted(text).into_iter().filter(|text| is_path(text)).collect();
    assert_eq!(paths, ["crates/http", "runtime/src/absent.rs", "absent/lib.rs"]);
    assert!(exists("crates/http") && exists("runtime/src/lib.rs") && !exists("runtime/src/absent.rs"));
}
