//! Replays `fuzz/corpus/<target>/*` through the fuzz bodies.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use gleaner_tests::fuzz::{Body, TARGETS};

/// Number of variations of each input.
const VARIATIONS: u64 = 300;

/// The workspace of the fuzz targets.
fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = fuzz().join("corpus").join(target);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Describes an input on which the body panics. The panic message is in the output of the test.
fn failure(body: Body, data: &[u8], name: &str) -> Option<String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| body(data)));
    outcome.is_err().then(|| format!("{name} fails; the input: {}", data.escape_ascii()))
}

#[test]
fn every_fuzz_body_has_a_target_and_every_corpus_folder_has_a_body() {
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for (target, _) in TARGETS {
        let path = fuzz().join("fuzz_targets").join(format!("{target}.rs"));
        let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(source.contains(&format!("fuzz::{target}(data)")), "{} runs another body", path.display());
        assert!(manifest.contains(&format!("name = \"{target}\"")), "fuzz/Cargo.toml lacks {target}");
    }
    for entry in fs::read_dir(fuzz().join("corpus")).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(
            TARGETS.iter().any(|(target, _)| *target == name),
            "fuzz/corpus/{} has no body",
            name.display()
        );
    }
}

#[test]
fn every_corpus_input_passes() {
    let mut failures = Vec::new();
    for (target, body) in TARGETS {
        let inputs = corpus(target);
        assert!(inputs.len() >= 8, "{target} has {} inputs", inputs.len());
        failures.extend(
            inputs.iter().filter_map(|(path, data)| failure(body, data, &path.display().to_string())),
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs thousands of deterministic mutations of the corpus, a small part of what the fuzzer does.
#[test]
fn variations_of_corpus_inputs_pass() {
    let mut failures = Vec::new();
    for (target, body) in TARGETS {
        let inputs = corpus(target);
        for (index, (path, data)) in inputs.iter().enumerate() {
            for round in 0..VARIATIONS {
                let (_, other) = &inputs[(index + round as usize) % inputs.len()];
                let mutated = mutate(data, other, round * 1_000 + index as u64);
                failures.extend(failure(body, &mutated, &format!("{} in variation {round}", path.display())));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Truncates, removes, inserts, repeats, splices or flips bits at positions chosen by `seed`.
fn mutate(data: &[u8], other: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed;
    // SplitMix64.
    let mut below = |bound: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    };
    let mut mutated = data.to_vec();
    for _ in 0..=below(3) {
        let at = below(mutated.len() + 1);
        let end = at + below(mutated.len() - at + 1);
        match below(6) {
            0 => mutated.truncate(at),
            1 => drop(mutated.drain(at..end)),
            2 => mutated.insert(at, below(256) as u8),
            3 => {
                let piece = mutated[at..end].repeat(1 + below(3));
                mutated.splice(at..at, piece);
            }
            4 => {
                let from = below(other.len() + 1);
                mutated.splice(at..end, other[from..].iter().copied());
            }
            _ => {
                if let Some(byte) = mutated.get_mut(at) {
                    *byte ^= 1 << below(8);
                }
            }
        }
        mutated.truncate(64 * 1024);
    }
    mutated
}
