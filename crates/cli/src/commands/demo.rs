//! Runs `gleaner demo`: serves and crawls a bundled site, and reports the result.

use std::fmt::{self, Write};
use std::fs;
use std::path::Path;

use gleaner::{CrawlRequest, Engine};
use serde::Deserialize;
use tokio::runtime::Handle;
use url::Url;

use super::engine;
use super::results::Results;
use super::run::Run;
use crate::args::DemoArgs;
use crate::browser::Browser;
use crate::console::Console;
use crate::demo::{MOVED_FROM, MOVED_TO, ONLY_IN_SITEMAP, Server, WRITTEN_BY_SCRIPT};
use crate::failure::Failure;
use crate::file_names::FileNames;
use crate::interrupt::Interrupt;
use crate::output::{Folder, INDEX, Printer, Sink};
use crate::summary::{counted, rate, seconds};

pub(super) async fn run(console: &Console, args: &DemoArgs, browser: &Browser) -> Result<u8, Failure> {
    let mut interrupt = Interrupt::listen(browser);
    let server = Server::start()
        .await
        .map_err(|error| Failure::failed(format!("cannot serve the demo site on 127.0.0.1: {error}")))?;
    let start = Url::parse(server.origin()).map_err(Failure::failed)?;
    let loopback = "127.0.0.0/8".parse().map_err(Failure::failed)?;
    let builder = browser.add_to(Engine::builder().on_runtime(Handle::current()).allow_private(loopback));
    let engine = builder.build().map_err(engine::refused)?;

    let folder = Folder::create(&args.out, FileNames::within(&start)).map_err(engine::unusable_folder)?;
    console.note(format_args!(
        "The demo site, the Larkfield Tea House, is at {start} until this command ends.\nCrawling it ..."
    ));
    let mut job = engine.crawl(CrawlRequest::new(start.as_str())).await.map_err(engine::refused)?;
    let mut results = Results::of(Sink::Folder(folder));
    results.begin()?;
    let run = Run::to_end(console, &mut job, &mut results, &mut interrupt, None).await?;
    if !console.is_quiet() {
        let index = fs::read_to_string(args.out.join(INDEX))?;
        let text = report(&run, &args.out, &index, browser.is_some()).map_err(Failure::failed)?;
        Printer::stdout().text(&text)?;
    }
    Ok(run.exit_code())
}

/// The fields of an index row that the report needs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    url: Url,
    file: String,
    title: Option<String>,
    status_code: Option<u16>,
}

/// A report for first-time users. It only uses the results.
fn report(run: &Run, folder: &Path, index: &str, has_browser: bool) -> Result<String, fmt::Error> {
    let mut pages: Vec<Page> = index.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    pages.sort_by(|one, other| one.file.cmp(&other.file));

    let mut text = String::new();
    writeln!(
        text,
        "\n{} in {} ({:.0} pages/s), as Markdown in {}/\n",
        counted(run.written, "page", "pages"),
        seconds(run.elapsed),
        rate(run.written, run.elapsed),
        folder.display()
    )?;
    let width = pages.iter().map(|page| page.file.len()).max().unwrap_or_default();
    for page in &pages {
        let title = page.title.as_deref().unwrap_or_default().split(" | ").next().unwrap_or_default();
        let status = page.status_code.filter(|status| *status >= 400);
        let status =
            status.map(|status| format!(" (status {status}: a dead link on the site)")).unwrap_or_default();
        writeln!(text, "  {:width$}  {title}{status}", page.file)?;
    }
    writeln!(text, "  {INDEX:width$}  the list of all pages, one JSON object per line\n")?;

    for page in &run.failures.robots_blocked {
        writeln!(text, "  robots.txt forbids {}: it was not fetched.", page.url.path())?;
    }
    for failure in &run.failures.failures {
        writeln!(text, "  {} failed: {}", failure.url.path(), failure.error)?;
    }
    let has = |path: &str| pages.iter().filter(|page| page.url.path() == path).count() == 1;
    if has(MOVED_TO) {
        writeln!(text, "  {MOVED_FROM} has moved to {MOVED_TO}: the page is listed once.")?;
    }
    if has(ONLY_IN_SITEMAP) {
        writeln!(text, "  No page links to {ONLY_IN_SITEMAP}: it was found in the sitemap.")?;
    }
    if let Some(page) = pages.iter().find(|page| page.url.path() == WRITTEN_BY_SCRIPT) {
        let is_rendered =
            fs::read_to_string(folder.join(&page.file)).is_ok_and(|text| !text.trim().is_empty());
        let outcome = match (is_rendered, has_browser) {
            (true, _) => "Chromium rendered it.",
            (false, true) => "Chromium could not render it.",
            (false, false) => "it needs a browser (apt-get install chromium-headless-shell).",
        };
        writeln!(text, "  A script writes {WRITTEN_BY_SCRIPT}: {outcome}")?;
    }

    writeln!(
        text,
        "\nNext, crawl a site of your choice:\n\n  \
         gleaner scrape https://example.com\n  \
         gleaner crawl https://example.com --limit 20 --out pages\n\n\
         (In the source tree: cargo run --release -- scrape https://example.com)"
    )?;
    Ok(text)
}
