//! Runs `gleaner backup`: copies the file of a job.

use super::stored;
use crate::args::BackupArgs;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(console: &Console, args: &BackupArgs) -> Result<u8, Failure> {
    let reader = stored::open(&args.file, "<FILE>")?;
    let to = args.to.display();
    if args.to.exists() {
        return Err(Failure::usage(format!("<DEST>: {to} exists; name a new file")));
    }
    reader.backup(&args.to, args.with_secrets).map_err(|error| stored::failed(&args.file, &error))?;
    let secrets = if args.with_secrets {
        format!("with the secrets of its jobs in {to}-secrets")
    } else {
        "without the secrets of its jobs: unfinished ones cannot go on from it (--with-secrets)".to_owned()
    };
    console.note(format_args!("copied to {to}, {secrets}"));
    Ok(exit::DONE)
}
