//! Arguments of `gleaner doctor`.

use clap::Args;

use super::{BrowserArgs, DatabaseUrl};

const EXAMPLES: &str = "\
Examples:
  gleaner doctor
  gleaner doctor --database postgresql://gleaner:PASSWORD@db.example/gleaner
  gleaner doctor --json | jq -r '.checks[] | select(.state != \"ok\") | .remedy'

ok works; note is good to know; missing is not installed, and most pages do not need it; broken is there and \
does not work. It ends after at most 20 seconds.
Exit codes: 0 nothing is broken, 1 something is.
JSON: {\"ok\": true, \"checks\": [{\"check\": \"fonts\", \"state\": \"note\", \"text\": \"...\", \"remedy\": \"...\"}]}";

/// Check what is installed and works, and say what to do about the rest
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Also check this PostgreSQL database, such as postgresql://USER:PASSWORD@HOST/DATABASE
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<DatabaseUrl>,

    /// Resolve this name
    #[arg(long, value_name = "NAME", default_value = "example.com")]
    pub(crate) host: String,

    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}
