//! The working folder and the one for temporary files: write access and free space.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::process;

use super::finding::Finding;
use super::system;

const CHECK: &str = "disk";

/// Less free space than this is a note.
const LITTLE: u64 = 1 << 30;

pub(super) fn late() -> Finding {
    Finding::broken(CHECK, "it does not answer", "check the disks of the working folder and of TMPDIR")
}

pub(super) async fn check() -> Vec<Finding> {
    tokio::task::spawn_blocking(folders).await.unwrap_or_default()
}

fn folders() -> Vec<Finding> {
    let temporary = env::temp_dir();
    let written = write_to(&temporary);
    // Long queues and the profile of the browser are there.
    let temporary = match written {
        Ok(()) => space("the folder for temporary files", &temporary),
        Err(error) => Finding::broken(
            CHECK,
            format!("cannot write to {}, the folder for temporary files: {error}", temporary.display()),
            "name a writable one in the variable TMPDIR",
        ),
    };
    let working = Path::new(".");
    let working = match write_to(working) {
        Ok(()) => space("the working folder", working),
        Err(error) => Finding::note(
            CHECK,
            format!("cannot write to the working folder: {error}"),
            "change to a writable one, or name one with --out and --job",
        ),
    };
    vec![working, temporary]
}

/// Writes a file and removes it.
fn write_to(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!(".gleaner-doctor-{}", process::id()));
    let mut file = File::create_new(&path)?;
    let written = file.write_all(b"gleaner doctor writes and removes this file\n");
    drop(file);
    fs::remove_file(&path)?;
    written
}

/// The finding for a folder that can be written.
fn space(what: &str, folder: &Path) -> Finding {
    let Some(free) = system::free_bytes(folder) else {
        return Finding::ok(CHECK, format!("{what} can be written"));
    };
    let text = format!("{what} can be written, {} are free", size(free));
    if free < LITTLE {
        return Finding::note(CHECK, text, "a crawl of many pages needs more; free some space");
    }
    Finding::ok(CHECK, text)
}

/// `12.3 GiB`, or `123 MiB` below one.
fn size(bytes: u64) -> String {
    if bytes < LITTLE {
        format!("{} MiB", bytes >> 20)
    } else {
        format!("{:.1} GiB", bytes as f64 / LITTLE as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, text) in [(0, "0 MiB"), (LITTLE - 1, "1023 MiB"), (LITTLE * 3 / 2, "1.5 GiB")] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn a_writable_folder_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        write_to(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(write_to(&folder.path().join("none")).is_err());
    }
}
