//! Advice on options that a command does not have.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use super::faults::kebab;

/// What is called otherwise here, such as by the first version of the contract.
const OTHERWISE: [(&str, &str); 9] = [
    ("--max-depth", "it is --max-discovery-depth, counted in clicks"),
    ("--depth", "it is --max-discovery-depth"),
    ("--ignore-sitemap", "it is --sitemap skip"),
    ("--allow-backward-links", "it is --crawl-entire-domain"),
    ("--headers", "it is --header 'Name: value', once for each"),
    ("--format", "it is --formats"),
    ("--output", "it is --out DIR"),
    ("--country", "it is --location-country"),
    ("--version", "it is gleaner --version, before any command"),
];

/// `error` with better advice, where clap knows none or the wrong one. `words` are those that clap read.
pub(super) fn improved(mut error: Error, command: &Command, words: &[OsString]) -> Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error };
    let flag = flag.split('=').next().unwrap_or_default().to_owned();
    if let Some(advice) = advice(&flag, command).or_else(|| no_truth(&flag, words)) {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    }
    error
}

/// A word behind an option that is on or off (`--mobile maybe`), which was taken for another argument.
fn no_truth(word: &str, words: &[OsString]) -> Option<String> {
    let before = words.windows(2).find_map(|pair| match pair {
        [option, next] if next == word => option.to_str()?.strip_suffix("=true"),
        _ => None,
    });
    before.map(|option| format!("{option} takes true or false, not `{word}`; {option} alone means true"))
}

fn advice(flag: &str, command: &Command) -> Option<String> {
    let otherwise = |flag: &str| {
        let known = OTHERWISE.iter().find(|(name, _)| *name == flag);
        known.map(|(_, advice)| (*advice).to_owned())
    };
    if let Some(advice) = otherwise(flag) {
        return Some(advice);
    }
    let name = flag.strip_prefix("--")?;
    // As the contract writes its fields.
    let spelled = format!("--{}", kebab(name));
    if spelled != flag {
        let has = |command: &Command| {
            command.get_arguments().any(|argument| argument.get_long() == spelled.get(2..))
        };
        return otherwise(&spelled)
            .or_else(|| command.get_subcommands().any(has).then(|| format!("it is {spelled}")));
    }
    let having: Vec<&str> = command
        .get_subcommands()
        .filter(|command| command.get_arguments().any(|argument| argument.get_long() == Some(name)))
        .map(Command::get_name)
        .collect();
    (!having.is_empty()).then(|| format!("{flag} is an option of {}", having.join(", ")))
}
