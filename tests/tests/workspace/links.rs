//! The links of documents lead to files and headings that exist, README stays short, and the guide is complete:
//! its front page lists every page, their examples are compiled, and every error code is explained.

use std::fs;
use std::path::Path;

use super::paths::{ROOT, guide, prose};

/// Upper bound on the lines of README.md: a newcomer reads it before anything else.
const MAX_README_LINES: usize = 200;

/// The documents with links, as paths from the root.
fn documents() -> Vec<String> {
    let of_root = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
    let mut documents: Vec<String> = of_root.map(str::to_owned).into();
    documents.extend(guide());
    let crates = fs::read_dir(Path::new(ROOT).join("crates")).expect("the crates can be listed");
    for entry in crates {
        let name = entry.expect("a crate can be listed").file_name();
        let readme = format!("crates/{}/README.md", name.to_string_lossy());
        if Path::new(ROOT).join(&readme).exists() {
            documents.push(readme);
        }
    }
    documents
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).expect("a document can be read")
}

/// The targets of links and pictures, without those in code.
fn targets(document: &str) -> Vec<String> {
    let prose = prose(document);
    // An odd backquote affects no other paragraph.
    let without_code = prose.split("\n\n").flat_map(|paragraph| paragraph.split('`').step_by(2));
    let links = without_code.flat_map(|text| text.split("](").skip(1));
    links.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// The anchors of the headings, as sites that host source make them.
fn anchors(document: &str) -> Vec<String> {
    let headings = prose(document);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// Whether a link of the document `from` leads to a file, and to a heading if it names one. Other sites are not
/// asked.
fn leads_somewhere(from: &str, target: &str) -> bool {
    if target.contains("://") || target.starts_with("mailto:") {
        return true;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let from = Path::new(ROOT).join(from);
    let folder = from.parent().expect("a document is in a folder");
    let file = if file.is_empty() { from.clone() } else { folder.join(file) };
    if heading.is_empty() {
        return file.exists();
    }
    fs::read_to_string(file).is_ok_and(|document| anchors(&document).iter().any(|anchor| anchor == heading))
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut broken = Vec::new();
    for name in documents() {
        let targets = targets(&read(&name)).into_iter();
        let lost = targets.filter(|target| !leads_somewhere(&name, target));
        broken.extend(lost.map(|target| format!("{name}: {target}")));
    }
    assert!(broken.is_empty(), "these links lead nowhere: {broken:#?}");
}

#[test]
fn targets_and_anchors_are_those_of_prose() {
    let text = "# What it is\nSee [a](b.md#c), `[x](y)` and [`code`](d.md).\n\n```text\n# no heading\n[z](w)\n```\n\
                ## With a `model`: yes\n![p](p.png)";
    assert_eq!(targets(text), ["b.md#c", "d.md", "p.png"]);
    assert_eq!(anchors(text), ["what-it-is", "with-a-model-yes"]);
    assert!(leads_somewhere("README.md", "docs/README.md#the-guide"));
    assert!(leads_somewhere("docs/README.md", "../README.md#more"));
    assert!(leads_somewhere("README.md", "#more") && leads_somewhere("README.md", "https://example.com/"));
    for lost in ["absent.md", "#absent", "docs/README.md#absent"] {
        assert!(!leads_somewhere("README.md", lost), "{lost}");
    }
}

#[test]
fn readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= MAX_README_LINES, "README.md has {lines} lines; move some of them to docs/");
}

#[test]
fn every_page_of_the_guide_is_listed_and_compiled() {
    let (front, doctests) = (read("docs/README.md"), read("tests/src/lib.rs"));
    let pages = guide();
    assert!(pages.len() > 10, "{pages:?}");
    for page in pages {
        let name = page.trim_start_matches("docs/");
        assert!(name == "README.md" || front.contains(&format!("({name})")), "docs/README.md: no {name}");
        assert!(doctests.contains(&format!("\"../../{page}\"")), "tests/src/lib.rs: no {page}");
    }
}

#[test]
fn the_guide_explains_every_error_code() {
    let source = read("crates/types/src/error.rs");
    let code = |line: &str| {
        let (_, name) = line.trim().strip_prefix("Self::")?.split_once("=> \"")?;
        Some(name.strip_suffix("\",")?.to_owned())
    };
    let codes: Vec<String> = source.lines().filter_map(code).collect();
    assert!(codes.len() >= 20, "the codes of the contract were not found: {codes:?}");
    let guide = read("docs/troubleshooting.md");
    for code in codes {
        assert!(guide.contains(&format!("| `{code}` ")), "docs/troubleshooting.md does not explain {code}");
    }
}
