//! Sections under a heading that names related things, such as "Related products".
//!
//! Unlike class names, such a heading is written for readers and is reliable, whatever the number of things
//! below it.

use std::sync::LazyLock;

use super::phrases::PhraseSet;
use crate::evidence::Evidence;
use crate::markup::NodeId;

/// Longest heading of this kind, in words.
const MAX_HEADING_WORDS: usize = 9;
/// Upper bound on the ancestors that may start with the heading.
const MAX_CLIMB: usize = 6;
/// Lower bound on the text of an element in addition to its heading, in bytes. A shorter element is a bar
/// with the heading and a link to all the things.
const MIN_MORE_BYTES: usize = 24;
/// Upper bound on the siblings after a heading that are examined.
const MAX_SIBLINGS: usize = 2_000;

/// Phrases of such headings, in lower case.
const PHRASES: &[&str] = &[
    "related",
    "similar",
    "also bought",
    "also viewed",
    "also like",
    "also love",
    "also purchased",
    "also interested",
    "you may like",
    "you might like",
    "recommended",
    "recommendations",
    "recently viewed",
    "frequently bought",
    "bought together",
    "more from this",
    "other products",
    "complete the look",
    "ähnliche",
    "kauften auch",
    "gefallen auch",
    "auch interessieren",
    "das könnte ihnen",
    "das könnte dir",
    "passende produkte",
    "zuletzt angesehen",
    "empfehlungen",
    "verwandte",
    "similaires",
    "aimerez aussi",
    "ont aussi acheté",
    "ont également acheté",
    "apparentés",
    "relacionados",
    "similares",
    "también compraron",
    "también te puede",
    "también le puede",
    "te puede interesar",
    "correlati",
    "simili",
    "potrebbe interessarti",
    "potrebbero interessarti",
    "hanno acquistato anche",
    "gerelateerde",
    "vergelijkbare",
    "kochten ook",
    "bekeken ook",
    "misschien ook",
    "podobné",
    "související",
    "súvisiace",
    "mohlo by se vám",
    "podobne",
    "powiązane",
    "klienci kupili także",
    "produtos relacionados",
    "também compraram",
    "liknande",
    "relaterade",
    "relaterte",
    "relaterede",
    "lignende",
    "samankaltaisia",
    "hasonló",
    "kapcsolódó",
    "benzer ürünler",
    "ilgili ürünler",
    "похожие",
    "сопутствующие",
    "схожі",
    "関連商品",
    "おすすめ商品",
    "相关产品",
    "相關商品",
    "관련 상품",
];

static PHRASE_SET: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(PHRASES));

/// The sections: each from the heading, or the element that starts with it, to the end of the section.
pub(super) fn sections(evidence: &Evidence<'_>) -> Vec<(NodeId, NodeId)> {
    let tree = &evidence.tree;
    let mut found: Vec<(NodeId, NodeId)> = Vec::new();
    // Elements within each other often have the same text.
    let mut last = (0..0, false);
    for node in tree.nodes() {
        if found.last().is_some_and(|(_, end)| node < *end)
            || tree.name(node).is_empty()
            || tree.is_hidden(node)
        {
            continue;
        }
        let range = tree.text_range(node);
        if last.0 != range {
            last = (range, PHRASE_SET.matches(tree.text_of(node), MAX_HEADING_WORDS));
        }
        let elements = ["a", "li", "button", "option", "nav", "label", "td", "th", "dt", "dd", "summary"];
        let inside = |node: NodeId| tree.is(node, &elements);
        if !last.1 || inside(node) || tree.ancestors(node).any(inside) {
            continue;
        }
        if let Some(section) = section(evidence, node) {
            found.push(section);
        }
    }
    found
}

fn rank(evidence: &Evidence<'_>, node: NodeId) -> Option<usize> {
    ["h1", "h2", "h3", "h4", "h5", "h6"].iter().position(|name| evidence.tree.is(node, &[*name]))
}

/// The section of a heading: the outermost element that starts with the heading and contains more than it,
/// else the siblings up to the next heading of the same or a higher rank.
fn section(evidence: &Evidence<'_>, heading: NodeId) -> Option<(NodeId, NodeId)> {
    let tree = &evidence.tree;
    let own = |node: NodeId| {
        evidence.heading.is_some_and(|main| node <= main && main < tree.end(node))
            || tree.is(node, &["html", "body", "main"])
    };
    if own(heading) {
        return None;
    }
    let (start, length) = (tree.text_range(heading).start, tree.text_of(heading).len());
    let mut outer = heading;
    for above in tree.ancestors(heading).take(MAX_CLIMB) {
        if own(above) || tree.text_range(above).start < start {
            break;
        }
        outer = above;
    }
    if tree.text_of(outer).len() > length + MIN_MORE_BYTES {
        // Without a main heading, an element with at least half of the page's text belongs to the main
        // entity.
        let most = evidence.heading.is_none() && tree.text_of(outer).len() >= tree.text().len() / 2;
        return (!most).then(|| (outer, tree.end(outer)));
    }
    let rank = rank(evidence, heading)?;
    let first = tree.end(outer);
    let mut end = first;
    for next in tree.children(tree.parent(outer)?).filter(|next| *next >= first).take(MAX_SIBLINGS) {
        let begins = self::rank(evidence, next).is_some_and(|other| other <= rank);
        if begins || own(next) {
            break;
        }
        end = tree.end(next);
    }
    Some((outer, end))
}

#[cfg(test)]
mod tests {
    use crate::page::Page;
    use crate::schema::Shape;
    use serde_json::{Value, json};

    fn price(html: &str) -> Value {
        let page = Page::new("https://shop.example/lamp".parse().unwrap(), html);
        let shape = Shape::from_schema(&json!({ "properties": { "price": { "type": ["number", "null"] } } }))
            .unwrap();
        crate::extract(&page, &shape).data["price"].clone()
    }

    #[test]
    fn prices_in_related_sections_do_not_count() {
        let chair = "<div class=product><h3>Chair</h3> <span class=price>€99.00</span></div>";
        let filler = "<p>A lamp of brass and milk glass, made by hand in a small workshop near the sea.</p>";
        let rows = [
            ("in a section", format!("<section><h3>Related products</h3>{chair}</section>"), Value::Null),
            ("wrapped", format!("<div><div class=t><h3>Similar items</h3></div>{chair}</div>"), Value::Null),
            ("behind it", format!("<h2>Customers also bought</h2>{chair}"), Value::Null),
            (
                "below a bar",
                format!("<div><h3>Related products</h3><a href=/all>View all</a></div>{chair}"),
                Value::Null,
            ),
            ("German", format!("<div><h2>Ähnliche Produkte</h2>{chair}</div>"), Value::Null),
            ("Japanese", format!("<div><h2>この商品の関連商品</h2>{chair}</div>"), Value::Null),
            ("the page's own", format!("<div><h2>Order</h2>{chair}</div>"), json!(99)),
            (
                "behind the part",
                format!(
                    "<section><h3>Related products</h3><p>There is nothing else that is like it.</p></section>{chair}"
                ),
                json!(99),
            ),
        ];
        for (name, part, expected) in rows {
            let html = format!("<title>Lamp</title><main><h1>Lamp</h1>{filler}{part}</main>");
            assert_eq!(price(&html), expected, "{name}");
        }
    }
}
