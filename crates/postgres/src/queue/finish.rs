//! Finishing pages: what happens before and after their commit.

use std::time::Duration;

use gleaner_store::{Error, FinishedPage, Receipt};

use super::finished::{GivenUp, PreparedPage};
use crate::inner::Inner;

impl Inner {
    /// Finishes pages of jobs that are in the database.
    pub(crate) async fn finish_many(
        &self,
        pages: Vec<FinishedPage>,
        now: Duration,
    ) -> Result<Vec<Receipt>, Error> {
        let max_attempts = self.config.memory.frontier.max_attempts;
        let mut prepared = Vec::with_capacity(pages.len());
        for page in pages {
            prepared.push(PreparedPage::prepare(page, max_attempts).await?);
        }
        // A page that returns to the queue of this process changes nothing else.
        let mut receipts: Vec<Option<Receipt>> = Vec::with_capacity(prepared.len());
        let mut to_commit = Vec::new();
        for page in prepared {
            if page.returns() && page.notes.is_empty() {
                receipts.push(Some(self.return_page(&page, now)));
            } else {
                receipts.push(None);
                to_commit.push(page);
            }
        }
        if receipts.len() > to_commit.len() {
            self.notify_work();
        }
        let committed = match to_commit.is_empty() {
            true => Vec::new(),
            false => self.committer.commit(to_commit, now).await?,
        };
        let mut committed = committed.into_iter();
        let receipts = receipts.into_iter().map(|receipt| receipt.or_else(|| committed.next()));
        Ok(receipts.map(Option::unwrap_or_default).collect())
    }

    /// Returns a leased page to the queue of this process.
    fn return_page(&self, page: &PreparedPage, now: Duration) -> Receipt {
        let mut receipt = Receipt::default();
        let mut local = self.local();
        receipt.accepted = page.lease().is_some_and(|lease| local.leased(lease).is_some());
        if let Some(page) = page.committed(receipt.accepted.then_some(page.outcome)) {
            local.finished(&page, now);
        }
        receipt
    }

    /// Commits pages whose leases kept expiring as failed. With an error, try it again: nothing else ends
    /// them.
    pub(crate) async fn give_up(&self, pages: Vec<GivenUp>, now: Duration) -> Result<(), Error> {
        if !pages.is_empty() {
            let pages = pages.into_iter().map(PreparedPage::given_up).collect();
            self.committer.commit(pages, now).await?;
        }
        Ok(())
    }
}
