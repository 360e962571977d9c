//! Conversion of PDFs: within this process, or in a process for each file.
//!
//! A crafted PDF can keep its parser busy for minutes or exhaust the memory. Within this process only
//! budgets for what is read [limit that](crate::EngineBuilder::pdf_worker). A program that
//! converts untrusted PDFs should set a [`PdfWorker`]: each file then gets a process, the operating system
//! limits its memory and its CPU time, and the engine ends it when its result is no longer needed.
//!
//! A program can be its own worker:
//!
//! ```no_run
//! use gleaner::Engine;
//! use gleaner::pdf::{self, PdfWorker};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // First of all: as a worker the program does nothing else.
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

#[doc(inline)]
pub use gleaner_pdf_worker::{PdfWorker, serve};

/// The settings of a builder for PDFs.
#[derive(Debug, Default)]
pub(crate) struct PdfSettings {
    worker: Option<PdfWorker>,
}

impl PdfSettings {
    /// The worker processes, if a worker is set. `documents` converts their output to documents.
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
        let transform_options = self.transform_options(options);
        self.complete(converted_page(converted, &transform_options.formats), page, options, interrupt)
    }
}

/// PDFs.
impl EngineBuilder {
    /// Sets the program that converts the PDFs of scrapes, batches, crawls and maps, in a process for each
    /// file: see [`pdf`](crate::pdf). The operating system limits the memory and the CPU time of a process if
    /// it can, and the engine ends the process when its result is no longer needed. A file that needs more
    /// than 1 second or 512 MiB waits for the only slot for such files, which allows 30 seconds and 1 GiB.
    /// [`Engine::convert`](crate::Engine::convert) still converts within this process.
    ///
    /// Default: PDFs are converted within this process, and only budgets for what is read limit a file. A
    /// crafted file can occupy a core for minutes after its page timed out, or exhaust the memory, which ends
    /// this process.
    #[must_use]
    pub fn pdf_worker(mut self, worker: PdfWorker) -> Self {
        self.pdf.worker = Some(worker);
        self
    }
}
