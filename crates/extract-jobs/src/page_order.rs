//! Orders the pages of a cluster, so that each page profits from the pages before it.

use std::collections::HashMap;

use tokio::sync::oneshot;

/// The order of pages within each cluster: each page may wait for the one before it.
///
/// Pages are fetched concurrently. But what the model finds on one page of a template saves calls on the next
/// one, so these are read in order. This also makes a job repeatable: the pages that the model reads do not
/// depend on the order of arrival.
#[derive(Debug, Default)]
pub(super) struct PageOrder {
    last: HashMap<String, oneshot::Receiver<()>>,
}

/// The position of one page in its cluster. Dropping it lets the next page continue.
#[derive(Debug)]
pub(super) struct PageTurn {
    before: Option<oneshot::Receiver<()>>,
    _done: oneshot::Sender<()>,
}

impl PageOrder {
    /// The next turn of a cluster. Turns must be polled in the order in which they were created.
    pub(super) fn next(&mut self, cluster: &str) -> PageTurn {
        let (done, receiver) = oneshot::channel();
        let before = self.last.insert(cluster.to_owned(), receiver);
        PageTurn { before, _done: done }
    }
}

impl PageTurn {
    /// Waits until the previous page is read, or has failed.
    pub(super) async fn wait(&mut self) {
        if let Some(before) = &mut self.before {
            // No value is sent: the channel closes when the previous turn is dropped.
            let _ = before.await;
            self.before = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[test]
    fn pages_of_a_cluster_are_in_order_and_clusters_are_independent() {
        let mut order = PageOrder::default();
        let (mut first, mut second) = (order.next("a"), order.next("a"));
        let mut other = order.next("b");
        assert!(first.wait().now_or_never().is_some());
        assert!(other.wait().now_or_never().is_some());
        assert!(second.wait().now_or_never().is_none());
        drop(first);
        assert!(second.wait().now_or_never().is_some());
    }
}
