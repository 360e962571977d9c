//! Errors of clap without possible secrets.

use std::ffi::OsString;

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::printable::printable_target;

/// Options whose values may contain a secret: headers, and URLs with a password or a key. It also includes
/// options for names of variables, because users may write the secret itself by mistake, and the argument that
/// is a URL.
const SECRET: [&str; 10] = [
    "--database",
    "--header",
    "--model-key-env",
    "--model-url",
    "--proxy-url",
    "--search-url",
    "--stealth-proxy-url",
    "--webhook",
    "--webhook-secret-env",
    "<URL>",
];

/// The placeholder for a secret.
const HIDDEN: &str = "…";

/// `error` without the values of these options and without secrets of URLs. `words` is the command line.
pub(super) fn hidden(mut error: Error, words: &[OsString]) -> Error {
    match error.kind() {
        ErrorKind::ValueValidation | ErrorKind::InvalidValue | ErrorKind::TooManyValues => {
            let option = text(&error, ContextKind::InvalidArg);
            // The option is followed by its value name.
            let is_secret =
                option.as_deref().and_then(|option| option.split(' ').next()).is_some_and(is_secret);
            if is_secret {
                replace(&mut error, ContextKind::InvalidValue, HIDDEN.to_owned());
            }
        }
        ErrorKind::UnknownArgument => {
            let Some(word) = text(&error, ContextKind::InvalidArg) else { return error };
            let shown = if word.starts_with('-') {
                word.split('=').next().unwrap_or_default().to_owned()
            } else if belongs_to_secret(&word, words) {
                HIDDEN.to_owned()
            } else {
                printable_target(&word)
            };
            if shown != word {
                error.remove(ContextKind::Suggested);
                if shown == HIDDEN {
                    let advice = "put the whole value in quotes, as in --header 'Name: value'";
                    let advice = vec![StyledStr::from(advice)];
                    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(advice));
                }
                replace(&mut error, ContextKind::InvalidArg, shown);
            }
        }
        ErrorKind::InvalidSubcommand => {
            let Some(word) = text(&error, ContextKind::InvalidSubcommand) else { return error };
            let shown = printable_target(&word);
            if shown != word {
                error.remove(ContextKind::Suggested);
                replace(&mut error, ContextKind::InvalidSubcommand, shown);
            }
        }
        _ => {}
    }
    error
}

fn is_secret(option: &str) -> bool {
    SECRET.contains(&option)
}

/// Whether `word` follows the value of an option that may contain a secret, as in `--header Name: value`
/// without quotes.
fn belongs_to_secret(word: &str, words: &[OsString]) -> bool {
    let mut in_secret = false;
    words.iter().filter_map(|word| word.to_str()).any(|given| {
        if given.starts_with("--") {
            in_secret = given.split('=').next().is_some_and(is_secret);
        }
        in_secret && given == word
    })
}

fn text(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

fn replace(error: &mut Error, kind: ContextKind, text: String) {
    error.insert(kind, ContextValue::String(text));
}
