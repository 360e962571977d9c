//! The rules of a page's own style sheets that hide elements by class or id.
//!
//! Only rules without a condition are read: no `@media`, no pseudo-class, no attribute. An element is hidden
//! if such a rule hides it and none shows it, whichever would win in a browser.

use std::collections::HashMap;

use memchr::memmem;

use super::hides;
use crate::names;
use crate::tree::{Attr, NodeId, Tag, Tree};

/// Maximum number of bytes of style sheets that are read.
const MAX_BYTES: usize = 400_000;

/// Maximum number of rules that are kept.
const MAX_RULES: usize = 2_000;

/// Maximum length of a selector list, in bytes.
const MAX_SELECTOR_BYTES: usize = 400;

/// Maximum number of compound selectors of a rule, with those of its ancestors.
const MAX_COMPOUNDS: usize = 4;

/// Maximum number of ancestors that are matched.
const MAX_ANCESTORS: usize = 24;

/// Maximum number of rules that are matched with one element.
const MAX_MATCHES: usize = 50;

/// The names and the tag that one element must have.
#[derive(Debug, Default)]
struct Compound {
    tag: String,
    id: String,
    classes: Vec<String>,
}

/// A rule for elements with some ancestors.
#[derive(Debug)]
struct Rule {
    /// The element last.
    compounds: Vec<Compound>,
    hides: bool,
}

/// The rules of a page that hide elements or show them.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    rules: Vec<Rule>,
    /// The rules by a class or an id of their elements.
    by_name: HashMap<String, Vec<usize>>,
}

impl Sheet {
    /// Reads the `style` elements in the source of a page.
    pub(super) fn of_page(tree: &Tree, text: &str) -> Self {
        let mut sheet = Self::default();
        if tree.elements_with_tag(Tag::Style).next().is_none() {
            return sheet;
        }
        let mut left = MAX_BYTES;
        let mut rest = text;
        while let Some(at) = memmem::find(rest.as_bytes(), b"<style") {
            let after = rest.get(at..).unwrap_or_default();
            let Some((_, body)) = after.split_once('>') else { break };
            let end = memmem::find(body.as_bytes(), b"</").unwrap_or(body.len());
            let (css, after) = body.split_at_checked(end).unwrap_or((body, ""));
            let Some(spare) = left.checked_sub(css.len()) else { break };
            left = spare;
            if css.contains("display") || css.contains("visibility") {
                sheet.read(&without_comments(css));
            }
            rest = after;
        }
        if !sheet.rules.iter().any(|rule| rule.hides) {
            return Self::default();
        }
        sheet
    }

    /// Reads rules. Those in `@layer` and `@supports` count, those in other groups do not.
    fn read(&mut self, css: &str) {
        let mut rest = css;
        while let Some((prelude, after)) = rest.split_once('{') {
            let prelude = prelude.rsplit(['}', ';']).next().unwrap_or_default().trim();
            if prelude.starts_with("@layer") || prelude.starts_with("@supports") {
                rest = after;
                continue;
            }
            let end = if prelude.starts_with('@') { end_of_group(after) } else { after.find('}') };
            let (body, behind) = after.split_at_checked(end.unwrap_or(after.len())).unwrap_or((after, ""));
            if !prelude.starts_with('@') && prelude.len() <= MAX_SELECTOR_BYTES {
                self.rule(prelude, body);
            }
            rest = behind.get(1..).unwrap_or_default();
            if self.rules.len() >= MAX_RULES {
                return;
            }
        }
    }

    fn rule(&mut self, selectors: &str, body: &str) {
        let hides = hides(body);
        if !hides && !body.contains("display") && !body.contains("visibility") {
            return;
        }
        for selector in selectors.split(',') {
            let Some(compounds) = compounds(selector) else { continue };
            let Some(last) = compounds.last() else { continue };
            let Some(name) = last.classes.first().or(Some(&last.id)).filter(|name| !name.is_empty()) else {
                continue;
            };
            self.by_name.entry(name.clone()).or_default().push(self.rules.len());
            self.rules.push(Rule { compounds, hides });
        }
    }

    /// Does a rule hide an element, and none show it?
    pub(super) fn hides(&self, tree: &Tree, node: NodeId) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        let id = tree.attribute(node, Attr::Id).map(names::prefix);
        let names = names::class_words(names::class(tree, node)).chain(id);
        let rules = names.filter_map(|name| self.by_name.get(name)).flatten().take(MAX_MATCHES);
        let matching = rules.filter_map(|at| self.rules.get(*at)).filter(|rule| rule.matches(tree, node));
        let (mut hidden, mut shown) = (false, false);
        for rule in matching {
            hidden |= rule.hides;
            shown |= !rule.hides;
        }
        hidden && !shown
    }
}

impl Rule {
    fn matches(&self, tree: &Tree, node: NodeId) -> bool {
        let mut compounds = self.compounds.iter().rev();
        let is_own = compounds.next().is_some_and(|own| own.matches(tree, node));
        let mut ancestors = tree.ancestors(node).take(MAX_ANCESTORS);
        is_own && compounds.all(|compound| ancestors.any(|around| compound.matches(tree, around)))
    }
}

impl Compound {
    fn matches(&self, tree: &Tree, node: NodeId) -> bool {
        let words = || names::class_words(names::class(tree, node));
        (self.tag.is_empty() || self.tag.eq_ignore_ascii_case(tree.name(node)))
            && (self.id.is_empty() || tree.attribute(node, Attr::Id) == Some(self.id.as_str()))
            && self.classes.iter().all(|class| words().any(|word| word == class))
    }
}

/// The compound selectors of a selector of names and tags with ancestors. `None` for any other selector.
fn compounds(selector: &str) -> Option<Vec<Compound>> {
    let compounds: Option<Vec<Compound>> = selector.split_ascii_whitespace().map(compound).collect();
    compounds.filter(|compounds| (1..=MAX_COMPOUNDS).contains(&compounds.len()))
}

fn compound(text: &str) -> Option<Compound> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let mut compound = Compound::default();
    let mut rest = text;
    while !rest.is_empty() {
        let (sign, after) = match rest.strip_prefix(['.', '#']) {
            Some(after) => (rest.chars().next(), after),
            None => (None, rest),
        };
        let end = after.find(|c: char| !is_name(c)).unwrap_or(after.len());
        let (name, behind) = after.split_at_checked(end)?;
        if name.is_empty() {
            return None;
        }
        match sign {
            Some('.') => compound.classes.push(name.to_owned()),
            Some(_) => name.clone_into(&mut compound.id),
            None if rest.len() == text.len() => name.clone_into(&mut compound.tag),
            None => return None,
        }
        rest = behind;
    }
    Some(compound)
}

fn without_comments(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// The position of the brace that ends a group.
fn end_of_group(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn rules_without_a_condition_hide_by_name() {
        let rows = [
            (".key{display:none}", true),
            ("a,.key , b { color: red; display : none !important }", true),
            ("span.key{visibility:hidden}", true),
            ("#one{display:none}", true),
            (".cell .key{display:none}", true),
            (".cell.wide .key{display:none}", false),
            ("/* .x{} */ @import 'y'; .key{display:none}", true),
            ("@layer base{.key{display:none}}", true),
            ("@media print{.key{display:none}}", false),
            ("@media print{a{b:c}} .key{display:none}", true),
            (".key{display:none} .key.open{display:inline}", true),
            (".key{display:none} .cell .key{display:inline}", false),
            (".key:hover{display:none}", false),
            (".key::before{display:none}", false),
            ("span{display:none}", false),
            (".other{display:none}", false),
            (".key{color:red}", false),
        ];
        for (css, expected) in rows {
            let html =
                format!("<style>{css}</style><div class=cell><span id=one class='a key'>x</span></div>");
            let tree = parse(&html, ParseOptions::default());
            let node = tree.find(Tag::Span).unwrap();
            assert_eq!(Sheet::of_page(&tree, &html).hides(&tree, node), expected, "{css}");
        }
    }
}
