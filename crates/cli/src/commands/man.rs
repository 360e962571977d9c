//! Manual pages of the command.

use std::fs;

use clap::CommandFactory as _;

use crate::args::{Cli, ManArgs};
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(console: &Console, args: &ManArgs) -> Result<u8, Failure> {
    let folder = &args.folder;
    let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|error| {
        let folder = folder.display();
        Failure::usage(format!("<DIR>: cannot write to {folder}: {error}; name a writable folder"))
    })?;
    console.note(format_args!("written to {} (gleaner.1, and one page for each command)", folder.display()));
    Ok(exit::DONE)
}
