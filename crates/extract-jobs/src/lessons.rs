//! What the pages of a cluster teach each other, before any of them is read.
//!
//! A page cannot tell its own words from those of its template: it takes two. So the first pages of a cluster
//! are compared, and then every page of the cluster is read with [what recurs](SiteTexts) on the others. All
//! of them wait for this, the first one too, so that a result depends only on which pages are read, not on
//! the order in which they arrive. Alternative: read each page with what the pages before it taught. It does
//! not wait, but the first page would be read worse than the last.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::Shared;
use gleaner_extract::{MAX_TAUGHT_PAGES, Page, Shape, SiteTexts};
use gleaner_types::BoxFuture;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::yield_now;

use super::blocking::{OwnedTask, blocking, is_large};
use super::sources::{HostKey, Source, host_key};

/// Maximum clusters of one job that have texts. The pages of further ones are read without.
const MAX_TAUGHT_CLUSTERS: usize = 32;

/// The texts of a cluster once they are learned; `None` if fewer than two pages could teach them.
type Lesson = Shared<BoxFuture<'static, Option<ClusterTexts>>>;

/// The texts of a cluster.
#[derive(Debug, Clone)]
struct ClusterTexts {
    /// The host of the pages that taught, after redirects.
    host: HostKey,
    texts: Arc<SiteTexts>,
}

impl ClusterTexts {
    /// The texts, unless the page is on another host.
    fn for_page(self, page: &Page) -> Option<Arc<SiteTexts>> {
        (self.host == host_key(&page.url)).then_some(self.texts)
    }
}

/// The lessons of a job.
#[derive(Debug, Default)]
pub(super) struct Lessons {
    by_cluster: HashMap<String, Lesson>,
}

/// The part of one page in the lesson of its cluster. Dropping it teaches nothing, so no other page waits for
/// one that fails.
#[derive(Debug, Default)]
pub(super) struct PageLesson {
    /// Takes the page, if it is one of those that teach.
    sender: Option<oneshot::Sender<Arc<Page>>>,
    lesson: Option<Lesson>,
}

impl Lessons {
    /// The part of each of these pages, in their order. A cluster that has texts keeps them. In others the
    /// first pages teach: at most [`MAX_TAUGHT_PAGES`] of `window` consecutive sources, and at least two. A
    /// page that has no other one of its cluster so near waits for none.
    ///
    /// The caller must fetch `window` pages ahead of the first one that is not read.
    pub(super) fn prepare(
        &mut self,
        sources: &[Source],
        window: usize,
        task: &Arc<OwnedTask>,
        slots: &Arc<Semaphore>,
    ) -> Vec<PageLesson> {
        let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, source) in sources.iter().enumerate() {
            positions.entry(&source.cluster).or_default().push(at);
        }
        let mut parts: Vec<PageLesson> = Vec::new();
        parts.resize_with(sources.len(), PageLesson::default);
        // The bound on clusters applies in the order of the job.
        for Source { cluster, .. } in sources {
            let Some(own) = positions.remove(cluster.as_str()) else { continue };
            let has_space = self.by_cluster.len() < MAX_TAUGHT_CLUSTERS;
            let (pages, senders, lesson) = if let Some(known) = self.by_cluster.get(cluster) {
                (own.as_slice(), Vec::new(), known.clone())
            } else if let Some((pages, count)) = teachers(&own, window).filter(|_| has_space) {
                let channels = (0..count).map(|_| oneshot::channel());
                let (senders, receivers): (Vec<_>, Vec<_>) = channels.unzip();
                let lesson: Lesson = learn(receivers, Arc::clone(task), Arc::clone(slots)).boxed().shared();
                self.by_cluster.insert(cluster.clone(), lesson.clone());
                (pages, senders, lesson)
            } else {
                continue;
            };
            let mut senders = senders.into_iter();
            for at in pages {
                if let Some(part) = parts.get_mut(*at) {
                    *part = PageLesson { sender: senders.next(), lesson: Some(lesson.clone()) };
                }
            }
        }
        parts
    }

    /// Ends the lessons once their pages are read. Clusters without texts may learn from later pages.
    pub(super) async fn finish(&mut self) {
        for (cluster, lesson) in std::mem::take(&mut self.by_cluster) {
            if lesson.clone().await.is_some() {
                self.by_cluster.insert(cluster, lesson);
            }
        }
    }

    /// The texts that a page of this cluster is read with, if they are known.
    pub(super) async fn texts(&self, cluster: &str, page: &Page) -> Option<Arc<SiteTexts>> {
        let lesson = self.by_cluster.get(cluster)?.clone();
        lesson.await?.for_page(page)
    }
}

impl PageLesson {
    /// Teaches with the page, if it is one of those that teach, and waits for the texts that it is read with.
    pub(super) async fn texts(self, page: &Arc<Page>) -> Option<Arc<SiteTexts>> {
        let Self { sender, lesson } = self;
        if let Some(sender) = sender {
            // Nobody takes the page if the lesson has failed.
            let _ = sender.send(Arc::clone(page));
        }
        lesson?.await?.for_page(page)
    }
}

/// The pages of a cluster that share a lesson, and how many of them teach, the first ones. `None` if no two
/// pages are near each other. `own` are the positions of the pages, in order.
fn teachers(own: &[usize], window: usize) -> Option<(&[usize], usize)> {
    let mut pairs = own.iter().zip(own.iter().skip(1));
    let first = pairs.position(|(page, next)| next - page < window)?;
    let pages = own.get(first..)?;
    let start = pages.first()?;
    let near = pages.iter().take(MAX_TAUGHT_PAGES).take_while(|page| *page - start < window);
    Some((pages, near.count()))
}

/// Learns the texts of a cluster from these pages, in their order. The first one that arrives in it decides
/// on the host.
async fn learn(
    pages: Vec<oneshot::Receiver<Arc<Page>>>,
    task: Arc<OwnedTask>,
    slots: Arc<Semaphore>,
) -> Option<ClusterTexts> {
    let mut host: Option<HostKey> = None;
    let mut texts = SiteTexts::new();
    let mut learned = 0;
    for page in pages {
        // The page has failed, or the budget ended before it.
        let Ok(page) = page.await else { continue };
        let own_host = host_key(&page.url);
        if page.html.is_empty() || *host.get_or_insert_with(|| own_host.clone()) != own_host {
            continue;
        }
        texts = learn_page(texts, page, &task.shape, &slots).await?;
        learned += 1;
    }
    let host = host.filter(|_| learned > 1)?;
    Some(ClusterTexts { host, texts: Arc::new(texts) })
}

/// Learns from one page, on a blocking thread if the page is large. `None` if the engine fails on it.
async fn learn_page(
    mut texts: SiteTexts,
    page: Arc<Page>,
    shape: &Shape,
    slots: &Arc<Semaphore>,
) -> Option<SiteTexts> {
    let (is_large, interrupt) = (is_large(&page, shape), page.interrupt.clone());
    let learning = async move {
        texts.learn(&page);
        texts
    };
    if is_large {
        return blocking(slots, &interrupt, learning).await.ok();
    }
    // Several small pages together take as long as a large one.
    yield_now().await;
    Some(learning.await)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::visit::PageOrigin;
    use futures_util::future::join_all;
    use gleaner_extract::{Extractor, SitePosition, Task};
    use gleaner_types::plan::Target;
    use serde_json::json;
    use url::Url;

    const WINDOW: usize = 16;
    const NAMES: [&str; 3] = ["Red cup", "Blue pot", "Old jug"];

    fn resources() -> (Arc<OwnedTask>, Arc<Semaphore>) {
        let shape = Shape::from_schema(&json!({ "properties": { "name": { "type": "string" } } })).unwrap();
        (Arc::new(OwnedTask::new(Task::new(&shape))), Arc::new(Semaphore::new(1)))
    }

    /// Sources, one for each letter, which is its cluster.
    fn sources(clusters: &str) -> Vec<Source> {
        let target = || Target::from(Url::parse("https://shop.example/").unwrap());
        let source = |cluster: char| Source {
            target: target(),
            origin: PageOrigin::Found,
            cluster: cluster.to_string(),
            alike: false,
        };
        clusters.chars().map(source).collect()
    }

    /// The part of each page: `T` teaches, `r` is only read with the texts, `-` neither.
    fn parts(clusters: &str, window: usize) -> String {
        let (task, slots) = resources();
        let parts = Lessons::default().prepare(&sources(clusters), window, &task, &slots);
        let letter = |part: &PageLesson| match (&part.sender, &part.lesson) {
            (Some(_), Some(_)) => 'T',
            (None, Some(_)) => 'r',
            _ => '-',
        };
        parts.iter().map(letter).collect()
    }

    #[test]
    fn the_first_pages_of_a_cluster_teach_if_they_are_near_each_other() {
        let rows = [
            ("", 4, ""),
            ("a", 4, "-"),
            ("ab", 4, "--"),
            ("aab", 4, "TT-"),
            ("abab", 4, "TTTT"),
            ("aaaaaa", 4, "TTTTrr"),
            ("abbbba", 4, "-TTTT-"),
            ("abbbbaa", 4, "-TTTTTT"),
            ("aaaaaaaaaaaa", WINDOW, "TTTTTTTTrrrr"),
        ];
        for (clusters, window, expected) in rows {
            assert_eq!(parts(clusters, window), expected, "{clusters}");
        }
        let many: String = ('A'..).take(MAX_TAUGHT_CLUSTERS + 1).flat_map(|cluster| [cluster; 2]).collect();
        assert_eq!(parts(&many, WINDOW), format!("{}--", "T".repeat(2 * MAX_TAUGHT_CLUSTERS)));
    }

    /// The name on each page of a cluster, if the page is read with texts. A page comes from a host and
    /// arrives after some seconds; without a number it fails.
    async fn names(lessons: &mut Lessons, pages: &[(&str, Option<u64>)]) -> Vec<Option<String>> {
        let (task, slots) = resources();
        let parts = lessons.prepare(&sources(&"a".repeat(pages.len())), WINDOW, &task, &slots);
        let reads = parts.into_iter().zip(pages).zip(NAMES).map(|((part, (host, delay)), name)| {
            let html = format!("<title>{name} | Cup House</title><h1>Cup House</h1><b class=price>9 €</b>");
            let page = Arc::new(Page::new(Url::parse(&format!("https://{host}/cup")).unwrap(), html));
            let task = Arc::clone(&task);
            async move {
                let Some(delay) = delay else {
                    drop(part);
                    return None;
                };
                tokio::time::sleep(Duration::from_secs(*delay)).await;
                let texts = part.texts(&page).await?;
                let position = SitePosition { cluster: "a", alike: false, texts: Some(&texts) };
                let read = Extractor::model_free().page_among(None, position, &page, task.as_task()).await;
                read.page.extraction.data["name"].as_str().map(str::to_owned)
            }
        });
        let names = join_all(reads).await;
        lessons.finish().await;
        names
    }

    #[tokio::test(start_paused = true)]
    async fn every_page_is_read_with_the_same_texts_whichever_page_is_late_or_fails() {
        let shop = |delay: Option<u64>| ("shop.example", delay);
        let (red, blue, old) = (Some("Red cup"), Some("Blue pot"), Some("Old jug"));
        let rows = [
            ([shop(Some(0)), shop(Some(0)), shop(Some(0))], [red, blue, old]),
            ([shop(Some(5)), shop(Some(0)), shop(Some(0))], [red, blue, old]),
            ([shop(Some(0)), shop(Some(2)), shop(Some(1))], [red, blue, old]),
            ([shop(None), shop(Some(1)), shop(Some(0))], [None, blue, old]),
            ([shop(None), shop(None), shop(Some(0))], [None, None, None]),
            ([shop(Some(3)), ("other.example", Some(0)), ("www.shop.example", Some(0))], [red, None, old]),
        ];
        for (pages, expected) in rows {
            let found = names(&mut Lessons::default(), &pages).await;
            let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
            assert_eq!(found, expected, "{pages:?}");
        }
    }

    #[tokio::test]
    async fn a_later_page_is_read_with_the_texts_and_a_first_page_without() {
        let mut lessons = Lessons::default();
        let page = ("shop.example", Some(0));
        assert_eq!(names(&mut lessons, &[page]).await, [None::<String>]);
        assert!(names(&mut lessons, &[page, page]).await.iter().all(Option::is_some));
        assert_eq!(names(&mut lessons, &[page]).await, [Some("Red cup".to_owned())]);
        let late = Page::new(Url::parse("https://shop.example/late").unwrap(), "<h1>Late</h1>");
        assert!(lessons.texts("a", &late).await.is_some() && lessons.texts("b", &late).await.is_none());
    }
}
