use gleaner::PromptedCrawl;
use serde_json::Value;

use super::model::with_model;
use super::results::Results;
use super::run::Run;
use super::waiting::shown;
use super::{engine, webhook};
use crate::args::CrawlArgs;
use crate::console::Console;
use crate::exit;
use crate::explanation::explanation;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::left_out::left_out;

pub(super) async fn run(console: &Console, args: &CrawlArgs) -> Result<u8, Failure> {
    let request = args.request()?;
    let explained = args.explained()?;
    let mut interrupt = Interrupt::listen();
    let builder = webhook::with_webhook(with_model(&args.model)?, &args.webhook)?;
    let engine = engine::start_with(args.configure(builder), &args.engine)?;
    let mut results = Results::open(&args.output, args.failures.as_deref())?;
    args.remark(console);
    let has_prompt = request.prompt.is_some();
    let asks_for_one = args.asks_for_one();
    let mapping = || "reading the site's addresses for the prompt".to_owned();
    let crawl = shown(console, &mut interrupt, mapping, engine.compile_prompt(request)).await?;
    let crawl = crawl.map_err(engine::refused)?;
    if has_prompt {
        console.note(format_args!("the prompt gives: {}", options(&crawl)));
    }
    let job = engine.begin_crawl(crawl, &explained).await;
    let mut job = job.map_err(|error| webhook::refused(error, &args.webhook, &args.engine))?;
    // Only now: a request that is refused leaves the index of an earlier run as it is.
    results.begin()?;
    let run = Run::to_end(console, &mut job, &mut results, &mut interrupt).await?;
    engine::tell(console, &run, &args.engine, &results, &args.output);
    if args.ended_at_default_limit(run.written) {
        console.note(format_args!("note: the crawl ended at {} pages, the default of --limit", run.written));
    }
    if !explained.is_empty() {
        console.error(explanation(&run.explanations, &run.rejections));
    } else if let Some(why) = why_so_little(&run, asks_for_one) {
        // Why nothing came out is an error, and errors are told also where quiet was asked for.
        if run.written == 0 { console.error(why) } else { console.note(why) }
    }
    let all_told = webhook::delivered(console, &engine, &mut interrupt, run.interrupted).await?;
    let given_up = job.dead_letters().await.map_err(Failure::failed)?;
    webhook::tell(&given_up);
    Ok(match run.exit_code() {
        exit::DONE if !all_told => exit::INTERRUPTED,
        exit::DONE if !given_up.is_empty() => exit::FAILED,
        code => code,
    })
}

/// Why a crawl has at most one page, where it was not asked for less and did not fail.
fn why_so_little(run: &Run, asks_for_one: bool) -> Option<String> {
    let is_little = run.written == 0 || (run.written == 1 && !asks_for_one);
    // Why nothing was crawled at all is told already, but not what to do about a robots.txt that forbids it.
    let is_told = |warning: &String| run.written == 0 && !warning.contains("forbids");
    let is_told = run.snapshot.warning.as_ref().is_some_and(is_told);
    if !is_little || is_told || run.interrupted {
        return None;
    }
    let nothing_wrong = run.snapshot.failed == 0 && run.snapshot.robots_blocked == 0;
    let no_links = "no links were found on the start page (those that a script makes are not seen)";
    left_out(&run.rejections)
        .or_else(|| (nothing_wrong && run.written == 1).then(|| no_links.to_owned()))
        .map(|why| format!("note: {why}"))
}

/// The options that a prompt gave, as the contract writes them.
fn options(crawl: &PromptedCrawl) -> String {
    match serde_json::to_value(&crawl.generated) {
        Ok(Value::Object(mut options)) => {
            options.remove("url");
            Value::Object(options).to_string()
        }
        _ => String::new(),
    }
}
