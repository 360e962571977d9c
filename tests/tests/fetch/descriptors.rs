//! A process whose connections hold all descriptors that it may have: the pages of its jobs wait, and go on
//! soon after descriptors are released.

use std::fs::File;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use gleaner::{BatchScrapeRequest, Engine, Pages};
use gleaner_testkit::{HostilePage, PageServer};
use gleaner_tests::fakes::links_only;
use gleaner_tests::process::{run_in_process, url_from_parent};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use url::Url;

/// Files that the process may open: half as many as by default on macOS.
const FILES: u64 = 128;
/// Hosts of the batch, with one page each.
const HOSTS: usize = 300;
/// Pages of the crawl, beside its start page.
const PAGES: usize = 20;
/// All descriptors are in use for this time. Each page is tried several times meanwhile.
const HELD: Duration = Duration::from_secs(3);
/// Only broken jobs need all of it.
const PATIENCE: Duration = Duration::from_secs(60);

fn site() -> Vec<HostilePage> {
    let links: String = (0..PAGES).map(|page| format!("<a href=/{page}>{page}</a> ")).collect();
    let page = |page| HostilePage::html(format!("/{page}"), format!("<h1>Page {page}</h1><p>text"));
    (0..PAGES).map(page).chain([HostilePage::html("/", format!("<p>{links}"))]).collect()
}

#[test]
fn pages_wait_for_descriptors_that_other_connections_hold() {
    let all_addresses = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let server = PageServer::start_on(all_addresses, site()).unwrap();
    println!("{}", run_in_process("descriptors::child", &server.base_url()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run in its own process, which opens all files that it may"]
async fn child() {
    let Some(url) = url_from_parent() else { return };
    let port = url.parse::<Url>().unwrap().port().unwrap();
    let present = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(FILES), maximum: present.maximum }).unwrap();
    let loopback = "127.0.0.0/8".parse().unwrap();
    let engine = Engine::builder()
        .allow_private(loopback)
        .pages(Pages::new().near_duplicates(false))
        // One of its own could not start without descriptors.
        .on_runtime(Handle::current())
        .build()
        .unwrap();
    let mut held = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        held.push(file);
    }
    let crawl = engine.crawl(links_only(format!("http://127.0.0.1:{port}/"))).await.unwrap();
    let listed =
        |host: usize| format!("http://127.90.{}.{}:{port}/{}", host / 200, host % 200 + 1, host % PAGES);
    let batch = engine.batch(BatchScrapeRequest::new((0..HOSTS).map(listed))).await.unwrap();
    sleep(HELD).await;
    for job in [&crawl, &batch] {
        let waiting = job.status().await.unwrap();
        assert_eq!((waiting.completed, waiting.failed), (0, 0), "all pages wait");
    }
    drop(held);
    let released = Instant::now();
    for job in [&crawl, &batch] {
        while job.status().await.unwrap().completed == 0 {
            assert!(released.elapsed() < PATIENCE, "a job does not go on");
            sleep(Duration::from_millis(5)).await;
        }
    }
    let seconds = released.elapsed().as_secs_f64();
    for (mut job, pages) in [(crawl, PAGES + 1), (batch, HOSTS)] {
        let end = job.wait().await.unwrap();
        let counts = (end.snapshot.completed, end.snapshot.failed, end.documents.len());
        assert_eq!(counts, (pages as u64, 0, pages), "{:?}", end.failures);
    }
    println!("CHILD {} hosts, 0 pages lost; work goes on after {seconds:.2} s", HOSTS + 1);
}
