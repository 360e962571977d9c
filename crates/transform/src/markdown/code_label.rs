//! Labels of code blocks: the name of the language in a corner of the box, and a button that copies the code.
//! The fence names the language, so the label is no paragraph of its own. Where nothing else names the
//! language, the label does.

use std::collections::{HashMap, HashSet};

use super::code_shape::is_line_numbers;
use super::language;
use crate::names;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};

/// Maximum number of elements around the code that may be its box.
const MAX_BOX_DISTANCE: usize = 4;

/// Maximum number of elements in a box beside the code.
const MAX_SIBLINGS: usize = 6;

/// Maximum number of tree edges of an element beside the code.
const MAX_EDGES: usize = 48;

/// Maximum length of a label in bytes.
const MAX_LABEL_BYTES: usize = 48;

/// The labels of the code blocks of a page.
#[derive(Debug, Default)]
pub(super) struct CodeLabels {
    /// Elements that are not written.
    elements: HashSet<NodeId>,
    /// The languages that labels name.
    languages: HashMap<NodeId, String>,
}

impl CodeLabels {
    /// Finds the labels of all code blocks of a page.
    pub(super) fn of(tree: &Tree, cache: &mut language::Cache) -> Self {
        let mut labels = Self::default();
        for pre in tree.elements_with_tag(Tag::Pre) {
            let beside = beside(tree, pre);
            if beside.is_empty() {
                continue;
            }
            let language = language::of(tree, pre, cache).map(|name| canonical(&name));
            labels.add(tree, pre, language, &beside);
        }
        labels
    }

    /// Adds the labels among the elements beside a block.
    fn add(&mut self, tree: &Tree, pre: NodeId, mut language: Option<String>, beside: &[NodeId]) {
        for node in beside {
            if is_gutter(tree, *node) {
                self.elements.insert(*node);
                continue;
            }
            let Some(Label { text, has_control }) = label(tree, *node) else { continue };
            let name = canonical(&text);
            let is_label = if text.is_empty() {
                has_control
            } else if let Some(language) = &language {
                name == *language
            } else {
                let known =
                    [text.to_ascii_lowercase(), name.clone()].into_iter().find(|n| language::is_known(n));
                let is_label = (known.is_some() || name == "text") && (has_control || is_named(tree, *node));
                if let Some(known) = known.filter(|_| is_label) {
                    self.languages.insert(pre, known);
                    language = Some(name);
                }
                is_label
            };
            if is_label {
                self.elements.insert(*node);
            }
        }
    }

    /// Is an element a label?
    pub(super) fn contains(&self, node: NodeId) -> bool {
        !self.elements.is_empty() && self.elements.contains(&node)
    }

    /// The language that the label of a block names.
    pub(super) fn language(&self, pre: NodeId) -> Option<&str> {
        self.languages.get(&pre).map(String::as_str)
    }
}

/// The short elements beside a block in its box, and before the code inside the `pre`.
fn beside(tree: &Tree, pre: NodeId) -> Vec<NodeId> {
    let is_code = |node: NodeId| matches!(tree.tag(node), Tag::Code | Tag::Samp);
    let mut found = Vec::new();
    let inner: Vec<NodeId> = tree.child_elements(pre).take(MAX_SIBLINGS).collect();
    if inner.last().is_some_and(|last| is_code(*last)) {
        found.extend(inner.into_iter().filter(|node| !is_code(*node)));
    }
    let mut node = pre;
    for _ in 0..MAX_BOX_DISTANCE {
        let boxes = |parent: &NodeId| matches!(tree.tag(*parent), Tag::Div | Tag::Figure | Tag::Other);
        let Some(parent) = tree.parent(node).filter(boxes) else { break };
        let siblings = tree.children(parent).filter(|sibling| *sibling != node);
        let mut elements = Vec::new();
        for sibling in siblings.take(3 * MAX_SIBLINGS) {
            if tree.is_element(sibling) {
                elements.push(sibling);
            } else if !tree.text(sibling).trim().is_empty() {
                return found; // a text of its own
            }
        }
        let fits = elements.len() <= MAX_SIBLINGS
            && elements.iter().all(|sibling| is_gutter(tree, *sibling) || label(tree, *sibling).is_some());
        if !fits {
            break;
        }
        found.extend(elements);
        node = parent;
    }
    found
}

/// What an element beside a block says.
struct Label {
    /// Its text without that of buttons, and without that for screen readers.
    text: String,
    /// It has a button that copies the code, or a text for screen readers.
    has_control: bool,
}

/// The label in an element; `None` if the element is longer than a label, or has more code.
fn label(tree: &Tree, node: NodeId) -> Option<Label> {
    let (mut text, mut has_control, mut edges) = (String::new(), false, 0);
    let mut walk = Walk::new(tree, node);
    while let Some(edge) = walk.next() {
        edges += 1;
        if edges > MAX_EDGES || text.len() > MAX_LABEL_BYTES {
            return None;
        }
        match edge {
            Edge::Enter(inner) if tree.kind(inner) == Kind::Text => {
                text.push_str(names::truncate(tree.text(inner).trim(), MAX_LABEL_BYTES + 1));
            }
            Edge::Enter(inner) if tree.is_unshown(inner) => walk.skip_children(),
            Edge::Enter(inner) if names::is_visually_hidden(tree, inner) => {
                has_control = true;
                walk.skip_children();
            }
            Edge::Enter(inner) => match tree.tag(inner) {
                Tag::Pre | Tag::Code | Tag::Img | Tag::Table => return None,
                Tag::Button | Tag::A => {
                    let is_copy = is_copy(tree, inner);
                    has_control |= is_copy;
                    if is_copy || tree.tag(inner) == Tag::Button {
                        walk.skip_children();
                    }
                }
                _ if is_copy(tree, inner) && tree.attribute(inner, Attr::Role) == Some("button") => {
                    has_control = true;
                    walk.skip_children();
                }
                _ => {}
            },
            Edge::Leave(_) => {}
        }
    }
    Some(Label { text: text.trim().to_owned(), has_control })
}

/// Does a button or a link copy the code, by its names or its text?
fn is_copy(tree: &Tree, node: NodeId) -> bool {
    let is_copy = |text: &str| {
        let words = |word: &str| ["copy", "clipboard"].iter().any(|copy| word.eq_ignore_ascii_case(copy));
        names::prefix(text).split(|c: char| !c.is_ascii_alphabetic()).any(words)
    };
    let named = [Attr::Class, Attr::AriaLabel, Attr::Title];
    named.into_iter().filter_map(|name| tree.attribute(node, name)).any(is_copy)
        || tree.first_child(node).is_some_and(|first| is_copy(tree.text(first)))
}

/// Has an element a name that labels of code have?
fn is_named(tree: &Tree, node: NodeId) -> bool {
    const PARTS: &[&str] = &["caption", "header", "label", "lang", "language", "name", "title", "toolbar"];
    tree.tag(node) == Tag::Figcaption
        || names::class_words(names::class(tree, node))
            .any(|word| word.split(['-', '_']).any(|part| PARTS.contains(&part)))
}

/// Has an element only the numbers of the lines of the block beside it?
fn is_gutter(tree: &Tree, node: NodeId) -> bool {
    names::class(tree, node).contains("line-number")
        && is_line_numbers(&tree.folded_text(node, MAX_LABEL_BYTES))
}

/// One name for each language: pages call it by several.
fn canonical(name: &str) -> String {
    let lower = name.trim().to_ascii_lowercase();
    let canonical = match lower.as_str() {
        "bash" | "sh" | "zsh" | "console" | "terminal" | "shellscript" | "shell script" | "shellsession"
        | "shell-session" | "shell session" | "sh-session" | "command line" => "shell",
        "c#" | "cs" => "csharp",
        "c++" => "cpp",
        "docker" => "dockerfile",
        "f#" => "fsharp",
        "golang" => "go",
        "gql" => "graphql",
        "htm" | "markup" => "html",
        "js" | "mjs" | "node.js" => "javascript",
        "json5" | "jsonc" => "json",
        "kt" => "kotlin",
        "make" => "makefile",
        "md" => "markdown",
        "objc" | "objective-c" => "objectivec",
        "plain" | "plain text" | "plaintext" | "plain-text" | "txt" => "text",
        "proto" => "protobuf",
        "ps1" | "pwsh" => "powershell",
        "py" | "python3" => "python",
        "rb" => "ruby",
        "rs" => "rust",
        "tex" => "latex",
        "ts" => "typescript",
        "vbnet" | "vb.net" | "visual basic" => "vb",
        "yml" => "yaml",
        _ => return lower,
    };
    canonical.to_owned()
}

#[cfg(test)]
mod tests {
    use crate::markdown::tests::check_page;

    #[test]
    fn the_label_of_code_is_no_paragraph() {
        check_page(&[
            (
                "in a corner of the box",
                "<div class=language-sh><button class=copy></button><span class=lang>sh</span><pre><code>a</code></pre></div>",
                "```sh\na\n```",
            ),
            (
                "by another name of the language",
                "<div class='box language-js'><p>JavaScript</p><pre>a</pre></div>",
                "```js\na\n```",
            ),
            ("after the code", "<div class=language-c><pre>a</pre><span>c</span></div>", "```c\na\n```"),
            (
                "around the box",
                "<div><div><span>Python</span><button>Copy code</button></div><div><pre><code class=language-python>a</code></pre></div></div>",
                "```python\na\n```",
            ),
            (
                "inside the pre, and the only name of the language",
                "<pre><div><div>python</div><button>Copy code</button></div><code>a</code></pre>",
                "```python\na\n```",
            ),
            (
                "a caption that names the language",
                "<figure><figcaption>C++</figcaption><pre>a</pre></figure>",
                "```c++\na\n```",
            ),
            (
                "a header that names the language",
                "<div><div class=code-header>Rust</div><pre>a</pre></div>",
                "```rust\na\n```",
            ),
            (
                "with line numbers beside",
                "<div class=language-ts><span class=lang>ts</span><pre>a</pre><div class=line-numbers-wrapper>\
                 <span class=line-number>1</span><br></div></div>",
                "```ts\na\n```",
            ),
            (
                "a text for screen readers",
                "<figure><figcaption><span class=title></span><span class=sr-only>Terminal window</span></figcaption>\
                 <pre data-language=sh>a</pre><div class=copy><button title='Copy to clipboard'>x</button></div></figure>",
                "```sh\na\n```",
            ),
            (
                "a name of a file",
                "<div class=language-c><div class=title>a.c</div><pre>a</pre></div>",
                "a.c\n\n```c\na\n```",
            ),
            (
                "a caption of words",
                "<figure><figcaption>The loop</figcaption><pre>a</pre></figure>",
                "The loop\n\n```\na\n```",
            ),
            (
                "a word before code in a text",
                "<p>Use</p><p>Go</p><pre>a</pre><p>and more text than fits into a label of a block of code.</p>",
                "Use\n\nGo\n\n```\na\n```\n\nand more text than fits into a label of a block of code.",
            ),
            (
                "tabs",
                "<div><div><input type=radio><label>npm</label><input type=radio><label>pnpm</label></div>\
                 <div><pre>a</pre></div><div><pre>b</pre></div></div>",
                "npm pnpm\n\n```\na\n```\n\n```\nb\n```",
            ),
        ]);
    }
}
