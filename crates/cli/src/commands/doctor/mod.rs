//! What is installed and works, with a remedy for what does not.
//!
//! A file for each kind of check. All checks run at once, and each has a limit of time.

mod chromium;
mod database;
mod descriptors;
mod disk;
mod dns;
mod finding;
mod fonts;
mod pages;
mod pdf;
mod proxies;
mod sandbox;
mod system;

use std::pin::Pin;
use std::time::Duration;

use serde_json::json;

use self::finding::Finding;
use self::pages::Pages;
use crate::args::DoctorArgs;
use crate::browser::Browser;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Printer;

/// Upper bound on the time of a check.
const MAX_CHECK: Duration = Duration::from_secs(10);

/// The same for the browser, which a machine under load may start slowly.
const MAX_BROWSER: Duration = Duration::from_secs(20);

/// A check that runs.
type Check<'a> = Pin<Box<dyn Future<Output = Vec<Finding>> + 'a>>;

pub(super) async fn run(args: &DoctorArgs) -> Result<u8, Failure> {
    let (browser, unusable) = match Browser::open(&args.browser) {
        Ok(browser) => (browser, None),
        Err(Failure::Usage(lines)) => (Browser::default(), Some(lines.join("; "))),
        Err(failure) => return Err(failure),
    };
    let mut interrupt = Interrupt::listen(&browser);
    let pages = Pages::start(&browser).await?;
    let checks = findings(args, &browser, unusable.as_deref(), &pages);
    let findings = tokio::select! {
        findings = checks => Some(findings),
        () = interrupt.pressed() => None,
    };
    browser.close().await;
    let findings = findings.ok_or(Failure::Interrupted)?;
    let is_broken = findings.iter().any(Finding::is_broken);
    let mut printer = Printer::stdout();
    if args.json {
        printer.json(&json!({ "ok": !is_broken, "checks": findings }))?;
    } else {
        for finding in &findings {
            printer.text(&finding.lines())?;
        }
    }
    Ok(if is_broken { exit::FAILED } else { exit::DONE })
}

/// What all checks found, in a fixed order.
async fn findings(
    args: &DoctorArgs,
    browser: &Browser,
    unusable: Option<&str>,
    pages: &Pages,
) -> Vec<Finding> {
    let (browser, fonts, pdf, database, disk, dns, descriptors) = tokio::join!(
        within(MAX_BROWSER, chromium::late(), Box::pin(chromium::check(args, browser, unusable, pages))),
        within(MAX_CHECK, fonts::late(), Box::pin(fonts::check())),
        within(MAX_CHECK, pdf::late(), Box::pin(pdf::check(pages))),
        within(MAX_CHECK, database::late(), Box::pin(database::check(args.database.as_ref()))),
        within(MAX_CHECK, disk::late(), Box::pin(disk::check())),
        within(MAX_CHECK, dns::late(&args.host), Box::pin(dns::check(&args.host))),
        within(MAX_CHECK, descriptors::late(), Box::pin(descriptors::check())),
    );
    [browser, fonts, pdf, database, disk, dns, proxies::check(), descriptors].concat()
}

/// What a check found, or `late` if it takes longer.
async fn within(limit: Duration, late: Finding, check: Check<'_>) -> Vec<Finding> {
    tokio::time::timeout(limit, check).await.unwrap_or_else(|_| vec![late])
}
