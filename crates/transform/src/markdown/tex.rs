//! TeX in running text, as pages serve it that leave the drawing of their formulas to a script.
//!
//! Between `\(` and `\)`, `\[` and `\]`, `$$` and `$$`, as the scripts that draw them read it by default, and between
//! single dollars as many pages set them up to. Written as text, its backslashes and underscores would be escaped and
//! nobody could read it. A price or a regular expression must stay text: what holds nothing of TeX is no formula, and
//! single dollars need a command, or a subscript or power in braces. A formula never reaches over the end of its
//! text, so a tag in it makes it text.

use memchr::memchr2;

/// A formula has at most so many bytes.
const MAX_TEX_BYTES: usize = 4_096;

/// A formula in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found<'t> {
    pub(super) before: &'t str,
    /// Without its delimiters.
    pub(super) tex: &'t str,
    /// It is a paragraph of its own.
    pub(super) display: bool,
    /// It stands between single dollars.
    pub(super) in_dollars: bool,
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
    /// Does it end what `open` began?
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

/// The first formula of a text. Every delimiter is looked at once and every stretch between two of them once.
pub(super) fn next(text: &str) -> Option<Found<'_>> {
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
                return Some(Found {
                    before: text.get(..from).unwrap_or_default(),
                    tex,
                    display: matches!(opened, Delimiter::Dollars | Delimiter::Open { display: true }),
                    in_dollars: opened == Delimiter::Dollar,
                    after,
                });
            }
        }
        // Inside brackets a dollar is one; anything else begins anew.
        let inside = matches!(open, Some((Delimiter::Open { .. }, ..)))
            && matches!(delimiter, Delimiter::Dollar | Delimiter::Dollars);
        if !inside {
            open = delimiter.is_open().then_some((delimiter, start, end));
        }
    }
    None
}

/// The first delimiter at or after `from`: itself, where it starts and where it ends.
fn delimiter(text: &str, from: usize) -> Option<(Delimiter, usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += memchr2(b'$', b'\\', bytes.get(at..)?)?;
        let next = bytes.get(at + 1).copied();
        let found = match (bytes.get(at), next) {
            (Some(b'$'), Some(b'$')) => Some(Delimiter::Dollars),
            (Some(b'$'), _) => return Some((Delimiter::Dollar, at, at + 1)),
            (_, Some(b'(')) => Some(Delimiter::Open { display: false }),
            (_, Some(b'[')) => Some(Delimiter::Open { display: true }),
            (_, Some(b')')) => Some(Delimiter::Close { display: false }),
            (_, Some(b']')) => Some(Delimiter::Close { display: true }),
            _ => None,
        };
        if let Some(found) = found {
            return Some((found, at, at + 2));
        }
        // A backslash with what it stands before: `\$` and `\\` are no delimiters.
        at += 1 + usize::from(matches!(next, Some(b'$' | b'\\')));
    }
}

/// Is what stands between two delimiters TeX?
fn is_tex(tex: &str, delimiter: Delimiter, after: &str) -> bool {
    if tex.trim().is_empty() || tex.len() > MAX_TEX_BYTES {
        return false;
    }
    let bytes = tex.as_bytes();
    let pair = |first: u8, second: fn(u8) -> bool| {
        bytes.windows(2).any(|pair| matches!(pair, [a, b] if *a == first && second(*b)))
    };
    let speaks = pair(b'\\', |byte| byte.is_ascii_alphabetic())
        || pair(b'_', |byte| byte == b'{')
        || pair(b'^', |byte| byte == b'{');
    match delimiter {
        // As pandoc has it: no space inside the dollars, no digit right after them.
        Delimiter::Dollar => {
            speaks
                && !tex.starts_with(char::is_whitespace)
                && !tex.ends_with(char::is_whitespace)
                && !after.starts_with(|c: char| c.is_ascii_digit())
        }
        Delimiter::Dollars => speaks || tex.contains(['^', '_', '=', '+', '<', '>']),
        // A name or a number alone too, but no pattern of a regular expression.
        Delimiter::Open { display } => {
            speaks
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
    fn what_only_looks_like_it_stays_text() {
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
