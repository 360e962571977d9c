//! TeX in running text, on pages that draw their formulas with a script.
//!
//! Formulas are between `\(` and `\)`, `\[` and `\]`, or `$$` and `$$`, which are the defaults of these
//! scripts, or between single dollars, which many pages configure. Written as text, their backslashes and
//! underscores would be escaped, which makes them unreadable. A price or a regular expression must stay text:
//! a formula must have TeX syntax, and between single dollars it must have a command, or a subscript or
//! superscript in braces. A formula ends within one text node, so TeX with a tag inside stays text.

use memchr::memchr2;

/// Maximum length of a formula in bytes.
const MAX_TEX_BYTES: usize = 4_096;

/// A formula in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TexFormula<'t> {
    pub(super) before: &'t str,
    /// Without its delimiters.
    pub(super) tex: &'t str,
    /// It is shown as a block of its own.
    pub(super) display: bool,
    /// It is between single dollars.
    pub(super) in_single_dollars: bool,
    pub(super) after: &'t str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    Open { display: bool },
    Close { display: bool },
    Dollar,
    Dollars,
}

impl Delimiter {
    /// Does the delimiter close `open`?
    fn closes(self, open: Self) -> bool {
        match (open, self) {
            (Self::Open { display }, Self::Close { display: closes }) => display == closes,
            (Self::Dollar, Self::Dollar) | (Self::Dollars, Self::Dollars) => true,
            _ => false,
        }
    }

    const fn is_open(self) -> bool {
        !matches!(self, Self::Close { .. })
    }
}

/// The first formula of a text. Examines each delimiter once, and each text between two delimiters once.
pub(super) fn next_formula(text: &str) -> Option<TexFormula<'_>> {
    let mut open: Option<(Delimiter, usize, usize)> = None;
    let mut at = 0;
    while let Some((delimiter, start, end)) = delimiter(text, at) {
        at = end;
        if let Some((opened, from, inner)) = open
            && delimiter.closes(opened)
        {
            let tex = text.get(inner..start).unwrap_or_default();
            let after = text.get(end..).unwrap_or_default();
            if is_tex(tex, opened, after) {
                return Some(TexFormula {
                    before: text.get(..from).unwrap_or_default(),
                    tex,
                    display: matches!(opened, Delimiter::Dollars | Delimiter::Open { display: true }),
                    in_single_dollars: opened == Delimiter::Dollar,
                    after,
                });
            }
        }
        // Between brackets a dollar is part of the formula. Any other delimiter starts over.
        let inside = matches!(open, Some((Delimiter::Open { .. }, ..)))
            && matches!(delimiter, Delimiter::Dollar | Delimiter::Dollars);
        if !inside {
            open = delimiter.is_open().then_some((delimiter, start, end));
        }
    }
    None
}

/// The first delimiter at or after `from`, with its start and end.
fn delimiter(text: &str, from: usize) -> Option<(Delimiter, usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += memchr2(b'$', b'\\', bytes.get(at..)?)?;
        let next = bytes.get(at + 1).copied();
        let delimiter = match (bytes.get(at), next) {
            (Some(b'$'), Some(b'$')) => Some(Delimiter::Dollars),
            (Some(b'$'), _) => return Some((Delimiter::Dollar, at, at + 1)),
            (_, Some(b'(')) => Some(Delimiter::Open { display: false }),
            (_, Some(b'[')) => Some(Delimiter::Open { display: true }),
            (_, Some(b')')) => Some(Delimiter::Close { display: false }),
            (_, Some(b']')) => Some(Delimiter::Close { display: true }),
            _ => None,
        };
        if let Some(delimiter) = delimiter {
            return Some((delimiter, at, at + 2));
        }
        // Skip an escaped character: `\$` and `\\` are not delimiters.
        at += 1 + usize::from(matches!(next, Some(b'$' | b'\\')));
    }
}

/// Is the text between two delimiters TeX?
fn is_tex(tex: &str, delimiter: Delimiter, after: &str) -> bool {
    if tex.trim().is_empty() || tex.len() > MAX_TEX_BYTES {
        return false;
    }
    let bytes = tex.as_bytes();
    let pair = |first: u8, second: fn(u8) -> bool| {
        bytes.windows(2).any(|pair| matches!(pair, [a, b] if *a == first && second(*b)))
    };
    let has_syntax = pair(b'\\', |byte| byte.is_ascii_alphabetic())
        || pair(b'_', |byte| byte == b'{')
        || pair(b'^', |byte| byte == b'{');
    match delimiter {
        // The rule of pandoc: no space next to the dollars inside, and no digit right after them.
        Delimiter::Dollar => {
            has_syntax
                && !tex.starts_with(char::is_whitespace)
                && !tex.ends_with(char::is_whitespace)
                && !after.starts_with(|c: char| c.is_ascii_digit())
        }
        Delimiter::Dollars => has_syntax || tex.contains(['^', '_', '=', '+', '<', '>']),
        // Inline formulas may also be names, numbers and simple terms, but not regular expressions.
        Delimiter::Open { display } => {
            has_syntax
                || tex.contains(['^', '_', '='])
                || (!display
                    && tex
                        .chars()
                        .all(|c| c.is_alphanumeric() || c.is_whitespace() || "+-/<>()[],'!|:;.".contains(c)))
        }
        Delimiter::Close { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::html_to_markdown;

    #[test]
    fn tex_in_text_is_a_formula() {
        let rows = [
            ("\\(x_{1}=\\frac{a_{2}}{b}\\)", "$x_{1}=\\frac{a_{2}}{b}$"),
            ("for \\(n\\) and \\(m + 1\\).", "for $n$ and $m + 1$."),
            ("so \\[ a_1 = b_1 \\]", "so $$a_1 = b_1$$"),
            ("$$\\int_0^1 f$$", "$$\\int_0^1 f$$"),
            ("$\\sum_{i=1}^n a_{i}$ and $b_{i}$, too", "$\\sum_{i=1}^n a_{i}$ and $b_{i}$, too"),
            ("\\(a &lt; b_{1}\\)", "$a \\lt b_{1}$"),
            ("\\( \\(x_{1}\\)", "\\\\( $x_{1}$"),
        ];
        for (html, markdown) in rows {
            assert_eq!(html_to_markdown(html, None), markdown, "{html}");
        }
    }

    #[test]
    fn text_that_resembles_tex_stays_text() {
        let rows = [
            ("$5 and $6", "$5 and $6"),
            ("$HOME/a_b and $PATH", "$HOME/a_b and $PATH"),
            ("it costs $$ to $$$", "it costs $$ to $$$"),
            ("$ \\alpha $", "$ \\alpha $"),
            ("$\\alpha$5", "$\\alpha$5"),
            ("\\(x_{1}", "\\\\(x_{1}"),
            ("<code>\\(x_{1}\\)</code>", "`\\(x_{1}\\)`"),
            ("<pre>$\\alpha$</pre>", "```\n$\\alpha$\n```"),
            ("\\(a<b>b</b>\\)", "\\\\(a**b**\\\\)"),
            ("\\(.*?\\)", "\\\\(.*?\\\\)"),
            ("C:\\dir\\[x\\]", "C:\\dir\\\\[x\\\\]"),
        ];
        for (html, markdown) in rows {
            assert_eq!(html_to_markdown(html, None), markdown, "{html}");
        }
    }
}
