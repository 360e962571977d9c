//! Child processes: the site under test, and the measured programs.

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};

/// Ticks per second of the times in `/proc/PID/stat`: `USER_HZ`, which is 100 on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// The argument with which a program serves the site.
pub const SERVE: &str = "--serve";

/// Serves a site until standard input ends. Prints its URL.
///
/// # Errors
/// If no port is available.
#[expect(clippy::print_stdout, reason = "the parent reads the URL from it")]
pub fn serve(pages: u32) -> io::Result<()> {
    let options = ServeOptions { log: LogDetail::Off, ..ServeOptions::default() };
    let server = Site::generate(SiteSpec::pages(pages)).serve_with(options)?;
    println!("{}", server.url("/"));
    io::stdin().read_to_end(&mut Vec::new()).map(drop)
}

/// A site in its own process.
#[derive(Debug)]
pub struct SiteProcess {
    child: Child,
    /// The URL of its start page.
    pub url: String,
}

impl SiteProcess {
    /// Starts this program again as the server of the site.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(pages: u32) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([SERVE, &pages.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut url = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut url)?;
        }
        Ok(Self { child, url: url.trim().to_owned() })
    }

    /// Its CPU time so far, in seconds.
    #[must_use]
    pub fn cpu_seconds(&self) -> f64 {
        cpu_seconds_of(&self.child.id().to_string()).unwrap_or(0.0)
    }
}

impl Drop for SiteProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The path of another program of this package, in the folder of this one.
///
/// # Errors
/// If the path of this program is unknown.
pub fn sibling(name: &str) -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// CPU time of the processes that this one has waited for, in seconds.
#[must_use]
pub fn cpu_seconds_of_children() -> f64 {
    cpu_times("self").map_or(0.0, |times| times.get(2..4).unwrap_or_default().iter().sum())
}

fn cpu_seconds_of(process: &str) -> Option<f64> {
    Some(cpu_times(process)?.get(..2)?.iter().sum())
}

/// `utime`, `stime`, `cutime`, `cstime` of proc_pid_stat(5), in seconds.
fn cpu_times(process: &str) -> Option<Vec<f64>> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may contain anything, also a bracket. Plain fields follow the last bracket.
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    Some(fields.filter_map(|field| field.parse::<f64>().ok()).map(|ticks| ticks / TICKS_PER_SECOND).collect())
}

/// Makes glibc copy with vector instructions at any size. Valgrind counts `rep movsb` as one instruction per
/// byte, while the processor counts one in all: a copy of 20 KB would appear to cost more than parsing it.
const VECTOR_COPIES: &str = "glibc.cpu.x86_rep_movsb_threshold=1000000000";

/// Runs a program under `valgrind --tool=cachegrind` and returns its user instructions and its standard
/// output.
///
/// # Errors
/// If valgrind is missing, or prints no count because the program failed.
pub fn instructions(program: &Command) -> io::Result<(f64, String)> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg(program.get_program()).args(program.get_args()).env("GLIBC_TUNABLES", VECTOR_COPIES);
    let output = command.output().map_err(|error| {
        io::Error::new(error.kind(), format!("valgrind: {error}; install it (`apt-get install valgrind`)"))
    })?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let line = stderr.lines().find(|line| line.contains("refs:")).filter(|_| output.status.success());
    let line =
        line.ok_or_else(|| io::Error::other(format!("no count of instructions: {}", stderr.trim())))?;
    let digits: String =
        line.split(':').next_back().unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    let count = digits.parse().map_err(io::Error::other)?;
    Ok((count, String::from_utf8_lossy(&output.stdout).into_owned()))
}
