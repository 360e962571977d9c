//! Pictures and videos: which of them belong to the kept text.
//!
//! The model rates text, and a picture has none. So it belongs to what surrounds it in the page's own
//! structure: the nearest element with kept text. If that element has dropped text too, it must be part of
//! the article: in `article` or `main`, or with more kept than dropped text. The picture may stand in a box
//! whose own text is dropped: a caption, a control ("Pin it"), the size of the file. A box of teasers is
//! another thing: it has headings, many words, or links of several words. A picture before the title or after
//! the text that leads to another page is a logo or an advertisement.

use super::super::vocabulary::NameCache;
use super::{Blocks, Element, MAX_DISTANCE};
use crate::markdown::is_unseen;
use crate::tree::{Attr, NodeId, Tag, Tree};

/// Upper bound on the distance of a picture to the element with kept text around it, in elements.
const MAX_WAY: usize = 16;

/// Upper bound on the distance of a picture to `article` or `main`, in elements.
const MAX_REGION_DISTANCE: usize = 64;

/// Upper bound on the words of a box for each of its pictures. The caption of a figure may be longer.
const MAX_BOX_WORDS: u32 = 20;

/// Upper bound on the words of the links of a box for each of its pictures, if most of its text is links.
const MAX_BOX_LINK_WORDS: u32 = 3;

/// Upper bound on the elements of a box in which its pictures are counted.
const MAX_BOX_ELEMENTS: usize = 200;

/// Upper bound on the elements without text between a picture and the text before it.
const MAX_SILENT: usize = 64;

/// Upper bound on the width or height of an icon, in pixels.
const MAX_ICON_PIXELS: u32 = 48;

/// Groups of the vocabulary that name what is not part of an article: navigation, sidebars, cookies, related
/// pages, comments, advertisements, newsletters, authors, search, accounts, carts and logos.
const OTHER_GROUPS: [usize; 12] = [0, 3, 5, 7, 8, 9, 10, 15, 19, 20, 21, 32];

/// The group of names for sharing. Buttons that share a picture stand around it, but their icons are links.
const SHARING_GROUP: usize = 6;

const OTHER_NAMES: u64 = {
    let mut names = 0;
    let mut at = 0;
    while at < OTHER_GROUPS.len() {
        #[expect(clippy::indexing_slicing, reason = "within the array, and checked when compiled")]
        {
            names |= 1 << OTHER_GROUPS[at];
        }
        at += 1;
    }
    names
};

/// Extensions of files that are pictures.
const PICTURE_EXTENSIONS: [&str; 7] = ["jpg", "jpeg", "png", "gif", "webp", "avif", "svg"];

/// Kept text below an element.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kept {
    pub(super) blocks: u32,
    pub(super) words: u32,
}

/// The elements between a picture and the kept text around it.
#[derive(Debug, Default)]
struct Way {
    /// The element with kept text.
    surroundings: u32,
    /// Its child that contains the picture.
    child: u32,
    /// The outermost element below it with dropped text.
    picture_box: Option<u32>,
    /// The picture is a link to another page.
    linked: bool,
    in_figure: bool,
    /// The groups of all names.
    names: u64,
}

/// What the ancestors of a picture say about it.
#[derive(Debug, Clone, Copy, Default)]
struct Region {
    /// It is in `main` or `article`.
    in_text: bool,
    /// It is in a `header` outside them.
    in_header: bool,
    /// Enough text is kept in an element around it, up to `main` or `article`.
    holds_text: bool,
}

impl Blocks {
    /// The pictures and videos that belong to kept blocks.
    pub(crate) fn pictures(&self, tree: &Tree, kept: &[bool]) -> Vec<NodeId> {
        let mut kept_blocks = self.list.iter().zip(kept).filter(|(_, kept)| **kept).map(|(block, _)| block);
        let Some(first) = kept_blocks.next() else { return Vec::new() };
        let last = kept_blocks.next_back().unwrap_or(first);
        let finder = Finder {
            blocks: self,
            tree,
            kept: self.kept_below(kept),
            first: first.element,
            last: last.element,
        };
        let mut names = NameCache::default();
        let is_found = |(number, element): &(u32, &Element)| {
            is_picture(tree, element) && finder.belongs(*number, &mut names).unwrap_or(false)
        };
        (0..).zip(&self.elements).filter(is_found).map(|(_, element)| element.node).collect()
    }

    /// The kept text below each element.
    pub(super) fn kept_below(&self, kept: &[bool]) -> Vec<Kept> {
        let mut sums = vec![Kept::default(); self.elements.len()];
        for (block, _) in self.list.iter().zip(kept).filter(|(_, kept)| **kept) {
            if let Some(sum) = sums.get_mut(block.element as usize) {
                sum.blocks += 1;
                sum.words = sum.words.saturating_add(block.words);
            }
        }
        // Elements come after their parents.
        for (number, element) in self.elements.iter().enumerate().skip(1).rev() {
            let own = sums.get(number).copied().unwrap_or_default();
            if let Some(sum) = sums.get_mut(element.parent as usize).filter(|_| own.blocks > 0) {
                sum.blocks += own.blocks;
                sum.words = sum.words.saturating_add(own.words);
            }
        }
        sums
    }
}

/// Decides on the pictures of a page.
#[derive(Debug)]
struct Finder<'b> {
    blocks: &'b Blocks,
    tree: &'b Tree,
    /// For each element, the kept text below it.
    kept: Vec<Kept>,
    /// The elements of the first and the last kept block.
    first: u32,
    last: u32,
}

impl<'b> Finder<'b> {
    fn element(&self, number: u32) -> Option<&'b Element> {
        self.blocks.elements.get(number as usize)
    }

    fn kept(&self, number: u32) -> Kept {
        self.kept.get(number as usize).copied().unwrap_or_default()
    }

    /// True if a picture belongs to the kept text.
    fn belongs(&self, number: u32, names: &mut NameCache<'b>) -> Option<bool> {
        let picture = self.element(number)?;
        if is_icon(self.tree, picture.node) || is_unseen(self.tree, picture.node) {
            return None;
        }
        let way = self.way(number, names)?;
        let is_named_other =
            way.names & OTHER_NAMES != 0 || (way.names >> SHARING_GROUP & 1 == 1 && way.linked);
        if is_named_other || way.picture_box.is_some_and(|inside| !self.is_of_pictures(inside, &way)) {
            return None;
        }
        let boxed = way.picture_box.and_then(|inside| self.element(inside)).map(|inside| inside.totals);
        let boxed = boxed.unwrap_or_default();
        let around = self.element(way.surroundings)?.totals;
        let region = self.region(number, way.surroundings, boxed.words);
        let is_outside = !(self.first..=self.last).contains(&number);
        let marks_text = !self.blocks.mains.is_empty() || !self.blocks.articles.is_empty();
        let is_apart = is_outside && marks_text && !region.in_text;
        if is_apart && boxed.blocks > 0 {
            return None;
        }
        if around.blocks <= self.kept(way.surroundings).blocks + boxed.blocks {
            let leads_away = way.linked && (number < self.first || (is_outside && boxed.blocks > 0));
            return Some(!leads_away && (region.in_text || !region.in_header));
        }
        let is_frame = [Tag::Iframe as u8, Tag::Embed as u8].contains(&picture.tag);
        if is_outside && (way.linked || is_frame || (is_apart && number > self.last)) {
            return None;
        }
        if region.in_text {
            return Some(region.holds_text);
        }
        let is_article = self.element(way.surroundings)?.tag != Tag::Body as u8
            && self.kept(way.surroundings).words.saturating_mul(2)
                >= around.words - boxed.words.min(around.words);
        Some(!region.in_header && (is_article || self.follows_text(&way)))
    }

    /// The way from a picture to the kept text around it. `None` if there is none near, or if an element
    /// between them is no part of an article.
    fn way(&self, number: u32, names: &mut NameCache<'b>) -> Option<Way> {
        let mut way = Way { child: number, ..Way::default() };
        let mut at = number;
        for _ in 0..MAX_WAY {
            if self.kept(at).blocks > 0 {
                way.surroundings = at;
                return Some(way);
            }
            let element = self.element(at)?;
            match self.tree.tag(element.node) {
                Tag::Nav | Tag::Footer | Tag::Aside | Tag::Form | Tag::Dialog => return None,
                Tag::Figure => way.in_figure = true,
                Tag::A => way.linked |= leads_away(self.tree, element.node),
                _ => {}
            }
            for name in [Attr::Class, Attr::Id, Attr::Role] {
                way.names |= names.read(self.tree.attribute(element.node, name).unwrap_or_default()).groups;
            }
            if element.totals.blocks > 0 {
                way.picture_box = Some(at);
            }
            if at == 0 {
                return None;
            }
            (way.child, at) = (at, element.parent);
        }
        None
    }

    /// True if the dropped text of a box is that of its pictures: captions and controls.
    fn is_of_pictures(&self, number: u32, way: &Way) -> bool {
        let Some(element) = self.element(number) else { return false };
        let inside = self.blocks.elements.get(number as usize..element.end as usize).unwrap_or_default();
        let pictures = inside.iter().take(MAX_BOX_ELEMENTS).filter(|inner| {
            [Tag::Img, Tag::Video, Tag::Audio, Tag::Iframe, Tag::Embed]
                .iter()
                .any(|tag| *tag as u8 == inner.tag)
        });
        let pictures = u32::try_from(pictures.count()).unwrap_or(u32::MAX).max(1);
        let totals = element.totals;
        let mostly_links = totals.link_words.saturating_mul(2) > totals.words;
        totals.headings == 0
            && (way.in_figure || totals.words <= MAX_BOX_WORDS.saturating_mul(pictures))
            && (!mostly_links || totals.link_words <= MAX_BOX_LINK_WORDS.saturating_mul(pictures))
    }

    /// Reads the ancestors of a picture. `boxed` words in `surroundings` are those of its box.
    fn region(&self, number: u32, surroundings: u32, boxed: u32) -> Region {
        let mut region = Region::default();
        let mut at = number;
        for _ in 0..MAX_REGION_DISTANCE {
            let Some(element) = self.element(at) else { return region };
            // What is not kept is at most two thirds of the text.
            let all = element.totals.words.saturating_sub(boxed);
            region.holds_text |= at <= surroundings && self.kept(at).words.saturating_mul(3) >= all;
            if element.tag == Tag::Article as u8 || self.blocks.mains.binary_search(&at).is_ok() {
                region.in_text = true;
                return region;
            }
            region.in_header |= element.tag == Tag::Header as u8;
            if at == 0 {
                return region;
            }
            at = element.parent;
        }
        region
    }

    /// True if the last text before a picture, in the same element, is kept.
    fn follows_text(&self, way: &Way) -> bool {
        let mut child = way.child;
        for _ in 0..MAX_SILENT {
            let Some(before) = self.element_before(child, way.surroundings) else { return false };
            let blocks = self.element(before).map_or(0, |element| element.totals.blocks);
            if blocks > 0 {
                return self.kept(before).blocks >= blocks;
            }
            child = before;
        }
        false
    }

    /// The child of an element before another child.
    fn element_before(&self, child: u32, parent: u32) -> Option<u32> {
        // The element before it in the page is inside the child before it.
        let mut at = child.checked_sub(1)?;
        for _ in 0..MAX_DISTANCE {
            if at <= parent {
                return None;
            }
            let around = self.element(at)?.parent;
            if around == parent {
                return Some(at);
            }
            at = around;
        }
        None
    }
}

/// True for an element that shows a picture, a video or a page of another site, and for a figure without
/// text, whose picture a script may draw.
fn is_picture(tree: &Tree, element: &Element) -> bool {
    match tree.tag(element.node) {
        Tag::Img | Tag::Picture | Tag::Video | Tag::Audio | Tag::Iframe | Tag::Embed => true,
        Tag::Figure => element.totals.blocks == 0,
        Tag::Other => tree.name(element.node) == "amp-img",
        _ => false,
    }
}

/// True if the size of a picture is that of an icon.
fn is_icon(tree: &Tree, node: NodeId) -> bool {
    [Attr::Width, Attr::Height].into_iter().any(|name| {
        let size = tree.attribute(node, name).map(|size| size.trim().trim_end_matches("px"));
        size.and_then(|size| size.parse::<u32>().ok()).is_some_and(|size| size <= MAX_ICON_PIXELS)
    })
}

/// True if a link leads to another page, not to a picture or within the page.
fn leads_away(tree: &Tree, link: NodeId) -> bool {
    let Some(href) = tree.attribute(link, Attr::Href).map(str::trim) else { return false };
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let scheme_of_script = href.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:"));
    !path.is_empty()
        && !scheme_of_script
        && !PICTURE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::collect;
    use crate::content::vocabulary::groups;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    /// The `alt` texts of the pictures that belong to a page's kept blocks: those that begin with a capital.
    fn pictures(html: &str) -> String {
        let tree = parse(html, ParseOptions::default());
        let url = "https://example.org/".parse().unwrap();
        let blocks = collect(&tree, &View::whole(&tree), &url);
        let kept: Vec<bool> = blocks.list.iter().map(|block| block.starts_capital).collect();
        let alt = |node: NodeId| tree.attribute(node, Attr::Alt).unwrap_or_default().to_owned();
        blocks.pictures(&tree, &kept).into_iter().map(alt).collect()
    }

    #[test]
    fn pictures_belong_to_the_text_around_them() {
        let rows = [
            ("after the last text", "<main><p>Text</p><p><img alt=a></p><p><img alt=b></p></main>", "ab"),
            ("before the title", "<article><img alt=a><h1>Title</h1><p>Text</article>", "a"),
            (
                "before a header",
                "<article><div><img alt=a></div><header><h1>Title</h1></header><p>Text</article>",
                "a",
            ),
            (
                "beside what is dropped",
                "<article><h1>Title</h1><p>Text and text<p><img alt=a></p><p>tags</article>",
                "a",
            ),
            (
                "in a box with a control",
                "<main><p>Text<div><img alt=a><button>pin it</button></div></main>",
                "a",
            ),
            (
                "in a box with a link",
                "<main><p>Text<div><img alt=a><a href=//x.example/pin>pin it</a></div><p>Text</main>",
                "a",
            ),
            (
                "with its size",
                "<main><p>Text<div><img alt=a><span>1024 by 768 pixels</span></div></main>",
                "a",
            ),
            (
                "a series with controls",
                "<main><p>Text<div><button>previous</button><ul><li><img alt=a><li><img alt=b></ul><button>next</button></div></main>",
                "ab",
            ),
            (
                "with a long caption",
                "<main><p>Text<figure><img alt=a><figcaption>the thing as it stands in the hall of the town and as it has been seen there since many years ago</figcaption></figure></main>",
                "a",
            ),
            (
                "linked to its file",
                "<main><p>Text and text<p><a href=/a.jpg><img alt=a></a></p><p>tags</main>",
                "a",
            ),
            (
                "in a bare page",
                "<body><p>Text<p><img alt=a></p><p><img alt=b></p><footer>foot</footer></body>",
                "ab",
            ),
            (
                "in an element of the page's own",
                "<div><div><p>Text</div><div><img alt=a></div></div><div>menu of it</div>",
                "a",
            ),
            ("a logo", "<header><img alt=a><h1>Title</h1></header><main><p>Text</main>", ""),
            ("a linked logo", "<div><a href=/><img alt=a></a><h1>Title</h1><p>Text</div>", ""),
            (
                "a teaser",
                "<main><p>Text<div><a href=/x><img alt=a></a><a href=/x>the thing that ran away</a></div></main>",
                "",
            ),
            ("a teaser with a heading", "<main><p>Text<div><img alt=a><h3>other</h3></div></main>", ""),
            (
                "an advertisement",
                "<main><p>Text and text<div><a href=//x.example/><img alt=a></a></div><p>tags</main>",
                "",
            ),
            ("in a footer", "<main><p>Text<footer><img alt=a></footer></main>", ""),
            (
                "beside the article",
                "<body><article><p>Text</article><div><img alt=a><p>other text of the site</div></body>",
                "",
            ),
            (
                "logos after the article",
                "<body><main><p>Text</main><div><img alt=a></div><footer>foot</footer></body>",
                "",
            ),
            ("in a side column", "<body><article><p>Text</article><aside><img alt=a></aside></body>", ""),
            ("an icon", "<main><p>Text<p><img alt=a width=16 height=16></main>", ""),
            ("named as a logo", "<main><p>Text<div class=logo><img alt=a></div></main>", ""),
            ("nothing is kept", "<main><p>text<p><img alt=a></main>", ""),
        ];
        for (name, html, expected) in rows {
            assert_eq!(pictures(html), expected, "{name}");
        }
    }

    #[test]
    fn other_groups_match_the_vocabulary() {
        let names = [
            "nav",
            "sidebar",
            "cookie",
            "related",
            "comment",
            "ads",
            "newsletter",
            "author",
            "search",
            "login",
            "cart",
            "logo",
        ];
        assert_eq!(names.iter().fold(0, |all, name| all | groups(name)), OTHER_NAMES);
        assert_eq!(groups("share"), 1 << SHARING_GROUP);
    }
}
