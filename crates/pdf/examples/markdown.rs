//! Converts PDFs to Markdown.
//!
//! `markdown FILE` writes the Markdown of one file to the standard output. `markdown FOLDER FILE...` writes
//! the Markdown of each file into a folder, and a line with its pages and time to the standard output.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program writes its results")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use gleaner_pdf::{Options, convert};

fn main() -> ExitCode {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match run(&paths) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(paths: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    match paths {
        [file] => {
            let converted = convert(&fs::read(file)?, &Options::default())?;
            println!("{}", converted.markdown);
            let (done, all) = (converted.pages_converted, converted.pages);
            eprintln!("{done} of {all} pages; without text: {:?}", converted.pages_without_text);
        }
        [folder, files @ ..] if !files.is_empty() => {
            fs::create_dir_all(folder)?;
            for file in files {
                println!("{}", line(folder, file)?);
            }
        }
        _ => eprintln!("usage: markdown FILE, or markdown FOLDER FILE..."),
    }
    Ok(())
}

fn line(folder: &Path, file: &Path) -> Result<String, Box<dyn Error>> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = fs::read(file)?;
    let started = Instant::now();
    let outcome = match convert(&bytes, &Options::default()) {
        Ok(converted) => {
            fs::write(folder.join(format!("{name}.md")), &converted.markdown)?;
            let without = converted.pages_without_text.len();
            format!("{}/{}\t{without}", converted.pages_converted, converted.pages)
        }
        Err(error) => format!("{error}\t0"),
    };
    Ok(format!("{name}\t{outcome}\t{}", started.elapsed().as_millis()))
}
