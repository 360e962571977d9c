use std::collections::HashSet;

use url::Url;

use super::site::SiteUrl;
use crate::markup::{NodeId, Tree};
use crate::page::{Page, truncate};

/// Ways on that are read off one page.
pub const MAX_WAYS: usize = 500;
/// Fields of one form that are sent.
const MAX_FORM_FIELDS: usize = 32;
/// Bytes of a link's text that are kept.
const MAX_ANCHOR_BYTES: usize = 300;

/// The ways on from a page: its links with their texts, and its search forms, filled with `words`.
///
/// A form counts where it is sent by GET and has one field to write in: such a form asks for something and changes nothing, so that its address
/// can be fetched as a link's can. What is sent by POST, needs a password or runs a script is no way. Addresses are of `http` or
/// `https`, without a fragment, and each comes once.
///
/// ```
/// use gleaner_extract::{Page, ways};
///
/// let html = r#"<a href="/team">Our team</a><form action="/find"><input name=q><input type=hidden name=in value=all></form>"#;
/// let page = Page::new("https://firm.example/about".parse()?, html);
/// let found: Vec<String> = ways(&page, "board members").iter().map(|way| way.url.to_string()).collect();
/// assert_eq!(found, ["https://firm.example/team", "https://firm.example/find?q=board+members&in=all"]);
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn ways(page: &Page, words: &str) -> Vec<SiteUrl> {
    let tree = Tree::parse(page.html(), &page.interrupt);
    let mut base = page.url.clone();
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut is_based = false;
    for node in tree.nodes() {
        if found.len() >= MAX_WAYS {
            break;
        }
        let way = if tree.is(node, &["base"]) && !is_based {
            if let Some(url) = tree.attribute(node, "href").and_then(|href| page.url.join(href.trim()).ok()) {
                (base, is_based) = (url, true);
            }
            None
        } else if tree.is(node, &["a", "area"]) {
            link(&tree, node, &base)
        } else if tree.is(node, &["form"]) && !words.is_empty() {
            form(&tree, node, &base, words)
        } else {
            None
        };
        let Some(mut way) = way.filter(|way| matches!(way.url.scheme(), "http" | "https")) else { continue };
        way.url.set_fragment(None);
        if seen.insert(way.url.clone()) {
            found.push(way);
        }
    }
    found
}

fn link(tree: &Tree<'_>, node: NodeId, base: &Url) -> Option<SiteUrl> {
    let url = base.join(tree.attribute(node, "href")?.trim()).ok()?;
    let text = truncate(tree.text_of(node), MAX_ANCHOR_BYTES);
    Some(SiteUrl { anchor: (!text.is_empty()).then(|| text.to_owned()), ..SiteUrl::new(url) })
}

/// The address that a search form leads to (HTML Standard, 4.10.21: submission by GET replaces the query).
fn form(tree: &Tree<'_>, node: NodeId, base: &Url, words: &str) -> Option<SiteUrl> {
    if tree.attribute(node, "method").is_some_and(|method| !method.trim().eq_ignore_ascii_case("get")) {
        return None;
    }
    let action = tree.attribute(node, "action").unwrap_or_default();
    let mut url = base.join(action.trim()).ok()?;
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut asked = None;
    for inner in tree.within(node) {
        if tree.is(inner, &["textarea", "select"]) {
            return None;
        }
        if !tree.is(inner, &["input"]) {
            continue;
        }
        let kind = tree.attribute(inner, "type").unwrap_or_default().trim().to_ascii_lowercase();
        let name = tree.attribute(inner, "name").unwrap_or_default().into_owned();
        let value = tree.attribute(inner, "value").unwrap_or_default().into_owned();
        match kind.as_str() {
            "" | "text" | "search" if asked.is_none() && !name.is_empty() => {
                asked = Some(name.clone());
                fields.push((name, words.to_owned()));
            }
            "hidden" if !name.is_empty() => fields.push((name, value)),
            "hidden" | "submit" | "button" | "reset" | "image" => {}
            // Another field to fill: what belongs into it is not known.
            _ => return None,
        }
        if fields.len() > MAX_FORM_FIELDS {
            return None;
        }
    }
    let label = tree.attribute(node, "aria-label").unwrap_or_default();
    let anchor = format!("{} {words}", truncate(&label, MAX_ANCHOR_BYTES));
    asked?;
    url.query_pairs_mut().clear().extend_pairs(&fields);
    Some(SiteUrl { anchor: Some(anchor.trim().to_owned()), ..SiteUrl::new(url) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(html: &str) -> Vec<String> {
        let page = Page::new("https://firm.example/a/b".parse().unwrap(), html);
        ways(&page, "tea").into_iter().map(|way| way.url.to_string()).collect()
    }

    #[test]
    fn links_are_resolved_and_come_once() {
        let rows: [(&str, &str, &[&str]); 5] = [
            ("relative", "<a href=c>C</a><a href='c#x'>C</a>", &["https://firm.example/a/c"]),
            ("a base", "<base href=/z/><a href=c>C</a>", &["https://firm.example/z/c"]),
            ("no page", "<a href='javascript:x()'>C</a><a href='mailto:a@b.example'>M</a><a>N</a>", &[]),
            ("an area", "<map><area href=/m></map>", &["https://firm.example/m"]),
            ("broken", "<a href='http://['>x</a>", &[]),
        ];
        for (name, html, expected) in rows {
            assert_eq!(urls(html), expected, "{name}");
        }
        let page = Page::new("https://firm.example/".parse().unwrap(), "<a href=/t><b>Our</b> team</a>");
        assert_eq!(ways(&page, "")[0].anchor.as_deref(), Some("Our team"));
        assert_eq!(urls(&"<a href=/x>x</a>".repeat(1_000)).len(), 1);
    }

    #[test]
    fn forms_that_only_ask_are_ways() {
        let rows: [(&str, &str, &[&str]); 7] = [
            (
                "search",
                "<form action='/s?old=1'><input type=search name=q></form>",
                &["https://firm.example/s?q=tea"],
            ),
            (
                "get",
                "<form method=GET><input name=q><input type=submit name=go></form>",
                &["https://firm.example/a/b?q=tea"],
            ),
            ("post", "<form method=post action=/s><input name=q></form>", &[]),
            ("a password", "<form><input name=user><input type=password name=p></form>", &[]),
            ("two fields", "<form><input name=from><input name=to></form>", &[]),
            ("a choice", "<form><input name=q><select name=in><option>x</select></form>", &[]),
            ("nothing to fill", "<form action=/out><input type=hidden name=t value=1></form>", &[]),
        ];
        for (name, html, expected) in rows {
            assert_eq!(urls(html), expected, "{name}");
        }
    }
}
