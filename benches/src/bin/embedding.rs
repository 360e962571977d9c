//! What it costs to build a program that embeds gleaner: processor time, crates, and the size of the program.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use gleaner_benches::child::cpu_seconds_of_children;
use gleaner_benches::{Failure, run_program};
use tempfile::TempDir;

const USAGE: &str = "Usage: embedding [default | minimal | peer]...

Builds a small program that crawls a site to Markdown, from nothing, in a package of its own: with gleaner and
its default features, and without them. Beside it the peer, a program that reads one page with `reqwest` and
`dom_smoothie`. Without arguments all three; the peer is left out if its crates are not downloaded. The build
is `cargo build --release` with the settings that cargo has by itself; only `strip` is set, for the size. Other
crates have the versions of the lock file of this workspace. Nothing else should run meanwhile.";

/// The root of the workspace.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The name of the package.
const NAME: &str = "embedding";

/// Variables by which the caller would change the build.
const SETTINGS: [&str; 8] = [
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_INCREMENTAL",
    "CARGO_MAKEFLAGS",
    "MAKEFLAGS",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
];

/// The example of the README, in short.
const GLEANER: &str = r#"
use gleaner::{CrawlRequest, Engine};

#[tokio::main]
async fn main() -> Result<(), gleaner::Error> {
    let engine = Engine::builder().user_agent("my-crawler/1.0 (+https://example.com/bot)").build()?;
    let mut job = engine.crawl(CrawlRequest::new("https://example.com/docs/").limit(500)).await?;
    while let Some(page) = job.next().await {
        let page = page?;
        let (title, markdown) = (page.metadata.title.unwrap_or_default(), page.markdown.unwrap_or_default());
        println!("{title}: {} bytes of Markdown", markdown.len());
    }
    for failure in job.wait().await?.failures {
        eprintln!("{}: {}", failure.url, failure.error);
    }
    Ok(())
}
"#;

/// Less than the same work: one page, and no Markdown.
const PEER: &str = r#"
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = "https://example.com/docs/";
    let html = reqwest::get(url).await?.text().await?;
    let article = dom_smoothie::Readability::new(html, Some(url), None)?.parse()?;
    println!("{}: {} bytes of text", article.title, article.text_content.len());
    Ok(())
}
"#;

/// A program that is built.
struct Embedding {
    argument: &'static str,
    title: &'static str,
    dependencies: String,
    main: &'static str,
    /// Whether it is left out if its crates are not downloaded.
    is_peer: bool,
}

fn main() -> ExitCode {
    run_program(USAGE, run)
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let gleaner = Path::new(WORKSPACE).canonicalize()?.join("crates/gleaner");
    let embeddings = [
        Embedding {
            argument: "default",
            title: "gleaner",
            dependencies: format!("gleaner = {{ path = {gleaner:?} }}"),
            main: GLEANER,
            is_peer: false,
        },
        Embedding {
            argument: "minimal",
            title: "gleaner, no features",
            dependencies: format!("gleaner = {{ path = {gleaner:?}, default-features = false }}"),
            main: GLEANER,
            is_peer: false,
        },
        Embedding {
            argument: "peer",
            title: "reqwest, dom_smoothie",
            dependencies: "reqwest = \"0.13\"\ndom_smoothie = \"*\"".to_owned(),
            main: PEER,
            is_peer: true,
        },
    ];
    let is_known = |argument: &String| embeddings.iter().any(|embedding| embedding.argument == argument);
    if !arguments.iter().all(is_known) {
        return Err("the arguments are not understood".into());
    }
    println!("{:<22} {:>6} {:>6} {:>7} {:>12}", "", "crates", "CPU s", "clock s", "stripped MB");
    for embedding in &embeddings {
        if arguments.is_empty() || arguments.iter().any(|argument| argument == embedding.argument) {
            println!("{:<22} {}", embedding.title, embedding.measure()?);
        }
    }
    Ok(())
}

impl Embedding {
    /// Builds the program in an empty folder. Returns its row of the table.
    fn measure(&self) -> Result<String, Failure> {
        let folder = TempDir::with_prefix("gleaner-embedding-")?;
        self.write(folder.path())?;
        let list = ["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
        let mut tree = cargo(folder.path(), &list).arg("--offline").output()?;
        if !tree.status.success() && self.is_peer {
            return Ok("left out: its crates are not downloaded".to_owned());
        }
        if !tree.status.success() {
            // Downloads them, which the build must not pay for.
            tree = cargo(folder.path(), &list).output()?;
        }
        if !tree.status.success() {
            return Err(String::from_utf8_lossy(&tree.stderr).into());
        }
        let crates = count_crates(&String::from_utf8_lossy(&tree.stdout));

        let (cpu, began) = (cpu_seconds_of_children(), Instant::now());
        let build = ["build", "--release", "--offline", "--locked", "--quiet", "--target-dir", "target"];
        let status = cargo(folder.path(), &build).stdout(Stdio::null()).status()?;
        let (cpu, elapsed) = (cpu_seconds_of_children() - cpu, began.elapsed().as_secs_f64());
        if !status.success() {
            return Err(format!("the build failed: {status}").into());
        }
        let bytes = fs::metadata(program(folder.path()))?.len();
        let megabytes = bytes as f64 / 1e6;
        Ok(format!("{crates:>6} {cpu:>6.0} {elapsed:>7.0} {megabytes:>12.1}"))
    }

    /// Writes the package, which belongs to no workspace.
    fn write(&self, folder: &Path) -> Result<(), Failure> {
        let manifest = format!(
            "[package]\nname = \"{NAME}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{}\n\
             tokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }}\n\n\
             [profile.release]\nstrip = true\n\n[workspace]\n",
            self.dependencies
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::create_dir(folder.join("src"))?;
        fs::write(folder.join("src/main.rs"), self.main)?;
        fs::copy(Path::new(WORKSPACE).join("Cargo.lock"), folder.join("Cargo.lock"))?;
        Ok(())
    }
}

/// A command of cargo in this folder, without settings of the caller.
fn cargo(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    for name in SETTINGS {
        command.env_remove(name);
    }
    command
}

/// The built program.
fn program(folder: &Path) -> PathBuf {
    folder.join("target/release").join(format!("{NAME}{}", std::env::consts::EXE_SUFFIX))
}

/// The number of crates in the output of `cargo tree`, without the program itself. A crate may be listed
/// several times.
fn count_crates(tree: &str) -> usize {
    let crates = tree.lines().filter(|line| !line.is_empty() && !line.starts_with(NAME));
    crates.map(|line| line.trim_end_matches(" (*)")).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crate_counts_once() {
        let tree = "embedding v0.0.0 (/tmp/x)\na v1.0.0\nb v1.0.0 (proc-macro)\na v1.0.0 (*)\na v2.0.0\n\n";
        assert_eq!(count_crates(tree), 3);
    }
}
