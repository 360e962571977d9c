//! The sandbox of the browser, which needs a user other than root and user namespaces.

use std::fs;

use super::finding::Finding;
use super::system;
use crate::args::BrowserArgs;

const CHECK: &str = "sandbox";

/// Settings of Linux that forbid user namespaces: file, value, and the setting that permits them.
const FORBIDDING: [(&str, &str, &str); 3] = [
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=10000"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
];

/// The finding after the browser was tried; `failure` says why that failed.
pub(super) fn finding(args: &BrowserArgs, failure: Option<&str>) -> Finding {
    if args.browser_without_sandbox {
        return Finding::note(
            CHECK,
            "off, as --browser-without-sandbox says: a page that exploits a fault of the browser has all \
             rights of its user",
            "leave the option out where the system permits user namespaces",
        );
    }
    let Some(failure) = failure else {
        return Finding::ok(
            CHECK,
            match args.browser_user {
                Some((user, _)) => format!("on; the browser runs as the user {user}"),
                None if system::is_root() => {
                    "on; root runs the browser as the user 65534 (nobody)".to_owned()
                }
                None => "on".to_owned(),
            },
        );
    };
    let forbidden = FORBIDDING
        .iter()
        .find(|(file, value, _)| fs::read_to_string(file).is_ok_and(|content| content.trim() == *value));
    match forbidden {
        Some((file, value, permit)) => Finding::broken(
            CHECK,
            format!("the system permits no user namespaces ({file} is {value})"),
            permit,
        ),
        None if failure.contains("sandbox") => Finding::broken(
            CHECK,
            "it does not start: the system or the container permits no user namespaces",
            "in a container, use a seccomp profile that permits them; for pages that you trust, \
             --browser-without-sandbox starts the browser without it",
        ),
        None => Finding::note(CHECK, "it was not tried: the browser does not start", "see the browser"),
    }
}
