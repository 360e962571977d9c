//! The arrows of ARCHITECTURE.md: what a crate may use of its own house, and which of them are free of I/O.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");

/// Crate, and what it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("gleaner-types", &[]),
    ("gleaner-frontier", &["gleaner-types"]),
    ("gleaner-fetch", &["gleaner-types"]),
    ("gleaner-pdf", &["gleaner-types"]),
    ("gleaner-transform", &["gleaner-types", "gleaner-pdf"]),
    ("gleaner-extract", &["gleaner-types"]),
    ("gleaner-models", &["gleaner-types", "gleaner-extract", "gleaner-fetch"]),
    ("gleaner-store", &["gleaner-types", "gleaner-frontier"]),
    ("gleaner-runtime", &["gleaner-types", "gleaner-frontier", "gleaner-store"]),
    ("gleaner-extract-jobs", &["gleaner-types", "gleaner-extract", "gleaner-runtime"]),
    ("gleaner-pdf-worker", &["gleaner-types", "gleaner-transform", "gleaner-runtime"]),
    ("gleaner-service", &["gleaner-types", "gleaner-frontier", "gleaner-store", "gleaner-runtime"]),
    (
        "gleaner",
        &[
            "gleaner-types",
            "gleaner-frontier",
            "gleaner-fetch",
            "gleaner-transform",
            "gleaner-extract",
            "gleaner-models",
            "gleaner-store",
            "gleaner-runtime",
            "gleaner-extract-jobs",
            "gleaner-pdf-worker",
            "gleaner-service",
        ],
    ),
    ("gleaner-http", &["gleaner"]),
    ("gleaner-cli", &["gleaner", "gleaner-http"]),
];

/// Not published: they may use any.
const UNPUBLISHED: &[&str] = &["gleaner-testkit", "gleaner-benches", "gleaner-tests"];

/// Crates without I/O and without a runtime, and what therefore must not come in by any way.
const PURE: &[&str] =
    &["gleaner-types", "gleaner-frontier", "gleaner-pdf", "gleaner-transform", "gleaner-extract"];
const IMPURE: &[&str] = &["tokio", "reqwest", "hyper", "mio", "socket2"];

fn metadata() -> Metadata {
    let mut command = MetadataCommand::new();
    command.manifest_path(MANIFEST).no_deps().exec().expect("cargo can describe the workspace")
}

/// The names of all crates that a crate of the workspace brings into a program, by any way.
fn reaches(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--manifest-path",
            MANIFEST,
            "--package",
            package,
            "--edges",
            "normal",
            "--all-features",
        ])
        .args(["--prefix", "none", "--format", "{p}", "--locked"])
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

fn uses(package: &Package) -> BTreeSet<&str> {
    let normal = package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
    normal.map(|dependency| dependency.name.as_str()).collect()
}

#[test]
fn every_crate_uses_only_what_it_may() {
    let metadata = metadata();
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        if UNPUBLISHED.contains(&name) {
            assert_eq!(package.publish.as_deref(), Some(&[][..]), "{name} must not be published");
            continue;
        }
        let may = arrows
            .get(name)
            .unwrap_or_else(|| panic!("{name} has no arrows: add it to ARCHITECTURE.md and here"));
        for used in uses(package).into_iter().filter(|used| used.starts_with("gleaner")) {
            assert!(may.contains(&used), "{name} may not use {used}");
        }
    }
}

#[test]
fn pure_crates_reach_neither_a_runtime_nor_the_network() {
    for pure in PURE {
        let reached = reaches(pure);
        assert!(reached.contains(*pure), "{pure} reaches {reached:?}");
        for impure in IMPURE {
            assert!(!reached.contains(*impure), "{pure} reaches {impure}");
        }
    }
}

#[test]
fn no_crate_brings_a_second_tls_stack() {
    let reached = reaches("gleaner-cli");
    assert!(reached.contains("rustls"), "{reached:?}");
    for banned in ["openssl-sys", "native-tls", "aws-lc-sys"] {
        assert!(!reached.contains(banned), "{banned} must not be in the tree: TLS is rustls with ring");
    }
}
