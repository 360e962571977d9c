use gleaner::PromptedCrawl;
use serde_json::Value;

use super::model::with_model;
use super::run::Run;
use super::{Session, engine, webhook};
use crate::args::CrawlArgs;
use crate::exit;
use crate::explanation::explanation;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::say::say;

pub(super) async fn run(session: Session, args: &CrawlArgs) -> Result<u8, Failure> {
    let request = args.request()?;
    let explained = args.explained()?;
    let mut interrupt = Interrupt::listen();
    let builder = webhook::with_webhook(with_model(&args.model)?, &args.webhook)?;
    let engine = engine::start_with(args.configure(builder), &args.engine)?;
    // Before the job: no page is asked for that could not be kept.
    let mut sink = engine::sink(&args.output)?;
    let has_prompt = request.prompt.is_some();
    let crawl = tokio::select! {
        crawl = engine.compile_prompt(request) => crawl.map_err(engine::refused)?,
        () = interrupt.pressed() => return Err(Failure::Interrupted),
    };
    if has_prompt {
        session.note(format_args!("the prompt gives: {}", options(&crawl)));
    }
    let job = engine.begin_crawl(crawl, &explained).await;
    let mut job = job.map_err(|error| webhook::refused(error, &args.webhook, &args.engine))?;
    // Only now: a request that is refused leaves the index of an earlier run as it is.
    sink.begin()?;
    let run = Run::to_end(session, &mut job, &mut sink, &mut interrupt).await?;
    let all_told = webhook::delivered(&engine, &mut interrupt, run.interrupted).await?;
    let given_up = job.dead_letters().await.map_err(Failure::failed)?;
    engine::tell(session, &run, &args.engine, &args.output);
    webhook::tell(&given_up);
    if !explained.is_empty() {
        say(explanation(&run.explanations, &run.rejections));
    }
    Ok(match run.exit_code() {
        exit::DONE if !all_told => exit::INTERRUPTED,
        exit::DONE if !given_up.is_empty() => exit::FAILED,
        code => code,
    })
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
