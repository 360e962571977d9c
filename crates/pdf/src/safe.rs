//! Makes Markdown from untrusted text safe to render: no HTML, no link that runs code, no control characters.

/// Allowed schemes of links.
const SCHEMES: [&str; 3] = ["http:", "https:", "mailto:"];

/// Makes Markdown safe to render.
///
/// The rules are stricter than Markdown's, so the result is safe however a renderer reads the text: a fence
/// is only a line of its own, without indentation, that is closed in the same way. Every other run of three
/// backticks or tildes is escaped. No `]:` is left that could define a link, whatever is around it. No line
/// begins a block of HTML.
pub(crate) fn markdown(text: &str) -> String {
    // Control characters are removed first: removed later, they would join the text around them.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let ends = fence_ends(&lines);
    let mut out = String::with_capacity(text.len() + text.len() / 32);
    let mut fenced_until = 0;
    for (at, line) in lines.iter().enumerate() {
        if at < fenced_until {
            out.push_str(line);
        } else if let Some(end) = ends.get(at).copied().flatten() {
            out.push_str(line);
            fenced_until = end + 1;
        } else {
            prose(line, &mut out);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// A line that is only a fence: its character, its length, and whether it names a language.
fn fence(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim_end_matches([' ', '\t', '\n']);
    let character = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let language = line.trim_start_matches(character);
    let length = line.len() - language.len();
    let plain = language.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '_'));
    (length >= 3 && plain).then_some((character, length, !language.is_empty()))
}

/// For each line that could open a fence, the line that closes it: the next one with the same character, at
/// least as long and without a language. It may be indented by up to three spaces (CommonMark, 4.5), while
/// here an opening line must not be. Found in one pass from the end.
fn fence_ends(lines: &[&str]) -> Vec<Option<usize>> {
    /// A longer fence opens nothing.
    const MAX_FENCE: usize = 16;
    let mut nearest = [[None::<usize>; MAX_FENCE + 1]; 2];
    let mut ends = vec![None; lines.len()];
    for (at, line) in lines.iter().enumerate().rev() {
        let unindented = line.trim_start_matches(' ');
        let indent = line.len() - unindented.len();
        let Some((character, length, named)) = fence(unindented).filter(|_| indent <= 3) else { continue };
        let Some(nearest) = nearest.get_mut(usize::from(character == '~')) else { continue };
        if indent == 0
            && let Some(end) = ends.get_mut(at)
        {
            *end = nearest.get(length).copied().flatten();
        }
        if !named {
            // It closes all fences that are at most as long.
            nearest.iter_mut().take(length.saturating_add(1)).for_each(|slot| *slot = Some(at));
        }
    }
    ends
}

fn prose(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['<', ']', '`', '~']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let consumed = match from.chars().next() {
            Some('<') => angle(from, out),
            Some(']') => bracket(from, out),
            Some(mark) => fence_marks(from, mark, out),
            None => 0,
        };
        rest = from.get(consumed.max(1)..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// Whether the backslashes at the end escape the next character.
fn is_escaped(out: &str) -> bool {
    (out.len() - out.trim_end_matches('\\').len()) % 2 == 1
}

/// Writes `<` so that it begins no tag. Returns the bytes consumed.
fn angle(from: &str, out: &mut String) -> usize {
    let is_markup =
        from.chars().nth(1).is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
    if is_markup {
        // Not a backslash: in a bare URL it would be part of the URL and leave the tag as it is.
        if is_escaped(out) {
            out.pop();
        }
        out.push_str("&lt;");
    } else {
        out.push('<');
    }
    1
}

/// Writes `]` so that it does not end a link to a forbidden target and does not define a link.
fn bracket(from: &str, out: &mut String) -> usize {
    if from.starts_with("]:") {
        out.push_str("]\\:");
        return 2;
    }
    let is_allowed = from.strip_prefix("](").is_none_or(is_web);
    out.push_str(if is_allowed { "]" } else { "] " });
    1
}

/// Writes a run of backticks or tildes, escaped if it could be a fence. Returns the bytes consumed.
fn fence_marks(from: &str, mark: char, out: &mut String) -> usize {
    let length = from.len() - from.trim_start_matches(mark).len();
    for index in 0..length {
        if length >= 3 && !(index == 0 && is_escaped(out)) {
            out.push('\\');
        }
        out.push(mark);
    }
    length
}

/// Whether this target of a link is on the web, a mailbox, or within the document.
fn is_web(target: &str) -> bool {
    let target: String = target
        .trim_start_matches(|c: char| c.is_whitespace() || c.is_control() || c == '<')
        .chars()
        .filter(|c| !c.is_control())
        .take(16)
        .collect::<String>()
        .to_ascii_lowercase();
    SCHEMES.iter().any(|scheme| target.starts_with(scheme)) || target.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_forbidden_links_are_escaped() {
        let rows = [
            ("a <b> c < d", "a &lt;b> c < d"),
            ("<script>x</script>", "&lt;script>x&lt;/script>"),
            ("x<sup>2</sup>", "x&lt;sup>2&lt;/sup>"),
            ("[a](https://e.example/)", "[a](https://e.example/)"),
            ("[a](javascript:x)", "[a] (javascript:x)"),
            ("[a](< JavaScript:x>)", "[a] (< JavaScript:x>)"),
            ("[a](java\u{1}script:x)", "[a] (javascript:x)"),
            ("[a](file:///x)", "[a] (file:///x)"),
            ("<javascript:x>", "&lt;javascript:x>"),
            ("[a]: javascript:x", "[a]\\: javascript:x"),
            ("> - [a]: javascript:x", "> - [a]\\: javascript:x"),
            ("1. [a]: javascript:x", "1. [a]\\: javascript:x"),
            ("+ [b]: javascript:x", "+ [b]\\: javascript:x"),
            ("[a\nb]: javascript:x", "[a\nb]\\: javascript:x"),
            ("\\<script>", "&lt;script>"),
            ("\\\\<script>", "\\\\&lt;script>"),
            ("<\u{1}script>", "&lt;script>"),
            ("``` `x\n<b>\n```", "\\`\\`\\` `x\n&lt;b>\n\\`\\`\\`"),
            ("~~~\n```\n~~~\n<b>\n```", "~~~\n```\n~~~\n&lt;b>\n\\`\\`\\`"),
            ("> ```\n<b>", "> \\`\\`\\`\n&lt;b>"),
            ("   ```\n```\n<b>\n```", "   \\`\\`\\`\n```\n<b>\n```"),
            ("````\n```\n<b>\n````\n<b>", "````\n```\n<b>\n````\n&lt;b>"),
            ("```\n<b>", "\\`\\`\\`\n&lt;b>"),
            ("```\n  ```\n<b>\n```", "```\n  ```\n&lt;b>\n\\`\\`\\`"),
            ("<u>\n```\n<b>\n```", "&lt;u>\n```\n<b>\n```"),
            ("a\rb", "a\nb"),
            ("```\n<b>\n```\n<b>", "```\n<b>\n```\n&lt;b>"),
            ("https://e.example/<script>", "https://e.example/&lt;script>"),
            ("a\u{1b}[2Jb", "a[2Jb"),
        ];
        for (text, expected) in rows {
            assert_eq!(markdown(text), expected, "{text:?}");
        }
    }

    proptest::proptest! {
        /// A renderer finds no HTML, and no link except to the web.
        #[test]
        fn a_renderer_finds_no_html_and_only_allowed_links(
            pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24)
        ) {
            let safe = markdown(&pieces.concat());
            let arena = comrak::Arena::new();
            let mut options = comrak::Options::default();
            options.extension.autolink = true;
            options.extension.table = true;
            options.extension.footnotes = true;
            for node in comrak::parse_document(&arena, &safe, &options).descendants() {
                match &node.data.borrow().value {
                    comrak::nodes::NodeValue::HtmlInline(html) => {
                        proptest::prop_assert!(false, "{html:?} in {safe:?}");
                    }
                    comrak::nodes::NodeValue::HtmlBlock(block) => {
                        proptest::prop_assert!(false, "{:?} in {safe:?}", block.literal);
                    }
                    comrak::nodes::NodeValue::Link(link) | comrak::nodes::NodeValue::Image(link) => {
                        proptest::prop_assert!(is_web(&link.url), "{:?} in {safe:?}", link.url);
                    }
                    _ => {}
                }
            }
        }
    }

    const PIECES: &[&str] = &[
        "<script>",
        "</script>",
        "<u>",
        "</u>",
        "<br>",
        "<sup>",
        "<b",
        ">",
        "<!--",
        "-->",
        "<?",
        "\\",
        "\\\\",
        "`",
        "``",
        "```",
        "````",
        "~~~",
        "~",
        "``` x",
        "\n",
        "\n\n",
        "\r",
        "\u{1}",
        " ",
        "    ",
        "\t",
        "> ",
        "- ",
        "1. ",
        "+ ",
        "| ",
        "[a",
        "]",
        "]:",
        "](",
        "javascript:x",
        "https://e.example/",
        ")",
        "<javascript:x>",
        "![",
        "text",
        "#",
        "&#106;",
    ];
}
