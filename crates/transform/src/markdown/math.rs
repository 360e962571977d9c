//! Formulas as TeX between dollars, each written once: the TeX of the page, or else MathML converted to TeX.
//!
//! Pages have each formula two or three times: drawn, as MathML for screen readers, and as TeX source. The
//! element around all of these becomes one formula.

use percent_encoding::percent_decode_str;

use super::mathml;
use crate::names;
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};

/// An element that is a formula as a whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Formula {
    /// Its Markdown; empty if the same formula is beside it.
    Markdown(String),
    /// It cannot be written as TeX. Its content is written as text.
    Unsupported,
}

/// The formula of an element; `None` if the element is not a formula.
pub(super) fn of(tree: &Tree, node: NodeId) -> Option<Formula> {
    let candidate = match tree.tag(node) {
        Tag::Math => true,
        Tag::Script | Tag::Img => return markdown(tree, node).map(Formula::Markdown),
        Tag::P => return from_attribute(tree, node).map(Formula::Markdown),
        Tag::Span | Tag::Div | Tag::Other => {
            if let Some(formula) = from_attribute(tree, node) {
                return Some(Formula::Markdown(formula));
            }
            is_formula(tree, node)
        }
        _ => false,
    };
    candidate.then(|| markdown(tree, node).map_or(Formula::Unsupported, Formula::Markdown))
}

/// Is an element a formula by its class or name?
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

/// Attributes in which pages keep the source of a formula that a script draws.
const SOURCES: [Attr; 7] = [
    Attr::DataEntry,
    Attr::DataEquation,
    Attr::DataExpr,
    Attr::DataFormula,
    Attr::DataLatex,
    Attr::DataMath,
    Attr::DataTex,
];

/// Maximum length of such a source in bytes.
const MAX_SOURCE_BYTES: usize = 4_096;

/// The Markdown of an element that has the source of its formula in an attribute and is named as a formula.
fn from_attribute(tree: &Tree, node: NodeId) -> Option<String> {
    let (_, tex) = tree.known_attributes(node).find(|(name, _)| SOURCES.contains(name))?;
    let class = names::class(tree, node);
    let is_named = ["math", "tex", "formula", "equation"].iter().any(|name| class.contains(name));
    if !is_named || tex.trim().is_empty() || tex.len() > MAX_SOURCE_BYTES {
        return None;
    }
    let display = tree.tag(node) == Tag::Div
        || names::class_words(class).any(|word| word.contains("block") || word.contains("display"))
        || find_element(tree, node, |inner| tree.tag(inner) == Tag::Math)
            .is_some_and(|math| is_display(tree, math));
    Some(delimit(tex, display))
}

/// The TeX of an image of a formula: its alternative text, or a part of its address.
fn of_image(tree: &Tree, image: NodeId) -> Option<String> {
    let is_named = names::has_class(tree, image, &["latex", "tex", "math-tex", "ql-img-inline-formula"]);
    let alt = tree.attribute(image, Attr::Alt).unwrap_or_default();
    if (is_named && !alt.trim().is_empty()) || is_tex(alt) {
        return Some(alt.to_owned());
    }
    let address = tree.attribute(image, Attr::Src).filter(|address| address.len() <= MAX_SOURCE_BYTES)?;
    let command = address.find("%5C").or_else(|| address.find("%5c"))?;
    let (before, _) = address.split_at_checked(command)?;
    let start = before.rfind(['?', '=', '/'])? + 1;
    let end = address.get(command..)?.find(['&', '#', '/']).map_or(address.len(), |length| command + length);
    let tex = percent_decode_str(address.get(start..end)?).decode_utf8().ok()?;
    let starts =
        tex.strip_prefix('\\').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    (is_tex(&tex) || (starts && !tex.contains('.'))).then(|| tex.into_owned())
}

/// Has a text a TeX command and a group, a subscript or a superscript?
fn is_tex(text: &str) -> bool {
    let commands = || text.split('\\').skip(1);
    text.len() <= MAX_SOURCE_BYTES
        && commands().any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        && ((text.contains('{') && text.contains('}')) || text.contains('^'))
}

/// The Markdown of an element that may be a formula.
fn markdown(tree: &Tree, node: NodeId) -> Option<String> {
    match tree.tag(node) {
        Tag::Math => tex_source(tree, node).map(|tex| delimit(&tex, is_display(tree, node))),
        Tag::Script => {
            let kind = tree.attribute(node, Attr::Type).filter(|kind| kind.starts_with("math/tex"))?;
            Some(delimit(tree.text(tree.first_child(node)?), kind.contains("mode=display")))
        }
        Tag::Img => {
            let tex = of_image(tree, node)?;
            let display = tex.trim_start().starts_with("\\begin{");
            Some(delimit(&tex, display))
        }
        Tag::Other if tree.name(node) == "mjx-container" => {
            // MathJax 4 keeps the TeX in an attribute of the formula and of each of its parts.
            let source = find_element(tree, node, |inner| {
                tree.tag(inner) == Tag::Math || latex_of(tree, inner).is_some()
            })?;
            let tex = match tree.tag(source) {
                Tag::Math => tex_source(tree, source)?,
                _ => latex_of(tree, source)?.to_owned(),
            };
            let display = [node, source].into_iter().any(|node| is_display(tree, node));
            Some(delimit(&tex, display))
        }
        Tag::Span | Tag::Div | Tag::Other => {
            let has = |name: &str| names::has_class(tree, node, &[name]);
            if has("katex") || has("katex-display") || has("mwe-math-element") {
                let parent_class = tree.parent(node).map(|parent| names::class(tree, parent));
                let display = has("katex-display")
                    || parent_class.is_some_and(|class| class.contains("katex-display"))
                    || find_element(tree, node, |inner| tree.tag(inner) == Tag::Math)
                        .is_some_and(|math| is_display(tree, math));
                let math = find_element(tree, node, |inner| tree.tag(inner) == Tag::Math)?;
                return tex_source(tree, math).map(|tex| delimit(&tex, display));
            }
            // A formula that MathJax drew is beside the script with its source, which is written instead.
            (has("MathJax") || has("MathJax_Display") || has("MathJax_Preview") || has("MathJax_SVG"))
                .then(String::new)
                .filter(|_| tex_script_follows(tree, node))
        }
        _ => None,
    }
}

/// The TeX that MathJax 4 keeps in an attribute.
fn latex_of(tree: &Tree, node: NodeId) -> Option<&str> {
    tree.attribute(node, Attr::DataLatex)
        .filter(|tex| !tex.trim().is_empty() && tex.len() <= MAX_SOURCE_BYTES)
}

/// The TeX of a `math` element: that of the page, or else the converted MathML.
fn tex_source(tree: &Tree, math: NodeId) -> Option<String> {
    let annotation = find_element(tree, math, |inner| {
        tree.name(inner) == "annotation"
            && tree
                .attribute(inner, Attr::Encoding)
                .is_some_and(|kind| kind.to_ascii_lowercase().contains("tex"))
    });
    annotation
        .map(|annotation| tree.text_content(annotation))
        .or_else(|| latex_of(tree, math).or_else(|| tree.attribute(math, Attr::Alttext)).map(str::to_owned))
        .filter(|tex| !tex.trim().is_empty())
        .or_else(|| mathml::tex(tree, math))
}

/// Is the formula shown as a block of its own?
fn is_display(tree: &Tree, math: NodeId) -> bool {
    tree.attribute(math, Attr::Display).is_some_and(|display| matches!(display, "block" | "true"))
}

fn find_element(tree: &Tree, node: NodeId, wanted: impl Fn(NodeId) -> bool) -> Option<NodeId> {
    Walk::new(tree, node).find_map(|edge| match edge {
        Edge::Enter(inner) if wanted(inner) => Some(inner),
        _ => None,
    })
}

fn tex_script_follows(tree: &Tree, node: NodeId) -> bool {
    std::iter::successors(Some(node), |node| tree.next_sibling(*node)).take(4).any(|sibling| {
        tree.tag(sibling) == Tag::Script
            && tree.attribute(sibling, Attr::Type).is_some_and(|kind| kind.starts_with("math/tex"))
    })
}

/// TeX between dollars, on one line, without text that a renderer without formula support would read as a
/// link, a tag or code.
pub(super) fn delimit(tex: &str, display: bool) -> String {
    let mut folded = String::with_capacity(tex.len() + 4);
    let lines = tex.lines().map(without_comment);
    fold(lines, &mut folded);
    if folded.is_empty() {
        // A program that removes line ends has made a comment of the formula.
        let marks = ["%<![CDATA[", "% <![CDATA[", "<![CDATA[", "%]]>", "% ]]>", "]]>"];
        let tex = marks.iter().fold(tex.to_owned(), |tex, mark| tex.replace(mark, " "));
        fold(tex.lines().map(without_comment), &mut folded);
    }
    let unwrapped = folded.trim().strip_prefix("<![CDATA[").and_then(|inner| inner.strip_suffix("]]>"));
    let folded = unwrapped.map_or(folded.as_str(), str::trim);
    // Some programs wrap every formula in a display style.
    let styled = folded.strip_prefix("{\\displaystyle ").and_then(|inner| inner.strip_suffix('}'));
    let folded = styled.map_or(folded, str::trim).trim_matches('$').trim();
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

/// Adds the words of lines, with one space between two, and without control characters.
fn fold<'t>(lines: impl Iterator<Item = &'t str>, out: &mut String) {
    for word in lines.flat_map(str::split_whitespace) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().filter(|c| !c.is_control()));
    }
}

/// A line of TeX up to its comment: on one line with what follows, the comment would swallow it.
fn without_comment(line: &str) -> &str {
    let mut escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'%' if !escaped => return line.get(..at).unwrap_or(line),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use crate::html_to_markdown;

    const ANNOTATED: &str = "<math><semantics><msup><mi>x</mi><mn>2</mn></msup>\
        <annotation encoding='application/x-tex'>x^2</annotation></semantics></math>";

    #[test]
    fn a_formula_is_written_once() {
        let katex = format!(
            "<span class=katex><span class=katex-mathml>{ANNOTATED}</span><span class=katex-html aria-hidden=true>x2</span></span>"
        );
        let wiki = format!(
            "<span class=mwe-math-element><span class=mwe-math-mathml-inline>{}</span><img class=mwe-math-fallback-image-inline alt='x' src=x.svg></span>",
            ANNOTATED.replace(">x^2<", ">{\\displaystyle x^2}<")
        );
        let rows = [
            ("drawn and annotated", katex.clone(), "$x^2$"),
            ("display", format!("<span class=katex-display>{katex}</span>"), "$$x^2$$"),
            ("annotated, with an image", wiki, "$x^2$"),
            ("MathML only", "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>".to_owned(), "$\\frac{a}{b}$"),
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
            ("image of TeX", "<img class=latex alt='e^x' src=x.png>".to_owned(), "$e^x$"),
            (
                "drawn, with the source in an attribute",
                "<span class=math-inline data-math='x^2'><span class=katex><span class=katex-html>x2</span></span></span>".to_owned(),
                "$x^2$",
            ),
            (
                "a block with the source in an attribute",
                "<p class=x-tex data-entry='E=m'><math display=block><mi>E</mi></math></p>".to_owned(),
                "$$E=m$$",
            ),
            ("a value that is no formula", "<span class=text data-value='x^2'>x</span>".to_owned(), "x"),
            (
                "image with TeX as its text",
                "<img alt='\\operatorname{fn}(x)' src=x.svg>".to_owned(),
                "$\\operatorname{fn}(x)$",
            ),
            (
                "image with TeX in its address",
                "<img src='https://example.org/svg.image?%5Cfrac%7Ba%7D%7Bb%7D'>".to_owned(),
                "$\\frac{a}{b}$",
            ),
            (
                "image with a command in its address",
                "<img src='https://example.org/chart?cht=tx&amp;chl=%5Calpha%2B1&amp;x=y'>".to_owned(),
                "$\\alpha+1$",
            ),
            (
                "image with a path of Windows",
                "<img src='/i%5Cphoto_1.png'>".to_owned(),
                "![](/i%5Cphoto_1.png)",
            ),
            (
                "drawn by MathJax 4",
                "<mjx-container class=MathJax data-latex='x^2'><mjx-math data-latex='x^2'><mjx-mi data-latex=x></mjx-mi></mjx-math></mjx-container>".to_owned(),
                "$x^2$",
            ),
            (
                "drawn by MathJax 4 as a block",
                "<mjx-container display=true><mjx-math data-latex='E = m' display=true><mjx-mi><mjx-c></mjx-c></mjx-mi></mjx-math></mjx-container>".to_owned(),
                "$$E = m$$",
            ),
            (
                "TeX of MathJax 4 in MathML",
                "<mjx-container><svg></svg><mjx-assistive-mml><math data-latex='\\frac12'><mfrac><mn>1</mn><mn>2</mn></mfrac></math></mjx-assistive-mml></mjx-container>".to_owned(),
                "$\\frac12$",
            ),
            (
                "TeX in CDATA in comments",
                "<p><script type='math/tex; mode=display'>% <![CDATA[\n\\begin{align*} a &= b \\\\ c &< d \\end{align*} %]]></script>".to_owned(),
                "$$\\begin{align*} a &= b \\\\ c &\\lt d \\end{align*}$$",
            ),
            (
                "TeX in CDATA in comments on one line",
                "<p><script type=math/tex>% <![CDATA[ a < b %]]></script>".to_owned(),
                "$a \\lt b$",
            ),
            ("TeX in CDATA", "<p><script type=math/tex><![CDATA[a < b]]></script>".to_owned(), "$a \\lt b$"),
            (
                "comments of TeX",
                "<p><script type=math/tex>a % one\n + 5\\% \\\\% two\n + b</script>".to_owned(),
                "$a + 5\\% \\\\ + b$",
            ),
            ("comments in a text", "\\(a_{1} % one\n= b\\)".to_owned(), "$a_{1} = b$"),
            ("alternative text", "<math alttext='a&lt;b'><mi>a</mi></math>".to_owned(), "$a\\lt b$"),
        ];
        for (name, html, markdown) in rows {
            assert_eq!(html_to_markdown(&html, None), markdown, "{name}");
        }
    }

    #[test]
    fn a_formula_cannot_inject_markup() {
        let html =
            "<p><math alttext='[x](javascript:a) `b` &lt;script>'><mi>a</mi></math> <code>c</code></p>";
        assert_eq!(html_to_markdown(html, None), "$[x] (javascript:a) \\lq b\\lq \\lt script>$ `c`");
    }
}
