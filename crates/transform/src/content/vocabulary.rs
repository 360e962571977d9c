//! The vocabulary of names that authors give to elements.
//!
//! Class and id are split into words (`post-content`, `PostContent` and `post_content` have the same two),
//! and each word with a common meaning across sites belongs to a group. The vocabulary has no site names, and
//! only a few names of widely used tools that authors use for the component itself (`swiper` for a slider).

/// The number of groups.
pub(crate) const GROUPS: usize = 48;

/// Words by group. A word that ends in `*` matches every ending.
const VOCABULARY: [&[&str]; GROUPS] = [
    &[
        "nav",
        "navbar",
        "navigation",
        "menu",
        "menus",
        "submenu",
        "topnav",
        "sidenav",
        "megamenu",
        "hamburger",
    ],
    &["footer", "foot", "colophon", "bottom", "footnav"],
    &["header", "masthead", "topbar", "banner", "branding", "site"],
    &["sidebar", "aside", "side", "rail", "secondary", "complementary"],
    &["breadcrumb", "breadcrumbs", "crumb", "crumbs", "breadcrumbs"],
    &["cookie", "cookies", "consent", "gdpr", "privacy", "ccpa", "onetrust"],
    &["share", "sharing", "social", "socials", "follow", "shares"],
    &[
        "related",
        "recommend*",
        "similar",
        "suggest*",
        "more",
        "also",
        "upsell",
        "crosssell",
        "recirc*",
        "trending",
        "popular",
    ],
    &["comment", "comments", "reply", "replies", "respond", "discussion", "commentlist"],
    &[
        "ad",
        "ads",
        "advert*",
        "sponsor*",
        "promo",
        "promotion*",
        "promoted",
        "dfp",
        "adslot",
        "advertisement",
    ],
    &["newsletter", "subscribe", "subscription", "signup", "optin", "mailing", "mailchimp"],
    &["popup", "modal", "overlay", "dialog", "lightbox", "drawer", "offcanvas", "toast"],
    &["pagination", "pager", "paging", "prev", "previous", "next", "paginate", "pages"],
    &["tag", "tags", "category", "categories", "topics", "labels", "taxonomy", "keywords"],
    &["meta", "byline", "metadata", "info", "postmeta", "details"],
    &["author", "authors", "bio", "avatar", "profile", "contributor", "username", "user"],
    &["date", "time", "datetime", "published", "timestamp", "updated", "posted"],
    &["widget", "widgets", "module", "block", "plugin"],
    &["toolbar", "tool", "tools", "controls", "actions", "action", "utility", "utils"],
    &["search", "searchform", "searchbox", "query", "autocomplete"],
    &["login", "account", "signin", "register", "auth", "password", "session"],
    &["cart", "basket", "checkout", "bag", "wishlist", "compare", "addtocart", "buy", "qty", "quantity"],
    &["rating", "ratings", "star", "stars", "review", "reviews", "testimonial*", "votes", "vote", "score"],
    &[
        "hidden",
        "hide",
        "invisible",
        "sr",
        "visually",
        "screen",
        "offscreen",
        "noprint",
        "print",
        "collapsed",
        "collapse",
    ],
    &["skip", "jump", "anchor", "backtotop", "totop", "scroll"],
    &["dropdown", "dropdowns", "select", "option", "options", "choices", "picker", "swatch*", "variant*"],
    &["tab", "tabs", "tabpanel", "pane", "panel", "tabbed"],
    &["carousel", "slider", "slide", "slides", "swiper", "slick", "gallery", "thumb", "thumbs", "thumbnail*"],
    &[
        "caption",
        "figcaption",
        "credit",
        "credits",
        "figure",
        "image",
        "img",
        "photo",
        "media",
        "video",
        "picture",
        "icon",
        "icons",
    ],
    &["toc", "contents", "outline", "onthispage", "index", "tree"],
    &["copyright", "legal", "disclaimer", "terms", "policy", "license"],
    &["cta", "button", "buttons", "btn", "btns", "call"],
    &["logo", "logos", "brand", "partner*", "clients", "trusted"],
    &["filter", "filters", "sort", "sorting", "facet", "facets", "refine", "refinement*"],
    &["badge", "badges", "label", "pill", "chip", "flag", "status", "eyebrow", "kicker"],
    &["alert", "notice", "notification*", "warning", "message", "messages", "announcement*", "note"],
    &["content", "contents", "maincontent", "primary", "main", "page"],
    &["article", "post", "posts", "entry", "story", "blog", "news", "single", "hentry"],
    &[
        "body",
        "text",
        "copy",
        "prose",
        "richtext",
        "rte",
        "markdown",
        "rich",
        "wysiwyg",
        "editor",
        "paragraph",
        "articlebody",
        "rtf",
    ],
    &[
        "description",
        "desc",
        "summary",
        "intro",
        "introduction",
        "lead",
        "lede",
        "excerpt",
        "dek",
        "abstract",
        "overview",
        "about",
        "deck",
        "standfirst",
    ],
    &["product", "products", "item", "items", "sku", "goods", "pdp"],
    &[
        "detail",
        "spec",
        "specs",
        "specification*",
        "feature",
        "features",
        "attribute*",
        "ingredient*",
        "technical",
    ],
    &["title", "heading", "headline", "name", "subtitle", "subheading", "heading1", "h1", "h2", "h3"],
    &[
        "thread",
        "topic",
        "question",
        "answer",
        "answers",
        "faq",
        "faqs",
        "accordion",
        "accordions",
        "qa",
        "forum",
        "response",
    ],
    &[
        "card",
        "cards",
        "listing",
        "listings",
        "result",
        "results",
        "grid",
        "list",
        "lists",
        "tile",
        "tiles",
        "feed",
        "stream",
        "collection",
        "loop",
        "archive",
    ],
    &["hero", "jumbotron", "splash", "cover", "masthead"],
    &[
        "price",
        "prices",
        "pricing",
        "cost",
        "amount",
        "sale",
        "discount",
        "stock",
        "availability",
        "shipping",
        "delivery",
        "payment",
    ],
    &["form", "field", "input", "contact", "contactform", "fieldset", "fields", "checkbox", "radio"],
];

/// Upper bound on the length of a word, in bytes.
const MAX_WORD_BYTES: usize = 24;

/// The groups of all words of a class or an id, one bit each.
pub(crate) fn groups(name: &str) -> u64 {
    let index = &*INDEX;
    let mut groups = 0;
    let mut word = [0_u8; MAX_WORD_BYTES];
    let mut length = 0_usize;
    let mut hash = HASH_START;
    let mut lower = false;
    // A word ends before a non-letter, and before a capital that follows a lower-case letter.
    for byte in name.bytes().take(2_000).chain([b' ']) {
        let letter = byte.is_ascii_alphabetic();
        if length > 0 && (!letter || (byte.is_ascii_uppercase() && lower)) {
            groups |= word.get(..length).map_or(0, |word| index.of(hash, word));
            (length, hash) = (0, HASH_START);
        }
        if letter {
            let small = byte.to_ascii_lowercase();
            if let Some(slot) = word.get_mut(length) {
                *slot = small;
            }
            hash = hash_byte(hash, small);
            length += 1;
        }
        lower = byte.is_ascii_lowercase();
    }
    groups
}

const HASH_START: u32 = 0x811C_9DC5;

const fn hash_byte(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

/// Slots of the word table: a power of two well above the number of words.
const SLOTS: usize = 2048;

/// All words with the bit sets of their groups.
#[derive(Debug)]
struct Index {
    /// By hash, open addressing.
    exact: Vec<(&'static [u8], u64)>,
    /// Words that end in `*`, without it.
    stems: Vec<(&'static [u8], u64)>,
    /// The first letters of stems, one bit each.
    starts: u32,
}

static INDEX: std::sync::LazyLock<Index> = std::sync::LazyLock::new(|| {
    let mut index = Index { exact: vec![(&[], 0); SLOTS], stems: Vec::new(), starts: 0 };
    for (group, words) in VOCABULARY.iter().enumerate() {
        for word in *words {
            if let Some(stem) = word.strip_suffix('*') {
                index.stems.push((stem.as_bytes(), 1 << group));
                index.starts |= stem.bytes().next().map_or(0, |first| 1 << (first & 31));
                continue;
            }
            let mut slot = word.bytes().fold(HASH_START, hash_byte) as usize % SLOTS;
            while let Some(entry) = index.exact.get_mut(slot) {
                if entry.0.is_empty() || entry.0 == word.as_bytes() {
                    *entry = (word.as_bytes(), entry.1 | 1 << group);
                    break;
                }
                slot = (slot + 1) % SLOTS;
            }
        }
    }
    index
});

impl Index {
    fn of(&self, hash: u32, word: &[u8]) -> u64 {
        let mut slot = hash as usize % SLOTS;
        let mut groups = 0;
        while let Some((known, bits)) = self.exact.get(slot)
            && !known.is_empty()
        {
            if *known == word {
                groups = *bits;
                break;
            }
            slot = (slot + 1) % SLOTS;
        }
        if word.first().is_some_and(|first| self.starts >> (first & 31) & 1 == 1) {
            let stems = self.stems.iter().filter(|(stem, _)| word.starts_with(stem));
            groups |= stems.fold(0, |bits, (_, own)| bits | own);
        }
        groups
    }
}

/// The meaning of a class, an id or another name.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NameInfo {
    /// The groups of its words, one bit each.
    pub(crate) groups: u64,
    /// A hash of the part before the first white space.
    pub(crate) first: u32,
}

/// The number of entries of [`NameCache`].
const CACHE_SLOTS: usize = 512;

/// A cache of the names of one page, which are usually a few hundred repeated many times.
///
/// It is direct-mapped: each name has one slot and replaces another name there. So no page costs more than
/// reading each name once.
#[derive(Debug)]
pub(crate) struct NameCache<'t> {
    slots: Vec<(&'t str, NameInfo)>,
}

impl Default for NameCache<'_> {
    fn default() -> Self {
        Self { slots: vec![("", NameInfo::default()); CACHE_SLOTS] }
    }
}

impl<'t> NameCache<'t> {
    /// The meaning of a name.
    pub(crate) fn read(&mut self, name: &'t str) -> NameInfo {
        if name.is_empty() {
            return NameInfo::default();
        }
        let bytes = name.as_bytes();
        let head = bytes.first_chunk::<8>().map_or(0, |head| u64::from_le_bytes(*head));
        let tail = bytes.last_chunk::<8>().map_or_else(
            || bytes.iter().fold(0, |packed, byte| packed << 8 | u64::from(*byte)),
            |tail| u64::from_le_bytes(*tail),
        );
        let key = (head ^ tail.rotate_left(29) ^ bytes.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let Some(slot) = self.slots.get_mut((key >> 55) as usize % CACHE_SLOTS) else {
            return NameInfo::default();
        };
        if slot.0 != name {
            let first = bytes.iter().take_while(|byte| !byte.is_ascii_whitespace());
            let first = first.fold(HASH_START, |hash, byte| hash_byte(hash, byte.to_ascii_lowercase()));
            *slot = (name, NameInfo { groups: groups(name), first });
        }
        slot.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        let content = groups("content");
        assert_ne!(content, 0);
        for name in ["post-content", "PostContent", "postContent2", "x__content--y"] {
            assert_eq!(groups(name) & content, content, "{name}");
        }
        assert_eq!(groups("discontented zzz 123"), 0);
        assert_ne!(groups("recommendations") & groups("related"), 0);
    }

    #[test]
    fn a_cached_name_keeps_its_meaning() {
        let mut names = NameCache::default();
        for name in ["post-content", "x", "", "nav bar", "post-content", "nav"] {
            let read = names.read(name);
            assert_eq!(read.groups, groups(name), "{name}");
        }
        assert_eq!(names.read("nav bar").first, names.read("nav foo").first);
    }
}
