//! The command line: what can be asked, and the request of the contract that it becomes.
//!
//! Options carry the contract's names in kebab case. Their values are put into the JSON form of a request and checked
//! by `gleaner-types`, as a body from the network is, so that ranges, words and patterns have one place and one wording;
//! [`faults`] turns the fields that it names back into flags. Only what is no part of the contract (address ranges,
//! concurrency, folders) is checked here.

mod batch;
mod booleans;
mod convert;
mod crawl;
mod demo;
mod engine;
mod faults;
mod fields;
mod map;
mod output;
mod page;
mod scrape;
mod value;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use batch::BatchArgs;
pub(crate) use convert::ConvertArgs;
pub(crate) use crawl::CrawlArgs;
pub(crate) use demo::DemoArgs;
pub(crate) use engine::EngineArgs;
pub(crate) use faults::{in_flags, told};
pub(crate) use map::MapArgs;
pub(crate) use output::OutputArgs;
pub(crate) use page::TextFormat;
pub(crate) use scrape::ScrapeArgs;

const ABOUT: &str = "Turn web pages into clean Markdown, links and structured data.";

const EXAMPLES: &str = "\
Examples:
  gleaner demo                                        crawl a small bundled site, no network needed
  gleaner scrape https://example.com                  one page as Markdown
  gleaner crawl https://example.com --limit 50 --out pages
  gleaner map https://example.com                     list a site's addresses
  gleaner convert page.html --url https://example.com/page

Exit codes: 0 done, 1 nothing came out or the job failed, 2 wrong usage, 130 interrupted.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "gleaner", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    /// Print no progress and no summary; errors are still printed
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Log what happens to standard error; twice for more
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(DemoArgs),
    Scrape(Box<ScrapeArgs>),
    Crawl(Box<CrawlArgs>),
    Batch(Box<BatchArgs>),
    Map(Box<MapArgs>),
    Convert(Box<ConvertArgs>),
}

impl Command {
    /// The word on the command line.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Demo(_) => "demo",
            Self::Scrape(_) => "scrape",
            Self::Crawl(_) => "crawl",
            Self::Batch(_) => "batch",
            Self::Map(_) => "map",
            Self::Convert(_) => "convert",
        }
    }
}

impl Cli {
    /// Reads a command line, program name first.
    ///
    /// # Errors
    /// What clap has to say: wrong usage, or the help or version that was asked for.
    pub(crate) fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let words = booleans::spell_out(&command, words);
        let matches = command.try_get_matches_from_mut(words)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("gleaner {}", command.get_name())), "{}", command.get_name());
        }
    }
}
