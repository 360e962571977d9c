//! Whether pages are complete when they are read, and how long that takes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use gleaner_testkit::{App, Apps, HostilePage, PageServer};
use url::Url;

use crate::Failure;
use crate::figures::{count, figure, milliseconds, quantile, title};
use crate::pages::{ASSETS, PageKind, pages};
use crate::renderer::{Renderer, builder};

/// The seed of the applications.
const SEED: u64 = 1;

/// Applications that are open at once.
const LANES: usize = 2;

/// Renders of static pages, and of each page with beacons.
const STATIC_RENDERS: usize = 40;
const BEACON_RENDERS: usize = 10;

/// Ways to send a beacon.
const BEACONS: [(&str, &str); 2] = [
    ("sendBeacon", "navigator.sendBeacon('/beacon', 'here')"),
    ("fetch", "fetch('/beacon', { method: 'POST', body: 'here' })"),
];

pub(crate) async fn measure(number: usize) -> Result<(), Failure> {
    let renderer = Renderer::new(builder())?;
    applications(&renderer, number).await?;
    static_pages(&renderer).await?;
    beacons(&renderer).await?;
    renderer.browser.close().await;
    Ok(())
}

async fn applications(renderer: &Renderer, number: usize) -> Result<(), Failure> {
    title(&format!("{number} generated applications, complete after at most 3 s, {LANES} at once"));
    let apps = Apps::generate(SEED, number);
    let server = apps.serve()?;
    let base = Url::parse(&server.base_url())?;
    let next = AtomicUsize::new(0);
    let lane = async || {
        let mut outcomes = Vec::new();
        while let Some(app) = apps.apps().get(next.fetch_add(1, Relaxed)) {
            let mut url = base.clone();
            url.set_path(&app.path);
            let began = Instant::now();
            let html = renderer.render(&url, Duration::ZERO).await;
            outcomes.push((app, missing(app, html.as_deref().unwrap_or_default()), began.elapsed()));
            if let Err(error) = html {
                println!("  {}: {error}", app.kind);
            }
        }
        outcomes
    };
    let outcomes: Vec<_> = join_all((0..LANES).map(|_| lane())).await.into_iter().flatten().collect();
    let mut incomplete: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (app, missing, _) in outcomes.iter().filter(|(_, missing, _)| *missing > 0) {
        let what = format!("{} lacks {missing} of {}", app.path, app.texts.len());
        incomplete.entry(app.kind).or_default().push(what);
    }
    for (kind, pages) in &incomplete {
        println!("  incomplete: {kind}: {}", pages.join(", "));
    }
    let complete = outcomes.iter().filter(|(_, missing, _)| *missing == 0).count();
    figure("complete applications", format!("{complete} of {number}"), "all");
    let times = || outcomes.iter().map(|(_, _, time)| milliseconds(*time));
    figure("median time of an application, its own delays included", milliseconds_text(times(), 500), "none");
    figure("greatest time of an application", milliseconds_text(times(), 1_000), "none");
    Ok(())
}

/// The number of texts of an application that a page lacks.
fn missing(app: &App, html: &str) -> usize {
    app.texts.iter().filter(|text| !html.contains(text.as_str())).count()
}

fn milliseconds_text(times: impl IntoIterator<Item = f64>, per_mille: usize) -> String {
    format!("{:.0} ms", quantile(times, per_mille))
}

async fn static_pages(renderer: &Renderer) -> Result<(), Failure> {
    title(&format!("{STATIC_RENDERS} static pages: from the last of their files until the page is read"));
    let server = PageServer::start(pages())?;
    let base = Url::parse(&server.base_url())?;
    let (mut times, mut complete) = (Vec::new(), 0);
    for number in 0..STATIC_RENDERS {
        let path = PageKind::Static.path(number);
        let mut url = base.clone();
        url.set_path(&path);
        let html = renderer.render(&url, Duration::ZERO).await?;
        let ended = Instant::now();
        complete += usize::from(html.contains(PageKind::Static.text()));
        let files = ASSETS.iter().map(|(path, ..)| *path).chain([path.as_str()]);
        let loaded =
            files.filter_map(|path| server.last_sent(path)).max().ok_or("the page was not loaded")?;
        times.push(milliseconds(ended - loaded));
    }
    figure("complete pages", complete, &STATIC_RENDERS.to_string());
    figure("median time until it is read", milliseconds_text(times.iter().copied(), 500), "at most 150 ms");
    figure("95 % are read within", milliseconds_text(times.iter().copied(), 950), "none");
    let mean = times.iter().sum::<f64>() / count(times.len()).max(1.0);
    figure("mean time until it is read", format!("{mean:.0} ms"), "none");
    Ok(())
}

async fn beacons(renderer: &Renderer) -> Result<(), Failure> {
    title(&format!("{BEACON_RENDERS} renders of a page that sends a beacon every 200 ms: from its load"));
    for (name, send) in BEACONS {
        let text = "The page is complete when it has loaded. ".repeat(20);
        let page = format!("<!doctype html><p>{text}<script>setInterval(() => {send}, 200)</script>");
        let pages = vec![HostilePage::html("/", page), HostilePage::new("/beacon", "text/plain", "ok")];
        let server = PageServer::start(pages)?;
        let url = Url::parse(&server.base_url())?;
        let mut times = Vec::new();
        for _ in 0..BEACON_RENDERS {
            renderer.render(&url, Duration::ZERO).await?;
            let ended = Instant::now();
            times.push(milliseconds(ended - server.last_sent("/").ok_or("the page was not loaded")?));
        }
        let what = format!("greatest time until it is read, beacons by {name}");
        figure(&what, milliseconds_text(times, 1_000), "at most 2000 ms");
    }
    Ok(())
}
