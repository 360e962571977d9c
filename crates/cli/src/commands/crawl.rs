use super::run::Run;
use super::{Session, engine};
use crate::args::CrawlArgs;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

pub(super) async fn run(session: Session, args: &CrawlArgs) -> Result<u8, Failure> {
    let request = args.request()?;
    let mut interrupt = Interrupt::listen();
    let engine = engine::start(&args.engine)?;
    let mut sink = engine::sink(&args.output)?;
    let job = engine.crawl(request).await.map_err(engine::refused)?;
    let run = Run::to_end(session, job, &mut sink, &mut interrupt).await?;
    engine::tell(session, &run, &args.output);
    Ok(run.exit_code())
}
