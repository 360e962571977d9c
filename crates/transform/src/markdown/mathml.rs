//! Converts MathML to TeX, for formulas whose page does not have the TeX.
//!
//! Converts the elements of presentation MathML Core. Symbol names are those of LaTeX with amsmath. An
//! element that TeX cannot express is replaced by its children.

use crate::tree::{Attr, Edge, Kind, NodeId, Tree, Walk};

/// A formula with more nodes than this stays text.
const MAX_NODES: usize = 4_096;

/// A formula with more bytes of text than this stays text: each level of nesting copies what is inside.
const MAX_TEXT_BYTES: usize = 16_384;

/// An element whose children are being read.
struct Frame<'t> {
    name: &'t str,
    variant: Option<&'t str>,
    parts: Vec<String>,
}

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
                let variant = tree.attribute(node, Attr::Mathvariant);
                frames.push(Frame { name: tree.name(node), variant, parts: Vec::new() });
            }
            Edge::Leave(node) if tree.is_element(node) && inside_token > 0 => inside_token -= 1,
            Edge::Leave(node) if tree.is_element(node) => {
                let tex = frames.pop().map(convert).unwrap_or_default();
                match frames.last_mut() {
                    Some(parent) => parent.parts.push(tex),
                    None => return Some(tex).filter(|tex| !tex.trim().is_empty()),
                }
            }
            Edge::Leave(_) => {}
        }
    }
    None
}

/// The TeX of an element whose children are converted.
fn convert(frame: Frame<'_>) -> String {
    let Frame { name, variant, parts } = frame;
    let part = |at: usize| parts.get(at).map(String::as_str).unwrap_or_default();
    match name {
        "mi" => identifier(&parts.concat(), variant),
        "mn" => escaped(&parts.concat()),
        "mo" => operator(&parts.concat()),
        "mtext" | "ms" => format!("\\text{{{}}}", escaped(&parts.join(" "))),
        "mspace" => "\\ ".to_owned(),
        "mphantom" | "annotation" | "annotation-xml" | "none" | "mprescripts" => String::new(),
        "semantics" => part(0).to_owned(),
        "mfrac" => format!("\\frac{{{}}}{{{}}}", part(0), part(1)),
        "msqrt" => format!("\\sqrt{{{}}}", concat(&parts)),
        "mroot" => format!("\\sqrt[{}]{{{}}}", part(1), part(0)),
        "msup" => format!("{}{}", base(part(0)), script('^', part(1))),
        "msub" => format!("{}{}", base(part(0)), script('_', part(1))),
        "msubsup" => format!("{}{}{}", base(part(0)), script('_', part(1)), script('^', part(2))),
        "mmultiscripts" => {
            let scripts = parts.get(1..).unwrap_or_default().chunks(2).map(|pair| {
                let of = |at: usize| pair.get(at).map(String::as_str).unwrap_or_default();
                format!("{}{}", script('_', of(0)), script('^', of(1)))
            });
            format!("{}{}", base(part(0)), scripts.collect::<Vec<_>>().join("{}"))
        }
        "mover" => above(part(0), part(1)),
        "munder" => below(part(0), part(1)),
        "munderover" if takes_limits(part(0)) => {
            format!("{}{}{}", part(0), script('_', part(1)), script('^', part(2)))
        }
        "munderover" => above(&below(part(0), part(1)), part(2)),
        "mfenced" => format!("\\left({}\\right)", parts.join(", ")),
        "mtd" => concat(&parts),
        "mtr" => parts.join(" & "),
        "mlabeledtr" => {
            format!("{} \\tag{{{}}}", parts.get(1..).unwrap_or_default().join(" & "), part(0))
        }
        // A table of one row and column only holds the label of an equation.
        "mtable" if parts.len() == 1 && !part(0).contains(" & ") => part(0).to_owned(),
        "mtable" => format!("\\begin{{matrix}} {} \\end{{matrix}}", parts.join(" \\\\ ")),
        _ => fenced_matrix(&parts).unwrap_or_else(|| concat(&parts)),
    }
}

/// A matrix between fences, as the environment that draws both.
fn fenced_matrix(parts: &[String]) -> Option<String> {
    let [open, matrix, close] = parts else { return None };
    let rows = matrix.strip_prefix("\\begin{matrix}")?.strip_suffix("\\end{matrix}")?;
    let name = match (open.as_str(), close.as_str()) {
        ("(", ")") => "pmatrix",
        ("[", "]") => "bmatrix",
        ("|", "|") => "vmatrix",
        ("\\{", "") => "cases",
        _ => return None,
    };
    Some(format!("\\begin{{{name}}}{rows}\\end{{{name}}}"))
}

/// Concatenates parts, with a space if a letter follows a command: it would become part of the command's
/// name.
fn concat(parts: &[String]) -> String {
    let mut out = String::new();
    for part in parts {
        let command = out
            .rsplit_once('\\')
            .is_some_and(|(_, name)| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic()));
        if command && part.starts_with(|c: char| c.is_ascii_alphabetic()) {
            out.push(' ');
        }
        out.push_str(part);
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
