//! The pace of hosts, which goes on with the host to another process.

use gleaner_frontier::HostPace;

use super::Local;

impl Local {
    /// The pace of the hosts whose pace has changed since it was stored, in the order of their ids.
    pub(crate) fn pace_changes(&mut self) -> Vec<(i32, HostPace)> {
        let mut changes = Vec::new();
        for id in std::mem::take(&mut self.paced) {
            let Some(host) = self.hosts.get_mut(&id) else { continue };
            let pace = self.frontier.pace(&host.name);
            // The time of the next request is stored when the host is given back. The end of the term of
            // a dead worker adds the gap and a grace.
            let before = HostPace { ready_at: pace.ready_at, ..host.stored };
            let is_late = pace.ready_at.saturating_sub(host.stored.ready_at) > pace.gap;
            if pace != before || (is_late && pace.ready_at > self.now) {
                host.stored = pace;
                changes.push((id, pace));
            }
        }
        changes
    }

    /// The commit of these changes failed.
    pub(crate) fn pace_unsaved(&mut self, changes: Vec<(i32, HostPace)>) {
        for (id, _) in changes {
            if let Some(host) = self.hosts.get_mut(&id) {
                host.stored = HostPace::default();
                self.paced.insert(id);
            }
        }
    }
}
