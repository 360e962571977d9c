//! Compiles the prompt of a crawl into options by rules, without a model.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use gleaner_types::plan::SitemapMode;

use super::options::{CompiledCrawl, CrawlOptions, MAX_CRAWL_PATTERNS};
use crate::error::{Error, ErrorKind};
use crate::page::truncate;
use crate::plan::{SiteUrl, segments, stem, terms};

/// Upper bound on the bytes of a prompt.
pub(super) const MAX_PROMPT_BYTES: usize = 10_000;
/// Upper bound on the paths of a prompt that are searched for on the site.
const MAX_PATHS: usize = 2 * MAX_CRAWL_PATTERNS;
/// Upper bound on the listed words that match nothing.
const MAX_REFUSED: usize = 20;

/// Words that exclude what follows.
const EXCLUDING: &[&str] = &[
    "without",
    "except",
    "excluding",
    "exclude",
    "excludes",
    "no",
    "not",
    "skip",
    "skipping",
    "ignore",
    "ignoring",
    "avoid",
    "omit",
    "dont",
    "don't",
    "never",
    "minus",
    "besides",
    "ohne",
    "sans",
    "sin",
    "senza",
];
/// Words that include what follows.
const INCLUDING: &[&str] =
    &["only", "just", "include", "including", "crawl", "get", "scrape", "fetch", "want", "nur", "seulement"];
/// Generic words for pages of any section.
const GENERIC_WORDS: &[&str] = &[
    "post",
    "article",
    "section",
    "part",
    "content",
    "document",
    "item",
    "entry",
    "everything",
    "link",
    "subpage",
    "area",
    "material",
    "text",
    "anything",
    "stuff",
    "related",
    "under",
    "below",
    "within",
    "main",
    "recent",
    "available",
];
/// Words for pages next to a number.
const PAGE_WORDS: &[&str] = &["page", "url", "document", "post", "article", "result", "item"];

/// Compiles a prompt by rules alone, against the URLs of the site. Words that name no path segment are listed
/// in [`CompiledCrawl::refused`]. If the options are empty too, the prompt needs a model
/// ([`Extractor::compile_crawl`](crate::Extractor::compile_crawl)).
///
/// ```
/// use gleaner_extract::{SiteUrl, compile_crawl};
///
/// let site: Vec<SiteUrl> = ["/", "/docs/start", "/docs/changelog/v2", "/blog/hello"]
///     .iter()
///     .map(|path| Ok(SiteUrl::new(format!("https://x.example{path}").parse()?)))
///     .collect::<Result<_, url::ParseError>>()?;
/// let compiled = compile_crawl("The docs without the changelog, at most 50 pages", &site)?;
/// assert_eq!(compiled.options.include_paths, ["/docs(/|$)"]);
/// assert_eq!(compiled.options.exclude_paths, ["/changelog(/|$)"]);
/// assert_eq!((compiled.options.limit, compiled.matched), (Some(50), 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Options`] if the options select none of the site's pages.
pub fn compile_crawl(prompt: &str, site: &[SiteUrl]) -> Result<CompiledCrawl, Error> {
    let names = PathNames::of(site);
    let mut options = CrawlOptions::default();
    let mut refused: Vec<String> = Vec::new();
    let text = truncate(prompt, MAX_PROMPT_BYTES).to_lowercase();
    let tokens = tokens(&text);
    let paths: OnceCell<Vec<String>> = OnceCell::new();
    let paths = || paths.get_or_init(|| site.iter().map(|page| page.url.path().to_lowercase()).collect());
    let mut looked_for = 0;
    let mut without = false;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let word = *token;
        let next = tokens.get(at + 1).copied().unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| tokens.get(at)).copied().unwrap_or_default();
        at += 1;
        if matches!(word, "." | ";") {
            without = false;
        } else if word == "but" {
            // "all but the blog", "the docs, but not the blog".
            without = matches!(before, "all" | "everything" | "anything");
        } else if EXCLUDING.contains(&word) {
            // "no more than 50 pages" excludes nothing.
            if !(word == "no" && next == "more" || word == "not" && matches!(next, "only" | "more")) {
                without = true;
            }
        } else if INCLUDING.contains(&word) {
            without = matches!(before, "not" | "dont" | "don't" | "never") && word != "only";
        } else if let Ok(number) = word.parse::<u32>().map_err(drop)
            && set_number(&mut options, number, before, next, tokens.get(at.wrapping_sub(3)).copied())
        {
            at += usize::from(!next.is_empty() && !matches!(next, "." | ";" | ","));
        } else if set_flag(&mut options, word, next, before, without)
            // "posts about cups" means a section `about` only if the prompt calls it one.
            || word == "about" && !matches!(stem(next).as_str(), "page" | "us" | "section")
        {
        } else if word.starts_with('/') && word.len() > 1 {
            let path = word.trim_end_matches(['*', '/']);
            let pattern = format!("^{}", regex::escape(path));
            looked_for += 1;
            if looked_for <= MAX_PATHS && paths().iter().any(|known| known.starts_with(path)) {
                add_pattern(&mut options, without, pattern);
            } else {
                refused.push(word.to_owned());
            }
        } else {
            // Two words that together are one name take precedence over each word alone.
            let pair = names.exactly(&[word, next]);
            let found = if !next.is_empty() && !pair.is_empty() {
                at += 1;
                pair
            } else {
                names.find(word)
            };
            if found.is_empty() {
                let is_meaningful = terms(word).into_iter().any(|term| {
                    !GENERIC_WORDS.contains(&term.as_str())
                        && !PAGE_WORDS.contains(&term.as_str())
                        && !FILLER_WORDS.contains(&term.as_str())
                });
                if is_meaningful && refused.len() < MAX_REFUSED {
                    refused.push(word.to_owned());
                }
            }
            for name in found {
                add_pattern(&mut options, without, format!("/{}(/|$)", regex::escape(name)));
            }
        }
    }
    let matched = options.count(site)?;
    if matched == 0 && !site.is_empty() {
        let why = format!("they would take none of the site's {} known pages", site.len());
        return Err(ErrorKind::Options(why).into());
    }
    Ok(CompiledCrawl { options, matched, refused, by_model: false })
}

/// Words of prompts that name no section.
const FILLER_WORDS: &[&str] = &[
    "depth",
    "deep",
    "level",
    "click",
    "hop",
    "limit",
    "most",
    "maximum",
    "max",
    "first",
    "more",
    "than",
    "up",
    "second",
    "delay",
    "between",
    "request",
    "anything",
    "thing",
    "same",
    "whole",
    "entire",
    "domain",
    "like",
    "new",
    "current",
    "way",
    "start",
    "down",
    "go",
    "follow",
    "following",
    "keep",
    "leave",
    "take",
    "read",
    "save",
    "download",
    "collect",
    "too",
];

fn add_pattern(options: &mut CrawlOptions, without: bool, pattern: String) {
    let list = if without { &mut options.exclude_paths } else { &mut options.include_paths };
    if list.len() < MAX_CRAWL_PATTERNS && !list.contains(&pattern) {
        list.push(pattern);
    }
}

/// The words and paths of a text, and a "." for each end of a clause.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for word in text.split_whitespace().take(1_000) {
        let bare = word.trim_matches(|found: char| !found.is_alphanumeric() && found != '/');
        if !bare.is_empty() {
            if bare.starts_with('/') {
                out.push(bare);
            } else {
                out.extend(
                    bare.split(|found: char| !found.is_alphanumeric() && found != '\'')
                        .filter(|part| !part.is_empty()),
                );
            }
        }
        if word.ends_with(['.', ';', '!', '?']) {
            out.push(".");
        }
    }
    out
}

/// Sets an option from a number of pages, clicks or seconds.
fn set_number(
    options: &mut CrawlOptions,
    number: u32,
    before: &str,
    next: &str,
    two_before: Option<&str>,
) -> bool {
    let next = stem(next);
    let of = |word: &str| before == word || (matches!(before, "of" | "to") && two_before == Some(word));
    if of("depth") || matches!(next.as_str(), "level" | "click" | "hop") {
        options.max_discovery_depth = Some(number);
    } else if of("delay") || matches!(next.as_str(), "second" | "sec") {
        options.delay = Some(f64::from(number));
    } else if number > 0
        && (PAGE_WORDS.contains(&next.as_str())
            || matches!(before, "limit" | "most" | "first" | "max" | "maximum" | "than")
            || of("up")
            || of("limit"))
    {
        options.limit = Some(u64::from(number));
    } else {
        return false;
    }
    true
}

/// Sets an option from a word that names one.
fn set_flag(options: &mut CrawlOptions, word: &str, next: &str, before: &str, without: bool) -> bool {
    match (stem(word).as_str(), stem(next).as_str()) {
        ("subdomain", _) => options.allow_subdomains = Some(!without),
        ("external", "link" | "site" | "page" | "domain") => options.allow_external_links = Some(!without),
        ("entire" | "whole", "site" | "domain" | "website") => {
            options.crawl_entire_domain = (!without).then_some(true);
        }
        ("query", "parameter" | "string") if without => options.ignore_query_parameters = Some(true),
        ("sitemap", _) if without => options.sitemap = Some(SitemapMode::Skip),
        ("sitemap", next) if next == "only" || matches!(before, "only" | "the") => {
            options.sitemap = Some(SitemapMode::Only);
        }
        _ => return false,
    }
    true
}

/// The names in a site's paths.
struct PathNames<'s> {
    /// Names by all their stems.
    by_stems: BTreeMap<Vec<String>, Vec<&'s str>>,
    /// Names by each of their stems.
    by_stem: BTreeMap<String, Vec<&'s str>>,
}

/// Upper bound on the names that one word matches.
const MAX_NAMES: usize = 8;

impl<'s> PathNames<'s> {
    fn of(site: &'s [SiteUrl]) -> Self {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for page in site {
            for name in segments(&page.url) {
                *seen.entry(name).or_default() += 1;
            }
        }
        let mut names: Vec<(&str, usize)> = seen.into_iter().collect();
        // Sections come before single pages.
        names.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
        let mut out = Self { by_stems: BTreeMap::new(), by_stem: BTreeMap::new() };
        for (name, _) in names {
            let stems: Vec<String> = crate::bind::words(name).iter().map(|word| stem(word)).collect();
            if stems.is_empty() || stems.len() > 3 {
                continue;
            }
            for stem in &stems {
                out.by_stem.entry(stem.clone()).or_default().push(name);
            }
            out.by_stems.entry(stems).or_default().push(name);
        }
        out
    }

    /// The names that consist of exactly these words.
    fn exactly(&self, words: &[&str]) -> Vec<&'s str> {
        let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        self.by_stems
            .get(&stems)
            .map(|names| names.iter().take(MAX_NAMES).copied().collect())
            .unwrap_or_default()
    }

    /// The names that are this word, else those that contain it.
    fn find(&self, word: &str) -> Vec<&'s str> {
        let word = stem(word);
        if terms(&word).is_empty() {
            return Vec::new();
        }
        let synonyms: &[&str] = match word.as_str() {
            "documentation" => &["doc"],
            "doc" => &["documentation"],
            "career" => &["job"],
            "job" => &["career"],
            _ => &[],
        };
        for word in std::iter::once(word.as_str()).chain(synonyms.iter().copied()) {
            if let Some(names) = self.by_stems.get(&vec![word.to_owned()]) {
                return names.iter().take(MAX_NAMES).copied().collect();
            }
        }
        // "blog posts" means the blog, not every page with `post` in its name.
        let is_generic = GENERIC_WORDS.contains(&word.as_str()) || PAGE_WORDS.contains(&word.as_str());
        self.by_stem
            .get(&word)
            .filter(|_| word.len() > 3 && !is_generic)
            .map(|names| names.iter().take(MAX_NAMES).copied().collect())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn site() -> Vec<SiteUrl> {
        [
            "/",
            "/blog/one",
            "/blog/post-two",
            "/docs/start",
            "/docs/api/fetch",
            "/docs/changelog/v1",
            "/release-notes/3",
            "/shop/cups/red",
            "/shop/pots/blue",
            "/about",
            "/careers/baker",
            "/legal/privacy",
        ]
        .iter()
        .map(|path| SiteUrl::new(format!("https://x.example{path}").parse().unwrap()))
        .collect()
    }

    #[test]
    fn prompts_become_options_of_the_site() {
        let rows = [
            ("Only blog posts", json!({ "includePaths": ["/blog(/|$)"] }), 2, 0),
            (
                "docs without changelog",
                json!({ "includePaths": ["/docs(/|$)"], "excludePaths": ["/changelog(/|$)"] }),
                2,
                0,
            ),
            (
                "Crawl everything except the release notes.",
                json!({ "excludePaths": ["/release\\-notes(/|$)"] }),
                11,
                0,
            ),
            ("all but the shop", json!({ "excludePaths": ["/shop(/|$)"] }), 10, 0),
            (
                "Get the documentation, no more than 20 pages",
                json!({ "includePaths": ["/docs(/|$)"], "limit": 20 }),
                3,
                0,
            ),
            (
                "the jobs, with subdomains but no external links",
                json!({
                    "includePaths": ["/careers(/|$)"], "allowSubdomains": true, "allowExternalLinks": false,
                }),
                1,
                0,
            ),
            ("the first 5 pages up to a depth of 2", json!({ "limit": 5, "maxDiscoveryDepth": 2 }), 12, 0),
            (
                "only /docs/api, ignore the sitemap",
                json!({ "includePaths": ["^/docs/api"], "sitemap": "skip" }),
                1,
                0,
            ),
            ("only blog posts about unicorns", json!({ "includePaths": ["/blog(/|$)"] }), 2, 1),
            ("only /nowhere", json!({}), 12, 1),
        ];
        for (prompt, expected, matched, refused) in rows {
            let found = compile_crawl(prompt, &site()).unwrap();
            assert_eq!(serde_json::to_value(&found.options).unwrap(), expected, "{prompt}");
            assert_eq!(
                (found.matched, found.refused.len()),
                (matched, refused),
                "{prompt} {:?}",
                found.refused
            );
        }
    }

    #[test]
    fn options_that_select_no_page_are_an_error() {
        let error = compile_crawl("the blog without the blog", &site()).unwrap_err();
        assert!(error.is_request() && error.to_string().contains("none of the site's 12"));
    }

    #[test]
    fn hostile_prompts_and_sites_are_read_within_bounds() {
        let long = "without (((( /a/[ blog \u{202e} ".repeat(5_000);
        assert!(
            compile_crawl(&long, &site()).is_ok_and(|found| found.refused.len() <= 2 * MAX_REFUSED + 1_000)
        );
        let odd: Vec<SiteUrl> = (0..5_000)
            .map(|at| {
                SiteUrl::new(
                    format!("https://x.example/blog(%5B+{at}/{}", "a/".repeat(at % 50)).parse().unwrap(),
                )
            })
            .collect();
        assert!(compile_crawl("only blog", &odd).is_ok());
    }
}
