use super::run::Run;
use super::{Session, engine};
use crate::args::CrawlArgs;
use crate::explanation::explanation;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::say::say;

pub(super) async fn run(session: Session, args: &CrawlArgs) -> Result<u8, Failure> {
    let request = args.request()?;
    let explained = args.explained()?;
    let mut interrupt = Interrupt::listen();
    let engine = engine::start(&args.engine)?;
    // Before the job: no page is asked for that could not be kept.
    let mut sink = engine::sink(&args.output)?;
    let job = engine.crawl_explained(request, &explained).await.map_err(engine::refused)?;
    // Only now: a request that is refused leaves the index of an earlier run as it is.
    sink.begin()?;
    let run = Run::to_end(session, job, &mut sink, &mut interrupt).await?;
    engine::tell(session, &run, &args.engine, &args.output);
    if !explained.is_empty() {
        say(explanation(&run.explanations, &run.rejections));
    }
    Ok(run.exit_code())
}
