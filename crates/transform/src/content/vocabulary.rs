//! What the names that authors give to elements say about them.
//!
//! Class and id are cut into words (`post-content`, `PostContent` and `post_content` are the same two), and each word
//! that means something on sites in general belongs to a group. No name of a site, a product or a framework is here.

/// How many groups there are.
pub(crate) const GROUPS: usize = 48;

/// Words by group; a word ends in `*` where any ending counts.
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

/// The groups of all words of a class or an id, one bit each.
pub(crate) fn groups(name: &str) -> u64 {
    let mut groups = 0;
    let mut word = [0_u8; 24];
    let mut length = 0_usize;
    let mut lower = false;
    // Words end where letters end, and where a capital follows a small letter.
    for byte in name.bytes().take(2_000).chain([b' ']) {
        let boundary = !byte.is_ascii_alphabetic() || (byte.is_ascii_uppercase() && lower);
        if boundary && length > 0 {
            groups |= word.get(..length.min(word.len())).map_or(0, group_of);
            length = 0;
        }
        if byte.is_ascii_alphabetic() {
            if let Some(slot) = word.get_mut(length) {
                *slot = byte.to_ascii_lowercase();
            }
            length += 1;
        }
        lower = byte.is_ascii_lowercase();
    }
    groups
}

/// All words, sorted, with the bits of their groups; words that end in `*` apart.
type Index = (Vec<(&'static [u8], u64)>, Vec<(&'static [u8], u64)>);

static INDEX: std::sync::LazyLock<Index> = std::sync::LazyLock::new(|| {
    let mut exact: Vec<(&[u8], u64)> = Vec::new();
    let mut stems: Vec<(&[u8], u64)> = Vec::new();
    for (group, words) in VOCABULARY.iter().enumerate() {
        for word in *words {
            let (list, word) = match word.strip_suffix('*') {
                Some(stem) => (&mut stems, stem),
                None => (&mut exact, *word),
            };
            match list.iter_mut().find(|(known, _)| *known == word.as_bytes()) {
                Some((_, bits)) => *bits |= 1 << group,
                None => list.push((word.as_bytes(), 1 << group)),
            }
        }
    }
    exact.sort_unstable();
    (exact, stems)
});

fn group_of(word: &[u8]) -> u64 {
    let (exact, stems) = &*INDEX;
    let found = exact.binary_search_by(|(known, _)| (*known).cmp(word)).ok().and_then(|at| exact.get(at));
    found.map_or(0, |(_, bits)| *bits)
        | stems.iter().filter(|(stem, _)| word.starts_with(stem)).fold(0, |bits, (_, own)| bits | own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        let content = groups("content");
        assert_ne!(content, 0);
        for name in ["post-content", "PostContent", "postContent2", "x__content--y"] {
            assert_eq!(groups(name) & content, content, "{name}");
        }
        assert_eq!(groups("discontented zzz 123"), 0);
        assert_ne!(groups("recommendations") & groups("related"), 0);
    }
}
