//! Advice of the library, which is for the client of a service, as advice to a person at a shell.

/// What the library says, and what is said here. In this order: the longer ones first.
const PHRASES: [(&str, &str); 7] = [
    (
        "needs a language model, and this engine was built without one: its operator can add one; until then,",
        "needs a language model: name one by --model and --model-url, or",
    ),
    (
        "needs a search engine, and this engine was built without one: its operator can add one; until then,",
        "needs a search engine: name one by --search-url, or",
    ),
    (
        "needs stealth proxies, and this engine was built without any: its operator can add some; until then,",
        "needs stealth proxies: name one by --stealth-proxy-url, or",
    ),
    (
        "and this engine was built without one: its operator can add one; until then,",
        "which this command does not have:",
    ),
    ("without `urls`", "without addresses"),
    ("give `urls`", "name pages"),
    (
        "needs a `schema`, a `prompt` or both",
        "needs --schema FILE, or words and --model: --formats '{\"type\":\"json\",\"prompt\":\"...\"}'",
    ),
];

/// `text` with the command line's words in place of the library's.
pub(super) fn rephrased(text: &str) -> String {
    PHRASES.iter().fold(
        text.to_owned(),
        |text, (from, to)| {
            if text.contains(from) { text.replace(from, to) } else { text }
        },
    )
}
