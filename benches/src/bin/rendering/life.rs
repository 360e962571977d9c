//! What a browser leaves behind, and what follows the end of its processes.

use std::fs::{Permissions, set_permissions};
use std::future::pending;
use std::io::{BufRead as _, BufReader};
use std::num::NonZero;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use gleaner_testkit::{HostilePage, KilledOnDrop, PageServer, ProcessGroup, scattered, zombies_of};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{sleep, timeout};
use url::Url;

use crate::Failure;
use crate::figures::{count, figure, milliseconds, title};
use crate::pages::{PageKind, pages};
use crate::renderer::{Renderer, builder};

/// The argument with which this program is a host that is killed.
pub(crate) const HOST: &str = "host";

/// Pages that are open at once.
const LANES: NonZero<usize> = NonZero::<usize>::MIN.saturating_add(2);

/// A dropped render is dropped before this many milliseconds.
const LATEST_DROP: u64 = 400;

/// What is left is counted this long after the last drop.
const AFTER_DROPS: Duration = Duration::from_secs(2);

/// The memory is read each time after this many pages.
const SAMPLE_PAGES: usize = 250;

/// Samples of the first part and of the last part, which are compared: those of a thousand pages.
const COMPARED_SAMPLES: usize = 4;

/// What is left of a killed program is counted after this time.
const AFTER_KILL: Duration = Duration::from_secs(1);

/// Programs and browsers that are killed.
const KILLS: usize = 5;

/// A page stays open for this long, unless it is dropped or its browser ends.
const LONG: Duration = Duration::from_secs(20);

/// A request that the page sends when its scripts run.
const MARK: &str = "/mark";

pub(crate) async fn measure(renders: usize, pages: usize) -> Result<(), Failure> {
    dropped_renders(renders).await?;
    many_pages(pages).await?;
    killed_programs().await?;
    killed_browsers().await
}

fn renderer() -> Result<Renderer, Failure> {
    Renderer::new(builder().max_pages(LANES))
}

/// A page whose scripts go on.
fn running_page() -> Result<(PageServer, Url), Failure> {
    let page = format!("<p>text</p><script>fetch('{MARK}'); setInterval(() => {{}}, 10)</script>");
    let pages = vec![HostilePage::html("/", page), HostilePage::new(MARK, "text/plain", "seen")];
    let server = PageServer::start(pages)?;
    let url = server.base_url().parse()?;
    Ok((server, url))
}

async fn dropped_renders(renders: usize) -> Result<(), Failure> {
    title(&format!("{renders} renders that are dropped at random moments, {LANES} at once"));
    let (renderer, (_server, url)) = (renderer()?, running_page()?);
    renderer.render(&url, Duration::ZERO).await?;
    let next = AtomicUsize::new(0);
    let lane = async || {
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= renders {
                break;
            }
            // The same moments in every run.
            let moment = Duration::from_millis(scattered(number as u64, LATEST_DROP));
            let _ = timeout(moment, renderer.render(&url, LONG)).await;
        }
    };
    join_all((0..LANES.get()).map(|_| lane())).await;
    sleep(AFTER_DROPS).await;
    let stats = renderer.browser.stats().await;
    let held = renderer.browser.inventory().await.ok_or("the browser does not answer")?;
    figure("contexts left after 2 s", held.contexts, "0");
    figure("targets left after 2 s", held.targets, "0");
    figure("open pages left after 2 s", stats.open_pages, "0");
    figure("crashed browsers", stats.crashed, "0");
    renderer.browser.close().await;
    Ok(())
}

async fn many_pages(most: usize) -> Result<(), Failure> {
    title(&format!("{most} pages, {LANES} at once; memory of the browser's processes as Pss"));
    let (renderer, server) = (renderer()?, PageServer::start(pages())?);
    let base = Url::parse(&server.base_url())?;
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut samples = Vec::new();
    let mut rendering = Duration::ZERO;
    for end in (SAMPLE_PAGES..=most).step_by(SAMPLE_PAGES) {
        let lane = async || {
            loop {
                let number = next.fetch_add(1, Relaxed);
                if number >= end {
                    break;
                }
                // One page in ten is built by scripts.
                let kind = if number % 10 == 9 { PageKind::Quiet } else { PageKind::Static };
                let mut url = base.clone();
                url.set_path(&kind.path(number));
                let html = renderer.render(&url, Duration::ZERO).await;
                let is_complete = html.is_ok_and(|html| html.contains(kind.text()));
                failed.fetch_add(usize::from(!is_complete), Relaxed);
            }
        };
        let began = Instant::now();
        join_all((0..LANES.get()).map(|_| lane())).await;
        rendering += began.elapsed();
        next.store(end, Relaxed);
        renderer.idle().await;
        let memory = renderer.group().await?.memory_kib();
        println!("  after {end:>5} pages: {:>6} MiB", memory >> 10);
        samples.push(memory);
    }
    let compared = COMPARED_SAMPLES.min(samples.len() / 2);
    let mean = |samples: &[u64]| samples.iter().sum::<u64>() / (samples.len().max(1) as u64);
    let first = mean(samples.get(..compared).unwrap_or_default());
    let last = mean(samples.get(samples.len() - compared..).unwrap_or_default());
    let drift = (to_f64(last) / to_f64(first.max(1)) - 1.0) * 100.0;
    let stats = renderer.browser.stats().await;
    let rate = count(samples.len() * SAMPLE_PAGES) / rendering.as_secs_f64().max(1e-9);
    figure("memory, first thousand pages to last thousand", format!("{drift:+.1} %"), "at most +10 %");
    figure("zombies", zombies_of(std::process::id()), "0");
    figure("incomplete or failed pages", failed.into_inner(), "0");
    figure("crashed browsers", stats.crashed, "0");
    figure("browsers that were replaced after their last page", stats.recycled, "one for each 500 pages");
    figure("pages per second", format!("{rate:.1}"), "none; see `speed`");
    renderer.browser.close().await;
    figure("zombies after the end", zombies_of(std::process::id()), "0");
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "memory that is only reported")]
fn to_f64(kib: u64) -> f64 {
    kib as f64
}

async fn killed_programs() -> Result<(), Failure> {
    title(&format!("{KILLS} programs that are killed while {LANES} pages are open"));
    let (mut before, mut left) = (0, 0);
    for _ in 0..KILLS {
        // A killed program cannot remove its profile folder.
        let folder = tempfile::tempdir()?;
        // The user of the browser must be able to enter it.
        set_permissions(folder.path(), Permissions::from_mode(0o711))?;
        let mut command = Command::new(std::env::current_exe()?);
        let child = command.arg(HOST).arg(folder.path()).stdout(Stdio::piped()).spawn()?;
        // It also ends with this program.
        let mut host = KilledOnDrop(child);
        let mut line = String::new();
        BufReader::new(host.0.stdout.take().ok_or("the program has no output")?).read_line(&mut line)?;
        let group = ProcessGroup::new(line.trim().parse()?);
        before += group.running().len();
        host.0.kill()?;
        host.0.wait()?;
        sleep(AFTER_KILL).await;
        left += group.running().len();
    }
    figure(&format!("processes left after 1 s, of {before}"), left, "0");
    Ok(())
}

/// The program that is killed: opens pages, and prints the id of its browser.
pub(crate) async fn host(folder: PathBuf) -> Result<(), Failure> {
    let renderer = Renderer::new(builder().max_pages(LANES).profile_folder(folder))?;
    let (server, url) = running_page()?;
    let report = async {
        marked(&server, LANES.get()).await;
        println!("{}", renderer.browser.stats().await.process_id.unwrap_or_default());
        pending::<()>().await;
    };
    tokio::select! {
        _ = join_all((0..LANES.get()).map(|_| renderer.render(&url, LONG))) => {}
        () = report => {}
    }
    Err("nobody killed this program".into())
}

/// Waits until the scripts of this many pages have run.
async fn marked(server: &PageServer, pages: usize) {
    while server.requests(MARK) < pages {
        sleep(Duration::from_millis(5)).await;
    }
}

async fn killed_browsers() -> Result<(), Failure> {
    title(&format!("{KILLS} browsers that are killed while {LANES} pages are open"));
    let (renderer, (server, url)) = (renderer()?, running_page()?);
    let (mut retryable, mut left) = (0, 0);
    let mut slowest = Duration::ZERO;
    for kill in 0..KILLS {
        let open = join_all((0..LANES.get()).map(|_| renderer.render(&url, LONG)));
        let killing = async {
            // The pages that are rendered after a kill send it too.
            marked(&server, LANES.get() * (kill + 1) + kill).await;
            let process = renderer.browser.stats().await.process_id.ok_or("no browser runs")?;
            let id = Pid::from_raw(process.cast_signed()).ok_or("no browser runs")?;
            kill_process(id, Signal::KILL)?;
            Ok::<_, Failure>(ProcessGroup::new(process))
        };
        let (outcomes, group) = tokio::join!(open, killing);
        retryable +=
            outcomes.iter().filter(|outcome| matches!(outcome, Err(error) if error.is_retryable())).count();
        let began = Instant::now();
        renderer.render(&url, Duration::ZERO).await?;
        slowest = slowest.max(began.elapsed());
        sleep(AFTER_KILL).await;
        left += group?.running().len();
    }
    let all = KILLS * LANES.get();
    figure(&format!("pages that end with an error for a retry, of {all}"), retryable, &all.to_string());
    figure("processes left of killed browsers after 1 s", left, "0");
    figure(
        "greatest time of the next page, with the start of its browser",
        format!("{:.0} ms", milliseconds(slowest)),
        "none",
    );
    let stats = renderer.browser.stats().await;
    figure("crashed browsers that were replaced", stats.crashed, &KILLS.to_string());
    figure("zombies", zombies_of(std::process::id()), "0");
    renderer.browser.close().await;
    Ok(())
}
