//! Detects pages that are empty shells as served: scripts load their text.
//!
//! The signs are those of frameworks, in the order of their weight: an element for scripts to fill that is
//! empty or says "Loading"; a `noscript` or a sentence that asks for JavaScript; an empty main element;
//! a body of scripts alone. Text in navigation, headers, footers and dialogs does not count, because shells
//! are served with it. A page with a form, a frame or a picture in place of text is no shell, and neither is
//! a bot challenge: a browser gives no more of them.

use std::borrow::Cow;

use super::shell_vocabulary as vocabulary;
use crate::names::{self, prefix};
use crate::notice::NoscriptWords;
use crate::tree::{Attr, Edge, Kind, NodeId, Tree, Walk, is_shadow_mode};

/// Upper bound on the text of a shell outside of navigation, headers, footers and dialogs, in bytes.
const MAX_SHELL_BYTES: usize = 400;

/// Upper bound on the text of a shell whose only sign is that it asks for JavaScript, in bytes. One with an
/// empty element may have [`MAX_SHELL_BYTES`].
const MAX_DEMAND_BYTES: usize = 60;

/// Upper bound on a text that stands in for the page while it loads, in bytes.
const MAX_LOADING_BYTES: usize = 40;

/// Upper bound on a sentence that asks for JavaScript in place of the page, in bytes.
const MAX_SENTENCE_BYTES: usize = 240;

/// Upper bound on the text of a placeholder, such as a splash screen, in bytes.
const MAX_PLACEHOLDER_BYTES: usize = 120;

/// Upper bound on the text in navigation, headers, footers and dialogs of a shell whose only sign is its
/// empty main element, in bytes.
const MAX_CHROME_BYTES: usize = 2_000;

/// Maximum words of a shell in `noscript` elements, without notices that ask for JavaScript.
const MAX_NOSCRIPT_WORDS: usize = 100;

/// Upper bound on the titles and `noscript` texts that are read, in bytes.
const MAX_ASIDE_BYTES: usize = 1_000;

/// True if the page has scripts but almost no text.
pub(crate) fn is_shell(tree: &Tree) -> bool {
    let mut reader = ShellReader::default();
    for edge in Walk::new(tree, NodeId::DOCUMENT) {
        match edge {
            Edge::Enter(node) => match tree.kind(node) {
                Kind::Text => reader.text(tree.text(node)),
                Kind::Element => {
                    let attribute = |name: &str| tree.attribute(node, Attr::lookup(name)).map(Cow::Borrowed);
                    reader.start(tree.name(node), attribute);
                }
                Kind::Document => {}
            },
            Edge::Leave(node) if tree.is_element(node) => reader.end(tree.name(node)),
            Edge::Leave(_) => {}
        }
        if reader.has_text() {
            return false;
        }
    }
    reader.is_shell()
}

/// Reads the signs of a shell from the tags and texts of a page, in their order.
#[derive(Debug, Default)]
pub(super) struct ShellReader {
    scripts: bool,
    /// Text outside of the regions below.
    text: Sample,
    /// Text in elements for scripts to fill.
    mount_text: Sample,
    /// Text in placeholders.
    placeholder_text: Sample,
    /// Text in main elements, which counts in the others as well.
    main_bytes: usize,
    /// Text in navigation, headers, footers and dialogs.
    chrome_bytes: usize,
    /// The title, and texts of `noscript`.
    aside: Sample,
    noscript: NoscriptWords,
    /// There is an element for scripts to fill.
    has_mount: bool,
    has_main: bool,
    has_placeholder: bool,
    /// There is an empty element with an id.
    has_empty: bool,
    /// A `noscript` asks for JavaScript.
    demands: bool,
    /// There are elements that a challenge for bots has.
    challenges: bool,
    /// Fields, frames and media outside of navigation, headers, footers and dialogs.
    controls: usize,
    /// Pictures outside of navigation, headers, footers, dialogs and placeholders.
    images: usize,
    mount_images: usize,
    /// The last tag opened an element with an id.
    pending: bool,
    hidden: Region,
    /// A `style` or `script` in a `noscript`.
    raw: Region,
    chrome: Region,
    mount: Region,
    placeholder: Region,
    main: Region,
}

/// The beginning of a text, and its length.
#[derive(Debug, Default)]
struct Sample {
    /// In lower case.
    start: String,
    bytes: usize,
}

impl Sample {
    fn add(&mut self, text: &str) {
        self.bytes += text.len();
        if self.start.len() < MAX_ASIDE_BYTES {
            if !self.start.is_empty() {
                self.start.push(' ');
            }
            self.start.push_str(&names::truncate(text, MAX_ASIDE_BYTES).to_lowercase());
        }
    }
}

/// An element that is open, with the elements of the same name in it.
#[derive(Debug, Default)]
struct Region {
    name: String,
    depth: u32,
}

impl Region {
    fn open(&mut self, name: &str) {
        if self.depth == 0 {
            self.name.clear();
            self.name.push_str(name);
            self.depth = 1;
        }
    }

    fn enter(&mut self, name: &str) {
        if self.depth > 0 && self.name == name {
            self.depth += 1;
        }
    }

    fn leave(&mut self, name: &str) {
        if self.depth > 0 && self.name == name {
            self.depth -= 1;
        }
    }

    const fn is_open(&self) -> bool {
        self.depth > 0
    }
}

impl ShellReader {
    /// Reads a start tag; its name is in lower case.
    pub(super) fn start<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) {
        self.pending = false;
        if self.hidden.is_open() {
            if self.hidden.name == "noscript" && matches!(name, "style" | "script") {
                self.raw.open(name);
            }
            // `<noscript><meta http-equiv=refresh ...>` sends browsers without JavaScript away.
            self.demands |= self.hidden.name == "noscript"
                && name == "meta"
                && attribute("http-equiv").is_some_and(|kind| kind.eq_ignore_ascii_case("refresh"));
            return;
        }
        let is_shadow_root = || attribute("shadowrootmode").is_some_and(|mode| is_shadow_mode(&mode));
        if vocabulary::is_hidden(name) || (name == "template" && !is_shadow_root()) {
            self.hidden.open(name);
        }
        if self.has_text() {
            return;
        }
        for region in [&mut self.chrome, &mut self.mount, &mut self.placeholder, &mut self.main] {
            region.enter(name);
        }
        match name {
            "script" => {
                let kind = attribute("type").unwrap_or_default();
                self.scripts |= !vocabulary::is_data(&kind);
                let source = attribute("src").unwrap_or_default();
                self.challenges |= vocabulary::path_of(prefix(&source)).contains("challenge");
            }
            // The names of the whole page say nothing about its parts.
            "html" | "body" => self.has_placeholder |= attribute("ng-app").is_some(),
            "img" => {
                let names = ["src", "class", "id"].map(|name| attribute(name).unwrap_or_default());
                let is_splash = names.iter().any(|name| vocabulary::names_splash(prefix(name)));
                let counts = !is_splash && !self.chrome.is_open() && !self.placeholder.is_open();
                self.images += usize::from(counts);
                self.mount_images += usize::from(counts && self.mount.is_open());
            }
            "input" | "textarea" | "select" | "iframe" | "frame" | "video" | "audio" | "canvas"
            | "object" | "embed" => {
                let is_unseen = attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"))
                    || attribute("width").is_some_and(|width| matches!(&*width, "0" | "1"))
                    // A script fills this frame, or uses it for the history of the browser.
                    || attribute("src").is_some_and(|source| source.starts_with("javascript:"));
                self.controls += usize::from(!is_unseen && !self.chrome.is_open());
            }
            _ if !vocabulary::is_void(name) && !self.hidden.is_open() => self.read_region(name, attribute),
            _ => {}
        }
    }

    /// Reads the start tag of an element that may be a region.
    fn read_region<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) {
        let (id, class) = (attribute("id").unwrap_or_default(), attribute("class").unwrap_or_default());
        let role = attribute("role").unwrap_or_default();
        self.pending = !id.is_empty();
        self.challenges |= [&id, &class].into_iter().any(|name| vocabulary::names_challenge(prefix(name)));
        // A link within the page skips its navigation.
        let is_skip_link = name == "a" && attribute("href").is_some_and(|href| href.starts_with('#'));
        if is_skip_link || vocabulary::is_chrome(name, &role) {
            return self.chrome.open(name);
        }
        let is_main = name == "main" || role == "main";
        if is_main || name == "article" {
            // They are never in navigation: an end tag is missing.
            self.chrome.depth = 0;
        }
        if is_main {
            self.has_main = true;
            self.main.open(name);
        }
        let is_placeholder = attribute("aria-busy").is_some_and(|busy| busy == "true")
            || matches!(&*role, "progressbar" | "status")
            || [&id, &class].into_iter().any(|name| vocabulary::names_placeholder(prefix(name)));
        if is_placeholder {
            self.has_placeholder = true;
            self.placeholder.open(name);
        }
        let is_block = matches!(name, "div" | "main" | "section" | "article");
        let is_mount = matches!(name, "ng-view" | "ui-view")
            // A `main` element is often named so, and is no sign by itself.
            || (is_block && vocabulary::is_mount(&id) && (name == "div" || &*id != "main"))
            || vocabulary::MOUNT_ATTRIBUTES.into_iter().any(|name| attribute(name).is_some())
            || (name.contains('-') && vocabulary::is_root_element(name));
        if is_mount {
            self.has_mount = true;
            self.mount.open(name);
        }
    }

    /// Reads an end tag; its name is in lower case.
    pub(super) fn end(&mut self, name: &str) {
        self.has_empty |= std::mem::take(&mut self.pending);
        if self.hidden.is_open() {
            self.raw.leave(name);
            self.hidden.leave(name);
            if name == "body" {
                self.hidden.depth = 0;
            }
            return;
        }
        for region in [&mut self.chrome, &mut self.mount, &mut self.placeholder, &mut self.main] {
            region.leave(name);
        }
    }

    /// Reads a piece of text.
    pub(super) fn text(&mut self, text: &str) {
        if self.has_text() {
            return;
        }
        let text = text.trim();
        // In one pass over the tags, references are not decoded.
        if text.is_empty() || text == "&nbsp;" {
            return;
        }
        if self.hidden.is_open() {
            match self.hidden.name.as_str() {
                "title" => self.aside.add(text),
                "noscript" if !self.raw.is_open() => {
                    self.noscript.add(text);
                    self.demands |= vocabulary::demands_scripts(text);
                    self.aside.add(text);
                }
                _ => {}
            }
            return;
        }
        self.pending = false;
        // A template that its framework has not filled in.
        if text.contains("{{") && text.contains("}}") {
            self.has_placeholder = true;
            return;
        }
        if self.chrome.is_open() {
            self.chrome_bytes += text.len();
            return;
        }
        if self.main.is_open() {
            self.main_bytes += text.len();
        }
        if self.placeholder.is_open() {
            self.placeholder_text.add(text);
        } else if self.mount.is_open() {
            self.mount_text.add(text);
        } else {
            self.text.add(text);
        }
    }

    /// True inside an element whose text is not shown, except for the title.
    pub(super) fn is_hidden(&self) -> bool {
        self.hidden.is_open() && self.hidden.name != "title"
    }

    /// True once the page has too much text for a shell.
    fn has_text(&self) -> bool {
        self.bytes() > MAX_SHELL_BYTES
    }

    /// Bytes of text that count. A short placeholder does not.
    fn bytes(&self) -> usize {
        let placeholder = match self.placeholder_text.bytes {
            ..=MAX_PLACEHOLDER_BYTES => 0,
            bytes => bytes,
        };
        self.text.bytes + self.mount_text.bytes + placeholder
    }

    /// The result, after the last tag.
    pub(super) fn is_shell(&self) -> bool {
        if !self.scripts || self.controls > 0 || self.has_text() || self.is_challenge() {
            return false;
        }
        // The page is there for readers without JavaScript, such as this one.
        if self.noscript.of_content() > MAX_NOSCRIPT_WORDS {
            return false;
        }
        if self.has_mount {
            let text = &self.mount_text;
            return (text.bytes == 0 && self.mount_images == 0)
                || (text.bytes <= MAX_PLACEHOLDER_BYTES && vocabulary::says_loading(&text.start))
                || (text.bytes <= MAX_SENTENCE_BYTES && vocabulary::is_demand(&text.start));
        }
        let bytes = self.bytes();
        let is_main_empty = self.has_main && self.main_bytes == 0;
        if bytes == 0 {
            let is_blank = self.images == 0
                && (self.chrome_bytes == 0 || (is_main_empty && self.chrome_bytes <= MAX_CHROME_BYTES));
            return self.demands || is_blank || (self.has_placeholder && self.images <= 1);
        }
        if bytes <= MAX_LOADING_BYTES && vocabulary::says_loading(&self.text.start) {
            return true;
        }
        if self.demands {
            return bytes <= MAX_DEMAND_BYTES || is_main_empty || self.has_empty;
        }
        bytes <= MAX_SENTENCE_BYTES && vocabulary::is_demand(&self.text.start)
    }

    /// Is it a page that a site shows to suspected bots?
    fn is_challenge(&self) -> bool {
        self.challenges
            || [&self.aside, &self.text, &self.mount_text, &self.placeholder_text]
                .into_iter()
                .any(|sample| vocabulary::is_challenge(&sample.start))
    }
}
