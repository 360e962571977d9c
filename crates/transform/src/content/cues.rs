//! What words in a text and in an address say about their place on a page.
//!
//! Headings such as "You may also like" or "Leave a reply" begin what is no longer the main content; prices, dates and
//! "add to cart" tell a shop's page from a journal's. English only: other languages go without this hint.

use std::sync::LazyLock;

/// How many groups of text cues there are.
pub(super) const CUES: usize = 16;

/// Phrases by group, in lower case; each begins at the start of a word.
const PHRASES: [&[&str]; CUES - 1] = [
    &[
        "related",
        "you may also",
        "you might also",
        "recommended",
        "similar",
        "more from",
        "more in",
        "also like",
        "customers also",
        "recently viewed",
        "trending",
        "popular",
        "most read",
        "latest",
        "up next",
        "read next",
        "keep reading",
        "see also",
        "inspired by",
        "people also",
        "frequently bought",
        "explore more",
    ],
    &["review", "rating", "testimonial", "stars", "what our c"],
    &["comment", "leave a reply", "reply", "replies", "responses", "join the conv", "add a comment"],
    &["cookie", "privacy", "consent", "gdpr", "personal data", "opt out", "do not sell"],
    &["copyright", "©", "all rights reserved", "terms of", "trademark", "disclaimer", "legal"],
    &[
        "subscribe",
        "newsletter",
        "sign up",
        "your email",
        "inbox",
        "mailing list",
        "notify me",
        "get the latest",
    ],
    &[
        "share",
        "tweet",
        "facebook",
        "twitter",
        "pinterest",
        "follow us",
        "linkedin",
        "instagram",
        "whatsapp",
        "copy link",
    ],
    &["log in", "login", "sign in", "register", "my account", "password", "create an account", "log out"],
    &[
        "add to cart",
        "add to bag",
        "add to basket",
        "buy now",
        "checkout",
        "wishlist",
        "wish list",
        "quantity",
        "in stock",
        "out of stock",
        "sold out",
        "free shipping",
        "delivery",
        "returns",
        "pickup",
        "afterpay",
        "klarna",
        "financing",
    ],
    &[
        "specification",
        "details",
        "description",
        "feature",
        "faq",
        "frequently asked",
        "dimensions",
        "material",
        "ingredients",
        "overview",
        "about this",
        "product info",
        "how it works",
        "technical",
    ],
    &[
        "read more",
        "learn more",
        "view all",
        "see all",
        "show more",
        "load more",
        "click here",
        "shop now",
        "see more",
        "view more",
        "get started",
        "find out more",
        "contact us",
        "book a",
        "request a",
    ],
    &[
        "by ",
        "posted",
        "published",
        "updated",
        "min read",
        "ago",
        "written by",
        "last modified",
        "minute read",
        "joined",
    ],
    &[
        "home",
        "menu",
        "search",
        "skip to",
        "about us",
        "help",
        "careers",
        "press",
        "support",
        "back to top",
        "toggle",
        "close",
    ],
    &["advertisement", "sponsored", "promoted", "ad feedback", "affiliate", "we may earn", "partner offer"],
    &[
        "filter",
        "sort by",
        "results",
        "items",
        "page ",
        "next",
        "previous",
        "showing",
        "per page",
        "categories",
        "tags",
        "clear all",
    ],
];

/// Only this much of a text is looked at, in bytes.
const LOOKED_AT: usize = 160;

/// A phrase and the bit of its group.
type Phrase = (&'static [u8], u32);

/// All phrases by their first byte, with the bits of their groups.
static BY_FIRST_BYTE: LazyLock<Vec<Vec<Phrase>>> = LazyLock::new(|| {
    let mut table = vec![Vec::new(); 256];
    for (group, phrases) in PHRASES.iter().enumerate() {
        for phrase in *phrases {
            let first = phrase.bytes().next().map_or(0, usize::from);
            if let Some(slot) = table.get_mut(first) {
                slot.push((phrase.as_bytes(), 1 << group));
            }
        }
    }
    table
});

/// The groups of cues in a text, one bit each; the last is a price.
pub(super) fn of_text(text: &str) -> u32 {
    let mut cues = 0;
    let mut buffer = [0_u8; LOOKED_AT];
    let mut length = 0;
    let mut price = false;
    let mut previous = b' ';
    for (byte, slot) in text.bytes().zip(&mut buffer) {
        *slot = if byte.is_ascii_whitespace() { b' ' } else { byte.to_ascii_lowercase() };
        price |= byte.is_ascii_digit() && previous == b'$';
        if byte != b' ' {
            previous = byte;
        }
        length += 1;
    }
    let head = buffer.get(..length).unwrap_or_default();
    let table = &*BY_FIRST_BYTE;
    let mut start = true;
    for (at, byte) in head.iter().enumerate() {
        let word = byte.is_ascii_alphanumeric() || *byte >= 0x80;
        if word && start {
            let rest = head.get(at..).unwrap_or_default();
            for (phrase, bit) in table.get(usize::from(*byte)).into_iter().flatten() {
                if rest.starts_with(phrase) {
                    cues |= bit;
                }
            }
        }
        start = !word;
    }
    let sign = || head.windows(3).any(|three| matches!(three, [0xE2, 0x82, 0xAC] | [_, 0xC2, 0xA3 | 0xA5]));
    if price || (head.iter().any(u8::is_ascii_digit) && sign()) {
        cues |= 1 << (CUES - 1);
    }
    cues
}

/// How many groups of words in addresses there are.
pub(super) const PATHS: usize = 9;

const PATH_WORDS: [&[&str]; PATHS] = [
    &["product", "products", "p", "item", "itm", "dp", "shop", "pd", "buy", "sku", "ip", "prod"],
    &[
        "collection",
        "collections",
        "category",
        "categories",
        "c",
        "cat",
        "catalog",
        "catalogue",
        "search",
        "browse",
        "brand",
        "brands",
        "w",
        "b",
        "s",
    ],
    &[
        "forum",
        "forums",
        "thread",
        "threads",
        "topic",
        "t",
        "discussion",
        "discussions",
        "questions",
        "question",
        "community",
        "comments",
        "board",
        "viewtopic",
        "showthread",
        "answers",
    ],
    &[
        "blog", "blogs", "news", "article", "articles", "post", "posts", "story", "stories", "insights",
        "magazine", "press", "opinion", "features",
    ],
    &[
        "docs",
        "doc",
        "documentation",
        "guide",
        "guides",
        "api",
        "reference",
        "manual",
        "learn",
        "tutorial",
        "tutorials",
        "help",
        "wiki",
        "kb",
        "developer",
        "developers",
        "en",
        "latest",
        "stable",
    ],
    &[
        "service",
        "services",
        "solutions",
        "solution",
        "pricing",
        "about",
        "platform",
        "industries",
        "company",
        "enterprise",
        "consulting",
        "practice",
    ],
    &[
        "tag",
        "tags",
        "archive",
        "archives",
        "topics",
        "list",
        "lists",
        "index",
        "page",
        "jobs",
        "events",
        "directory",
        "listing",
        "listings",
        "best",
        "top",
        "results",
        "recipes",
    ],
    &["review", "reviews", "recipe", "how", "what", "why", "best", "guide"],
    &["user", "users", "profile", "author", "u", "people", "member", "members"],
];

/// What an address says: its groups of words as bits, its depth, the length of its last part in words, and whether it
/// holds a year or a long number.
pub(super) fn of_address(path: &str, query: Option<&str>) -> [f32; PATHS + 5] {
    let mut out = [0.0; PATHS + 5];
    let segments = || path.split('/').filter(|segment| !segment.is_empty());
    for segment in segments() {
        let name = segment.split('.').next().unwrap_or_default();
        for (group, words) in PATH_WORDS.iter().enumerate() {
            if words.iter().any(|word| name.eq_ignore_ascii_case(word))
                && let Some(slot) = out.get_mut(group)
            {
                *slot = 1.0;
            }
        }
    }
    let last = segments().next_back().unwrap_or_default();
    let depth = segments().count();
    let number = |segment: &str| {
        segment.len() >= 5 && segment.bytes().filter(u8::is_ascii_digit).count() * 2 > segment.len()
    };
    let year = |segment: &str| {
        segment.len() == 4
            && (segment.starts_with("19") || segment.starts_with("20"))
            && segment.bytes().all(|byte| byte.is_ascii_digit())
    };
    let facts = [
        depth.min(10) as f32,
        last.split(['-', '_']).count().min(20) as f32,
        f32::from(u8::from(segments().any(number))),
        f32::from(u8::from(segments().any(year))),
        query.map_or(0.0, |query| query.split('&').count().min(10) as f32),
    ];
    for (slot, fact) in out.iter_mut().skip(PATHS).zip(facts) {
        *slot = fact;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_begin_at_words() {
        assert_eq!(of_text("You May Also Like") & 1, 1);
        assert_eq!(of_text("unrelated") & 1, 0);
        assert_ne!(of_text("Only $ 9.99") >> (CUES - 1), 0);
        assert_ne!(of_text("Preis 9 €") >> (CUES - 1), 0);
        assert_eq!(of_text(""), 0);
    }

    #[test]
    fn addresses_tell_kinds_of_pages() {
        assert_eq!(of_address("/blog/2024/how-to-bake", None)[3], 1.0);
        assert_eq!(of_address("/blog/2024/how-to-bake", None)[PATHS + 3], 1.0);
        assert_eq!(of_address("/", None).iter().sum::<f32>(), 1.0);
    }
}
