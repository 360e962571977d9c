//! The batches of one commit.

use gleaner_store::journal::{Batch, Row};

/// A group with this many batches or bytes does not wait for more.
const ENOUGH_BATCHES: usize = 64;
const ENOUGH_BYTES: usize = 1 << 20;

/// A group takes what waits already up to these bounds.
const MAX_BATCHES: usize = 1024;
const MAX_BYTES: usize = 4 << 20;

/// Bytes that a batch takes, whatever it contains.
const OVERHEAD: usize = 64;

/// Batches to commit together, in their order.
#[derive(Debug)]
pub(crate) struct Group {
    batches: Vec<Batch>,
    /// Each ticket with the number of batches up to its last one.
    tickets: Vec<(u64, usize)>,
    bytes: usize,
    is_urgent: bool,
}

/// About the bytes that a batch adds to the file.
fn weight(batch: &Batch) -> usize {
    let documents: usize = batch.documents.iter().map(|document| document.json.len() + OVERHEAD).sum();
    let rows: usize = batch.rows.iter().map(row_weight).sum();
    OVERHEAD + batch.facts.len() + documents + rows
}

fn row_weight(row: &Row) -> usize {
    let content = match row {
        Row::History(history) => history.key.url.len() + history.scrape.markdown.len(),
        Row::Scrape(scrape) => scrape.json.len(),
        _ => 0,
    };
    OVERHEAD + content
}

impl Group {
    pub(crate) fn new(ticket: u64, batches: Vec<Batch>) -> Self {
        let mut group = Self { batches: Vec::new(), tickets: Vec::new(), bytes: 0, is_urgent: false };
        group.push(ticket, batches);
        group
    }

    /// Adds the batches of a ticket.
    pub(crate) fn push(&mut self, ticket: u64, batches: Vec<Batch>) {
        self.bytes += batches.iter().map(weight).sum::<usize>();
        self.is_urgent |= batches.iter().any(|batch| batch.urgent);
        self.batches.extend(batches);
        self.tickets.push((ticket, self.batches.len()));
    }

    /// Takes out the later half of the tickets, which may not fit where the others do. Empty for one ticket.
    pub(crate) fn split(&mut self) -> Vec<(u64, Vec<Batch>)> {
        let mut later = Vec::new();
        while later.len() < self.tickets.len()
            && let [.., (_, start), (ticket, _)] = self.tickets[..]
        {
            later.push((ticket, self.batches.split_off(start)));
            self.tickets.pop();
        }
        self.bytes = self.batches.iter().map(weight).sum();
        later.reverse();
        later
    }

    /// True if it does not wait for more batches.
    pub(crate) const fn is_ready(&self) -> bool {
        self.is_urgent || self.batches.len() >= ENOUGH_BATCHES || self.bytes >= ENOUGH_BYTES
    }

    /// True if it takes no more batches.
    pub(crate) const fn is_full(&self) -> bool {
        self.batches.len() >= MAX_BATCHES || self.bytes >= MAX_BYTES
    }

    pub(crate) fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// The last ticket.
    pub(crate) fn through(&self) -> u64 {
        self.tickets.last().map_or(0, |(ticket, _)| *ticket)
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(bytes: usize, urgent: bool) -> Batch {
        let mut batch = Batch::default();
        (batch.facts, batch.urgent) = (vec![0; bytes], urgent);
        batch
    }

    #[test]
    fn an_urgent_batch_ends_the_waiting() {
        let mut group = Group::new(5, vec![batch(10, false)]);
        assert!(!group.is_ready());
        group.push(6, vec![batch(10, true)]);
        assert!(group.is_ready() && !group.is_full());
        assert_eq!((group.through(), group.batches().len(), group.bytes()), (6, 2, 2 * (10 + OVERHEAD)));
    }

    #[test]
    fn the_later_half_can_be_taken_out() {
        let mut group = Group::new(1, vec![batch(1, false), batch(2, false)]);
        for ticket in 2..=5 {
            group.push(ticket, vec![batch(10, true)]);
        }
        let tickets =
            |later: &[(u64, Vec<Batch>)]| later.iter().map(|(ticket, _)| *ticket).collect::<Vec<_>>();
        assert_eq!(tickets(&group.split()), [3, 4, 5]);
        assert_eq!((group.through(), group.batches().len(), group.bytes()), (2, 3, 3 * OVERHEAD + 13));
        assert_eq!((tickets(&group.split()), group.through()), (vec![2], 1));
        assert!(group.split().is_empty() && group.batches().len() == 2, "one ticket is not split");
    }

    #[test]
    fn size_ends_the_waiting_and_then_the_group() {
        let mut group = Group::new(1, vec![batch(ENOUGH_BYTES, false)]);
        assert!(group.is_ready() && !group.is_full());
        group.push(2, vec![batch(MAX_BYTES, false)]);
        assert!(group.is_full());
        let mut group = Group::new(1, vec![batch(0, false)]);
        for ticket in 2..=MAX_BATCHES as u64 {
            assert!(!group.is_full());
            assert_eq!(group.is_ready(), ticket > ENOUGH_BATCHES as u64);
            group.push(ticket, vec![batch(0, false)]);
        }
        assert!(group.is_full());
    }
}
