//! Faults of a request, with the names of command-line options.

use std::collections::HashSet;
use std::sync::OnceLock;

use clap::{Command, CommandFactory};
use gleaner::Fault;

use super::Cli;
use super::phrases::rephrased;

/// Options that set no request field, though some have the name of a field or value.
const NOT_IN_REQUESTS: [&str; 21] = [
    "--allow-private",
    "--browser",
    "--browser-user",
    "--browser-without-sandbox",
    "--ca-certificate",
    "--concurrency",
    "--config",
    "--content-type",
    "--explain",
    "--follow",
    "--format",
    "--host",
    "--job",
    "--json",
    "--out",
    "--quiet",
    "--url",
    "--user-agent",
    "--verbose",
    "--webhook-secret-env",
    "--with-secrets",
];

/// The message of a fault, with the option instead of the field.
pub(crate) fn described(fault: &Fault) -> String {
    described_at(&fault.path.to_string(), &fault.message)
}

/// The same for a fault with a path in text form: `formats[1].quality`.
fn described_at(path: &str, message: &str) -> String {
    let flag = flag_of(path);
    let quoted = format!("`{path}`");
    let message = if path.is_empty() {
        message.to_owned()
    } else if message.contains(&quoted) {
        // `formats[1].quality` is inside the option's value, so the message also names that part.
        let name = match (action_of(path), part_of(path), header_of(path)) {
            (Some(action), ..) => format!("{flag}: `{action}`"),
            (None, Some(part), _) => format!("{flag}: `{part}`"),
            (None, None, Some(header)) => format!("{flag} `{header}`"),
            (None, None, None) => flag,
        };
        message.replacen(&quoted, &name, 1)
    } else {
        format!("{flag}: {message}")
    };
    in_flags(&message)
}

/// `text` with each request field in backquotes replaced by the option that sets it.
pub(crate) fn in_flags(text: &str) -> String {
    let text = rephrased(text);
    let mut converted = String::new();
    let mut pieces = text.split('`');
    converted.push_str(pieces.next().unwrap_or_default());
    // Pieces are alternately outside and inside backquotes.
    while let Some(quoted) = pieces.next() {
        let (field, value) = quoted.split_once(": ").unwrap_or((quoted, ""));
        let flag = flag_of(field);
        if known_flags().contains(&flag) && part_of(field).is_none() {
            converted.push_str(&flag);
            if !value.is_empty() {
                converted.push(' ');
                // On the command line, an empty list is `none`.
                converted.push_str(if value == "[]" { "none" } else { value.trim_matches('"') });
            }
        } else {
            converted.push('`');
            converted.push_str(quoted);
            converted.push('`');
        }
        converted.push_str(pieces.next().unwrap_or_default());
    }
    converted
}

/// The option that sets the request field at `path`.
///
/// The path is one of a [`Fault`]: `scrapeOptions.waitFor`, `formats[1].quality`, `includePaths[0]`.
pub(crate) fn flag_of(path: &str) -> String {
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

/// The part of a path that is inside an option's JSON value.
fn part_of(path: &str) -> Option<&str> {
    path.split_once("].").map(|(_, part)| part)
}

/// The action in a path, with its index in the file: `[3].selector`.
fn action_of(path: &str) -> Option<&str> {
    let path = path.strip_prefix("scrapeOptions.").unwrap_or(path);
    path.strip_prefix("actions").filter(|action| action.starts_with('['))
}

/// The header name in a path: `headers.Cookie`, `headers["Bad Name"]`.
fn header_of(path: &str) -> Option<&str> {
    let (_, name) = path.split_once("headers")?;
    Some(name.trim_start_matches('.').trim_start_matches("[\"").trim_end_matches("\"]"))
        .filter(|name| !name.is_empty())
}

/// Converts `maxDiscoveryDepth` to `max-discovery-depth`. `URL` and `URLs` are single words.
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

/// The options that set request fields.
fn known_flags() -> &'static HashSet<String> {
    static FLAGS: OnceLock<HashSet<String>> = OnceLock::new();
    FLAGS.get_or_init(|| {
        let command = Cli::command();
        let options =
            command.get_subcommands().flat_map(Command::get_arguments).filter_map(clap::Arg::get_long);
        options
            .map(|name| format!("--{name}"))
            .filter(|flag| !NOT_IN_REQUESTS.contains(&flag.as_str()))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_their_option() {
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
            ("scrapeOptions.actions[3].selector", "--actions"),
            ("removeBase64Images", "--remove-base64-images"),
            ("url", "<URL>"),
            ("urls[3]", "<FILE>"),
        ] {
            assert_eq!(flag_of(path), flag, "{path}");
            assert!(!flag.starts_with("--") || known_flags().contains(flag), "there is no option {flag}");
        }
    }

    #[test]
    fn messages_name_the_option_instead_of_the_field() {
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
            (
                "scrapeOptions.actions[3].selector",
                "`scrapeOptions.actions[3].selector` is missing",
                "--actions: `[3].selector` is missing",
            ),
            ("actions[0]", "`actions[0]` is no object", "--actions: `[0]` is no object"),
            ("headers[\"A b\"]", "`headers[\"A b\"]` is no name", "--header `A b` is no name"),
            (
                "scrapeOptions.headers.Cookie",
                "`scrapeOptions.headers.Cookie` is long",
                "--header `Cookie` is long",
            ),
            ("formats[0]", "`formats[0]` must be `json`", "--formats must be `json`"),
            ("", "and 3 more", "and 3 more"),
        ] {
            assert_eq!(described_at(path, message), want, "{path}");
        }
    }

    #[test]
    fn errors_of_the_engine_name_options_too() {
        assert_eq!(
            in_flags("the format `json` needs a model; leave it out of `formats`"),
            "the format `json` needs a model; leave it out of --formats"
        );
        assert_eq!(in_flags("`proxy: \"stealth\"` needs proxies"), "--proxy stealth needs proxies");
        assert_eq!(in_flags("`parsers: []` returns the file"), "--parsers none returns the file");
        assert_eq!(
            in_flags(
                "the format `json` needs a language model, and this engine was built without one: its \
                 operator can add one; until then, give a `schema`"
            ),
            "the format `json` needs a language model: name one with --model and --model-url, or give a \
             --schema"
        );
    }
}
