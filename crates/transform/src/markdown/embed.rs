//! Embedded content: videos, audio, documents and other pages become links with a descriptive name.

use percent_encoding::percent_decode_str;
use url::Url;

use super::Writer;
use super::media::{fold_spaces, is_unseen};
use super::piece::Target;
use crate::tree::{Attr, NodeId, Tag};

/// Maximum length of a file name in bytes. A longer path segment is not used as a name.
const MAX_NAME_BYTES: usize = 120;

/// Maximum depth of a link in the element that it begins.
const MAX_LINK_DEPTH: usize = 3;

/// File extensions of pages. The name of the host describes a page better than its file name.
const PAGE_EXTENSIONS: &[&str] = &["asp", "aspx", "cgi", "do", "htm", "html", "jsp", "php", "xhtml"];

impl Writer<'_> {
    /// Handles an `object`. Returns true if it has fallback content to walk; otherwise writes a link.
    pub(super) fn embed_object(&mut self, node: NodeId) -> bool {
        let tree = self.tree;
        let has_fallback = tree.child_elements(node).any(|child| tree.tag(child) != Tag::Param)
            || tree.children(node).any(|child| !tree.text(child).trim().is_empty());
        if !has_fallback {
            self.embed(node);
        }
        has_fallback
    }

    /// Writes embedded content as a link, with spaces around it.
    pub(super) fn embed(&mut self, node: NodeId) {
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
        if self.is_linked_after(node, &url) {
            return;
        }
        let label = [Attr::Title, Attr::AriaLabel]
            .into_iter()
            .filter_map(|name| tree.attribute(node, name).map(fold_spaces))
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

    /// True if the next element begins with a link to the same address, as behind a frame of another site in
    /// a rendered page.
    fn is_linked_after(&self, node: NodeId, url: &Url) -> bool {
        let tree = self.tree;
        let siblings = std::iter::successors(tree.next_sibling(node), |sibling| tree.next_sibling(*sibling));
        let mut first = siblings.take(2).find(|sibling| tree.is_element(*sibling));
        for _ in 0..MAX_LINK_DEPTH {
            let Some(element) = first else { return false };
            if tree.tag(element) == Tag::A {
                let href = tree.attribute(element, Attr::Href);
                let link = href.and_then(|href| self.options.resolver.web_url(href));
                return link.is_some_and(|link| link == *url);
            }
            first = tree.child_elements(element).next();
        }
        false
    }
}

/// The file name of an address: the last segment of its path, if it has a file extension.
fn file_name(url: &Url) -> Option<String> {
    let last = url.path_segments()?.next_back()?;
    let (_, extension) = last.rsplit_once('.')?;
    let is_extension =
        (2..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_page = PAGE_EXTENSIONS.iter().any(|page| extension.eq_ignore_ascii_case(page));
    if !is_extension || is_page || last.len() > MAX_NAME_BYTES || last.starts_with('.') {
        return None;
    }
    percent_decode_str(last).decode_utf8().ok().map(|name| fold_spaces(&name))
}
