//! Suggestions for unknown options.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use super::faults::kebab;

/// Options with another name, such as the names of v1 fields.
const RENAMED: [(&str, &str); 9] = [
    ("--max-depth", "use --max-discovery-depth, which counts clicks"),
    ("--depth", "use --max-discovery-depth"),
    ("--ignore-sitemap", "use --sitemap skip"),
    ("--allow-backward-links", "use --crawl-entire-domain"),
    ("--headers", "use --header 'Name: value', once for each"),
    ("--format", "use --formats"),
    ("--output", "use --out DIR"),
    ("--country", "use --location-country"),
    ("--version", "use gleaner --version, without a command"),
];

/// What to use in place of an option that has another name here.
pub(super) fn renamed(flag: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(name, _)| *name == flag).map(|(_, advice)| *advice)
}

/// `error` with a suggestion if clap has none or a wrong one. `words` is the command line.
pub(super) fn improved(mut error: Error, command: &Command, words: &[OsString]) -> Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error };
    let flag = flag.split('=').next().unwrap_or_default().to_owned();
    if let Some(advice) = advice(&flag, command).or_else(|| not_a_boolean(&flag, words)) {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    }
    error
}

/// The suggestion for a word after a boolean option (`--mobile maybe`), which clap took for another argument.
fn not_a_boolean(word: &str, words: &[OsString]) -> Option<String> {
    let before = words.windows(2).find_map(|pair| match pair {
        [option, next] if next == word => option.to_str()?.strip_suffix("=true"),
        _ => None,
    });
    before.map(|option| format!("{option} takes true or false, not `{word}`; {option} alone means true"))
}

fn advice(flag: &str, command: &Command) -> Option<String> {
    if let Some(advice) = renamed(flag) {
        return Some(advice.to_owned());
    }
    let name = flag.strip_prefix("--")?;
    // Names of request fields are in camel case.
    let spelled = format!("--{}", kebab(name));
    if spelled != flag {
        let has = |command: &Command| {
            command.get_arguments().any(|argument| argument.get_long() == spelled.get(2..))
        };
        return renamed(&spelled)
            .map(str::to_owned)
            .or_else(|| command.get_subcommands().any(has).then(|| format!("use {spelled}")));
    }
    let commands: Vec<&str> = command
        .get_subcommands()
        .filter(|command| command.get_arguments().any(|argument| argument.get_long() == Some(name)))
        .map(Command::get_name)
        .collect();
    (!commands.is_empty()).then(|| format!("{flag} is an option of {}", commands.join(", ")))
}
