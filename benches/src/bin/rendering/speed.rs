//! Pages per second, cold start and memory of a page, beside Playwright in the same rounds.

use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use gleaner_testkit::cpu_seconds_of;
use tokio::time::sleep;
use url::Url;

use crate::Failure;
use crate::figures::{count, figure, median, milliseconds, title};
use crate::pages::{PageKind, PageProcess};
use crate::peer::Peer;
use crate::renderer::{Renderer, builder};

/// Most pages at once.
const MAX_LANES: usize = 3;

/// Pages of a round.
const STATIC_PAGES: usize = 30;
/// Pages of a round for each of those that are open at once.
const QUIET_PAGES: usize = 8;

/// Least pages per second and core in use, where pages are ready at once.
const GOAL_PAGES: u32 = 5;
/// Most milliseconds from the start of a browser until its first page is read.
const GOAL_COLD_START: u32 = 1_000;
/// Most memory of a further page, in MB.
const GOAL_MEMORY: u32 = 40;

/// Open pages when the memory of a page is measured.
const HELD_PAGES: usize = 8;
/// They are kept open for this long at most.
const HOLD: Duration = Duration::from_secs(30);
/// The memory is read this long after the pages were opened.
const SETTLE: Duration = Duration::from_secs(3);

pub(crate) async fn measure(modules: Option<&Path>, rounds: usize) -> Result<(), Failure> {
    let site = PageProcess::start()?;
    let mut peer = start_peer(modules);
    // A replaced process would take its CPU time with it.
    let builder = builder().max_pages(lanes(MAX_LANES)).recycle_after_pages(NonZero::<u64>::MAX);
    let renderer = Renderer::new(builder)?;
    renderer.render(&site.url(PageKind::Static, 0), Duration::ZERO).await?;
    for kind in PageKind::ALL {
        for lanes in 1..=MAX_LANES {
            throughput(&renderer, peer.as_mut(), &site, kind, lanes, rounds).await?;
        }
    }
    renderer.browser.close().await;
    cold_start(peer.as_mut(), &site, rounds).await?;
    memory(peer.as_mut(), &site, rounds).await
}

fn lanes(number: usize) -> NonZero<usize> {
    NonZero::new(number).unwrap_or(NonZero::<usize>::MIN)
}

fn start_peer(modules: Option<&Path>) -> Option<Peer> {
    let Some(modules) = modules else {
        println!("SKIPPED: Playwright, because no folder with playwright-core is named");
        return None;
    };
    match Peer::start(modules) {
        Ok(peer) => {
            println!(
                "Playwright runs the same Chromium, as the same user and with its sandbox. Each page has a \
                 context.\nIts Chromium loads pages itself; that of gleaner asks its guard for each file.\n\
                 It reads static pages when they have loaded, and pages by scripts after 500 ms without a \
                 request (networkidle)."
            );
            Some(peer)
        }
        Err(error) => {
            println!("SKIPPED: Playwright: {error}");
            None
        }
    }
}

/// The figures of one round.
#[derive(Debug, Clone, Copy)]
struct Round {
    pages_per_second: f64,
    /// Pages for each second of CPU time, of the browser and of the program that drives it.
    pages_per_cpu_second: f64,
    complete: usize,
}

impl Round {
    fn new(pages: usize, complete: usize, seconds: f64, cpu_seconds: f64) -> Self {
        let rate = |seconds: f64| count(pages) / seconds.max(1e-9);
        Self { pages_per_second: rate(seconds), pages_per_cpu_second: rate(cpu_seconds), complete }
    }
}

async fn throughput(
    renderer: &Renderer,
    mut peer: Option<&mut Peer>,
    site: &PageProcess,
    kind: PageKind,
    lanes: usize,
    rounds: usize,
) -> Result<(), Failure> {
    let number = if kind == PageKind::Static { STATIC_PAGES } else { QUIET_PAGES * lanes };
    let urls: Vec<Url> = (0..number).map(|number| site.url(kind, number)).collect();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // Each begins every second round.
        for turn in [0_usize, 1] {
            if (round + turn).is_multiple_of(2) {
                ours.push(by_gleaner(renderer, &urls, kind, lanes).await?);
            } else if let Some(peer) = peer.as_deref_mut() {
                theirs.push(by_playwright(peer, &urls, kind, lanes)?);
            }
        }
    }
    title(&format!("{}, {lanes} at once; medians of {rounds} rounds of {number} pages", kind.name()));
    let complete = |rounds: &[Round]| rounds.iter().map(|round| round.complete).sum::<usize>();
    let all = rounds * number;
    let goal =
        if theirs.is_empty() { format!("{all}") } else { format!("{all}; Playwright {}", complete(&theirs)) };
    figure("complete pages", complete(&ours), &goal);
    type Value = fn(&Round) -> f64;
    let goal_of_a_core = (kind == PageKind::Static).then_some(GOAL_PAGES);
    let rows: [(&str, Value, Option<u32>); 2] = [
        ("pages per second", |round| round.pages_per_second, None),
        ("pages per second and core in use", |round| round.pages_per_cpu_second, goal_of_a_core),
    ];
    for (name, value, least) in rows {
        let goal = goal_text("at least", least, theirs.iter().map(value));
        figure(name, format!("{:.2}", median(ours.iter().map(value))), &goal);
    }
    Ok(())
}

/// The text of a goal: a fixed figure if there is one, and the median of Playwright's.
fn goal_text(relation: &str, fixed: Option<u32>, theirs: impl ExactSizeIterator<Item = f64>) -> String {
    let fixed = fixed.map(|number| format!("{number}, and {relation} ")).unwrap_or_default();
    let measured = if theirs.len() == 0 { String::new() } else { format!(" {:.2}", median(theirs)) };
    format!("{relation} {fixed}Playwright's{measured}")
}

async fn by_gleaner(
    renderer: &Renderer,
    urls: &[Url],
    kind: PageKind,
    lanes: usize,
) -> Result<Round, Failure> {
    let group = renderer.group().await?;
    let cpu_seconds = || group.cpu_seconds() + cpu_seconds_of(std::process::id());
    let (cpu_before, began) = (cpu_seconds(), Instant::now());
    let (next, complete) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let lane = async || {
        while let Some(url) = urls.get(next.fetch_add(1, Relaxed)) {
            let html = renderer.render(url, Duration::ZERO).await?;
            complete.fetch_add(usize::from(html.contains(kind.text())), Relaxed);
        }
        Ok::<_, Failure>(())
    };
    for lane in join_all((0..lanes).map(|_| lane())).await {
        lane?;
    }
    // Playwright's pages end when their contexts are closed.
    renderer.idle().await;
    let seconds = began.elapsed().as_secs_f64();
    Ok(Round::new(urls.len(), complete.into_inner(), seconds, cpu_seconds() - cpu_before))
}

fn by_playwright(peer: &mut Peer, urls: &[Url], kind: PageKind, lanes: usize) -> Result<Round, Failure> {
    let until = if kind == PageKind::Static { "load" } else { "networkidle" };
    let cpu_before = peer.group.cpu_seconds();
    let round = peer.render(urls, lanes, until, kind.text())?;
    let cpu_seconds = peer.group.cpu_seconds() - cpu_before + round.cpu_seconds;
    Ok(Round::new(urls.len(), round.complete, round.seconds, cpu_seconds))
}

async fn cold_start(mut peer: Option<&mut Peer>, site: &PageProcess, rounds: usize) -> Result<(), Failure> {
    let url = site.url(PageKind::Static, 1);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let began = Instant::now();
        let renderer = Renderer::new(builder())?;
        renderer.render(&url, Duration::ZERO).await?;
        ours.push(milliseconds(began.elapsed()));
        renderer.browser.close().await;
        if let Some(peer) = peer.as_deref_mut() {
            theirs.push(peer.cold(&url)? * 1_000.0);
        }
    }
    title(&format!("start of a browser until its first static page is read; median of {rounds} rounds"));
    let goal = goal_text("at most", Some(GOAL_COLD_START), theirs.into_iter());
    figure("milliseconds", format!("{:.0}", median(ours)), &goal);
    Ok(())
}

async fn memory(mut peer: Option<&mut Peer>, site: &PageProcess, rounds: usize) -> Result<(), Failure> {
    let urls: Vec<Url> = (0..HELD_PAGES).map(|number| site.url(PageKind::Static, number)).collect();
    let (one, rest) = urls.split_at(1);
    let megabytes_of_page = |first: u64, all: u64| {
        let kib = u32::try_from(all.saturating_sub(first)).unwrap_or(u32::MAX);
        f64::from(kib) * 1_024.0 / 1e6 / count(rest.len())
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let renderer = Renderer::new(builder().max_pages(lanes(HELD_PAGES)))?;
        let first = held_memory(&renderer, one).await?;
        renderer.idle().await;
        ours.push(megabytes_of_page(first, held_memory(&renderer, &urls).await?));
        renderer.browser.close().await;
        if let Some(peer) = peer.as_deref_mut() {
            peer.hold(one)?;
            sleep(SETTLE).await;
            let first = peer.group.memory_kib();
            peer.hold(rest)?;
            sleep(SETTLE).await;
            theirs.push(megabytes_of_page(first, peer.group.memory_kib()));
            peer.release()?;
        }
    }
    title(&format!("memory (Pss) of each further open page, up to {HELD_PAGES}; median of {rounds} rounds"));
    let goal = goal_text("at most", Some(GOAL_MEMORY), theirs.into_iter());
    figure("MB", format!("{:.1}", median(ours)), &goal);
    Ok(())
}

/// The memory of the browser while these pages are open, in KiB.
async fn held_memory(renderer: &Renderer, urls: &[Url]) -> Result<u64, Failure> {
    let read = async {
        sleep(SETTLE).await;
        Ok::<_, Failure>(renderer.group().await?.memory_kib())
    };
    tokio::select! {
        ended = join_all(urls.iter().map(|url| renderer.render(url, HOLD))) => {
            Err(format!("pages did not stay open: {:?}", ended.into_iter().find_map(Result::err)).into())
        }
        memory = read => memory,
    }
}
