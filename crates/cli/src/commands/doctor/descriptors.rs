//! The number of files and connections that the command may have open.

use super::finding::Finding;

const CHECK: &str = "open files";

/// With fewer files and connections, a crawl of many hosts may fail.
const ENOUGH: u64 = 1_024;

/// The command raises its limit to the hard one by itself.
const RAISE: &str = "this is the hard limit, which an administrator raises: in limits.conf, or in the settings \
                     of the service or the container";

pub(super) fn late() -> Finding {
    Finding::note(CHECK, "the limit is unknown", RAISE)
}

pub(super) async fn check() -> Vec<Finding> {
    vec![finding(gleaner::raise_open_files())]
}

fn finding(limit: Option<u64>) -> Finding {
    match limit {
        None => Finding::ok(CHECK, "no limit"),
        Some(limit) if limit >= ENOUGH => Finding::ok(CHECK, format!("{limit} at a time")),
        Some(limit) => Finding::note(
            CHECK,
            format!("{limit} at a time are few: each connection of a crawl is one"),
            RAISE,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_open_files_are_a_note() {
        for (limit, line) in
            [(None, "ok "), (Some(1_024), "ok "), (Some(1_023), "note "), (Some(u64::MAX), "ok ")]
        {
            assert!(finding(limit).lines().starts_with(line), "{limit:?}");
        }
    }
}
