//! The dependency arrows of ARCHITECTURE.md: which crates of the workspace a crate may use, and which
//! crates are free of I/O.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");

/// Each crate with the crates that it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("gleaner-types", &[]),
    ("gleaner-frontier", &["gleaner-types"]),
    ("gleaner-fetch", &["gleaner-types"]),
    ("gleaner-pdf", &["gleaner-types"]),
    ("gleaner-transform", &["gleaner-types", "gleaner-pdf"]),
    ("gleaner-extract", &["gleaner-types"]),
    ("gleaner-models", &["gleaner-types", "gleaner-extract", "gleaner-fetch"]),
    ("gleaner-store", &["gleaner-types", "gleaner-frontier"]),
    ("gleaner-sqlite", &["gleaner-types", "gleaner-frontier", "gleaner-store"]),
    ("gleaner-postgres", &["gleaner-types", "gleaner-frontier", "gleaner-store"]),
    ("gleaner-runtime", &["gleaner-types", "gleaner-frontier", "gleaner-store"]),
    ("gleaner-browser", &["gleaner-types", "gleaner-fetch"]),
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
            "gleaner-browser",
            "gleaner-extract-jobs",
            "gleaner-pdf-worker",
            "gleaner-service",
            "gleaner-sqlite",
            "gleaner-postgres",
        ],
    ),
    ("gleaner-http", &["gleaner"]),
    ("gleaner-cli", &["gleaner", "gleaner-http"]),
];

/// Unpublished crates, which may use any crate.
const UNPUBLISHED: &[&str] = &["gleaner-testkit", "gleaner-benches", "gleaner-tests"];

/// Crates without I/O and without an async runtime, and crates that they must not depend on, even indirectly.
const PURE: &[&str] =
    &["gleaner-types", "gleaner-frontier", "gleaner-pdf", "gleaner-transform", "gleaner-extract"];
const IMPURE: &[&str] = &["tokio", "reqwest", "hyper", "mio", "socket2"];

/// What only the contract needs: JSON, its schemas, ids and timestamps.
const OF_THE_CONTRACT: &[&str] = &["schemars", "serde", "serde_core", "serde_json", "strsim", "time", "uuid"];

fn metadata() -> Metadata {
    let mut command = MetadataCommand::new();
    command.manifest_path(MANIFEST).no_deps().exec().expect("cargo can describe the workspace")
}

/// The names of all direct and indirect dependencies of a crate of the workspace.
fn dependencies(package: &str) -> BTreeSet<String> {
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

fn direct_dependencies(package: &Package) -> BTreeSet<&str> {
    let normal = package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
    normal.map(|dependency| dependency.name.as_str()).collect()
}

#[test]
fn crates_use_only_their_allowed_dependencies() {
    let metadata = metadata();
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        if UNPUBLISHED.contains(&name) {
            assert_eq!(package.publish.as_deref(), Some(&[][..]), "{name} must not be published");
            continue;
        }
        let allowed = arrows
            .get(name)
            .unwrap_or_else(|| panic!("{name} has no arrows: add it to ARCHITECTURE.md and here"));
        for used in direct_dependencies(package).into_iter().filter(|used| used.starts_with("gleaner")) {
            assert!(allowed.contains(&used), "{name} may not use {used}");
        }
    }
}

#[test]
fn pure_crates_depend_on_neither_a_runtime_nor_the_network() {
    for pure in PURE {
        let found = dependencies(pure);
        assert!(found.contains(*pure), "{pure} depends on {found:?}");
        for impure in IMPURE {
            assert!(!found.contains(*impure), "{pure} depends on {impure}");
        }
    }
}

#[test]
fn the_rules_of_crawls_come_without_the_contract() {
    let found = dependencies("gleaner-frontier");
    assert!(found.contains("gleaner-types"), "{found:?}");
    for unneeded in OF_THE_CONTRACT {
        assert!(!found.contains(*unneeded), "gleaner-frontier alone depends on {unneeded}");
    }
}

#[test]
fn rustls_with_ring_is_the_only_tls_stack() {
    let found = dependencies("gleaner-cli");
    assert!(found.contains("rustls"), "{found:?}");
    for banned in ["openssl-sys", "native-tls", "aws-lc-sys"] {
        assert!(!found.contains(banned), "{banned} must not be in the tree: TLS is rustls with ring");
    }
}
