//! A disk whose power fails: the journal of a durable store in virtual time.
//!
//! Each call of the store becomes a record with a checksum. A task writes the waiting records, syncs the
//! medium once for all of them, and then reports them. At a loss of power, unsynced sectors are applied, torn
//! or lost in any order ([`Medium`]). Opening keeps the whole records from the beginning, and cuts the rest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use gleaner_store::journal::{Batch, Committed, Journal, Room, Row, Stall, StoredState, VecJournal};
use gleaner_store::{Error, ReadBound};
use tokio::sync::{Notify, Semaphore, watch};

use super::context::Context;
use super::medium::{Medium, SECTOR};
use super::monitor::Event;
use super::record;
use crate::site::random::Random;

/// Bytes that may wait for the disk, for finished pages.
const QUEUE_BYTES: usize = 4 << 10;

/// What happens to the disk within one process.
#[derive(Debug, Clone, Default)]
pub(super) struct DiskFaults {
    /// The power fails at this step of the writer: before or after a write, a sync, or a report.
    pub(super) loss_at: Option<u64>,
    /// Numbers of the writes that fail at first, in order.
    pub(super) stalls: Vec<DiskStall>,
}

/// A write that fails until some time has passed.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiskStall {
    pub(super) write: u64,
    pub(super) reason: Stall,
    pub(super) milliseconds: u64,
}

/// The disk, which outlives the processes.
#[derive(Debug, Default)]
pub(super) struct Disk(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    medium: Medium,
    /// The rows of all records that were ever written.
    rows: Vec<Row>,
    /// How often it was opened.
    openings: u64,
    /// Records on the medium, with those that are not durable.
    records: u64,
    /// Sectors of them.
    sectors: usize,
    /// Records that were reported as durable.
    reported: u64,
    /// Openings that cut something.
    cuts: u64,
}

impl Disk {
    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process ends and the system goes on, or the power fails.
    pub(super) fn end_process(&self, power_fails: bool, random: &mut Random) {
        let mut contents = self.contents();
        match power_fails {
            true => contents.medium.lose_power(random),
            false => contents.medium.end_process(),
        }
    }

    /// How many openings cut a damaged end.
    pub(super) fn cuts(&self) -> u64 {
        self.contents().cuts
    }

    /// Recovers the disk for a new process, whose tokio runtime runs its writer.
    pub(super) fn open(
        self: &Arc<Self>,
        context: &Arc<Context>,
        faults: DiskFaults,
        mut random: Random,
    ) -> (SimulatedDisk, StoredState) {
        let mut contents = self.contents();
        contents.recover(context, &mut random);
        let stored = VecJournal::default();
        let (records, _) = record::whole_records(contents.medium.content());
        for content in records {
            stored.append(record::decode(content, &contents.rows));
        }
        let mut state = stored.stored();
        state.epoch = contents.openings;
        let open = Arc::new(Open {
            disk: Arc::clone(self),
            context: Arc::clone(context),
            stored,
            waiting: Mutex::default(),
            work: Notify::new(),
            room: Arc::new(Semaphore::new(QUEUE_BYTES)),
            committed: Mutex::default(),
            power_loss: Notify::new(),
        });
        tokio::spawn(write(Arc::clone(&open), faults, random));
        (SimulatedDisk(open), state)
    }
}

impl Contents {
    /// Cuts what follows the whole records. The power may fail meanwhile.
    fn recover(&mut self, context: &Context, random: &mut Random) {
        self.openings += 1;
        let length = self.medium.content().len();
        loop {
            let (records, end) = record::whole_records(self.medium.content());
            self.records = records.len() as u64;
            self.sectors = end / SECTOR;
            self.medium.cut(self.sectors);
            if random.below(4) > 0 {
                self.medium.sync();
                break;
            }
            self.medium.lose_power(random);
        }
        self.cuts += u64::from(self.sectors * SECTOR < length);
        if self.records < self.reported {
            let (records, reported) = (self.records, self.reported);
            let what = format!("{reported} records were durable, and {records} are left");
            context.monitor().violate(context.now(), what);
        }
    }

    /// Writes records after the first `records`, which take `sectors`. Returns the new numbers.
    fn write(&mut self, (records, sectors): (u64, usize), group: &[(u64, Vec<Batch>)]) -> (u64, usize) {
        let mut at = (records, sectors);
        for (_, batches) in group {
            let content = record::encode(batches, &mut self.rows);
            let record = record::record(at.0 + 1, &content);
            self.medium.write(at.1, &record);
            at = (at.0 + 1, at.1 + record.len() / SECTOR);
        }
        at
    }
}

/// The journal of one process on the disk.
#[derive(Debug, Clone)]
pub(super) struct SimulatedDisk(Arc<Open>);

#[derive(Debug)]
struct Open {
    disk: Arc<Disk>,
    context: Arc<Context>,
    /// What is durable.
    stored: VecJournal,
    waiting: Mutex<Waiting>,
    work: Notify,
    room: Arc<Semaphore>,
    committed: Mutex<Announced>,
    power_loss: Notify,
}

/// What is durable, for those who wait for it. Each has a channel, and they go on in the order in which they
/// began to wait: tokio would choose the order of those who share a channel.
#[derive(Debug, Default)]
struct Announced {
    committed: Committed,
    waiting: Vec<watch::Sender<Committed>>,
}

impl Announced {
    fn subscribe(&mut self) -> watch::Receiver<Committed> {
        self.waiting.retain(|sender| !sender.is_closed());
        let (sender, receiver) = watch::channel(self.committed);
        self.waiting.push(sender);
        receiver
    }

    fn set(&mut self, committed: Committed) {
        self.committed = committed;
        for sender in &self.waiting {
            sender.send_replace(committed);
        }
    }
}

/// The calls that are not written yet, with their tickets.
#[derive(Debug, Default)]
struct Waiting {
    ticket: u64,
    calls: VecDeque<(u64, Vec<Batch>)>,
}

impl SimulatedDisk {
    /// Waits for the loss of power.
    pub(super) async fn power_loss(&self) {
        self.0.power_loss.notified().await;
    }

    /// Nothing can be written now.
    pub(super) fn is_stalled(&self) -> bool {
        self.0.announced().committed.stalled.is_some()
    }
}

impl Open {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announced(&self) -> MutexGuard<'_, Announced> {
        self.committed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing can be written, for this reason.
    fn stall(&self, reason: Stall) {
        let mut announced = self.announced();
        let committed = announced.committed;
        announced.set(Committed { stalled: Some(reason), ..committed });
    }

    /// The power fails if this is the step for it.
    async fn step(&self, steps: &mut u64, faults: &DiskFaults) {
        *steps += 1;
        if faults.loss_at == Some(*steps) {
            self.power_loss.notify_one();
            std::future::pending::<()>().await;
        }
    }

    /// The calls to write next.
    async fn group(&self, random: &mut Random) -> Vec<(u64, Vec<Batch>)> {
        while self.waiting().calls.is_empty() {
            self.work.notified().await;
        }
        // Others may come meanwhile.
        self.context.sleep(1 + random.below(6) as u64).await;
        self.waiting().calls.drain(..).collect()
    }
}

/// The writer of a process.
async fn write(open: Arc<Open>, faults: DiskFaults, mut random: Random) {
    let Open { disk, context, .. } = &*open;
    let mut stalls = faults.stalls.iter().copied().peekable();
    let (mut steps, mut writes) = (0, 0);
    loop {
        let group = open.group(&mut random).await;
        writes += 1;
        let at = {
            let contents = disk.contents();
            (contents.records, contents.sectors)
        };
        open.step(&mut steps, &faults).await;
        while let Some(stall) = stalls.next_if(|stall| stall.write <= writes) {
            if stall.reason == Stall::Io {
                // Some of it may be written although the sync fails.
                disk.contents().write(at, &group);
            }
            open.stall(stall.reason);
            context.note(Event::DiskStalled);
            context.sleep(stall.milliseconds).await;
            open.step(&mut steps, &faults).await;
        }
        let end = disk.contents().write(at, &group);
        open.step(&mut steps, &faults).await;
        context.sleep(1 + random.below(10) as u64).await;
        open.step(&mut steps, &faults).await;
        {
            let mut contents = disk.contents();
            contents.medium.sync();
            (contents.records, contents.sectors) = end;
        }
        open.step(&mut steps, &faults).await;
        disk.contents().reported = end.0;
        for (through, batches) in group {
            // This frees their room, and notifies those who wait for them.
            open.stored.append(batches);
            open.announced().set(Committed { through, stalled: None });
            // Those who wait for one change go on before those who wait for the next one.
            context.sleep(1).await;
        }
    }
}

impl Journal for SimulatedDisk {
    fn append(&self, batches: Vec<Batch>) -> u64 {
        let mut waiting = self.0.waiting();
        waiting.ticket += 1;
        let ticket = waiting.ticket;
        waiting.calls.push_back((ticket, batches));
        drop(waiting);
        self.0.work.notify_one();
        ticket
    }

    fn committed(&self) -> watch::Receiver<Committed> {
        self.0.announced().subscribe()
    }

    async fn room(&self, bytes: usize) -> Room {
        let bytes = u32::try_from(bytes.min(QUEUE_BYTES)).ok()?;
        Arc::clone(&self.0.room).acquire_many_owned(bytes).await.ok()
    }

    async fn documents(&self, job: u64, from: u64, bound: ReadBound) -> Result<Vec<Bytes>, Error> {
        self.0.stored.documents(job, from, bound).await
    }
}
