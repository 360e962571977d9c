//! Finds the links and search forms of a page that lead to other pages.

use hashbrown::HashSet;

use url::Url;

use super::site::SiteUrl;
use crate::markup::{NodeId, Tree};
use crate::page::{Page, truncate};

/// Upper bound on the navigation links of one page.
pub const MAX_NAVIGATION_LINKS: usize = 500;
/// Upper bound on the fields of a form.
const MAX_FORM_FIELDS: usize = 32;
/// Upper bound on the bytes of a link's text.
const MAX_ANCHOR_BYTES: usize = 300;

/// The navigation links of a page: its links with their texts, and its search forms, filled in with `words`.
///
/// A form counts if it is submitted by GET and has one text field: such a form is a query and changes
/// nothing, so its URL can be fetched like that of a link. A form that is submitted by POST, needs a password
/// or runs a script does not count. URLs are `http` or `https`, without a fragment and without duplicates.
///
/// ```
/// use gleaner_extract::{Page, navigation_links};
///
/// let html = r#"<a href="/team">Our team</a>
///     <form action="/find"><input name=q><input type=hidden name=in value=all></form>"#;
/// let page = Page::new("https://firm.example/about".parse()?, html);
/// let links = navigation_links(&page, "board members");
/// let found: Vec<String> = links.iter().map(|link| link.url.to_string()).collect();
/// assert_eq!(found, ["https://firm.example/team", "https://firm.example/find?q=board+members&in=all"]);
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn navigation_links(page: &Page, words: &str) -> Vec<SiteUrl> {
    let tree = Tree::parse(page.html(), &page.interrupt);
    let mut base = page.url.clone();
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut is_based = false;
    for node in tree.nodes() {
        if found.len() >= MAX_NAVIGATION_LINKS {
            break;
        }
        let link = if tree.is(node, &["base"]) && !is_based {
            if let Some(url) = tree.attribute(node, "href").and_then(|href| page.url.join(href.trim()).ok()) {
                (base, is_based) = (url, true);
            }
            None
        } else if tree.is(node, &["a", "area"]) {
            anchor_link(&tree, node, &base)
        } else if tree.is(node, &["form"]) && !words.is_empty() {
            form_link(&tree, node, &base, words)
        } else {
            None
        };
        let Some(mut link) = link.filter(|link| matches!(link.url.scheme(), "http" | "https")) else {
            continue;
        };
        link.url.set_fragment(None);
        if seen.insert(link.url.clone()) {
            found.push(link);
        }
    }
    found
}

fn anchor_link(tree: &Tree<'_>, node: NodeId, base: &Url) -> Option<SiteUrl> {
    let url = base.join(tree.attribute(node, "href")?.trim()).ok()?;
    let text = truncate(tree.text_of(node), MAX_ANCHOR_BYTES);
    Some(SiteUrl { anchor: (!text.is_empty()).then(|| text.to_owned()), ..SiteUrl::new(url) })
}

/// The URL of a search form (HTML Standard, 4.10.21: submission by GET replaces the query).
fn form_link(tree: &Tree<'_>, node: NodeId, base: &Url, words: &str) -> Option<SiteUrl> {
    if tree.attribute(node, "method").is_some_and(|method| !method.trim().eq_ignore_ascii_case("get")) {
        return None;
    }
    let action = tree.attribute(node, "action").unwrap_or_default();
    let mut url = base.join(action.trim()).ok()?;
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut text_field = None;
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
            "" | "text" | "search" if text_field.is_none() && !name.is_empty() => {
                text_field = Some(name.clone());
                fields.push((name, words.to_owned()));
            }
            "hidden" if !name.is_empty() => fields.push((name, value)),
            "hidden" | "submit" | "button" | "reset" | "image" => {}
            // Another field: its value is unknown.
            _ => return None,
        }
        if fields.len() > MAX_FORM_FIELDS {
            return None;
        }
    }
    let label = tree.attribute(node, "aria-label").unwrap_or_default();
    let anchor = format!("{} {words}", truncate(&label, MAX_ANCHOR_BYTES));
    text_field?;
    url.query_pairs_mut().clear().extend_pairs(&fields);
    Some(SiteUrl { anchor: Some(anchor.trim().to_owned()), ..SiteUrl::new(url) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(html: &str) -> Vec<String> {
        let page = Page::new("https://firm.example/a/b".parse().unwrap(), html);
        navigation_links(&page, "tea").into_iter().map(|link| link.url.to_string()).collect()
    }

    #[test]
    fn links_are_resolved_without_duplicates() {
        let rows: [(&str, &str, &[&str]); 5] = [
            ("relative", "<a href=c>C</a><a href='c#x'>C</a>", &["https://firm.example/a/c"]),
            ("a base", "<base href=/z/><a href=c>C</a>", &["https://firm.example/z/c"]),
            ("not a page", "<a href='javascript:x()'>C</a><a href='mailto:a@b.example'>M</a><a>N</a>", &[]),
            ("an area", "<map><area href=/m></map>", &["https://firm.example/m"]),
            ("broken", "<a href='http://['>x</a>", &[]),
        ];
        for (name, html, expected) in rows {
            assert_eq!(urls(html), expected, "{name}");
        }
        let page = Page::new("https://firm.example/".parse().unwrap(), "<a href=/t><b>Our</b> team</a>");
        assert_eq!(navigation_links(&page, "")[0].anchor.as_deref(), Some("Our team"));
        assert_eq!(urls(&"<a href=/x>x</a>".repeat(1_000)).len(), 1);
    }

    #[test]
    fn only_query_forms_count() {
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
