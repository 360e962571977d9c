//! Kills a crawl of the command at random moments and resumes it each time. Checks that it ends with exactly
//! the pages of the site, and how many requests were repeated.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gleaner_benches::{Failure, run_program};

use gleaner_sqlite::Reader;
use gleaner_store::ReadBound;
use gleaner_testkit::{KilledOnDrop, Server, Site, SiteSpec, scattered};
use serde_json::Value;
use tempfile::TempDir;

const USAGE: &str = "Usage: resume PROGRAM [PAGES [KILLS]] [--dir FOLDER]

Serves a generated site of PAGES pages (default 20000) and crawls it with `PROGRAM crawl --job FILE`, which is
killed by SIGKILL KILLS times (default 10) at random moments, and resumed each time by the same command.
PROGRAM is the path of `gleaner`. The file lies in a temporary folder in FOLDER (default: that of the system).
Fails unless the file has each page once, and each kill repeats at most the requests of the pages in work.";

/// Pages in work at once.
const CONCURRENCY: usize = 16;

/// A crawl that is killed early is killed this long after its start at the latest, which may be while it
/// opens the file.
const EARLY: Duration = Duration::from_millis(300);

/// Of this many kills, one is early.
const KILLS_PER_EARLY_ONE: u64 = 3;

/// Pause between two looks at a process or a log.
const PAUSE: Duration = Duration::from_millis(1);

/// The requests of a killed process have arrived when none came for this time.
const QUIET: Duration = Duration::from_millis(100);

/// The one path that each process requests again.
const ROBOTS: &str = "/robots.txt";

fn main() -> ExitCode {
    run_program(USAGE, run)
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let (arguments, dir) = match arguments {
        [rest @ .., option, dir] if option == "--dir" => (rest, PathBuf::from(dir)),
        _ => (arguments, std::env::temp_dir()),
    };
    let (program, pages, kills) = match arguments {
        [program] => (program, 20_000, 10),
        [program, pages] => (program, pages.parse()?, 10),
        [program, pages, kills] => (program, pages.parse()?, kills.parse()?),
        _ => return Err("the arguments are not understood".into()),
    };
    let folder = TempDir::with_prefix_in("gleaner-resume-", dir)?;
    let file = folder.path().join("jobs.db");
    let site = Site::generate(SiteSpec::pages(pages));
    let server = site.serve()?;
    // Which moments these are differs from run to run.
    let seed = u64::from(SystemTime::now().duration_since(UNIX_EPOCH)?.subsec_nanos());
    println!("{pages} pages and {kills} kills, with the seed {seed}; the file is {}", file.display());
    let mut crawl = Crawl { program, file: &file, server: &server, runs: Vec::new() };
    let mut number = 0;
    while crawl.runs.len() < kills {
        number += 1;
        let moment = Moment::random(seed.wrapping_add(number), u64::from(pages), kills);
        if !crawl.run_until(moment)? {
            return Err(format!("the crawl ended after {} kills", crawl.runs.len()).into());
        }
    }
    crawl.to_end()?;

    let repeated = crawl.repeated()?;
    for (kill, repeated) in repeated.iter().enumerate() {
        println!("kill {:>2}: {repeated:>3} requests repeated", kill + 1);
    }
    let greatest = repeated.iter().max().copied().unwrap_or(0);
    println!("{} requests repeated in all, at most {greatest} by a kill", repeated.iter().sum::<usize>());
    if greatest > CONCURRENCY {
        return Err(format!("a kill repeated more requests than the {CONCURRENCY} pages in work").into());
    }
    let expected: BTreeSet<String> = site.truth().paths().map(|truth| server.url(&truth.path)).collect();
    let found = documents(&file)?;
    let distinct: BTreeSet<String> = found.iter().cloned().collect();
    if distinct != expected || found.len() != expected.len() {
        let (found, distinct, expected) = (found.len(), distinct.len(), expected.len());
        return Err(format!("{found} documents of {distinct} pages, not of {expected}").into());
    }
    println!("{} documents: each page once", found.len());
    Ok(())
}

/// When a process is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// This long after its start.
    After(Duration),
    /// When it has sent this many requests.
    Requests(u64),
}

impl Moment {
    /// A moment such that all kills come before the end of the crawl.
    fn random(seed: u64, pages: u64, kills: usize) -> Self {
        if scattered(seed, KILLS_PER_EARLY_ONE) == 0 {
            let milliseconds = scattered(seed.wrapping_mul(3), EARLY.as_millis() as u64);
            return Self::After(Duration::from_millis(milliseconds));
        }
        Self::Requests(1 + scattered(seed.wrapping_mul(5), pages / (kills as u64 + 1)))
    }
}

/// A crawl that is killed and resumed.
struct Crawl<'a> {
    program: &'a str,
    file: &'a Path,
    server: &'a Server,
    /// The number of requests at the end of each killed process.
    runs: Vec<usize>,
}

impl Crawl<'_> {
    /// The command, which is the same each time.
    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.args(["--quiet", "crawl", &self.server.url("/"), "--job"]).arg(self.file);
        command.args(["--sitemap", "skip", "--limit", "1000000", "--formats", "markdown,links"]);
        command.args(["--allow-private", "127.0.0.0/8", "--concurrency", &CONCURRENCY.to_string()]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// Crawls until this moment. Returns false if the crawl ends before.
    fn run_until(&mut self, moment: Moment) -> Result<bool, Failure> {
        let (before, began) = (self.server.requests(), Instant::now());
        let mut child = KilledOnDrop(self.command().spawn()?);
        let has_come = || match moment {
            Moment::After(time) => began.elapsed() >= time,
            Moment::Requests(number) => self.server.requests() - before >= number,
        };
        while !has_come() {
            if let Some(status) = child.0.try_wait()? {
                if status.success() {
                    return Ok(false);
                }
                return Err(format!("the crawl failed: {status}").into());
            }
            sleep(PAUSE);
        }
        // Kills it by SIGKILL.
        drop(child);
        self.wait_until_quiet();
        let requests = self.server.requests();
        println!("killed after {:.1?} and {} requests", began.elapsed(), requests - before);
        self.runs.push(usize::try_from(requests)?);
        Ok(true)
    }

    /// Waits for requests of a killed process that are on their way.
    fn wait_until_quiet(&self) {
        let mut last = (self.server.requests(), Instant::now());
        while last.1.elapsed() < QUIET {
            sleep(PAUSE);
            let requests = self.server.requests();
            if requests != last.0 {
                last = (requests, Instant::now());
            }
        }
    }

    fn to_end(&self) -> Result<(), Failure> {
        let began = Instant::now();
        let status = self.command().status()?;
        println!("ended after {:.1?}: {status}", began.elapsed());
        if status.success() { Ok(()) } else { Err("the crawl failed".into()) }
    }

    /// For each kill the pages that were requested again: in the run that it ended, and in a later one.
    fn repeated(&self) -> Result<Vec<usize>, Failure> {
        let log = self.server.log();
        let mut repeated = vec![0; self.runs.len()];
        let mut last: HashMap<&str, usize> = HashMap::new();
        for (number, path) in log.paths().enumerate().filter(|(_, path)| *path != ROBOTS) {
            let run = self.runs.partition_point(|end| *end <= number);
            let Some(earlier) = last.insert(path, run) else { continue };
            match repeated.get_mut(earlier).filter(|_| earlier < run) {
                Some(count) => *count += 1,
                None => return Err(format!("one process requested {path} twice").into()),
            }
        }
        Ok(repeated)
    }
}

/// The URLs of the documents in the file.
fn documents(file: &Path) -> Result<Vec<String>, Failure> {
    let reader = Reader::open(file)?;
    if let Some(finding) = reader.check()?.first() {
        return Err(format!("the file is damaged: {finding}").into());
    }
    let jobs = reader.jobs()?;
    let [job] = jobs.as_slice() else { return Err(format!("the file has {} jobs", jobs.len()).into()) };
    let bound = ReadBound { documents: usize::MAX, bytes: usize::MAX };
    let mut urls = Vec::new();
    for json in reader.documents(job.number, 0, bound)? {
        let document: Value = serde_json::from_slice(&json)?;
        let url = document.pointer("/metadata/sourceURL").and_then(Value::as_str);
        urls.push(url.ok_or("a document has no URL")?.to_owned());
    }
    Ok(urls)
}
