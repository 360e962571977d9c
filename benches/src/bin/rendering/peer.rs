//! Playwright, which drives the same Chromium from a program of Node.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use gleaner_browser::Browser;
use gleaner_testkit::browser::NOBODY;
use gleaner_testkit::{ProcessGroup, children_of};
use serde_json::{Value, json};
use url::Url;

use crate::Failure;
use crate::renderer::is_root;

const SCRIPT: &str = include_str!("../../../peers/playwright.mjs");

/// A running Playwright with its browser.
#[derive(Debug)]
pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The processes of its browser.
    pub(crate) group: ProcessGroup,
}

/// The outcome of a round of pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerRound {
    pub(crate) seconds: f64,
    /// Pages that had their whole text.
    pub(crate) complete: usize,
    /// CPU time of Node itself.
    pub(crate) cpu_seconds: f64,
}

impl Peer {
    /// Starts it, as an unprivileged user, with the sandbox of Chromium on.
    pub(crate) fn start(modules: &Path) -> Result<Self, Failure> {
        let mut command = Command::new("node");
        command.args(["--input-type=module", "-e", SCRIPT, "--"]).arg(modules).arg(Browser::find()?);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Its profile folders are below the folder for temporary files.
        command.env("HOME", std::env::temp_dir()).current_dir(std::env::temp_dir());
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let mut child = command.spawn().map_err(|error| format!("node does not start: {error}"))?;
        let (input, output) = child.stdin.take().zip(child.stdout.take()).ok_or("node has no pipes")?;
        let mut peer = Self { child, input, output: BufReader::new(output), group: ProcessGroup::new(0) };
        let ready = peer.read()?;
        if let Some(reason) = ready.get("skipped") {
            return Err(reason.to_string().into());
        }
        // Playwright starts its browser in a group of its own.
        let browser = children_of(peer.child.id()).first().copied().ok_or("node has started no browser")?;
        peer.group = ProcessGroup::new(browser);
        Ok(peer)
    }

    /// Renders pages, `lanes` at once, each in a context of its own.
    pub(crate) fn render(
        &mut self,
        urls: &[Url],
        lanes: usize,
        until: &str,
        text: &str,
    ) -> Result<PeerRound, Failure> {
        let command = json!({"do": "render", "urls": urls, "lanes": lanes, "until": until, "text": text});
        let answer = self.call(&command)?;
        let number = |name: &str| answer.get(name).and_then(Value::as_f64).unwrap_or_default();
        let complete = answer.get("complete").and_then(Value::as_u64).unwrap_or_default();
        Ok(PeerRound {
            seconds: number("seconds"),
            complete: usize::try_from(complete)?,
            cpu_seconds: number("cpu_seconds"),
        })
    }

    /// The seconds until a new browser has rendered its first page.
    pub(crate) fn cold(&mut self, url: &Url) -> Result<f64, Failure> {
        let answer = self.call(&json!({"do": "cold", "url": url}))?;
        answer.get("seconds").and_then(Value::as_f64).ok_or_else(|| "it gives no time".into())
    }

    /// Opens pages and keeps them open.
    pub(crate) fn hold(&mut self, urls: &[Url]) -> Result<(), Failure> {
        self.call(&json!({"do": "hold", "urls": urls})).map(drop)
    }

    /// Closes the pages that it keeps open.
    pub(crate) fn release(&mut self) -> Result<(), Failure> {
        self.call(&json!({"do": "release"})).map(drop)
    }

    fn call(&mut self, command: &Value) -> Result<Value, Failure> {
        writeln!(self.input, "{command}")?;
        let answer = self.read()?;
        answer.get("failed").map_or(Ok(()), |reason| Err(format!("Playwright: {reason}")))?;
        Ok(answer)
    }

    fn read(&mut self) -> Result<Value, Failure> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line).map_err(|_| "node ended or gave no answer")?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Its browser ends with it, because the pipe between them breaks.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
