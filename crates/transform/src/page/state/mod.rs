//! Reads the text of an empty shell from the state that its framework embeds for scripts.
//!
//! Such a state holds everything that the scripts show, and much that they do not: translations, menus, other
//! pages. Nothing in it says which strings are the page. So only one string counts: a long text that dominates
//! the state, such as the body of an article. A page whose text is in pieces needs a browser.
//!
//! Only JSON is read. A state that is a JavaScript expression needs a browser too.

use std::collections::HashSet;

use serde_json::Value;

use super::json_ld::parsed_bytes;
use crate::tree::{Attr, NodeId, Tag, Tree};

/// Upper bound on the page, in bytes. The states of a longer one are not read.
pub(crate) const MAX_PAGE_BYTES: usize = 4_000_000;

/// Upper bound on the memory of all parsed states of a page, in bytes.
const MAX_PARSED_BYTES: usize = 16 << 20;

/// Letters of a text that can stand for the page.
const MIN_LETTERS: usize = 1_000;

/// Shorter texts, in letters, are not weighed against the longest one.
const MIN_WEIGHED_LETTERS: usize = 80;

/// Occurrences of each name that are looked at.
const MAX_ASSIGNMENTS: usize = 10;

/// Ids of `script` elements with a state as JSON, and variables that scripts assign a state to: those of
/// widely used frameworks.
const NAMES: [&str; 9] = [
    "__NEXT_DATA__",
    "__NUXT_DATA__",
    "__NUXT__",
    "__INITIAL_STATE__",
    "__PRELOADED_STATE__",
    "__APOLLO_STATE__",
    "__INITIAL_DATA__",
    "__remixContext",
    "ng-state",
];

/// The text of the page, as plain text or HTML, if one text dominates the states of the page. `html` is the
/// source of the tree, which does not keep the text of scripts.
pub(crate) fn main_text(tree: &Tree, html: &str) -> Option<String> {
    let mut longest: Option<(usize, String)> = None;
    let (mut total, mut parsed) = (0, 0);
    let elements = tree.elements_with_tag(Tag::Script).filter_map(|script| state_of(tree, script));
    for json in elements.chain(assigned(html)) {
        parsed += parsed_bytes(json);
        if parsed > MAX_PARSED_BYTES {
            break;
        }
        let Some(state) = parse(json) else { continue };
        let (letters, text) = weigh(&state, &mut total);
        if letters > longest.as_ref().map_or(0, |(letters, _)| *letters) {
            longest = Some((letters, text.to_owned()));
        }
    }
    let (letters, text) = longest?;
    (letters >= MIN_LETTERS && letters >= total - letters).then_some(text)
}

/// The longest text of a state, with its letters. Adds the letters of all its texts to `total`. A text that
/// occurs again does not count again.
fn weigh<'v>(state: &'v Value, total: &mut usize) -> (usize, &'v str) {
    let mut seen = HashSet::new();
    let mut longest = (0, "");
    // The parser refuses values nested more than 128 deep.
    let mut stack = vec![state];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items),
            Value::Object(object) => stack.extend(object.values()),
            Value::String(text) => {
                let letters = letters_of_text(text);
                if letters >= MIN_WEIGHED_LETTERS && seen.insert(text.as_str()) {
                    *total += letters;
                    longest = longest.max((letters, text));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    longest
}

/// The JSON of an element with a state.
fn state_of(tree: &Tree, script: NodeId) -> Option<&str> {
    let text = tree.text(tree.first_child(script)?).trim();
    let is_json = tree.attribute(script, Attr::Type).is_some_and(|kind| kind.contains("json"));
    (is_json && NAMES.contains(&tree.attribute(script, Attr::Id)?)).then_some(text)
}

/// What scripts assign to variables with a state (`window.NAME = {`, `window["NAME"] = {`): the rest of the
/// script after each `=`, because only a parser of JavaScript knows where the value ends.
fn assigned(html: &str) -> impl Iterator<Item = &str> {
    let after = move |name: &'static str| {
        memchr::memmem::find_iter(html.as_bytes(), name).take(MAX_ASSIGNMENTS).filter_map(move |at| {
            let rest = html.get(at + name.len()..)?.trim_start_matches(['"', '\'', ']']).trim_start();
            rest.strip_prefix('=')?.trim_start().split("</script").next()
        })
    };
    NAMES.iter().copied().flat_map(after)
}

/// The value that a text begins with: JSON, or a call of `JSON.parse` with a string.
fn parse(text: &str) -> Option<Value> {
    let first = |text: &str| serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok();
    match text.strip_prefix("JSON.parse(") {
        None => first(text),
        Some(argument) => match first(argument.trim_start())? {
            Value::String(json) if parsed_bytes(&json) <= MAX_PARSED_BYTES => first(&json),
            _ => None,
        },
    }
}

/// The letters of a string, without tags; 0 if it is neither HTML nor prose.
fn letters_of_text(text: &str) -> usize {
    if text.len() < MIN_WEIGHED_LETTERS {
        return 0;
    }
    let is_html = ["</p>", "</div>", "</li>", "</h2>", "</h3>", "</td>", "<br"]
        .iter()
        .any(|tag| memchr::memmem::find(text.as_bytes(), tag.as_bytes()).is_some());
    let (mut letters, mut others, mut spaces, mut sentences) = (0, 0, 0, 0);
    let mut in_tag = false;
    for c in text.chars() {
        match c {
            '<' if is_html => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if in_tag => {}
            ' ' | '\n' => spaces += 1,
            '.' | '!' | '?' | '。' | '！' | '？' => sentences += 1,
            _ if c.is_alphabetic() => letters += 1,
            _ => others += 1,
        }
    }
    // Code, styles and data in a string have few spaces or many signs. Some languages are written without
    // spaces, but not in ASCII.
    let is_prose = sentences > 0
        && (spaces * 12 >= letters || !text.is_ascii())
        && (letters + spaces) * 10 >= (letters + spaces + others + sentences) * 8
        && (is_html || !text.contains(['{', '}']));
    if is_prose { letters } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse as parse_html};

    fn text_of(html: &str) -> Option<String> {
        main_text(&parse_html(html, ParseOptions::default()), html)
    }

    /// HTML of about 1,500 letters, as it stands in a string of JSON.
    fn article() -> String {
        "<p>The kiln is heated slowly, with the door ajar, so that the water can leave as steam.</p>"
            .repeat(22)
    }

    #[test]
    fn states_of_frameworks_are_read() {
        let article = article();
        let json = format!("{{\"props\":{{\"page\":[1,{{\"title\":\"Kilns\",\"body\":\"{article}\"}}]}}}}");
        let quoted = serde_json::to_string(&json).unwrap().replace("</", "<\\/");
        for html in [
            format!("<script id=__NEXT_DATA__ type=application/json>{json}</script>"),
            format!("<script type='application/json' id='__NUXT_DATA__'>[{json}]</script>"),
            format!("<script id=ng-state type=application/json>{json}</script>"),
            format!("<script>window.__NUXT__={json};</script>"),
            format!("<script>window.__INITIAL_STATE__ = {json};(function(){{start()}})()</script>"),
            format!("<script>\n window[\"__PRELOADED_STATE__\"] = {json}</script>"),
            format!("<script>self.__APOLLO_STATE__={json}</script>"),
            format!("<script>var __INITIAL_DATA__ = {json};</script>"),
            format!("<script>window.__remixContext = {json};</script>"),
            format!("<script>window.__INITIAL_STATE__ = JSON.parse({quoted});</script>"),
        ] {
            assert_eq!(text_of(&html).as_deref(), Some(article.as_str()), "{html:.80}");
        }
    }

    #[test]
    fn a_text_that_does_not_dominate_or_no_text_is_left_alone() {
        let article = article();
        let next = |state: &str| format!("<script id=__NEXT_DATA__ type=application/json>{state}</script>");
        let other = article.replace("kiln", "oven");
        let third = article.replace("kiln", "stove");
        let words = "menu item ".repeat(300);
        let code = "if(a.b){c.d(e);}".repeat(200);
        let short: String = article.chars().take(800).collect();
        for html in [
            next("{}"),
            next("{\"body\":"),
            next(&format!("{{\"body\":\"{short}\"}}")),
            next(&format!("{{\"a\":\"{article}\",\"b\":\"{other}\",\"c\":\"{third}\"}}")),
            next(&format!("{{\"menu\":\"{words}\"}}")),
            next(&format!("{{\"code\":\"{code}\"}}")),
            next(&format!("{{\"key\":\"{}\"}}", "a".repeat(5_000))),
            next(&format!("{}\"{article}\"{}", "[".repeat(10_000), "]".repeat(10_000))),
            next(&format!("[\"{article}\",{}{{}}]", "{},".repeat(100_000))),
            format!("<script type=application/json id=other>{{\"a\":\"{article}\"}}</script>"),
            format!("<script>window.mine = {{\"a\":\"{article}\"}}</script>"),
            // No JSON, but JavaScript.
            format!("<script>window.__NUXT__={{a:\"{article}\"}}</script>"),
            format!("<script>window.__NUXT__=(function(a){{return {{b:a}}}}(\"{article}\"))</script>"),
        ] {
            assert_eq!(text_of(&html), None, "{html:.120}");
        }
        // A copy of the text is not another text.
        let copy = next(&format!("{{\"a\":\"{article}\",\"b\":\"{article}\",\"c\":\"{article}\"}}"));
        assert!(text_of(&copy).is_some());
    }
}
