//! Writes a page that is sent as XML as HTML, so that it is parsed as browsers read it: `<script/>` is an
//! empty element, and a CDATA section is text (HTML Standard, 14.2).
//!
//! Alternative: a tree from an XML parser. But pages that are sent as XML are often not well-formed, and half
//! a page is worse than one read leniently. So only what XML writes in another way is changed.

use memchr::memchr;

use crate::html;
use crate::tree::Tag;

/// Namespaces whose elements HTML has without a prefix.
const NAMESPACES: [&str; 3] =
    ["http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"];

/// Maximum number of prefixes that a page declares for them.
const MAX_PREFIXES: usize = 8;

/// Writes a page as HTML.
pub(crate) fn html(text: &str) -> String {
    let mut writer =
        Writer { out: String::with_capacity(text.len()), has_doctype: false, prefixes: Vec::new() };
    let mut rest = text;
    while let Some(at) = memchr(b'<', rest.as_bytes()) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        writer.out.push_str(before);
        rest = writer.markup(from);
    }
    writer.out.push_str(rest);
    writer.out
}

struct Writer {
    out: String,
    /// Whether the document type is written: HTML has one.
    has_doctype: bool,
    /// Prefixes of the elements of HTML.
    prefixes: Vec<String>,
}

impl Writer {
    /// Reads what begins with `<`. Returns the text after it.
    fn markup<'t>(&mut self, from: &'t str) -> &'t str {
        if let Some(section) = from.strip_prefix("<![CDATA[") {
            let (text, after) = section.split_once("]]>").unwrap_or((section, ""));
            html::escape(text, false, &mut self.out);
            return after;
        }
        if let Some(comment) = from.strip_prefix("<!--") {
            return comment.split_once("-->").map_or("", |(_, after)| after);
        }
        if let Some(instruction) = from.strip_prefix("<?") {
            return instruction.split_once("?>").map_or("", |(_, after)| after);
        }
        if from.starts_with("<!") {
            if !std::mem::replace(&mut self.has_doctype, true) {
                self.out.push_str("<!DOCTYPE html>");
            }
            return after_doctype(from);
        }
        let start = from.get(1..).unwrap_or_default();
        if !start.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '/')) {
            // No tag: the text goes on after this character.
            self.out.push_str("&lt;");
            return start;
        }
        let Some((tag, after)) = tag_end(from).and_then(|end| from.split_at_checked(end + 1)) else {
            self.out.push_str(from);
            return "";
        };
        let inner = tag.get(1..tag.len().saturating_sub(1)).unwrap_or_default();
        if let Some(name) = inner.strip_prefix('/') {
            let name = self.name(name.trim_end());
            if !is_void(name) {
                self.out.push_str(&format!("</{name}>"));
            }
            return after;
        }
        self.start_tag(inner, after)
    }

    /// Writes a start tag or an empty element. Returns the text after it.
    fn start_tag<'t>(&mut self, inner: &str, after: &'t str) -> &'t str {
        self.declare(inner);
        let is_empty = is_empty(inner);
        let inner = if is_empty { inner.trim_end_matches('/') } else { inner };
        let end = inner.find(char::is_whitespace).unwrap_or(inner.len());
        let (written, attributes) = inner.split_at_checked(end).unwrap_or((inner, ""));
        let name = self.name(written);
        self.out.push_str(&format!("<{name}{attributes}>"));
        if is_empty {
            if !is_void(name) {
                self.out.push_str(&format!("</{name}>"));
            }
            return after;
        }
        if !matches!(name, "script" | "style") {
            return after;
        }
        // HTML reads the text of these elements as it is, and knows no sections there.
        let (text, after) = after.split_once(&format!("</{written}")).unwrap_or((after, ""));
        self.out.push_str(&text.replace("<![CDATA[", "").replace("]]>", ""));
        self.out.push_str(&format!("</{name}>"));
        after.split_once('>').map_or("", |(_, after)| after)
    }

    /// The name of an element in HTML.
    fn name<'n>(&self, written: &'n str) -> &'n str {
        match written.split_once(':') {
            Some((prefix, name)) if self.prefixes.iter().any(|known| known == prefix) => name,
            _ => written,
        }
    }

    /// Reads the prefixes that a tag declares.
    fn declare(&mut self, inner: &str) {
        for declaration in inner.split("xmlns:").skip(1) {
            let Some((prefix, value)) = declaration.split_once('=') else { continue };
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            let is_known = NAMESPACES.iter().any(|name| value.starts_with(name));
            let prefix = prefix.trim();
            let is_new = self.prefixes.iter().all(|known| known != prefix);
            if is_known && is_new && self.prefixes.len() < MAX_PREFIXES {
                self.prefixes.push(prefix.to_owned());
            }
        }
    }
}

fn is_void(name: &str) -> bool {
    Tag::lookup(&name.to_ascii_lowercase()).0.is_void()
}

/// The text after a document type, which may have declarations in brackets.
fn after_doctype(from: &str) -> &str {
    let end = from.find('>').unwrap_or(from.len());
    let rest = match from.get(..end).and_then(|head| head.find('[')) {
        Some(open) => {
            from.get(open..).and_then(|inside| inside.split_once(']')).map_or("", |(_, after)| after)
        }
        None => from,
    };
    rest.split_once('>').map_or("", |(_, after)| after)
}

/// Where the `>` of a tag is. Quoted values may contain others.
fn tag_end(from: &str) -> Option<usize> {
    let (mut quote, mut previous) = (None, b' ');
    for (at, byte) in from.bytes().enumerate() {
        match quote {
            None if byte == b'>' => return Some(at),
            None if matches!(byte, b'"' | b'\'') && previous == b'=' => quote = Some(byte),
            Some(open) if open == byte => quote = None,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            previous = byte;
        }
    }
    None
}

/// Whether a tag is a whole element. A slash may also end a value without quotes, which XML does not have.
fn is_empty(inner: &str) -> bool {
    let Some(before) = inner.strip_suffix('/') else { return false };
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    before.ends_with(['"', '\'']) || !last.contains('=')
}

#[cfg(test)]
mod tests {
    use super::html;

    #[test]
    fn what_xml_writes_in_another_way_is_changed() {
        for (xml, expected) in [
            ("<p>a<br/>b</p>", "<p>a<br>b</p>"),
            ("<script src=\"a.js\"/><a id='top'/>x", "<script src=\"a.js\"></script><a id='top'></a>x"),
            ("<p><![CDATA[a & <b>]]></p>", "<p>a &amp; &lt;b&gt;</p>"),
            ("<!-- > <p> --><?a <b> ?><p/>", "<p></p>"),
            ("<!DOCTYPE html [<!ENTITY a \"<p>\">]><p>x", "<!DOCTYPE html><p>x"),
            ("<p title='a > b'>x</p>", "<p title='a > b'>x</p>"),
            ("<a href=b/>x</a>", "<a href=b/>x</a>"),
            ("1 < 2<p>x</p>", "1 &lt; 2<p>x</p>"),
            (
                "<h:p xmlns:h='http://www.w3.org/1999/xhtml'>x<h:br></h:br><o:y/></h:p>",
                "<p xmlns:h='http://www.w3.org/1999/xhtml'>x<br><o:y></o:y></p>",
            ),
            ("<style><![CDATA[a > b {}]]></style>x", "<style>a > b {}</style>x"),
            ("<p>x <b", "<p>x <b"),
            ("<p><![CDATA[x", "<p>x"),
        ] {
            assert_eq!(html(xml), expected, "{xml}");
        }
    }
}
