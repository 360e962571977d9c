//! Files that a process of their own converts, as for another program.

use std::fs;
use std::hint::spin_loop;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{self, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gleaner_pdf::{
    Converted, Error, Limits, Options, WORKER_ENVIRONMENT, convert, ended_by_time, read_answer, request_head,
    serve,
};
use gleaner_testkit::pdf::{lines, pages};

use super::crowded;

/// The file for the child's answer. A test writes other text to its standard output.
const ANSWER: &str = "GLEANER_TEST_ANSWER";

/// Set if the child's input never ends.
const ENDLESS: &str = "GLEANER_TEST_ENDLESS";

/// Runs a process with this input. Returns its exit status, and its answer if it gave one.
fn run(input: &[&[u8]], endless: bool) -> (ExitStatus, Option<Result<Converted, Error>>) {
    // Other test programs have threads of the same number, also at the same time.
    let name = format!("answer-{}-{:?}", process::id(), thread::current().id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // From an earlier process with this number.
    let _ = fs::remove_file(&path);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "worker::child", "--nocapture"]).envs(WORKER_ENVIRONMENT);
    command.env(ANSWER, &path).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    if endless {
        command.env(ENDLESS, "1");
    }
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for bytes in input {
        // A child that ends early closes the pipe. Only its exit status is checked.
        let _ = stdin.write_all(bytes);
    }
    drop(stdin);
    let status = child.wait().unwrap();
    let answer = read_answer(&fs::read(&path).unwrap_or_default());
    let _ = fs::remove_file(&path);
    (status, answer)
}

fn convert_in_child(file: &[u8], limits: Limits) -> (ExitStatus, Option<Result<Converted, Error>>) {
    run(&[&request_head(&Options::default(), limits, file.len()), file], false)
}

/// The outcome of a process with a gigabyte and twenty seconds, as text; `None` if it was ended.
pub(crate) fn outcome(name: &str, file: &[u8]) -> Option<String> {
    let (_, answer) = convert_in_child(file, Limits { seconds: 20, ..Limits::default() });
    let outcome = answer.map(|answer| match answer {
        Ok(converted) => format!("{}/{} pages", converted.pages_converted, converted.pages),
        Err(error) if error.is_limit() => format!("too much: {error}"),
        Err(error) => format!("refused: {error}"),
    });
    println!("{name}: {} bytes: {}", file.len(), outcome.as_deref().unwrap_or("the process was ended"));
    outcome
}

/// An input without an end that keeps its reader busy.
struct Endless;

impl Read for Endless {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        let started = Instant::now();
        // Bounded, so that a failing test ends too.
        while started.elapsed() < Duration::from_secs(120) {
            spin_loop();
        }
        Ok(0)
    }
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "the parent passes the file for the answer in the environment")]
fn child() {
    let Ok(path) = std::env::var(ANSWER) else { return };
    let answer = fs::File::create(path).unwrap();
    let input = io::stdin().lock();
    if std::env::var(ENDLESS).is_ok() {
        serve(input.chain(Endless), answer).unwrap();
    } else {
        serve(input, answer).unwrap();
    }
}

#[test]
fn a_process_gives_the_same_result_as_a_call() {
    let good = pages(&[lines(&["The kiln is loaded in the evening.", "Leave \"room\" between."])], &[], "");
    for file in [good, b"not a PDF".to_vec(), crowded().remove(0).1] {
        let (status, answer) = convert_in_child(&file, Limits::default());
        assert!(status.success());
        assert_eq!(answer, Some(convert(&file, &Options::default())));
    }
}

#[test]
fn a_process_with_an_invalid_request_fails() {
    for input in [&b""[..], b"\xff\xff\xff\xff", b"\x02\0\0\0{}"] {
        let (status, answer) = run(&[input], false);
        assert!(!status.success() && answer.is_none(), "{input:?}");
    }
}

/// The systems that enforce the limit of memory.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
#[test]
fn a_file_gets_no_more_memory_than_allowed() {
    let file = pages(&[lines(&["Some text."])], &[], "");
    let (_, answer) = convert_in_child(&file, Limits { memory: 24 * 1024 * 1024, ..Limits::default() });
    assert!(!matches!(answer, Some(Ok(_))), "too little memory for the program and a stack");
    let (status, answer) = convert_in_child(&file, Limits::default());
    assert!(status.success() && matches!(answer, Some(Ok(_))), "{status}");
}

/// The systems that enforce the limit of CPU time.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_os = "macos"))]
#[test]
fn a_process_ends_when_its_cpu_time_is_used_up() {
    let head = request_head(&Options::default(), Limits { seconds: 1, ..Limits::default() }, 100);
    let (status, answer) = run(&[&head, b"%PDF-1.7"], true);
    assert!(ended_by_time(status) && answer.is_none(), "{status}");
}
