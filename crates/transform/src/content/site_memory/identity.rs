//! What identifies a block on other pages of its site: hashes of its text, of the page that it links to, and
//! of its place in the template.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::super::blocks::{Block, Blocks};
use crate::names;
use crate::tree::{Attr, NodeId, Tag, Tree};
use crate::words::is_of_word;

/// Bytes of a text that are compared, without white space and punctuation. The number of words is compared
/// too.
const MAX_TEXT_BYTES: usize = 256;

/// Upper bound on the text nodes of a block that are searched for links.
const MAX_TEXT_NODES: usize = 32;

/// Upper bound on the distance from a text node to its link, in elements.
const MAX_LINK_ANCESTORS: usize = 3;

/// The ancestors that make up a place. With fewer, two lists of one page may be the same place; with more, a
/// wrapper that only some pages have splits a place.
const PLACE_ANCESTORS: usize = 6;

/// Upper bound on the bytes of a URL. Each block of a link reads it again.
const MAX_URL_BYTES: usize = 2_048;

/// Upper bound on the bytes of a class name that are compared.
const MAX_CLASS_BYTES: usize = 40;

/// The hashes of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    pub(super) text: u64,
    /// The page that it links to, if it is little more than one link.
    pub(super) target: Option<u64>,
    /// The place in the template, if it is a link.
    pub(super) place: Option<u64>,
}

/// What a hash is of, so that equal bytes of two kinds differ.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Site,
    Text,
    Target,
    Place,
}

/// Hashes with a secret, so that no page can prepare texts whose hashes are equal.
#[derive(Debug, Default)]
pub(super) struct Secret(RandomState);

impl Secret {
    fn hash(&self, kind: Kind, site: u64, number: u64, bytes: &[u8]) -> u64 {
        let mut hasher = self.0.build_hasher();
        hasher.write_u8(kind as u8);
        hasher.write_u64(site);
        hasher.write_u64(number);
        hasher.write(bytes);
        hasher.finish()
    }

    /// The key of the site with this host and port.
    pub(super) fn site(&self, host: &str, port: Option<u16>) -> u64 {
        let host = host.strip_prefix("www.").unwrap_or(host);
        self.hash(Kind::Site, 0, port.map_or(0, u64::from), host.as_bytes())
    }
}

/// Reads the identities of blocks of one page.
pub(super) struct Reader<'p> {
    secret: &'p Secret,
    site: u64,
    tree: &'p Tree,
    /// The bytes to hash, in an allocation that all blocks share.
    buffer: Vec<u8>,
}

impl<'p> Reader<'p> {
    pub(super) fn new(secret: &'p Secret, site: u64, tree: &'p Tree) -> Self {
        Self { secret, site, tree, buffer: Vec::with_capacity(2 * MAX_TEXT_BYTES) }
    }

    /// The identity of a block; `None` if it has no letter.
    pub(super) fn identity(&mut self, blocks: &Blocks, block: &Block) -> Option<Identity> {
        let nodes = blocks.nodes_of(block);
        self.buffer.clear();
        for node in nodes {
            fold(self.tree.text(*node), &mut self.buffer);
            if self.buffer.len() >= MAX_TEXT_BYTES {
                break;
            }
        }
        if self.buffer.is_empty() {
            return None;
        }
        let text = self.secret.hash(Kind::Text, self.site, u64::from(block.words), &self.buffer);
        let target = if block.is_link_alone() { self.target(nodes) } else { None };
        let place = nodes.first().filter(|_| block.is_link()).map(|node| self.place(*node));
        Some(Identity { text, target, place })
    }

    /// The place of a text node: the names and classes of its nearest ancestors, without the digits that
    /// number them.
    fn place(&mut self, node: NodeId) -> u64 {
        let tree = self.tree;
        self.buffer.clear();
        for ancestor in tree.ancestors(node).take(PLACE_ANCESTORS) {
            let tag = tree.tag(ancestor);
            // The classes of the whole page say nothing about its parts.
            if matches!(tag, Tag::Body | Tag::Html) {
                break;
            }
            self.buffer.push(tag as u8);
            let first = names::class_words(names::class(tree, ancestor)).next().unwrap_or_default();
            self.buffer.extend(first.bytes().filter(|byte| !byte.is_ascii_digit()).take(MAX_CLASS_BYTES));
        }
        self.secret.hash(Kind::Place, self.site, 0, &self.buffer)
    }

    /// The page that all links lead to. A relative URL is none, because it names different pages on different
    /// pages. A very long one is none either.
    fn target(&self, nodes: &[NodeId]) -> Option<u64> {
        let mut target = None;
        for node in nodes.iter().take(MAX_TEXT_NODES) {
            let mut near = self.tree.ancestors(*node).take(MAX_LINK_ANCESTORS);
            let Some(link) = near.find(|ancestor| self.tree.tag(*ancestor) == Tag::A) else { continue };
            let href = self.tree.attribute(link, Attr::Href).filter(|href| href.len() <= MAX_URL_BYTES)?;
            let href = href.split('#').next()?;
            let is_first = target.is_none();
            if *target.get_or_insert(href) != href || (is_first && !names_page(href)) {
                return None;
            }
        }
        Some(self.secret.hash(Kind::Target, self.site, 0, target?.as_bytes()))
    }
}

/// True if a URL names the same page on every page of a site.
fn names_page(href: &str) -> bool {
    href.starts_with('/') || href.contains("://")
}

/// Adds the letters and digits of a text in lower case, until there are enough.
fn fold(text: &str, out: &mut Vec<u8>) {
    let left = MAX_TEXT_BYTES.saturating_sub(out.len());
    if text.is_ascii() {
        let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
        out.extend(letters.map(|byte| byte.to_ascii_lowercase()).take(left));
        return;
    }
    let mut bytes = [0; 4];
    let letters = text.chars().filter(|c| is_of_word(*c)).flat_map(char::to_lowercase);
    for letter in letters.take(left) {
        out.extend_from_slice(letter.encode_utf8(&mut bytes).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    /// The identities of the first blocks of two pages.
    fn pair(one: &str, other: &str) -> [Identity; 2] {
        let secret = Secret::default();
        [one, other].map(|html| {
            let tree = parse(html, ParseOptions::default());
            let url = "https://example.org/".parse().unwrap();
            let blocks = collect(&tree, &View::whole(&tree), &url);
            Reader::new(&secret, 1, &tree).identity(&blocks, &blocks.list[0]).unwrap()
        })
    }

    #[test]
    fn texts_are_equal_without_case_white_space_and_punctuation() {
        let long = format!("<p>{}", "word ".repeat(200));
        let longer = format!("{long} word");
        let rows = [
            ("<p>Read <b>more</b>!", "<div> read\n  MORE </div>", true),
            ("<p>Über <i>Öl</i>", "<p>über öl…", true),
            ("<p>窯は熱い。", "<p>窯は熱い", true),
            ("<p>one two", "<p>one three", false),
            ("<p>onetwo", "<p>one two", false),
            (long.as_str(), long.as_str(), true),
            (long.as_str(), longer.as_str(), false),
        ];
        for (one, other, equal) in rows {
            let [first, second] = pair(one, other);
            assert_eq!(first.text == second.text, equal, "{one} and {other}");
        }
    }

    #[test]
    fn links_have_their_targets_and_their_place() {
        // All descendants read the class of an element, so a long one is not read to its end.
        let [behind_digits, other_behind_digits] = ["a", "b"]
            .map(|name| format!("<div class={}{name}><a href=/x>one</a></div>", "1".repeat(10_000)));
        let long = format!("<p><a href=/{}>one</a>", "x".repeat(MAX_URL_BYTES));
        let rows = [
            (
                "<div class=a><a href=/x>one</a></div>",
                "<div class='a b'><a href=/x#part>two</a></div>",
                true,
                true,
            ),
            (
                "<div class=item-1><a href=/x>one</a></div>",
                "<div class=item-22><a href=/y>one</a></div>",
                false,
                true,
            ),
            ("<div class=a><a href=/x>one</a></div>", "<div class=b><a href=/x>one</a></div>", true, false),
            ("<p><a href=/x>one</a>", "<h2><a href=/x>one</a></h2>", true, false),
            ("<body class=home><p><a href=/x>a</a>", "<body class=post><p><a href=/x>a</a>", true, true),
            (behind_digits.as_str(), other_behind_digits.as_str(), true, true),
        ];
        for (one, other, same_target, same_place) in rows {
            let [first, second] = pair(one, other);
            assert!(first.target.is_some() && first.place.is_some(), "{one}");
            assert_eq!(first.target == second.target, same_target, "targets of {one} and {other}");
            assert_eq!(first.place == second.place, same_place, "places of {one} and {other}");
        }
        for (name, html, is_link) in [
            ("a relative URL", "<p><a href=x>one</a>", true),
            ("two pages", "<p><a href=/x>one</a>, <a href=/y>two</a>", true),
            ("a link with a text", "<p>one <a href=/x>two three</a>", true),
            ("a text with a link", "<p>one two three <a href=/x>four</a>", false),
            ("a link within the page", "<h2><a href='#x'>one</a></h2>", false),
            ("a very long URL", long.as_str(), true),
        ] {
            let [own, _] = pair(html, html);
            assert_eq!((own.target, own.place.is_some()), (None, is_link), "{name}");
        }
    }
}
