use std::collections::HashMap;

use tokio::sync::oneshot;

/// Puts pages of one cluster in a row: each may wait for the one before it.
///
/// Pages are fetched side by side, but what a model finds on one page of a template spares it the next, so
/// there they take turns. It also makes a job repeatable: which pages a model is asked about does not depend
/// on which came first.
#[derive(Debug, Default)]
pub(super) struct PageOrder {
    last: HashMap<String, oneshot::Receiver<()>>,
}

/// The place of one page in its row. Dropping it lets the next one go on.
#[derive(Debug)]
pub(super) struct PageTurn {
    before: Option<oneshot::Receiver<()>>,
    _done: oneshot::Sender<()>,
}

impl PageOrder {
    /// The next turn of a cluster. Those who hold one must be polled in the order in which they were given
    /// out.
    pub(super) fn next(&mut self, cluster: &str) -> PageTurn {
        let (done, after) = oneshot::channel();
        let before = self.last.insert(cluster.to_owned(), after);
        PageTurn { before, _done: done }
    }
}

impl PageTurn {
    /// Waits until the page before is done, or given up.
    pub(super) async fn come(&mut self) {
        if let Some(before) = &mut self.before {
            // Nothing is ever sent: the sender goes with its turn.
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
    fn turns_come_in_order_and_clusters_do_not_wait_for_each_other() {
        let mut turns = PageOrder::default();
        let (mut first, mut second) = (turns.next("a"), turns.next("a"));
        let mut other = turns.next("b");
        assert!(first.come().now_or_never().is_some());
        assert!(other.come().now_or_never().is_some());
        assert!(second.come().now_or_never().is_none());
        drop(first);
        assert!(second.come().now_or_never().is_some());
    }
}
