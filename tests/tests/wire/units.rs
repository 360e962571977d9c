//! Worst cases in units of work: interruptible work checks its interrupt often enough, and ends
//! soon after it is raised.

use gleaner::plan::{CrawlPlan, ScrapeOptionsPlan};
use gleaner::request::{BatchScrapeRequest, CrawlRequest, ScrapeRequest};
use gleaner_extract::{Page, Shape, extract};
use gleaner_frontier::{CrawlScope, sitemap};
use gleaner_testkit::{Attack, HostilePage, Size, worst_cases};
use gleaner_transform::{Input, Selection, transform_within};
use gleaner_types::Interrupt;
use serde_json::Value;
use url::Url;

/// Maximum units between two checks of the interrupt, a few milliseconds of work: one paragraph may fill a
/// page of 100 KB.
const MAX_UNITS_BETWEEN_CHECKS: u64 = 250_000;

/// Maximum steps of one scope decision, which is not interruptible.
const MAX_STEPS: u64 = 1_000_000;

/// Percentages of the work after which the interrupt is raised.
const PERCENTAGES: [u64; 3] = [0, 50, 90];

#[test]
fn work_checks_its_interrupt_often_and_ends_soon_after_it() {
    let mut failed = Vec::new();
    let (mut transforms, mut extractions, mut decisions) = (0, 0, 0);
    for case in worst_cases() {
        let attack = case.attack(Size::Moderate);
        let mut check = |work: &str, result: Result<(), String>| {
            failed.extend(result.err().map(|problem| format!("{case}, {work}: {problem}")));
        };
        if let Some((options, page)) = transform_input(&attack) {
            transforms += 1;
            check("transform", check_transform(&options, page));
            if let Some(schema) = options.formats.json.as_ref().and_then(|format| format.schema.as_ref()) {
                extractions += 1;
                check("fields", check_extraction(schema, page));
            }
        }
        if let Some(plan) = crawl_plan(&attack) {
            decisions += 1;
            check("decisions", check_decisions(&plan, &attack.pages));
        }
    }
    println!("{transforms} transforms, {extractions} extractions and {decisions} crawls were measured");
    assert!(transforms >= 60 && extractions >= 20 && decisions >= 5);
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}

/// The options and page that an attack transforms, unless it is refused or a PDF, which another process
/// converts.
fn transform_input(attack: &Attack) -> Option<(ScrapeOptionsPlan, &HostilePage)> {
    let body = body(attack)?;
    let options = match attack.line {
        "POST /v2/scrape" => ScrapeRequest::plan_from_json(&body).ok()?.options,
        "POST /v2/batch/scrape" => BatchScrapeRequest::plan_from_json(&body).ok()?.options,
        _ => return None,
    };
    let page = attack.pages.first().filter(|page| page.content_type() != "application/pdf")?;
    Some((options, page))
}

fn crawl_plan(attack: &Attack) -> Option<CrawlPlan> {
    (attack.line == "POST /v2/crawl").then(|| CrawlRequest::plan_from_json(&body(attack)?).ok())?
}

fn body(attack: &Attack) -> Option<Value> {
    serde_json::from_str(&attack.body_at("http://127.0.0.1:80")).ok()
}

fn url() -> Url {
    Url::parse("http://127.0.0.1:80/").unwrap()
}

fn check_transform(options: &ScrapeOptionsPlan, page: &HostilePage) -> Result<(), String> {
    let Ok(selection) = Selection::of(options) else { return Ok(()) };
    let url = url();
    let input = Input::new(&url, Some(page.content_type()), page.body());
    let run = |interrupt: &Interrupt| transform_within(input, options, &selection, usize::MAX, interrupt);
    check_interrupts(|interrupt| match run(interrupt) {
        Err(error) if error.is_interrupted() => true,
        // A body that is not parsed at all.
        Err(_) => interrupt.is_raised(),
        Ok(_) => false,
    })
}

fn check_extraction(schema: &Value, page: &HostilePage) -> Result<(), String> {
    let Ok(shape) = Shape::from_schema(schema) else { return Ok(()) };
    let page = Page::new(url(), String::from_utf8_lossy(page.body()));
    check_interrupts(|interrupt| {
        drop(extract(&page.clone().with_interrupt(interrupt), &shape));
        interrupt.is_raised()
    })
}

/// Checks that `work`, which returns whether it was interrupted, checks its interrupt often enough and ends
/// soon after it.
fn check_interrupts(work: impl Fn(&Interrupt) -> bool) -> Result<(), String> {
    let watched = Interrupt::watched();
    if work(&watched) {
        return Err("it stops without an interrupt".to_owned());
    }
    let (whole, greatest) = (watched.spent(), watched.greatest());
    if greatest > MAX_UNITS_BETWEEN_CHECKS {
        return Err(format!("{greatest} of {whole} units without a check"));
    }
    // Work without cost cannot be interrupted.
    for percentage in PERCENTAGES.into_iter().filter(|_| whole > 0) {
        let limit = whole * percentage / 100;
        let interrupt = Interrupt::after(limit);
        let is_interrupted = work(&interrupt);
        let late = interrupt.spent().saturating_sub(limit);
        if !is_interrupted || late > whole / 2 + 100_000 {
            return Err(format!("after {percentage} % of {whole} units it continues for {late}"));
        }
    }
    Ok(())
}

/// Makes scope decisions for URLs of the sitemaps.
fn check_decisions(plan: &CrawlPlan, pages: &[HostilePage]) -> Result<(), String> {
    let start = &plan.target.url;
    let scope = CrawlScope::new(start, &plan.rules).map_err(|error| error.to_string())?;
    for page in pages.iter().filter(|page| page.content_type() == "application/xml") {
        for entry in sitemap::parse(page.body(), start).pages.iter().take(50) {
            let mut steps = 0;
            let _decision = scope.decide_counting(&entry.url, false, &mut steps);
            if steps > MAX_STEPS {
                return Err(format!("{steps} steps for a URL of {} bytes", entry.url.as_str().len()));
            }
        }
    }
    Ok(())
}
