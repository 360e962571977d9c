use super::run::Run;
use super::{Session, engine};
use crate::args::CrawlArgs;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

pub(super) async fn run(session: Session, args: &CrawlArgs) -> Result<u8, Failure> {
    let request = args.request()?;
    let mut interrupt = Interrupt::listen();
    let engine = engine::start(&args.engine)?;
    let job = engine.crawl(request).await.map_err(engine::refused)?;
    // Only now: a request that is refused leaves the index of an earlier run as it is.
    let mut sink = engine::sink(&args.output)?;
    let run = Run::to_end(session, job, &mut sink, &mut interrupt).await?;
    engine::tell(session, &run, &args.engine, &args.output);
    Ok(run.exit_code())
}
