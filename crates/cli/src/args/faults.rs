//! Faults of a request, told in the words of the command line.

use std::collections::HashSet;
use std::sync::OnceLock;

use clap::{Command, CommandFactory};
use gleaner::Fault;

use super::Cli;
use super::phrases::rephrased;

/// Options that are no part of the contract, though some have the name of one of its words.
const NOT_OF_THE_CONTRACT: [&str; 11] = [
    "--allow-private",
    "--concurrency",
    "--content-type",
    "--explain",
    "--json",
    "--out",
    "--quiet",
    "--url",
    "--user-agent",
    "--verbose",
    "--webhook-secret-env",
];

/// What is wrong, naming the option in place of the field.
pub(crate) fn told(fault: &Fault) -> String {
    told_at(&fault.path.to_string(), &fault.message)
}

/// The same for a fault at a path that is written out: `formats[1].quality`.
fn told_at(path: &str, message: &str) -> String {
    let flag = flag_of(path);
    let quoted = format!("`{path}`");
    let message = if path.is_empty() {
        message.to_owned()
    } else if message.contains(&quoted) {
        // `formats[1].quality` is a part of what the option was given: the part stays named.
        let name = match (part_of(path), header_of(path)) {
            (Some(part), _) => format!("{flag}: `{part}`"),
            (None, Some(header)) => format!("{flag} `{header}`"),
            (None, None) => flag,
        };
        message.replacen(&quoted, &name, 1)
    } else {
        format!("{flag}: {message}")
    };
    in_flags(&message)
}

/// `text` with each field of a request that stands in backquotes replaced by the option that sets it.
pub(crate) fn in_flags(text: &str) -> String {
    let text = rephrased(text);
    let mut told = String::new();
    let mut pieces = text.split('`');
    told.push_str(pieces.next().unwrap_or_default());
    // Pieces alternate between what is in backquotes and what is not.
    while let Some(quoted) = pieces.next() {
        let (field, value) = quoted.split_once(": ").unwrap_or((quoted, ""));
        let flag = flag_of(field);
        if known_flags().contains(&flag) && part_of(field).is_none() {
            told.push_str(&flag);
            if !value.is_empty() {
                told.push(' ');
                // An empty list is written out on the command line.
                told.push_str(if value == "[]" { "none" } else { value.trim_matches('"') });
            }
        } else {
            told.push('`');
            told.push_str(quoted);
            told.push('`');
        }
        told.push_str(pieces.next().unwrap_or_default());
    }
    told
}

/// The option, as written on the command line, that sets the field at `path` of a request.
///
/// The path is that of a [`Fault`]: `scrapeOptions.waitFor`, `formats[1].quality`, `includePaths[0]`.
pub(super) fn flag_of(path: &str) -> String {
    let path = path.strip_prefix("scrapeOptions").map_or(path, |rest| rest.trim_start_matches('.'));
    let mut names = path.split('.').map(|step| step.split('[').next().unwrap_or_default());
    match (names.next().unwrap_or_default(), names.next()) {
        ("url", _) => "<URL>".to_owned(),
        ("urls", _) => "<FILE>".to_owned(),
        ("headers", _) => "--header".to_owned(),
        ("webhook", Some("events")) => "--webhook-events".to_owned(),
        ("location", Some(part)) => format!("--location-{}", kebab(part)),
        (name, _) => format!("--{}", kebab(name)),
    }
}

/// What of a path lies within what one option was given as JSON.
fn part_of(path: &str) -> Option<&str> {
    path.split_once("].").map(|(_, part)| part)
}

/// The name of the header at a path: `headers.Cookie`, `headers["Bad Name"]`.
fn header_of(path: &str) -> Option<&str> {
    let (_, name) = path.split_once("headers")?;
    Some(name.trim_start_matches('.').trim_start_matches("[\"").trim_end_matches("\"]"))
        .filter(|name| !name.is_empty())
}

/// `maxDiscoveryDepth` as `max-discovery-depth`; a run of capitals is one word, plural included (`URLs`).
pub(super) fn kebab(name: &str) -> String {
    let mut words = String::new();
    for letter in name.replace("URLs", "Urls").replace("URL", "Url").chars() {
        if letter.is_ascii_uppercase() {
            words.push('-');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// The options that set fields of requests.
fn known_flags() -> &'static HashSet<String> {
    static FLAGS: OnceLock<HashSet<String>> = OnceLock::new();
    FLAGS.get_or_init(|| {
        let command = Cli::command();
        let options =
            command.get_subcommands().flat_map(Command::get_arguments).filter_map(clap::Arg::get_long);
        options
            .map(|name| format!("--{name}"))
            .filter(|flag| !NOT_OF_THE_CONTRACT.contains(&flag.as_str()))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_flag() {
        for (path, flag) in [
            ("maxDiscoveryDepth", "--max-discovery-depth"),
            ("scrapeOptions.waitFor", "--wait-for"),
            ("includePaths[0]", "--include-paths"),
            ("formats[1].quality", "--formats"),
            ("ignoreInvalidURLs", "--ignore-invalid-urls"),
            ("deduplicateSimilarURLs", "--deduplicate-similar-urls"),
            ("regexOnFullURL", "--regex-on-full-url"),
            ("location.country", "--location-country"),
            ("scrapeOptions.location.languages[0]", "--location-languages"),
            ("headers.Cookie", "--header"),
            ("removeBase64Images", "--remove-base64-images"),
            ("url", "<URL>"),
            ("urls[3]", "<FILE>"),
        ] {
            assert_eq!(flag_of(path), flag, "{path}");
            assert!(!flag.starts_with("--") || known_flags().contains(flag), "there is no option {flag}");
        }
    }

    #[test]
    fn messages_name_the_flag_in_place_of_the_field() {
        for (path, message, want) in [
            ("limit", "`limit` must be at least 1", "--limit must be at least 1"),
            (
                "scrapeOptions.waitFor",
                "`scrapeOptions.waitFor` must be at most half of `timeout`",
                "--wait-for must be at most half of --timeout",
            ),
            (
                "sitemap",
                "must be `include`, `skip` or `only`",
                "--sitemap: must be `include`, `skip` or `only`",
            ),
            (
                "formats[0].quality",
                "`formats[0].quality` must be at least 1",
                "--formats: `quality` must be at least 1",
            ),
            ("headers[\"A b\"]", "`headers[\"A b\"]` is no name", "--header `A b` is no name"),
            (
                "scrapeOptions.headers.Cookie",
                "`scrapeOptions.headers.Cookie` is long",
                "--header `Cookie` is long",
            ),
            ("formats[0]", "`formats[0]` must be `json`", "--formats must be `json`"),
            ("", "and 3 more", "and 3 more"),
        ] {
            assert_eq!(told_at(path, message), want, "{path}");
        }
    }

    #[test]
    fn refusals_of_the_engine_name_flags_too() {
        assert_eq!(
            in_flags("the format `json` needs a model; leave it out of `formats`"),
            "the format `json` needs a model; leave it out of --formats"
        );
        assert_eq!(in_flags("`proxy: \"stealth\"` needs proxies"), "--proxy stealth needs proxies");
        assert_eq!(in_flags("`parsers: []` returns the file"), "--parsers none returns the file");
        assert_eq!(
            in_flags(
                "the format `json` needs a language model, and this engine was built without one: its operator can add \
                 one; until then, give a `schema`"
            ),
            "the format `json` needs a language model: name one by --model and --model-url, or give a --schema"
        );
    }
}
