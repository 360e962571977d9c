//! Memory of this machine and of processes, as Linux reports it. Other systems report nothing here.

use std::fs;

/// Processes that are looked at. Chromium has a few more than it has pages.
const MAX_PROCESSES: usize = 1_000;

/// The bytes that a process and its descendants have for themselves; `None` if it has ended or this system
/// does not tell. Pages of programs and libraries, which processes share, do not count. Reads a few files for
/// each process.
pub(crate) fn of_tree(process_id: u32) -> Option<u64> {
    let mut waiting = vec![process_id];
    let mut total = None;
    let mut seen = 0;
    while let Some(id) = waiting.pop() {
        seen += 1;
        if seen > MAX_PROCESSES {
            break;
        }
        let Some(bytes) =
            fs::read_to_string(format!("/proc/{id}/statm")).ok().and_then(|text| private(&text))
        else {
            continue;
        };
        *total.get_or_insert(0) += bytes;
        waiting.extend(children(id));
    }
    total
}

/// The processes that a process has started. Each belongs to the thread that started it.
fn children(process_id: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process_id}/task")).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let ids = children
        .flat_map(|ids| ids.split_whitespace().filter_map(|id| id.parse::<u32>().ok()).collect::<Vec<_>>());
    ids.collect()
}

/// Resident memory less shared memory: the second and third number of `statm`, in pages (proc_pid_statm(5)).
fn private(statm: &str) -> Option<u64> {
    let mut numbers = statm.split_whitespace().skip(1).map(str::parse::<u64>);
    let (resident, shared) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(resident.saturating_sub(shared) * page_bytes())
}

fn page_bytes() -> u64 {
    u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX)
}

/// The bytes that new processes may use: what the machine has, or what is left of the limit of its control
/// group (cgroup v2).
pub(crate) fn available() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_in(&text));
    let group = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path = group.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/").to_owned();
    let number = |name: &str| {
        fs::read_to_string(format!("/sys/fs/cgroup{path}/{name}")).ok()?.trim().parse::<u64>().ok()
    };
    // The limit is "max" where there is none.
    let group =
        number("memory.max").zip(number("memory.current")).map(|(max, used)| max.saturating_sub(used));
    machine.into_iter().chain(group).min()
}

/// `MemAvailable` of `/proc/meminfo`, which is in KiB.
fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_system_are_read() {
        assert_eq!(private("25000 3000 1000 5 0 400 0\n"), Some(2_000 * page_bytes()));
        assert_eq!(private("25000\n"), None);
        let meminfo = "MemTotal:       32000 kB\nMemFree:  10 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(available_in(meminfo), Some(2 * 1024 * 1024));
        assert_eq!(available_in("MemTotal: 5 kB"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_memory() {
        assert!(of_tree(std::process::id()).is_some_and(|bytes| bytes > 0));
        assert_eq!(of_tree(u32::MAX), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn children_of_all_threads_count() {
        let thread = std::thread::spawn(|| {
            let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
            let is_seen = children(std::process::id()).contains(&child.id());
            child.kill().unwrap();
            child.wait().unwrap();
            is_seen
        });
        assert!(thread.join().unwrap());
    }
}
