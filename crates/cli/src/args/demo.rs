//! Arguments of `gleaner demo`.

use std::path::PathBuf;

use clap::Args;

use super::BrowserArgs;

const EXAMPLES: &str = "\
Examples:
  gleaner demo
  gleaner demo --out tea";

/// Crawl a small bundled site on this machine and write its pages as Markdown
///
/// Serves the fictional Larkfield Tea House on a loopback port, crawls it with the engine's default settings
/// and reports the result. It needs no network. One page is written by a script, which needs a browser.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DemoArgs {
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "gleaner-demo")]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}
