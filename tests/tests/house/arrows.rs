//! The arrows of ARCHITECTURE.md: what a crate may use of its own house, and which of them are free of I/O.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Package};

/// Crate, and what it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("gleaner-types", &[]),
    ("gleaner-frontier", &["gleaner-types"]),
    ("gleaner-fetch", &["gleaner-types"]),
    ("gleaner-transform", &["gleaner-types"]),
    ("gleaner-store", &["gleaner-types", "gleaner-frontier"]),
    ("gleaner-jobs", &["gleaner-types", "gleaner-frontier", "gleaner-store"]),
    (
        "gleaner",
        &[
            "gleaner-types",
            "gleaner-frontier",
            "gleaner-fetch",
            "gleaner-transform",
            "gleaner-store",
            "gleaner-jobs",
        ],
    ),
    ("gleaner-cli", &["gleaner"]),
];

/// Not published: they may use any.
const UNPUBLISHED: &[&str] = &["gleaner-testkit", "gleaner-benches", "gleaner-tests"];

/// Crates without I/O and without a runtime, and what therefore must not come in by any way.
const PURE: &[&str] = &["gleaner-types", "gleaner-frontier", "gleaner-transform"];
const IMPURE: &[&str] = &["tokio", "reqwest", "hyper", "mio", "socket2"];

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .features(CargoOpt::AllFeatures)
        .other_options(["--locked".to_owned(), "--offline".to_owned()])
        .exec()
        .expect("cargo can describe the workspace")
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
        let may = arrows.get(name).unwrap_or_else(|| panic!("{name} has no arrows: add it to ARCHITECTURE.md and here"));
        for used in uses(package).into_iter().filter(|used| used.starts_with("gleaner")) {
            assert!(may.contains(&used), "{name} may not use {used}");
        }
    }
}

#[test]
fn pure_crates_reach_neither_a_runtime_nor_the_network() {
    let metadata = metadata();
    let resolve = metadata.resolve.as_ref().expect("the metadata are resolved");
    let name = |id| metadata[id].name.as_str();
    for pure in PURE {
        let start = metadata.workspace_packages().into_iter().find(|package| package.name.as_str() == *pure);
        let start = &start.unwrap_or_else(|| panic!("{pure} is in the workspace")).id;
        let (mut seen, mut queue) = (BTreeSet::from([start]), VecDeque::from([start]));
        while let Some(id) = queue.pop_front() {
            assert!(!IMPURE.contains(&name(id)), "{pure} reaches {}", name(id));
            let node = resolve.nodes.iter().find(|node| &node.id == id).expect("every package is resolved");
            let normal = node.deps.iter().filter(|dependency| {
                dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal && kind.target.is_none())
            });
            queue.extend(normal.map(|dependency| &dependency.pkg).filter(|id| seen.insert(id)));
        }
    }
}

#[test]
fn no_crate_brings_a_second_tls_stack() {
    let metadata = metadata();
    let banned = ["openssl-sys", "native-tls", "aws-lc-sys"];
    let found: Vec<&str> =
        metadata.packages.iter().map(|package| package.name.as_str()).filter(|name| banned.contains(name)).collect();
    assert!(found.is_empty(), "{found:?} must not be in the tree: TLS is rustls with ring");
}
