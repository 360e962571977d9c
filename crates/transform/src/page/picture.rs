//! Finds the real URL of an image: lazy-loading pages put a placeholder or a preview into `src` and the URL
//! elsewhere.

use crate::tree::{Attr, NodeId, Tag, Tree};

/// Attributes from which lazy-loading scripts read the URL, most common first.
const LAZY_SOURCES: [Attr; 13] = [
    Attr::DataSrc,
    Attr::DataLazySrc,
    Attr::DataOriginal,
    Attr::DataLazy,
    Attr::DataLazyload,
    Attr::DataLazysrc,
    Attr::DataImageSrc,
    Attr::DataCfsrc,
    Attr::DataEzsrc,
    Attr::DataOptSrc,
    Attr::DataEcho,
    Attr::DataPagespeedLazySrc,
    Attr::NitroLazySrc,
];

/// The same for sets of sources.
const LAZY_SETS: [Attr; 2] = [Attr::DataSrcset, Attr::DataLazySrcset];

/// Attributes with the URL of a larger copy of the image.
const LARGER_SOURCES: [Attr; 5] =
    [Attr::DataImage, Attr::DataLargeFile, Attr::DataOrigFile, Attr::DataFullSrc, Attr::DataHiResSrc];

/// Maximum width or height of a preview in pixels, if its URL says it.
const MAX_PREVIEW_PIXELS: u32 = 64;

/// Maximum number of bytes of a URL that are read to recognise a preview.
const MAX_PREVIEW_URL_BYTES: usize = 1_024;

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

/// The URL of an image as the page writes it. What a script would load comes first, then what a browser loads
/// without scripts; a preview or a `data:` URL is returned only if there is no other.
pub(crate) fn source(tree: &Tree, image: NodeId) -> Option<&str> {
    let own = [image];
    let sources = sources(tree, image);
    let src = tree.attribute(image, Attr::Src).map(str::trim).filter(|src| !src.is_empty());
    let real_src = src.filter(|src| !is_inline(src));
    lazy(tree, &own)
        .or_else(|| lazy(tree, &sources))
        .or_else(|| real_src.filter(|src| !is_preview(src)))
        .or_else(|| first(tree, &own, &LARGER_SOURCES, |value| Some(value).filter(|value| is_address(value))))
        .or_else(|| first(tree, &own, &[Attr::Srcset], best))
        .or_else(|| first(tree, &sources, &[Attr::Srcset, Attr::Src], best))
        .or(real_src)
        .or_else(|| first(tree, &own, &LAZY_SOURCES, |value| Some(value).filter(|value| is_address(value))))
        .or(src)
}

/// The URL that a lazy-loading script reads from an `img` or a `source`. A preview is none.
fn lazy<'t>(tree: &'t Tree, elements: &[NodeId]) -> Option<&'t str> {
    let address = |value: &'t str| Some(value).filter(|value| is_address(value) && !is_preview(value));
    first(tree, elements, &LAZY_SOURCES, address).or_else(|| first(tree, elements, &LAZY_SETS, best))
}

/// The first URL that `read` finds in attributes of elements.
fn first<'t>(
    tree: &'t Tree,
    elements: &[NodeId],
    names: &[Attr],
    read: impl Fn(&'t str) -> Option<&'t str>,
) -> Option<&'t str> {
    elements.iter().find_map(|element| {
        let value = |name: &Attr| tree.attribute(*element, *name).map(str::trim);
        names.iter().find_map(|name| {
            value(name).and_then(&read).filter(|found| !found.is_empty() && !is_inline(found))
        })
    })
}

/// Has the value of an attribute the form of a URL? Scripts also keep settings and templates of URLs there.
fn is_address(value: &str) -> bool {
    value.contains(['/', '.', '?']) && !value.contains(['{', '}', '"', '<'])
}

/// Does a URL say that the image is a placeholder or only a few pixels large?
pub(crate) fn is_preview(address: &str) -> bool {
    const NAMES: &[&str] = &[
        "1x1",
        "blank",
        "blur",
        "blurred",
        "clear",
        "lazy",
        "lazyload",
        "loader",
        "loading",
        "lqip",
        "pixel",
        "placeholder",
        "spacer",
        "transparent",
    ];
    if address.len() > MAX_PREVIEW_URL_BYTES {
        return false;
    }
    let file_start = address.split(['?', '#']).next().and_then(|path| path.rfind('/')).map_or(0, |at| at + 1);
    let (path, file) = address.split_at_checked(file_start).unwrap_or(("", address));
    let words = |text| str::split(text, |c: char| !c.is_ascii_alphanumeric());
    let named = words(file).any(|word| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)));
    named || has_small_size(words(path)) || has_small_size(words(file))
}

/// Do the words of a URL have a small size: `w=20`, `w_20`, `20w`, `20x13`?
fn has_small_size<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    const WIDTHS: &[&str] = &["w", "width", "wid", "imwidth", "maxwidth"];
    let is_small = |number: &str| number.parse::<u32>().is_ok_and(|size| size <= MAX_PREVIEW_PIXELS);
    let mut after_width = false;
    for word in words {
        let small = (after_width && is_small(word))
            || word.strip_suffix('w').is_some_and(is_small)
            || word
                .split_once('x')
                .is_some_and(|(width, height)| is_small(width) && (height.is_empty() || is_small(height)));
        if small {
            return true;
        }
        after_width = WIDTHS.contains(&word);
    }
    false
}

/// The `source` elements of an image's `picture`, in order. A picture has one image, after its sources
/// (HTML Standard, 4.8.1). Sources before an earlier image belong to that image, so no source is read twice.
fn sources(tree: &Tree, image: NodeId) -> Vec<NodeId> {
    if tree.parent(image).is_none_or(|parent| tree.tag(parent) != Tag::Picture) {
        return Vec::new();
    }
    let before = std::iter::successors(tree.previous_sibling(image), |node| tree.previous_sibling(*node));
    let mut sources: Vec<NodeId> = before
        .take_while(|node| tree.tag(*node) != Tag::Img)
        .filter(|node| tree.tag(*node) == Tag::Source)
        .collect();
    sources.reverse();
    sources
}

/// The largest image of a `srcset` (HTML Standard, 4.8.4.3.8) that is not a `data:` URL.
pub(crate) fn best(srcset: &str) -> Option<&str> {
    let mut best = None;
    let mut most = -1.0_f64;
    for (url, descriptor) in candidates(srcset).filter(|(url, _)| !is_inline(url)) {
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
            ("<img src=a.png srcset='b.png 2x'>", Some("a.png")),
            ("<img src=/lqip-20.jpg data-srcset='a.jpg 400w, b.jpg 800w'>", Some("b.jpg")),
            ("<img src=/a.jpg data-srcset='a.jpg 400w, b.jpg 800w'>", Some("b.jpg")),
            ("<img src='/a.jpg?w=20&q=1' srcset='/a.jpg?w=800 800w'>", Some("/a.jpg?w=800")),
            ("<img src=/a-20x13.jpg srcset='/a-800x520.jpg 800w'>", Some("/a-800x520.jpg")),
            ("<img src=/w_16/a.jpg data-large-file=/a.jpg>", Some("/a.jpg")),
            ("<img src=/a-300x200.jpg data-large-file=/a.jpg>", Some("/a-300x200.jpg")),
            ("<img src=a.png data-lazy=true>", Some("a.png")),
            (
                "<img src=blank.gif data-src='/a_{width}x.jpg' data-srcset='/a_900x.jpg 900w'>",
                Some("/a_900x.jpg"),
            ),
            ("<img src=/i/placeholder.png data-cfsrc=/a.png>", Some("/a.png")),
            ("<img srcset='data:image/gif;base64,x 1w, a.png 9w'>", Some("a.png")),
            ("<img srcset='a.png 1x, data:image/gif;base64,x 2x'>", Some("a.png")),
            (
                "<picture><source data-srcset='a.webp 1200w'><img src=/placeholder.png></picture>",
                Some("a.webp"),
            ),
            ("<picture><source srcset='a.webp 1200w'><img src=/tiny/a-32w.png></picture>", Some("a.webp")),
            ("<picture><source srcset='a.webp 1200w'><img src=/a.png></picture>", Some("/a.png")),
            ("<img src=/blank.png>", Some("/blank.png")),
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
