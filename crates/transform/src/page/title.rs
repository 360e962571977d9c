//! The title of a page without the name of its site.
//!
//! `<title>` names the thing and the site (`Thing | Site`), a heading names the thing alone, but not every heading is
//! the page's: some sites put their own name into `h1`. A heading that the page's other words for itself agree with (its
//! `<title>`, its JSON-LD, its address) is taken; without one, the `<title>` loses the parts that only name the site.

use std::collections::HashSet;

use url::Url;

use super::slug::Slug;
use super::title_parts::{as_spelled, is_run_of, split, without_site};
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
    let sites = [words(url.host_str().unwrap_or_default()), words(site_name)];
    let names_site = |part: &str| sites.iter().any(|site| is_run_of(part, site));
    let (parts, og_parts) = (split(title), split(og_title));
    let is_home = url.path() == "/" && url.query().is_none();
    if is_home && parts.len() > 1 && parts.first().is_some_and(|part| names_site(part)) {
        // Of the page that stands for the site, the site's name is what it is called.
        return Some(title.to_owned());
    }
    let all_parts = || parts.iter().chain(&og_parts);
    let alone = parts.len() <= 1 && og_parts.len() <= 1;
    let is_title = |heading: &&String| {
        (stands_in(heading, title) || stands_in(heading, og_title))
            && (alone || !names_site(heading))
            && !says_little(heading, all_parts())
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
    let own = slug.likeness(part);
    if let Some(heading) = agreeing(headings, title, og_title) {
        let chosen = if own > slug.likeness(heading) + MARGIN { part } else { heading.as_str() };
        return Some(chosen.to_owned());
    }
    if let Some(heading) = headings.iter().find(|heading| slug.likeness(heading) > own) {
        return Some(heading.clone());
    }
    // What is told for previews has no site in it, and no section.
    let short = without_site(og_title, names_site);
    let part =
        if !short.is_empty() && short.len() < part.len() && stands_in(short, part) { short } else { part };
    let heading = headings.first().map(String::as_str).unwrap_or_default();
    [part, og_title, heading, headline].into_iter().find(|text| !text.is_empty()).map(str::to_owned)
}

/// The heading that shares most of its words with the title, if that is much of them.
fn agreeing<'h>(headings: &'h [String], title: &str, og_title: &str) -> Option<&'h String> {
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
fn stands_in(heading: &str, title: &str) -> bool {
    let wanted = letters(heading);
    let unspaced = wanted.contains(is_unspaced);
    if wanted.chars().count() <= (if unspaced { 1 } else { 3 }) || !letters(title).contains(&wanted) {
        return false;
    }
    let own = words(heading);
    unspaced || own.len() > 2 || words(title).windows(own.len()).any(|run| run == own)
}

/// Is the heading only a small piece of the shortest part that it stands in?
fn says_little<'p>(heading: &str, parts: impl Iterator<Item = &'p &'p str>) -> bool {
    let wanted = letters(heading);
    let around =
        parts.map(|part| letters(part)).filter(|part| part.contains(&wanted)).map(|part| part.len()).min();
    around.is_some_and(|around| (wanted.len() as f32) < LEAST_SHARE * around as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    /// The title of a page at `path` of a site called The Example.
    fn chosen(path: &str, title: &str, og_title: &str, headline: &str, html: &str) -> Option<String> {
        let headings = headings(&parse(html, ParseOptions::default()));
        let url = Url::parse("https://www.example.org").unwrap().join(path).unwrap();
        let site_name = "The Example";
        choose(&Sources { headings: &headings, title, og_title, headline, site_name, url: &url })
    }

    #[test]
    fn a_heading_is_spelled_as_the_page_tells_machines() {
        let og_title = "Why isn't bread \"cheap\"? | Bread Site";
        let chosen = chosen("/x", "", og_title, "", "<h1>Why isn’t bread “cheap”?</h1>");
        assert_eq!(chosen.as_deref(), Some("Why isn't bread \"cheap\"?"));
    }

    #[test]
    fn the_title_names_the_thing_and_not_the_site() {
        let rows = [
            ("How to bake | Bread Site", "<h1>How to bake</h1>", "How to bake"),
            ("How to bake - The Example", "<p>x", "How to bake"),
            ("The Example - How to bake bread - The Example", "<p>x", "How to bake bread"),
            ("How to bake - Example", "<h1>Example</h1>", "How to bake"),
            ("How we bake bread at home | News", "<h1>Subscribe now to us</h1>", "How we bake bread at home"),
            (
                "Ten ways to bake bread",
                "<h1>Ten great ways to bake bread</h1>",
                "Ten great ways to bake bread",
            ),
            ("Well-known bread", "<p>x", "Well-known bread"),
            ("How to bake bread - Part 2", "<p>x", "How to bake bread - Part 2"),
            ("Bread for all - Ample", "<p>x", "Bread for all"),
            ("Bread - Ample", "<p>x", "Bread - Ample"),
            ("Bread - example.org", "<p>x", "Bread"),
            ("", "<h1>Only a heading</h1>", "Only a heading"),
            // One of the part's words, or a piece of a word, is not what the page is called.
            (
                "What our bakers tell of bread, rye and salt",
                "<h1>Rye</h1>",
                "What our bakers tell of bread, rye and salt",
            ),
            ("Wholemeal loaves", "<h1>meal</h1>", "Wholemeal loaves"),
            (
                "Rye bread - All breads of the bakery",
                "<h1>All breads of the bakery</h1><h1>Rye bread</h1>",
                "Rye bread",
            ),
            ("窯の温度とは｜陶芸の窓", "<h1>窯の温度とは</h1>", "窯の温度とは"),
            ("窑炉的温度怎么控制_陶艺网", "<p>x", "窑炉的温度怎么控制"),
            ("วิธีเผาเครื่องปั้นดินเผา | ร้านดิน", "<h1>วิธีเผาเครื่องปั้นดินเผา</h1>", "วิธีเผาเครื่องปั้นดินเผา"),
            ("كيف تخبز الخبز في البيت - موقع", "<h1>كيف تخبز الخبز في البيت</h1>", "كيف تخبز الخبز في البيت"),
        ];
        for (title, html, expected) in rows {
            assert_eq!(chosen("/x", title, "", "", html).as_deref(), Some(expected), "{title}");
        }
    }

    #[test]
    fn where_heading_and_title_differ_the_rest_of_the_page_decides() {
        let (heading, title) = ("<h1>Which flour is best?</h1>", "Top flours of the year | The Example");
        let rows = [
            (
                "JSON-LD says the heading",
                "/x",
                "Which flour is best?",
                heading,
                title,
                "Which flour is best?",
            ),
            (
                "the address says the heading",
                "/which-flour-best/",
                "",
                heading,
                title,
                "Which flour is best?",
            ),
            ("the address says the title", "/top-flours", "", heading, title, "Top flours of the year"),
            ("nothing decides", "/x", "", heading, title, "Top flours of the year"),
            (
                "the address speaks against a heading that is nearly the title",
                "/bread-for-beginners-step-by-step",
                "",
                "<h1>Bread made easy</h1>",
                "Bread for beginners made easy step by step",
                "Bread for beginners made easy step by step",
            ),
        ];
        for (name, path, headline, html, title, expected) in rows {
            assert_eq!(chosen(path, title, "", headline, html).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn the_page_of_a_site_is_called_as_the_site() {
        let title = "Example | Bread for all";
        assert_eq!(chosen("/", title, "", "", "<h1>Bread for all</h1>").as_deref(), Some(title));
        assert_eq!(
            chosen("/bread", title, "", "", "<h1>Bread for all</h1>").as_deref(),
            Some("Bread for all")
        );
    }

    #[test]
    fn what_is_told_for_previews_has_no_section() {
        let chosen = chosen("/x", "Rye bread - Questions - Bakers", "Rye bread", "", "<p>x");
        assert_eq!(chosen.as_deref(), Some("Rye bread"));
    }
}
