//! Operations on jobs: one file each.

mod accounting;
mod activities;
mod adopt;
mod append;
mod cancel;
mod charge;
mod clean;
mod conclude;
mod days;
mod end;
mod expire;
mod fail;
mod grant;
mod intend;
mod keys;
mod load;
mod note;
mod notes;
mod orphans;
mod pause;
mod remove;
mod running;
mod seal;
mod settle;
mod snapshot;
mod stored;
mod submit;
mod teams;
mod trim;
mod warn;

pub(crate) use self::accounting::ListedShortages;
pub(crate) use self::adopt::Adopt;
pub(crate) use self::clean::Cleaning;
pub(crate) use self::days::{KnownDays, day};
pub(crate) use self::end::end_if_done;
pub(crate) use self::notes::{apply_notes, apply_notes_many};
use crate::inner::Inner;
use crate::job_row::JobRow;
use crate::queue::Additions;

impl Inner {
    /// After the commit of a change that may have ended the job, added an event, or left it short of credits.
    pub(crate) fn job_committed(&self, row: &JobRow) {
        self.job_changed(row);
        if !row.is_running() || row.has_events() || row.missing_credits().is_some() {
            self.notify_maintenance();
        }
    }

    /// After the commit of new pages of a job.
    pub(crate) fn pages_committed(&self, row: &JobRow, additions: Additions) {
        self.caches.committed(additions);
        self.job_committed(row);
        self.wake();
    }
}
