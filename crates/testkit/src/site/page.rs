//! The generated pages: composed once, assembled at each request.
//!
//! 20,000 complete pages of 20 KB would take 400 MB. Pages share nearly all of those bytes: chrome,
//! paragraphs of the pool, and the anchor of each page they link to. A page is therefore a list of pieces of
//! one arena, which takes about 3 KB. A response costs one copy of 20 KB, less than reading a file and much
//! less than a template engine, so that benchmarks measure the client. The origin in absolute URLs, known
//! only at the request, is a special piece.

use std::collections::HashMap;

use bytes::Bytes;

use super::chrome;
use super::graph::{Graph, SLOTS};
use super::prose::{self, MONTHS, Prose};
use super::random::Random;

/// Number of paragraphs that a page takes from the pool.
const PARAGRAPHS_PER_PAGE: usize = 18;
/// Number of sections that contain these paragraphs.
const SECTIONS: usize = 4;
/// Number of list items in the pool.
const ITEMS: usize = 512;
const LIST_ITEMS: usize = 5;

/// A range of the arena, or the origin.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: u32,
    length: u32,
}

const ORIGIN: Piece = Piece { start: u32::MAX, length: 0 };

/// The content of one page, for the truth.
#[derive(Debug)]
struct Content {
    title: Piece,
    lead: Piece,
    paragraphs: [u16; PARAGRAPHS_PER_PAGE],
    items: [Piece; LIST_ITEMS],
}

/// All generated pages of a site.
#[derive(Debug)]
pub(crate) struct Pages {
    arena: Vec<u8>,
    pieces: Vec<Piece>,
    /// `ends[n]` is the end of the pieces of page `n`.
    ends: Vec<u32>,
    contents: Vec<Content>,
    prose: Prose,
}

impl Pages {
    /// Composes every page of `graph`. `extras` are additional paths and titles that the start page lists.
    pub(crate) fn compose(seed: u64, pages: usize, graph: &Graph, extras: &[(String, String)]) -> Self {
        let prose = Prose::generate(seed);
        let mut arena = Arena::default();
        let paragraphs: Vec<Piece> = prose.paragraphs.iter().map(|p| arena.own(&p.html)).collect();
        let mut random = Random::new(seed, 1 << 44);
        let items: Vec<Piece> = (0..ITEMS).map(|_| arena.own(&prose::sentence(&mut random))).collect();
        let titles: Vec<Piece> = (0..pages)
            .map(|id| arena.own(&prose::title(&mut Random::new(seed, id as u64 | 1 << 42), id)))
            .collect();
        let anchors: Vec<Piece> = (0..pages)
            .map(|id| {
                let anchor = format!("{}\">{}</a>", path(id), arena.text(titles[id]));
                arena.own(&anchor)
            })
            .collect();
        let mut pieces = Vec::new();
        let mut ends = Vec::with_capacity(pages);
        let mut contents = Vec::with_capacity(pages);
        for (id, &title) in titles.iter().enumerate() {
            let random = Random::new(seed, id as u64 | 1 << 43);
            let (arena, pieces) = (&mut arena, &mut pieces);
            let sheet = Sheet { arena, pieces, paragraphs: &paragraphs, anchors: &anchors, items: &items };
            contents.push(sheet.page(random, id, title, graph.links(id), extras));
            ends.push(to_u32(pieces.len()));
        }
        pieces.shrink_to_fit();
        let mut bytes = arena.bytes;
        bytes.shrink_to_fit();
        Self { arena: bytes, pieces, ends, contents, prose }
    }

    /// The bytes of page `id`, with `origin` (`http://host:port`) in its absolute URLs.
    pub(crate) fn body(&self, id: usize, origin: &str) -> Bytes {
        let start = id.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let pieces = &self.pieces[start..self.ends[id] as usize];
        let length =
            pieces.iter().map(|piece| if is_origin(*piece) { origin.len() } else { piece.length as usize });
        let mut body = Vec::with_capacity(length.sum());
        for piece in pieces {
            body.extend_from_slice(if is_origin(*piece) { origin.as_bytes() } else { self.slice(*piece) });
        }
        body.into()
    }

    pub(crate) fn title(&self, id: usize) -> &str {
        self.text(self.contents[id].title)
    }

    /// The sentences of the article that the page contains verbatim, in order.
    pub(crate) fn sentences(&self, id: usize) -> Vec<&str> {
        let content = &self.contents[id];
        let pool = content.paragraphs.iter().flat_map(|&n| &self.prose.paragraphs[usize::from(n)].sentences);
        let items = content.items.iter().map(|&item| self.text(item));
        std::iter::once(self.text(content.lead)).chain(pool.map(String::as_str)).chain(items).collect()
    }

    fn slice(&self, piece: Piece) -> &[u8] {
        &self.arena[piece.start as usize..(piece.start + piece.length) as usize]
    }

    fn text(&self, piece: Piece) -> &str {
        std::str::from_utf8(self.slice(piece)).expect("the arena contains complete strings")
    }
}

/// The path of page `id`: `/`, `/p/1`, `/p/2` and so on.
pub(crate) fn path(id: usize) -> String {
    if id == 0 { "/".to_owned() } else { format!("/p/{id}") }
}

/// The id in this path, whether or not the page exists. Accepts only the form that [`path`] returns.
pub(crate) fn id_of(wanted: &str) -> Option<usize> {
    if wanted == "/" {
        return Some(0);
    }
    let id = wanted.strip_prefix("/p/")?.parse().ok()?;
    (id > 0 && path(id) == wanted).then_some(id)
}

fn is_origin(piece: Piece) -> bool {
    piece.start == ORIGIN.start
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("a site is smaller than 4 GiB")
}

#[derive(Default)]
struct Arena {
    bytes: Vec<u8>,
    shared: HashMap<&'static str, Piece>,
}

impl Arena {
    fn own(&mut self, text: &str) -> Piece {
        let piece = Piece { start: to_u32(self.bytes.len()), length: to_u32(text.len()) };
        self.bytes.extend_from_slice(text.as_bytes());
        piece
    }

    fn shared(&mut self, text: &'static str) -> Piece {
        if let Some(piece) = self.shared.get(text) {
            return *piece;
        }
        let piece = self.own(text);
        self.shared.insert(text, piece);
        piece
    }

    fn text(&self, piece: Piece) -> &str {
        let range = piece.start as usize..(piece.start + piece.length) as usize;
        std::str::from_utf8(&self.bytes[range]).expect("the arena contains complete strings")
    }
}

/// One page being written.
struct Sheet<'a> {
    arena: &'a mut Arena,
    pieces: &'a mut Vec<Piece>,
    paragraphs: &'a [Piece],
    anchors: &'a [Piece],
    items: &'a [Piece],
}

impl Sheet<'_> {
    fn put(&mut self, text: &'static str) {
        let piece = self.arena.shared(text);
        self.pieces.push(piece);
    }

    fn own(&mut self, text: &str) -> Piece {
        let piece = self.arena.own(text);
        self.pieces.push(piece);
        piece
    }

    fn link(&mut self, target: u32) {
        self.put("<a href=\"");
        self.pieces.push(self.anchors[target as usize]);
    }

    fn absolute_link(&mut self, target: u32) {
        self.put("<a href=\"");
        self.pieces.push(ORIGIN);
        self.pieces.push(self.anchors[target as usize]);
    }

    fn list(&mut self, targets: &[u32]) {
        // Few and long pieces, because pieces are most of the memory of a page.
        let mut before = "<li><a href=\"";
        for &target in targets {
            self.put(before);
            self.pieces.push(self.anchors[target as usize]);
            before = "</li>\n<li><a href=\"";
        }
        self.put("</li>\n");
    }

    fn page(
        mut self,
        mut random: Random,
        id: usize,
        title: Piece,
        links: &[u32],
        extras: &[(String, String)],
    ) -> Content {
        let mut rest = links;
        let mut take = |count: usize| {
            let (taken, left) = rest.split_at(count);
            rest = left;
            taken
        };
        let navigation = take(SLOTS.navigation);
        let breadcrumbs = take(SLOTS.breadcrumbs);
        let content = take(SLOTS.content);
        let children = take(SLOTS.children);
        let pagination = take(SLOTS.pagination);
        let related = take(SLOTS.related);
        let sidebar = take(SLOTS.sidebar);
        let footer = take(SLOTS.footer);

        self.head(&mut random, id, title, pagination);
        self.put(chrome::TOP);
        self.list(navigation);
        self.put(chrome::SEARCH);
        for &target in breadcrumbs {
            self.put("<li>");
            self.absolute_link(target);
            self.put("</li>\n");
        }
        self.put("</ol></nav>\n");
        let content = self.article(&mut random, id, title, content);
        self.put("<section class=\"children\"><h2>In this part</h2><ul>\n");
        self.list(children);
        self.put("</ul></section>\n<nav class=\"pagination\" aria-label=\"Pages\">");
        for (&target, label) in pagination.iter().zip(["<span>Previous:</span> ", "<span>Next:</span> "]) {
            self.put(label);
            self.link(target);
        }
        self.put("</nav>\n<section class=\"related\"><h2>Related entries</h2><ul>\n");
        self.list(related);
        self.put("</ul></section>\n</main>\n<aside class=\"sidebar\">\n<section><h2>Most read</h2><ol>\n");
        self.list(sidebar);
        self.put("</ol></section>\n");
        self.put(chrome::LETTER);
        self.list(footer);
        if id == 0 {
            for (path, title) in extras {
                self.own(&format!("<li><a href=\"{path}\">{title}</a></li>\n"));
            }
        }
        self.put(chrome::BOTTOM);
        content
    }

    fn head(&mut self, random: &mut Random, id: usize, title: Piece, pagination: &[u32]) {
        let path = self.arena.own(&path(id));
        let description = self.arena.own(&prose::sentence(random));
        let published =
            self.arena.own(&format!("20{:02}-{:02}-{:02}T09:30:00Z", 12 + id % 14, 1 + id % 12, 1 + id % 28));
        let mut fill = |text: &'static str, pieces: &[Piece]| {
            self.put(text);
            self.pieces.extend_from_slice(pieces);
        };
        fill("<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n<title>", &[title]);
        fill(
            " | County Almanac</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"description\" content=\"",
            &[description],
        );
        fill(
            "\">\n<meta name=\"keywords\" content=\"almanac, county, history\">\n<meta name=\"robots\" content=\"index, follow\">\n<meta name=\"author\" content=\"County Society\">\n<link rel=\"canonical\" href=\"",
            &[ORIGIN, path],
        );
        fill(
            "\">\n<meta property=\"og:type\" content=\"article\">\n<meta property=\"og:site_name\" content=\"County Almanac\">\n<meta property=\"og:locale\" content=\"en_GB\">\n<meta property=\"og:title\" content=\"",
            &[title],
        );
        fill("\">\n<meta property=\"og:description\" content=\"", &[description]);
        fill("\">\n<meta property=\"og:url\" content=\"", &[ORIGIN, path]);
        fill("\">\n<meta property=\"og:image\" content=\"", &[ORIGIN]);
        fill(
            "/assets/cover.png\">\n<meta property=\"article:section\" content=\"Entries\">\n<meta property=\"article:published_time\" content=\"",
            &[published],
        );
        fill(
            "\">\n<meta name=\"twitter:card\" content=\"summary_large_image\">\n<meta name=\"twitter:title\" content=\"",
            &[title],
        );
        fill(
            "\">\n<meta name=\"theme-color\" content=\"#8a3b12\">\n<link rel=\"alternate\" type=\"application/rss+xml\" title=\"Entries\" href=\"/feed.xml\">\n",
            &[],
        );
        let neighbours = [pagination[0], pagination[1]].map(|page| super::page::path(page as usize));
        self.own(&format!(
            "<link rel=\"prev\" href=\"{}\">\n<link rel=\"next\" href=\"{}\">\n",
            neighbours[0], neighbours[1]
        ));
        let mut fill = |text: &'static str, pieces: &[Piece]| {
            self.put(text);
            self.pieces.extend_from_slice(pieces);
        };
        fill(
            "<script type=\"application/ld+json\">\n{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\"headline\":\"",
            &[title],
        );
        fill("\",\"description\":\"", &[description]);
        fill("\",\"datePublished\":\"", &[published]);
        fill(
            "\",\"author\":{\"@type\":\"Organization\",\"name\":\"County Society\"},\"mainEntityOfPage\":\"",
            &[ORIGIN, path],
        );
        fill("\",\"image\":[\"", &[ORIGIN]);
        fill("/assets/cover.png\"],\"isAccessibleForFree\":true}\n</script>\n", &[]);
        self.put(chrome::STYLE);
        self.put(chrome::HEAD_SCRIPT);
    }

    fn article(&mut self, random: &mut Random, id: usize, title: Piece, links: &[u32]) -> Content {
        let mut links = links.iter();
        let mut paragraphs = [0_u16; PARAGRAPHS_PER_PAGE];
        let mut items = [ORIGIN; LIST_ITEMS];
        self.put("<article>\n<header><h1>");
        self.pieces.push(title);
        self.put("</h1>\n<p class=\"byline\">By the County Society, ");
        self.own(&format!("{} {} 20{:02}", 1 + id % 28, MONTHS[id % 12], 12 + id % 14));
        self.put("</p></header>\n<p class=\"lead\">");
        let lead = self.own(&format!(
            "This is entry {id} of the almanac, and it tells of the {}.",
            prose::heading(random).to_lowercase()
        ));
        self.put("</p>\n");
        for (nth, chosen) in paragraphs.iter_mut().enumerate() {
            if nth > 0 && nth.is_multiple_of(PARAGRAPHS_PER_PAGE.div_ceil(SECTIONS)) {
                self.put("<h2>");
                self.own(&prose::heading(random));
                self.put("</h2>\n");
            }
            // No paragraph of a small site recurs: one that does may be a part of its template.
            let drawn = random.below(self.paragraphs.len());
            let own = id * PARAGRAPHS_PER_PAGE + nth;
            let number = if own < self.paragraphs.len() { own } else { drawn };
            *chosen = u16::try_from(number).expect("the pool is small");
            self.put("<p>");
            self.pieces.push(self.paragraphs[number]);
            if nth % 2 == 1
                && nth > 1
                && let Some(&target) = links.next()
            {
                self.put(" See also ");
                self.link(target);
                self.put(".");
            }
            self.put("</p>\n");
            match nth {
                2 => {
                    self.put("<figure><img src=\"/assets/cover.png\" srcset=\"/assets/cover.png 1x, /assets/cover-2x.png 2x\" alt=\"A drawing of entry ");
                    self.own(&id.to_string());
                    self.put("\" width=\"640\" height=\"360\" loading=\"lazy\"><figcaption>Drawn by hand from the records.</figcaption></figure>\n");
                }
                5 => {
                    self.put("<ul>\n");
                    for chosen in &mut items {
                        self.put("<li>");
                        let item = self.items[random.below(self.items.len())];
                        self.pieces.push(item);
                        *chosen = item;
                        self.put("</li>\n");
                    }
                    self.put("</ul>\n");
                }
                8 => self.table(random),
                10 => {
                    self.put("<pre><code class=\"language-rust\">fn main() {\n    let entry = ");
                    self.own(&id.to_string());
                    self.put(";\n    if entry &lt; 10 &amp;&amp; entry != 3 {\n        println!(\"entry {entry}\");\n    }\n}\n</code></pre>\n");
                }
                12 => self.put("<blockquote><p>What is written down is kept, and what is kept can be found again.</p></blockquote>\n"),
                _ => {}
            }
        }
        self.put("</article>\n");
        Content { title, lead, paragraphs, items }
    }

    fn table(&mut self, random: &mut Random) {
        self.put("<table>\n<caption>Counts by year</caption>\n<thead><tr><th>Year</th><th>Visits</th><th>Repairs</th></tr></thead>\n<tbody>\n");
        for year in 2021..2025 {
            let (visits, repairs) = (100 + random.below(900), random.below(40));
            self.own(&format!("<tr><td>{year}</td><td>{visits}</td><td>{repairs}</td></tr>\n"));
        }
        self.put("</tbody>\n</table>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(count: usize) -> Pages {
        let graph = Graph::generate(9, count);
        Pages::compose(9, count, &graph, &[])
    }

    #[test]
    fn pages_have_a_realistic_size() {
        let pages = pages(200);
        let sizes: Vec<usize> = (0..200).map(|id| pages.body(id, "http://127.0.0.1:8080").len()).collect();
        let mean = sizes.iter().sum::<usize>() / sizes.len();
        assert!((19_000..21_500).contains(&mean), "mean {mean}");
        assert!(sizes.iter().all(|size| (16_000..25_000).contains(size)), "{sizes:?}");
    }

    #[test]
    fn a_page_takes_a_sixth_of_its_size_in_memory() {
        let pages = pages(2_000);
        let held = pages.arena.len() + pages.pieces.len() * size_of::<Piece>();
        assert!(held / 2_000 < 3_300, "{} bytes per page", held / 2_000);
    }

    #[test]
    fn a_page_contains_its_title_and_every_sentence() {
        let pages = pages(30);
        for id in 0..30 {
            let body = String::from_utf8(pages.body(id, "http://x").to_vec()).unwrap();
            assert!(body.contains(&format!("<h1>{}</h1>", pages.title(id))), "{id}");
            let sentences = pages.sentences(id);
            assert!(sentences.len() > 40 && sentences.iter().all(|sentence| body.contains(sentence)), "{id}");
        }
    }

    #[test]
    fn paths_and_ids_agree() {
        let rows = [
            ("/", Some(0)),
            ("/p/1", Some(1)),
            ("/p/0", None),
            ("/p/01", None),
            ("/p/1/", None),
            ("/P/1", None),
        ];
        for (path, id) in rows {
            assert_eq!(id_of(path), id, "{path}");
        }
    }
}
