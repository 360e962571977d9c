//! What a file says about itself, written as the head of a page, so that it is read like that of any page.

use crate::html;

/// Maximum length of a value in characters.
const MAX_VALUE: usize = 1_000;

/// Maximum number of values.
const MAX_VALUES: usize = 100;

/// What a file says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// The title, which is also that of the document, whatever its headings say.
    pub(crate) title: Option<String>,
    /// Names of `<meta>` elements, and their contents.
    values: Vec<(&'static str, String)>,
}

impl Head {
    pub(super) fn set_title(&mut self, title: &str) {
        let title = folded(title);
        if self.title.is_none() && !title.is_empty() {
            self.title = Some(title);
        }
    }

    pub(super) fn add(&mut self, name: &'static str, content: &str) {
        let content = folded(content);
        if self.values.len() < MAX_VALUES && !content.is_empty() {
            self.values.push((name, content));
        }
    }

    /// Its elements.
    pub(crate) fn html(&self) -> String {
        let mut out = String::new();
        if let Some(title) = &self.title {
            out.push_str("<title>");
            html::escape(title, false, &mut out);
            out.push_str("</title>");
        }
        for (name, content) in &self.values {
            out.push_str(&format!("<meta name=\"{name}\" content=\""));
            html::escape(content, true, &mut out);
            out.push_str("\">");
        }
        out
    }
}

/// One line of text.
fn folded(text: &str) -> String {
    let text: String = text.chars().take(MAX_VALUE).map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
