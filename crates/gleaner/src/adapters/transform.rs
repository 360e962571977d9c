//! Fits the transformer to the runtime's port.

use std::borrow::Cow;

use gleaner_frontier::asks_nofollow;
use gleaner_runtime::{Fetched, PageText, Transform, TransformTask, Transformed};
use gleaner_transform::{
    EXTRACTIVE_SUMMARY, Input, LinkKind, Page, PageLinks, Selection, is_pdf, page_memory, transform_within,
};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{Document, Interrupt, PageError};
use url::Url;

use crate::extract::fields;

/// Which links of pages are followed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LinkRules {
    /// Those that a page asks not to follow are not.
    pub(crate) obey_nofollow: bool,
    /// Documents in an `<iframe>` count as linked.
    pub(crate) iframes: bool,
}

impl LinkRules {
    /// The links to follow, and those that are not followed only because the page asks for it, which it may
    /// do for all of them.
    fn divide(self, found: PageLinks, all_nofollow: bool) -> (Vec<Url>, Vec<Url>) {
        let all = self.obey_nofollow && (found.robots_nofollow || all_nofollow);
        let (mut follow, mut leave) = (Vec::with_capacity(found.links.len()), Vec::new());
        for link in found.links {
            if link.kind == LinkKind::Inline && !self.iframes {
                continue;
            }
            let to = if all || (self.obey_nofollow && link.nofollow) { &mut leave } else { &mut follow };
            to.push(link.url);
        }
        // A page that moves on after a while is read, and leads on like a link.
        follow.extend(found.refresh.filter(|target| !follow.contains(target)));
        (follow, leave)
    }
}

/// [`Transform`] by `gleaner-transform`.
#[derive(Debug)]
pub(crate) struct TransformAdapter {
    /// A model reads what the options leave to one.
    by_model: bool,
    links: LinkRules,
    /// The product token of the engine.
    agent: String,
    /// Bytes of memory that one page may take.
    memory: usize,
}

impl TransformAdapter {
    pub(crate) fn new(by_model: bool, links: LinkRules, agent: String, memory: usize) -> Self {
        Self { by_model, links, agent, memory }
    }

    /// The options under which a document holds what [`complete`](Self::complete) takes out of it.
    pub(crate) fn reading<'o>(&self, options: &'o ScrapeOptionsPlan) -> Cow<'o, ScrapeOptionsPlan> {
        fields::reading(options, self.by_model)
    }

    /// Completes a page that was read with [`reading`](Self::reading) options.
    pub(crate) fn complete(
        &self,
        read: Result<Page, gleaner_transform::Error>,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        interrupt: &Interrupt,
    ) -> Result<Transformed, PageError> {
        let mut read = read.map_err(told)?;
        let mut text = fields::finish(&mut read.document, &page.url, options, self.by_model, interrupt);
        if interrupt.is_raised() {
            // The fields of its schema were still being read.
            return Err(told(gleaner_transform::ErrorKind::Interrupted.into()));
        }
        if let Some(text) = text.as_mut().filter(|_| self.by_model && options.formats.summary) {
            postpone_summary_warning(&mut read.document, text);
        }
        let all_nofollow = asks_nofollow(page.robots_tag.lines(), &self.agent);
        let (links, nofollow) = self.links.divide(read.links, all_nofollow);
        let pages_converted = read.pages_converted;
        Ok(Transformed { document: read.document, links, nofollow, pages_converted, text })
    }
}

/// The document says of its extractive summary that it is one only if no better one takes its place.
fn postpone_summary_warning(document: &mut Document, text: &mut PageText) {
    document.warning = document.warning.take().and_then(|warning| without(&warning, EXTRACTIVE_SUMMARY));
    text.summary_warning = Some(EXTRACTIVE_SUMMARY);
}

/// A warning without one of its sentences; `None` where nothing is left.
fn without(warning: &str, sentence: &str) -> Option<String> {
    let Some((before, behind)) = warning.split_once(sentence) else { return Some(warning.to_owned()) };
    let parts = [before.trim_end(), behind.trim_start()];
    let left: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    (!left.is_empty()).then(|| left.join(" "))
}

fn told(error: gleaner_transform::Error) -> PageError {
    PageError { code: error.code(), message: error.to_string() }
}

impl Transform for TransformAdapter {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let TransformTask { page, options, interrupt, kept } = task;
        // A request may have thousands of selectors, and its job thousands of pages.
        let own;
        let selection = match kept.get_or_init(|| Selection::of(options)) {
            Some(Ok(selection)) => selection,
            Some(Err(error)) => return Err(told(error.clone())),
            None => {
                own = Selection::of(options).map_err(told)?;
                &own
            }
        };
        // An error in a form that is not read, such as a picture, says what its status says.
        let is_unread = page.status >= 400 && page.body.is_empty();
        let content_type = page.content_type.as_deref().filter(|_| !is_unread);
        let input = Input { url: &page.url, content_type, body: &page.body };
        let reading = self.reading(options);
        let read = transform_within(input, &reading, selection, self.memory, interrupt);
        self.complete(read, page, options, interrupt)
    }

    fn memory(&self, page: &Fetched) -> usize {
        // The places for PDFs bound what those take.
        if is_pdf(&page.body) { 0 } else { page_memory(page.body.len()).min(self.memory) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_leaves_the_others_as_they_are() {
        for (warning, left) in
            [("A. S. B.", Some("A. B.")), ("S.", None), ("A. S.", Some("A.")), ("A.", Some("A."))]
        {
            assert_eq!(without(warning, "S.").as_deref(), left, "{warning}");
        }
    }

    #[test]
    fn the_warning_of_an_extractive_summary_waits_for_a_better_one() {
        let warning = format!("The page is cut. {EXTRACTIVE_SUMMARY}");
        let mut document = Document { warning: Some(warning), ..Document::default() };
        let mut text = PageText::default();
        postpone_summary_warning(&mut document, &mut text);
        assert_eq!(document.warning.as_deref(), Some("The page is cut."));
        assert_eq!(text.summary_warning, Some(EXTRACTIVE_SUMMARY));
    }
}
