//! The text of a line or block with its links, and its Markdown.

use std::rc::Rc;

use super::chars::is_unspaced;
use super::hyphen::Hyphen;

/// The target of a link.
pub(crate) type Url = Rc<str>;

/// A text, and which parts are links.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Text {
    plain: String,
    marks: Vec<Mark>,
    /// Its last hyphen stays when the next line is joined.
    keeps_hyphen: bool,
}

/// A part of a text that is a link.
#[derive(Debug, Clone, PartialEq)]
struct Mark {
    start: usize,
    end: usize,
    url: Url,
}

impl Text {
    #[cfg(test)]
    pub(crate) fn plain(text: &str) -> Self {
        Self { plain: text.to_owned(), ..Self::default() }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.plain
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.plain.trim().is_empty()
    }

    /// Appends a text.
    pub(super) fn push(&mut self, text: &str, url: Option<&Url>) {
        let start = self.plain.len();
        self.plain.push_str(text);
        let Some(url) = url else { return };
        let end = self.plain.len();
        // A space between two words of a link belongs to it.
        let is_space =
            |from: usize| self.plain.get(from..start).is_some_and(|between| between.trim().is_empty());
        match self.marks.last_mut() {
            Some(last) if last.url == *url && is_space(last.end) => last.end = end,
            _ => self.marks.push(Mark { start, end, url: Rc::clone(url) }),
        }
    }

    /// Says that its last hyphen is a part of its word.
    pub(crate) fn keep_hyphen(&mut self) {
        self.keeps_hyphen = true;
    }

    /// Appends the text of the next line. A word that is split at the end of a line becomes one word.
    pub(crate) fn push_line(&mut self, line: &Self) {
        let mut ending = self.plain.chars().rev();
        let (last, before) = (ending.next(), ending.next());
        let first = line.plain.chars().next();
        let hyphen = Hyphen::between(&self.plain, &line.plain);
        let is_soft = last == Some('\u{00AD}');
        let is_split = (is_soft || (matches!(last, Some('-' | '\u{2010}')) && hyphen != Hyphen::Last))
            && before.is_some_and(char::is_alphabetic)
            && first.is_some_and(char::is_alphanumeric);
        if is_split {
            let is_joined =
                first.is_some_and(char::is_lowercase) && !self.keeps_hyphen && hyphen != Hyphen::Inner;
            if is_joined || is_soft {
                self.plain.pop();
                let end = self.plain.len();
                // Only the last links end there: all of them would be read again for each line.
                let last = self.marks.iter_mut().rev().take_while(|mark| mark.end > end);
                last.for_each(|mark| mark.end = end);
            }
        } else if last.zip(first).is_some_and(|(last, first)| {
            !last.is_whitespace() && last != '—' && !(is_unspaced(last) && is_unspaced(first))
        }) {
            self.plain.push(' ');
        }
        self.append(line);
    }

    /// Appends a text as it is.
    pub(crate) fn append(&mut self, other: &Self) {
        let shift = self.plain.len();
        self.keeps_hyphen = other.keeps_hyphen;
        self.plain.push_str(&other.plain);
        for mark in &other.marks {
            let (start, end) = (mark.start + shift, mark.end + shift);
            let is_space =
                |from: usize| self.plain.get(from..start).is_some_and(|between| between.trim().is_empty());
            match self.marks.last_mut() {
                Some(last) if last.url == mark.url && is_space(last.end) => last.end = end,
                _ => self.marks.push(Mark { start, end, url: mark.url.clone() }),
            }
        }
    }

    /// The text behind its first bytes, without the spaces there.
    pub(crate) fn without_start(&self, bytes: usize) -> Self {
        let rest = self.plain.get(bytes..).unwrap_or_default();
        let text = rest.trim_start();
        let shift = self.plain.len() - text.len();
        let marks = self.marks.iter().filter(|mark| mark.end > shift).map(|mark| Mark {
            start: mark.start.max(shift) - shift,
            end: mark.end - shift,
            url: mark.url.clone(),
        });
        Self { plain: text.to_owned(), marks: marks.collect(), keeps_hyphen: self.keeps_hyphen }
    }

    /// The text behind a label.
    pub(crate) fn behind(&self, label: &str) -> Self {
        let mut text = Self { plain: format!("{label} "), ..Self::default() };
        text.append(self);
        text
    }

    /// The Markdown of the text, in one line.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::with_capacity(self.plain.len() + self.plain.len() / 16);
        let mut at = 0;
        for mark in &self.marks {
            let (Some(before), Some(inner)) =
                (self.plain.get(at..mark.start), self.plain.get(mark.start..mark.end))
            else {
                continue;
            };
            escape(before, &mut out);
            out.push('[');
            escape(inner, &mut out);
            out.push_str("](");
            push_url(&mark.url, &mut out);
            out.push(')');
            at = mark.end;
        }
        escape(self.plain.get(at..).unwrap_or_default(), &mut out);
        out
    }
}

/// Writes a text so that no part of it is markup.
pub(super) fn escape(text: &str, out: &mut String) {
    let mut chars = text.chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let is_word = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
        match c {
            '\u{00AD}' => continue,
            '\\' | '`' | '*' | '[' | ']' => out.extend(['\\', c]),
            '_' if !(is_word(before) && is_word(next)) => out.push_str("\\_"),
            '~' if next == Some('~') || before == Some('~') => out.push_str("\\~"),
            '<' if next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')) => {
                out.push_str("&lt;");
            }
            '&' if next.is_some_and(|next| next.is_ascii_alphabetic() || next == '#') => {
                out.push_str("&amp;");
            }
            c => out.push(c),
        }
        before = Some(c);
    }
}

/// Writes a URL so that it ends where it should.
fn push_url(url: &str, out: &mut String) {
    for c in url.chars() {
        match c {
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '\\' => out.push_str("%5C"),
            '`' => out.push_str("%60"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(lines: &[&str]) -> String {
        let mut text = Text::default();
        lines.iter().for_each(|line| text.push_line(&Text::plain(line)));
        text.plain
    }

    #[test]
    fn words_that_are_split_at_the_end_of_a_line_are_joined() {
        assert_eq!(joined(&["the tempera-", "ture of"]), "the temperature of");
        assert_eq!(joined(&["with Jean-", "Paul"]), "with Jean-Paul");
        assert_eq!(joined(&["pages 3 -", "or more"]), "pages 3 - or more");
        assert_eq!(joined(&["soft\u{00AD}", "Ware"]), "softWare");
        assert_eq!(
            joined(&["pre-", "and postwar, twenty-", "four e-", "mails"]),
            "pre- and postwar, twenty-four e-mails"
        );
        assert_eq!(joined(&["日本", "語"]), "日本語");
        assert_eq!(joined(&["한국어", "문장"]), "한국어 문장");
    }

    #[test]
    fn links_go_on_over_words_and_lines() {
        let url: Url = "https://e.example/(a)".into();
        let mut text = Text::plain("see ");
        text.push("the", Some(&url));
        text.push(" ", None);
        text.push("page", Some(&url));
        let mut next = Text::default();
        next.push("there", Some(&url));
        text.push_line(&next);
        text.push(".", None);
        assert_eq!(text.markdown(), "see [the page there](https://e.example/%28a%29).");
        assert_eq!(text.without_start(4).markdown(), "[the page there](https://e.example/%28a%29).");
        assert_eq!(text.without_start(8).markdown(), "[page there](https://e.example/%28a%29).");
    }

    #[test]
    fn text_is_not_markup() {
        for (text, expected) in [
            ("a*b* [c](d)", "a\\*b\\* \\[c\\](d)"),
            ("snake_case _x_", "snake_case \\_x\\_"),
            ("<b> a < b", "&lt;b> a < b"),
            ("R&D &amp; &#1;", "R&amp;D &amp;amp; &amp;#1;"),
        ] {
            assert_eq!(Text::plain(text).markdown(), expected, "{text}");
        }
    }
}
