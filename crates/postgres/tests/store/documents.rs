//! Documents, which a reader at one store reads while others add them.

use gleaner_store::{NewJob, ReadBound, Retention, Store as _};
use gleaner_types::JobState;

use super::graph::{Graph, number};
use super::random::Random;
use super::work::{Workers, documents, job};
use super::world::{World, now};

#[tokio::test]
async fn a_reader_misses_no_document_of_other_stores() {
    let Some(world) = World::start() else { return };
    for retention in [Retention::Keep, Retention::Stream] {
        let schema = format!("reads_{}", u8::from(retention == Retention::Keep));
        let [first, second, third] = world.stores(&schema).await;
        let graph = Graph::random(&mut Random::new(3), 200, 8);
        let submitted = NewJob { retention, ..job(1, u64::MAX, graph.pages(0..8)) };
        let id = submitted.id;
        first.submit(submitted, now()).await.unwrap();
        let (mut next, mut found) = (0, Vec::new());
        let mut workers = Workers::new([&first, &second], 3);
        let bound = ReadBound { documents: 7, bytes: usize::MAX };
        let end = workers
            .run(id, &graph, async |workers| {
                let slice = third.read(id, next, bound).await.unwrap();
                assert_eq!(slice.next, next + slice.documents.len() as u64);
                next = slice.next;
                found.extend(slice.documents.into_iter().map(|document| number(&document.markdown.unwrap())));
                assert!(found.len() as u64 <= workers.accepted);
            })
            .await;
        assert_eq!((end.state, end.completed), (JobState::Completed, 200));
        loop {
            let slice = third.read(id, next, bound).await.unwrap();
            next = slice.next;
            found.extend(slice.documents.into_iter().map(|document| number(&document.markdown.unwrap())));
            if slice.end {
                break;
            }
        }
        if retention == Retention::Keep {
            assert_eq!(found, documents(&first, id).await, "every reader sees the same order");
        }
        found.sort_unstable();
        assert_eq!(found, (0..200).collect::<Vec<_>>());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_misses_no_document_of_commits_at_the_same_time() {
    let Some(world) = World::start() else { return };
    let stores: [_; 3] = world.stores("racing").await;
    let graph = Graph::unlinked(400, 40);
    let submitted = job(1, u64::MAX, graph.all());
    let id = submitted.id;
    stores[0].submit(submitted, now()).await.unwrap();
    let (mut one, mut other) = (Workers::new([&stores[0]], 1), Workers::new([&stores[1]], 2));
    let read = async {
        let (mut next, mut found) = (0, Vec::new());
        let mut progress = stores[2].progress(id).await.unwrap();
        loop {
            progress.mark_unchanged();
            let slice = stores[2].read(id, next, ReadBound::default()).await.unwrap();
            next = slice.next;
            found.extend(slice.documents.iter().map(|document| number(document.markdown.as_ref().unwrap())));
            if slice.end {
                return found;
            }
            if slice.documents.is_empty() {
                progress.changed().await.unwrap();
            }
        }
    };
    let (_, _, found) =
        tokio::join!(one.run(id, &graph, async |_| {}), other.run(id, &graph, async |_| {}), read);
    assert_eq!(found, documents(&stores[0], id).await);
    assert_eq!((one.accepted + other.accepted, found.len()), (400, 400));
}
