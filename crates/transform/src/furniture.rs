//! What `blockAds` takes off a page that is kept whole: advertisements and cookie dialogs.
//!
//! By what authors call such elements (ids, classes, roles), from a list of our own. Lists of filters that browsers use
//! name sites by the thousand and need a browser's view of a page; these words hold on any site. The text of a dialog
//! decides where its name does not.

use std::collections::HashMap;

use crate::names;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// Names that stand for advertisements as they are.
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

/// What names of advertisements begin with.
const AD_STARTS: &[&str] = &["google_ads", "div-gpt-ad", "dfp-", "gpt-ad", "adslot"];

/// What follows `ad-` in names of advertisements; a number does too. `ad-hoc` and `ad-lib` are none.
const AD_PLACES: &[&str] = &[
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

/// What names of advertisements end with.
const AD_ENDS: &[&str] = &["-ad", "-ads", "_ad", "_ads", "-advert", "-advertisement"];

/// Words of cookie dialogs, and words for dialogs: a name that begins with one of each stands for a cookie dialog.
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

/// What may stand before them.
const NEUTRAL: &[&str] = &["cc", "cmp", "eu", "global", "js", "page", "site", "the", "wp"];

/// Words that a cookie dialog shares with much else: beside a word of cookies anywhere in a name, what the element looks
/// like or says must tell.
const FRAMES: &[&str] =
    &["box", "container", "info", "layer", "manager", "message", "pop", "root", "sdk", "wrap", "wrapper"];

/// Beginnings of words that ask for consent, in the languages that most pages are in.
const ASKING: &[&str] = &[
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

/// Names that common consent programs give their dialogs.
const CONSENT: &[&str] =
    &["onetrust-", "cybotcookiebot", "cc-window", "cc-banner", "cmpbox", "qc-cmp2", "didomi-", "truste_"];

/// Words about cookies are looked for in so many bytes of a dialog's text.
const DIALOG_BYTES: usize = 600;

/// What holds more than one part in so many of a page's text is the page, whatever it is called.
const SHARE: usize = 3;

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
            let small = bytes.get(node.index()).copied().unwrap_or(0) * SHARE <= all.max(DIALOG_BYTES);
            if small && is_furniture(tree, node) {
                view.hidden.insert(node);
                walk.skip_children();
            }
        }
    }
}

/// A node is looked at so far up for furniture around it, in elements.
const STEPS: usize = 24;

/// What is known of the elements around the nodes of a tree, each looked at once.
pub(crate) struct Around<'t> {
    tree: &'t Tree,
    is_furniture: HashMap<NodeId, bool>,
}

impl<'t> Around<'t> {
    /// Nothing was looked at yet.
    pub(crate) fn new(tree: &'t Tree) -> Self {
        Self { tree, is_furniture: HashMap::new() }
    }

    /// Does a node stand in an advertisement or a cookie dialog?
    pub(crate) fn surrounds(&mut self, node: NodeId) -> bool {
        let (tree, known) = (self.tree, &mut self.is_furniture);
        tree.ancestors(node)
            .take(STEPS)
            .any(|around| *known.entry(around).or_insert_with(|| is_furniture(tree, around)))
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

fn is_furniture(tree: &Tree, node: NodeId) -> bool {
    if matches!(tree.tag(node), Tag::Html | Tag::Body | Tag::Main | Tag::Article | Tag::A | Tag::P) {
        return false;
    }
    let names = || {
        [Attr::Id, Attr::Class]
            .into_iter()
            .filter_map(|name| tree.attribute(node, name))
            .flat_map(names::words)
            .filter(|name| name.len() <= 80)
    };
    if names().any(|name| is_ad(&name.to_ascii_lowercase()) || is_consent(tree, node, name)) {
        return true;
    }
    let label = tree.attribute(node, Attr::AriaLabel).unwrap_or_default();
    if ["advertisement", "advertisements", "ads"].iter().any(|word| label.eq_ignore_ascii_case(word)) {
        return true;
    }
    let dialog = matches!(tree.attribute(node, Attr::Role), Some("dialog" | "alertdialog"))
        || tree.has(node, Attr::AriaModal)
        || tree.tag(node) == Tag::Dialog;
    dialog && {
        let text = tree.folded_text(node, DIALOG_BYTES).to_lowercase();
        ["cookie", "gdpr", "consent"].iter().any(|word| text.contains(word))
    }
}

fn is_ad(name: &str) -> bool {
    ADS.contains(&name)
        || AD_STARTS.iter().any(|start| name.starts_with(start))
        || AD_ENDS.iter().any(|end| name.ends_with(end))
        || {
            let mut words = name.split(['-', '_']);
            matches!(words.next(), Some("ad" | "ads" | "advert"))
                && words.next().is_some_and(|place| {
                    AD_PLACES.contains(&place)
                        || (!place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit()))
                })
        }
}

fn is_consent(tree: &Tree, node: NodeId, name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    if CONSENT.iter().any(|start| lower.starts_with(start)) {
        return true;
    }
    if !COOKIES.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let words = words(name);
    let mut said = words.iter().map(String::as_str).skip_while(|word| NEUTRAL.contains(word));
    let first = said.next().unwrap_or_default();
    let second = said.next().unwrap_or_default();
    // `cookie-banner` and `cookiebanner`.
    let glued =
        COOKIES.iter().any(|word| first.strip_prefix(word).is_some_and(|rest| DIALOGS.contains(&rest)));
    if glued || (COOKIES.contains(&first) && DIALOGS.contains(&second)) {
        return true;
    }
    let framed = FRAMES.iter().chain(DIALOGS).any(|word| lower.contains(word));
    framed && (is_laid_over(tree, node) || asks(tree, node))
}

/// The words of a name: `cookie-banner`, `cookie_banner` and `CookieBanner` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if matches!(c, '-' | '_') || (small && c.is_ascii_uppercase()) {
            words.push(String::new());
        }
        small = c.is_ascii_lowercase();
        if let Some(word) = words.last_mut().filter(|_| !matches!(c, '-' | '_')) {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Does an element's own style put it over the page?
fn is_laid_over(tree: &Tree, node: NodeId) -> bool {
    tree.attribute(node, Attr::Style).is_some_and(|style| {
        style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(property, value)| {
            property.trim().eq_ignore_ascii_case("position")
                && ["fixed", "sticky"].iter().any(|place| value.trim().eq_ignore_ascii_case(place))
        })
    })
}

/// Does an element ask for consent to cookies?
fn asks(tree: &Tree, node: NodeId) -> bool {
    let text = tree.folded_text(node, DIALOG_BYTES).to_lowercase();
    ["cookie", "gdpr", "consent"].iter().any(|word| text.contains(word))
        && ASKING.iter().any(|word| text.contains(word))
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
    fn advertisements_and_cookie_dialogs_are_told_by_their_names() {
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
    fn what_holds_the_page_is_never_hidden() {
        let html = format!("<body><div class='ads'><p>{}</p></div></body>", "text ".repeat(400));
        let tree = parse(&html, ParseOptions::default());
        let mut view = View::whole(&tree);
        hide(&tree, &mut view);
        let around = tree.elements(tree.find(Tag::Body).unwrap()).next().unwrap();
        assert!(!view.hidden.contains(around));
    }
}
