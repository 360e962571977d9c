//! HTML as text, and HTML as a list of normalized events, which are equal if two pieces of HTML mean the
//! same.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::{Html, Node};

/// Elements that end a line of text.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "legend",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
    "video",
    "audio",
    "select",
    "textarea",
];

/// Elements without visible text.
const SKIPPED: &[&str] = &["script", "style", "noscript", "template", "head", "title", "svg", "iframe"];

/// The text of HTML, with line breaks around blocks.
pub(super) fn text(html: &str) -> String {
    text_of(Html::parse_fragment(html).tree.root(), |_| false)
}

/// The text of a node, with line breaks around blocks, without the nodes inside for which `skips` is true.
pub(super) fn text_of(root: NodeRef<'_, Node>, skips: impl Fn(NodeRef<'_, Node>) -> bool) -> String {
    let mut out = String::new();
    let mut skipped = 0_u32;
    let is_skipped = |node: NodeRef<'_, Node>| has_no_text(node) || (node.id() != root.id() && skips(node));
    for edge in root.traverse() {
        let (Edge::Open(node) | Edge::Close(node)) = edge;
        if is_skipped(node) {
            match edge {
                Edge::Open(_) => skipped += 1,
                Edge::Close(_) => skipped -= 1,
            }
        } else if skipped == 0 {
            match (node.value(), edge) {
                (Node::Text(text), Edge::Open(_)) => out.push_str(text),
                _ if is_block(node) => out.push('\n'),
                _ => {}
            }
        }
    }
    out
}

/// Is a node an element that ends a line of text?
pub(super) fn is_block(node: NodeRef<'_, Node>) -> bool {
    node.value().as_element().is_some_and(|element| BLOCKS.contains(&element.name()))
}

/// Is a node an element without visible text?
pub(super) fn has_no_text(node: NodeRef<'_, Node>) -> bool {
    node.value().as_element().is_some_and(|element| SKIPPED.contains(&element.name()))
}

/// A start tag, an end tag or text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// The start of an element: its name and its attributes, sorted.
    Start(String, Vec<(String, String)>),
    /// The end of an element.
    End(String),
    /// Text. Outside `pre`, each run of white space is one space.
    Text(String),
}

/// Elements around which white space has no meaning.
const IGNORES_SPACE_AROUND: &[&str] = &[
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "div",
    "section",
    "dl",
    "dt",
    "dd",
    "br",
];

/// The normalized events of HTML.
pub(super) fn events(html: &str) -> Vec<Event> {
    // White space at the end would reopen formatting elements that were not closed.
    let tree = Html::parse_fragment(html.trim_end());
    let mut events: Vec<Event> = Vec::new();
    let mut verbatim = 0_u32;
    // Skips the root and the `html` element around a fragment.
    let Some(root) = tree.tree.root().first_child() else { return events };
    for edge in root.traverse().skip(1) {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Element(element) => {
                    let name = normalized_name(element.name());
                    verbatim += u32::from(name == "pre");
                    let attributes = element.attrs().map(|(key, value)| (key.to_owned(), value.to_owned()));
                    events.push(Event::Start(
                        name.to_owned(),
                        normalized_attributes(name, attributes.collect()),
                    ));
                }
                Node::Text(text) => {
                    let text = if verbatim > 0 { text.to_string() } else { collapse_space(text) };
                    match events.last_mut() {
                        Some(Event::Text(before)) => before.push_str(&text),
                        _ => events.push(Event::Text(text)),
                    }
                }
                _ => {}
            },
            Edge::Close(node) => {
                if let Node::Element(element) = node.value()
                    && node.id() != root.id()
                {
                    let name = normalized_name(element.name());
                    verbatim -= u32::from(name == "pre");
                    events.push(Event::End(name.to_owned()));
                }
            }
        }
    }
    trim_around_blocks(events)
}

fn normalized_name(name: &str) -> &str {
    match name {
        "b" => "strong",
        "i" => "em",
        "s" | "strike" => "del",
        other => other,
    }
}

fn normalized_attributes(element: &str, mut attributes: Vec<(String, String)>) -> Vec<(String, String)> {
    if matches!(element, "th" | "td")
        && let Some(at) = attributes.iter().position(|(key, _)| key == "style")
    {
        let (_, style) = attributes.swap_remove(at);
        if let Some((_, align)) = style.split_once("text-align:") {
            let align: String = align.trim_start().chars().take_while(|c| c.is_alphanumeric()).collect();
            attributes.push(("align".to_owned(), align));
        }
    }
    attributes.retain(|(key, value)| !(element == "ol" && key == "start" && value == "1"));
    if element == "img" && !attributes.iter().any(|(key, _)| key == "alt") {
        attributes.push(("alt".to_owned(), String::new()));
    }
    attributes.sort();
    attributes
}

fn collapse_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' | '\t' | '\r' | '\n' | '\u{C}' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            _ => out.push(c),
        }
    }
    out
}

/// Removes the white space around blocks and the last line break of a block of code.
fn trim_around_blocks(events: Vec<Event>) -> Vec<Event> {
    let ignores_space = |event: Option<&Event>| match event {
        None => true,
        Some(Event::Start(name, _) | Event::End(name)) => IGNORES_SPACE_AROUND.contains(&name.as_str()),
        Some(Event::Text(_)) => false,
    };
    let mut verbatim = 0_u32;
    let mut out = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(name, _) => verbatim += u32::from(name == "pre"),
            Event::End(name) => verbatim -= u32::from(name == "pre"),
            Event::Text(_) => {}
        }
        let (before, after) = (at.checked_sub(1).and_then(|before| events.get(before)), events.get(at + 1));
        match event {
            Event::Text(text) if verbatim == 0 => {
                let text = if ignores_space(before) { text.trim_start_matches(' ') } else { text };
                let text = if ignores_space(after) { text.trim_end_matches(' ') } else { text };
                if !text.is_empty() {
                    out.push(Event::Text(text.to_owned()));
                }
            }
            Event::Text(text) if matches!(after, Some(Event::End(name)) if name == "code") => {
                out.push(Event::Text(text.trim_end_matches('\n').to_owned()));
            }
            other => out.push(other.clone()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_a_line_per_block_and_no_scripts() {
        let rows = [
            ("<p>a <b>b</b></p><script>x</script>c", "a b|c"),
            ("<ul><li>a<li>b</ul>", "a|b"),
            ("a<br>b", "a|b"),
            ("<table><tr><th>a<td>b<tr><td>c</table>", "a|b|c"),
            ("<svg><title>x</title><p>y</p></svg>a<noscript>x</noscript><template><p>x</template>", "y|a"),
            ("<style>x</style><iframe>x</iframe><p>un<i>break</i>able", "unbreakable"),
            ("&lt;p&gt; &amp;", "<p> &"),
            ("", ""),
        ];
        for (html, expected) in rows {
            let text = text(html);
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            assert_eq!(lines.join("|"), expected, "{html}");
        }
    }

    #[test]
    fn events_have_normalized_names_and_trimmed_text() {
        let start = |name: &str| Event::Start(name.to_owned(), Vec::new());
        let end = |name: &str| Event::End(name.to_owned());
        assert_eq!(
            events("<p> a <b>b</b> </p>\n"),
            [
                start("p"),
                Event::Text("a ".to_owned()),
                start("strong"),
                Event::Text("b".to_owned()),
                end("strong"),
                end("p")
            ]
        );
        let image = vec![("alt".to_owned(), String::new()), ("src".to_owned(), "a".to_owned())];
        assert_eq!(events("<img src=a>"), [Event::Start("img".to_owned(), image), end("img")]);
        assert_eq!(events(""), []);
    }

    #[test]
    fn equivalent_html_has_equal_events() {
        let same = [
            ("<p>a\n b</p>\n<p>c</p>", "<p> a b</p><p>c</p>"),
            ("<b>a</b>", "<strong>a</strong>"),
            ("<ol start=1><li>a</ol>", "<ol><li>a</li></ol>"),
            ("<i>a</i> <s>b</s> <strike>c</strike>", "<em>a</em> <del>b</del> <del>c</del>"),
            ("<a href=x title=y>a</a>", "<a title=y href=x>a</a>"),
            ("<img alt='' src=a>", "<img src=a>"),
            ("<p>a</p><hr><p>b", "<p>a</p> <hr> <p>b</p>"),
            ("<pre><code>x\n</code></pre>", "<pre><code>x</code></pre>"),
            (
                "<table><tr><td style='text-align: left'>a</table>",
                "<table><tr><td align=left>a</td></tr></table>",
            ),
        ];
        for (one, other) in same {
            assert_eq!(events(one), events(other), "{one}");
        }
        for (one, other) in [
            ("<p>a b</p>", "<p>ab</p>"),
            ("<em>a</em>", "<em><em>a</em></em>"),
            ("<pre>a  b</pre>", "<pre>a b</pre>"),
            ("<ol start=2><li>a</ol>", "<ol><li>a</ol>"),
            ("<a href=x>a</a>", "<a href=y>a</a>"),
            ("<p>a</p><p>b</p>", "<p>a b</p>"),
        ] {
            assert_ne!(events(one), events(other), "{one}");
        }
    }
}
