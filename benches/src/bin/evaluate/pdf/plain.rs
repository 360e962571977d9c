//! Markdown without the marks that stand within words.

/// Tags within words, and tags between words.
const INSIDE: [&str; 8] = ["sup", "sub", "u", "b", "i", "em", "strong", "del"];
const BETWEEN: [&str; 7] = ["br", "table", "thead", "tbody", "tr", "td", "th"];

const ENTITIES: [(&str, &str); 5] =
    [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&quot;", "\""), ("&amp;", "&")];

/// The Markdown without comments, escapes, known tags, and marks of bold and deleted text. Other marks stand
/// between words and stay.
pub(super) fn plain(markdown: &str) -> String {
    let mut text = without_escapes_and_tags(markdown).replace("**", "").replace("~~", "");
    for (entity, character) in ENTITIES {
        text = text.replace(entity, character);
    }
    text
}

fn without_escapes_and_tags(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find(['\\', '<']) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        rest = after;
        if let Some((skipped, replacement)) = mark(rest) {
            out.push_str(replacement);
            rest = rest.get(skipped..).unwrap_or_default();
        } else {
            let mut characters = rest.chars();
            out.extend(characters.next());
            rest = characters.as_str();
        }
    }
    out.push_str(rest);
    out
}

/// The length of the mark at the beginning of a text, and what it stands for.
fn mark(text: &str) -> Option<(usize, &'static str)> {
    if let Some(escaped) = text.strip_prefix('\\') {
        return escaped.starts_with(|c: char| c.is_ascii_punctuation()).then_some((1, ""));
    }
    if text.starts_with("<!--") {
        return text.find("-->").map(|end| (end + 3, " "));
    }
    let end = text.find('>')?;
    let tag = text.get(1..end)?;
    let tag = tag.strip_prefix('/').unwrap_or(tag);
    let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    if INSIDE.contains(&tag) {
        Some((end + 1, ""))
    } else {
        BETWEEN.contains(&name).then_some((end + 1, " "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_within_words_go() {
        let rows = [
            ("a**b**c ~~d~~", "abc d"),
            ("x<sup>2</sup> 3<br/>4", "x2 3 4"),
            ("<td class=\"a\">1</td>", " 1 "),
            ("\\# 5\\*6 \\n", "# 5*6 \\n"),
            ("a<!-- page\nbreak -->b &amp;lt; <c>", "a b &lt; <c>"),
            ("a < b", "a < b"),
        ];
        for (markdown, text) in rows {
            assert_eq!(plain(markdown), text, "{markdown}");
        }
    }
}
