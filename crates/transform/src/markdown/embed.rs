//! Things embedded in a page: films, sounds, documents and other pages become links with a name that says what they are.

use percent_encoding::percent_decode_str;
use url::Url;

use super::Writer;
use super::media::{fold, is_unseen};
use super::piece::Target;
use crate::tree::{Attr, NodeId, Tag};

/// A file's name has at most so many bytes; what is longer is no name.
const MAX_NAME_BYTES: usize = 120;

/// Ends of names that stand for pages: the name of the host says more.
const PAGES: &[&str] = &["asp", "aspx", "cgi", "do", "htm", "html", "jsp", "php", "xhtml"];

impl Writer<'_> {
    /// What a plug-in would show: the text for those without it, or else a link; false where the latter was written.
    pub(super) fn object(&mut self, node: NodeId) -> bool {
        let tree = self.tree;
        let speaks = tree.child_elements(node).any(|child| tree.tag(child) != Tag::Param)
            || tree.children(node).any(|child| !tree.text(child).trim().is_empty());
        if !speaks {
            self.frame(node);
        }
        speaks
    }

    /// What is embedded becomes a link, set apart from what stands beside it.
    pub(super) fn frame(&mut self, node: NodeId) {
        let tree = self.tree;
        if is_unseen(tree, node) {
            return;
        }
        let source = [Attr::Src, Attr::DataSrc, Attr::Data].into_iter().find_map(|name| {
            tree.attribute(node, name).filter(|source| !source.is_empty() && !source.starts_with("about:"))
        });
        let source = source.or_else(|| {
            tree.child_elements(node)
                .find(|child| tree.tag(*child) == Tag::Source)
                .and_then(|child| tree.attribute(child, Attr::Src))
        });
        let Some(url) = source.and_then(|source| self.options.resolver.web_url(source)) else { return };
        let label = [Attr::Title, Attr::AriaLabel]
            .into_iter()
            .filter_map(|name| tree.attribute(node, name).map(fold))
            .find(|label| !label.is_empty())
            .or_else(|| file_name(&url))
            .unwrap_or_else(|| url.host_str().unwrap_or_default().to_owned());
        self.inline.space();
        if self.inline.open_link(Target { address: url.into(), title: None }) {
            self.inline.text(&label);
            self.inline.close_link();
        }
        self.inline.space();
    }
}

/// The name of the file that an address leads to: the last part of its path, where it ends as names of files do.
fn file_name(url: &Url) -> Option<String> {
    let last = url.path_segments()?.next_back()?;
    let (_, end) = last.rsplit_once('.')?;
    let is_end = (2..=5).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_page = PAGES.iter().any(|page| end.eq_ignore_ascii_case(page));
    if !is_end || is_page || last.len() > MAX_NAME_BYTES || last.starts_with('.') {
        return None;
    }
    percent_decode_str(last).decode_utf8().ok().map(|name| fold(&name))
}
