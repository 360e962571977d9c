//! The images of the page's main entity.

use hashbrown::HashSet;

use super::image_key::{file_stem, image_key};
use super::page_view::PageView;
use super::{FoundItem, FoundList};
use crate::bind::element_names::names_of;
use crate::bind::words::words;
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::page::Method;
use crate::plan::to_f64;

/// Score of a gallery.
const SCORE: f64 = 0.55;
/// Upper bound on the images of a page that are examined.
const MAX_IMAGES: usize = 2_000;
/// Upper bound on the elements around an image that may be its gallery.
const MAX_CLIMB: usize = 12;
/// Upper bound on the images of a gallery; more are a list of other things.
const MAX_GALLERY: usize = 40;
/// Upper bound on the galleries of a page that are examined.
const MAX_GALLERIES: usize = 40;
/// Lower bound on the share of images that show the main entity, by their text or their file name.
const MIN_SHARE: f64 = 0.6;
/// Words in the classes and ids of a gallery.
const GALLERY_NAMES: [&str; 16] = [
    "gallery",
    "galleria",
    "galerie",
    "galeria",
    "carousel",
    "slider",
    "slideshow",
    "slides",
    "swiper",
    "thumbs",
    "thumbnails",
    "images",
    "photos",
    "media",
    "pictures",
    "bilder",
];
/// Attributes with the address of an image, the largest first.
const SOURCES: [&str; 8] = [
    "data-large_image",
    "data-zoom-image",
    "data-zoom-src",
    "data-large",
    "data-src",
    "src",
    "data-srcset",
    "srcset",
];

/// An image with its gallery.
struct Image {
    gallery: NodeId,
    /// Its address as the page writes it, and in full.
    written: String,
    address: String,
    is_own: bool,
}

/// The gallery nearest to the main heading whose images show the main entity, one with several images before
/// one with a single image; `None` if there is no such one.
pub(super) fn read(view: &PageView<'_, '_>) -> Option<FoundList> {
    let evidence = view.evidence;
    let tree = &evidence.tree;
    let heading = evidence.heading?;
    let name = words(evidence.headline()).into_iter().filter(|word| word.len() > 2);
    let name: HashSet<String> = name.collect();
    let unrelated = view.evidence.unrelated();
    let mut images: Vec<Image> = Vec::new();
    for node in tree.nodes().filter(|node| tree.is(*node, &["img"])).take(MAX_IMAGES) {
        if unrelated.in_related_section(node) {
            continue;
        }
        let Some(written) = written(evidence, node) else { continue };
        let Some(address) = resolved(evidence, &written) else { continue };
        let Some(gallery) = gallery(evidence, node) else { continue };
        let is_own = shows(evidence, node, &address, &name);
        images.push(Image { gallery, written, address, is_own });
    }
    let mut galleries: Vec<NodeId> = images.iter().map(|image| image.gallery).collect();
    galleries.sort_by_key(|gallery| gallery.index().abs_diff(heading.index()));
    galleries.dedup();
    let mut single: Option<FoundList> = None;
    for gallery in galleries.into_iter().take(MAX_GALLERIES) {
        let Some(found) = of_gallery(&images, gallery) else { continue };
        if found.items.len() > 1 {
            return Some(found);
        }
        single.get_or_insert(found);
    }
    single
}

/// The images of a gallery, each in one size; `None` if they do not show the main entity.
fn of_gallery(images: &[Image], gallery: NodeId) -> Option<FoundList> {
    let mut keys: HashSet<String> = HashSet::new();
    let own = images.iter().filter(|image| image.gallery == gallery);
    let distinct: Vec<&Image> = own.filter(|image| keys.insert(image_key(&image.address))).collect();
    let shown = distinct.iter().filter(|image| image.is_own).count();
    let is_gallery =
        (1..=MAX_GALLERY).contains(&distinct.len()) && to_f64(shown) >= MIN_SHARE * to_f64(distinct.len());
    let items = distinct.into_iter().map(|image| FoundItem {
        text: image.address.clone(),
        quote: image.written.clone(),
        html_range: None,
    });
    is_gallery.then(|| FoundList { score: SCORE, method: Method::Markup, items: items.collect() })
}

/// The address of an image as the page writes it; `None` for placeholders and templates.
fn written(evidence: &Evidence<'_>, node: NodeId) -> Option<String> {
    SOURCES.iter().find_map(|name| {
        let found = evidence.tree.attribute(node, name)?;
        let found = found.trim();
        // A set of sources has a size behind each address.
        let found = if name.ends_with("srcset") {
            found.split_ascii_whitespace().next().unwrap_or_default().trim_end_matches(',')
        } else {
            found
        };
        let is_address = !found.is_empty() && !found.starts_with("data:") && !found.contains('{');
        is_address.then(|| found.to_owned())
    })
}

/// The address of an image in full; `None` for drawings, which are mostly icons.
fn resolved(evidence: &Evidence<'_>, written: &str) -> Option<String> {
    let url = evidence.url.join(written).ok()?;
    let is_drawing = [".svg", ".gif"].iter().any(|suffix| url.path().ends_with(suffix));
    (matches!(url.scheme(), "http" | "https") && !is_drawing).then(|| url.into())
}

/// The outermost element around an image that is named a gallery and is no part of the site.
fn gallery(evidence: &Evidence<'_>, image: NodeId) -> Option<NodeId> {
    let tree = &evidence.tree;
    let mut found = None;
    for node in tree.ancestors(image).take(MAX_CLIMB) {
        if tree.is(node, &["nav", "footer", "aside"]) {
            return None;
        }
        // The image of a card leads to the thing that the card is about.
        if tree.is(node, &["a"]) && leads_away(evidence, node) {
            return None;
        }
        if evidence.heading.is_some_and(|heading| node < heading && heading < tree.end(node)) {
            break;
        }
        let mut names = names_of(evidence, node).flatten();
        if names.any(|word| GALLERY_NAMES.contains(&word.as_str())) {
            found = Some(node);
        }
    }
    found
}

/// Whether a link leads to another page rather than to a larger image.
fn leads_away(evidence: &Evidence<'_>, link: NodeId) -> bool {
    let href = evidence.tree.attribute(link, "href").unwrap_or_default();
    let href = href.trim();
    if href.is_empty() || href.starts_with('#') {
        return false;
    }
    let Ok(url) = evidence.url.join(href) else { return false };
    let path = url.path().to_ascii_lowercase();
    let is_image = [".jpg", ".jpeg", ".png", ".webp", ".avif"].iter().any(|suffix| path.contains(suffix));
    matches!(url.scheme(), "http" | "https") && !is_image && url.path() != evidence.url.path()
}

/// Whether the text of an image or its file name has most words of the main entity's name.
fn shows(evidence: &Evidence<'_>, node: NodeId, address: &str, name: &HashSet<String>) -> bool {
    let text = evidence.tree.attribute(node, "alt").unwrap_or_default();
    let text = words(&text);
    let known = text.iter().filter(|word| name.contains(*word)).collect::<HashSet<_>>().len();
    let file: HashSet<String> = words(&file_stem(address)).into_iter().collect();
    let in_file = name.iter().filter(|word| file.contains(*word)).count();
    let least = name.len() / 2 + 1;
    known >= least || in_file >= least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    #[test]
    fn only_the_gallery_of_the_main_entity_is_read() {
        let html = "<nav class=slider><img src=/logo.png alt='Red cup'></nav><div class='product-gallery'>\
            <img src=/i/cup-600x600.jpg alt='Red cup'><img src=/i/cup-100x100.jpg alt='Red cup'>\
            <img src=data:x data-src=/i/side.jpg alt='Red cup from the side'></div><h1>Red cup</h1>\
            <div class=carousel><a href=/blue><img src=/i/blue.jpg alt='Blue cup'></a>\
            <a href=/green><img src=/i/green.jpg alt='Green cup'></a></div>";
        let page = Page::new("https://shop.example/red".parse().unwrap(), html);
        let found = read(&PageView::new(&Evidence::read(&page))).unwrap();
        let texts: Vec<&str> = found.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(texts, ["https://shop.example/i/cup-600x600.jpg", "https://shop.example/i/side.jpg"]);
        let single = html.replace("/i/side.jpg", "/i/cup-50x50.jpg");
        let page = Page::new("https://shop.example/red".parse().unwrap(), single);
        assert_eq!(read(&PageView::new(&Evidence::read(&page))).unwrap().items.len(), 1);
        let other = html.replace("Red cup", "Something");
        let other = other.replace("<h1>Something", "<h1>Red pot");
        let page = Page::new("https://shop.example/red".parse().unwrap(), other);
        assert!(read(&PageView::new(&Evidence::read(&page))).is_none());
    }
}
