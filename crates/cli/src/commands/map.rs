//! Runs `gleaner map`: lists the URLs of a site.

use gleaner::Engine;
use serde_json::json;

use super::engine;
use super::with_progress::with_progress;
use crate::args::{MapArgs, in_flags};
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Printer;
use crate::printable::printable_target;
use crate::summary::counted;

pub(super) async fn run(console: &Console, args: &MapArgs, browser: &Browser) -> Result<u8, Failure> {
    let request = args.request()?;
    let mut interrupt = Interrupt::listen(browser);
    let engine = engine::start_with(args.configure(Engine::builder()), &args.engine, browser)?;
    let url = request.url.clone();
    args.remark(console);
    let state = || format!("listing the URLs of {}", printable_target(&url));
    let map = with_progress(console, &mut interrupt, state, engine.map(request)).await?;
    let map = map.map_err(|error| engine::refused_page(error, &url, &args.engine))?;
    let mut printer = Printer::stdout();
    if args.json {
        let links: Vec<_> = map.links.iter().map(|url| json!({ "url": url.as_str() })).collect();
        let mut listed = json!({ "success": true, "links": links });
        if let (Some(warning), Some(listed)) = (&map.warning, listed.as_object_mut()) {
            listed.insert("warning".to_owned(), in_flags(warning).into());
        }
        printer.json(&listed)?;
    } else {
        for url in &map.links {
            printer.text(url.as_str())?;
        }
    }
    let found = u64::try_from(map.links.len()).unwrap_or(u64::MAX);
    match console.report() {
        Some(report) => {
            report.set("urls", found);
            if let Some(warning) = &map.warning {
                report.set("warnings", vec![in_flags(warning)]);
            }
        }
        None => {
            console.note(counted(found, "URL", "URLs"));
            if let Some(warning) = &map.warning {
                console.note(format_args!("note: {}", in_flags(warning)));
            }
        }
    }
    Ok(if map.links.is_empty() { exit::FAILED } else { exit::DONE })
}
