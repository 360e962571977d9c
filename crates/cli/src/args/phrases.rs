//! Advice of the library, which names what a program calls, as advice to a person at a shell.

/// What the library says, and what is said here. In this order: the longer ones first.
const PHRASES: [(&str, &str); 8] = [
    (
        "and this engine was built without one: add one by `EngineBuilder::renderer`, or leave",
        "which this command does not have: leave",
    ),
    ("add one by `EngineBuilder::renderer`", "this command does not have one"),
    ("add one by `EngineBuilder::stealth_proxies`", "name one by --stealth-proxy-url"),
    ("add one by `EngineBuilder::model`", "name one by --model and --model-url"),
    ("add one by `EngineBuilder::search`", "name one by --search-url"),
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
