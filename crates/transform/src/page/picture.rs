//! Finds the real URL of an image: lazy-loading pages put a placeholder into `src` and the URL elsewhere.

use crate::tree::{Attr, NodeId, Tag, Tree};

/// Attributes from which lazy-loading scripts read the URL, most common first.
const LAZY_SOURCES: [Attr; 3] = [Attr::DataSrc, Attr::DataLazySrc, Attr::DataOriginal];

/// The same for sets of sources.
const LAZY_SETS: [Attr; 3] = [Attr::DataSrcset, Attr::DataLazySrcset, Attr::Srcset];

/// True for a tracking pixel.
pub(crate) fn is_tracker(tree: &Tree, image: NodeId) -> bool {
    let tiny = |name| {
        tree.attribute(image, name)
            .is_some_and(|size| matches!(size.trim().trim_end_matches("px"), "0" | "1"))
    };
    tiny(Attr::Width) && tiny(Attr::Height)
}

/// True if a source is a `data:` URL.
pub(crate) fn is_inline(source: &str) -> bool {
    source.trim_start().get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// The URL of an image as the page writes it. A `data:` URL is returned only if there is no other.
pub(crate) fn source(tree: &Tree, image: NodeId) -> Option<&str> {
    let src = tree.attribute(image, Attr::Src).map(str::trim).filter(|src| !src.is_empty());
    let real = |value: &&str| !value.is_empty() && !is_inline(value);
    let lazy =
        || LAZY_SOURCES.iter().find_map(|name| tree.attribute(image, *name).map(str::trim).filter(real));
    let sets = || LAZY_SETS.iter().find_map(|name| tree.attribute(image, *name).and_then(best).filter(real));
    let picture = || {
        sources(tree, image).into_iter().rev().find_map(|source| {
            [Attr::DataSrcset, Attr::Srcset, Attr::DataSrc, Attr::Src]
                .iter()
                .find_map(|name| tree.attribute(source, *name).and_then(best).filter(real))
        })
    };
    lazy().or_else(|| src.filter(|src| !is_inline(src))).or_else(sets).or_else(picture).or(src)
}

/// The `source` elements of an image's `picture`, last first. A picture has one image, after its sources
/// (HTML Standard, 4.8.1). Sources before an earlier image belong to that image, so no source is read twice.
fn sources(tree: &Tree, image: NodeId) -> Vec<NodeId> {
    if tree.parent(image).is_none_or(|parent| tree.tag(parent) != Tag::Picture) {
        return Vec::new();
    }
    std::iter::successors(tree.previous_sibling(image), |node| tree.previous_sibling(*node))
        .take_while(|node| tree.tag(*node) != Tag::Img)
        .filter(|node| tree.tag(*node) == Tag::Source)
        .collect()
}

/// The largest image of a `srcset` (HTML Standard, 4.8.4.3.8).
pub(crate) fn best(srcset: &str) -> Option<&str> {
    let mut best = None;
    let mut most = -1.0_f64;
    for (url, descriptor) in candidates(srcset) {
        let size = descriptor
            .split_ascii_whitespace()
            .find_map(|word| word.trim_end_matches(['w', 'x']).parse::<f64>().ok())
            .unwrap_or(1.0);
        if size > most {
            (best, most) = (Some(url), size);
        }
    }
    best
}

/// URLs and descriptors of a `srcset`. A comma ends a candidate only at the end of a URL or of a descriptor,
/// because URLs may contain commas.
pub(crate) fn candidates(srcset: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (url, after) = rest.split_at_checked(end)?;
        if let Some(bare) = url.strip_suffix(',') {
            rest = after;
            return Some((bare.trim_end_matches(','), ""));
        }
        let (descriptor, after) = after.split_once(',').unwrap_or((after, ""));
        rest = after;
        Some((url, descriptor))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn the_largest_image_is_chosen() {
        let rows = [
            ("a.jpg 1x, b.jpg 2x", "b.jpg"),
            ("a.jpg 320w,b.jpg 640w", "b.jpg"),
            ("/w_1,h_2/a.jpg 100w, /w_2,h_4/a.jpg 50w", "/w_1,h_2/a.jpg"),
            ("only.jpg", "only.jpg"),
            ("one.jpg, two.jpg 2x", "two.jpg"),
        ];
        for (srcset, expected) in rows {
            assert_eq!(best(srcset), Some(expected), "{srcset}");
        }
        assert_eq!(best(" , "), None);
    }

    #[test]
    fn real_sources_are_preferred_to_placeholders() {
        let rows = [
            ("<img src=a.png>", Some("a.png")),
            ("<img src='data:image/gif;base64,x' data-src=b.png>", Some("b.png")),
            ("<img src=blank.gif data-lazy-src=c.png>", Some("c.png")),
            ("<img srcset='d.png 1x, e.png 2x'>", Some("e.png")),
            ("<picture><source srcset='f.webp 100w, g.webp 200w'><img alt=x></picture>", Some("g.webp")),
            (
                "<picture><source srcset=h.webp><source srcset=i.png><img><img src=j.png></picture>",
                Some("h.webp"),
            ),
            ("<picture><p>x</p><source srcset=h.webp> <img></picture>", Some("h.webp")),
            ("<img src='data:image/png;base64,x'>", Some("data:image/png;base64,x")),
            ("<img alt=x>", None),
        ];
        for (html, expected) in rows {
            let tree = parse(html, ParseOptions::default());
            assert_eq!(source(&tree, tree.find(Tag::Img).unwrap()), expected, "{html}");
        }
    }

    #[test]
    fn no_source_is_read_for_two_images() {
        let html = format!("<picture>{}{}", "<source srcset=a>".repeat(50), "<img>".repeat(50));
        let tree = parse(&html, ParseOptions::default());
        let read: usize = tree.elements_with_tag(Tag::Img).map(|image| sources(&tree, image).len()).sum();
        assert_eq!(read, 50);
    }
}
