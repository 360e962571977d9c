//! Changes of a job at one store, which another store works on.

use gleaner_store::{Admission, NewJob, Store as _, WorkerId};
use gleaner_types::JobState;

use super::graph::Graph;
use super::work::{Workers, documents, finished, job};
use super::world::{World, eventually, now};

#[tokio::test]
async fn a_cancel_reaches_the_store_that_works_on_the_job() {
    let Some(world) = World::start() else { return };
    let [first, second] = world.stores("cancels").await;
    let graph = Graph::unlinked(20, 4);
    let submitted = job(1, u64::MAX, graph.all());
    let id = submitted.id;
    first.submit(submitted, now()).await.unwrap();
    let worker = WorkerId::random();
    let mut leased = eventually("pages are leased", async || {
        let pages = second.lease(worker, 3, now()).await.unwrap().pages;
        (!pages.is_empty()).then_some(pages)
    })
    .await;
    let mut progress = second.progress(id).await.unwrap();
    progress.mark_unchanged();
    let late = leased.pop().unwrap();
    let snapshot = first.cancel(id, now()).await.unwrap();
    assert_eq!(snapshot.state, JobState::Cancelled);
    eventually("the watcher is notified", async || progress.has_changed().unwrap().then_some(())).await;
    eventually("the worker learns that it has lost the page", async || {
        let lost = second.renew(worker, now()).await.unwrap().lost;
        lost.contains(&late.lease).then_some(())
    })
    .await;
    assert!(second.lease(worker, 10, now()).await.unwrap().pages.is_empty());
    assert!(!second.finish(finished(late, &graph), now()).await.unwrap().accepted);
    assert_eq!(second.snapshot(id).await.unwrap().completed, 0);
}

#[tokio::test]
async fn a_paused_job_is_leased_by_no_store() {
    let Some(world) = World::start() else { return };
    let [first, second] = world.stores("pauses").await;
    let graph = Graph::unlinked(20, 4);
    let submitted = job(1, u64::MAX, graph.all());
    let id = submitted.id;
    first.submit(submitted, now()).await.unwrap();
    let mut workers = Workers::new([&first, &second], 1);
    while workers.accepted < 4 {
        workers.lease().await;
        workers.finish(&graph).await;
    }
    first.pause(id, true).await.unwrap();
    let worker = WorkerId::random();
    eventually("the other store leases no more pages", async || {
        let leases = second.lease(worker, 1, now()).await.unwrap();
        let is_paused = second.snapshot(id).await.unwrap().waiting_for.is_some();
        (leases.pages.is_empty() && is_paused).then_some(())
    })
    .await;
    second.release(worker, now()).await.unwrap();
    second.pause(id, false).await.unwrap();
    let end = workers.run(id, &graph, async |_| {}).await;
    assert_eq!((end.state, end.completed), (JobState::Completed, 20));
}

#[tokio::test]
async fn pages_are_appended_at_one_store_while_another_works() {
    let Some(world) = World::start() else { return };
    let stores: [_; 2] = world.stores("appends").await;
    let graph = Graph::unlinked(60, 6);
    let submitted = NewJob { sealed: false, ..job(1, u64::MAX, graph.pages(0..10)) };
    let id = submitted.id;
    stores[0].submit(submitted, now()).await.unwrap();
    let mut workers = Workers::new(&stores, 1);
    let mut added = 10;
    let end = workers
        .run(id, &graph, async |workers| {
            let store = &stores[added / 10 % 2];
            if added < 60 && workers.accepted as usize + 5 > added {
                let pages = graph.pages(added..added + 10);
                // By turns as pages of the user and as pages of a sitemap. Pages that are known add nothing.
                let admitted = if added % 20 == 0 {
                    store.append(id, pages, 0, None, now()).await.unwrap()
                } else {
                    let known = graph.pages(added - 10..added);
                    let admission = Admission::new(0, [known, pages].concat());
                    store.admit(id, admission, now()).await.unwrap()
                };
                assert_eq!(admitted.new, 10);
                added += 10;
                if added == 60 {
                    store.seal(id, now()).await.unwrap();
                }
            }
        })
        .await;
    assert_eq!((end.state, end.completed, end.contract_total()), (JobState::Completed, 60, 60));
    let mut found = documents(&stores[1], id).await;
    found.sort_unstable();
    assert_eq!(found, (0..60).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_job_ends_once_and_every_store_sees_the_same_end() {
    let Some(world) = World::start() else { return };
    let stores: [_; 3] = world.stores("ends").await;
    for number in 1..30 {
        let graph = Graph::unlinked(6, 6);
        let submitted = job(number, u64::MAX, graph.all());
        let id = submitted.id;
        stores[0].submit(submitted, now()).await.unwrap();
        let mut workers = Workers::new(&stores, u64::try_from(number).unwrap());
        workers.run(id, &graph, async |_| {}).await;
        let mut ends = Vec::new();
        for store in &stores {
            ends.push(store.snapshot(id).await.unwrap());
        }
        assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
        let reported = stores[1].accounting(100).await.unwrap().ended;
        assert!(reported.is_empty(), "a job without a team is not settled");
    }
}

#[tokio::test]
async fn a_job_whose_waiting_pages_are_damaged_fails() {
    let Some(world) = World::start() else { return };
    let [store] = world.stores("damaged").await;
    let submitted = job(1, u64::MAX, Graph::unlinked(20, 1).all());
    let id = submitted.id;
    store.submit(submitted, now()).await.unwrap();
    let text = "UPDATE damaged.block SET pages = '\\x07' RETURNING id";
    let block: i64 = world.client().await.query_one(text, &[]).await.unwrap().get(0);
    let end = eventually("the job has ended", async || {
        store.lease(WorkerId::random(), 1, now()).await.unwrap();
        let snapshot = store.snapshot(id).await.unwrap();
        (snapshot.state != JobState::Scraping).then_some(snapshot)
    })
    .await;
    let error = end.error.unwrap();
    assert_eq!(end.state, JobState::Failed);
    assert!(error.contains(&format!("id {block})")) && error.contains("submit the job again"), "{error}");
}
