//! Crawls over a durable store, in processes that end at any moment.

use std::sync::Arc;

use gleaner_store::journal::Stall;

use super::disk::{DiskFaults, DiskStall};
use super::monitor::Event;
use super::process::{Outside, Process, ProcessFaults};
use super::report::Report;
use super::run::virtual_runtime;
use crate::site::random::Random;

/// Maximum number of processes that end before their work is done.
const MAX_LOSSES: usize = 4;
/// Longest time until another process begins, in milliseconds.
const MAX_DOWNTIME: usize = 60_000;

/// Runs the simulation of a seed over a durable store, in virtual time and on the calling thread. The power
/// fails, processes are killed, and the disk is full or fails for a while.
///
/// # Panics
/// If the tokio runtime cannot be built.
#[must_use]
pub fn simulate_restarts(seed: u64) -> Report {
    let outside = Outside::generate(seed, true);
    let mut random = Random::new(seed, 0x9047);
    let (mut power_losses, mut kills) = (0, 0);
    let losses = 1 + random.below(MAX_LOSSES);
    for number in 0..=losses {
        let faults = process_faults(&mut random, number < losses);
        let is_done = run_process(&outside, number as u64, faults);
        let power_fails = random.below(4) > 0;
        end_process(&outside, power_fails, &mut random);
        (power_losses, kills) = match power_fails {
            true => (power_losses + 1, kills),
            false => (power_losses, kills + 1),
        };
        if is_done {
            break;
        }
    }
    // What was acknowledged at the end is there, too.
    virtual_runtime().block_on(async {
        if let Some(process) = begin(&outside, losses as u64 + 1, DiskFaults::default()) {
            process.check_restart().await;
        }
        outside.setup.context.end_process();
    });

    let mut report = outside.report();
    (report.power_losses, report.kills) = (power_losses, kills);
    report.damaged_ends = outside.disk.cuts();
    report
}

/// What happens to a process.
fn process_faults(random: &mut Random, ends: bool) -> ProcessFaults {
    // Small numbers are as frequent as large ones, because many things happen at the beginning.
    let step = |random: &mut Random| {
        let bits = random.below(11);
        1 + random.below(1 << bits) as u64
    };
    let mut stalls: Vec<DiskStall> = (0..random.below(3))
        .map(|_| {
            let longest = if random.below(4) == 0 { 300_000 } else { 5_000 };
            DiskStall {
                write: step(random).div_ceil(4),
                reason: if random.below(2) == 0 { Stall::Full } else { Stall::Io },
                milliseconds: 1 + random.below(longest) as u64,
            }
        })
        .collect();
    stalls.sort_unstable_by_key(|stall| stall.write);
    let (loss_at, ends_after) = match (ends, random.below(4)) {
        (false, _) => (None, None),
        (true, 0) => (None, Some(step(random) * 50)),
        (true, _) => (Some(step(random)), None),
    };
    ProcessFaults { disk: DiskFaults { loss_at, stalls }, ends_after }
}

/// True if all work is done.
fn run_process(outside: &Arc<Outside>, number: u64, faults: ProcessFaults) -> bool {
    let runtime = virtual_runtime();
    let ProcessFaults { disk, ends_after } = faults;
    let is_done = runtime.block_on(async {
        let is_done = match begin(outside, number, disk) {
            Some(process) => process.run(ends_after).await,
            None => true,
        };
        // The clock of the process is known only here.
        outside.setup.context.end_process();
        is_done
    });
    // Its tasks end with the runtime, wherever they are.
    drop(runtime);
    is_done
}

/// Begins a process, within the tokio runtime of its own.
fn begin(outside: &Arc<Outside>, number: u64, faults: DiskFaults) -> Option<Arc<Process>> {
    let context = &outside.setup.context;
    context.begin_process(context.now());
    Process::open(outside, number, faults)
}

fn end_process(outside: &Outside, power_fails: bool, random: &mut Random) {
    let context = &outside.setup.context;
    context.note(Event::ProcessEnded { power_fails });
    context.lose_open_leases();
    context.monitor().restart(context.now());
    context.pass(1 + random.below(MAX_DOWNTIME) as u64);
    outside.disk.end_process(power_fails, random);
}
