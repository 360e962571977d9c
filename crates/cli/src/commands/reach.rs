//! Whether the options of the network allow the target of a job that goes on.

use gleaner::plan::Target;
use gleaner::render::FetchErrorKind;
use gleaner::{EgressPolicy, FetcherBuilder};

use crate::args::EngineArgs;
use crate::failure::Failure;
use crate::hint;
use crate::job_command::JobLabel;
use crate::printable::printable_target;

/// Checks the target of a job before an engine goes on with it. Without the `--allow-private` of its start, all
/// pages that wait would fail for good.
///
/// # Errors
/// Wrong usage: the address is private, and the arguments do not allow it.
pub(super) async fn check(target: &str, args: &EngineArgs) -> Result<(), Failure> {
    // An extract without URLs has no target.
    let Ok(Target { url, .. }) = Target::parse(target) else { return Ok(()) };
    let ranges = args.allow_private.iter();
    let policy = ranges.fold(EgressPolicy::public_only(), |policy, range| policy.allow_cidr(*range));
    let fetcher = FetcherBuilder::default().egress(policy).build().map_err(Failure::failed)?;
    match fetcher.check_resolved(&url).await {
        Err(error) if error.kind() == FetchErrorKind::Blocked => {
            let why = hint::for_refused(&url, &args.allow_private)
                .unwrap_or_else(|| "private addresses are refused; add the ranges of its start".to_owned());
            Err(Failure::usage(format!(
                "--allow-private: the pages of {} that wait would fail: {why}",
                printable_target(target)
            )))
        }
        _ => Ok(()),
    }
}

/// Checks that the arguments have the ranges of `--allow-private` with which a job was started. The target of
/// a job does not tell all: a list has other hosts, and links lead to others.
///
/// # Errors
/// Wrong usage: a range is missing.
pub(super) fn check_ranges(label: &JobLabel, args: &EngineArgs) -> Result<(), Failure> {
    let Some(range) = label.lacking(&args.allow_private) else { return Ok(()) };
    Err(Failure::usage(format!(
        "--allow-private: the job was started with {range}, and its pages there that wait would fail; add \
         --allow-private {range}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowing_loopback() -> EngineArgs {
        let mut args = EngineArgs::default();
        args.allow_private.push("127.0.0.0/8".parse().unwrap());
        args
    }

    #[tokio::test]
    async fn only_targets_that_the_policy_forbids_are_refused() {
        for (target, args, refused) in [
            ("http://127.0.0.1:8080/", EngineArgs::default(), Some("--allow-private 127.0.0.0/8")),
            ("127.0.0.1:8080/shop/*", EngineArgs::default(), Some("--allow-private 127.0.0.0/8")),
            ("http://10.0.0.1/?key=hush", allowing_loopback(), Some("--allow-private 10.0.0.0/8")),
            ("http://127.0.0.1:8080/", allowing_loopback(), None),
            ("http://8.8.8.8/", EngineArgs::default(), None),
            ("", EngineArgs::default(), None),
        ] {
            match (check(target, &args).await, refused) {
                (Ok(()), None) => {}
                (Err(Failure::Usage(lines)), Some(option)) => {
                    let text = lines.join("\n");
                    assert!(text.starts_with("--allow-private: ") && text.ends_with(option), "{text}");
                    assert!(!text.contains("hush"), "{text}");
                }
                (other, _) => panic!("{target}: {other:?}"),
            }
        }
    }
}
