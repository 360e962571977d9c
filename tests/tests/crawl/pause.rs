//! Tests of pausing and resuming a crawl.

use gleaner::JobState;
use gleaner_testkit::{Site, SiteSpec};

use crate::support::{engine, links_only};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_crawl_has_exact_counts_and_resumes_without_refetching() {
    let site =
        Site::generate(SiteSpec { latency: std::time::Duration::from_millis(2), ..SiteSpec::pages(300) });
    let server = site.serve().unwrap();
    let mut job = engine().crawl(links_only(&server)).await.unwrap();
    let mut read = 0_u64;
    for _ in 0..20 {
        job.next().await.unwrap().unwrap();
        read += 1;
    }
    job.pause().await.unwrap();
    // Wait until pages in work have finished. Then every requested page is counted, and robots.txt is not.
    let mut paused = job.status().await.unwrap();
    for _ in 0..400 {
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        let now = job.status().await.unwrap();
        let is_idle = now == paused && now.completed + 1 == server.requests();
        paused = now;
        if is_idle {
            break;
        }
    }
    assert_eq!(paused.state, JobState::Scraping);
    let requests = server.requests();
    assert_eq!(paused.completed + 1, requests, "some requested pages are not counted");
    assert!(paused.completed < 300, "the crawl ended before the pause");
    while read < paused.completed {
        job.next().await.unwrap().unwrap();
        read += 1;
    }
    assert_eq!(server.requests(), requests, "reading a paused crawl does not resume it");

    job.resume().await.unwrap();
    while job.next().await.transpose().unwrap().is_some() {
        read += 1;
    }
    let end = job.status().await.unwrap();
    assert_eq!((read, end.completed, end.total, end.state), (300, 300, 300, JobState::Completed));
    assert_eq!(server.log().duplicates(), Vec::<String>::new(), "no page is fetched twice");
    assert_eq!(job.pause().await.unwrap().state, JobState::Completed, "a job that has ended does not change");
}
