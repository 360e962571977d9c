//! Runs `gleaner scrape`: fetches and prints one page.

use gleaner::ErrorKind;

use super::model::with_model;
use super::with_progress::with_progress;
use super::{document, engine};
use crate::args::ScrapeArgs;
use crate::browser::Browser;
use crate::console::Console;
use crate::failure::Failure;
use crate::file_names::FileNames;
use crate::interrupt::Interrupt;
use crate::output::Folder;
use crate::printable::printable_target;

pub(super) async fn run(console: &Console, args: &ScrapeArgs, browser: &Browser) -> Result<u8, Failure> {
    let request = args.request()?;
    let mut interrupt = Interrupt::listen(browser);
    let engine = engine::start_with(with_model(&args.model, &args.engine)?, &args.engine, browser)?;
    let url = request.url.clone();
    args.remark(console);
    let state = || format!("reading {}", printable_target(&url));
    let page = with_progress(console, &mut interrupt, state, engine.scrape(request)).await?;
    let mut page = page.map_err(|error| {
        let is_of_page = error.kind() == ErrorKind::Page;
        let failure = engine::refused_page(error, &url, &args.engine);
        if is_of_page { failure.about(&url) } else { failure }
    })?;
    document::summarize(console, &page);
    match &args.output.out {
        Some(path) => {
            let files =
                Folder::put_one(path, FileNames::with_hosts(), &mut page).map_err(engine::unusable_folder)?;
            for file in std::iter::once(&files.page).chain(&files.whole).chain(&files.media) {
                console.note(format_args!("written to {}", path.join(file).display()));
            }
            document::remark(console, &page);
        }
        None => document::print(console, &page, args.only_text())?,
    }
    Ok(document::exit_code(console, &page, args.only_text(), args.selectors()))
}
