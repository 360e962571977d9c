//! The addresses of images: of elements that show one, of backgrounds, and of what a page loads first.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::element_attributes::ElementAttributes;
use crate::markup::{NodeId, Tree, decode};
use crate::page::truncate;

/// Longest style that is searched for an image, in bytes.
const MAX_STYLE_BYTES: usize = 2_000;
/// Longest address that is read, in bytes.
const MAX_ADDRESS_BYTES: usize = 2_000;
/// The endings of files that are images, in lower case.
const ENDINGS: &[&str] = &["jpg", "jpeg", "png", "webp", "avif", "gif"];
/// Names of parameters with the address of the image that a program resizes.
const INNER_PARAMETERS: &[&str] = &["url", "src", "image", "img"];

/// The address of an image; empty if it has none of its own.
pub(super) fn image<'a>(attributes: &ElementAttributes<'a>) -> Cow<'a, str> {
    // Some services have commas in their addresses.
    let first_of_set = attributes.srcset.split_ascii_whitespace().next().unwrap_or_default();
    // A picture inside the page is a placeholder for the one that a program loads later, and so is any
    // picture of an element that also names another one.
    let is_address = |address: &&str| !address.is_empty() && !address.contains('{') && !is_inside(address);
    let all = [attributes.lazy_src, attributes.src, first_of_set.trim_end_matches(',')];
    without_program(all.into_iter().find(is_address).unwrap_or_default())
}

fn is_inside(address: &str) -> bool {
    ["data:", "blob:", "about:"].iter().any(|scheme| address.starts_with(scheme))
}

/// The image that a program resizes, of the address of that program: `/image?url=%2Fcup.jpg&w=640`.
fn without_program(address: &str) -> Cow<'_, str> {
    let query = truncate(address, MAX_ADDRESS_BYTES).split_once('?').map_or("", |(_, query)| query);
    let inner = query.split('&').find_map(|pair| {
        let (name, value) = pair.trim_start_matches("amp;").split_once('=')?;
        INNER_PARAMETERS.contains(&name).then_some(value)
    });
    let decoded = inner.and_then(|inner| percent_decode_str(inner).decode_utf8().ok());
    let is_address = |inner: &Cow<'_, str>| inner.starts_with(['/', 'h']) && is_image_address(inner);
    decoded.filter(is_address).unwrap_or(Cow::Borrowed(address))
}

/// The image in the style of an element.
pub(super) fn background(style: &str) -> Option<&str> {
    let style = truncate(style, MAX_STYLE_BYTES);
    let (_, after) = style.split_once("url(")?;
    let (address, _) = after.split_once(')')?;
    let mut address = address.trim();
    for quote in ["&quot;", "&#34;", "&#39;", "\"", "'"] {
        address = address.trim_start_matches(quote).trim_end_matches(quote);
    }
    is_image_address(address).then_some(address)
}

/// The image that a `link` element says to load first, or to show for the page.
pub(super) fn preloaded<'a>(tree: &Tree<'a>, node: NodeId) -> Option<Cow<'a, str>> {
    let (mut rel, mut kind, mut href, mut set) = ("", "", "", "");
    for (key, value) in tree.attributes(node) {
        if key.eq_ignore_ascii_case("rel") {
            rel = value.trim();
        } else if key.eq_ignore_ascii_case("as") {
            kind = value.trim();
        } else if key.eq_ignore_ascii_case("href") {
            href = value.trim();
        } else if key.eq_ignore_ascii_case("imagesrcset") {
            set = value.trim();
        }
    }
    let is_preload = rel.eq_ignore_ascii_case("preload") && kind.eq_ignore_ascii_case("image");
    if !is_preload && !rel.eq_ignore_ascii_case("image_src") {
        return None;
    }
    let first_of_set = set.split_ascii_whitespace().next().unwrap_or_default().trim_end_matches(',');
    let address = if href.is_empty() { first_of_set } else { href };
    let address = without_program(address);
    let is_image = !is_inside(&address) && !address.ends_with(".svg") && !address.is_empty();
    is_image.then(|| match decode(&address) {
        Cow::Borrowed(_) => address.clone(),
        Cow::Owned(decoded) => Cow::Owned(decoded),
    })
}

/// Whether the path of an address ends like that of an image.
pub(crate) fn is_image_address(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)) && !is_inside(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_have_the_address_of_the_picture_itself() {
        let rows = [
            (("/cup.jpg", "", ""), "/cup.jpg"),
            (("data:image/gif;base64,R0", "/cup.jpg", ""), "/cup.jpg"),
            (("/blank.gif", "/cup.jpg", ""), "/cup.jpg"),
            (
                ("", "", "https://a.example/w_5,h_5/cup.jpg 1x, /b.jpg 2x"),
                "https://a.example/w_5,h_5/cup.jpg",
            ),
            (("/image?url=https%3A%2F%2Fa.example%2Fcup.jpg&w=640", "", ""), "https://a.example/cup.jpg"),
            (("/image?url=cup", "", ""), "/image?url=cup"),
            (("", "{}", ""), ""),
        ];
        for ((src, lazy_src, srcset), expected) in rows {
            let attributes = ElementAttributes { src, lazy_src, srcset, ..ElementAttributes::default() };
            assert_eq!(image(&attributes), expected, "{src} {lazy_src} {srcset}");
        }
    }

    #[test]
    fn backgrounds_are_images_by_their_ending() {
        let rows = [
            ("background-image: url('/cup.jpg?w=5')", Some("/cup.jpg?w=5")),
            ("background:url(&quot;/cup.png&quot;) no-repeat", Some("/cup.png")),
            ("background: url(#pattern)", None),
            ("color: red", None),
        ];
        for (style, expected) in rows {
            assert_eq!(background(style), expected, "{style}");
        }
    }

    #[test]
    fn the_head_names_images() {
        let rows = [
            ("<link rel=preload as=image href=/cup.jpg>", Some("/cup.jpg")),
            ("<link rel=preload as=image imagesrcset='/cup.jpg 1x, /b.jpg 2x'>", Some("/cup.jpg")),
            ("<link rel=image_src href=/cup.jpg>", Some("/cup.jpg")),
            ("<link rel=preload as=font href=/a.woff>", None),
        ];
        for (html, expected) in rows {
            let tree = Tree::parse(html, &gleaner_types::Interrupt::never());
            let node = tree.nodes().find(|node| tree.is(*node, &["link"])).unwrap();
            assert_eq!(preloaded(&tree, node).as_deref(), expected, "{html}");
        }
    }
}
