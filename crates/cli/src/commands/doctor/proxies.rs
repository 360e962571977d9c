//! Proxies that the environment names, which the command does not use by itself.

use std::env;

use super::finding::Finding;

const CHECK: &str = "proxies";

/// The variables that other programs read.
const VARIABLES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

#[expect(clippy::disallowed_methods, reason = "it names the variables and uses none")]
pub(super) fn check() -> Vec<Finding> {
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    vec![finding(&VARIABLES.into_iter().filter(is_set).collect::<Vec<_>>())]
}

fn finding(set: &[&str]) -> Finding {
    match set {
        [] => Finding::ok(CHECK, "no variable of the environment names a proxy"),
        [first, ..] => Finding::note(
            CHECK,
            format!("the environment has {}, which gleaner does not read", set.join(", ")),
            &format!("to use it, add --proxy-url \"${first}\""),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_names_the_first_variable() {
        assert!(finding(&[]).lines().starts_with("ok "));
        let lines = finding(&["https_proxy", "all_proxy"]).lines();
        assert!(lines.starts_with("note ") && lines.contains("https_proxy, all_proxy"), "{lines}");
        assert!(lines.contains("--proxy-url \"$https_proxy\""), "{lines}");
    }
}
