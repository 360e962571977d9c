use gleaner::JobState;
use gleaner_testkit::{Site, SiteSpec};

use crate::support::{engine, links_only};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_crawl_rests_with_exact_counts_and_goes_on_where_it_was() {
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
    // Pages in work come to their end: then every page that was asked for is counted, and robots.txt is not.
    let mut rested = job.status().await.unwrap();
    for _ in 0..400 {
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        let now = job.status().await.unwrap();
        let stands_still = now == rested && now.completed + 1 == server.requests();
        rested = now;
        if stands_still {
            break;
        }
    }
    assert_eq!(rested.state, JobState::Scraping);
    let asked = server.requests();
    assert_eq!(rested.completed + 1, asked, "not every page that was asked for is counted");
    assert!(rested.completed < 300, "the crawl was over before it was paused");
    while read < rested.completed {
        job.next().await.unwrap().unwrap();
        read += 1;
    }
    assert_eq!(server.requests(), asked, "reading a paused crawl does not wake it");

    job.resume().await.unwrap();
    while job.next().await.transpose().unwrap().is_some() {
        read += 1;
    }
    let end = job.status().await.unwrap();
    assert_eq!((read, end.completed, end.total, end.state), (300, 300, 300, JobState::Completed));
    assert_eq!(server.log().duplicates(), Vec::<String>::new(), "no page was fetched twice");
    assert_eq!(job.pause().await.unwrap().state, JobState::Completed, "a job that has ended stays as it is");
}
