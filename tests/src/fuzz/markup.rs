//! Checks that HTML written by the engine only displays content.
//!
//! It accepts a strict subset of HTML: every `<` in text is escaped and every attribute value is quoted.
//! Anything else counts as dangerous.

/// Elements that run code, load resources or change how the rest is parsed.
const ACTIVE: [&str; 15] = [
    "script",
    "style",
    "iframe",
    "frame",
    "object",
    "embed",
    "applet",
    "base",
    "link",
    "meta",
    "template",
    "plaintext",
    "xmp",
    "noscript",
    "svg",
];

/// True if no element is active and no attribute or URL runs code.
pub(super) fn is_inert(html: &str) -> bool {
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        let Some((tag, after)) = tag(after) else { return false };
        if !tag_is_inert(tag) {
            return false;
        }
        rest = after;
    }
    true
}

/// True if following `address` would run code or open a local file.
pub(super) fn runs_code(address: &str) -> bool {
    // Browsers strip controls and spaces at the start, and tabs and line ends anywhere, before they parse the
    // scheme (WHATWG URL, basic URL parser).
    let address = address.trim_start_matches(|c: char| c <= ' ');
    let plain: String = address.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).take(16).collect();
    let plain = plain.to_ascii_lowercase();
    ["javascript:", "vbscript:", "data:text", "file:"].iter().any(|scheme| plain.starts_with(scheme))
}

/// Splits at the `>` that ends the tag: the first one outside quotes.
fn tag(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => {
                return text.split_at_checked(at).map(|(tag, rest)| (tag, rest.trim_start_matches('>')));
            }
            _ => {}
        }
    }
    None
}

/// `name`, `/name` or `name a="b" c="d"`.
fn tag_is_inert(tag: &str) -> bool {
    let (name, mut rest) = match tag.split_once(' ') {
        Some((name, rest)) => (name, rest),
        None => (tag, ""),
    };
    let name = name.strip_prefix('/').unwrap_or(name);
    let valid_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if !valid_name || ACTIVE.contains(&name.to_ascii_lowercase().as_str()) {
        return false;
    }
    while !rest.is_empty() {
        let Some((attribute, after)) = rest.split_once("=\"") else { return false };
        let Some((value, after)) = after.split_once('"') else { return false };
        let attribute = attribute.trim();
        let code =
            attribute.starts_with("on") || matches!(attribute, "style" | "srcdoc" | "formaction" | "action");
        let plain = attribute.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if code || !plain || value.contains('<') || runs_code(&value.replace("&amp;", "&")) {
            return false;
        }
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_html_is_distinguished_from_inert_html() {
        let rows = [
            ("plain text", true),
            ("<br>", true),
            ("<em>x</em>", true),
            ("<td colspan=\"2\" title=\"a > b\">x</td>", true),
            ("<a href=\"https://example.com/?a=1&amp;b=2\">x</a>", true),
            ("a &lt;script&gt; b", true),
            ("<script>x</script>", false),
            ("<SCRIPT src=\"x\">", false),
            ("<p onclick=\"x\">", false),
            ("<p style=\"x\">", false),
            ("<a href=\"java\nscript:x\">", false),
            ("<a href=\"data:text/html,x\">", false),
            ("<p title=x>", false),
            ("<p title=\"x\"onclick=y>", false),
            ("1 < 2", false),
            ("<!-- x -->", false),
            ("<p", false),
        ];
        for (html, inert) in rows {
            assert_eq!(is_inert(html), inert, "{html}");
        }
    }
}
