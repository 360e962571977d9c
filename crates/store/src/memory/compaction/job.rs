//! The oldest blocks of the tail of one job.

use std::collections::BTreeMap;
use std::time::Duration;

use gleaner_frontier::{QueuedPage, UrlKey};

use crate::journal::{
    Block, BlockWriter, Damage, DepthsWriter, Fact, Keys, KeysWriter, NoteChange, PageListWriter, Part,
    Totals,
};
use crate::note::Notes;

/// A block of waiting pages has about this many bytes.
const QUEUE_BLOCK: usize = 256 << 10;

/// What [`compact`] must know about a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactedJob {
    /// Its rules have a depth limit, so the links of its pages are kept.
    pub has_max_depth: bool,
    /// It has ended, perhaps in a later block: nothing of its queue is needed.
    pub has_ended: bool,
}

/// The blocks that take the place of others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compacted {
    /// The block of [`Part::State`], which replaces the one before.
    pub state: Vec<u8>,
    /// New blocks of other parts, in order.
    pub parts: Vec<(Part, Vec<u8>)>,
    /// The sums of all facts so far.
    pub totals: Totals,
    /// Number of pages that ended.
    pub ended: u64,
    /// Of these, pages in earlier blocks of the queue, from which [`clean`](super::clean) drops them.
    pub left: u64,
    /// Number of pages in the new blocks of the queue.
    pub queued: u64,
    /// The job has ended: its earlier blocks of [`Part::Ended`] and [`Part::Queue`] can be removed.
    pub has_ended: bool,
}

/// Folds the oldest blocks of the tail of a job. `state` is its block of [`Part::State`], if it has one.
///
/// # Errors
/// The damage of the blocks.
pub fn compact<'a, B: AsRef<[u8]>>(
    job: CompactedJob,
    state: Option<&'a [u8]>,
    blocks: &'a [B],
) -> Result<Compacted, Damage> {
    let mut window = Window { has_max_depth: job.has_max_depth, ..Window::default() };
    if let Some(state) = state {
        for fact in Block::open(state)?.facts() {
            window.state.add(&fact?)?;
        }
    }
    for block in blocks {
        for fact in Block::open(block.as_ref())?.facts() {
            window.add(&fact?)?;
        }
    }
    window.finish(job.has_ended, blocks)
}

/// What goes into the block of [`Part::State`].
#[derive(Debug, Default)]
struct JobState<'a> {
    totals: Totals,
    sealed: Option<Duration>,
    is_paused: bool,
    /// The counts of a job if nothing else about it is stored.
    counts: Option<Fact<'a>>,
    /// The position up to which the documents are read.
    read: u64,
    /// The last attempt to deliver an event.
    attempted: Option<Fact<'a>>,
    /// Attempts of pages that wait.
    attempts: BTreeMap<UrlKey, u32>,
    notes: Notes,
    ended: Option<Fact<'a>>,
}

impl<'a> JobState<'a> {
    fn add(&mut self, fact: &Fact<'a>) -> Result<(), Damage> {
        self.totals.add(fact)?;
        match *fact {
            Fact::Sealed { at } => self.sealed = Some(at),
            Fact::Paused { paused } => self.is_paused = paused,
            Fact::Counts { .. } => self.counts = Some(*fact),
            Fact::Read { position } => self.read = self.read.max(position),
            Fact::Attempted { .. } => self.attempted = Some(*fact),
            Fact::Retried { key, attempt } => {
                self.attempts.insert(key, attempt);
            }
            Fact::Ended { key, .. } => {
                self.attempts.remove(&key);
            }
            Fact::Noted { kind, key, change } => {
                let _fits = self.notes.apply(change.note(kind, key)?);
            }
            Fact::JobEnded { .. } => self.ended = Some(*fact),
            _ => {}
        }
        Ok(())
    }

    /// The attempts to deliver the first event that waits.
    fn attempt_of_next(&self) -> Option<&Fact<'a>> {
        let next = self.totals.delivered;
        self.attempted
            .as_ref()
            .filter(|fact| matches!(fact, Fact::Attempted { sequence, .. } if *sequence == next))
    }

    fn block(&self) -> Vec<u8> {
        let mut block = BlockWriter::default();
        block.push(&Fact::Totals { totals: self.totals });
        if let Some(at) = self.sealed {
            block.push(&Fact::Sealed { at });
        }
        if self.is_paused {
            block.push(&Fact::Paused { paused: true });
        }
        if self.read > 0 {
            block.push(&Fact::Read { position: self.read });
        }
        self.counts.iter().chain(self.attempt_of_next()).for_each(|fact| block.push(fact));
        match &self.ended {
            Some(ended) => block.push(ended),
            // An ended job has neither notes nor pages.
            None => {
                for (key, attempt) in &self.attempts {
                    block.push(&Fact::Retried { key: *key, attempt: *attempt });
                }
                for note in self.notes.list() {
                    let change = NoteChange::of(&note.value);
                    block.push(&Fact::Noted { kind: note.kind.to_raw(), key: note.key, change });
                }
            }
        }
        block.finish()
    }
}

/// The blocks that are folded.
#[derive(Debug, Default)]
struct Window<'a> {
    has_max_depth: bool,
    state: JobState<'a>,
    kept: BlockWriter,
    /// In the order of their end, with targets and links.
    ended: Vec<(UrlKey, Option<UrlKey>, Keys<'a>)>,
    /// The last fact of each page that is too deep so far.
    too_deep: BTreeMap<UrlKey, Fact<'a>>,
    /// The smallest known depths, of a job with a depth limit.
    depths: BTreeMap<UrlKey, u32>,
}

impl<'a> Window<'a> {
    /// Learns from a fact all but which of its pages still wait.
    fn add(&mut self, fact: &Fact<'a>) -> Result<(), Damage> {
        match *fact {
            Fact::Failed { .. } | Fact::Warned { .. } => self.kept.push(fact),
            Fact::Blocked { .. } if self.state.totals.lists_refusal() => self.kept.push(fact),
            Fact::Delivered { sequence, given_up: Some(reason), at, kind: Some(kind) }
                if self.state.totals.is_listed_dead_letter(fact) =>
            {
                let attempts = match self.state.attempt_of_next() {
                    Some(Fact::Attempted { attempt, .. }) => *attempt,
                    _ => 0,
                };
                let at = at.unwrap_or_default();
                self.kept.push(&Fact::GivenUp { sequence, kind, attempts, reason, at });
            }
            Fact::Admitted { pages, .. } if self.has_max_depth => {
                for page in pages.pages() {
                    let page = page?;
                    self.too_deep.remove(&page.key);
                    self.lower(page.key, page.depth);
                }
            }
            Fact::TooDeep { key, .. } => {
                self.too_deep.insert(key, *fact);
            }
            Fact::Depths { depths } => {
                for item in depths {
                    let (key, depth) = item?;
                    self.lower(key, depth);
                }
            }
            Fact::Ended { key, target, links, .. } => {
                if let Some(target) = target {
                    self.too_deep.remove(&target);
                }
                self.ended.push((key, target, links));
            }
            Fact::KeyUsed { .. }
            | Fact::Intended { .. }
            | Fact::Withdrawn { .. }
            | Fact::Settled { .. }
            | Fact::Logged { .. }
            | Fact::KeysExpired { .. }
            | Fact::Totals { .. }
            | Fact::Done { .. }
            | Fact::Visited { .. }
            | Fact::Linked { .. }
            | Fact::GivenUp { .. } => return Err(Damage::Invalid),
            _ => {}
        }
        self.state.add(fact)
    }

    /// A depth only ever becomes smaller.
    fn lower(&mut self, key: UrlKey, depth: u32) {
        self.depths.entry(key).and_modify(|known| *known = depth.min(*known)).or_insert(depth);
    }

    fn finish<B: AsRef<[u8]>>(mut self, has_ended: bool, blocks: &[B]) -> Result<Compacted, Damage> {
        let has_ended = has_ended || self.state.ended.is_some();
        let mut keys: Vec<UrlKey> = self.ended.iter().map(|(key, ..)| *key).collect();
        keys.sort_unstable();
        let mut queue = QueueBlocks::default();
        let (mut pending, mut left) = (BlockWriter::default(), keys.len() as u64);
        for block in blocks {
            for fact in Block::open(block.as_ref())?.facts() {
                match fact? {
                    Fact::Admitted { pages, .. } if !has_ended => {
                        for page in pages.pages() {
                            let page = page?;
                            if keys.binary_search(&page.key).is_ok() {
                                left = left.saturating_sub(1);
                            } else {
                                let depth = self.depths.remove(&page.key).unwrap_or(page.depth);
                                queue.push(&QueuedPage { depth, ..page });
                            }
                        }
                    }
                    fact @ Fact::Event { sequence, .. } if sequence >= self.state.totals.delivered => {
                        pending.push(&fact);
                    }
                    _ => {}
                }
            }
        }
        let mut compacted = Compacted {
            state: self.state.block(),
            totals: self.state.totals,
            has_ended,
            ..Compacted::default()
        };
        compacted.add(Part::Kept, &mut self.kept);
        compacted.add(Part::Pending, &mut pending);
        if !has_ended {
            (compacted.ended, compacted.left, compacted.queued) = (keys.len() as u64, left, queue.count);
            compacted.add(Part::Ended, &mut self.ended_pages(&keys));
            self.too_deep.values().for_each(|page| queue.push_fact(page));
            compacted.parts.extend(queue.finish().into_iter().map(|block| (Part::Queue, block)));
        }
        Ok(compacted)
    }

    /// The pages that have ended.
    fn ended_pages(&self, keys: &[UrlKey]) -> BlockWriter {
        let (mut block, mut list) = (BlockWriter::default(), KeysWriter::default());
        if self.has_max_depth {
            for (key, target, links) in &self.ended {
                block.push(&Fact::Linked { key: *key, target: *target, links: *links });
            }
            // Those of new pages that wait are in the queue.
            let mut depths = DepthsWriter::default();
            self.depths.iter().for_each(|(key, depth)| depths.push(*key, *depth));
            if !self.depths.is_empty() {
                block.push(&Fact::Depths { depths: depths.finish() });
            }
            return block;
        }
        keys.iter().for_each(|key| list.push(*key));
        if !keys.is_empty() {
            block.push(&Fact::Done { keys: list.finish() });
        }
        let mut targets: Vec<UrlKey> = self.ended.iter().filter_map(|(_, target, _)| *target).collect();
        targets.sort_unstable();
        targets.dedup();
        list.clear();
        targets.iter().for_each(|target| list.push(*target));
        if !targets.is_empty() {
            block.push(&Fact::Visited { keys: list.finish() });
        }
        block
    }
}

impl Compacted {
    fn add(&mut self, part: Part, block: &mut BlockWriter) {
        if !block.is_empty() {
            self.parts.push((part, block.finish()));
        }
    }
}

/// Blocks of [`Part::Queue`].
#[derive(Debug, Default)]
struct QueueBlocks {
    blocks: Vec<Vec<u8>>,
    block: BlockWriter,
    pages: PageListWriter,
    count: u64,
}

impl QueueBlocks {
    fn push(&mut self, page: &QueuedPage<'_>) {
        self.pages.push(page);
        self.count += 1;
        if self.pages.len() >= QUEUE_BLOCK {
            self.end_pages();
            self.end_block();
        }
    }

    /// Adds a fact after the last page.
    fn push_fact(&mut self, fact: &Fact<'_>) {
        self.end_pages();
        self.block.push(fact);
        if self.block.len() >= QUEUE_BLOCK {
            self.end_block();
        }
    }

    fn end_pages(&mut self) {
        if !self.pages.is_empty() {
            self.block.push(&Fact::Admitted { by: None, pages: self.pages.finish() });
            self.pages.clear();
        }
    }

    fn end_block(&mut self) {
        if !self.block.is_empty() {
            self.blocks.push(self.block.finish());
        }
    }

    fn finish(mut self) -> Vec<Vec<u8>> {
        self.end_pages();
        self.end_block();
        self.blocks
    }
}
