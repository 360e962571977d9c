//! The examples that keep pages, over a site on loopback.

use std::fs;

use gleaner_testkit::{Server, Site, SiteSpec};
use tempfile::tempdir;

use super::on_loopback;

#[path = "../../examples/crawl_to_files.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod crawl_to_files;
#[path = "../../examples/own_store.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod own_store;
#[cfg(feature = "sqlite")]
#[path = "../../examples/resume.rs"]
#[expect(dead_code, reason = "`main` of the example")]
mod resume;

fn site() -> Server {
    Site::generate(SiteSpec::pages(20)).serve().unwrap()
}

#[tokio::test]
async fn each_page_becomes_a_file() {
    let (site, folder) = (site(), tempdir().unwrap());
    let pages = folder.path().join("pages");
    crawl_to_files::crawl(&on_loopback().build().unwrap(), &site.url("/"), &pages).await.unwrap();
    let files: Vec<_> = fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 20);
    for file in files {
        assert!(!fs::read_to_string(&file).unwrap().is_empty(), "{}", file.display());
    }
}

#[tokio::test]
async fn a_store_of_ones_own_gets_each_page_once() {
    let (site, folder) = (site(), tempdir().unwrap());
    let (engine, file) = (on_loopback().build().unwrap(), folder.path().join("pages.jsonl"));
    assert_eq!(own_store::crawl(&engine, &site.url("/"), &file).await.unwrap(), 20);
    assert_eq!(own_store::crawl(&engine, &site.url("/"), &file).await.unwrap(), 0);
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 20);
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_crawl_in_a_file_goes_on_in_the_next_run() {
    let (site, folder) = (site(), tempdir().unwrap());
    let file = folder.path().join("crawl.db");
    let engine = on_loopback().store_at(&file).build().unwrap();
    let mut job = resume::begin_or_resume(&engine, &file, &site.url("/")).await.unwrap();
    let id = job.id();
    job.next().await.unwrap().unwrap();
    engine.stop().await;
    drop((job, engine));

    let engine = on_loopback().store_at(&file).build().unwrap();
    let mut job = resume::begin_or_resume(&engine, &file, &site.url("/")).await.unwrap();
    assert_eq!(job.id(), id);
    assert_eq!(job.wait().await.unwrap().documents.len(), 20);
}
