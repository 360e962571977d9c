//! Tickets and held-back batches of the journal in memory.

use std::collections::VecDeque;

use tokio::sync::watch;

use crate::journal::{Batch, Committed};

/// The tickets of a journal, and the batches that are held back.
#[derive(Debug)]
pub(super) struct Commits {
    last_ticket: u64,
    held: VecDeque<(u64, Vec<Batch>)>,
    is_held: bool,
    /// `None` after the end of the journal.
    sender: Option<watch::Sender<Committed>>,
}

impl Commits {
    pub(super) fn new(sender: watch::Sender<Committed>) -> Self {
        Self { last_ticket: 0, held: VecDeque::new(), is_held: false, sender: Some(sender) }
    }

    /// Takes batches. Returns their ticket, after `write` has written them if nothing is held back.
    pub(super) fn append(&mut self, batches: Vec<Batch>, write: impl FnMut(&Batch)) -> u64 {
        self.last_ticket += 1;
        let ticket = self.last_ticket;
        self.held.push_back((ticket, batches));
        if !self.is_held {
            self.write(write);
        }
        ticket
    }

    /// Holds back what comes, and reports this state.
    pub(super) fn hold(&mut self, state: impl FnOnce(&mut Committed)) {
        self.is_held = true;
        if let Some(sender) = &self.sender {
            sender.send_modify(state);
        }
    }

    /// Writes what was held back, and holds back nothing more.
    pub(super) fn resume(&mut self, write: impl FnMut(&Batch)) {
        self.is_held = false;
        self.write(write);
        if let Some(sender) = &self.sender {
            sender.send_modify(|committed| committed.stalled = None);
        }
    }

    /// Writes nothing more, for ever.
    pub(super) fn end(&mut self) {
        self.held.clear();
        self.sender = None;
    }

    fn write(&mut self, mut write: impl FnMut(&Batch)) {
        let Some(sender) = &self.sender else { return self.held.clear() };
        for (ticket, batches) in self.held.drain(..) {
            batches.iter().for_each(&mut write);
            batches.iter().for_each(Batch::committed);
            sender.send_replace(Committed { through: ticket, stalled: None });
        }
    }
}
