//! A page without its structured data and the copies of it.

use lol_html::{RewriteStrSettings, element, rewrite_str};

use crate::Failure;

/// Attributes of microdata and RDFa.
const ATTRIBUTES: [&str; 14] = [
    "itemscope",
    "itemtype",
    "itemprop",
    "itemid",
    "itemref",
    "typeof",
    "property",
    "vocab",
    "resource",
    "about",
    "datatype",
    "prefix",
    "inlist",
    "content",
];

/// The page without scripts, `meta` elements with a name, `link` elements of microdata, attributes of
/// microdata and RDFa, and attributes that contain JSON. Everything else stays as it is, byte for byte.
pub(super) fn without_structured_data(html: &str) -> Result<String, Failure> {
    let handler = element!("*", |element| {
        let name = element.tag_name();
        let is_data = match name.as_str() {
            "script" => true,
            "meta" => !element.has_attribute("charset") && !element.has_attribute("http-equiv"),
            "link" => element.has_attribute("itemprop"),
            _ => false,
        };
        if is_data {
            element.remove();
            return Ok(());
        }
        let data: Vec<String> = element
            .attributes()
            .iter()
            .map(|attribute| (attribute.name(), attribute.value()))
            .filter(|(name, value)| ATTRIBUTES.contains(&name.as_str()) || is_json(value))
            .map(|(name, _)| name)
            .collect();
        for name in &data {
            element.remove_attribute(name);
        }
        Ok(())
    });
    let settings = RewriteStrSettings::new().append_element_content_handler(handler).with_strict(false);
    Ok(rewrite_str(html, settings)?)
}

/// Whether the value of an attribute is an object or a list in JSON.
fn is_json(value: &str) -> bool {
    let value = value.trim();
    let starts = |start: &str, quotes: [&str; 4]| {
        value.strip_prefix(start).is_some_and(|rest| {
            let rest = rest.trim_start();
            quotes.iter().any(|quote| rest.starts_with(quote))
        })
    };
    starts("{", ["\"", "&quot;", "&#34;", "'"]) || starts("[", ["{", "\"", "&quot;", "&#34;"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_data_goes_and_the_rest_stays() {
        let html = r#"<head><meta charset=utf-8><meta property="og:title" content="Cup"><title>Cup</title>
            <script type="application/ld+json">{"name":"Cup"}</script></head>
            <p itemprop=name class=n data-x='{"a":1}' data-y="5">Cup <b content=5>5</b>
            <script>var a = "Cup"</script>
            <link itemprop=url href=/a><link rel=canonical href=/a>"#;
        let expected = r#"<head><meta charset=utf-8><title>Cup</title>
            </head>
            <p class=n data-y="5">Cup <b>5</b>
            <link rel=canonical href=/a>"#;
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&without_structured_data(html).unwrap()), words(expected));
    }
}
