//! Pages of the demo on this machine, which checks fetch.

use gleaner::{Engine, ScrapeRequest, Storage};
use serde_json::Value;
use tokio::runtime::Handle;

use super::super::engine;
use crate::args::in_flags;
use crate::browser::Browser;
use crate::demo::Server;
use crate::failure::Failure;
use crate::pdf_worker;

/// Pages on this machine, and an engine that fetches them like those of a crawl.
#[derive(Debug)]
pub(super) struct Pages {
    server: Server,
    engine: Engine,
}

impl Pages {
    /// Serves the pages of the demo.
    ///
    /// # Errors
    /// The system has no free port, or the engine cannot be built.
    pub(super) async fn start(browser: &Browser) -> Result<Self, Failure> {
        let server = Server::start()
            .await
            .map_err(|error| Failure::failed(format!("cannot serve pages on 127.0.0.1: {error}")))?;
        let loopback = "127.0.0.0/8".parse().map_err(Failure::failed)?;
        let builder = Engine::builder()
            .on_runtime(Handle::current())
            .allow_private(loopback)
            .storage(Storage::new().no_cache());
        let mut builder = browser.add_to(builder);
        if let Some(worker) = pdf_worker::own() {
            builder = builder.pdf_worker(worker);
        }
        Ok(Self { server, engine: builder.build().map_err(engine::refused)? })
    }

    /// The text of the page at `path`, fetched with these options of a request.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn text(&self, path: &str, mut options: Value) -> Result<String, String> {
        let url = format!("{}{path}", self.server.origin());
        if let Some(options) = options.as_object_mut() {
            options.insert("url".to_owned(), Value::from(url.as_str()));
        }
        let request = ScrapeRequest::from_json(&options).map_err(|faults| faults.to_string())?;
        match self.engine.scrape(request).await {
            Ok(page) => match (page.markdown, page.warning) {
                (Some(text), _) if !text.trim().is_empty() => Ok(text),
                (_, Some(warning)) => Err(in_flags(&warning)),
                (_, None) => Err("the page has no text".to_owned()),
            },
            Err(error) => {
                let text = in_flags(&error.to_string());
                let reason = text.strip_prefix(&url).and_then(|rest| rest.strip_prefix(": "));
                Err(reason.unwrap_or(&text).to_owned())
            }
        }
    }
}
