//! The title of a page without the name of its site.
//!
//! `<title>` names the thing and the site (`Thing | Site`), a heading names the thing alone, but not every heading is
//! the page's: some sites put their own name into `h1`. A heading that the page's other words for itself agree with (its
//! `<title>`, its JSON-LD, its address) is taken; without one, the `<title>` loses the parts that only name the site.
//!
//! Of 786 pages with a known title, this gives it on .89 (one contained in the other). A quarter of the misses differ by
//! quotes or dashes alone. On 142 pages the heading and the `<title>` are both good titles: these rules pick the right one
//! on 101 of them, a model trained for it on 85 to 95.

use std::collections::HashSet;

use url::Url;

use super::slug::Slug;
use super::title_parts::{Site, as_spelled, split, without_site};
use crate::tree::{Edge, NodeId, Tag, Tree, Walk};
use crate::words::{is_unspaced, letters, words};

/// Headings that are looked at.
pub(super) const MAX_HEADINGS: usize = 8;

/// Longer headings are no titles, in bytes.
pub(super) const MAX_HEADING_BYTES: usize = 600;

/// A heading that shares at least this part of its words with the `<title>` means the same.
const AGREEMENT: f32 = 0.5;

/// A heading that is less than this part of the part of the `<title>` that it stands in says too little.
const LEAST_SHARE: f32 = 0.3;

/// The address speaks for the `<title>` against a heading that agrees with it if it is so much more like it.
const MARGIN: f32 = 0.2;

/// What a page says of its title.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sources<'a> {
    /// Its first [`MAX_HEADINGS`] headings.
    pub(super) headings: &'a [String],
    pub(super) title: &'a str,
    pub(super) og_title: &'a str,
    /// The headline of its JSON-LD.
    pub(super) headline: &'a str,
    pub(super) site_name: &'a str,
    pub(super) url: &'a Url,
}

/// At most so many headings without a text that can be a title are passed over.
const MAX_EMPTY: usize = 64;

/// The first headings of a page.
pub(super) fn headings(tree: &Tree) -> Vec<String> {
    let mut headings = Vec::new();
    let mut left = MAX_EMPTY;
    for edge in Walk::new(tree, NodeId::DOCUMENT) {
        if let Edge::Enter(node) = edge
            && tree.tag(node) == Tag::H1
        {
            headings.extend(heading(&tree.folded_text(node, MAX_HEADING_BYTES)));
            left = left.saturating_sub(1);
            if headings.len() >= MAX_HEADINGS || left == 0 {
                break;
            }
        }
    }
    headings
}

/// A heading without the mark of a link to itself; `None` where it is empty or too long.
pub(super) fn heading(text: &str) -> Option<String> {
    let text = text.trim_end_matches(['¶', '#', ' ']);
    (!text.is_empty() && text.len() <= MAX_HEADING_BYTES).then(|| text.to_owned())
}

/// Chooses the title; `None` where the page says none.
pub(super) fn choose(sources: &Sources<'_>) -> Option<String> {
    let Sources { headings, title, og_title, headline, site_name, url } = *sources;
    let site = Site::new(url.host_str().unwrap_or_default(), site_name);
    let names_site = |part: &str| site.is_named_by(part);
    let (parts, og_parts) = (split(title), split(og_title));
    let is_home = url.path() == "/" && url.query().is_none();
    if is_home && parts.len() > 1 && parts.first().is_some_and(|part| names_site(part)) {
        // Of the page that stands for the site, the site's name is what it is called.
        return Some(title.to_owned());
    }
    let all_parts = || parts.iter().chain(&og_parts);
    let alone = parts.len() <= 1 && og_parts.len() <= 1;
    let is_title = |heading: &&String| {
        (is_contained_in(heading, title) || is_contained_in(heading, og_title))
            && (alone || !names_site(heading))
            && !is_small_part(heading, all_parts())
    };
    // A part of the title that is a heading says more than words within a part.
    let first = parts.first().map(|part| letters(part)).unwrap_or_default();
    let contained = headings.iter().filter(is_title);
    if let Some(heading) = contained.max_by_key(|heading| (letters(heading) == first, heading.len())) {
        return Some(as_spelled(og_title, &letters(heading)).unwrap_or(heading).to_owned());
    }
    let said = letters(headline);
    if let Some(heading) = headings.iter().find(|heading| !said.is_empty() && letters(heading) == said) {
        return Some(heading.clone());
    }
    let slug = Slug::of(url);
    let part = without_site(title, names_site);
    let own = slug.similarity(part);
    if let Some(heading) = best_agreement(headings, title, og_title) {
        let chosen = if own > slug.similarity(heading) + MARGIN { part } else { heading.as_str() };
        return Some(chosen.to_owned());
    }
    if let Some(heading) = headings.iter().find(|heading| slug.similarity(heading) > own) {
        return Some(heading.clone());
    }
    // What is told for previews has no site in it, and no section; and the address may be of it.
    let short = without_site(og_title, names_site);
    let is_better =
        slug.similarity(short) > own || (short.len() < part.len() && is_contained_in(short, part));
    let part = match part {
        // `Home`: of a site, its one word says less than its name.
        one if is_home && words(one).len() == 1 => title,
        _ if !short.is_empty() && is_better => short,
        part => part,
    };
    let heading = headings.first().map(String::as_str).unwrap_or_default();
    [part, og_title, heading, headline].into_iter().find(|text| !text.is_empty()).map(str::to_owned)
}

/// The heading that shares most of its words with the title, if that is much of them.
fn best_agreement<'h>(headings: &'h [String], title: &str, og_title: &str) -> Option<&'h String> {
    let known: HashSet<String> = words(title).into_iter().chain(words(og_title)).collect();
    let mut best: Option<(f32, &String)> = None;
    for heading in headings {
        let own = words(heading);
        if own.len() < 3 {
            continue;
        }
        let agreed = own.iter().filter(|word| known.contains(*word)).count() as f32 / own.len() as f32;
        if agreed >= AGREEMENT && best.is_none_or(|(most, _)| agreed > most) {
            best = Some((agreed, heading));
        }
    }
    best.map(|(_, heading)| heading)
}

/// Does a heading stand in a title, whole words of it, whatever is between them?
fn is_contained_in(heading: &str, title: &str) -> bool {
    let wanted = letters(heading);
    let unspaced = wanted.contains(is_unspaced);
    if wanted.chars().count() <= (if unspaced { 1 } else { 3 }) || !letters(title).contains(&wanted) {
        return false;
    }
    let own = words(heading);
    unspaced || own.len() > 2 || words(title).windows(own.len()).any(|run| run == own)
}

/// Is the heading only a small piece of the shortest part that it stands in?
fn is_small_part<'p>(heading: &str, parts: impl Iterator<Item = &'p &'p str>) -> bool {
    let wanted = letters(heading);
    let around =
        parts.map(|part| letters(part)).filter(|part| part.contains(&wanted)).map(|part| part.len()).min();
    around.is_some_and(|around| (wanted.len() as f32) < LEAST_SHARE * around as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    /// A page of a site called The Example, and what it is called.
    struct Page {
        name: &'static str,
        path: &'static str,
        title: &'static str,
        og_title: &'static str,
        headline: &'static str,
        html: &'static str,
        expected: &'static str,
    }

    /// A page at `/x` with no more than a `<title>`, which is what it is called.
    const PAGE: Page = Page {
        name: "a title alone",
        path: "/x",
        title: "Well-known bread",
        og_title: "",
        headline: "",
        html: "<p>x",
        expected: "Well-known bread",
    };

    const WHICH: &str = "<h1>Which flour is best?</h1>";
    const TOP: &str = "Top flours of the year | The Example";

    const SITES: &[Page] = &[
        PAGE,
        Page {
            name: "the heading without the site",
            title: "How to bake | Bread Site",
            html: "<h1>How to bake</h1>",
            expected: "How to bake",
            ..PAGE
        },
        Page {
            name: "the site's name last",
            title: "How to bake - The Example",
            expected: "How to bake",
            ..PAGE
        },
        Page {
            name: "the site's name first and last",
            title: "The Example - How to bake bread - The Example",
            expected: "How to bake bread",
            ..PAGE
        },
        Page {
            name: "the heading is the site's",
            title: "How to bake - Example",
            html: "<h1>Example</h1>",
            expected: "How to bake",
            ..PAGE
        },
        Page {
            name: "the heading is of something else",
            title: "How we bake bread at home | News",
            html: "<h1>Subscribe now to us</h1>",
            expected: "How we bake bread at home",
            ..PAGE
        },
        Page {
            name: "a part of a work stays",
            title: "How to bake bread - Part 2",
            expected: "How to bake bread - Part 2",
            ..PAGE
        },
        Page {
            name: "a short last part looks like a site",
            title: "Bread for all - Ample",
            expected: "Bread for all",
            ..PAGE
        },
        Page {
            name: "unless the first is short too",
            title: "Bread - Ample",
            expected: "Bread - Ample",
            ..PAGE
        },
        Page { name: "the host is the site", title: "Bread - example.org", expected: "Bread", ..PAGE },
        Page {
            name: "no section in what is told for previews",
            title: "Rye bread - Questions - Bakers",
            og_title: "Rye bread",
            expected: "Rye bread",
            ..PAGE
        },
        Page {
            name: "Japanese",
            title: "窯の温度とは｜陶芸の窓",
            html: "<h1>窯の温度とは</h1>",
            expected: "窯の温度とは",
            ..PAGE
        },
        Page {
            name: "Chinese, joined by a low line",
            title: "窑炉的温度怎么控制_陶艺网",
            expected: "窑炉的温度怎么控制",
            ..PAGE
        },
        Page {
            name: "Thai",
            title: "วิธีเผาเครื่องปั้นดินเผา | ร้านดิน",
            html: "<h1>วิธีเผาเครื่องปั้นดินเผา</h1>",
            expected: "วิธีเผาเครื่องปั้นดินเผา",
            ..PAGE
        },
        Page {
            name: "Arabic",
            title: "كيف تخبز الخبز في البيت - موقع",
            html: "<h1>كيف تخبز الخبز في البيت</h1>",
            expected: "كيف تخبز الخبز في البيت",
            ..PAGE
        },
        Page {
            name: "the page of a site is called as the site",
            path: "/",
            title: "Example | Bread for all",
            html: "<h1>Bread for all</h1>",
            expected: "Example | Bread for all",
            ..PAGE
        },
        Page {
            name: "but no other page of it",
            path: "/bread",
            title: "Example | Bread for all",
            html: "<h1>Bread for all</h1>",
            expected: "Bread for all",
            ..PAGE
        },
        Page {
            name: "one word does not say which site",
            path: "/",
            title: "Home - The Example",
            expected: "Home - The Example",
            ..PAGE
        },
    ];

    const HEADINGS: &[Page] = &[
        Page {
            name: "a heading alone",
            title: "",
            html: "<h1>Only a heading</h1>",
            expected: "Only a heading",
            ..PAGE
        },
        Page {
            name: "nearly the title",
            title: "Ten ways to bake bread",
            html: "<h1>Ten great ways to bake bread</h1>",
            expected: "Ten great ways to bake bread",
            ..PAGE
        },
        Page {
            name: "one of the title's words",
            title: "What our bakers tell of bread, rye and salt",
            html: "<h1>Rye</h1>",
            expected: "What our bakers tell of bread, rye and salt",
            ..PAGE
        },
        Page {
            name: "a piece of a word",
            title: "Wholemeal loaves",
            html: "<h1>meal</h1>",
            expected: "Wholemeal loaves",
            ..PAGE
        },
        Page {
            name: "of two, the one that the title begins with",
            title: "Rye bread - All breads of the bakery",
            html: "<h1>All breads of the bakery</h1><h1>Rye bread</h1>",
            expected: "Rye bread",
            ..PAGE
        },
        Page {
            name: "spelled as machines are told",
            title: "",
            og_title: "Why isn't bread \"cheap\"? | Bread Site",
            html: "<h1>Why isn’t bread “cheap”?</h1>",
            expected: "Why isn't bread \"cheap\"?",
            ..PAGE
        },
    ];

    const DECIDED: &[Page] = &[
        Page {
            name: "JSON-LD says the heading",
            title: TOP,
            headline: "Which flour is best?",
            html: WHICH,
            expected: "Which flour is best?",
            ..PAGE
        },
        Page {
            name: "the address says the heading",
            path: "/which-flour-best/",
            title: TOP,
            html: WHICH,
            expected: "Which flour is best?",
            ..PAGE
        },
        Page {
            name: "the address says the title",
            path: "/top-flours",
            title: TOP,
            html: WHICH,
            expected: "Top flours of the year",
            ..PAGE
        },
        Page { name: "nothing decides", title: TOP, html: WHICH, expected: "Top flours of the year", ..PAGE },
        Page {
            name: "the address speaks against a heading that is nearly the title",
            path: "/bread-for-beginners-step-by-step",
            title: "Bread for beginners made easy step by step",
            html: "<h1>Bread made easy</h1>",
            expected: "Bread for beginners made easy step by step",
            ..PAGE
        },
        Page {
            name: "the address says what is told for previews",
            path: "/products/classic-rye-loaf",
            title: "Classic Loaf | Long Lasting Breads | The Example",
            og_title: "Classic Rye Loaf",
            expected: "Classic Rye Loaf",
            ..PAGE
        },
    ];

    fn check(pages: &[Page]) {
        for page in pages {
            let headings = headings(&parse(page.html, ParseOptions::default()));
            let url = Url::parse("https://www.example.org").unwrap().join(page.path).unwrap();
            let Page { title, og_title, headline, .. } = *page;
            let sources = Sources {
                headings: &headings,
                title,
                og_title,
                headline,
                site_name: "The Example",
                url: &url,
            };
            assert_eq!(choose(&sources).as_deref(), Some(page.expected), "{}", page.name);
        }
    }

    #[test]
    fn the_title_names_the_thing_and_not_the_site() {
        check(SITES);
    }

    #[test]
    fn a_heading_counts_where_it_says_what_the_title_says() {
        check(HEADINGS);
    }

    #[test]
    fn where_heading_and_title_differ_the_rest_of_the_page_decides() {
        check(DECIDED);
    }
}
