//! Tests of the HTML tree: structure, size and folded text.

use super::*;

fn tree(html: &str) -> Tree {
    parse(html, ParseOptions::default())
}

fn tree_of_all(html: &str) -> Tree {
    parse(html, ParseOptions { all_attributes: true, ..ParseOptions::default() })
}

#[test]
fn a_page_becomes_a_tree() {
    let tree = tree("<title>T &amp; t</title><p id=a class=b>One <b>two</b> three<p>Four");
    let paragraph = tree.find(Tag::P).unwrap();
    assert_eq!(tree.attribute(paragraph, Attr::Id), Some("a"));
    assert_eq!(tree.text_content(paragraph), "One two three");
    let title = tree.find(Tag::Title).unwrap();
    assert_eq!(tree.text_content(title), "T & t");
    let body = tree.find(Tag::Body).unwrap();
    assert_eq!(tree.child_elements(body).count(), 2);
}

#[test]
fn a_node_takes_28_bytes() {
    assert_eq!((size_of::<Node>(), size_of::<Attribute>(), size_of::<Extra>()), (28, 16, 16));
}

#[test]
fn names_and_attributes_match_the_page() {
    let tree = tree_of_all("<X-Card a=1 HREF=/x B=2>x</X-Card><math><mi c=3>y</math><p d=4><tt>z");
    let shown: Vec<String> = tree
        .all_elements()
        .map(|node| {
            let attributes: String =
                tree.attributes(node).map(|(name, value)| format!(" {name}={value}")).collect();
            format!("{}{attributes}", tree.name(node))
        })
        .collect();
    let expected = ["html", "head", "body", "x-card a=1 href=/x b=2", "math", "mi c=3", "p d=4", "tt"];
    assert_eq!(shown, expected);
    let text = tree.all_elements().last().and_then(|node| tree.first_child(node)).unwrap();
    assert_eq!((tree.text(text), tree.name(text), tree.first_child(text)), ("z", "", None));
}

#[test]
fn the_tree_can_be_sent_between_threads() {
    fn send<T: Send + Sync>() {}
    send::<Tree>();
}

#[test]
fn scripts_styles_and_drawings_cost_no_nodes() {
    let tree =
        tree("<style>a{}</style><script>var x</script><svg><path d=m /><g><text>x</text></g></svg><p>y");
    let body = tree.find(Tag::Html).unwrap();
    assert_eq!(tree.text_content(body), "y");
    assert!(tree.len() < 12, "{}", tree.len());
}

#[test]
fn a_drawing_keeps_only_the_text_of_its_title() {
    let tree = tree("<p>a<svg><title>T<b>u</b></title><g><title>g</title></g><path/></svg>b");
    let svg = tree.find(Tag::Svg).unwrap();
    let title = tree.first_child(svg).unwrap();
    assert_eq!((tree.name(title), tree.next_sibling(title)), ("title", None));
    assert_eq!(tree.folded_text(title, 9), "T");
    assert_eq!(tree.folded_text(tree.find(Tag::P).unwrap(), 9), "ab");
}

#[test]
fn folded_text_puts_a_space_between_blocks() {
    let tree = tree("<div><p>a\n b</p><p>c</p>d<b>e</b></div>");
    let body = tree.find(Tag::Body).unwrap();
    assert_eq!(tree.folded_text(body, 100), "a b c de");
}
