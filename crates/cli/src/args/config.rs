//! Options from a file of `--config`, in TOML.
//!
//! They become words of the command line, behind the name of the command, so that clap reads and checks them
//! like all others. Only options that the command line does not give become words: it wins. Errors name keys
//! and never print values, which may be secrets.

use std::ffi::OsString;
use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, Error};
use toml::{Table, Value};

use super::booleans::BOOLEAN;
use super::faults::kebab;
use super::given::{CONFIG, Given};
use super::suggest::renamed;
use super::value::text_file;

/// Names that are less similar than this are no suggestion. 1 is equality.
const MIN_SIMILARITY: f64 = 0.8;

/// Greatest number of times that `verbose` can be given.
const MAX_COUNT: i64 = 9;

/// The options that a file gave to a command line.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// The file, as the user named it.
    file: String,
    /// The names of the options.
    options: Vec<String>,
}

/// Adds the options of the file of `--config` to `words`, if there is one.
///
/// # Errors
/// The file cannot be read, is not TOML, or has an unknown key or a value of a wrong type.
pub(super) fn applied(root: &Command, mut words: Vec<OsString>) -> Result<(Vec<OsString>, Config), Error> {
    let given = Given::read(root, &words);
    let (Some(path), Some((place, command))) = (&given.config, given.command) else {
        return Ok((words, Config::default()));
    };
    let file = path.display().to_string();
    let table = read(path).map_err(|fault| refused(&[format!("--config {file}: {fault}")]))?;
    let faults = faults(root, &table);
    if !faults.is_empty() {
        let named: Vec<String> = faults.iter().map(|fault| format!("--config {file}: {fault}")).collect();
        return Err(refused(&named));
    }
    let (mut added, mut options) = (Vec::new(), Vec::new());
    for (option, value) in chosen(root, command, &given, &table) {
        let Some(name) = option.get_long() else { continue };
        added.extend(spelled(option, name, value).unwrap_or_default());
        options.push(name.to_owned());
    }
    let behind = (place + 1).min(words.len());
    drop(words.splice(behind..behind, added));
    Ok((words, Config { file, options }))
}

impl Config {
    /// `error` of a command line with these options: it says what is of the file, without values.
    pub(super) fn explained(&self, mut error: Error) -> Error {
        let named = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(argument)) => argument.clone(),
            _ => return error,
        };
        // The option is followed by its value name.
        let name = named.split([' ', '=']).next().unwrap_or_default().trim_start_matches('-');
        if !self.options.iter().any(|option| option == name) {
            return error;
        }
        if error.get(ContextKind::InvalidValue).is_some() {
            error.insert(ContextKind::InvalidValue, ContextValue::String("…".to_owned()));
        }
        let mut tips = match error.remove(ContextKind::Suggested) {
            Some(ContextValue::StyledStrs(tips)) => tips,
            _ => Vec::new(),
        };
        tips.push(StyledStr::from(format!("`{name}` is from {}", self.file)));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        error
    }
}

/// The error with these faults, one per line.
fn refused(faults: &[String]) -> Error {
    Error::raw(ErrorKind::ValueValidation, format!("{}\n", faults.join("\nerror: ")))
}

/// The content of a file.
fn read(path: &Path) -> Result<Table, String> {
    let text = text_file(path, "options in TOML, such as `limit = 50`")?;
    text.parse::<Table>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        format!("line {line} is not TOML: {}", error.message())
    })
}

/// The options of a command, and those of all commands.
fn options<'a>(root: &'a Command, command: &'a Command) -> impl Iterator<Item = &'a Arg> {
    let all = root.get_arguments().chain(command.get_arguments());
    all.filter(|option| option.get_long().is_some_and(|name| name != CONFIG))
}

fn option<'a>(root: &'a Command, command: &'a Command, name: &str) -> Option<&'a Arg> {
    options(root, command).find(|option| option.get_long() == Some(name))
}

/// The faults of a file. Tables of other commands are checked too.
fn faults(root: &Command, table: &Table) -> Vec<String> {
    let mut faults = Vec::new();
    for (key, value) in table {
        if let Value::Table(own) = value {
            let Some(command) = root.find_subcommand(key) else {
                faults.push(unknown_table(root, key));
                continue;
            };
            for (key, value) in own {
                let place = format!(" of [{}]", command.get_name());
                match option(root, command, key) {
                    Some(option) => faults.extend(mistyped(option, key, value, &place)),
                    None => faults.push(unknown_key(root, &[command], key, &place)),
                }
            }
        } else {
            let commands: Vec<&Command> = root.get_subcommands().collect();
            match commands.iter().find_map(|command| option(root, command, key)) {
                Some(option) => faults.extend(mistyped(option, key, value, "")),
                None => faults.push(unknown_key(root, &commands, key, "")),
            }
        }
    }
    faults
}

fn unknown_table(root: &Command, name: &str) -> String {
    match nearest(name, root.get_subcommands().map(Command::get_name)) {
        Some(command) => format!("there is no command for the table [{name}]; did you mean [{command}]?"),
        None => format!("there is no command for the table [{name}]; gleaner --help lists the commands"),
    }
}

/// The fault of a key that is no option of these commands. `place` says where it is, if in a table.
fn unknown_key(root: &Command, commands: &[&Command], key: &str, place: &str) -> String {
    let unknown = format!("`{key}`{place} is not an option");
    // Names of request fields are in camel case.
    let spelled = kebab(key).replace('_', "-");
    if let Some(advice) = renamed(&format!("--{spelled}")) {
        return format!("{unknown}; {advice}");
    }
    let is_argument = |command: &&Command| {
        command.get_positionals().any(|argument| argument.get_id().as_str().replace('_', "-") == spelled)
    };
    let has = |command: &&Command| option(root, command, &spelled).is_some();
    if commands.iter().any(has) {
        return format!("{unknown}; did you mean `{spelled}`?");
    }
    if commands.iter().any(is_argument) {
        return format!("{unknown}; it is an argument, which only the command line can give");
    }
    let others: Vec<&str> = root.get_subcommands().filter(has).map(Command::get_name).collect();
    if !others.is_empty() {
        return format!("{unknown}; it is one of {}", others.join(", "));
    }
    let names = commands.iter().flat_map(|command| options(root, command)).filter_map(Arg::get_long);
    match nearest(&spelled, names) {
        Some(option) => format!("{unknown}; did you mean `{option}`?"),
        None => format!("{unknown}; gleaner COMMAND --help lists the options"),
    }
}

/// The most similar of these names, if there is a similar one.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| known)
}

/// The fault of a value of a wrong type.
fn mistyped(option: &Arg, key: &str, value: &Value, place: &str) -> Option<String> {
    spelled(option, key, value).err().map(|expected| format!("`{key}`{place} must be {expected}"))
}

/// The options of the file that become words: those of the command's table, and of all commands.
fn chosen<'a>(
    root: &'a Command,
    command: &'a Command,
    given: &Given<'_>,
    table: &'a Table,
) -> Vec<(&'a Arg, &'a Value)> {
    let own = table.get(command.get_name()).and_then(Value::as_table);
    let values = own.into_iter().flatten().chain(table);
    let mut chosen: Vec<(&Arg, &Value)> = Vec::new();
    for (key, value) in values.filter(|(_, value)| !value.is_table()) {
        let Some(option) = option(root, command, key) else { continue };
        let owner = if option.is_global_set() { root } else { command };
        // What the command line gives wins, and so does the command's table.
        let is_replaced = |other: &Arg| {
            other.get_id() == option.get_id()
                || (other.is_global_set() == option.is_global_set() && conflict(owner, option, other))
        };
        let by_words = owner.get_arguments().any(|other| given.has(other) && is_replaced(other));
        if !by_words && !chosen.iter().any(|(other, _)| is_replaced(other)) {
            chosen.push((option, value));
        }
    }
    chosen
}

/// Whether two arguments of a command exclude each other.
fn conflict(command: &Command, one: &Arg, other: &Arg) -> bool {
    let excludes = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|excluded| excluded.get_id() == other.get_id())
    };
    excludes(one, other) || excludes(other, one)
}

/// The words for an option with this value. An error says which type would be right.
fn spelled(option: &Arg, name: &str, value: &Value) -> Result<Vec<OsString>, &'static str> {
    let flag = || OsString::from(format!("--{name}"));
    let with = |value: &str| OsString::from(format!("--{name}={value}"));
    let is_boolean =
        option.get_value_names().is_some_and(|names| names.first().is_some_and(|name| name == BOOLEAN));
    match (option.get_action(), value) {
        (ArgAction::SetTrue, Value::Boolean(is_set)) => Ok(is_set.then(flag).into_iter().collect()),
        (ArgAction::SetTrue, _) => Err("true or false"),
        (ArgAction::Count, Value::Integer(times)) if (0..=MAX_COUNT).contains(times) => {
            Ok((0..*times).map(|_| flag()).collect())
        }
        (ArgAction::Count, _) => Err("a number from 0 to 9"),
        (ArgAction::Append, Value::String(text)) => Ok(vec![with(text)]),
        (ArgAction::Append, Value::Array(items)) => {
            let words = items.iter().map(|item| item.as_str().map(with));
            words.collect::<Option<_>>().ok_or("a list of strings")
        }
        (ArgAction::Append, _) => Err("a string or a list of strings"),
        (_, Value::Boolean(is_set)) if is_boolean => Ok(vec![with(if *is_set { "true" } else { "false" })]),
        (_, _) if is_boolean => Err("true or false"),
        (_, Value::Integer(number)) if option.is_allow_negative_numbers_set() => {
            Ok(vec![with(&number.to_string())])
        }
        (_, Value::Float(number)) if option.is_allow_negative_numbers_set() => {
            Ok(vec![with(&number.to_string())])
        }
        (_, _) if option.is_allow_negative_numbers_set() => Err("a number, without quotes"),
        (_, Value::String(text)) => Ok(vec![with(text)]),
        (_, _) => Err("a string, in quotes"),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    /// The words of a command line with a file of this content.
    fn words(content: &str, line: &str) -> Result<String, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        let path = file.path().to_str().unwrap();
        let words = ["gleaner", "--config", path].into_iter().chain(line.split(' ')).map(OsString::from);
        let applied = applied(&Cli::command(), words.collect());
        let (words, _) = applied.map_err(|error| error.to_string().replace(path, "FILE"))?;
        let words: Vec<&str> = words.iter().skip(3).map(|word| word.to_str().unwrap()).collect();
        Ok(words.join(" "))
    }

    #[test]
    fn options_of_a_file_become_words_unless_the_command_line_gives_them() {
        for (content, line, want) in [
            ("", "scrape a", "scrape a"),
            ("limit = 5", "crawl a", "crawl --limit=5 a"),
            ("limit = 5", "scrape a", "scrape a"),
            ("limit = 5", "crawl a --limit 7", "crawl a --limit 7"),
            ("limit = 5", "crawl a --limit=7", "crawl a --limit=7"),
            ("limit = 5\n[crawl]\nlimit = 6\n[map]\nlimit = 7", "crawl a", "crawl --limit=6 a"),
            (
                "mobile = true\nonly-main-content = false",
                "scrape a",
                "scrape --mobile=true --only-main-content=false a",
            ),
            ("mobile = true", "scrape a --mobile=false", "scrape a --mobile=false"),
            ("formats = ['markdown', 'links']", "scrape a", "scrape --formats=markdown --formats=links a"),
            ("formats = ['html']", "scrape a --formats links", "scrape a --formats links"),
            ("formats = 'html'\n[scrape]\nformats = []", "scrape a", "scrape a"),
            ("header = 'A: b c'", "scrape a", "scrape --header=A: b c a"),
            ("delay = 0.5\nprompt = ''", "crawl a", "crawl --delay=0.5 --prompt= a"),
            ("quiet = true", "scrape a", "scrape --quiet a"),
            ("quiet = false", "scrape a", "scrape a"),
            ("verbose = 2", "scrape a", "scrape --verbose --verbose a"),
            ("quiet = true", "scrape a -v", "scrape a -v"),
            ("browser-without-sandbox = true", "scrape a", "scrape --browser-without-sandbox a"),
            // The command line, and then the command's table, decide between options that exclude each other.
            ("job = 'a.db'", "crawl a --database b", "crawl a --database b"),
            ("database = 'b'", "crawl a --job a.db", "crawl a --job a.db"),
            ("database = 'b'\n[crawl]\njob = 'a.db'", "crawl a", "crawl --job=a.db a"),
            ("database = 'b'", "jobs", "jobs --database=b"),
            ("database = 'b'", "jobs a.db", "jobs a.db"),
        ] {
            assert_eq!(words(content, line).as_deref(), Ok(want), "{content}: {line}");
        }
    }

    #[test]
    fn faults_name_the_file_the_key_and_what_would_be_right() {
        for (content, want) in [
            ("limt = 5", "FILE: `limt` is not an option; did you mean `limit`?"),
            (
                "maxDiscoveryDepth = 5",
                "FILE: `maxDiscoveryDepth` is not an option; did you mean `max-discovery-depth`?",
            ),
            ("max_age = 5", "did you mean `max-age`?"),
            ("max-depth = 5", "use --max-discovery-depth"),
            (
                "[crawl]\nurl = 'https://hush.example'",
                "FILE: `url` of [crawl] is not an option; it is an argument",
            ),
            ("config = 'hush'", "FILE: `config` is not an option"),
            ("zzz = 'hush'", "FILE: `zzz` is not an option; gleaner COMMAND --help"),
            (
                "[scrape]\nlimit = 5",
                "FILE: `limit` of [scrape] is not an option; it is one of crawl, map, extract",
            ),
            ("[scrape]\ntimout = 5", "FILE: `timout` of [scrape] is not an option; did you mean `timeout`?"),
            (
                "[scrpe]\ntimeout = 5",
                "FILE: there is no command for the table [scrpe]; did you mean [scrape]?",
            ),
            ("[zzz]\ntimeout = 5", "FILE: there is no command for the table [zzz]; gleaner --help"),
            ("limit = '5hush'", "FILE: `limit` must be a number, without quotes"),
            ("user-agent = 5", "FILE: `user-agent` must be a string, in quotes"),
            ("mobile = 'hush'", "FILE: `mobile` must be true or false"),
            ("quiet = 'hush'", "FILE: `quiet` must be true or false"),
            ("verbose = true", "FILE: `verbose` must be a number from 0 to 9"),
            ("[crawl]\nheader = 5", "FILE: `header` of [crawl] must be a string or a list of strings"),
            ("[crawl]\nheader = ['hush', 5]", "FILE: `header` of [crawl] must be a list of strings"),
            ("[map]\nsearch = 1979-05-27", "FILE: `search` of [map] must be a string, in quotes"),
            ("a = 1\nheader = hush", "--config FILE: line 2 is not TOML: "),
        ] {
            let error = words(content, "scrape a").unwrap_err();
            assert!(error.contains(want), "{content}: {error}");
            assert!(!error.contains("hush"), "{content}: {error}");
        }
        let error = words("limt = 5\nmobile = 1", "scrape a").unwrap_err();
        assert!(error.contains("`limt`") && error.contains("error: --config FILE: `mobile`"), "{error}");
    }
}
