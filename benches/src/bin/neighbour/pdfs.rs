//! Scrapes of a good PDF while hostile ones are scraped.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gleaner::pdf::PdfWorker;
use gleaner::service::{SubmitContext, Team, TeamId};
use gleaner::{Engine, ScrapeRequest};
use gleaner_benches::engine::loopback;
use gleaner_testkit::pdf::{hostile_pdfs, lines, pages};
use gleaner_testkit::{HostilePage, PageServer, Size};
use tokio::task::JoinSet;

use crate::measured::{MeasuredTeam, measure_during};
use crate::{ALONE_TIME, Failure, summary};

/// The argument with which the engine starts this program to convert one PDF.
pub(super) const WORKER: &str = "pdf-worker";
/// The measured team starts a scrape this often.
const INTERVAL: Duration = Duration::from_millis(200);
/// URLs of the good PDF.
const URLS: usize = 20;
/// Pages and lines of a page of the good PDF.
const PAGES: usize = 20;
const LINES: usize = 40;
/// The p99 that is aimed at.
const AIM: Duration = Duration::from_secs(2);

/// Measures the latency alone, and with all hostile files at once for this long.
pub(super) async fn run(time: Duration) -> Result<(), Failure> {
    let worker = PdfWorker::new(std::env::current_exe()?).arg(WORKER);
    let engine = loopback().pdf_worker(worker).build()?;
    let good = good_site()?;
    let urls: Vec<String> = (0..URLS).map(|at| format!("{}/{at}.pdf", good.base_url())).collect();
    let measured = Arc::new(MeasuredTeam::new(&engine, &urls, INTERVAL)?);
    let hostile = hostile_sites()?;

    // A first second opens connections, fills caches and starts threads.
    measure_during(&measured, tokio::time::sleep(Duration::from_secs(1))).await?;
    println!("the measured team scrapes a PDF of {PAGES} pages every {} ms", INTERVAL.as_millis());
    let ((), alone) = measure_during(&measured, tokio::time::sleep(ALONE_TIME)).await?;
    println!("alone                  {alone}");
    let (results, latencies) = measure_during(&measured, scrape_all(&engine, &hostile, time)).await?;
    println!("during hostile PDFs    {latencies}, {}", latencies.compared_with(&alone));
    println!("    {} files at once for {} s: {}", hostile.len(), time.as_secs(), summary(&results?));
    let met = if latencies.quantile(990) < AIM { "met" } else { "missed" };
    println!("    aim: p99 below {} s: {met}", AIM.as_secs());
    Ok(())
}

/// Each URL has the same file.
fn good_site() -> Result<PageServer, Failure> {
    let text: Vec<String> = (0..LINES)
        .map(|line| format!("Line {line} tells of ferries, mills and orchards in the valley of the river."))
        .collect();
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    let file = pages(&vec![lines(&text); PAGES], &[], "");
    let page = |at: usize| HostilePage::new(format!("/{at}.pdf"), "application/pdf", file.clone());
    Ok(PageServer::start_on(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 3)), (0..URLS).map(page).collect())?)
}

/// One site for each hostile file. Each has its own address, because hosts at one address share a limit.
fn hostile_sites() -> Result<Vec<PageServer>, Failure> {
    let site = |(number, (_, make)): (u8, (&str, MakePdf))| -> Result<PageServer, Failure> {
        let page = HostilePage::new("/a.pdf", "application/pdf", make(Size::Full));
        Ok(PageServer::start_on(IpAddr::V4(Ipv4Addr::new(127, 0, 1, number)), vec![page])?)
    };
    (1..).zip(hostile_pdfs()).map(site).collect()
}

/// Scrapes every hostile file again and again, all at once, and counts the results.
async fn scrape_all(
    engine: &Engine,
    sites: &[PageServer],
    time: Duration,
) -> Result<BTreeMap<String, usize>, Failure> {
    let (began, mut scrapes) = (Instant::now(), JoinSet::new());
    for site in sites {
        let mut request = ScrapeRequest::new(format!("{}/a.pdf", site.base_url()));
        request.options.max_age = Some(0);
        let (plan, engine, team) = (request.check()?, engine.clone(), Team::new(TeamId::new("hostile")));
        scrapes.spawn(async move {
            let mut results: BTreeMap<String, usize> = BTreeMap::new();
            while began.elapsed() < time {
                let outcome = engine.service().scrape(&team, plan.clone(), SubmitContext::default()).await;
                let result = match outcome {
                    Ok(_) => "document".to_owned(),
                    Err(error) => format!("{} {}", error.http_status(), error.code()),
                };
                *results.entry(result).or_default() += 1;
            }
            results
        });
    }
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(results) = scrapes.join_next().await {
        for (result, count) in results? {
            *all.entry(result).or_default() += count;
        }
    }
    Ok(all)
}
