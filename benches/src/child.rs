//! Programs beside the one that measures: the served site, and what is measured.

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};

/// Ticks a second of the times in `/proc/PID/stat`: `USER_HZ`, which is 100 on every Linux.
const TICKS: f64 = 100.0;

/// What a program is called with to be the served site.
pub const SERVE: &str = "--serve";

/// Serves a site of so many pages until standard input ends. Prints its address.
///
/// # Errors
/// The system gives no port.
#[expect(clippy::print_stdout, reason = "how the parent learns the address")]
pub fn serve(pages: u32) -> io::Result<()> {
    let options = ServeOptions { log: LogDetail::Off, ..ServeOptions::default() };
    let server = Site::generate(SiteSpec::pages(pages)).serve_with(options)?;
    println!("{}", server.url("/"));
    io::stdin().read_to_end(&mut Vec::new()).map(drop)
}

/// A site in a process of its own.
#[derive(Debug)]
pub struct Served {
    child: Child,
    /// Where it begins.
    pub url: String,
}

impl Served {
    /// Starts this same program as the served site.
    ///
    /// # Errors
    /// It does not start.
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

    /// Seconds of processor time that it has taken.
    #[must_use]
    pub fn cpu(&self) -> f64 {
        cpu_of(&self.child.id().to_string()).unwrap_or(0.0)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program of this package, which is beside this one.
///
/// # Errors
/// Where this program is cannot be told.
pub fn sibling(name: &str) -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// Seconds of processor time of the processes that this one has waited for.
#[must_use]
pub fn cpu_of_children() -> f64 {
    times("self").map_or(0.0, |times| times.get(2..4).unwrap_or_default().iter().sum())
}

fn cpu_of(process: &str) -> Option<f64> {
    Some(times(process)?.get(..2)?.iter().sum())
}

/// `utime`, `stime`, `cutime`, `cstime` of proc_pid_stat(5), in seconds.
fn times(process: &str) -> Option<Vec<f64>> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may hold anything, a bracket too; behind the last one come plain fields.
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    Some(fields.filter_map(|field| field.parse::<f64>().ok()).map(|ticks| ticks / TICKS).collect())
}

/// Makes glibc copy in vectors whatever the size. Its other way, `rep movsb`, is one instruction to the processor and to
/// its counters, but one for each byte to valgrind, which would make a copy of 20 KB dearer than reading it.
const VECTOR_COPIES: &str = "glibc.cpu.x86_rep_movsb_threshold=1000000000";

/// Runs a program under `valgrind --tool=cachegrind` and gives the user instructions that it took, and its standard
/// output.
///
/// # Errors
/// There is no valgrind, or it gives no count: the program failed.
pub fn instructions(program: &Command) -> io::Result<(f64, String)> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg(program.get_program()).args(program.get_args()).env("GLIBC_TUNABLES", VECTOR_COPIES);
    let output = command.output().map_err(|error| {
        io::Error::new(error.kind(), format!("valgrind: {error}; install it (`apt-get install valgrind`)"))
    })?;
    let told = String::from_utf8_lossy(&output.stderr);
    let line = told.lines().find(|line| line.contains("refs:")).filter(|_| output.status.success());
    let line = line.ok_or_else(|| io::Error::other(format!("no count of instructions: {}", told.trim())))?;
    let digits: String =
        line.split(':').next_back().unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    let count = digits.parse().map_err(io::Error::other)?;
    Ok((count, String::from_utf8_lossy(&output.stdout).into_owned()))
}
