//! What happens to the processes of a crawl.

use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use gleaner_testkit::{CutProxy, KilledOnDrop, PgServer};
use rustix::process::{Pid, Signal, kill_process};

use super::child::{TERM, agent, spawn};
use super::sites::Sites;

/// A process that was stopped for longer than its term.
#[derive(Debug, Clone)]
pub(crate) struct Resumed {
    pub(crate) agent: String,
    /// When it went on.
    pub(crate) at: Duration,
}

/// The processes of a crawl. None ends by itself.
pub(crate) struct Processes {
    folder: PathBuf,
    running: Vec<(u64, KilledOnDrop)>,
    next: u64,
    /// A stopped process, and when it goes on.
    stopped: Option<(u64, Duration)>,
    pub(crate) resumed: Vec<Resumed>,
    pub(crate) kills: u64,
    /// Times at which a process lost its term because the server was away.
    pub(crate) lost_terms: u64,
}

impl Processes {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            running: Vec::new(),
            next: 0,
            stopped: None,
            resumed: Vec::new(),
            kills: 0,
            lost_terms: 0,
        }
    }

    pub(crate) fn spawn(&mut self) {
        self.running.push((self.next, KilledOnDrop(spawn(&self.folder, self.next))));
        self.next += 1;
    }

    /// Panics if a process has ended by itself.
    pub(crate) fn check(&mut self) {
        for (number, process) in &mut self.running {
            if let Some(status) = process.0.try_wait().unwrap() {
                let errors = std::fs::read_to_string(self.folder.join(agent(*number)));
                panic!("process {number} ended with {status}: {}", errors.unwrap_or_default());
            }
        }
    }

    /// Kills the process at this index, and starts another.
    fn kill(&mut self, index: usize) {
        let (number, process) = self.running.remove(index);
        println!("  kills process {number}");
        drop(process);
        self.stopped.take_if(|(stopped, _)| *stopped == number);
        self.kills += 1;
        self.spawn();
    }

    /// Stops the process at this index for longer than its term, unless another one is stopped.
    fn stop(&mut self, index: usize, now: Duration) {
        let (number, process) = &self.running[index];
        if self.stopped.is_none() {
            println!("  stops process {number}");
            signal(&process.0, Signal::STOP);
            self.stopped = Some((*number, now + TERM + TERM / 2));
        }
    }

    /// Lets the stopped process go on when it is time.
    pub(crate) fn resume(&mut self, now: Duration) {
        let Some((number, _)) = self.stopped.take_if(|(_, until)| *until <= now) else { return };
        if let Some((_, process)) = self.running.iter().find(|(running, _)| *running == number) {
            println!("  process {number} goes on");
            self.resumed.push(Resumed { agent: agent(number), at: now });
            signal(&process.0, Signal::CONT);
        }
    }

    /// Does one of the disturbances, as the number says.
    pub(crate) fn disturb(&mut self, number: u64, server: &PgServer, proxy: &CutProxy, sites: &Sites) {
        let index = usize::try_from(number / 8).unwrap() % self.running.len();
        match number % 8 {
            0..3 => self.kill(index),
            3..5 => self.stop(index, sites.now()),
            5..7 => {
                println!("  cuts all connections");
                proxy.cut_all();
            }
            _ => {
                println!("  kills the server and starts it again");
                server.kill();
                server.restart();
                // The restart may take longer than a term.
                self.lost_terms += self.running.len() as u64;
            }
        }
    }

    /// Ends all processes in an orderly way.
    pub(crate) fn end(&mut self, now: Duration) {
        if let Some((_, until)) = &mut self.stopped {
            *until = now;
        }
        self.resume(now);
        self.check();
        for (number, mut process) in self.running.drain(..) {
            drop(process.0.stdin.take());
            let status = process.0.wait().unwrap();
            let errors = std::fs::read_to_string(self.folder.join(agent(number))).unwrap_or_default();
            assert!(status.success(), "process {number} ended with {status}: {errors}");
        }
    }
}

fn signal(process: &Child, signal: Signal) {
    kill_process(Pid::from_child(process), signal).unwrap();
}
