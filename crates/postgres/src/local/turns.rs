//! Work that one task does for all that ask for it.

use std::time::Duration;

use tokio::sync::watch;

/// Requests to a task that works in turns. A turn serves all requests before its start.
#[derive(Debug)]
pub(crate) struct Turns {
    requested: watch::Sender<u64>,
    done: watch::Sender<u64>,
}

impl Turns {
    pub(crate) fn new() -> Self {
        Self { requested: watch::Sender::new(0), done: watch::Sender::new(0) }
    }

    /// Asks for a turn. Returns its number.
    pub(crate) fn request(&self) -> u64 {
        let mut number = 0;
        self.requested.send_modify(|requested| {
            *requested += 1;
            number = *requested;
        });
        number
    }

    /// Waits until a turn is over, at most for this time.
    pub(crate) async fn wait(&self, number: u64, max: Duration) {
        let mut done = self.done.subscribe();
        let over = done.wait_for(|done| *done >= number);
        // If it takes longer, the caller goes on with what is there.
        drop(tokio::time::timeout(max, over).await);
    }

    /// Waits until a turn is requested, at most for this time. Returns the number of the last request.
    pub(crate) async fn next(&self, max: Duration) -> u64 {
        let done = *self.done.borrow();
        let mut requested = self.requested.subscribe();
        let asked = requested.wait_for(|requested| *requested > done);
        // The result holds a read lock. A second one would deadlock with a request between both.
        drop(tokio::time::timeout(max, asked).await);
        *self.requested.borrow()
    }

    /// Ends a turn, which [`next`](Self::next) began.
    pub(crate) fn finish(&self, number: u64) {
        self.done.send_modify(|done| *done = (*done).max(number));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn a_turn_serves_the_requests_before_it() {
        let turns = Turns::new();
        let long = Duration::from_secs(3_600);
        let (first, second) = (turns.request(), turns.request());
        assert_eq!(turns.next(long).await, second);
        let third = turns.request();
        turns.finish(second);
        turns.wait(first, long).await;
        turns.wait(second, long).await;
        assert_eq!(turns.next(long).await, third);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn requests_during_the_begin_of_a_turn_do_not_block_it() {
        let turns = Arc::new(Turns::new());
        let last = 100_000;
        let requests = Arc::clone(&turns);
        let requests = tokio::spawn(async move {
            for _ in 0..last {
                requests.request();
            }
        });
        loop {
            let turn = turns.next(Duration::from_secs(3_600)).await;
            turns.finish(turn);
            if turn == last {
                break;
            }
        }
        requests.await.unwrap();
    }
}
