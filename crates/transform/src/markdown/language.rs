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

/// Attributes in which pages name the language of code.
const ATTRIBUTES: [Attr; 8] = [
    Attr::DataLang,
    Attr::DataLanguage,
    Attr::DataCodeLang,
    Attr::DataCodeLanguage,
    Attr::DataCodeBlockLang,
    Attr::DataEnlighterLanguage,
    Attr::DataHighlightLanguage,
    Attr::DataSyntax,
];

/// The language that the attributes of an element name. `own`: the element belongs to the code itself, so a
/// bare language name counts and a `highlight-` prefix does not.
fn of_element(tree: &Tree, node: NodeId, own: bool) -> Option<String> {
    let named = ATTRIBUTES.into_iter().find_map(|name| tree.attribute(node, name));
    let settings = || {
        let settings = tree.attribute(node, Attr::DataSyntaxhighlighterParams).map(names::prefix)?;
        setting(settings.split_once("brush:")?.1)
    };
    // The language of a text, unless it is the name of a programming language.
    let lang = || {
        let lang = tree.attribute(node, Attr::Lang).filter(|_| own)?;
        is_known(lang).then(|| lang.to_owned())
    };
    named
        .map(names::prefix)
        .and_then(checked)
        .or_else(settings)
        .or_else(|| of_class(names::class(tree, node), own, tree.tag(node) == Tag::Figure))
        .or_else(lang)
}

fn of_class(class: &str, own: bool, figure: bool) -> Option<String> {
    const PREFIXES: &[&str] =
        &["language-", "lang-", "highlight-source-", "highlight-text-", "mw-highlight-lang-", "sourceCode-"];
    // Other names have these prefixes too: what follows must be a language.
    const WEAK_PREFIXES: &[&str] =
        &["brush-", "code-", "hl-", "hljs-", "lexer-", "mode-", "source-", "src-", "syntax-", "type-"];
    // Names of boxes for code, which have the name of the language beside them.
    const BOXES: &[&str] = &[
        "CodeMirror",
        "code",
        "code-block",
        "codeblock",
        "codehilite",
        "highlight",
        "listing",
        "programlisting",
        "snippet",
        "source",
        "src",
    ];
    let words = || names::class_words(class);
    let prefixed = words().find_map(|word| {
        let strong = PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix)).and_then(checked);
        strong
            .or_else(|| checked(word.strip_prefix("highlight-").filter(|_| !own)?))
            .or_else(|| {
                setting(["brush:", "lang:", "language:"].iter().find_map(|key| word.strip_prefix(key))?)
            })
            .or_else(|| {
                let weak = WEAK_PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix))?;
                is_known(weak).then(|| weak.to_owned())
            })
    });
    // `class="brush: js"`, `class="sourceCode python"`, `class="hljs python"`, `<figure class="highlight
    // js">`.
    let named = || {
        let mut words = words();
        words.find(|word| match *word {
            "brush:" | "sourceCode" | "hljs" | "prettyprint" | "syntaxhighlighter" => true,
            "highlight" => figure,
            _ => false,
        })?;
        words.next().and_then(setting)
    };
    // The bare name of a language. No box for anything else has the name of a language of diagrams.
    let bare = || {
        let in_box = own || words().any(|word| BOXES.contains(&word));
        words().find(|word| *word == "mermaid" || (in_box && is_known(word))).map(str::to_owned)
    };
    prefixed.or_else(named).or_else(bare)
}

/// The first value of settings such as `js; toolbar: false`.
fn setting(settings: &str) -> Option<String> {
    checked(settings.split([';', ',']).next().unwrap_or_default())
}

/// Is a name in [`LANGUAGES`]?
pub(super) fn is_known(name: &str) -> bool {
    LANGUAGES.contains(&name.to_ascii_lowercase().as_str())
}

/// Languages whose bare name is used as a class of code, in alphabetical order.
const LANGUAGES: &[&str] = &[
    "asciidoc",
    "asm",
    "bash",
    "bat",
    "batch",
    "c",
    "c++",
    "clojure",
    "cmake",
    "cobol",
    "coffeescript",
    "console",
    "cpp",
    "crystal",
    "cs",
    "csharp",
    "css",
    "csv",
    "cuda",
    "dart",
    "diff",
    "docker",
    "dockerfile",
    "elixir",
    "elm",
    "erlang",
    "fish",
    "fortran",
    "fsharp",
    "gherkin",
    "glsl",
    "go",
    "go-html-template",
    "golang",
    "graphql",
    "groovy",
    "handlebars",
    "haskell",
    "hbs",
    "hcl",
    "hlsl",
    "html",
    "http",
    "ini",
    "ipython3",
    "java",
    "javascript",
    "jinja",
    "jinja2",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsx",
    "julia",
    "kotlin",
    "kt",
    "latex",
    "less",
    "lisp",
    "lua",
    "makefile",
    "markdown",
    "matlab",
    "md",
    "mdx",
    "mermaid",
    "mysql",
    "nasm",
    "nginx",
    "nim",
    "nix",
    "objc",
    "objective-c",
    "objectivec",
    "ocaml",
    "pascal",
    "perl",
    "pgsql",
    "php",
    "plantuml",
    "plpgsql",
    "postgresql",
    "powershell",
    "prolog",
    "proto",
    "protobuf",
    "ps1",
    "puppet",
    "purescript",
    "pwsh",
    "py",
    "python",
    "r",
    "racket",
    "rb",
    "rs",
    "ruby",
    "rust",
    "sas",
    "sass",
    "scala",
    "scheme",
    "scss",
    "sh",
    "shell",
    "shell-session",
    "shellsession",
    "smalltalk",
    "solidity",
    "sql",
    "stylus",
    "svelte",
    "swift",
    "systemverilog",
    "tcl",
    "terraform",
    "tex",
    "thrift",
    "toml",
    "ts",
    "tsx",
    "typescript",
    "vb",
    "vbnet",
    "verilog",
    "vhdl",
    "vim",
    "vue",
    "wasm",
    "wgsl",
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
                | "prettyprinted"
        )
        // A backslash begins an escape and an ampersand a character reference.
        && !language.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '`' | '\\' | '&'));
    fits.then(|| language.to_owned())
}
