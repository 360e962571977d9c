//! Converts MathML to TeX, for formulas whose page does not have the TeX.
//!
//! Converts the elements of presentation MathML Core. Symbol names are those of LaTeX with amsmath. An
//! element that TeX cannot express is replaced by its children.

use crate::names;
use crate::tree::{Attr, Edge, Kind, NodeId, Tree, Walk};

/// A formula with more nodes than this stays text.
const MAX_NODES: usize = 4_096;

/// Maximum number of enclosures around a term.
const MAX_NOTATIONS: usize = 4;

/// A formula with more bytes of text than this stays text: each level of nesting copies what is inside.
const MAX_TEXT_BYTES: usize = 16_384;

/// An element whose children are being read.
struct Frame<'t> {
    node: NodeId,
    name: &'t str,
    parts: Vec<String>,
}

/// Stands for `mprescripts` among the children of `mmultiscripts`.
const PRESCRIPTS: &str = "\u{1}";

/// The start of one term over another without a line.
const STACK: &str = "\\genfrac{}{}{0pt}{}";

/// The TeX of a `math` element; `None` if it is empty or too large.
pub(super) fn tex(tree: &Tree, math: NodeId) -> Option<String> {
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let (mut nodes, mut bytes) = (0, 0);
    // Number of open elements inside a token element (`mi`, `mn`, `mo`, `mtext`, `ms`): they are markup of
    // its text.
    let mut inside_token = 0_usize;
    let mut walk = Walk::new(tree, math);
    while let Some(edge) = walk.next() {
        if nodes > MAX_NODES || bytes > MAX_TEXT_BYTES {
            return None;
        }
        match edge {
            Edge::Enter(node) if tree.kind(node) == Kind::Text => {
                bytes += tree.text(node).len();
                let text = tree.text(node).split_whitespace().collect::<Vec<_>>().join(" ");
                if let Some(frame) = frames.last_mut().filter(|_| !text.is_empty()) {
                    frame.parts.push(text);
                }
            }
            Edge::Enter(node) => {
                nodes += 1;
                if tree.name(node).starts_with("annotation") {
                    walk.skip_children();
                }
                if frames
                    .last()
                    .is_some_and(|frame| matches!(frame.name, "mi" | "mn" | "mo" | "mtext" | "ms"))
                {
                    inside_token += 1;
                    continue;
                }
                frames.push(Frame { node, name: tree.name(node), parts: Vec::new() });
            }
            Edge::Leave(node) if tree.is_element(node) && inside_token > 0 => inside_token -= 1,
            Edge::Leave(node) if tree.is_element(node) => {
                let tex = frames.pop().map(|frame| convert(tree, frame)).unwrap_or_default();
                match frames.last_mut() {
                    Some(parent) if parent.name == "mmultiscripts" => parent.parts.push(tex),
                    Some(parent) => parent.parts.push(tex.replace(PRESCRIPTS, "")),
                    None => return Some(tex).filter(|tex| !tex.trim().is_empty()),
                }
            }
            Edge::Leave(_) => {}
        }
    }
    None
}

/// The TeX of an element whose children are converted.
fn convert(tree: &Tree, frame: Frame<'_>) -> String {
    let Frame { node, name, parts } = frame;
    let attribute = |name| tree.attribute(node, name).map(str::trim);
    let part = |at: usize| parts.get(at).map(String::as_str).unwrap_or_default();
    match name {
        "mi" => identifier(&parts.concat(), attribute(Attr::Mathvariant)),
        "mn" => escaped(&parts.concat()),
        "mo" => operator(&parts.concat()),
        "mtext" | "ms" => format!("\\text{{{}}}", escaped(&parts.join(" "))),
        "mspace" => "\\ ".to_owned(),
        "mphantom" | "annotation" | "annotation-xml" | "none" => String::new(),
        "mprescripts" => PRESCRIPTS.to_owned(),
        "semantics" | "maction" => part(0).to_owned(),
        "menclose" => enclosed(&concat(&parts), attribute(Attr::Notation).unwrap_or_default()),
        "mfrac" if attribute(Attr::Linethickness).is_some_and(is_zero) => {
            format!("{STACK}{{{}}}{{{}}}", part(0), part(1))
        }
        "mfrac" if attribute(Attr::Bevelled) == Some("true") => {
            format!("{}/{}", base(part(0)), base(part(1)))
        }
        "mfrac" => format!("\\frac{{{}}}{{{}}}", part(0), part(1)),
        "msqrt" => format!("\\sqrt{{{}}}", concat(&parts)),
        "mroot" => format!("\\sqrt[{}]{{{}}}", part(1), part(0)),
        "msup" => format!("{}{}", base(part(0)), script('^', part(1))),
        "msub" => format!("{}{}", base(part(0)), script('_', part(1))),
        "msubsup" => format!("{}{}{}", base(part(0)), script('_', part(1)), script('^', part(2))),
        "mmultiscripts" => {
            let mut halves = parts.get(1..).unwrap_or_default().split(|part| part == PRESCRIPTS);
            let (after, before) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
            let before = scripts(before);
            let before = if before.is_empty() { before } else { format!("{{}}{before}") };
            format!("{before}{}{}", base(part(0)), scripts(after))
        }
        "mover" => above(part(0), part(1)),
        "munder" => below(part(0), part(1)),
        "munderover" if takes_limits(part(0)) => {
            format!("{}{}{}", part(0), script('_', part(1)), script('^', part(2)))
        }
        "munderover" => above(&below(part(0), part(1)), part(2)),
        "mfenced" => fenced(
            &parts,
            attribute(Attr::Open).unwrap_or("("),
            attribute(Attr::Close).unwrap_or(")"),
            attribute(Attr::Separators).unwrap_or(","),
        ),
        "mtd" => concat(&parts),
        "mtr" => parts.join(" & "),
        "mlabeledtr" => {
            format!("{} \\tag{{{}}}", parts.get(1..).unwrap_or_default().join(" & "), part(0))
        }
        // A table of one row and column only holds the label of an equation.
        "mtable" if parts.len() == 1 && !part(0).contains(" & ") => part(0).to_owned(),
        "mtable" => format!("\\begin{{matrix}} {} \\end{{matrix}}", parts.join(" \\\\ ")),
        _ => concat(&parts),
    }
}

/// The pairs of a subscript and a superscript.
fn scripts(parts: &[String]) -> String {
    let pairs = parts.chunks(2).map(|pair| {
        let of = |at: usize| pair.get(at).map(String::as_str).unwrap_or_default();
        format!("{}{}", script('_', of(0)), script('^', of(1)))
    });
    pairs.filter(|pair| !pair.is_empty()).collect::<Vec<_>>().join("{}")
}

/// Terms between fences, with separators between them (MathML 3, 3.3.8). The last separator is repeated.
fn fenced(parts: &[String], open: &str, close: &str, separators: &str) -> String {
    if let [only] = parts
        && let Some(tex) = fenced_as_one(&fence(open), only, &fence(close))
    {
        return tex;
    }
    let separators: Vec<char> = names::prefix(separators).chars().filter(|c| !c.is_whitespace()).collect();
    let mut pieces = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let separator = at.checked_sub(1).and_then(|before| separators.get(before).or(separators.last()));
        if let Some(separator) = separator {
            let mut letters = [0; 4];
            pieces.push(format!("{} ", operator(separator.encode_utf8(&mut letters))));
        }
        pieces.push(part.clone());
    }
    let inner = concat(&pieces);
    let of = |text: &str| match fence(text) {
        fence if fence.is_empty() => ".".to_owned(),
        fence => fence,
    };
    let (open, close) = (of(open), of(close));
    let gap =
        if open.starts_with('\\') && open.ends_with(|c: char| c.is_ascii_alphabetic()) { " " } else { "" };
    format!("\\left{open}{gap}{inner}\\right{close}")
}

/// A fence as TeX; empty if there is none.
fn fence(text: &str) -> String {
    match text.trim() {
        "<" => "\\langle".to_owned(),
        ">" => "\\rangle".to_owned(),
        "||" => "\\Vert".to_owned(),
        text => operator(text),
    }
}

/// A term in an enclosure, as far as TeX has it.
fn enclosed(inner: &str, notations: &str) -> String {
    let notations = names::prefix(notations).split_ascii_whitespace();
    notations.take(MAX_NOTATIONS).fold(inner.to_owned(), |inner, notation| {
        let command = match notation {
            "box" | "roundedbox" => "boxed",
            "updiagonalstrike" => "cancel",
            "downdiagonalstrike" => "bcancel",
            "top" | "actuarial" => "overline",
            "bottom" => "underline",
            "radical" => "sqrt",
            _ => return inner,
        };
        format!("\\{command}{{{inner}}}")
    })
}

/// Is a length zero, with any unit?
fn is_zero(length: &str) -> bool {
    let number = length.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    number.trim().parse::<f32>().is_ok_and(|number| number == 0.0)
}

/// A matrix or a stack between fences, as one command that draws both.
fn fenced_as_one(open: &str, inner: &str, close: &str) -> Option<String> {
    if let Some(terms) = inner.strip_prefix(STACK) {
        return (open == "(" && close == ")" && is_pair(terms)).then(|| format!("\\binom{terms}"));
    }
    let rows = inner.strip_prefix("\\begin{matrix}")?.strip_suffix("\\end{matrix}")?;
    // One matrix, not several beside each other.
    if rows.contains("\\begin{matrix}") {
        return None;
    }
    let name = match (open, close) {
        ("(", ")") => "pmatrix",
        ("[", "]") => "bmatrix",
        ("|", "|") => "vmatrix",
        ("\\Vert", "\\Vert") => "Vmatrix",
        ("\\{", "\\}") => "Bmatrix",
        ("\\{", "") => "cases",
        _ => return None,
    };
    Some(format!("\\begin{{{name}}}{rows}\\end{{{name}}}"))
}

/// Is a text exactly two groups in braces?
fn is_pair(terms: &str) -> bool {
    let (mut depth, mut groups, mut escaped) = (0_u32, 0_u32, false);
    for byte in terms.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'{' => depth += 1,
            _ if depth == 0 => return false,
            b'\\' => escaped = true,
            b'}' => {
                depth -= 1;
                groups += u32::from(depth == 0);
            }
            _ => {}
        }
    }
    groups == 2 && depth == 0
}

/// Concatenates parts, with a space if a letter follows a command: it would become part of the command's
/// name.
fn concat(parts: &[String]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let next = |distance: usize| parts.get(at + distance).map(String::as_str);
        let fenced = next(1).and_then(|inner| {
            let close = next(2);
            let whole = fenced_as_one(part, inner, close.unwrap_or_default())?;
            Some((whole, if close.is_some() { 3 } else { 2 }))
        });
        let (tex, length) = fenced.unwrap_or_else(|| (part.clone(), 1));
        let command = out
            .rsplit_once('\\')
            .is_some_and(|(_, name)| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic()));
        if command && tex.starts_with(|c: char| c.is_ascii_alphabetic()) {
            out.push(' ');
        }
        out.push_str(&tex);
        at += length;
    }
    out
}

/// TeX as the base of a script: in braces, unless it is one character, one number or one command.
fn base(tex: &str) -> String {
    let command = tex.strip_prefix('\\').unwrap_or(tex);
    let single = tex.chars().count() == 1
        || (!command.is_empty() && command.bytes().all(|byte| byte.is_ascii_alphabetic()) && tex != command)
        || (!tex.is_empty() && tex.bytes().all(|byte| byte.is_ascii_digit()));
    if single { tex.to_owned() } else { format!("{{{tex}}}") }
}

/// A subscript or superscript. An empty one is left out.
fn script(mark: char, tex: &str) -> String {
    match tex {
        "" => String::new(),
        "'" | "''" | "'''" if mark == '^' => tex.to_owned(),
        _ if tex.chars().count() == 1 => format!("{mark}{tex}"),
        _ => format!("{mark}{{{tex}}}"),
    }
}

fn takes_limits(tex: &str) -> bool {
    matches!(
        tex,
        "\\sum"
            | "\\prod"
            | "\\coprod"
            | "\\int"
            | "\\iint"
            | "\\iiint"
            | "\\oint"
            | "\\bigcup"
            | "\\bigcap"
            | "\\lim"
            | "\\max"
            | "\\min"
            | "\\sup"
            | "\\inf"
            | "\\bigoplus"
            | "\\bigotimes"
            | "\\limsup"
            | "\\liminf"
    )
}

fn above(under: &str, over: &str) -> String {
    let command = match over {
        _ if takes_limits(under) => return format!("{under}{}", script('^', over)),
        "" => return under.to_owned(),
        "^" | "ˆ" | "\\hat" => "hat",
        "~" | "˜" | "\\sim" => "tilde",
        "¯" | "‾" | "-" | "_" | "―" | "\\_" => "overline",
        "\\to" | "\\rightarrow" | "⃗" => "vec",
        "˙" | "." => "dot",
        "¨" | ".." => "ddot",
        "⏞" => "overbrace",
        _ => return format!("\\overset{{{over}}}{{{under}}}"),
    };
    format!("\\{command}{{{under}}}")
}

fn below(over: &str, under: &str) -> String {
    match under {
        _ if takes_limits(over) => format!("{over}{}", script('_', under)),
        "" => over.to_owned(),
        "_" | "¯" | "‾" | "\\_" | "-" => format!("\\underline{{{over}}}"),
        "⏟" => format!("\\underbrace{{{over}}}"),
        _ => format!("\\underset{{{under}}}{{{over}}}"),
    }
}

fn identifier(text: &str, variant: Option<&str>) -> String {
    let mut characters = text.chars();
    let (first, more) = (characters.next(), characters.next().is_some());
    let plain = match first {
        None => return String::new(),
        Some(single) if !more => symbol(single).map_or_else(|| escaped(text), |name| format!("\\{name}")),
        Some(_) if FUNCTIONS.contains(&text) => return format!("\\{text}"),
        Some(_) if variant.is_none() => return format!("\\mathrm{{{}}}", escaped(text)),
        Some(_) => escaped(text),
    };
    match variant {
        Some("normal") if plain.starts_with('\\') => plain, // capital Greek letters are upright anyway
        Some("normal") => format!("\\mathrm{{{plain}}}"),
        Some("bold") => format!("\\mathbf{{{plain}}}"),
        Some("bold-italic") => format!("\\boldsymbol{{{plain}}}"),
        Some("double-struck") => format!("\\mathbb{{{plain}}}"),
        Some("script" | "bold-script") => format!("\\mathcal{{{plain}}}"),
        Some("fraktur" | "bold-fraktur") => format!("\\mathfrak{{{plain}}}"),
        Some("sans-serif") => format!("\\mathsf{{{plain}}}"),
        Some("monospace") => format!("\\mathtt{{{plain}}}"),
        _ => plain,
    }
}

fn operator(text: &str) -> String {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(single), None) => symbol(single).map_or_else(|| escaped(text), |name| format!("\\{name}")),
        _ if FUNCTIONS.contains(&text) => format!("\\{text}"),
        _ if text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            format!("\\operatorname{{{text}}}")
        }
        _ => escaped(text),
    }
}

/// Functions with a TeX command of the same name.
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp",
    "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec", "sin",
    "sinh", "sup", "tan", "tanh", "Pr",
];

/// Escapes what TeX would read as markup. Invisible characters are dropped.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{2061}'..='\u{2064}' | '\u{200B}' => {}
            '{' | '}' | '%' | '#' | '$' | '&' | '_' => out.extend(['\\', character]),
            '\\' => out.push_str("\\backslash "),
            '\u{A0}' => out.push(' '),
            '\u{2212}' => out.push('-'),
            '\u{2032}' => out.push('\''),
            '\u{2033}' => out.push_str("''"),
            _ => match symbol(character) {
                Some(name) => {
                    out.push('\\');
                    out.push_str(name);
                    out.push(' ');
                }
                None => out.push(character),
            },
        }
    }
    out
}

/// The TeX command of a symbol.
const fn symbol(character: char) -> Option<&'static str> {
    Some(match character {
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'δ' => "delta",
        'ε' => "varepsilon",
        'ϵ' => "epsilon",
        'ζ' => "zeta",
        'η' => "eta",
        'θ' => "theta",
        'ϑ' => "vartheta",
        'ι' => "iota",
        'κ' => "kappa",
        'λ' => "lambda",
        'μ' | 'µ' => "mu",
        'ν' => "nu",
        'ξ' => "xi",
        'π' => "pi",
        'ρ' => "rho",
        'σ' => "sigma",
        'ς' => "varsigma",
        'τ' => "tau",
        'υ' => "upsilon",
        'φ' => "varphi",
        'ϕ' => "phi",
        'χ' => "chi",
        'ψ' => "psi",
        'ω' => "omega",
        'Γ' => "Gamma",
        'Δ' => "Delta",
        'Θ' => "Theta",
        'Λ' => "Lambda",
        'Ξ' => "Xi",
        'Π' => "Pi",
        'Σ' => "Sigma",
        'Φ' => "Phi",
        'Ψ' => "Psi",
        'Ω' => "Omega",
        '∑' => "sum",
        '∏' => "prod",
        '∐' => "coprod",
        '∫' => "int",
        '∬' => "iint",
        '∭' => "iiint",
        '∮' => "oint",
        '⋃' => "bigcup",
        '⋂' => "bigcap",
        '⨁' => "bigoplus",
        '⨂' => "bigotimes",
        '→' => "to",
        '←' => "leftarrow",
        '↔' => "leftrightarrow",
        '⇒' => "Rightarrow",
        '⇐' => "Leftarrow",
        '⇔' => "Leftrightarrow",
        '↦' => "mapsto",
        '≤' | '⩽' => "le",
        '≥' | '⩾' => "ge",
        '≠' => "ne",
        '≈' => "approx",
        '≡' => "equiv",
        '≅' => "cong",
        '∼' => "sim",
        '≪' => "ll",
        '≫' => "gg",
        '∝' => "propto",
        '±' => "pm",
        '∓' => "mp",
        '×' => "times",
        '÷' => "div",
        '⋅' | '·' => "cdot",
        '∗' => "ast",
        '∘' => "circ",
        '⊕' => "oplus",
        '⊗' => "otimes",
        '∈' => "in",
        '∉' => "notin",
        '∋' => "ni",
        '⊂' => "subset",
        '⊆' => "subseteq",
        '⊃' => "supset",
        '⊇' => "supseteq",
        '∪' => "cup",
        '∩' => "cap",
        '∅' => "emptyset",
        '∧' => "land",
        '∨' => "lor",
        '¬' => "neg",
        '∀' => "forall",
        '∃' => "exists",
        '∞' => "infty",
        '∂' => "partial",
        '∇' => "nabla",
        'ℏ' => "hbar",
        'ℓ' => "ell",
        '…' => "dots",
        '⋯' => "cdots",
        '⋮' => "vdots",
        '⋱' => "ddots",
        '⟨' => "langle",
        '⟩' => "rangle",
        '⌊' => "lfloor",
        '⌋' => "rfloor",
        '⌈' => "lceil",
        '⌉' => "rceil",
        '‖' | '∥' => "Vert",
        '∣' => "mid",
        '†' => "dagger",
        'ℝ' => "mathbb{R}",
        'ℕ' => "mathbb{N}",
        'ℤ' => "mathbb{Z}",
        'ℚ' => "mathbb{Q}",
        'ℂ' => "mathbb{C}",
        '<' => "lt",
        '>' => "gt",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, Tag, parse};

    #[test]
    fn mathml_becomes_tex() {
        let rows = [
            ("<mfrac><mi>a</mi><mi>b</mi></mfrac>", "\\frac{a}{b}"),
            ("<msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mn>10</mn>", "x^2+10"),
            (
                "<msubsup><mi>x</mi><mi>i</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msubsup>",
                "x_i^{n+1}",
            ),
            (
                "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
                "\\sum_{i=1}^ni",
            ),
            ("<msqrt><mi>α</mi><mi>x</mi></msqrt>", "\\sqrt{\\alpha x}"),
            ("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
            ("<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>", "\\sin x"),
            ("<mover><mi>v</mi><mo>→</mo></mover>", "\\vec{v}"),
            ("<mi mathvariant=double-struck>R</mi>", "\\mathbb{R}"),
            ("<mtext>if {a}</mtext>", "\\text{if \\{a\\}}"),
            (
                "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable>",
                "\\begin{matrix} 1 & 2 \\\\ 3 & 4 \\end{matrix}",
            ),
            ("<mrow><mi>x</mi><mo>≤</mo><mi>y</mi></mrow>", "x\\le y"),
            (
                "<mrow><mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable><mo>)</mo></mrow>",
                "\\begin{pmatrix} 1 & 2 \\end{pmatrix}",
            ),
            (
                "<mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd><mi>a</mi></mtd></mlabeledtr></mtable>",
                "a \\tag{\\text{(1)}}",
            ),
            ("<mi mathvariant=normal>Ω</mi>", "\\Omega"),
            ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "\\left(a, b\\right)"),
            ("<mfenced open='[' close=')'><mi>a</mi><mi>b</mi></mfenced>", "\\left[a, b\\right)"),
            ("<mfenced open='|' close='|'><mi>x</mi></mfenced>", "\\left|x\\right|"),
            (
                "<mfenced open='{' close='}' separators=';'><mi>p</mi><mi>q</mi></mfenced>",
                "\\left\\{p; q\\right\\}",
            ),
            (
                "<mfenced separators=', ;'><mi>a</mi><mi>b</mi><mi>c</mi><mi>d</mi></mfenced>",
                "\\left(a, b; c; d\\right)",
            ),
            (
                "<mfenced open='⟨' close='⟩' separators=''><mi>a</mi><mi>b</mi></mfenced>",
                "\\left\\langle ab\\right\\rangle",
            ),
            ("<mfenced open='' close='|'><mi>f</mi></mfenced>", "\\left.f\\right|"),
            (
                "<mfenced open='['  close=']'><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable></mfenced>",
                "\\begin{bmatrix} 1 & 2 \\end{bmatrix}",
            ),
            (
                "<mi>A</mi><mo>=</mo><mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable><mo>)</mo><mi>x</mi>",
                "A=\\begin{pmatrix} 1 & 2 \\end{pmatrix}x",
            ),
            ("<mfenced><mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac></mfenced>", "\\binom{n}{k}"),
            (
                "<mo>(</mo><mfrac linethickness=0pt><mi>n</mi><mi>k</mi></mfrac><mo>)</mo><mi>x</mi>",
                "\\binom{n}{k}x",
            ),
            ("<mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac>", "\\genfrac{}{}{0pt}{}{n}{k}"),
            ("<mfrac linethickness=1><mi>n</mi><mi>k</mi></mfrac>", "\\frac{n}{k}"),
            ("<mfrac bevelled=true><mi>a</mi><mi>b</mi></mfrac>", "a/b"),
            (
                "<mmultiscripts><mi>X</mi><mi>c</mi><mi>d</mi><mprescripts></mprescripts><mi>a</mi><mi>b</mi></mmultiscripts>",
                "{}_a^bX_c^d",
            ),
            (
                "<mmultiscripts><mi>C</mi><mprescripts></mprescripts><mn>6</mn><mn>14</mn></mmultiscripts>",
                "{}_6^{14}C",
            ),
            (
                "<mmultiscripts><mi>R</mi><mi>i</mi><none></none><none></none><mi>j</mi></mmultiscripts>",
                "R_i{}^j",
            ),
            ("<menclose notation=box><mi>a</mi></menclose>", "\\boxed{a}"),
            ("<menclose notation=updiagonalstrike><mi>a</mi></menclose>", "\\cancel{a}"),
        ];
        for (inner, expected) in rows {
            let tree = parse(&format!("<math>{inner}</math>"), ParseOptions::default());
            assert_eq!(tex(&tree, tree.find(Tag::Math).unwrap()).as_deref(), Some(expected), "{inner}");
        }
    }

    #[test]
    fn a_large_formula_is_not_converted() {
        let tree = parse(&format!("<math>{}</math>", "<mi>x</mi>".repeat(5_000)), ParseOptions::default());
        assert_eq!(tex(&tree, tree.find(Tag::Math).unwrap()), None);
    }
}
