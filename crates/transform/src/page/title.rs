//! Finds the title of a page without the name of its site.
//!
//! `<title>` names the subject and the site (`Subject | Site`). A heading names only the subject, but not
//! every heading is the page's title: some sites put their own name into `h1`. A heading is chosen if the
//! page's `<title>`, JSON-LD or URL agrees with it. Otherwise the `<title>` is used without the parts that
//! only name the site.
//!
//! On 89 % of 786 pages with a known title the result is right (one title contains the other). A quarter of
//! the misses differ only in quotes or dashes. On 142 pages both the heading and the `<title>` are good
//! titles: these rules choose the right one on 101 of them, a model trained for it on 85 to 95.

use std::collections::HashSet;

use url::Url;

use super::slug::Slug;
use super::title_parts::{Site, as_spelled, split, without_site};
use crate::tree::{Edge, NodeId, Tag, Tree, Walk};
use crate::words::{is_unspaced, letters, words};

/// Upper bound on the headings that are read.
pub(super) const MAX_HEADINGS: usize = 8;

/// A longer heading is not a title, in bytes.
pub(super) const MAX_HEADING_BYTES: usize = 600;

/// A heading agrees with the `<title>` if it shares at least this part of its words.
const MIN_AGREEMENT: f32 = 0.5;

/// A heading must be at least this part of the part of the `<title>` that contains it.
const MIN_SHARE: f32 = 0.3;

/// The `<title>` is preferred to a heading that agrees with it if the URL is more similar to the `<title>` by
/// this margin.
const SLUG_MARGIN: f32 = 0.2;

/// The sources for the title of a page.
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

/// Upper bound on the headings that are tried, including those whose text cannot be a title.
const MAX_TRIED: usize = 64;

/// The first headings of a page.
pub(super) fn headings(tree: &Tree) -> Vec<String> {
    let mut headings = Vec::new();
    let mut left = MAX_TRIED;
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

/// A heading without the mark of its permalink. `None` if it is empty or too long.
pub(super) fn heading(text: &str) -> Option<String> {
    let text = text.trim_end_matches(['¶', '#', ' ']);
    (!text.is_empty() && text.len() <= MAX_HEADING_BYTES).then(|| text.to_owned())
}

/// Chooses the title. `None` if the page has none.
pub(super) fn choose(sources: &Sources<'_>) -> Option<String> {
    let Sources { headings, title, og_title, headline, site_name, url } = *sources;
    let site = Site::new(url.host_str().unwrap_or_default(), site_name);
    let names_site = |part: &str| site.is_named_by(part);
    let (parts, og_parts) = (split(title), split(og_title));
    let is_home = url.path() == "/" && url.query().is_none();
    if is_home && parts.len() > 1 && parts.first().is_some_and(|part| names_site(part)) {
        // The title of a home page is the name of its site.
        return Some(title.to_owned());
    }
    let all_parts = || parts.iter().chain(&og_parts);
    let is_undivided = parts.len() <= 1 && og_parts.len() <= 1;
    let is_title = |heading: &&String| {
        (is_contained_in(heading, title) || is_contained_in(heading, og_title))
            && (is_undivided || !names_site(heading))
            && !is_small_part(heading, all_parts())
    };
    // A heading that is a whole part of the title is preferred to one within a part.
    let first = parts.first().map(|part| letters(part)).unwrap_or_default();
    let contained = headings.iter().filter(is_title);
    if let Some(heading) = contained.max_by_key(|heading| (letters(heading) == first, heading.len())) {
        return Some(as_spelled(og_title, &letters(heading)).unwrap_or(heading).to_owned());
    }
    let headline_letters = letters(headline);
    let is_headline =
        |heading: &&String| !headline_letters.is_empty() && letters(heading) == headline_letters;
    if let Some(heading) = headings.iter().find(is_headline) {
        return Some(heading.clone());
    }
    let slug = Slug::of(url);
    let part = without_site(title, names_site);
    let own = slug.similarity(part);
    if let Some(heading) = best_agreement(headings, title, og_title) {
        let chosen = if own > slug.similarity(heading) + SLUG_MARGIN { part } else { heading.as_str() };
        return Some(chosen.to_owned());
    }
    if let Some(heading) = headings.iter().find(|heading| slug.similarity(heading) > own) {
        return Some(heading.clone());
    }
    // `og:title` often lacks the site and the section, and the URL may be made from it.
    let short = without_site(og_title, names_site);
    let is_better =
        slug.similarity(short) > own || (short.len() < part.len() && is_contained_in(short, part));
    let part = match part {
        // A single word such as `Home` says less than the whole title of a home page.
        one if is_home && words(one).len() == 1 => title,
        _ if !short.is_empty() && is_better => short,
        part => part,
    };
    let heading = headings.first().map(String::as_str).unwrap_or_default();
    [part, og_title, heading, headline].into_iter().find(|text| !text.is_empty()).map(str::to_owned)
}

/// The heading that shares the largest part of its words with the title, if that is at least
/// [`MIN_AGREEMENT`].
fn best_agreement<'h>(headings: &'h [String], title: &str, og_title: &str) -> Option<&'h String> {
    let title_words: HashSet<String> = words(title).into_iter().chain(words(og_title)).collect();
    let mut best: Option<(f32, &String)> = None;
    for heading in headings {
        let own = words(heading);
        if own.len() < 3 {
            continue;
        }
        let agreed = own.iter().filter(|word| title_words.contains(*word)).count() as f32 / own.len() as f32;
        if agreed >= MIN_AGREEMENT && best.is_none_or(|(most, _)| agreed > most) {
            best = Some((agreed, heading));
        }
    }
    best.map(|(_, heading)| heading)
}

/// True if a title contains a heading as whole words, whatever separates them.
fn is_contained_in(heading: &str, title: &str) -> bool {
    let wanted = letters(heading);
    let unspaced = wanted.contains(is_unspaced);
    if wanted.chars().count() <= (if unspaced { 1 } else { 3 }) || !letters(title).contains(&wanted) {
        return false;
    }
    let own = words(heading);
    unspaced || own.len() > 2 || words(title).windows(own.len()).any(|run| run == own)
}

/// True if a heading is only a small piece of the shortest part that contains it.
fn is_small_part<'p>(heading: &str, parts: impl Iterator<Item = &'p &'p str>) -> bool {
    let wanted = letters(heading);
    let shortest =
        parts.map(|part| letters(part)).filter(|part| part.contains(&wanted)).map(|part| part.len()).min();
    shortest.is_some_and(|shortest| (wanted.len() as f32) < MIN_SHARE * shortest as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    /// A page of a site called The Example, and its expected title.
    struct Page {
        name: &'static str,
        path: &'static str,
        title: &'static str,
        og_title: &'static str,
        headline: &'static str,
        html: &'static str,
        expected: &'static str,
    }

    /// A page at `/x` with only a `<title>`.
    const PAGE: Page = Page {
        name: "only a title",
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
            name: "the heading is unrelated",
            title: "How we bake bread at home | News",
            html: "<h1>Subscribe now to us</h1>",
            expected: "How we bake bread at home",
            ..PAGE
        },
        Page {
            name: "the part of a work is kept",
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
            name: "the first part is short too",
            title: "Bread - Ample",
            expected: "Bread - Ample",
            ..PAGE
        },
        Page { name: "the host is the site", title: "Bread - example.org", expected: "Bread", ..PAGE },
        Page {
            name: "og:title without the section",
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
            name: "Chinese, joined by an underscore",
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
            name: "the home page has the name of the site",
            path: "/",
            title: "Example | Bread for all",
            html: "<h1>Bread for all</h1>",
            expected: "Example | Bread for all",
            ..PAGE
        },
        Page {
            name: "other pages do not",
            path: "/bread",
            title: "Example | Bread for all",
            html: "<h1>Bread for all</h1>",
            expected: "Bread for all",
            ..PAGE
        },
        Page {
            name: "one word is not enough for a home page",
            path: "/",
            title: "Home - The Example",
            expected: "Home - The Example",
            ..PAGE
        },
    ];

    const HEADINGS: &[Page] = &[
        Page {
            name: "only a heading",
            title: "",
            html: "<h1>Only a heading</h1>",
            expected: "Only a heading",
            ..PAGE
        },
        Page {
            name: "the heading is nearly the title",
            title: "Ten ways to bake bread",
            html: "<h1>Ten great ways to bake bread</h1>",
            expected: "Ten great ways to bake bread",
            ..PAGE
        },
        Page {
            name: "the heading is one word of the title",
            title: "What our bakers tell of bread, rye and salt",
            html: "<h1>Rye</h1>",
            expected: "What our bakers tell of bread, rye and salt",
            ..PAGE
        },
        Page {
            name: "the heading is a piece of a word",
            title: "Wholemeal loaves",
            html: "<h1>meal</h1>",
            expected: "Wholemeal loaves",
            ..PAGE
        },
        Page {
            name: "two headings, one at the start of the title",
            title: "Rye bread - All breads of the bakery",
            html: "<h1>All breads of the bakery</h1><h1>Rye bread</h1>",
            expected: "Rye bread",
            ..PAGE
        },
        Page {
            name: "the spelling of og:title",
            title: "",
            og_title: "Why isn't bread \"cheap\"? | Bread Site",
            html: "<h1>Why isn’t bread “cheap”?</h1>",
            expected: "Why isn't bread \"cheap\"?",
            ..PAGE
        },
    ];

    const DECIDED: &[Page] = &[
        Page {
            name: "JSON-LD has the heading",
            title: TOP,
            headline: "Which flour is best?",
            html: WHICH,
            expected: "Which flour is best?",
            ..PAGE
        },
        Page {
            name: "the URL resembles the heading",
            path: "/which-flour-best/",
            title: TOP,
            html: WHICH,
            expected: "Which flour is best?",
            ..PAGE
        },
        Page {
            name: "the URL resembles the title",
            path: "/top-flours",
            title: TOP,
            html: WHICH,
            expected: "Top flours of the year",
            ..PAGE
        },
        Page { name: "no evidence", title: TOP, html: WHICH, expected: "Top flours of the year", ..PAGE },
        Page {
            name: "the URL prefers the title to a heading that is nearly the same",
            path: "/bread-for-beginners-step-by-step",
            title: "Bread for beginners made easy step by step",
            html: "<h1>Bread made easy</h1>",
            expected: "Bread for beginners made easy step by step",
            ..PAGE
        },
        Page {
            name: "the URL resembles og:title",
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
    fn the_title_names_the_subject_and_not_the_site() {
        check(SITES);
    }

    #[test]
    fn a_heading_that_agrees_with_the_title_is_chosen() {
        check(HEADINGS);
    }

    #[test]
    fn other_sources_decide_if_heading_and_title_differ() {
        check(DECIDED);
    }
}
