//! What extraction and change tracking read of a page.

use std::sync::{Arc, Mutex};

use gleaner_runtime::{Extract, ExtractTask, Extracted, PageRead, PageTask, TrackChanges, TrackingTask};
use gleaner_store::TrackedScrape;
use gleaner_types::{BoxFuture, Document, PageError};
use serde_json::json;

use super::{Reply, Site, runtime, scrape_as};

/// Records what extraction and change tracking read.
#[derive(Debug, Default)]
struct Readers(Mutex<Vec<(&'static str, String)>>);

impl Extract for Readers {
    fn extract(&self, _task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move { Ok(Extracted::default()) })
    }

    fn read_page<'a>(&'a self, page: PageTask<'a>) -> BoxFuture<'a, PageRead> {
        Box::pin(async move {
            self.0.lock().unwrap().push(("read", page.text.markdown));
            PageRead::default()
        })
    }
}

impl TrackChanges for Readers {
    fn track<'a>(
        &'a self,
        _task: TrackingTask<'a>,
        document: &'a mut Document,
    ) -> BoxFuture<'a, Option<Box<TrackedScrape>>> {
        Box::pin(async move {
            self.0.lock().unwrap().push(("compared", document.markdown.clone().unwrap_or_default()));
            None
        })
    }
}

#[tokio::test(start_paused = true)]
async fn extraction_and_change_tracking_read_the_page_that_the_document_has() {
    for (served, rendered, text) in [
        ("text served", "text rendered", "served"),
        ("shell", "text rendered", "rendered"),
        ("shell\ntext served", "text no", "served"),
    ] {
        let site = Arc::new(Site {
            other_served: Reply::Page(200, served),
            other_rendered: Mutex::new(Reply::Page(200, rendered)),
            ..Site::default()
        });
        let (runtime, readers) = (runtime(&site, 1), Arc::new(Readers::default()));
        runtime.set_extract(Arc::clone(&readers) as Arc<dyn Extract>);
        runtime.set_tracker(Arc::clone(&readers) as Arc<dyn TrackChanges>);
        let formats = json!(["markdown", "changeTracking", { "type": "json", "prompt": "the names" }]);
        let request = json!({ "url": "https://a.example/", "formats": formats });
        let document = scrape_as(&runtime, serde_json::from_value(request).unwrap()).await;
        assert_eq!(document.markdown.as_deref(), Some(text), "{served}");
        let read = readers.0.lock().unwrap().clone();
        assert_eq!(read, [("read", text.to_owned()), ("compared", text.to_owned())], "{served}");
    }
}
