use super::model::with_model;
use super::{Session, document, engine};
use crate::args::ScrapeArgs;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::names::Names;
use crate::output::Folder;

pub(super) async fn run(session: Session, args: &ScrapeArgs) -> Result<u8, Failure> {
    let request = args.request()?;
    let mut interrupt = Interrupt::listen();
    let engine = engine::start_with(with_model(&args.model)?, &args.engine)?;
    let url = request.url.clone();
    let page = tokio::select! {
        page = engine.scrape(request) => page.map_err(|error| engine::refused_page(error, &url, &args.engine))?,
        () = interrupt.pressed() => return Err(Failure::Interrupted),
    };
    match &args.output.out {
        Some(path) => {
            let file = Folder::extend(path, Names::with_hosts()).map_err(engine::no_folder)?.write(&page)?;
            session.note(format_args!("written to {}", path.join(file).display()));
            document::remark(session, &page);
        }
        None => document::print(session, &page, args.only_text())?,
    }
    Ok(exit::DONE)
}
