//! Reads the attributes of an element that segments need, in one pass.

use memchr::memchr2_iter;

use crate::markup::{NodeId, Tree, lower_case};
use crate::page::truncate;

/// Longest attribute that is searched for words, in bytes.
const MAX_NAME_BYTES: usize = 400;

/// What the names of breadcrumb trails contain.
const BREADCRUMB: &[u8] = b"breadcrumb";

/// Last words of the names of attributes that state a code: `data-product-sku`.
const CODE_WORDS: [&str; 10] =
    ["sku", "id", "code", "ean", "gtin", "mpn", "isbn", "ref", "article", "reference"];

/// The attributes of an element that segments and places are read from, as written; empty if absent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ElementAttributes<'a> {
    pub(super) alt: &'a str,
    pub(super) aria_label: &'a str,
    pub(super) class: &'a str,
    pub(super) datetime: &'a str,
    pub(super) height: &'a str,
    pub(super) href: &'a str,
    pub(super) id: &'a str,
    pub(super) itemprop: &'a str,
    /// The address of an image that a program loads later.
    pub(super) lazy_src: &'a str,
    pub(super) role: &'a str,
    pub(super) src: &'a str,
    pub(super) srcset: &'a str,
    pub(super) style: &'a str,
    pub(super) title: &'a str,
    pub(super) value: &'a str,
    pub(super) width: &'a str,
    /// The first attribute whose name ends in one of [`CODE_WORDS`], with its value.
    pub(super) code: Option<(&'a str, &'a str)>,
}

impl<'a> ElementAttributes<'a> {
    pub(super) fn read(tree: &Tree<'a>, node: NodeId) -> Self {
        let mut found = Self::default();
        for (key, value) in tree.attributes(node).iter().copied() {
            let slot = match lower_case(key, &mut [0; 10]) {
                b"alt" => &mut found.alt,
                b"aria-label" => &mut found.aria_label,
                b"class" => &mut found.class,
                b"data-src" => &mut found.lazy_src,
                b"datetime" => &mut found.datetime,
                b"height" => &mut found.height,
                b"href" => &mut found.href,
                b"id" => &mut found.id,
                b"itemprop" => &mut found.itemprop,
                b"role" => &mut found.role,
                b"src" => &mut found.src,
                b"srcset" => &mut found.srcset,
                b"style" => &mut found.style,
                b"title" => &mut found.title,
                b"value" => &mut found.value,
                b"width" => &mut found.width,
                _ if ends_with(key, b"-srcset") => &mut found.srcset,
                _ if ends_with(key, b"-src") || key.eq_ignore_ascii_case("data-original") => {
                    &mut found.lazy_src
                }
                _ => {
                    if found.code.is_none() && names_code(key) {
                        found.code = Some((key, value));
                    }
                    continue;
                }
            };
            if slot.is_empty() {
                *slot = value.trim();
            }
        }
        found
    }

    /// Whether one of its names says that it is a breadcrumb trail.
    pub(super) fn is_named_breadcrumb(&self) -> bool {
        [self.class, self.id, self.aria_label, self.role].iter().any(|name| {
            let name = truncate(name, MAX_NAME_BYTES).as_bytes();
            memchr2_iter(b'b', b'B', name).any(|at| {
                let part = name.get(at..at + BREADCRUMB.len()).unwrap_or_default();
                part.eq_ignore_ascii_case(BREADCRUMB)
            })
        })
    }

    /// The words of its class, id and property, as written: `product-description` is two.
    pub(super) fn name_words(&self) -> impl Iterator<Item = &'a str> {
        [self.class, self.id, self.itemprop].into_iter().flat_map(|name| {
            let words = truncate(name, MAX_NAME_BYTES).split(|found: char| !found.is_alphanumeric());
            words.filter(|word| !word.is_empty())
        })
    }
}

fn ends_with(key: &str, end: &[u8]) -> bool {
    let key = key.as_bytes();
    let last = key.len().checked_sub(end.len()).and_then(|start| key.get(start..));
    last.is_some_and(|last| last.eq_ignore_ascii_case(end))
}

/// Whether the name of an attribute ends in one of [`CODE_WORDS`].
fn names_code(key: &str) -> bool {
    let is_data = key.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data-"));
    is_data
        && key
            .rsplit(['-', '_'])
            .next()
            .is_some_and(|last| CODE_WORDS.iter().any(|word| word.eq_ignore_ascii_case(last)))
}
