//! What the memory of a site gains: the crawl of a generated newspaper over loopback, with and without it.
//!
//! Leak is the share of the furniture texts of an article that its Markdown contains, and recall the share of
//! the content texts. Each figure is the mean over pages. Lists have no furniture.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use gleaner::{CrawlRequest, Document, Pages};
use gleaner_benches::engine::loopback;
use gleaner_testkit::{Paper, PaperPage, Site, SiteSpec};
use gleaner_transform::{Input, Selection, SiteMemory, transform_on_site, transform_within};
use gleaner_types::Interrupt;
use gleaner_types::request::ScrapeOptions;
use serde_json::{Value, json};
use url::Url;

use crate::{Failure, Outcome};

/// Pages of the newspaper.
const PAGES: usize = 100;

/// Runs of the transforms whose time is compared.
const RUNS: usize = 20;

/// Mean figures over the pages of a crawl.
struct Figures {
    leak: f64,
    articles: f64,
    lists: f64,
}

pub(super) fn evaluate() -> Result<Outcome, Failure> {
    let runtime = tokio::runtime::Runtime::new()?;
    let mut table = format!("  {:20} leak  recall of articles  of lists\n", "memory");
    let mut json = serde_json::Map::new();
    for seed in 1..=3 {
        let paper = Paper::generate(seed, PAGES);
        for (name, site_memory) in [("without", false), ("with", true)] {
            let Figures { leak, articles, lists } = runtime.block_on(crawl(&paper, site_memory))?;
            let label = format!("site {seed} {name}");
            let _ = writeln!(table, "  {label:20} {leak:.3}  {articles:18.3}  {lists:8.3}");
            let figures = json!({ "leak": leak, "recall_articles": articles, "recall_lists": lists });
            json.insert(format!("{name}_{seed}"), figures);
        }
    }
    let (alone, of_site) = times()?;
    let ratio = of_site.as_secs_f64() / alone.as_secs_f64();
    let _ = write!(table, "transform of a page: {alone:?} alone, {of_site:?} of a site, ratio {ratio:.3}");
    json.insert("transform_ratio".to_owned(), ratio.into());
    Ok(Outcome { table, json: json!({ "site": Value::Object(json) }) })
}

async fn crawl(paper: &Paper, site_memory: bool) -> Result<Figures, Failure> {
    let server = paper.serve()?;
    let engine = loopback().pages(Pages::new().site_memory(site_memory)).build()?;
    let mut job = engine.crawl(CrawlRequest::new(format!("{}/", server.base_url()))).await?;
    let mut markdown = BTreeMap::new();
    while let Some(document) = job.next().await {
        let Document { markdown: Some(text), metadata, .. } = document? else { continue };
        let url = Url::parse(metadata.source_url.as_deref().unwrap_or_default())?;
        markdown.insert(url.path().to_owned(), text);
    }
    // A lost page would have no leak.
    if let Some(lost) = paper.pages().iter().find(|page| !markdown.contains_key(&page.path)) {
        return Err(format!("the crawl has no Markdown of {}", lost.path).into());
    }
    let text = |page: &PaperPage| markdown.get(&page.path).map_or("", String::as_str).to_owned();
    let of = |is_list: bool| paper.pages().iter().filter(move |page| page.is_list == is_list);
    Ok(Figures {
        leak: mean(of(false).map(|page| page.leak(&text(page)))),
        articles: mean(of(false).map(|page| page.recall(&text(page)))),
        lists: mean(of(true).map(|page| page.recall(&text(page)))),
    })
}

/// The mean time of a page's transform, alone and of a site, in turns. Almost nothing recurs on these pages,
/// so that both write the same Markdown.
fn times() -> Result<(Duration, Duration), Failure> {
    let options = ScrapeOptions::new().check().map_err(|faults| faults.to_string())?;
    let (selection, interrupt) = (Selection::of(&options)?, Interrupt::never());
    let pages = Site::generate(SiteSpec::pages(u32::try_from(PAGES)?));
    let (mut alone, mut of_site) = (Duration::ZERO, Duration::ZERO);
    for run in 0..RUNS {
        let site = SiteMemory::default();
        for number in 1..PAGES {
            let url = Url::parse(&format!("https://almanac.example/p/{number}"))?;
            let body = pages.body(url.path(), "https://almanac.example").unwrap_or_default();
            let input = Input::new(&url, Some("text/html"), &body);
            // The second transform of a page has it in the caches.
            for is_alone in [run % 2 == 0, run % 2 != 0] {
                let began = Instant::now();
                if is_alone {
                    let page = transform_within(input, &options, &selection, usize::MAX, &interrupt)?;
                    std::hint::black_box(page);
                    alone += began.elapsed();
                } else {
                    let page = transform_on_site(input, &options, &selection, usize::MAX, &interrupt, &site)?;
                    std::hint::black_box(page);
                    of_site += began.elapsed();
                }
            }
        }
    }
    let count = u32::try_from(RUNS * (PAGES - 1))?;
    Ok((alone / count, of_site / count))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    sum / f64::from(count.max(1))
}
