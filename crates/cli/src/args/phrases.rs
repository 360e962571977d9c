//! Converts the library's advice, which is for clients of a service, to advice for users of a shell.

/// The library's phrases and their replacements. Longer phrases are first.
const PHRASES: [(&str, &str); 10] = [
    (
        "needs a language model, and this engine was built without one: its operator can add one; \
         until then,",
        "needs a language model: name one with --model and --model-url, or",
    ),
    (
        "needs a search engine, and this engine was built without one: its operator can add one; until then,",
        "needs a search engine: name one with --search-url, or",
    ),
    (
        "needs stealth proxies, and this engine was built without any: its operator can add some; \
         until then,",
        "needs stealth proxies: name one with --stealth-proxy-url, or",
    ),
    (
        "a browser, and this engine was built without one: its operator can add one (the feature `browser` \
         of gleaner, and an installed Chromium: on Debian, `apt-get install chromium-headless-shell`); until \
         then,",
        "a browser: install Chromium (on Debian, `apt-get install chromium-headless-shell`), or name one \
         with --browser; until then,",
    ),
    (
        "and this engine has no browser that runs its scripts",
        "and there is no browser that runs its scripts: install Chromium (on Debian, `apt-get install \
         chromium-headless-shell`), or name one with --browser (gleaner doctor checks it)",
    ),
    (
        "and this engine was built without one: its operator can add one; until then,",
        "which this command does not have:",
    ),
    (
        "waitFor has no effect: no browser rendered this page",
        "--wait-for has no effect: no browser rendered this page",
    ),
    ("without `urls`", "without URLs"),
    ("give `urls`", "name pages"),
    (
        "needs a `schema`, a `prompt` or both",
        "needs --schema FILE, or a prompt and --model: --formats '{\"type\":\"json\",\"prompt\":\"...\"}'",
    ),
];

/// `text` with the phrases of the library replaced.
pub(super) fn rephrased(text: &str) -> String {
    PHRASES.iter().fold(
        text.to_owned(),
        |text, (from, to)| {
            if text.contains(from) { text.replace(from, to) } else { text }
        },
    )
}
