//! The language of a code block.

use std::collections::HashMap;

use crate::names;
use crate::tree::{Attr, NodeId, Tag, Tree};

/// The languages of elements around code blocks, each read once. The flag is the `own` of [`of_element`].
pub(super) type Cache = HashMap<(NodeId, bool), Option<String>>;

/// The language of a code block, from the classes that highlighters set on the block, its code or elements
/// around it.
pub(super) fn of(tree: &Tree, pre: NodeId, cache: &mut Cache) -> Option<String> {
    let code = tree.child_elements(pre).find(|child| matches!(tree.tag(*child), Tag::Code | Tag::Samp));
    let own = code.into_iter().chain([pre]).enumerate();
    if let Some(language) =
        own.clone().find_map(|(_, node)| of_element(tree, node, tree.tag(node) != Tag::Div))
    {
        return Some(language);
    }
    let ancestors = tree
        .ancestors(pre)
        .take(8)
        .filter(|node| matches!(tree.tag(*node), Tag::Div | Tag::Figure | Tag::Other | Tag::Section))
        .take(3);
    ancestors.zip(own.count()..).find_map(|(node, index)| {
        let own = index < 2 && tree.tag(node) != Tag::Div;
        cache.entry((node, own)).or_insert_with(|| of_element(tree, node, own)).clone()
    })
}

/// The language that the attributes of an element name. `own`: the element belongs to the code itself, so a
/// bare language name counts and a `highlight-` prefix does not.
fn of_element(tree: &Tree, node: NodeId, own: bool) -> Option<String> {
    let named = [Attr::DataLang, Attr::DataLanguage].into_iter().find_map(|name| tree.attribute(node, name));
    named.map(names::prefix).and_then(checked).or_else(|| {
        let class = names::class(tree, node);
        of_class(class, own, tree.tag(node) == Tag::Figure)
    })
}

fn of_class(class: &str, own: bool, figure: bool) -> Option<String> {
    const PREFIXES: &[&str] = &[
        "language-",
        "lang-",
        "highlight-source-",
        "highlight-text-",
        "mw-highlight-lang-",
        "brush:",
        "sourceCode-",
    ];
    let prefixed = names::class_words(class).find_map(|word| {
        let language = PREFIXES
            .iter()
            .find_map(|prefix| word.strip_prefix(prefix))
            .or_else(|| word.strip_prefix("highlight-").filter(|_| !own))?;
        checked(language)
    });
    // `class="brush: js"`, `class="sourceCode python"`, `class="hljs python"`, `<figure class="highlight
    // js">`.
    let named = || {
        let mut words = names::class_words(class);
        words.find(|word| match *word {
            "brush:" | "sourceCode" | "hljs" | "prettyprint" | "syntaxhighlighter" => true,
            "highlight" => figure,
            _ => false,
        })?;
        words.next().and_then(|word| checked(word.trim_end_matches(';')))
    };
    // The bare name of a language.
    let bare = || {
        let is_language = |word: &&str| LANGUAGES.contains(&word.to_ascii_lowercase().as_str());
        names::class_words(class).find(is_language).map(str::to_owned)
    };
    prefixed.or_else(named).or_else(|| own.then(bare).flatten())
}

/// Languages whose bare name is used as a class of code.
const LANGUAGES: &[&str] = &[
    "bash",
    "c",
    "c++",
    "clojure",
    "cmake",
    "console",
    "cpp",
    "csharp",
    "css",
    "dart",
    "diff",
    "dockerfile",
    "elixir",
    "elm",
    "erlang",
    "fortran",
    "fsharp",
    "go",
    "golang",
    "graphql",
    "groovy",
    "haskell",
    "html",
    "ini",
    "java",
    "javascript",
    "js",
    "json",
    "jsx",
    "julia",
    "kotlin",
    "latex",
    "lisp",
    "lua",
    "makefile",
    "matlab",
    "nginx",
    "nix",
    "objc",
    "ocaml",
    "perl",
    "php",
    "powershell",
    "python",
    "py",
    "r",
    "ruby",
    "rust",
    "sass",
    "scala",
    "scheme",
    "scss",
    "sh",
    "shell",
    "sql",
    "swift",
    "toml",
    "ts",
    "tsx",
    "typescript",
    "vb",
    "vim",
    "xml",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// The name of a language, if it is safe after a fence and is not a setting of a highlighter.
fn checked(language: &str) -> Option<String> {
    let language = language.trim();
    let fits = !language.is_empty()
        && language.len() <= 24
        && !matches!(
            language,
            "none"
                | "default"
                | "plain"
                | "linenums"
                | "wrapper"
                | "block"
                | "container"
                | "auto"
                | "undefined"
                | "nohighlight"
                | "nogutter"
        )
        // A backslash begins an escape and an ampersand a character reference.
        && !language.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '`' | '\\' | '&'));
    fits.then(|| language.to_owned())
}
