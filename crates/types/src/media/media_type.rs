//! The parser of media types (WHATWG MIME Sniffing, 4.4) and of `Content-Type` (Fetch, "extract a MIME
//! type").

use std::fmt;

use super::MediaKind;

/// Maximum number of parameters that are kept. Real types have one or two.
const MAX_PARAMETERS: usize = 32;

/// HTTP white space.
const SPACE: [char; 4] = ['\t', '\n', '\r', ' '];

/// A media type with its parameters, such as `text/html; charset=utf-8`.
///
/// ```
/// use gleaner_types::media::MediaType;
///
/// let joined = MediaType::of_header("text/html; charset=gbk, text/plain, TEXT/HTML ;charset=\"utf-8\"");
/// assert_eq!(joined.essence(), "text/html");
/// assert_eq!(joined.parameter("charset"), Some("utf-8"));
/// assert_eq!(joined.to_string(), "text/html; charset=utf-8");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MediaType {
    /// Empty if the type is unknown.
    essence: String,
    /// Names in lower case, each once.
    parameters: Vec<(String, String)>,
}

impl MediaType {
    /// Parses one media type; `None` if it is invalid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.trim_matches(SPACE).split_once('/')?;
        let (subtype, parameters) = rest.split_once(';').unwrap_or((rest, ""));
        let subtype = subtype.trim_end_matches(SPACE);
        if !is_token(kind) || !is_token(subtype) {
            return None;
        }
        let essence = format!("{kind}/{subtype}").to_ascii_lowercase();
        Some(Self { essence, parameters: read_parameters(parameters) })
    }

    /// The type that a `Content-Type` header declares; several header lines are joined with commas. The last
    /// valid type of the list counts.
    ///
    /// A header without a valid type gives the unknown type, as in browsers. So does `*/*`. What browsers
    /// accept beyond the standard is a type that ends at a space or a parenthesis: `text/html charset=utf-8`.
    #[must_use]
    pub fn of_header(header: &str) -> Self {
        let mut found = Self::default();
        let mut charset: Option<String> = None;
        for value in values(header) {
            let Some(mut next) = Self::parse(value).filter(|next| next.essence != "*/*") else { continue };
            if next.essence != found.essence {
                charset = next.parameter("charset").map(str::to_owned);
            } else if let Some(charset) = charset.as_ref().filter(|_| next.parameter("charset").is_none()) {
                next.parameters.push(("charset".to_owned(), charset.clone()));
            }
            found = next;
        }
        if found.essence.is_empty() { Self::of_invalid(header) } else { found }
    }

    fn of_invalid(header: &str) -> Self {
        let (start, parameters) = header.split_once(';').unwrap_or((header, ""));
        let word = start.trim_matches(SPACE).split([' ', '\t', '(', ',']).next().unwrap_or_default();
        let essence = Self::parse(word).map(|found| found.essence).filter(|essence| essence != "*/*");
        Self { essence: essence.unwrap_or_default(), parameters: read_parameters(parameters) }
    }

    /// The same parameters with another type.
    #[must_use]
    pub fn with_essence(self, essence: impl Into<String>) -> Self {
        Self { essence: essence.into(), ..self }
    }

    /// The type without its parameters, in lower case; empty if it is unknown.
    #[must_use]
    pub fn essence(&self) -> &str {
        &self.essence
    }

    /// The value of a parameter; `name` is in lower case.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The kind of a body of this type.
    #[must_use]
    pub fn kind(&self) -> MediaKind {
        MediaKind::of(&self.essence)
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.essence)?;
        for (name, value) in &self.parameters {
            if is_token(value) {
                write!(f, "; {name}={value}")?;
            } else {
                write!(f, "; {name}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))?;
            }
        }
        Ok(())
    }
}

/// The values of a list: commas inside of quotes do not separate.
fn values(header: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    header.split(move |character: char| {
        if escaped {
            escaped = false;
        } else if quoted && character == '\\' {
            escaped = true;
        } else if character == '"' {
            quoted = !quoted;
        } else {
            return character == ',' && !quoted;
        }
        false
    })
}

fn read_parameters(mut rest: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    while found.len() < MAX_PARAMETERS {
        rest = rest.trim_start_matches(SPACE);
        let Some((name, after)) = rest.find([';', '=']).and_then(|end| rest.split_at_checked(end)) else {
            break;
        };
        let Some(after) = after.strip_prefix('=') else {
            rest = after.strip_prefix(';').unwrap_or_default();
            continue;
        };
        let value = match after.strip_prefix('"') {
            Some(inside) => {
                let (value, after) = quoted(inside);
                rest = after.split_once(';').map_or("", |(_, after)| after);
                value
            }
            None => {
                let (value, after) = after.split_once(';').unwrap_or((after, ""));
                rest = after;
                let value = value.trim_end_matches(SPACE);
                if value.is_empty() {
                    continue;
                }
                value.to_owned()
            }
        };
        let name = name.to_ascii_lowercase();
        if is_token(&name) && value.chars().all(is_quotable) && !found.iter().any(|(known, _)| *known == name)
        {
            found.push((name, value));
        }
    }
    found
}

/// The text up to the closing quote or the end, without escapes, and what follows.
fn quoted(inside: &str) -> (String, &str) {
    let mut value = String::new();
    let mut rest = inside.chars();
    while let Some(character) = rest.next() {
        match character {
            '"' => break,
            '\\' => value.push(rest.next().unwrap_or('\\')),
            _ => value.push(character),
        }
    }
    (value, rest.as_str())
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// An HTTP quoted-string token code point.
const fn is_quotable(character: char) -> bool {
    matches!(character, '\t' | ' '..='~' | '\u{80}'..='\u{FF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The type written out, or nothing if it is invalid.
    fn parsed(text: &str) -> Option<String> {
        MediaType::parse(text).map(|found| found.to_string())
    }

    #[test]
    fn types_are_parsed_as_the_standard_says() {
        for (text, expected) in [
            ("text/html", "text/html"),
            ("TEXT/HTML;CHARSET=GBK", "text/html; charset=GBK"),
            (" \t\r\ntext/html\t ; \tcharset=gbk \n", "text/html; charset=gbk"),
            ("text/html;charset=gbk;charset=utf-8", "text/html; charset=gbk"),
            ("text/html;charset=gbk(", "text/html; charset=\"gbk(\""),
            ("text/html;x=(;charset=gbk", "text/html; x=\"(\"; charset=gbk"),
            ("text/html;charset =gbk", "text/html"),
            ("text/html ;charset=gbk", "text/html; charset=gbk"),
            ("text/html; charset=gbk", "text/html; charset=gbk"),
            ("text/html;charset= gbk", "text/html; charset=\" gbk\""),
            ("text/html;charset= \"gbk\"", "text/html; charset=\" \\\"gbk\\\"\""),
            ("text/html;charset='gbk'", "text/html; charset='gbk'"),
            ("text/html;charset='gbk", "text/html; charset='gbk"),
            ("text/html;charset=gbk'", "text/html; charset=gbk'"),
            ("text/html;charset=';charset=gbk", "text/html; charset='"),
            ("text/html;test;charset=gbk", "text/html; charset=gbk"),
            ("text/html;test=;charset=gbk", "text/html; charset=gbk"),
            ("text/html;';charset=gbk", "text/html; charset=gbk"),
            ("text/html;\";charset=gbk", "text/html; charset=gbk"),
            ("text/html ; ; charset=gbk", "text/html; charset=gbk"),
            ("text/html;;;;charset=gbk", "text/html; charset=gbk"),
            ("text/html;charset= \";charset=GBK", "text/html; charset=\" \\\"\""),
            ("text/html;charset=\";charset=foo\";charset=GBK", "text/html; charset=\";charset=foo\""),
            ("text/html;charset=\"gbk\"", "text/html; charset=gbk"),
            ("text/html;charset=\"gbk", "text/html; charset=gbk"),
            ("text/html;charset=gbk\"", "text/html; charset=\"gbk\\\"\""),
            ("text/html;charset=\" gbk\"", "text/html; charset=\" gbk\""),
            ("text/html;charset=\"\\ gbk\"", "text/html; charset=\" gbk\""),
            ("text/html;charset=\"\\g\\b\\k\"", "text/html; charset=gbk"),
            ("text/html;charset=\"gbk\"x", "text/html; charset=gbk"),
            ("text/html;charset=\"\";charset=GBK", "text/html; charset=\"\""),
            ("text/html;charset=\"gbk\\", "text/html; charset=\"gbk\\\\\""),
            ("text/html;charset={gbk}", "text/html; charset=\"{gbk}\""),
            ("text/html;charset=\u{3a9};charset=gbk", "text/html; charset=gbk"),
            ("text/html;a b=c;charset=gbk", "text/html; charset=gbk"),
            ("text/html; charset: utf-8", "text/html"),
            ("text/html;", "text/html"),
            ("x/x;x=x", "x/x; x=x"),
            ("!#$%&'*+-.^_`|~/a", "!#$%&'*+-.^_`|~/a"),
            ("*/*", "*/*"),
        ] {
            assert_eq!(parsed(text).as_deref(), Some(expected), "{text:?}");
            assert_eq!(parsed(expected).as_deref(), Some(expected), "written out, it is the same");
        }
        for text in [
            "",
            "\t",
            "/",
            "bogus",
            "bogus/",
            "/bogus",
            "bogus/ ",
            "bogus/bogus/",
            "text/html/",
            "text /html",
            "text/ html",
            "text/html charset=utf-8",
            "\"text/html\"",
            "text/html, text/html",
            "(/)",
            "ÿ/ÿ",
            "text/html(;doesnot=matter",
            "{/}",
            "\u{b}x/x",
            "x/x\u{c}",
            ";charset=utf-8",
        ] {
            assert_eq!(parsed(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_last_valid_type_of_a_header_counts() {
        for (header, expected) in [
            ("", ""),
            ("text/plain, text/html", "text/html"),
            ("text/html, text/html", "text/html"),
            ("text/html, text/html; charset=utf-8", "text/html; charset=utf-8"),
            ("text/html;charset=gbk, text/html", "text/html; charset=gbk"),
            ("text/html;charset=gbk, text/html;charset=utf-8", "text/html; charset=utf-8"),
            (
                "text/html;charset=gbk, text/html;x=\",text/plain\"",
                "text/html; x=\",text/plain\"; charset=gbk",
            ),
            ("text/html;charset=gbk, text/plain, text/html", "text/html"),
            ("text/html;charset=gbk, text/plain", "text/plain"),
            ("text/html,*/*", "text/html"),
            ("text/html, bogus, ,", "text/html"),
            ("text/html;x=\"\\\",\", text/plain", "text/plain"),
            // Beyond the standard.
            ("text/html charset=utf-8", "text/html"),
            ("Text/HTML (page); charset=gbk", "text/html; charset=gbk"),
            // Unknown, with its parameters.
            ("*/*", ""),
            ("html", ""),
            ("html; charset=gbk", "; charset=gbk"),
            ("\"text/html\"; charset=gbk", "; charset=gbk"),
            ("text/html/; charset=gbk", "; charset=gbk"),
        ] {
            assert_eq!(MediaType::of_header(header).to_string(), expected, "{header:?}");
        }
    }

    #[test]
    fn the_parameters_of_a_type_are_bounded() {
        let many: String = (0..10_000).map(|number| format!(";a{number}=b")).collect();
        assert_eq!(MediaType::of_header(&format!("text/html{many}")).parameters.len(), MAX_PARAMETERS);
    }
}
