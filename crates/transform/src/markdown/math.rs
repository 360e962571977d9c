//! Formulas, each once: TeX where the page has it, and else MathML put into TeX, between dollars.
//!
//! Pages that show formulas hold them two or three times: drawn, as MathML for readers of screens, and as the source.
//! The element around all of these becomes one formula.

use super::mathml;
use crate::names;
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};

/// An element that is a formula as a whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Formula {
    /// Its Markdown; empty where the same formula stands beside it.
    Written(String),
    /// It holds nothing that can be written: what is inside is text, and no formula either.
    Unreadable,
}

/// The formula that an element is; `None` for all other elements.
pub(super) fn of(tree: &Tree, node: NodeId) -> Option<Formula> {
    let candidate = match tree.tag(node) {
        Tag::Math => true,
        Tag::Script | Tag::Img => return written(tree, node).map(Formula::Written),
        Tag::Span | Tag::Div | Tag::Other => is_formula(tree, node),
        _ => false,
    };
    candidate.then(|| written(tree, node).map_or(Formula::Unreadable, Formula::Written))
}

/// Does an element's class or name say that it is a formula?
fn is_formula(tree: &Tree, node: NodeId) -> bool {
    const CLASSES: &[&str] = &[
        "katex",
        "katex-display",
        "mwe-math-element",
        "MathJax",
        "MathJax_Display",
        "MathJax_Preview",
        "MathJax_SVG",
    ];
    (tree.tag(node) == Tag::Other && tree.name(node) == "mjx-container")
        || names::has_class(tree, node, CLASSES)
}

fn written(tree: &Tree, node: NodeId) -> Option<String> {
    match tree.tag(node) {
        Tag::Math => source(tree, node).map(|tex| dollars(&tex, shown_alone(tree, node))),
        Tag::Script => {
            let kind = tree.attribute(node, Attr::Type).filter(|kind| kind.starts_with("math/tex"))?;
            Some(dollars(tree.text(tree.first_child(node)?), kind.contains("mode=display")))
        }
        Tag::Img => {
            let drawn = names::has_class(tree, node, &["latex", "tex", "math-tex", "ql-img-inline-formula"]);
            let alt = tree.attribute(node, Attr::Alt).filter(|alt| drawn && !alt.trim().is_empty())?;
            Some(dollars(alt, false))
        }
        Tag::Other if tree.name(node) == "mjx-container" => {
            let math = find(tree, node, |inner| tree.tag(inner) == Tag::Math)?;
            let display = tree.attribute(node, Attr::Display) == Some("true") || shown_alone(tree, math);
            source(tree, math).map(|tex| dollars(&tex, display))
        }
        Tag::Span | Tag::Div | Tag::Other => {
            let has = |name: &str| names::has_class(tree, node, &[name]);
            if has("katex") || has("katex-display") || has("mwe-math-element") {
                let around = tree.parent(node).map(|parent| names::class(tree, parent));
                let display = has("katex-display")
                    || around.is_some_and(|class| class.contains("katex-display"))
                    || find(tree, node, |inner| tree.tag(inner) == Tag::Math)
                        .is_some_and(|math| shown_alone(tree, math));
                let math = find(tree, node, |inner| tree.tag(inner) == Tag::Math)?;
                return source(tree, math).map(|tex| dollars(&tex, display));
            }
            // What is drawn by a script stands beside the script with the source.
            (has("MathJax") || has("MathJax_Display") || has("MathJax_Preview") || has("MathJax_SVG"))
                .then(String::new)
                .filter(|_| source_follows(tree, node))
        }
        _ => None,
    }
}

/// The TeX of a `math` element: the page's own, or ours.
fn source(tree: &Tree, math: NodeId) -> Option<String> {
    let annotation = find(tree, math, |inner| {
        tree.name(inner) == "annotation"
            && tree
                .attribute(inner, Attr::Encoding)
                .is_some_and(|kind| kind.to_ascii_lowercase().contains("tex"))
    });
    annotation
        .map(|annotation| tree.text_content(annotation))
        .or_else(|| tree.attribute(math, Attr::Alttext).map(str::to_owned))
        .filter(|tex| !tex.trim().is_empty())
        .or_else(|| mathml::tex(tree, math))
}

/// Is the formula a paragraph of its own?
fn shown_alone(tree: &Tree, math: NodeId) -> bool {
    tree.attribute(math, Attr::Display).is_some_and(|display| display == "block")
}

fn find(tree: &Tree, node: NodeId, wanted: impl Fn(NodeId) -> bool) -> Option<NodeId> {
    Walk::new(tree, node).find_map(|edge| match edge {
        Edge::Enter(inner) if wanted(inner) => Some(inner),
        _ => None,
    })
}

fn source_follows(tree: &Tree, node: NodeId) -> bool {
    std::iter::successors(Some(node), |node| tree.next_sibling(*node)).take(4).any(|sibling| {
        tree.tag(sibling) == Tag::Script
            && tree.attribute(sibling, Attr::Type).is_some_and(|kind| kind.starts_with("math/tex"))
    })
}

/// Between dollars, on one line, and so that a renderer without formulas finds neither a link, a tag nor code in it.
pub(super) fn dollars(tex: &str, display: bool) -> String {
    let mut folded = String::with_capacity(tex.len() + 4);
    for word in tex.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(word.chars().filter(|c| !c.is_control()));
    }
    // Some programs wrap all they have in a style.
    let styled = folded.strip_prefix("{\\displaystyle ").and_then(|inner| inner.strip_suffix('}'));
    let folded = styled.map_or(folded.as_str(), str::trim).trim_matches('$').trim();
    if folded.is_empty() {
        return String::new();
    }
    let folded = folded
        .replace('<', "\\lt ")
        .replace('`', "\\lq ")
        .replace("  ", " ")
        .replace("](", "] (")
        .replace("][", "] [");
    if display { format!("$${folded}$$") } else { format!("${folded}$") }
}

#[cfg(test)]
mod tests {
    use crate::html_to_markdown;

    const ANNOTATED: &str = "<math><semantics><msup><mi>x</mi><mn>2</mn></msup>\
        <annotation encoding='application/x-tex'>x^2</annotation></semantics></math>";

    #[test]
    fn a_formula_comes_out_once() {
        let katex = format!(
            "<span class=katex><span class=katex-mathml>{ANNOTATED}</span><span class=katex-html aria-hidden=true>x2</span></span>"
        );
        let wiki = format!(
            "<span class=mwe-math-element><span class=mwe-math-mathml-inline>{}</span><img class=mwe-math-fallback-image-inline alt='x' src=x.svg></span>",
            ANNOTATED.replace(">x^2<", ">{\\displaystyle x^2}<")
        );
        let rows = [
            ("drawn and annotated", katex.clone(), "$x^2$"),
            ("alone", format!("<span class=katex-display>{katex}</span>"), "$$x^2$$"),
            ("annotated and a picture", wiki, "$x^2$"),
            ("MathML alone", "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>".to_owned(), "$\\frac{a}{b}$"),
            ("MathML as a block", "<math display=block><mi>x</mi></math>".to_owned(), "$$x$$"),
            (
                "drawn as SVG with MathML beside it",
                "<mjx-container><svg><g></g></svg><mjx-assistive-mml><math><mi>x</mi><mo>+</mo><mi>y</mi></math></mjx-assistive-mml></mjx-container>".to_owned(),
                "$x+y$",
            ),
            (
                "preview, drawing and source",
                "<span class=MathJax_Preview>x²</span><span class=MathJax>x2</span><script type=math/tex>x^2</script>".to_owned(),
                "$x^2$",
            ),
            ("picture of TeX", "<img class=latex alt='e^x' src=x.png>".to_owned(), "$e^x$"),
            ("alternative text", "<math alttext='a&lt;b'><mi>a</mi></math>".to_owned(), "$a\\lt b$"),
        ];
        for (name, html, markdown) in rows {
            assert_eq!(html_to_markdown(&html, None), markdown, "{name}");
        }
    }

    #[test]
    fn a_formula_cannot_break_out() {
        let html =
            "<p><math alttext='[x](javascript:a) `b` &lt;script>'><mi>a</mi></math> <code>c</code></p>";
        assert_eq!(html_to_markdown(html, None), "$[x] (javascript:a) \\lq b\\lq \\lt script>$ `c`");
    }
}
