//! The main function of a separate process that converts one PDF.

use std::io::{self, BufWriter, Read, Write};

use crate::{Limits, convert, limits, wire};

/// The environment of a process that [serves](serve): its threads share their memory, so that its limits mean
/// the same on every machine.
pub const WORKER_ENVIRONMENT: [(&str, &str); 1] = [("MALLOC_ARENA_MAX", "1")];

/// Converts one file for another process, within limits that the operating system enforces.
///
/// This is the whole work of a program that converts files for another one. It reads a
/// [request](crate::request_head) and a file from `input` and writes its [answer](crate::read_answer) to
/// `output`. It applies [`Limits::default`] to the process before it reads anything, and the limits of the
/// request before it reads the file. The system ends a process that exceeds them, without an answer. Call it
/// in a process of its own, with its standard input and output.
///
/// Linux, Android, FreeBSD and macOS enforce the limits; macOS not that of memory. On other systems the
/// parent must end a process that takes too long.
///
/// # Errors
///
/// The limits cannot be applied, the input is not a request, or the answer cannot be written. A file that
/// cannot be converted is not an error here: the answer says so.
pub fn serve(mut input: impl Read, output: impl Write) -> io::Result<()> {
    limits::apply(&Limits::default())?;
    let head = wire::read_head(&mut input)?;
    limits::apply(&head.limits)?;
    let file = wire::read_file(&mut input, &head)?;
    wire::write_answer(BufWriter::new(output), &convert(&file, &head.options))
}
