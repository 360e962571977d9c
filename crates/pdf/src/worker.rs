use std::io::{self, BufWriter, Read, Write};

use crate::{Limits, convert, limits, wire};

/// What to set in the environment of a process that [serves](serve): one thread for each kind of work, so that its limits
/// mean the same on every machine.
pub const WORKER_ENVIRONMENT: [(&str, &str); 2] = [("MALLOC_ARENA_MAX", "1"), ("RAYON_NUM_THREADS", "1")];

/// Converts one file for another process, within limits that the operating system holds.
///
/// This is all that a program does which converts files for another one: it reads a [request](crate::request_head) and a
/// file from `input` and writes its [answer](crate::read_answer) to `output`. The process is held to
/// [`Limits::default`] before anything is read, and to those of the request before the file is: a process that takes more
/// memory or computing time is ended by the system, without an answer. For a process of its own, whose standard input
/// and output these are.
///
/// The limits are those of Linux, Android, FreeBSD, and macOS (there without that of memory). Other systems have none: there
/// the parent must end a process that takes too long.
///
/// # Errors
///
/// Where the limits cannot be had, what comes in is no request, or nobody takes the answer. A file that cannot be converted
/// is no error: the answer says so.
pub fn serve(mut input: impl Read, output: impl Write) -> io::Result<()> {
    limits::hold(&Limits::default())?;
    let head = wire::read_head(&mut input)?;
    limits::hold(&head.limits)?;
    let file = wire::read_file(&mut input, &head)?;
    wire::write_answer(BufWriter::new(output), &convert(&file, &head.options))
}
