//! Markdown that a parser made of a stranger's text, made safe to render: no HTML but the few tags that the parser writes
//! itself, no link that runs code, no control characters.

/// Tags that the layout analysis writes for raised, lowered and underlined text, and for breaks in cells.
const TAGS: [&str; 10] =
    ["<sup>", "</sup>", "<sub>", "</sub>", "<u>", "</u>", "<s>", "</s>", "<br>", "<br/>"];

/// Schemes that a link may have.
const SCHEMES: [&str; 3] = ["http:", "https:", "mailto:"];

/// Makes Markdown safe to render.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 32);
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start_matches([' ', '>']);
        if start.starts_with("```") || start.starts_with("~~~") {
            fenced = !fenced;
            plain(line, &mut out);
        } else if fenced {
            plain(line, &mut out);
        } else {
            prose(line, &mut out);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn plain(line: &str, out: &mut String) {
    out.extend(line.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')));
}

fn prose(line: &str, out: &mut String) {
    // What names an address for links elsewhere: none of ours.
    let start = line.trim_start_matches([' ', '>', '-', '*']);
    if start.starts_with('[') && start.contains("]:") {
        let (before, after) = line.split_at_checked(line.len() - start.len()).unwrap_or(("", line));
        plain(before, out);
        out.push('\\');
        return inline(after, out);
    }
    inline(line, out);
}

fn inline(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['<', ']']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain(before, out);
        let tag = TAGS.iter().find(|tag| from.starts_with(**tag));
        let taken = match tag {
            Some(tag) => {
                out.push_str(tag);
                tag.len()
            }
            None if from.starts_with('<') => {
                let acts = from.get(1..2).is_some_and(|next| {
                    next.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
                });
                out.push_str(if acts && !out.ends_with('\\') { "\\<" } else { "<" });
                1
            }
            None => {
                let leads = from.strip_prefix("](").is_none_or(is_web);
                out.push_str(if leads { "]" } else { "] " });
                1
            }
        };
        rest = from.get(taken..).unwrap_or_default();
    }
    plain(rest, out);
}

/// Does what follows the opening bracket of a link lead to the web, to a mailbox or within the document?
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
    fn nothing_that_acts_comes_out() {
        let rows = [
            ("a <b> c < d", "a \\<b> c < d"),
            ("<script>x</script>", "\\<script>x\\</script>"),
            ("x<sup>2</sup> <u>y</u>", "x<sup>2</sup> <u>y</u>"),
            ("[a](https://e.example/)", "[a](https://e.example/)"),
            ("[a](javascript:x)", "[a] (javascript:x)"),
            ("[a](< JavaScript:x>)", "[a] (< JavaScript:x>)"),
            ("[a](java\u{1}script:x)", "[a] (javascript:x)"),
            ("[a](file:///x)", "[a] (file:///x)"),
            ("<javascript:x>", "\\<javascript:x>"),
            ("[a]: javascript:x", "\\[a]: javascript:x"),
            ("> - [a]: javascript:x", "> - \\[a]: javascript:x"),
            ("```\n<b>\n```\n<b>", "```\n<b>\n```\n\\<b>"),
            ("a\u{1b}[2Jb", "a[2Jb"),
        ];
        for (text, expected) in rows {
            assert_eq!(markdown(text), expected, "{text:?}");
        }
    }
}
