//! Implements the runtime's port for transforming.

use std::borrow::Cow;

use gleaner_frontier::asks_nofollow;
use gleaner_runtime::{Fetched, Transform, TransformTask, Transformed};
use gleaner_transform::{
    DOCUMENT_CHARSET, Input, LinkKind, Page, PageLinks, Selection, SiteMemory, add_computed_styles,
    page_memory, transform_on_site, transform_within,
};
use gleaner_types::media::is_pdf;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{Interrupt, PageError};
use url::Url;

use crate::extract::fields;

/// Which links of a page are followed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LinkRules {
    /// Links that are marked as `nofollow` are not followed.
    pub(crate) obey_nofollow: bool,
    /// Documents of `<iframe>` elements count as links.
    pub(crate) iframes: bool,
}

impl LinkRules {
    /// The links to follow, and the links that are skipped as `nofollow`. `all_nofollow` marks all of them.
    fn divide(self, page: PageLinks, all_nofollow: bool) -> (Vec<Url>, Vec<Url>) {
        let all = self.obey_nofollow && (page.robots_nofollow || all_nofollow);
        let (mut follow, mut skip) = (Vec::with_capacity(page.links.len()), Vec::new());
        for link in page.links {
            if link.kind == LinkKind::Inline && !self.iframes {
                continue;
            }
            let to = if all || (self.obey_nofollow && link.nofollow) { &mut skip } else { &mut follow };
            to.push(link.url);
        }
        // The target of a delayed `Refresh`.
        follow.extend(page.refresh.filter(|target| !follow.contains(target)));
        (follow, skip)
    }
}

/// [`Transform`] by `gleaner-transform`.
#[derive(Debug)]
pub(crate) struct TransformAdapter {
    /// A model extracts fields after the transformation.
    uses_model: bool,
    links: LinkRules,
    /// The product token of the engine.
    agent: String,
    /// Maximum memory of one page, in bytes.
    memory: usize,
    /// What recurs on the pages of a site is left out of crawls and batches.
    site_memory: bool,
}

/// What is kept for a job.
struct Kept {
    /// The selectors, parsed once for all pages.
    selection: Result<Selection, gleaner_transform::Error>,
    /// What recurs on the pages of each site, in jobs with many pages.
    sites: Option<SiteMemory>,
}

impl TransformAdapter {
    pub(crate) fn new(
        uses_model: bool,
        links: LinkRules,
        agent: String,
        memory: usize,
        site_memory: bool,
    ) -> Self {
        Self { uses_model, links, agent, memory, site_memory }
    }

    /// `options` with the formats that [`complete`](Self::complete) needs, for the transformation.
    pub(crate) fn transform_options<'o>(&self, options: &'o ScrapeOptionsPlan) -> Cow<'o, ScrapeOptionsPlan> {
        fields::transform_options(options, self.uses_model)
    }

    /// Completes a page that was transformed with [`transform_options`](Self::transform_options).
    pub(crate) fn complete(
        &self,
        transformed: Result<Page, gleaner_transform::Error>,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        interrupt: &Interrupt,
    ) -> Result<Transformed, PageError> {
        let mut transformed = transformed.map_err(page_error)?;
        let postponed = if self.uses_model { transformed.summary_warning.take() } else { None };
        let (links, pages_converted) = (std::mem::take(&mut transformed.links), transformed.pages_converted);
        let needs_scripts = transformed.needs_scripts;
        let mut document = transformed.into_document();
        let styles = page.rendering.as_ref().and_then(|rendering| rendering.styles.as_ref());
        if let (Some(branding), Some(styles)) = (&mut document.branding, styles) {
            add_computed_styles(branding, styles);
        }
        let mut text = fields::finish(&mut document, &page.url, options, self.uses_model, interrupt);
        if interrupt.is_raised() {
            // The extracted fields are incomplete.
            return Err(page_error(gleaner_transform::ErrorKind::Interrupted.into()));
        }
        // It applies only if the model gives no summary.
        if let Some(text) = &mut text {
            text.summary_warning = postponed;
        }
        let all_nofollow = asks_nofollow(page.robots_tag.lines(), &self.agent);
        let (links, nofollow) = self.links.divide(links, all_nofollow);
        Ok(Transformed { document, links, nofollow, pages_converted, needs_scripts, text })
    }
}

/// The type of a page, with the encoding of the document that a browser read.
fn content_type(page: &Fetched) -> Option<Cow<'_, str>> {
    let served = page.content_type.as_deref()?;
    let charset = page.rendering.as_ref().and_then(|rendering| rendering.charset.as_deref());
    Some(match charset.filter(|charset| !charset.eq_ignore_ascii_case("utf-8")) {
        Some(charset) => Cow::Owned(format!("{served}; {DOCUMENT_CHARSET}={charset}")),
        None => Cow::Borrowed(served),
    })
}

fn page_error(error: gleaner_transform::Error) -> PageError {
    PageError { code: error.code(), message: error.to_string() }
}

impl Transform for TransformAdapter {
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError> {
        let TransformTask { page, options, interrupt, kept, many_pages } = task;
        let new = || Kept {
            selection: Selection::of(options),
            sites: (self.site_memory && many_pages).then(SiteMemory::default),
        };
        let own;
        let kept = match kept.get_or_init(new) {
            Some(kept) => kept,
            None => {
                own = new();
                &own
            }
        };
        let selection = kept.selection.as_ref().map_err(|error| page_error(error.clone()))?;
        // An error response whose body was not read, such as a picture, becomes an empty document.
        let is_unread = page.status >= 400 && page.body.is_empty();
        let content_type = content_type(page).filter(|_| !is_unread);
        let input = Input::new(&page.url, content_type.as_deref(), &page.body);
        let transform_options = self.transform_options(options);
        let transformed = match kept.sites.as_ref().filter(|_| page.status < 400) {
            Some(sites) => {
                transform_on_site(input, &transform_options, selection, self.memory, interrupt, sites)
            }
            None => transform_within(input, &transform_options, selection, self.memory, interrupt),
        };
        self.complete(transformed, page, options, interrupt)
    }

    fn memory(&self, page: &Fetched) -> usize {
        // The memory of PDFs is limited by the slots for their conversion.
        if is_pdf(page.content_type.as_deref(), &page.body) {
            0
        } else {
            page_memory(page.body.len()).min(self.memory)
        }
    }
}
