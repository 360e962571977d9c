//! Code blocks: their text, their language and a fence that their text cannot end.

use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};

/// The longest run of a character.
pub(super) fn longest_run(text: &str, character: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == character { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The text of a `pre`: as it stands, with line ends for `br` and for blocks inside, without line numbers.
pub(super) fn text(tree: &Tree, pre: NodeId, faithful: bool) -> String {
    let mut out = String::new();
    let mut walk = Walk::new(tree, pre);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(node) if node != pre && is_gutter(tree, node) => walk.skip_children(),
            Edge::Enter(node) if tree.kind(node) == Kind::Text => {
                out.extend(tree.text(node).chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')));
            }
            Edge::Enter(node) if tree.tag(node) == Tag::Br => out.push('\n'),
            Edge::Enter(node) | Edge::Leave(node)
                if node != pre && tree.tag(node).is_block() && !out.is_empty() && !out.ends_with('\n') =>
            {
                out.push('\n');
            }
            _ => {}
        }
    }
    let end = if faithful { out.strip_suffix('\n').unwrap_or(&out).len() } else { out.trim_end().len() };
    out.truncate(end);
    out
}

/// Line numbers and buttons beside code.
fn is_gutter(tree: &Tree, node: NodeId) -> bool {
    if tree.tag(node).is_invisible() || tree.tag(node) == Tag::Button {
        return true;
    }
    let class = tree.attribute(node, Attr::Class).unwrap_or_default();
    class.split_ascii_whitespace().any(|class| {
        matches!(
            class,
            "line-numbers-rows"
                | "linenos"
                | "lineno"
                | "linenumber"
                | "line-number"
                | "line-numbers"
                | "gutter"
                | "lnt"
                | "ln"
                | "hljs-ln-numbers"
                | "rouge-gutter"
                | "react-syntax-highlighter-line-number"
                | "copy"
                | "copy-button"
        )
    }) && tree
        .text_content(node)
        .chars()
        .all(|c| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '.' | ':' | '|'))
}

/// The language of a code block, read from the classes that highlighters use, on the block, its code or around it.
pub(super) fn language(tree: &Tree, pre: NodeId) -> Option<String> {
    let code = tree.elements(pre).find(|child| matches!(tree.tag(*child), Tag::Code | Tag::Samp));
    let around = tree
        .ancestors(pre)
        .take(3)
        .filter(|node| matches!(tree.tag(*node), Tag::Div | Tag::Figure | Tag::Other | Tag::Section));
    code.into_iter().chain([pre]).chain(around).enumerate().find_map(|(index, node)| {
        let named =
            [Attr::DataLang, Attr::DataLanguage].into_iter().find_map(|name| tree.attribute(node, name));
        if let Some(language) = named.and_then(clean) {
            return Some(language);
        }
        let class = tree.attribute(node, Attr::Class)?;
        let own = index < 2 && tree.tag(node) != Tag::Div;
        of_class(class, own)
    })
}

fn of_class(class: &str, own: bool) -> Option<String> {
    let marked = class.split_ascii_whitespace().find_map(|word| {
        let language =
            ["language-", "lang-", "highlight-source-", "highlight-text-", "brush:", "sourceCode-"]
                .iter()
                .find_map(|prefix| word.strip_prefix(prefix))
                .or_else(|| word.strip_prefix("highlight-").filter(|_| !own))?;
        clean(language)
    });
    marked.or_else(|| {
        // `class="brush: js"`, `class="sourceCode python"`, `class="hljs python"`.
        let mut words = class.split_ascii_whitespace();
        words.find(|word| matches!(*word, "brush:" | "sourceCode" | "hljs" | "prettyprint"))?;
        words.next().and_then(|word| clean(word.trim_end_matches(';')))
    })
}

fn clean(language: &str) -> Option<String> {
    let language = language.trim();
    let fits = !language.is_empty()
        && language.len() <= 24
        && !matches!(language, "none" | "default" | "plain" | "linenums" | "wrapper" | "block" | "container")
        && !language.contains(|c: char| c.is_whitespace() || c.is_control() || c == '`');
    fits.then(|| language.to_owned())
}

/// A fence longer than any run of its character at the start of a line of the code.
pub(super) fn fence(code: &str, language: &str) -> String {
    let character = if language.contains('`') { '~' } else { '`' };
    let longest = code
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with(character))
        .map(|line| line.chars().take_while(|c| *c == character).count())
        .max()
        .unwrap_or(0);
    character.to_string().repeat((longest + 1).max(3))
}
