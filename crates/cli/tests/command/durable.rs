//! Jobs in a file: they survive the end of the program, and other commands read the file meanwhile.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may panic")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::ChildStdout;
#[cfg(unix)]
use std::process::{Child, Command};
use std::time::Duration;

use gleaner::{BatchScrapeRequest, Engine};
use gleaner_testkit::{KilledOnDrop, Server, Site, SiteSpec};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::support::{
    LOOPBACK, gleaner, lines_of_json, refuses, rows, run, run_on_loopback, stderr, succeed, text,
};

fn site(pages: u32, latency: Duration) -> Server {
    Site::generate(SiteSpec { latency, ..SiteSpec::pages(pages) }).serve().unwrap()
}

fn place() -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("jobs.db");
    (place, file)
}

fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Starts a command, and reads this many lines of its output.
fn start(words: &[&str], lines: usize) -> (KilledOnDrop, BufReader<ChildStdout>, Vec<String>) {
    let mut child = KilledOnDrop(gleaner(&[words, &LOOPBACK].concat()).spawn().unwrap());
    let mut output = BufReader::new(child.0.stdout.take().unwrap());
    let mut read = Vec::new();
    while read.len() < lines {
        let mut line = String::new();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the program ended after {} lines", read.len());
        read.push(line.trim_end().to_owned());
    }
    (child, output, read)
}

/// Starts a command whose job takes longer than this, and kills it after this many lines.
fn kill(words: &[&str], lines: usize, file: &Path) {
    let (mut child, ..) = start(words, lines);
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    assert_eq!(job(file)["state"], "scraping", "the job had ended before it was killed");
}

#[cfg(unix)]
fn send(signal: &str, child: &Child) {
    let kill = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

/// The URLs of documents.
fn urls(documents: &[Value]) -> Vec<String> {
    documents.iter().map(|page| page["metadata"]["url"].as_str().unwrap().to_owned()).collect()
}

/// Asserts that these are exactly the pages of a site, each once.
fn assert_pages(server: &Server, pages: u32, mut urls: Vec<String>) {
    let mut expected: Vec<String> =
        (1..pages).map(|page| server.url(&format!("/p/{page}"))).chain([server.url("/")]).collect();
    urls.sort();
    expected.sort();
    assert_eq!(urls, expected);
}

/// The only job of a file.
fn job(file: &Path) -> Value {
    let mut jobs = lines_of_json(succeed(&run(&["jobs", word(file), "--json"])).as_bytes());
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    jobs.remove(0)
}

#[test]
fn a_killed_crawl_goes_on_until_it_has_exactly_its_pages() {
    const PAGES: u32 = 300;
    const KILLS: [usize; 4] = [1, 40, 90, 150];
    const IN_FLIGHT: usize = 8;
    let server = site(PAGES, Duration::from_millis(40));
    let (_place, file) = place();
    let url = server.url("/");
    let in_flight = IN_FLIGHT.to_string();
    let words = ["crawl", &url, "--job", word(&file), "--concurrency", &in_flight];
    for lines in KILLS {
        kill(&words, lines, &file);
    }
    let output = run_on_loopback(&words);
    let documents = lines_of_json(succeed(&output).as_bytes());
    assert_pages(&server, PAGES, urls(&documents));
    for part in ["resuming: ", " pages done, ", " waiting\n", "300 pages in ", " of them of earlier runs"] {
        assert!(stderr(&output).contains(part), "{part} is missing: {}", stderr(&output));
    }
    let log = server.log();
    let pages = log.paths().filter(|path| *path == "/" || path.starts_with("/p/")).count();
    let repeated = pages - PAGES as usize;
    assert!(repeated <= KILLS.len() * IN_FLIGHT, "{repeated} requests were repeated");

    // The job has ended: its results are written again, without a request.
    let requests = server.requests();
    let again = run_on_loopback(&words);
    assert_eq!(lines_of_json(succeed(&again).as_bytes()), documents);
    for part in ["the job has ended", "300 pages in ", ", all of earlier runs"] {
        assert!(stderr(&again).contains(part), "{part} is missing: {}", stderr(&again));
    }
    assert!(!stderr(&again).contains("pages/s"), "{}", stderr(&again));
    let exported = succeed(&run(&["export", word(&file)]));
    assert_eq!(lines_of_json(exported.as_bytes()), documents);
    assert_eq!(server.requests(), requests);
    let job = job(&file);
    assert_eq!(
        (&job["state"], &job["documents"], &job["waiting"]),
        (&json!("completed"), &json!(300), &json!(0))
    );
    assert_eq!((&job["kind"], &job["url"]), (&json!("crawl"), &json!(url)));
    assert!(succeed(&run(&["check", word(&file)])).is_empty());
}

/// Seen after a `kill -9`: without `--allow-private`, all pages that waited failed, and the job had ended.
#[test]
fn a_job_does_not_go_on_without_the_private_addresses_of_its_start() {
    const PAGES: u32 = 40;
    let server = site(PAGES, Duration::from_millis(20));
    let (_place, file) = place();
    let url = server.url("/");
    let words = ["crawl", &url, "--job", word(&file), "--max-concurrency", "1"];
    kill(&words, 2, &file);
    let killed = job(&file);
    let parts = ["--allow-private: ", &url, "add --allow-private 127.0.0.0/8"];
    refuses(&["resume", word(&file)], &parts);
    refuses(&words, &parts);
    let refused = job(&file);
    assert_eq!((&refused["waiting"], &refused["failed"]), (&killed["waiting"], &json!(0)));

    let resumed = run_on_loopback(&["resume", word(&file)]);
    assert_pages(&server, PAGES, urls(&lines_of_json(succeed(&resumed).as_bytes())));
    // What has ended is written again, which needs no network.
    assert_eq!(lines_of_json(succeed(&run(&words)).as_bytes()).len(), PAGES as usize);
}

/// Its first page alone was looked at, and pages of a list at other private addresses failed for good.
#[test]
fn a_job_does_not_go_on_without_any_of_the_ranges_of_its_start() {
    const PAGES: u32 = 40;
    let server = site(PAGES, Duration::from_millis(20));
    let (_place, file) = place();
    let (url, other) = (server.url("/"), ["--allow-private", "10.0.0.0/8"]);
    let words = ["crawl", &url, "--job", word(&file), "--max-concurrency", "1"];
    kill(&[&words[..], &other].concat(), 2, &file);
    let parts = ["--allow-private: the job was started with 10.0.0.0/8", "add --allow-private 10.0.0.0/8"];
    refuses(&[&["resume", word(&file)][..], &LOOPBACK].concat(), &parts);
    refuses(&[&words[..], &LOOPBACK].concat(), &parts);
    let resumed = run_on_loopback(&[&["resume", word(&file)][..], &other].concat());
    assert_pages(&server, PAGES, urls(&lines_of_json(succeed(&resumed).as_bytes())));
}

#[cfg(unix)]
#[test]
fn a_signal_stops_the_command_and_not_the_job() {
    const PAGES: u32 = 120;
    let server = site(PAGES, Duration::from_millis(20));
    let (place, file) = place();
    let (url, out) = (server.url("/"), place.path().join("pages"));
    let slowly = ["--max-concurrency", "2"];
    let words = ["crawl", &url, "--job", word(&file), slowly[0], slowly[1], "--formats", "markdown,links"];
    for signal in ["TERM", "INT"] {
        let (mut child, mut output, _) = start(&words, 5);
        send(signal, &child.0);
        // A program whose output nobody reads ends without an error.
        output.read_to_string(&mut String::new()).unwrap();
        let mut errors = String::new();
        child.0.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!(child.0.wait().unwrap().code(), Some(130), "{signal}: {errors}");
        assert!(errors.contains("stopped: run the same command to go on ("), "{signal}: {errors}");
    }
    let stopped = job(&file);
    assert_eq!(stopped["state"], "scraping");
    assert!(stopped["documents"].as_u64() >= Some(5) && stopped["waiting"].as_u64() > Some(0), "{stopped}");
    let table = succeed(&run(&["jobs", word(&file)]));
    for part in ["DOCUMENTS", "unfinished", stopped["id"].as_str().unwrap(), &url] {
        assert!(table.contains(part), "{part} is missing: {table}");
    }

    let output = run_on_loopback(&["resume", word(&file), "--out", word(&out)]);
    assert_eq!(succeed(&output), "", "pages are in the folder, not on standard output");
    assert!(stderr(&output).contains("resuming: "), "{}", stderr(&output));
    let index = rows(&out, "index.jsonl");
    assert_pages(&server, PAGES, index.iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect());
    // It goes on with the options of the job.
    let page = index[0]["file"].as_str().unwrap().replace(".md", ".json");
    let document: Value = serde_json::from_slice(&fs::read(out.join(page)).unwrap()).unwrap();
    assert!(document["links"].is_array());
    let nothing = run_on_loopback(&["resume", word(&file)]);
    assert_eq!(succeed(&nothing), "");
    assert!(stderr(&nothing).contains("all jobs in"), "{}", stderr(&nothing));

    // The file is closed at the end, so it is complete without the files beside it.
    let copy = place.path().join("copy.db");
    fs::copy(&file, &copy).unwrap();
    assert_pages(&server, PAGES, urls(&lines_of_json(succeed(&run(&["export", word(&copy)])).as_bytes())));
}

#[cfg(unix)]
#[test]
fn a_running_job_can_be_read_and_has_one_writer() {
    const PAGES: u32 = 60;
    let server = site(PAGES, Duration::from_millis(40));
    let (place, file) = place();
    let url = server.url("/");
    let words = ["crawl", &url, "--job", word(&file), "--max-concurrency", "1"];
    let (mut child, output, first) = start(&words, 3);
    // It does not end while others read the file.
    send("STOP", &child.0);
    let holder = format!("(pid {}, gleaner ", child.0.id());
    for other in [&words[..], &["resume", word(&file)]] {
        let refused = run_on_loopback(other);
        assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
        let errors = stderr(&refused);
        for part in [holder.as_str(), "jobs.db: ", "hint: wait until it has ended"] {
            assert!(errors.contains(part), "{part} is missing: {errors}");
        }
    }
    let mut follower = KilledOnDrop(gleaner(&["export", word(&file), "--follow"]).spawn().unwrap());

    assert_eq!(job(&file)["state"], "scraping");
    let exported = run(&["export", word(&file)]);
    assert!(lines_of_json(succeed(&exported).as_bytes()).len() >= first.len());
    assert!(succeed(&run(&["check", word(&file)])).is_empty());
    let copy = place.path().join("copy.db");
    let backup = run(&["backup", word(&file), word(&copy)]);
    assert_eq!(succeed(&backup), "");
    assert!(stderr(&backup).contains("--with-secrets"), "{}", stderr(&backup));
    assert_eq!(job(&copy)["id"], job(&file)["id"]);
    assert!(!place.path().join("copy.db-secrets").exists());

    send("CONT", &child.0);
    let rest: Vec<String> = output.lines().map(Result::unwrap).collect();
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
    let printed = lines_of_json(first.into_iter().chain(rest).collect::<Vec<_>>().join("\n").as_bytes());
    assert_pages(&server, PAGES, urls(&printed));
    let mut followed = String::new();
    follower.0.stdout.take().unwrap().read_to_string(&mut followed).unwrap();
    assert_eq!(follower.0.wait().unwrap().code(), Some(0));
    assert_eq!(lines_of_json(followed.as_bytes()), printed);
}

/// Without this lock, SQLite of another process removes the log when it closes the file.
#[cfg(target_os = "linux")]
#[test]
fn a_running_job_keeps_the_lock_of_its_file() {
    use std::os::unix::fs::MetadataExt as _;
    // Not all sandboxes have it.
    if fs::read_to_string("/proc/locks").is_err() {
        return;
    }
    let server = site(300, Duration::from_millis(100));
    let (_place, file) = place();
    let url = server.url("/");
    let words = ["crawl", &url, "--job", word(&file), "--concurrency", "2"];
    for lines in [1, 20] {
        let (mut child, ..) = start(&words, lines);
        let (process, inode) = (child.0.id().to_string(), format!(":{}", file.metadata().unwrap().ino()));
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let is_held = locks.lines().any(|lock| {
            let words: Vec<&str> = lock.split_whitespace().collect();
            words.contains(&"POSIX")
                && words.contains(&&*process)
                && words.iter().any(|word| word.ends_with(&inode))
        });
        assert!(is_held, "process {process} has no lock of {inode}: {locks}");
        child.0.kill().unwrap();
        child.0.wait().unwrap();
    }
}

#[test]
fn documents_are_exported_as_markdown() {
    let server = site(12, Duration::ZERO);
    let (place, file) = place();
    let url = server.url("/");
    let crawled = place.path().join("crawled");
    succeed(&run_on_loopback(&["crawl", &url, "--job", word(&file), "--out", word(&crawled)]));

    let out = place.path().join("exported");
    let output = run(&["export", word(&file), "--format", "markdown", "--out", word(&out)]);
    assert_eq!(succeed(&output), "");
    assert_eq!(rows(&out, "index.jsonl"), rows(&crawled, "index.jsonl"));
    for row in rows(&out, "index.jsonl") {
        let name = row["file"].as_str().unwrap();
        assert_eq!(fs::read(out.join(name)).unwrap(), fs::read(crawled.join(name)).unwrap());
    }
    let shown = succeed(&run(&["export", word(&file), "--format", "markdown"]));
    assert_eq!(shown.matches(&format!("<!-- {}", server.base_url())).count(), 12);

    let lines = place.path().join("pages.jsonl");
    let id = job(&file)["id"].as_str().unwrap().to_owned();
    assert_eq!(succeed(&run(&["export", word(&file), &id, "--out", word(&lines)])), "");
    assert_eq!(rows(place.path(), "pages.jsonl").len(), 12);
}

#[test]
fn another_command_is_refused_with_the_first_difference() {
    let server = site(5, Duration::ZERO);
    let (place, file) = place();
    let (url, other, file) = (server.url("/"), server.url("/p/1"), word(&file));
    let list = place.path().join("list.txt");
    fs::write(&list, &url).unwrap();
    let words = ["crawl", &url, "--job", file, "--limit", "3", "--header", "X-Key: hush"];
    assert_eq!(succeed(&run_on_loopback(&words)).lines().count(), 3);
    let requests = server.requests();
    let crawl = ["crawl", &url, "--job", file];
    let rows: &[(&[&str], &[&str])] = &[
        (
            &["--limit", "4", "--header", "X-Key: hush"],
            &["--limit: ", "another value", "gleaner resume", "--allow-private"],
        ),
        (&["--limit", "3", "--header", "X-Key: other"], &["--header: ", "another value"]),
        (&["--header", "X-Key: hush"], &["--limit: ", "started with it", "give it again"]),
        (&["--limit", "3", "--header", "X-Key: hush", "--delay", "1"], &["--delay: ", "without it"]),
        (&["--limit", "3", "--header", "X-Key: hush", "--nofollow"], &["--nofollow: ", "without it"]),
    ];
    for (options, parts) in rows {
        refuses(&[&crawl[..], *options, &LOOPBACK].concat(), parts);
    }
    refuses(&["crawl", &other, "--job", file], &["<URL>: ", &url, "another file"]);
    refuses(&["batch", word(&list), "--job", file], &["--job: ", "gleaner crawl", "another file"]);
    assert_eq!(server.requests(), requests);
    let label = fs::read(file).unwrap();
    assert!(!label.windows(4).any(|part| part == b"hush"), "the file has the value of a header");

    // Options of the network and the output are not part of the job.
    let out = place.path().join("pages");
    succeed(&run_on_loopback(&[&words[..], &["--out", word(&out), "--concurrency", "2"]].concat()));
    assert_eq!(super::support::rows(&out, "index.jsonl").len(), 3);
}

#[test]
fn a_killed_batch_goes_on_with_its_list() {
    const PAGES: u32 = 60;
    let server = site(PAGES, Duration::from_millis(20));
    let (place, file) = place();
    let list = place.path().join("list.txt");
    let addresses: Vec<String> =
        (1..PAGES).map(|page| server.url(&format!("/p/{page}"))).chain([server.url("/")]).collect();
    fs::write(&list, addresses.join("\n")).unwrap();
    let words = ["batch", word(&list), "--job", word(&file), "--max-concurrency", "2"];
    for lines in [1, 15] {
        kill(&words, lines, &file);
    }
    let output = run_on_loopback(&words);
    assert_pages(&server, PAGES, urls(&lines_of_json(succeed(&output).as_bytes())));
    assert!(stderr(&output).contains("resuming: "), "{}", stderr(&output));
    fs::write(&list, server.url("/")).unwrap();
    refuses(&words, &["<FILE>: ", "another value"]);
}

#[test]
fn an_extract_that_has_ended_prints_its_data_again() {
    let site = SiteSpec { pages: 5, extras: "products".parse().unwrap(), ..SiteSpec::default() };
    let server = Site::generate(site).serve().unwrap();
    let (place, file) = place();
    let schema = place.path().join("schema.json");
    let row = json!({ "type": "object", "properties": { "sku": { "type": ["string", "null"] } } });
    fs::write(&schema, json!({ "type": "array", "items": row }).to_string()).unwrap();
    let below = server.url("/shop/*");
    let words = ["extract", &below, "--schema", word(&schema), "--job", word(&file)];
    let first = succeed(&run_on_loopback(&words));
    let data: Value = serde_json::from_str(&first).unwrap();
    assert!(data.as_array().is_some_and(|rows| rows.iter().any(|row| row["sku"].is_string())), "{data}");
    let requests = server.requests();
    let again = run_on_loopback(&words);
    assert_eq!(succeed(&again), first);
    assert!(stderr(&again).contains("the job has ended"), "{}", stderr(&again));
    assert_eq!(server.requests(), requests);
    let job = job(&file);
    assert_eq!((&job["kind"], &job["state"]), (&json!("extract"), &json!("completed")));
    refuses(&["export", word(&file)], &["[JOB]", "extract", "prints its data"]);
}

#[test]
fn unsuitable_files_and_options_are_explained() {
    let server = site(3, Duration::ZERO);
    let (place, file) = place();
    let url = server.url("/");
    succeed(&run_on_loopback(&["crawl", &url, "--job", word(&file)]));
    let path = |name: &str, content: &str| {
        let path = place.path().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let (folder, missing, file) = (word(place.path()), place.path().join("none.db"), word(&file));
    let (text, empty) = (path("list.txt", "https://example.com"), path("empty.db", ""));
    let unknown = "0197c2f4-8d5e-7b1a-9c3d-2f60a1b4c8e7";
    for command in ["jobs", "export", "check", "resume"] {
        refuses(&[command, word(&missing)], &["<FILE>: ", "none.db does not exist", "--job"]);
        refuses(&[command, word(&empty)], &["<FILE>: ", "empty.db is empty", "--job"]);
        refuses(&[command, word(&text)], &["<FILE>: ", "list.txt is not a file of jobs"]);
        refuses(&[command, folder], &["<FILE>: ", "is a folder"]);
    }
    let rows: &[(&[&str], &[&str])] = &[
        (&["jobs"], &["<FILE>: ", "--job", "--database"]),
        (&["resume"], &["<FILE>: ", "--job", "--database"]),
        (&["export"], &["<FILE>: ", "--job", "--database"]),
        (&["export", file, unknown], &["[JOB]: ", unknown, "gleaner jobs"]),
        (&["export", file, "latest"], &["latest", "the id of a job", "gleaner jobs"]),
        (&["export", file, "--format", "html"], &["html", "jsonl", "markdown"]),
        (&["export", file, "--out", file], &["--out: ", "has the jobs themselves", "another file"]),
        (&["crawl", &url, "--job", file, "--failures", file], &["--failures: ", "has the jobs themselves"]),
        (&["backup", file, file], &["<DEST>: ", "exists", "new file"]),
        (&["crawl", &url, "--job", word(&text)], &["--job: ", "is not a file of jobs", "new file"]),
        (&["crawl", &url, "--job", folder], &["--job: ", "is a folder"]),
        (&["crawl", &url, "--job", file, "--explain", &url], &["--explain", "--job"]),
        (&["crawl", &url, "--job", file, "--zero-data-retention"], &["--zero-data-retention: ", "--job"]),
        (&["extract", &url, "--prompt", "who", "--job", file, "--proofs"], &["--proofs", "--job"]),
    ];
    for (words, parts) in rows {
        refuses(words, parts);
    }
    assert!(!missing.exists(), "a reader has created the file");

    // An empty file is as good as none.
    succeed(&run_on_loopback(&["crawl", &url, "--job", word(&empty)]));
    assert_eq!(job(&empty)["documents"], 3);
}

#[test]
fn a_newer_file_is_refused_and_damage_is_found() {
    let server = site(40, Duration::ZERO);
    let (place, file) = place();
    let url = server.url("/");
    let words = ["crawl", &url, "--job", word(&file)];
    succeed(&run_on_loopback(&words));
    let intact = fs::read(&file).unwrap();

    let mut newer = intact.clone();
    // The version of a database.
    newer[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&file, newer).unwrap();
    for output in [run(&["jobs", word(&file)]), run(&["export", word(&file)]), run_on_loopback(&words)] {
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        for part in ["jobs.db: ", "version 99", "hint: use the version of gleaner that wrote the file"] {
            assert!(stderr(&output).contains(part), "{part} is missing: {}", stderr(&output));
        }
    }

    let damaged = place.path().join("damaged.db");
    let mut bytes = intact;
    let half = bytes.len() / 2;
    bytes[half..].fill(0xff);
    fs::write(&damaged, bytes).unwrap();
    let output = run(&["check", word(&damaged)]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(!output.stdout.is_empty() && stderr(&output).contains("is damaged"), "{}", stderr(&output));
    assert_eq!(run(&["export", word(&damaged)]).status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_jobs_of_another_program_is_named() {
    let (_place, file) = place();
    let engine = Engine::builder().store_at(&file).build().unwrap();
    for _ in 0..2 {
        // Private addresses are refused, so each job has one failed page.
        let id = engine.batch(BatchScrapeRequest::new(["http://10.0.0.1/"])).await.unwrap().detach();
        engine.job(id).await.unwrap().wait().await.unwrap();
    }
    let jobs = lines_of_json(succeed(&run(&["jobs", word(&file), "--json"])).as_bytes());
    let ids: Vec<&str> = jobs.iter().map(|job| job["id"].as_str().unwrap()).collect();
    for job in &jobs {
        assert_eq!((&job["kind"], &job["failed"]), (&json!("batch_scrape"), &json!(1)), "{job}");
    }
    refuses(&["export", word(&file)], &["[JOB]: ", "has 2 jobs", ids[0], ids[1], "gleaner jobs"]);
    let empty = run(&["export", word(&file), ids[1]]);
    assert_eq!(empty.status.code(), Some(1));
    assert!(stderr(&empty).contains("no output: the job has no documents"), "{}", stderr(&empty));
    let page = "https://example.com";
    refuses(&["crawl", page, "--job", word(&file)], &["--job: another program started", "another file"]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_files() {
    use std::collections::HashSet;
    use std::os::unix::fs::PermissionsExt as _;

    let server = site(30, Duration::from_millis(20));
    let (place, file) = place();
    let url = server.url("/");
    let (crawl, slowly) = (["crawl", &url, "--job", word(&file)], ["--max-concurrency", "1"]);
    let (child, ..) = start(&[&crawl[..], &slowly, &["--header", "X-Key: hush"]].concat(), 2);
    let mut names = HashSet::new();
    for entry in fs::read_dir(place.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{entry:?}");
        names.insert(entry.file_name().into_string().unwrap());
    }
    for name in ["jobs.db", "jobs.db-lock", "jobs.db-secrets"] {
        assert!(names.contains(name), "{name} is missing: {names:?}");
    }
    drop(child);
    succeed(&run_on_loopback(&["resume", word(&file), "--quiet"]));
    let left = fs::read_dir(place.path().join("jobs.db-secrets")).unwrap().count();
    assert_eq!(left, 0, "secrets go with the end of their job");
    let all = text(&run(&["export", word(&file)]).stdout);
    assert_eq!(all.lines().count(), 30);
}
