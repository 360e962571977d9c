//! Where PDFs are converted: within the program, or each by a process of its own.
//!
//! A crafted PDF can keep its parser busy for minutes, or make it take all memory there is. Within a program
//! only an estimate made beforehand [bounds that](crate::EngineBuilder::pdfs_in_process). A process can be
//! ended. So programs that convert the PDFs of strangers name a [`PdfWorker`]: each file is given to a
//! process of its own, which the system holds to its memory and its computing time, and which ends when
//! nobody waits for it any longer.
//!
//! A program can be its own worker:
//!
//! ```no_run
//! use gleaner::Engine;
//! use gleaner::pdf::{self, PdfWorker};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // Before anything else: as a worker the program does this alone.
//!     if std::env::args_os().nth(1).is_some_and(|word| word == "pdf-worker") {
//!         return Ok(pdf::serve()?);
//!     }
//!     let worker = PdfWorker::new(std::env::current_exe()?).arg("pdf-worker");
//!     let engine = Engine::builder().pdf_worker(worker).build()?;
//!     // ...
//! #   drop(engine);
//!     Ok(())
//! }
//! ```

use std::sync::Arc;

use gleaner_pdf_worker::{CompletePdf, PdfWorkers};
use gleaner_runtime::{Fetched, ReadPdf, Transformed};
use gleaner_transform::pdf::{Converted, Error, converted_page};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{Interrupt, PageError};

use crate::EngineBuilder;
use crate::adapters::TransformAdapter;

pub use gleaner_pdf_worker::{FAST_MEMORY, FAST_SECONDS, MAX_FAST_PLACES, PdfWorker, serve};

/// Where an engine is to convert PDFs.
#[derive(Debug, Default)]
pub(crate) struct PdfSettings {
    worker: Option<PdfWorker>,
}

impl PdfSettings {
    /// The processes for PDFs, whose answers become documents by `documents`.
    pub(crate) fn workers(self, documents: &Arc<TransformAdapter>) -> Option<Arc<dyn ReadPdf>> {
        let documents: Arc<dyn CompletePdf> = Arc::<TransformAdapter>::clone(documents);
        Some(Arc::new(PdfWorkers::new(self.worker?, documents)))
    }
}

impl CompletePdf for TransformAdapter {
    fn complete_pdf(
        &self,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        converted: Result<Converted, Error>,
        interrupt: &Interrupt,
    ) -> Result<Transformed, PageError> {
        let reading = self.reading(options);
        self.complete(converted_page(converted, &reading.formats), page, options, interrupt)
    }
}

impl EngineBuilder {
    /// Sets the program that converts the PDFs of scrapes, batches, crawls and maps, each in a process of its
    /// own: see [`pdf`](crate::pdf). Its processes are held to their memory and computing time where the
    /// system can do that, and are ended when nobody waits for their file any longer. One that takes more
    /// than a second, or 512 MiB, waits for the one place for such files, where it has 30 seconds and 1 GiB.
    /// [`Engine::convert`] converts within this process all the same.
    #[must_use]
    pub fn pdf_worker(mut self, worker: PdfWorker) -> Self {
        self.pdf.worker = Some(worker);
        self
    }

    /// Converts PDFs within this process, which is the default. Only an estimate of its cost, made
    /// beforehand, then bounds a file: a crafted one can keep a core busy for minutes after its page was
    /// given up, or take more memory than there is, which ends the process. For PDFs of strangers name a
    /// [`pdf_worker`](Self::pdf_worker).
    #[must_use]
    pub fn pdfs_in_process(mut self) -> Self {
        self.pdf.worker = None;
        self
    }
}
