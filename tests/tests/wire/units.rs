//! Worst cases by units of work: how many there are between two looks at whether the work is to end, and that it then ends.

use gleaner::plan::{CrawlPlan, ScrapeOptionsPlan};
use gleaner::request::{BatchScrapeRequest, CrawlRequest, ScrapeRequest};
use gleaner_extract::{Page, Shape, extract};
use gleaner_frontier::{CrawlScope, sitemap};
use gleaner_testkit::{Attack, HostilePage, Size, worst_cases};
use gleaner_transform::{Input, Selection, transform_within};
use gleaner_types::Interrupt;
use serde_json::Value;
use url::Url;

/// Most units between two looks, some milliseconds of work: a paragraph of a page of 100 KB may be the page.
const MOST_AT_ONCE: u64 = 250_000;

/// Most steps of one decision about an address, which nothing interrupts.
const MOST_STEPS: u64 = 1_000_000;

/// How much work is done before it is to end, in parts of a hundred of it.
const PARTS: [u64; 3] = [0, 50, 90];

#[test]
fn work_looks_often_whether_it_is_to_end_and_then_ends() {
    let mut failed = Vec::new();
    let (mut transforms, mut readings, mut decisions) = (0, 0, 0);
    for case in worst_cases() {
        let attack = case.attack(Size::Moderate);
        let mut look = |work: &str, looked: Result<(), String>| {
            failed.extend(looked.err().map(|complaint| format!("{case}, {work}: {complaint}")));
        };
        if let Some((options, page)) = transformed(&attack) {
            transforms += 1;
            look("transform", transform_ends(&options, page));
            if let Some(schema) = options.formats.json.as_ref().and_then(|asked| asked.schema.as_ref()) {
                readings += 1;
                look("fields", reading_ends(schema, page));
            }
        }
        if let Some(plan) = crawled(&attack) {
            decisions += 1;
            look("decisions", decisions_end(&plan, &attack.pages));
        }
    }
    println!("{transforms} transforms, {readings} readings and {decisions} crawls were watched");
    assert!(transforms >= 60 && readings >= 20 && decisions >= 5);
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}

/// The page that an attack has transformed, unless it is refused or a PDF: what ends those is another process.
fn transformed(attack: &Attack) -> Option<(ScrapeOptionsPlan, &HostilePage)> {
    let body = body(attack)?;
    let options = match attack.line {
        "POST /v2/scrape" => ScrapeRequest::plan_from_json(&body).ok()?.options,
        "POST /v2/batch/scrape" => BatchScrapeRequest::plan_from_json(&body).ok()?.options,
        _ => return None,
    };
    let page = attack.pages.first().filter(|page| page.content_type() != "application/pdf")?;
    Some((options, page))
}

fn crawled(attack: &Attack) -> Option<CrawlPlan> {
    (attack.line == "POST /v2/crawl").then(|| CrawlRequest::plan_from_json(&body(attack)?).ok())?
}

fn body(attack: &Attack) -> Option<Value> {
    serde_json::from_str(&attack.body_at("http://127.0.0.1:80")).ok()
}

fn url() -> Url {
    Url::parse("http://127.0.0.1:80/").unwrap()
}

fn transform_ends(options: &ScrapeOptionsPlan, page: &HostilePage) -> Result<(), String> {
    let Ok(selection) = Selection::of(options) else { return Ok(()) };
    let url = url();
    let input = Input { url: &url, content_type: Some(page.content_type()), body: page.body() };
    let run = |interrupt: &Interrupt| transform_within(input, options, &selection, usize::MAX, interrupt);
    ends(|interrupt| match run(interrupt) {
        Err(error) if error.is_interrupted() => true,
        // A body that is not read at all.
        Err(_) => interrupt.is_raised(),
        Ok(_) => false,
    })
}

fn reading_ends(schema: &Value, page: &HostilePage) -> Result<(), String> {
    let Ok(shape) = Shape::from_schema(schema) else { return Ok(()) };
    let page = Page::new(url(), String::from_utf8_lossy(page.body()));
    ends(|interrupt| {
        drop(extract(&page.clone().with_interrupt(interrupt), &shape));
        interrupt.is_raised()
    })
}

/// Does work look often enough, and end where it is to end? It tells whether it was interrupted.
fn ends(work: impl Fn(&Interrupt) -> bool) -> Result<(), String> {
    let watched = Interrupt::watched();
    if work(&watched) {
        return Err("it ends before its time".to_owned());
    }
    let (whole, greatest) = (watched.spent(), watched.greatest());
    if greatest > MOST_AT_ONCE {
        return Err(format!("{greatest} of {whole} units without a look"));
    }
    // Of what costs nothing there is nothing to interrupt.
    for part in PARTS.into_iter().filter(|_| whole > 0) {
        let limit = whole * part / 100;
        let interrupt = Interrupt::after(limit);
        let is_interrupted = work(&interrupt);
        let late = interrupt.spent().saturating_sub(limit);
        if !is_interrupted || late > whole / 2 + 100_000 {
            return Err(format!("after {part} % of {whole} units it goes on for {late}"));
        }
    }
    Ok(())
}

/// Decides about addresses of the sitemaps.
fn decisions_end(plan: &CrawlPlan, pages: &[HostilePage]) -> Result<(), String> {
    let start = &plan.target.url;
    let scope = CrawlScope::new(start, &plan.rules).map_err(|error| error.to_string())?;
    for page in pages.iter().filter(|page| page.content_type() == "application/xml") {
        for entry in sitemap::parse(page.body(), start).pages.iter().take(50) {
            let mut steps = 0;
            let _decision = scope.decide_counting(&entry.url, false, &mut steps);
            if steps > MOST_STEPS {
                return Err(format!("{steps} steps for one of {} bytes", entry.url.as_str().len()));
            }
        }
    }
    Ok(())
}
