//! Runs `gleaner crawl`, and explains why a crawl found few pages.

use gleaner::{JobWarning, PromptedCrawl, SkipReason};
use serde_json::Value;

use super::kept::{self, Kept};
use super::model::with_model;
use super::place::Place;
use super::results::Results;
use super::run::Run;
use super::with_progress::with_progress;
use super::{engine, webhook};
use crate::args::CrawlArgs;
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::explanation::explanation;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job_command::JobCommand;
use crate::skipped_links::skipped_links;

pub(super) async fn run(console: &Console, args: &CrawlArgs, browser: &Browser) -> Result<u8, Failure> {
    let request = args.request()?;
    let explained = args.explained()?;
    let command = JobCommand::new("crawl", &request, args.links.rules()).allowing(&args.engine.allow_private);
    let place = Place::open(&args.job, command)?;
    let mut interrupt = Interrupt::listen(browser);
    let secret = args.webhook.webhook_secret_env.as_deref();
    let builder = webhook::with_webhook(with_model(&args.model, &args.engine)?, secret)?;
    let builder = args.site.configure(args.links.rules().configure(builder));
    let engine = engine::start_for(&place, builder, &args.engine, browser).await?;
    let mut results = Results::open(&args.output, args.failures.as_deref(), place.path())?;
    args.remark(console);
    let resumed = kept::resumed(console, &engine, place.file()).await?;
    let earlier = resumed.as_ref().map_or(0, |(_, earlier)| *earlier);
    let mut job = match resumed {
        Some((job, _)) => job,
        None => {
            let has_prompt = request.prompt.is_some();
            let mapping = || "mapping the site for the prompt".to_owned();
            let crawl =
                with_progress(console, &mut interrupt, mapping, engine.compile_prompt(request)).await?;
            let crawl = crawl.map_err(engine::refused)?;
            if has_prompt {
                console.note(format_args!("options from the prompt: {}", options(&crawl)));
            }
            let job = engine.begin_crawl(crawl, &explained).await;
            let job = job.map_err(|error| webhook::refused(error, &args.webhook, &args.engine))?;
            if place.is_kept() { kept::started(&engine, job).await? } else { job }
        }
    };
    place.announce(console, job.id());
    // Not earlier: if the request is refused, the index of an earlier run stays unchanged.
    results.begin()?;
    let kept = place.is_kept().then_some(Kept { engine: &engine, earlier });
    let run = Run::to_end(console, &mut job, &mut results, &mut interrupt, kept).await?;
    if place.is_kept() && run.interrupted {
        return Ok(kept::report_stop(console, &run.snapshot, &place.how(job.id())));
    }
    engine::report(console, &run, &args.engine, &results, &args.output);
    if args.ended_at_default_limit(run.written) {
        console
            .note(format_args!("note: the crawl stopped at {} pages, the default of --limit", run.written));
    }
    if !explained.is_empty() {
        console.error(explanation(&run.explanations, &run.rejections));
    } else if let Some(why) = what_is_missing(&run, args) {
        // The reason for an empty result is an error, and --quiet does not suppress errors.
        if run.written == 0 { console.error(why) } else { console.note(why) }
    }
    let all_delivered = webhook::delivered(console, &engine, &mut interrupt, run.interrupted).await?;
    let given_up = job.dead_letters().await.map_err(Failure::failed)?;
    webhook::report_undelivered(console, &given_up);
    place.hand_over(&engine).await;
    Ok(match run.exit_code() {
        exit::DONE if !all_delivered => exit::INTERRUPTED,
        exit::DONE if !given_up.is_empty() => exit::FAILED,
        code => code,
    })
}

/// Which links a crawl left out, and why it has at most one page; `None` if it was limited to one, or failed.
fn what_is_missing(run: &Run, args: &CrawlArgs) -> Option<String> {
    let is_as_asked = run.written == 1 && args.asks_for_one();
    // A warning already explains why nothing was crawled, but not what to do about robots.txt.
    let warnings = &run.snapshot.warnings;
    let is_forbidden = warnings.contains(&JobWarning::StartForbidden);
    let is_explained = run.written == 0 && !warnings.is_empty() && !is_forbidden;
    if is_as_asked || is_explained || run.interrupted {
        return None;
    }
    if run.written == 1 && args.follows_no_links() {
        return Some("note: no links were followed, because of --max-discovery-depth 0".to_owned());
    }
    let nothing_wrong = run.snapshot.failed == 0 && run.snapshot.robots_blocked == 0;
    let no_links = "no links were found on the start page (without a browser, those made by scripts are \
                    missing)";
    let mut rejections = run.rejections.clone();
    if run.written > 1 {
        // Addresses of mail and telephones stand on every page of many sites.
        rejections.retain(|(reason, _)| *reason != SkipReason::UnsupportedScheme);
    }
    skipped_links(&rejections)
        .or_else(|| (nothing_wrong && run.written == 1).then(|| no_links.to_owned()))
        .map(|why| format!("note: {why}"))
}

/// The options generated from a prompt, with the names of request fields.
fn options(crawl: &PromptedCrawl) -> String {
    match serde_json::to_value(&crawl.generated) {
        Ok(Value::Object(mut options)) => {
            options.remove("url");
            Value::Object(options).to_string()
        }
        _ => String::new(),
    }
}
