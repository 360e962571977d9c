//! The record of what happened to the pages of jobs, for a store that outlives the process.

use std::ops::Range;

use super::model::JobSlot;
use crate::identity::UrlKey;

/// A page as it is queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuedPage<'a> {
    /// The identity of the page.
    pub key: UrlKey,
    /// Its URL begins with `https`, not with `http`.
    pub https: bool,
    /// The page is on another site: its links are not followed.
    pub external: bool,
    /// The host, with the port if it is not the default of the scheme.
    pub host: &'a str,
    /// The part of the URL after the host: path, query and hash route.
    pub path: &'a str,
    /// Clicks from the start page or a sitemap.
    pub depth: u32,
    /// The order among pages of one depth on one host.
    pub priority: u8,
    /// The distance behind other pages of the host, because the page looks like a crawler trap; 0 for most
    /// pages.
    pub deferral: u8,
}

/// How a page ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageEnd {
    /// It gave a document.
    Document,
    /// It failed, or was given up.
    Failed,
    /// It gave neither.
    Skipped,
}

/// What happened to a page; see [`Frontier::with_changes`](crate::Frontier::with_changes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueChange<'a> {
    /// It waits to be fetched. It was not known before, or was too deep.
    Queued {
        /// The job of the page.
        job: JobSlot,
        /// The page.
        page: QueuedPage<'a>,
    },
    /// It is too deep so far.
    TooDeep {
        /// The job of the page.
        job: JobSlot,
        /// The identity of the page.
        key: UrlKey,
        /// Clicks from the start page.
        depth: u32,
        /// The page is on another site.
        external: bool,
        /// The order among pages of one depth on one host.
        priority: u8,
        /// The URL.
        url: &'a str,
    },
    /// A shorter path to it was found.
    Depth {
        /// The job of the page.
        job: JobSlot,
        /// The identity of the page.
        key: UrlKey,
        /// Clicks from the start page.
        depth: u32,
    },
    /// It redirects to another page, which counts as visited.
    Redirected {
        /// The job of the page.
        job: JobSlot,
        /// The identity of the page.
        key: UrlKey,
        /// The other page.
        target: UrlKey,
    },
    /// It ended.
    Ended {
        /// The job of the page.
        job: JobSlot,
        /// The identity of the page.
        key: UrlKey,
        /// How it ended.
        end: PageEnd,
        /// Its links that may still matter, for a job with a depth limit.
        links: &'a [UrlKey],
    },
    /// It waits for a retry.
    Retried {
        /// The job of the page.
        job: JobSlot,
        /// The identity of the page.
        key: UrlKey,
        /// Number of leases that ended so.
        attempt: u32,
    },
}

/// A [`QueueChange`], whose texts and links are parts of the log.
#[derive(Debug)]
enum Change {
    Queued { job: JobSlot, page: QueuedPage<'static>, host: Range<usize>, path: Range<usize> },
    TooDeep { job: JobSlot, key: UrlKey, depth: u32, external: bool, priority: u8, url: Range<usize> },
    Depth { job: JobSlot, key: UrlKey, depth: u32 },
    Redirected { job: JobSlot, key: UrlKey, target: UrlKey },
    Ended { job: JobSlot, key: UrlKey, end: PageEnd, links: Range<usize> },
    Retried { job: JobSlot, key: UrlKey, attempt: u32 },
}

/// Changes in the order in which they happened.
#[derive(Debug, Default)]
pub(super) struct ChangeLog {
    changes: Vec<Change>,
    texts: String,
    links: Vec<UrlKey>,
}

impl ChangeLog {
    pub(super) fn queued(&mut self, job: JobSlot, page: QueuedPage<'_>) {
        let (host, path) = (self.text(page.host), self.text(page.path));
        let QueuedPage { key, https, external, depth, priority, deferral, .. } = page;
        let page = QueuedPage { key, https, external, host: "", path: "", depth, priority, deferral };
        self.changes.push(Change::Queued { job, page, host, path });
    }

    pub(super) fn too_deep(
        &mut self,
        job: JobSlot,
        key: UrlKey,
        depth: u32,
        (url, external, priority): (&str, bool, u8),
    ) {
        let url = self.text(url);
        self.changes.push(Change::TooDeep { job, key, depth, external, priority, url });
    }

    pub(super) fn depth(&mut self, job: JobSlot, key: UrlKey, depth: u32) {
        self.changes.push(Change::Depth { job, key, depth });
    }

    pub(super) fn redirected(&mut self, job: JobSlot, key: UrlKey, target: UrlKey) {
        self.changes.push(Change::Redirected { job, key, target });
    }

    pub(super) fn ended(
        &mut self,
        job: JobSlot,
        key: UrlKey,
        end: PageEnd,
        links: impl Iterator<Item = UrlKey>,
    ) {
        let start = self.links.len();
        self.links.extend(links);
        self.changes.push(Change::Ended { job, key, end, links: start..self.links.len() });
    }

    pub(super) fn retried(&mut self, job: JobSlot, key: UrlKey, attempt: u32) {
        self.changes.push(Change::Retried { job, key, attempt });
    }

    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.texts.clear();
        self.links.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = QueueChange<'_>> {
        self.changes.iter().map(|change| match change {
            Change::Queued { job, page, host, path } => QueueChange::Queued {
                job: *job,
                page: QueuedPage { host: self.text_at(host), path: self.text_at(path), ..*page },
            },
            Change::TooDeep { job, key, depth, external, priority, url } => QueueChange::TooDeep {
                job: *job,
                key: *key,
                depth: *depth,
                external: *external,
                priority: *priority,
                url: self.text_at(url),
            },
            Change::Depth { job, key, depth } => QueueChange::Depth { job: *job, key: *key, depth: *depth },
            Change::Redirected { job, key, target } => {
                QueueChange::Redirected { job: *job, key: *key, target: *target }
            }
            Change::Ended { job, key, end, links } => QueueChange::Ended {
                job: *job,
                key: *key,
                end: *end,
                links: self.links.get(links.clone()).unwrap_or_default(),
            },
            Change::Retried { job, key, attempt } => {
                QueueChange::Retried { job: *job, key: *key, attempt: *attempt }
            }
        })
    }

    fn text(&mut self, text: &str) -> Range<usize> {
        let start = self.texts.len();
        self.texts.push_str(text);
        start..self.texts.len()
    }

    fn text_at(&self, range: &Range<usize>) -> &str {
        self.texts.get(range.clone()).unwrap_or_default()
    }
}
