//! The layers of the runtime: each module uses only modules below it.

use std::fs;
use std::path::Path;

const RUNTIME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/runtime/src");

/// The modules from the lowest to the highest. The documentation of the crate groups them.
const MODULES: &[&str] = &[
    "error",
    "clock",
    "executor",
    "cancellation",
    "term",
    "blocking",
    "log_suppression",
    "slices",
    "fair_semaphore",
    "memory",
    "session",
    "warning",
    "timings",
    "hooks",
    "sink",
    "hook_calls",
    "conformance",
    "credits",
    "exports",
    "limits",
    "route",
    "rendering",
    "rejections",
    "robots",
    "host_addresses",
    "host_limiter",
    "rendering_memory",
    "ports",
    "owner",
    "extract",
    "tracking",
    "check_options",
    "config",
    "explain",
    "sitemaps",
    "twins",
    "context",
    "resume",
    "browser_access",
    "shared",
    "session_notes",
    "holds",
    "hosts",
    "robots_reader",
    "attempts",
    "commit",
    "permission",
    "transforming",
    "sitemap_fetch",
    "sitemap_lease",
    "page_trace",
    "page_event",
    "page_request",
    "fetching",
    "second_pass",
    "complete_page",
    "read_page",
    "track_changes",
    "deliver",
    "page",
    "map",
    "renewal",
    "worker",
    "runtime",
    "job_control",
    "handle",
    "start",
];

fn layer(module: &str) -> Option<usize> {
    MODULES.iter().position(|other| *other == module)
}

/// The modules that a source names after `crate::`, without comments and tests. Names in braces are not
/// modules.
fn uses(source: &str) -> Vec<&str> {
    let own = source.split_once("#[cfg(test)]").map_or(source, |(own, _)| own);
    let code = own.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| line.split("crate::").skip(1));
    paths
        .map(|path| path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
        .collect()
}

#[test]
fn modules_of_the_runtime_use_only_modules_below_them() {
    let (mut files, mut seen, mut wrong) = (0, 0, Vec::new());
    for entry in fs::read_dir(RUNTIME).expect("the sources of the runtime can be read") {
        let path = entry.expect("the sources of the runtime can be listed").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() || name == "lib" {
            continue;
        }
        files += 1;
        let Some(own) = layer(&name) else {
            wrong.push(format!("{name} has no layer: add it here and to the documentation of the crate"));
            continue;
        };
        let source = fs::read_to_string(&path).expect("a source can be read");
        for used in uses(&source) {
            seen += 1;
            match layer(used) {
                Some(layer) if layer < own => {}
                Some(_) => wrong.push(format!("{name} uses {used}, which is above it")),
                None => wrong.push(format!("{name} uses `crate::{used}`: name the module that has it")),
            }
        }
    }
    assert!(files == MODULES.len() && seen > 100, "{files} modules with {seen} uses");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn folders_of_the_runtime_contain_only_tests() {
    for entry in fs::read_dir(RUNTIME).expect("the sources of the runtime can be read") {
        let folder = entry.expect("the sources of the runtime can be listed").path();
        if folder.is_dir() {
            for file in fs::read_dir(&folder).expect("a folder can be read") {
                let file = file.expect("a folder can be listed").path();
                assert_eq!(file.file_name(), Path::new("tests.rs").file_name(), "{}", file.display());
            }
        }
    }
}

#[test]
fn modules_used_by_a_source_are_found() {
    let source = "use crate::ports::{Fetch, Purpose};\nuse crate::page;\n// crate::not\n\
        let x = crate::map::list;\n#[cfg(test)]\nmod tests { use crate::worker; }";
    assert_eq!(uses(source), ["ports", "page", "map"]);
}
