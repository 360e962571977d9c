//! What a command line gives, before clap reads it: an option in a file may give what is still missing, so
//! clap's own errors would come too early.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Command};

/// The option that names the file of options.
pub(super) const CONFIG: &str = "config";

/// The words of a command line, sorted.
#[derive(Debug, Default)]
pub(super) struct Given<'a> {
    /// The command, and the place of its name in the words.
    pub(super) command: Option<(usize, &'a Command)>,
    /// The long names of the options.
    options: HashSet<String>,
    /// Whether there is a word that belongs to no option.
    has_arguments: bool,
    /// The file of `--config`.
    pub(super) config: Option<PathBuf>,
}

impl<'a> Given<'a> {
    /// Reads `words`, whose first one is the program's name.
    pub(super) fn read(root: &'a Command, words: &[OsString]) -> Self {
        let mut given = Self::default();
        let (mut words, mut only_values) = (words.iter().enumerate().skip(1), false);
        while let Some((place, word)) = words.next() {
            let text = word.to_string_lossy();
            if only_values || !text.starts_with('-') || text == "-" {
                if given.command.is_some() {
                    given.has_arguments = true;
                    continue;
                }
                let Some(command) = root.find_subcommand(word) else { break };
                given.command = Some((place, command));
            } else if text == "--" {
                only_values = true;
            } else if let Some(long) = text.strip_prefix("--") {
                let (name, mut value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(OsString::from(value))),
                    None => (long, None),
                };
                let option = given.option(root, |option| option.get_long() == Some(name));
                if value.is_none() && option.is_some_and(|option| option.get_action().takes_values()) {
                    value = words.next().map(|(_, value)| value.clone());
                }
                if name == CONFIG {
                    given.config = value.map(PathBuf::from);
                }
                given.options.insert(name.to_owned());
            } else {
                for letter in text.chars().skip(1) {
                    let option = given.option(root, |option| option.get_short() == Some(letter));
                    let name = option.and_then(Arg::get_long).map(str::to_owned);
                    given.options.extend(name);
                }
            }
        }
        given
    }

    /// Whether the command line gives this option or argument.
    pub(super) fn has(&self, argument: &Arg) -> bool {
        match argument.get_long() {
            Some(name) => self.options.contains(name),
            None => self.has_arguments,
        }
    }

    /// An option of the command, or of all commands.
    fn option(&self, root: &'a Command, is_wanted: impl Fn(&&'a Arg) -> bool) -> Option<&'a Arg> {
        let own = self.command.into_iter().flat_map(|(_, command)| command.get_arguments());
        root.get_arguments().chain(own).find(is_wanted)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn options_arguments_and_the_command_are_told_apart() {
        let root = Cli::command();
        for (words, command, options, has_arguments, config) in [
            ("scrape https://a.example", Some("scrape"), &[][..], true, None),
            ("--config crawl scrape --limit", Some("scrape"), &["config", "limit"], false, Some("crawl")),
            (
                "-qv jobs --config=a.toml -",
                Some("jobs"),
                &["quiet", "verbose", "config"],
                true,
                Some("a.toml"),
            ),
            ("jobs --database --json", Some("jobs"), &["database"], false, None),
            ("jobs -- --json", Some("jobs"), &[], true, None),
            ("crwl --json", None, &[], false, None),
            ("--config", None, &["config"], false, None),
        ] {
            let words: Vec<_> =
                std::iter::once("gleaner").chain(words.split(' ')).map(OsString::from).collect();
            let given = Given::read(&root, &words);
            assert_eq!(given.command.map(|(_, command)| command.get_name()), command, "{words:?}");
            assert_eq!(given.options, options.iter().map(|name| (*name).to_owned()).collect(), "{words:?}");
            assert_eq!(given.has_arguments, has_arguments, "{words:?}");
            assert_eq!(given.config, config.map(PathBuf::from), "{words:?}");
        }
    }
}
