//! Removes advertisements and cookie dialogs from a page that is kept whole (`blockAds`).
//!
//! They are recognized by the names that authors give elements (ids, classes, roles), from a list of our own.
//! Alternative: the filter lists of browsers. They name thousands of sites and need a browser's view of the
//! page; these words work on any site. If the name of a dialog does not decide, its text does.
//!
//! `consent.js` in gleaner-browser has a list of names for rendered pages. It also sees the position of a
//! box, so a part of a name is enough there.

use std::collections::HashMap;

use crate::names;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// Names that always mark an advertisement.
const ADS: &[&str] = &[
    "ad",
    "ads",
    "adv",
    "advert",
    "adverts",
    "advertisement",
    "advertisements",
    "advertising",
    "adsbygoogle",
    "adbox",
    "adslot",
    "adunit",
    "adspace",
    "adwrapper",
    "adcontainer",
    "sponsored",
    "banner-ad",
    "sponsored-links",
];

/// Prefixes of names of advertisements.
const AD_PREFIXES: &[&str] = &["google_ads", "div-gpt-ad", "dfp-", "gpt-ad", "adslot"];

/// Words that follow `ad-` in names of advertisements; a number may follow too. `ad-hoc` and `ad-lib` are not
/// matched.
const AD_SLOT_WORDS: &[&str] = &[
    "area",
    "banner",
    "billboard",
    "block",
    "bottom",
    "box",
    "break",
    "card",
    "column",
    "container",
    "content",
    "desktop",
    "footer",
    "frame",
    "header",
    "holder",
    "inline",
    "inner",
    "label",
    "leaderboard",
    "left",
    "mobile",
    "native",
    "placeholder",
    "placement",
    "position",
    "rail",
    "rectangle",
    "right",
    "row",
    "section",
    "sidebar",
    "sky",
    "skyscraper",
    "slot",
    "slots",
    "space",
    "sticky",
    "text",
    "top",
    "unit",
    "units",
    "widget",
    "wrap",
    "wrapper",
    "zone",
];

/// Suffixes of names of advertisements.
const AD_SUFFIXES: &[&str] = &["-ad", "-ads", "_ad", "_ads", "-advert", "-advertisement"];

/// Words about cookies, and words for dialogs. A name that begins with one of each marks a cookie dialog.
const COOKIES: &[&str] = &["cookie", "cookies", "gdpr", "consent", "ccpa"];
const DIALOGS: &[&str] = &[
    "alert",
    "banner",
    "bar",
    "compliance",
    "consent",
    "dialog",
    "disclaimer",
    "law",
    "modal",
    "notice",
    "notification",
    "overlay",
    "popup",
    "prompt",
    "warning",
];

/// Words that may precede them.
const NEUTRAL_PREFIXES: &[&str] = &["cc", "cmp", "eu", "global", "js", "page", "site", "the", "wp"];

/// Words for containers, which cookie dialogs share with other elements. In a name with a word about cookies,
/// the style or the text of the element must also show that it is a dialog.
const CONTAINER_WORDS: &[&str] =
    &["box", "container", "info", "layer", "manager", "message", "pop", "root", "sdk", "wrap", "wrapper"];

/// Beginnings of words that ask for consent, in the most frequent languages of pages.
const CONSENT_TEXTS: &[&str] = &[
    "we use",
    "uses cookies",
    "use of cookies",
    "consent",
    "privacy",
    "accept",
    "agree",
    "zustimm",
    "akzept",
    "datenschutz",
    "acept",
    "privacidad",
    "aceit",
    "privacidade",
    "accett",
    "privato",
    "confidentialit",
    "accord",
    "toestemming",
    "samtyc",
    "zgod",
    "同意",
];

/// Name prefixes of the dialogs of common consent tools.
const CONSENT_TOOL_PREFIXES: &[&str] =
    &["onetrust-", "cybotcookiebot", "cc-window", "cc-banner", "cmpbox", "qc-cmp2", "didomi-", "truste_"];

/// Bytes of a dialog's text that are searched for words about cookies.
const DIALOG_TEXT_BYTES: usize = 600;

/// An element with more than one part in this many of a page's text is content, whatever its name.
const MAX_TEXT_SHARE: usize = 3;

/// Hides advertisements and cookie dialogs.
pub(crate) fn hide(tree: &Tree, view: &mut View) {
    let bytes = text_bytes(tree);
    let all = bytes.first().copied().unwrap_or(0);
    for root in view.roots.clone() {
        let mut walk = Walk::new(tree, root);
        while let Some(edge) = walk.next() {
            let Edge::Enter(node) = edge else { continue };
            if !tree.is_element(node) {
                continue;
            }
            if view.hidden.contains(node) {
                walk.skip_children();
                continue;
            }
            let small =
                bytes.get(node.index()).copied().unwrap_or(0) * MAX_TEXT_SHARE <= all.max(DIALOG_TEXT_BYTES);
            if small && is_ad_or_dialog(tree, node) {
                view.hidden.insert(node);
                walk.skip_children();
            }
        }
    }
}

/// Upper bound on the ancestors of a node that are checked.
const MAX_ANCESTORS: usize = 24;

/// Checks the ancestors of nodes, each element once.
pub(crate) struct AncestorCache<'t> {
    tree: &'t Tree,
    results: HashMap<NodeId, bool>,
}

impl<'t> AncestorCache<'t> {
    /// An empty cache.
    pub(crate) fn new(tree: &'t Tree) -> Self {
        Self { tree, results: HashMap::new() }
    }

    /// True if a node is inside an advertisement or a cookie dialog.
    pub(crate) fn is_within_ad(&mut self, node: NodeId) -> bool {
        let (tree, results) = (self.tree, &mut self.results);
        tree.ancestors(node)
            .take(MAX_ANCESTORS)
            .any(|ancestor| *results.entry(ancestor).or_insert_with(|| is_ad_or_dialog(tree, ancestor)))
    }
}

/// The bytes of text below each node.
fn text_bytes(tree: &Tree) -> Vec<usize> {
    let mut bytes = vec![0_usize; tree.len()];
    for edge in Walk::new(tree, NodeId::DOCUMENT) {
        let Edge::Leave(node) = edge else { continue };
        let own = match tree.kind(node) {
            Kind::Text => tree.text(node).trim().len(),
            _ => bytes.get(node.index()).copied().unwrap_or(0),
        };
        if let Some(slot) = tree.parent(node).and_then(|parent| bytes.get_mut(parent.index())) {
            *slot += own;
        }
    }
    bytes
}

fn is_ad_or_dialog(tree: &Tree, node: NodeId) -> bool {
    if matches!(tree.tag(node), Tag::Html | Tag::Body | Tag::Main | Tag::Article | Tag::A | Tag::P) {
        return false;
    }
    let names = || {
        [Attr::Id, Attr::Class]
            .into_iter()
            .filter_map(|name| tree.attribute(node, name))
            .flat_map(names::class_words)
            .filter(|name| name.len() <= 80)
    };
    if names().any(|name| is_ad(&name.to_ascii_lowercase()) || is_consent(tree, node, name)) {
        return true;
    }
    let label = tree.attribute(node, Attr::AriaLabel).unwrap_or_default();
    if ["advertisement", "advertisements", "ads"].iter().any(|word| label.eq_ignore_ascii_case(word)) {
        return true;
    }
    let is_dialog = matches!(tree.attribute(node, Attr::Role), Some("dialog" | "alertdialog"))
        || tree.has(node, Attr::AriaModal)
        || tree.tag(node) == Tag::Dialog;
    is_dialog && {
        let text = tree.folded_text(node, DIALOG_TEXT_BYTES).to_lowercase();
        ["cookie", "gdpr", "consent"].iter().any(|word| text.contains(word))
    }
}

fn is_ad(name: &str) -> bool {
    ADS.contains(&name)
        || AD_PREFIXES.iter().any(|start| name.starts_with(start))
        || AD_SUFFIXES.iter().any(|end| name.ends_with(end))
        || {
            let mut words = name.split(['-', '_']);
            matches!(words.next(), Some("ad" | "ads" | "advert"))
                && words.next().is_some_and(|slot| {
                    AD_SLOT_WORDS.contains(&slot)
                        || (!slot.is_empty() && slot.bytes().all(|byte| byte.is_ascii_digit()))
                })
        }
}

fn is_consent(tree: &Tree, node: NodeId, name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    if CONSENT_TOOL_PREFIXES.iter().any(|start| lower.starts_with(start)) {
        return true;
    }
    if !COOKIES.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let words = words(name);
    let mut rest = words.iter().map(String::as_str).skip_while(|word| NEUTRAL_PREFIXES.contains(word));
    let first = rest.next().unwrap_or_default();
    let second = rest.next().unwrap_or_default();
    // `cookiebanner` is one word, `cookie-banner` two.
    let joined =
        COOKIES.iter().any(|word| first.strip_prefix(word).is_some_and(|rest| DIALOGS.contains(&rest)));
    if joined || (COOKIES.contains(&first) && DIALOGS.contains(&second)) {
        return true;
    }
    let is_container = CONTAINER_WORDS.iter().chain(DIALOGS).any(|word| lower.contains(word));
    is_container && (is_overlay(tree, node) || asks_for_consent(tree, node))
}

/// The words of a name: `cookie-banner`, `cookie_banner` and `CookieBanner` each have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        if matches!(c, '-' | '_') || (after_lower && c.is_ascii_uppercase()) {
            words.push(String::new());
        }
        after_lower = c.is_ascii_lowercase();
        if let Some(word) = words.last_mut().filter(|_| !matches!(c, '-' | '_')) {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// True if the inline style of an element lays it over the page.
fn is_overlay(tree: &Tree, node: NodeId) -> bool {
    tree.attribute(node, Attr::Style).is_some_and(|style| {
        style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(property, value)| {
            property.trim().eq_ignore_ascii_case("position")
                && ["fixed", "sticky"].iter().any(|position| value.trim().eq_ignore_ascii_case(position))
        })
    })
}

/// True if the text of an element asks for consent to cookies.
fn asks_for_consent(tree: &Tree, node: NodeId) -> bool {
    let text = tree.folded_text(node, DIALOG_TEXT_BYTES).to_lowercase();
    ["cookie", "gdpr", "consent"].iter().any(|word| text.contains(word))
        && CONSENT_TEXTS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    fn kept(inner: &str) -> String {
        let html = format!("<body><main><p>{}</p></main>{inner}</body>", "The text of the page. ".repeat(40));
        let tree = parse(&html, ParseOptions::default());
        let mut view = View::whole(&tree);
        hide(&tree, &mut view);
        let mut out = String::new();
        let mut walk = Walk::new(&tree, NodeId::DOCUMENT);
        while let Some(edge) = walk.next() {
            if let Edge::Enter(node) = edge {
                if view.hidden.contains(node) {
                    walk.skip_children();
                }
                out.push_str(tree.text(node));
            }
        }
        out.split("page. ").last().unwrap_or_default().to_owned()
    }

    #[test]
    fn advertisements_and_cookie_dialogs_are_recognized_by_their_names() {
        let hidden = [
            "<div class='ad'>x</div>",
            "<div id=div-gpt-ad-123>x</div>",
            "<ins class=adsbygoogle>x</ins>",
            "<aside class='sidebar-ad'>x</aside>",
            "<div class='cookie-banner'>x</div>",
            "<div id=CookieConsentDialog>x</div>",
            "<div id=onetrust-consent-sdk>x</div>",
            "<div role=dialog>We use cookies.</div>",
            "<div aria-label=Advertisement>x</div>",
            "<div class=ad-slot>x</div>",
            "<div id=ad_300>x</div>",
            "<div class=eu-cookie-notice>x</div>",
            "<div class=cookiebar>x</div>",
            "<div id=cookie-container>We use cookies. Accept all</div>",
            "<div class=cookie-wrapper style='position: fixed'>x</div>",
        ];
        for html in hidden {
            assert_eq!(kept(html), "", "{html}");
        }
        let shown = [
            ("<div class='add-to-cart'>x</div>", "x"),
            ("<div class='header'>x</div>", "x"),
            ("<div class='cookie-recipes'>x</div>", "x"),
            ("<div class='ad-hoc'>x</div>", "x"),
            ("<div id='ad-lib'>x</div>", "x"),
            ("<div id='chocolate-cookies-container'>Cookies, baked.</div>", "Cookies, baked."),
            ("<div class='informed-consent-message'>x</div>", "x"),
            ("<div role=dialog>Sign in</div>", "Sign in"),
            ("<article class='ad'>x</article>", "x"),
            ("<div class='download'>x</div>", "x"),
        ];
        for (html, text) in shown {
            assert_eq!(kept(html), text, "{html}");
        }
    }

    #[test]
    fn an_element_with_most_of_the_text_is_never_hidden() {
        let html = format!("<body><div class='ads'><p>{}</p></div></body>", "text ".repeat(400));
        let tree = parse(&html, ParseOptions::default());
        let mut view = View::whole(&tree);
        hide(&tree, &mut view);
        let container = tree.child_elements(tree.find(Tag::Body).unwrap()).next().unwrap();
        assert!(!view.hidden.contains(container));
    }
}
