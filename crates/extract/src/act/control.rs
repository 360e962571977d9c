//! Finds the controls of a page that a browser can press, fill in or select.

use hashbrown::HashMap;

use url::Url;

use super::excluded_forms::{ExcludedForms, is_personal, is_search_role};
use super::off_limits::is_off_limits;
use super::selectors::{is_frame_content, selectors};
use crate::bind::words;
use crate::markup::{NodeId, Tree};
use crate::page::{Page, truncate};

/// Upper bound on the controls of one page.
pub const MAX_CONTROLS: usize = 120;
/// Upper bound on the links among them; links can also be followed without a browser.
pub const MAX_CONTROL_LINKS: usize = 40;
/// Upper bound on the bytes of a control's text.
const MAX_LABEL_BYTES: usize = 80;
/// Upper bound on the options of a choice.
const MAX_OPTIONS: usize = 40;
/// Upper bound on the bytes of an option's text and of its value.
const MAX_OPTION_BYTES: usize = 60;
/// Words in the class names of elements that scripts make controls.
const CLASS_WORDS: [&str; 12] = [
    "accordion",
    "btn",
    "button",
    "dropdown",
    "expand",
    "more",
    "next",
    "pager",
    "pagination",
    "tab",
    "toggle",
    "trigger",
];
/// Attributes that say that a script makes an element a control.
const SCRIPT_ATTRIBUTES: [&str; 12] = [
    "aria-controls",
    "aria-expanded",
    "aria-haspopup",
    "data-action",
    "data-bs-target",
    "data-bs-toggle",
    "data-target",
    "data-toggle",
    "onclick",
    "onmousedown",
    "onmouseenter",
    "onmouseover",
];

/// How a control is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ControlKind {
    /// It is pressed: a button, a tab, a summary, or an element that a script makes one.
    Button,
    /// It is pressed: a link to a page of the same host.
    Link,
    /// It is pressed: a check box or a radio button.
    Toggle,
    /// A text is written into it.
    Field,
    /// One of its options is chosen.
    Choice,
}

/// An option of a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlOption {
    /// Its text.
    pub label: String,
    /// The value that selects it.
    pub value: String,
}

/// A part of a page that can be pressed or filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// How it is used.
    pub kind: ControlKind,
    /// A CSS selector that matches it alone.
    pub selector: String,
    /// Its visible text in one line, or what stands for it.
    pub label: String,
    /// The options of a [choice](ControlKind::Choice).
    pub options: Vec<ControlOption>,
}

/// An element that may be a control.
struct Candidate {
    node: NodeId,
    end: NodeId,
    kind: ControlKind,
    label: String,
    options: Vec<ControlOption>,
    /// Only its attributes suggest that it is a control, so one inside of it is preferred.
    is_weak: bool,
}

/// The controls of a page in page order, at most [`MAX_CONTROLS`], without those that are never used.
///
/// The HTML should be that of a browser, after the page's scripts have run: selectors refer to it.
///
/// ```
/// use gleaner_extract::{Page, controls};
///
/// let html = r#"<html><body><ul id=list></ul><button id=more>Load more</button><button>Buy now</button>
///     <form method=post><button>Go</button></form></body></html>"#;
/// let found = controls(&Page::new("https://shop.example/".parse()?, html));
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].selector.as_str(), found[0].label.as_str()), ("#more", "Load more"));
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn controls(page: &Page) -> Vec<Control> {
    let tree = Tree::parse(page.html(), &page.interrupt);
    let candidates = candidates(&tree, &page.url);
    let nodes: Vec<NodeId> = candidates.iter().map(|candidate| candidate.node).collect();
    let selectors = selectors(&tree, &nodes);
    let controls = candidates.into_iter().zip(selectors).filter_map(|(candidate, selector)| {
        let Candidate { kind, label, options, .. } = candidate;
        Some(Control { kind, selector: selector?, label, options })
    });
    controls.collect()
}

fn candidates(tree: &Tree<'_>, url: &Url) -> Vec<Candidate> {
    let (forms, labels) = (ExcludedForms::read(tree), labels(tree));
    let mut found: Vec<Candidate> = Vec::new();
    let mut links = 0;
    let mut frame_end = NodeId(0);
    for node in tree.nodes() {
        if found.len() >= MAX_CONTROLS {
            break;
        }
        if is_frame_content(tree, node) {
            frame_end = frame_end.max(tree.end(node));
        }
        if tree.name(node).is_empty()
            || node < frame_end
            || tree.is_hidden(node)
            || found.last().is_some_and(|last| !last.is_weak && node < last.end)
        {
            continue;
        }
        let Some((kind, is_weak)) = classify(tree, node, url) else { continue };
        if kind == ControlKind::Link && links == MAX_CONTROL_LINKS {
            continue;
        }
        if is_disabled(tree, node) || forms.contain(tree, node) || is_never_pressed(tree, node, kind) {
            continue;
        }
        let label = label(tree, node, kind, &labels);
        if label.is_empty() {
            continue;
        }
        let options = if kind == ControlKind::Choice { options(tree, node) } else { Vec::new() };
        // The innermost is the control: a list of tabs is none.
        while found.last().is_some_and(|last| last.is_weak && node < last.end) {
            found.pop();
        }
        links += usize::from(kind == ControlKind::Link);
        found.push(Candidate { node, end: tree.end(node), kind, label, options, is_weak });
    }
    found
}

/// The kind of control that an element is, and whether only its attributes suggest it.
fn classify(tree: &Tree<'_>, node: NodeId, url: &Url) -> Option<(ControlKind, bool)> {
    let attribute = |name: &str| tree.attribute(node, name).unwrap_or_default();
    let role = attribute("role").trim().to_ascii_lowercase();
    match tree.name(node).to_ascii_lowercase().as_str() {
        "button" => {
            let resets = attribute("type").trim().eq_ignore_ascii_case("reset");
            return (!resets).then_some((ControlKind::Button, false));
        }
        "summary" => return Some((ControlKind::Button, false)),
        "input" => {
            if is_personal(tree, node) {
                return None;
            }
            let kind = match attribute("type").trim().to_ascii_lowercase().as_str() {
                "submit" | "button" | "image" => ControlKind::Button,
                "checkbox" | "radio" => ControlKind::Toggle,
                "" | "text" | "search" | "number" | "date" => ControlKind::Field,
                _ => return None,
            };
            return Some((kind, false));
        }
        "textarea" => return is_search_role(&role).then_some((ControlKind::Field, false)),
        "select" => return Some((ControlKind::Choice, false)),
        "a" | "area" => {
            if let Some(link) = link(tree, node, url) {
                return link.map(|kind| (kind, false));
            }
        }
        "html" | "body" | "form" | "label" => return None,
        _ => {}
    }
    match role.as_str() {
        "button" | "link" | "menuitem" | "option" | "tab" => return Some((ControlKind::Button, false)),
        "checkbox" | "menuitemcheckbox" | "menuitemradio" | "radio" | "switch" => {
            return Some((ControlKind::Toggle, false));
        }
        _ => {}
    }
    let is_suggested = tree.attributes(node).iter().copied().any(|(key, value)| {
        SCRIPT_ATTRIBUTES.iter().any(|known| key.eq_ignore_ascii_case(known))
            || (key.eq_ignore_ascii_case("tabindex") && value.trim() == "0")
            || (key.eq_ignore_ascii_case("class")
                && words(value).iter().any(|word| CLASS_WORDS.contains(&word.as_str())))
    });
    // A long text is content, whatever its class says.
    let is_short = tree.text_of(node).len() <= MAX_LABEL_BYTES;
    (is_suggested && is_short).then_some((ControlKind::Button, true))
}

/// The kind of a link; `Some(None)` if it is not used, `None` if it has no address, so that its other
/// attributes decide.
fn link(tree: &Tree<'_>, node: NodeId, url: &Url) -> Option<Option<ControlKind>> {
    let href = tree.attribute(node, "href")?;
    let href = href.trim();
    let is_script = href.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:"));
    if href.is_empty() || href == "#" || is_script || href.starts_with("#/") || href.starts_with("#!") {
        return Some(Some(ControlKind::Button));
    }
    let opens_window =
        tree.attribute(node, "target").is_some_and(|target| target.trim().eq_ignore_ascii_case("_blank"));
    let target = url.join(href).ok();
    let is_near = target.is_some_and(|target| {
        matches!(target.scheme(), "http" | "https")
            && target.host() == url.host()
            && target.port_or_known_default() == url.port_or_known_default()
    });
    let is_used = is_near && !opens_window && tree.attribute(node, "download").is_none();
    Some(is_used.then_some(ControlKind::Link))
}

fn is_disabled(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.attribute(node, "disabled").is_some()
        || tree
            .attribute(node, "aria-disabled")
            .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

/// Whether the words of a control that is pressed are off limits: its text, its names and its address.
fn is_never_pressed(tree: &Tree<'_>, node: NodeId, kind: ControlKind) -> bool {
    if matches!(kind, ControlKind::Field | ControlKind::Choice) {
        return false;
    }
    let names = ["aria-label", "title", "value", "name", "id", "alt", "href", "formaction", "data-action"];
    is_off_limits(tree.text_of(node))
        || names.iter().filter_map(|name| tree.attribute(node, name)).any(|value| is_off_limits(&value))
}

/// The texts of labels by the ids of their controls.
fn labels(tree: &Tree<'_>) -> HashMap<String, String> {
    let labels = tree.nodes().filter(|node| tree.is(*node, &["label"]));
    let labels = labels.filter_map(|label| Some((tree.attribute(label, "for")?.into_owned(), label)));
    labels.map(|(id, label)| (id, one_line(tree.text_of(label), MAX_LABEL_BYTES))).collect()
}

/// The text of a control, or the first attribute that stands for it.
fn label(tree: &Tree<'_>, node: NodeId, kind: ControlKind, labels: &HashMap<String, String>) -> String {
    let mut texts: Vec<String> = Vec::new();
    let is_input = tree.is(node, &["input", "select", "textarea"]);
    if is_input {
        texts.extend(tree.attribute(node, "id").and_then(|id| labels.get(&*id).cloned()));
        let around = tree.ancestors(node).take(4).find(|above| tree.is(*above, &["label"]));
        if matches!(kind, ControlKind::Field | ControlKind::Toggle) {
            texts.extend(around.map(|label| tree.text_of(label).to_owned()));
        }
    } else {
        texts.push(tree.text_of(node).to_owned());
    }
    let names = ["aria-label", "placeholder", "title", "alt", "value", "name", "id", "class"];
    let names = names.iter().filter(|name| !(kind == ControlKind::Field && **name == "value"));
    texts.extend(names.filter_map(|name| tree.attribute(node, name)).map(String::from));
    let mut lines = texts.iter().map(|text| one_line(text, MAX_LABEL_BYTES));
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// The options of a `select` that can be chosen.
fn options(tree: &Tree<'_>, node: NodeId) -> Vec<ControlOption> {
    let options =
        tree.within(node).filter(|inner| tree.is(*inner, &["option"]) && !is_disabled(tree, *inner));
    let options = options.filter_map(|option| {
        let label = one_line(tree.text_of(option), MAX_OPTION_BYTES);
        let value = tree.attribute(option, "value").filter(|value| !value.is_empty());
        let value = value.map_or_else(|| label.clone(), String::from);
        (!label.is_empty() && value.len() <= MAX_OPTION_BYTES).then_some(ControlOption { label, value })
    });
    options.take(MAX_OPTIONS).collect()
}

/// A text as the part of a line: folded, without control characters and double quotes.
fn one_line(text: &str, bytes: usize) -> String {
    let plain = |found: char| match found {
        '"' => '\'',
        found if found.is_control() => ' ',
        found => found,
    };
    // Folding only shortens, and what is cut off is not read.
    let text: String = truncate(text, bytes * 8).chars().map(plain).collect();
    let folded: Vec<&str> = text.split_whitespace().collect();
    truncate(&folded.join(" "), bytes).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Vec<Control> {
        let html = format!("<html><body>{html}</body></html>");
        controls(&Page::new("https://firm.example/a".parse().unwrap(), html))
    }

    fn labels_of(html: &str) -> Vec<String> {
        of(html).into_iter().map(|control| control.label).collect()
    }

    #[test]
    fn controls_are_found_by_their_elements_roles_and_attributes() {
        let rows: [(&str, &[&str]); 15] = [
            ("<button>Load more</button><button type=reset>R</button>", &["Load more"]),
            ("<input type=submit value=Find><input type=hidden name=h>", &["Find"]),
            ("<details><summary>Terms</summary>x</details>", &["Terms"]),
            ("<ul class=tabs><li role=tab>One</li><li role=tab>Two</li></ul>", &["One", "Two"]),
            ("<div class=pagination><span class=next>Next</span></div>", &["Next"]),
            ("<div onclick='x()'>Open</div><div>plain</div>", &["Open"]),
            ("<a href='#'>A</a><a href='javascript:b()'>B</a><a onclick='c()'>C</a>", &["A", "B", "C"]),
            ("<a href=/b>Near</a><a href='https://else.example/'>Far</a><a>None</a>", &["Near"]),
            ("<a href=/b target=_blank>Window</a><a href=/f download>File</a>", &[]),
            (
                "<button disabled>D</button><button aria-disabled=true>E</button><button hidden>F</button>",
                &[],
            ),
            ("<label for=q>Words</label><input id=q>", &["Words"]),
            ("<label><input type=checkbox name=c> In stock</label>", &["In stock"]),
            ("<div data-frame-url='https://f.example/'><button>In a frame</button></div>", &[]),
            ("<button><span class=btn>Inner</span></button>", &["Inner"]),
            ("<button class=icon aria-label='Next page'></button>", &["Next page"]),
        ];
        for (html, expected) in rows {
            assert_eq!(labels_of(html), expected, "{html}");
        }
    }

    #[test]
    fn what_is_never_used_is_left_out() {
        for html in [
            "<button>Buy now</button>",
            "<button id=delete-account>X</button>",
            "<a href=/logout>Bye</a>",
            "<button aria-label='Send message'>→</button>",
            "<form method=post><input name=q><button>Go</button></form>",
            "<form id=f method=post></form><button form=f>Go</button>",
            "<form><input type=password name=p><input name=user><button>Go</button></form>",
            "<form><input type=file name=f><button>Go</button></form>",
            "<form><input name=n autocomplete=cc-number><button>Go</button></form>",
            "<form><input name=cardNumber><button>Go</button></form>",
            "<form><input name=user-email><button>Go</button></form>",
            "<form><input name=phone><button>Go</button></form>",
            "<form><input name=n autocomplete=tel-national><button>Go</button></form>",
            "<form><textarea name=text></textarea><button>Go</button></form>",
            "<form><input type=email name=e><button>Go</button></form>",
            "<form><input name=q><button formmethod=post>Go</button></form>",
        ] {
            let found = of(html);
            assert!(
                found.iter().all(|control| control.kind == ControlKind::Field && control.label == "q"),
                "{html}"
            );
        }
        let outside = "<form method=post><button>In</button></form><button>Out</button>";
        assert_eq!(labels_of(outside), ["Out"]);
    }

    #[test]
    fn a_choice_has_its_options() {
        let found = of("<select id=s aria-label=Size><option value=''>Any</option><option>Small</option>\
                        <option value=l>Large</option><option disabled>None</option></select>");
        let options: Vec<(&str, &str)> =
            found[0].options.iter().map(|option| (option.label.as_str(), option.value.as_str())).collect();
        assert_eq!((found[0].kind, found[0].label.as_str()), (ControlKind::Choice, "Size"));
        assert_eq!(options, [("Any", "Any"), ("Small", "Small"), ("Large", "l")]);
    }

    #[test]
    fn a_hostile_page_gives_a_bounded_list_of_single_lines() {
        let many = "<button>x</button><a href=/y>y</a>".repeat(2_000);
        let found = of(&many);
        assert_eq!(found.len(), MAX_CONTROLS);
        assert_eq!(
            found.iter().filter(|control| control.kind == ControlKind::Link).count(),
            MAX_CONTROL_LINKS
        );
        let found = of(&format!("<button>a\n\u{7}C9 button \"Go\"{}</button>", "b".repeat(10_000)));
        assert!(found[0].label.starts_with("a C9 button 'Go'bbb"), "{}", found[0].label);
        assert_eq!(found[0].label.len(), MAX_LABEL_BYTES);
    }
}
