//! One process over the simulated disk: a store, a runtime, the clients and the maintenance, until all is
//! done or the process ends.

use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::Runtime;
use gleaner_store::journal::Journal as _;
use gleaner_store::{DeliveryOutcome, DueEvent, JobSnapshot, LocalStore, Store, WaitingFor};
use gleaner_types::JobState;
use gleaner_types::event::WebhookPayload;
use gleaner_types::plan::EventKind;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::client::{Client, Habits};
use super::context::Context;
use super::disk::{Disk, DiskFaults, SimulatedDisk};
use super::monitor::{Event, Moment};
use super::outside::{Accounts, Receiver};
use super::real_time::RealTime;
use super::report::Report;
use super::setup::{END, Setup};
use super::store::{EndedPages, FaultyStore};
use crate::site::random::Random;

/// Jobs stay longer than a simulation lasts.
const RETENTION: Duration = Duration::from_secs(30 * 24 * 3_600);
/// Longest time until the maintenance looks again, in milliseconds.
const POLL_INTERVAL: u64 = 15_000;

/// What outlives every process.
#[derive(Debug)]
pub(super) struct Outside {
    pub(super) setup: Setup,
    pub(super) disk: Arc<Disk>,
    pub(super) clients: Vec<Client>,
    pub(super) receiver: Receiver,
    pub(super) accounts: Accounts,
    pub(super) ended_pages: Arc<EndedPages>,
}

impl Outside {
    /// What a seed decides.
    pub(super) fn generate(seed: u64, loses_power: bool) -> Arc<Self> {
        let mut setup = Setup::generate(seed, loses_power);
        setup.config.retention = RETENTION;
        let clients = setup.teams.iter().enumerate();
        let clients = clients
            .map(|(number, team)| Client::new(number, Habits::generate(seed, number, *team)))
            .collect();
        Arc::new(Self {
            setup,
            disk: Arc::default(),
            clients,
            receiver: Default::default(),
            accounts: Default::default(),
            ended_pages: Arc::default(),
        })
    }

    /// The report at the end of the simulation.
    pub(super) fn report(&self) -> Report {
        let mut report = self.setup.report();
        report.documents = self.clients.iter().map(Client::documents).sum();
        report.full_queues = self.clients.iter().filter(|client| client.was_full()).count() as u64;
        report.events = self.receiver.count();
        report
    }
}

/// What happens to a process.
#[derive(Debug, Clone, Default)]
pub(super) struct ProcessFaults {
    pub(super) disk: DiskFaults,
    /// It ends after this many milliseconds.
    pub(super) ends_after: Option<u64>,
}

/// A process.
#[derive(Debug)]
pub(super) struct Process {
    outside: Arc<Outside>,
    number: u64,
    disk: SimulatedDisk,
    store: Arc<FaultyStore>,
    runtime: Arc<Runtime>,
}

impl Process {
    /// Opens the disk. `None` if it cannot be opened.
    pub(super) fn open(outside: &Arc<Outside>, number: u64, faults: DiskFaults) -> Option<Arc<Self>> {
        let setup = &outside.setup;
        let context = &setup.context;
        let random = Random::new(context.seed, (0xd15c << 16) + number);
        let (disk, stored) = outside.disk.open(context, faults, random);
        let store = match LocalStore::open(setup.config.clone(), disk.clone(), stored, setup.now()) {
            Ok(store) => store,
            Err(error) => {
                context.monitor().violate(context.now(), format!("the disk cannot be opened: {error}"));
                return None;
            }
        };
        let store = setup.faulty_store(Arc::new(store), None, &outside.ended_pages);
        let runtime = setup.runtime(Arc::clone(&store));
        Some(Arc::new(Self { outside: Arc::clone(outside), number, disk, store, runtime }))
    }

    /// A process with this store, which works in real time. Nothing is written to the disk.
    pub(super) fn in_real_time(
        outside: &Arc<Outside>,
        store: Arc<dyn Store>,
        real_time: RealTime,
    ) -> Arc<Self> {
        let setup = &outside.setup;
        let random = Random::new(setup.context.seed, 0xd15c << 16);
        let (disk, _) = outside.disk.open(&setup.context, DiskFaults::default(), random);
        let store = setup.faulty_store(store, Some(real_time), &outside.ended_pages);
        let runtime = setup.runtime(Arc::clone(&store));
        Arc::new(Self { outside: Arc::clone(outside), number: 0, disk, store, runtime })
    }

    /// Checks that everything is there that was acknowledged.
    pub(super) async fn check_restart(&self) {
        for client in &self.outside.clients {
            client.check_restart(self).await;
        }
    }

    /// Works until all is done. False if the process ends before.
    pub(super) async fn run(self: Arc<Self>, ends_after: Option<u64>) -> bool {
        let context = self.context();
        tokio::select! {
            biased;
            // It may fail while the process begins.
            () = self.disk.power_loss() => false,
            () = context.sleep(ends_after.unwrap_or(1)), if ends_after.is_some() => false,
            () = self.work() => true,
        }
    }

    /// Checks what an earlier process left, and works until all is done.
    async fn work(self: &Arc<Self>) {
        self.check_restart().await;
        self.runtime.wake();
        let mut tasks = JoinSet::new();
        tasks.spawn(watch_stalls(Arc::clone(self)));
        // In one task: tokio chooses the order of two that wait for the same change.
        let process = Arc::clone(self);
        tasks.spawn(async move {
            tokio::join!(deliver(Arc::clone(&process)), account(Arc::clone(&process)));
        });
        self.finish().await;
    }

    pub(super) fn setup(&self) -> &Setup {
        &self.outside.setup
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.outside.setup.context
    }

    pub(super) fn accounts(&self) -> &Accounts {
        &self.outside.accounts
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn disk(&self) -> &SimulatedDisk {
        &self.disk
    }

    pub(super) fn store(&self) -> &FaultyStore {
        &self.store
    }

    pub(super) fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// The time since the Unix epoch.
    pub(super) fn now(&self) -> Duration {
        self.outside.setup.now()
    }

    fn violate(&self, what: String) {
        self.context().monitor().violate(self.context().now(), what);
    }

    /// Waits for all clients, and then for the last event and the last settlement.
    async fn finish(self: &Arc<Self>) {
        let mut clients = JoinSet::new();
        for index in 0..self.outside.clients.len() {
            let process = Arc::clone(self);
            clients.spawn(async move {
                let client = &process.outside.clients[index];
                if tokio::time::timeout(END, client.run(&process)).await.is_err() {
                    process.violate(format!("job {} did not end", client.number));
                }
            });
        }
        while let Some(ended) = clients.join_next().await {
            if let Err(error) = ended {
                self.violate(format!("a client failed: {error}"));
            }
        }
        if tokio::time::timeout(END, self.maintained()).await.is_err() {
            self.violate("events or accounts wait forever".to_owned());
        }
        self.check_end().await;
    }

    /// Waits until no event and no settlement is left. A stalled store lists only what is durable.
    async fn maintained(&self) {
        loop {
            let next_event = self.store.due(0, self.now()).await.map(|due| due.next);
            let mut is_stalled = self.disk.is_stalled();
            let accounting = self.store.accounting(1).await;
            is_stalled |= self.disk.is_stalled();
            let is_empty = matches!(next_event, Ok(None)) && accounting.is_ok_and(|left| left.is_empty());
            if is_empty && !is_stalled {
                return;
            }
            self.context().sleep(1_000).await;
        }
    }

    /// Checks the events and the credits of all jobs.
    async fn check_end(&self) {
        let Outside { clients, receiver, accounts, .. } = &*self.outside;
        for client in clients {
            let (Some(job), Some(end)) = (client.job(), client.end()) else { continue };
            if client.has_webhook() {
                let (bodies, given_up) = receiver.events(job);
                self.check_events(&end, &bodies);
                let listed = self.store.dead_letters(job).await.map_or(0, |list| list.len() as u64);
                if !(given_up.0..=given_up.1).contains(&listed) {
                    self.violate(format!("{given_up:?} events of job {job} were given up, and not {listed}"));
                }
            }
            if client.has_team() && accounts.settled(job) != Some(end.credits_used) {
                let (used, settled) = (end.credits_used, accounts.settled(job));
                self.violate(format!("job {job} has used {used} credits, and {settled:?} are settled"));
            }
        }
        let reserved = accounts.reserved();
        if !reserved.is_empty() {
            self.violate(format!("credits of {reserved:?} stay reserved"));
        }
    }

    fn check_events(&self, end: &JobSnapshot, bodies: &[Vec<u8>]) {
        let events: Vec<WebhookPayload> =
            bodies.iter().map(|body| serde_json::from_slice(body).expect("a payload")).collect();
        let kinds: Vec<EventKind> = events.iter().map(|event| event.kind.event).collect();
        let last = match end.state {
            JobState::Cancelled => EventKind::Cancelled,
            _ => EventKind::Completed,
        };
        let frame_is_right = kinds.first() == Some(&EventKind::Started) && kinds.last() == Some(&last);
        let pages = || events.iter().filter(|event| event.kind.event == EventKind::Page);
        let counts =
            (pages().filter(|page| page.success).count(), pages().filter(|page| !page.success).count());
        let expected = (end.completed as usize, end.failed as usize);
        if !frame_is_right || counts != expected || kinds.len() != 2 + expected.0 + expected.1 {
            self.violate(format!("the events of {end:?} are {kinds:?}"));
        }
    }
}

/// Delivers the events of all jobs.
async fn deliver(process: Arc<Process>) {
    let (store, context) = (&process.store, process.context());
    let mut random = Random::new(context.seed, (0x0e71 << 16) + process.number);
    let mut maintenance = store.maintenance();
    loop {
        maintenance.borrow_and_update();
        let due = match store.due(4, process.now()).await {
            Ok(due) => due,
            Err(error) => return process.violate(format!("no events: {error}")),
        };
        let next = due.next.map(|next| next.saturating_sub(process.now()).as_millis() as u64);
        for event in due.events {
            deliver_event(&process, &mut random, event).await;
        }
        wait(context, &mut maintenance, next.unwrap_or(u64::MAX)).await;
    }
}

async fn deliver_event(process: &Process, random: &mut Random, event: DueEvent) {
    let (store, context, receiver) = (&process.store, process.context(), &process.outside.receiver);
    let id = event.id;
    let body = match store.event_body(id).await {
        Ok(Some(body)) => body,
        // Its job was removed.
        Ok(None) => return,
        Err(error) => return process.violate(format!("{id:?} cannot be read: {error}")),
    };
    context.sleep(1 + random.below(150) as u64).await;
    receiver.receive(context, id, body);
    if let Some(job) = context.number_of(id.job) {
        context.note(Event::Delivered { job, sequence: id.sequence });
    }
    // The receiver has it, and its answer may get lost.
    context.sleep(1 + random.below(50) as u64).await;
    let (outcome, gave_up) = match random.below(20) {
        0 => (DeliveryOutcome::GivenUp { reason: "no answer".to_owned(), tried: true }, true),
        1..4 => (DeliveryOutcome::Retry { not_before: process.now() + Duration::from_secs(2) }, false),
        _ => (DeliveryOutcome::Delivered, false),
    };
    let ends = !matches!(outcome, DeliveryOutcome::Retry { .. });
    if gave_up {
        receiver.give_up(id);
    }
    match store.delivered(id, outcome, process.now()).await {
        Ok(()) if ends => receiver.finish(id, gave_up),
        Ok(()) => {}
        Err(error) => process.violate(format!("a delivery cannot be reported: {error}")),
    }
}

/// Grants credits, settles ended jobs, and returns the credits of jobs that were never submitted.
async fn account(process: Arc<Process>) {
    let (store, context, accounts) = (&process.store, process.context(), &process.outside.accounts);
    let mut random = Random::new(context.seed, (0xacc0 << 16) + process.number);
    let mut maintenance = store.maintenance();
    loop {
        maintenance.borrow_and_update();
        let accounting = match store.accounting(8).await {
            Ok(accounting) => accounting,
            Err(error) => return process.violate(format!("no accounts: {error}")),
        };
        if accounting.is_empty() {
            wait(context, &mut maintenance, POLL_INTERVAL).await;
        }
        for short in accounting.short {
            let granted = accounts.reserve(context, short.job, short.operation, short.credits + 4);
            pause(context, &mut random).await;
            let _ = store.grant(short.job, granted, process.now()).await;
        }
        for ended in accounting.ended {
            let (job, credits) = (ended.snapshot.id, ended.snapshot.credits_used);
            accounts.settle(context, job, credits);
            if let Some(job) = context.number_of(job) {
                context.note(Event::Settled { job, credits });
            }
            pause(context, &mut random).await;
            let _ = store.settled(job).await;
        }
        for reservation in accounting.unsubmitted {
            accounts.settle(context, reservation.job, 0);
            pause(context, &mut random).await;
            let _ = store.withdrawn(reservation.operation).await;
        }
    }
}

/// The accounts provider takes its time.
async fn pause(context: &Context, random: &mut Random) {
    context.sleep(1 + random.below(40) as u64).await;
}

/// Checks that all running jobs say why they wait while the disk is stalled.
async fn watch_stalls(process: Arc<Process>) {
    let (store, disk) = (&process.store, &process.disk);
    let mut committed = disk.committed();
    loop {
        let is_closed = committed.wait_for(|committed| committed.stalled.is_some()).await.is_err();
        for job in process.outside.clients.iter().filter_map(Client::job) {
            match store.snapshot(job).await {
                // If it is stalled now, it was so when the state was read.
                Ok(snapshot)
                    if disk.is_stalled()
                        && snapshot.ended_at.is_none()
                        && snapshot.waiting_for != Some(WaitingFor::Disk) =>
                {
                    process.violate(format!("the disk is stalled, and the job is {snapshot:?}"));
                }
                Ok(_) => {}
                Err(error) => process.violate(format!("job {job} has no state: {error}")),
            }
        }
        if is_closed || committed.wait_for(|committed| committed.stalled.is_none()).await.is_err() {
            return;
        }
    }
}

/// Waits for a change, at most this many milliseconds.
async fn wait(context: &Context, changes: &mut watch::Receiver<u64>, milliseconds: Moment) {
    tokio::select! {
        biased;
        _changed = changes.changed() => {}
        () = context.sleep(milliseconds.min(1 << 40)), if milliseconds < u64::MAX => {}
    }
}
