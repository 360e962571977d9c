//! A Chromium with its own network, so that its requests, codings, redirects and cookies are its own too. The
//! browser of the engine would ask through the fetcher, which is what is tested here.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use gleaner_testkit::KilledOnDrop;
use serde_json::Value;
use tokio::time::timeout;

use super::shown::Shown;
use super::site::Site;

/// A Chromium that has not reported for this long has failed.
const MAX_SILENCE: Duration = Duration::from_secs(120);

const SWITCHES: &[&str] = &[
    "--headless",
    // It opens only pages of this test, and root may run it only so.
    "--no-sandbox",
    // Without it the headless shell ends at once.
    "--remote-debugging-port=0",
    "--disable-popup-blocking",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-renderer-backgrounding",
    "--no-first-run",
];

/// What Chromium shows of each of these cases.
pub(super) async fn ask(program: &Path, site: &mut Site, numbers: &[usize]) -> BTreeMap<usize, Shown> {
    let profile = tempfile::tempdir().unwrap();
    let list = numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let child = Command::new(program)
        .args(SWITCHES)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("http://{}/driver#{list}", site.address))
        .env("HOME", profile.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let running = KilledOnDrop(child);
    let mut found = BTreeMap::new();
    while found.len() < numbers.len() {
        // It fails if Chromium has stopped.
        let report = timeout(MAX_SILENCE, site.reports.recv()).await.unwrap().unwrap();
        let number = report.get("number").and_then(Value::as_u64).unwrap();
        found.insert(usize::try_from(number).unwrap(), Shown::of_report(&report));
    }
    drop(running);
    found
}
