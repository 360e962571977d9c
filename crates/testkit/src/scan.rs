//! Finds the links of a page by a text scan.
//!
//! A test that checks a parser should not depend on one. A scan suffices, because the pages of this crate
//! write every anchor as `<a href="...">` or `<a class=".." href="..">`.

/// The `href` of each `<a` tag outside scripts, as written, with `&amp;` resolved.
///
/// ```
/// let html = r#"<a href="/a?b=1&amp;c=2">A</a> <link href="/no"> <a class="x" href="c">C</a>"#;
/// assert_eq!(gleaner_testkit::hrefs(html), ["/a?b=1&c=2", "c"]);
/// ```
#[must_use]
pub fn hrefs(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some((_, tag)) = rest.split_once('<') {
        rest = tag;
        if rest.starts_with("script") {
            rest = rest.split_once("</script>").map_or("", |(_, after)| after);
        } else if rest.starts_with("a ") {
            let tag = rest.split_once('>').map_or(rest, |(tag, _)| tag);
            if let Some((_, value)) = tag.split_once("href=\"") {
                let value = value.split_once('"').map_or(value, |(value, _)| value);
                found.push(value.replace("&amp;", "&"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn links_in_scripts_are_ignored() {
        let html = r#"<script>var x = '<a href="/no">';</script><a href="/yes">yes</a><abbr href="/no">"#;
        assert_eq!(super::hrefs(html), ["/yes"]);
    }
}
