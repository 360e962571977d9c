use serde_json::json;

use super::{Session, engine};
use crate::args::MapArgs;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Printer;
use crate::summary::counted;

pub(super) async fn run(session: Session, args: &MapArgs) -> Result<u8, Failure> {
    let request = args.request()?;
    let mut interrupt = Interrupt::listen();
    let engine = engine::start(&args.engine)?;
    let url = request.url.clone();
    let map = tokio::select! {
        map = engine.map(request) => map.map_err(|error| engine::refused_page(error, &url, &args.engine))?,
        () = interrupt.pressed() => return Err(Failure::Interrupted),
    };
    let mut printer = Printer::stdout();
    if args.json {
        let links: Vec<_> = map.links.iter().map(|url| json!({ "url": url.as_str() })).collect();
        printer.json(&json!({ "success": true, "links": links }))?;
    } else {
        for url in &map.links {
            printer.text(url.as_str())?;
        }
    }
    let found = u64::try_from(map.links.len()).unwrap_or(u64::MAX);
    session.note(counted(found, "address", "addresses"));
    if let Some(warning) = &map.warning {
        session.note(format_args!("note: {warning}"));
    }
    Ok(if map.links.is_empty() { exit::FAILED } else { exit::DONE })
}
