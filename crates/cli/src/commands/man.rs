//! `gleaner man`: the manual pages.

use std::path::Path;
use std::{fs, io};

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::args::{Cli, ManArgs};
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;

/// What the pages belong to, at their foot.
const SOURCE: &str = concat!("gleaner ", env!("CARGO_PKG_VERSION"));

pub(super) fn run(console: &Console, args: &ManArgs) -> Result<u8, Failure> {
    let folder = &args.folder;
    let written = fs::create_dir_all(folder).and_then(|()| write_all(folder));
    written.map_err(|error| {
        let folder = folder.display();
        Failure::usage(format!("<DIR>: cannot write to {folder}: {error}; name a writable folder"))
    })?;
    console.note(format_args!("written to {} (gleaner.1, and one page for each command)", folder.display()));
    Ok(exit::DONE)
}

fn write_all(folder: &Path) -> io::Result<()> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    write(&command, folder)?;
    let mut commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    commands.try_for_each(|command| write(command, folder))
}

/// Writes the page of a command. `Man::render` would fill the lines of examples and break their words.
fn write(command: &Command, folder: &Path) -> io::Result<()> {
    let man = Man::new(command.clone()).source(SOURCE);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    end_of_page(&help).to_writer(&mut page)?;
    fs::write(folder.join(man.get_filename()), page)
}

/// The end of a command's help: examples line by line, and what follows them as paragraphs.
fn end_of_page(help: &str) -> Roff {
    let (examples, notes) = help.split_once("\n\n").unwrap_or((help, ""));
    let mut roff = Roff::default();
    roff.control("SH", ["EXAMPLES"]);
    roff.control("nf", []);
    // The first line is the heading.
    for line in examples.lines().skip(1) {
        roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    roff.control("fi", []);
    if !notes.is_empty() {
        roff.control("SH", ["NOTES"]);
    }
    for line in notes.lines() {
        roff.control("PP", []);
        roff.text([roman(line)]);
    }
    roff
}
