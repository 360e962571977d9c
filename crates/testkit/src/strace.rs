//! The changes of files that a process made, in their order, from a log of `strace`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

/// A change of a file that succeeded, or a sync that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// `pwrite64`: data at an offset.
    Write {
        /// The file.
        path: PathBuf,
        /// Where, in bytes.
        offset: u64,
        /// What was written.
        data: Vec<u8>,
    },
    /// `write`: data at the position of the descriptor.
    Append {
        /// The file.
        path: PathBuf,
        /// What was written.
        data: Vec<u8>,
    },
    /// `fsync` or `fdatasync`: all changes before it are durable.
    Sync {
        /// The file.
        path: PathBuf,
    },
    /// `fsync` or `fdatasync` that failed: the system may take changes before it for durable that are not,
    /// and no later sync makes them so.
    FailedSync {
        /// The file.
        path: PathBuf,
    },
    /// `ftruncate`: the file has this length now.
    Truncate {
        /// The file.
        path: PathBuf,
        /// The length in bytes.
        length: u64,
    },
    /// `unlink`: the name is removed.
    Remove {
        /// The file.
        path: PathBuf,
    },
}

/// The options with which the log can be parsed, beside `-o LOG`.
pub const OPTIONS: &[&str] = &[
    "-f",
    "-y",
    "-qq",
    "-xx",
    "-s",
    "300000",
    "-e",
    "trace=pwrite64,write,fsync,fdatasync,ftruncate,unlink",
];

/// A command that runs a program under strace, or `None` after a line that says that tests are skipped.
///
/// # Panics
/// With `CI=true`, if strace is not installed.
#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "tests say that they are skipped; CI skips none"
)]
pub fn command() -> Option<Command> {
    static NOTE: Once = Once::new();
    if Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success()) {
        return Some(Command::new("strace"));
    }
    assert!(!std::env::var("CI").is_ok_and(|ci| ci == "true"), "strace is not installed");
    NOTE.call_once(|| println!("SKIPPED: strace is not installed"));
    None
}

/// The changes of a log, in the order in which the calls returned. Calls that failed are left out, except for
/// syncs.
///
/// # Errors
/// The first line that is a traced call and cannot be read.
pub fn changes(log: &str) -> Result<Vec<Change>, String> {
    let mut unfinished: HashMap<&str, &str> = HashMap::new();
    let mut changes = Vec::new();
    for line in log.lines() {
        let (process, call) = match line.split_once(' ') {
            Some((process, call)) if process.bytes().all(|byte| byte.is_ascii_digit()) => {
                (process, call.trim_start())
            }
            _ => ("", line),
        };
        if let Some(begun) = call.strip_suffix("<unfinished ...>") {
            unfinished.insert(process, begun.trim_end());
            continue;
        }
        let whole = match call.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            Some((_, rest)) => match unfinished.remove(process) {
                Some(begun) => format!("{begun}{rest}"),
                None => continue,
            },
            None => call.to_owned(),
        };
        changes.extend(change(&whole).ok_or_else(|| whole.chars().take(200).collect::<String>())?);
    }
    Ok(changes)
}

/// The change of one call; `Some(None)` if it is another call or no change, and `None` if it cannot be read.
fn change(call: &str) -> Option<Option<Change>> {
    let Some((name, rest)) = call.split_once('(') else { return Some(None) };
    let is_traced = ["pwrite64", "write", "fsync", "fdatasync", "ftruncate", "unlink"].contains(&name);
    // Signals and ends of processes have no result.
    if !is_traced {
        return Some(None);
    }
    let (arguments, result) = rest.rsplit_once(" = ")?;
    let arguments = arguments.trim_end().strip_suffix(')')?;
    let result = result.split_whitespace().next()?;
    let is_sync = matches!(name, "fsync" | "fdatasync");
    let result = match result.parse::<usize>() {
        Ok(result) => result,
        Err(_) if is_sync && result == "-1" => {
            return Some(Some(Change::FailedSync { path: named(arguments)?.0 }));
        }
        Err(_) => return Some(None),
    };
    if name == "unlink" {
        let (path, _) = quoted(arguments)?;
        return Some(Some(Change::Remove { path: path_of(&path)? }));
    }
    let (path, arguments) = named(arguments)?;
    Some(Some(match name {
        _ if is_sync => Change::Sync { path },
        "ftruncate" => Change::Truncate { path, length: arguments.parse().ok()? },
        _ => {
            let (mut data, rest) = quoted(arguments)?;
            data.truncate(result);
            match name {
                "write" => Change::Append { path, data },
                _ => {
                    let (_, offset) = rest.rsplit_once(", ")?;
                    Change::Write { path, offset: offset.parse().ok()?, data }
                }
            }
        }
    }))
}

/// The path of the descriptor that is the first argument, and the arguments after it.
fn named(arguments: &str) -> Option<(PathBuf, &str)> {
    let (_, named) = arguments.split_once('<')?;
    let (path, arguments) = named.split_once('>')?;
    Some((path_of(&unescaped(path)?)?, arguments.trim_start_matches([',', ' '])))
}

fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    Some(Path::new(std::str::from_utf8(bytes).ok()?).to_owned())
}

/// The bytes of a text in quotes, and what follows it.
fn quoted(text: &str) -> Option<(Vec<u8>, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inner.bytes().position(|byte| {
        let is_end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        is_end
    })?;
    Some((unescaped(inner.get(..end)?)?, inner.get(end + 1..)?))
}

/// The bytes of a text with the escapes of C.
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes().peekable();
    let mut out = Vec::with_capacity(text.len() / 4);
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next()? {
            b'x' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                (digit(bytes.next()?)? * 16 + digit(bytes.next()?)?) as u8
            }
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    let Some(next) = bytes.next_if(|byte| (b'0'..=b'7').contains(byte)) else { break };
                    value = value * 8 + u32::from(next - b'0');
                }
                value as u8
            }
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 0x0b,
            b'f' => 0x0c,
            other => other,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_with_their_data() {
        let log = concat!(
            "7 pwrite64(3<\\x2f\\x61>, \"\\x00\\xff\\x22\", 3, 4096) = 3\n",
            "7 write(1</b>, \"1\\n\\\"\\\\\\0012\", 6) = 6\n",
            "7 write(1</b>, \"short\", 5) = 2\n",
            "7 fdatasync(3</a>)                = 0\n",
            "7 fsync(3</a>) = -1 EIO (Input/output error) (INJECTED)\n",
            "7 ftruncate(3</a>, 32768)         = 0\n",
            "7 unlink(\"\\x2f\\x61\")          = 0\n",
            "7 unlink(\"/c\") = -1 ENOENT (No such file or directory)\n",
            "7 --- SIGCHLD {si_signo=SIGCHLD, si_pid=9} ---\n",
            "7 +++ exited with 0 +++\n",
        );
        let (a, b) = (PathBuf::from("/a"), PathBuf::from("/b"));
        assert_eq!(
            changes(log).unwrap(),
            [
                Change::Write { path: a.clone(), offset: 4096, data: vec![0, 255, b'"'] },
                Change::Append { path: b.clone(), data: b"1\n\"\\\x012".to_vec() },
                Change::Append { path: b, data: b"sh".to_vec() },
                Change::Sync { path: a.clone() },
                Change::FailedSync { path: a.clone() },
                Change::Truncate { path: a.clone(), length: 32_768 },
                Change::Remove { path: a },
            ]
        );
    }

    #[test]
    fn interrupted_lines_count_when_the_call_returns() {
        let log = concat!(
            "7 fdatasync(3</a> <unfinished ...>\n",
            "8 write(1</b>, \"x\", 1) = 1\n",
            "7 <... fdatasync resumed>)          = 0\n",
            "9 fdatasync(3</a> <unfinished ...>\n",
        );
        let expected =
            [Change::Append { path: "/b".into(), data: b"x".to_vec() }, Change::Sync { path: "/a".into() }];
        assert_eq!(changes(log).unwrap(), expected);
        assert!(changes("7 pwrite64(3</a>, no data) = 3").is_err());
    }
}
