//! Features of the link around a segment: the kind of page that it leads to.

use super::{Features, flag, scaled};
use crate::markup::{NodeId, Tree};
use crate::page::truncate;
use crate::segment::address::{Target, without_www};
use crate::segment::outline::NodeFacts;
use crate::segment::view::View;
use crate::segment::wording::Wording;

/// Longest address of a link that is read, in bytes.
const MAX_HREF_BYTES: usize = 400;
/// Upper bound on the steps of a path that are compared.
const MAX_STEPS: usize = 8;

/// Steps of the paths of pages about a person.
const PERSON_STEPS: &[&str] = &[
    "author",
    "authors",
    "auteur",
    "auteurs",
    "autor",
    "autore",
    "autores",
    "autoren",
    "contributor",
    "contributors",
    "editor",
    "journalist",
    "journalists",
    "member",
    "members",
    "mitglied",
    "people",
    "person",
    "profil",
    "profile",
    "profiles",
    "redacteur",
    "staff",
    "team",
    "u",
    "user",
    "users",
    "writer",
    "writers",
    "yazar",
];
/// Steps of the paths of pages that list what belongs together.
const GROUP_STEPS: &[&str] = &[
    "c",
    "cat",
    "categoria",
    "categories",
    "category",
    "categorie",
    "channel",
    "collection",
    "collections",
    "forum",
    "forums",
    "kategorie",
    "rubrik",
    "rubrique",
    "section",
    "sections",
    "tag",
    "tags",
    "topic",
    "topics",
];

/// The `href` and the `rel` of a link, both cut.
fn attributes<'a>(tree: &Tree<'a>, link: NodeId) -> (&'a str, &'a str) {
    let (mut href, mut rel) = ("", "");
    for (key, value) in tree.attributes(link).iter().copied() {
        if key.eq_ignore_ascii_case("href") {
            href = truncate(value.trim(), MAX_HREF_BYTES);
        } else if key.eq_ignore_ascii_case("rel") {
            rel = truncate(value, MAX_HREF_BYTES);
        }
    }
    (href, rel)
}

/// Where its link leads.
pub(super) fn write(view: &View<'_, '_>, facts: &NodeFacts, wording: &Wording, to: &mut Features) {
    let Some(link) = facts.link() else { return };
    let (href, rel) = attributes(view.tree, link);
    to.link_author = flag(has_relation(rel, "author"));
    to.link_tag = flag(has_relation(rel, "tag"));
    let Some(target) = Target::read(href) else { return };
    let is_same_host = is_same_host(view, &target);
    let is_same_page = is_same_host && (target.path.is_empty() || target.path == view.evidence.url.path());
    to.link_same_page = flag(is_same_page);
    to.link_same_host = flag(is_same_host && !is_same_page);
    to.link_other_host = flag(!is_same_host);
    to.link_depth = scaled(target.steps().count());
    to.link_start = flag(is_same_host && target.is_start());
    to.link_person = flag(is_same_host && is_of_person(&target, href));
    to.link_group = flag(is_same_host && names(&target, GROUP_STEPS));
    to.link_above = flag(is_same_host && !is_same_page && is_above(&target, view.evidence.url.path()));
    to.link_has_word = flag(wording.shares_word(&Wording::read(target.path)));
}

/// Whether the link around a node, if there is one, leads to a person of this site or to the author.
pub(super) fn leads_to_person_or_author(view: &View<'_, '_>, node: NodeId) -> bool {
    let Some(link) = view.outline.facts(node).link() else { return false };
    let (href, rel) = attributes(view.tree, link);
    has_relation(rel, "author")
        || Target::read(href).is_some_and(|target| is_same_host(view, &target) && is_of_person(&target, href))
}

fn has_relation(rel: &str, name: &str) -> bool {
    rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(name))
}

fn is_same_host(view: &View<'_, '_>, target: &Target<'_>) -> bool {
    target.host.is_none_or(|host| {
        let own = view.evidence.url.host_str().unwrap_or_default();
        without_www(host).eq_ignore_ascii_case(without_www(own))
    })
}

fn is_of_person(target: &Target<'_>, href: &str) -> bool {
    names(target, PERSON_STEPS) || names_user(target, href)
}

/// Whether a step of the path is one of these words, or has one of them as its first word.
fn names(target: &Target<'_>, words: &[&str]) -> bool {
    target.steps().take(MAX_STEPS).any(|step| {
        let first = step.split(['-', '_', '.']).next().unwrap_or_default();
        words.iter().any(|word| word.eq_ignore_ascii_case(step) || word.eq_ignore_ascii_case(first))
    })
}

/// Whether an address leads to a user: `/@ada`, `/~ada`, `member.php?u=3`.
fn names_user(target: &Target<'_>, href: &str) -> bool {
    let query = href.split_once('?').map_or("", |(_, query)| query);
    let key = query.split(['=', '&']).next().unwrap_or_default();
    target.steps().take(MAX_STEPS).any(|step| step.len() > 1 && step.starts_with(['@', '~']))
        || ["u", "user", "userid", "user_id", "author", "uid"]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(key))
}

/// Whether an address is that of a folder around the page.
fn is_above(target: &Target<'_>, own: &str) -> bool {
    let path = target.path.trim_end_matches('/');
    !path.is_empty() && own.strip_prefix(path).is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_persons_and_groups_are_told_apart() {
        let rows = [
            ("/author/ada-holm", true, false),
            ("https://a.example/@ada", true, false),
            ("member.php?u=31", true, false),
            ("/forums/garden.4/", false, true),
            ("/category/garden", false, true),
            ("/2021/red-cup", false, false),
        ];
        for (href, is_person, is_group) in rows {
            let target = Target::read(href).unwrap();
            let person = is_of_person(&target, href);
            assert_eq!((person, names(&target, GROUP_STEPS)), (is_person, is_group), "{href}");
        }
    }

    #[test]
    fn folders_around_the_page_are_above_it() {
        for (href, expected) in [("/news/", true), ("/news/garden", true), ("/new", false), ("/", false)] {
            let target = Target::read(href).unwrap();
            assert_eq!(is_above(&target, "/news/garden/red-cup"), expected, "{href}");
        }
    }
}
