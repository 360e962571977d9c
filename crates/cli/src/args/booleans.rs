//! `--mobile` means `--mobile true`.
//!
//! clap can make a value optional, but then takes the next word as the value: `--mobile https://example.com`
//! would fail. So `=true` is added to boolean options before clap reads them, unless a boolean word follows.

use std::collections::HashSet;
use std::ffi::OsString;

use clap::Command;

/// The value name that marks boolean options.
pub(super) const BOOLEAN: &str = "BOOL";

/// Words that are meant as a boolean. clap decides which of them are valid.
const BOOLEAN_WORDS: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "1", "0"];

/// `words` with `=true` appended to each boolean option of `command` that no boolean word follows.
pub(super) fn spell_out(command: &Command, words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let flags: HashSet<String> = command
        .get_subcommands()
        .flat_map(Command::get_arguments)
        .filter(|argument| {
            argument.get_value_names().is_some_and(|names| names.first().is_some_and(|name| name == BOOLEAN))
        })
        .filter_map(|argument| argument.get_long().map(|name| format!("--{name}")))
        .collect();
    let mut words = words.into_iter().peekable();
    let mut spelled = Vec::new();
    let mut only_values = false;
    while let Some(mut word) = words.next() {
        only_values |= word == "--";
        let is_flag = !only_values && word.to_str().is_some_and(|word| flags.contains(word));
        let value_follows = words
            .peek()
            .and_then(|next| next.to_str())
            .is_some_and(|next| BOOLEAN_WORDS.contains(&next.to_ascii_lowercase().as_str()));
        if is_flag && !value_follows {
            word.push("=true");
        }
        spelled.push(word);
    }
    spelled
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn a_boolean_option_without_a_value_means_true() {
        let command = Command::new("gleaner")
            .subcommand(Command::new("scrape").arg(Arg::new("mobile").long("mobile").value_name(BOOLEAN)));
        for (name, words, want) in [
            ("last", "scrape --mobile", "scrape --mobile=true"),
            ("before an address", "scrape --mobile https://a", "scrape --mobile=true https://a"),
            ("before an option", "scrape --mobile --quiet", "scrape --mobile=true --quiet"),
            ("with a value", "scrape --mobile false", "scrape --mobile false"),
            ("with a wrong value", "scrape --mobile yes", "scrape --mobile yes"),
            ("with an equals sign", "scrape --mobile=false", "scrape --mobile=false"),
            ("after the end of options", "scrape -- --mobile", "scrape -- --mobile"),
        ] {
            let spelled = spell_out(&command, words.split(' ').map(OsString::from));
            assert_eq!(spelled, want.split(' ').map(OsString::from).collect::<Vec<_>>(), "{name}");
        }
    }
}
