//! Converts PDFs in worker processes, one for each file.
//!
//! A crafted PDF can keep its parser busy for minutes or exhaust the memory. A process can be limited and
//! ended. So each file gets a [`PdfWorker`] process: the operating system limits its memory and its CPU time,
//! and the engine ends it when its result is no longer needed. [`PdfWorkers`] implements the runtime's port.

mod child;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::thread::available_parallelism;

use gleaner_runtime::{FairSemaphore, Fetched, PdfTask, ReadPdf, SlotOwner, Transformed, spawn_blocking};
use gleaner_transform::MAX_BODY_BYTES;
use gleaner_transform::pdf::{
    self, Converted, Limits, MAX_WORKER_SECONDS, convert_options, ended_by_time, read_answer, request_head,
};
use gleaner_types::media::is_pdf;
use gleaner_types::plan::{PdfMode, PdfParser, ScrapeOptionsPlan};
use gleaner_types::{BoxFuture, ErrorCode, Interrupt, PageError};
use tokio::time::timeout_at;

use self::child::Outcome;

/// CPU time of a PDF in a fast slot, in seconds. A file that needs more starts again in the slow slot.
const FAST_SECONDS: u64 = 1;

/// Address space of a PDF in a fast slot, in bytes. A file that needs more starts again in the slow slot.
const FAST_MEMORY: u64 = 512 << 20;

/// Maximum fast slots; there is one for each core of the machine.
const MAX_FAST_SLOTS: usize = 8;

/// Longer answers are converted to documents on a blocking thread.
const LARGE_ANSWER: usize = 256 << 10;

/// A program that calls [`serve`], to convert one PDF per process.
///
/// It is started for each PDF, with pipes as standard input and output and without standard error. On Unix it
/// also gets no environment of this program and a process group of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfWorker {
    program: PathBuf,
    args: Vec<OsString>,
}

impl PdfWorker {
    /// The program at this path. It must use the same version of gleaner.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), args: Vec::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }
}

/// Converts one PDF from standard input to standard output, for the engine that started this process.
///
/// The process first limits itself to 1 GiB of address space and 30 seconds of CPU time, and to the limits of
/// the engine before it reads the file. On Linux, Android and FreeBSD both limits work, on macOS only the one
/// on CPU time, and on other systems neither. The engine also ends a process at the deadline of its page.
///
/// # Errors
/// If the limits cannot be set, the input is not a request, or the output cannot be written.
pub fn serve() -> io::Result<()> {
    pdf::serve(io::stdin().lock(), io::stdout().lock())
}

/// Converts the output of workers to documents.
pub trait CompletePdf: Debug + Send + Sync + 'static {
    /// Makes the document of a page. It ends soon after the interrupt is raised.
    ///
    /// # Errors
    /// If the file could not be converted.
    fn complete_pdf(
        &self,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        converted: Result<Converted, pdf::Error>,
        interrupt: &Interrupt,
    ) -> Result<Transformed, PageError>;
}

/// [`ReadPdf`] by worker processes.
#[derive(Debug)]
pub struct PdfWorkers {
    worker: PdfWorker,
    documents: Arc<dyn CompletePdf>,
    fast: FairSemaphore,
    slow: FairSemaphore,
}

/// The attempts to convert a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// In a fast slot, which it leaves if an untried file waits for it.
    First,
    /// In a fast slot, up to its time limit.
    Second,
    /// In the slow slot.
    Last,
}

impl PdfWorkers {
    /// Processes of this program. `documents` converts their answers to documents.
    #[must_use]
    pub fn new(worker: PdfWorker, documents: Arc<dyn CompletePdf>) -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self {
            worker,
            documents,
            fast: FairSemaphore::new(cores.min(MAX_FAST_SLOTS)),
            slow: FairSemaphore::new(1),
        }
    }

    async fn convert(
        &self,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        parser: PdfParser,
        owner: &SlotOwner,
    ) -> Result<Transformed, PageError> {
        let worker_options = convert_options(parser);
        let fast = Limits { memory: FAST_MEMORY, seconds: FAST_SECONDS, ..Limits::default() };
        let mut attempt = Attempt::First;
        loop {
            let (slots, limits) = match attempt {
                Attempt::First | Attempt::Second => (&self.fast, fast),
                Attempt::Last => (&self.slow, Limits { yields: true, ..Limits::default() }),
            };
            let permit = slots.acquire(owner, attempt != Attempt::First).await;
            let head = request_head(&worker_options, limits, page.body.len());
            tracing::debug!(?attempt, "a worker converts a PDF");
            let (outcome, permit) =
                child::run(&self.worker, &head, &page.body, permit, attempt == Attempt::First).await;
            attempt = match outcome {
                Outcome::Answered(answer) => {
                    let document = self.document(page, options, answer).await;
                    // The slots also limit the conversion of answers to documents.
                    drop(permit);
                    return document;
                }
                Outcome::Interrupted => Attempt::Second,
                Outcome::Died(_) if attempt != Attempt::Last => Attempt::Last,
                Outcome::Died(status) => return Err(died(status)),
                Outcome::Failed(error) => {
                    tracing::error!(%error, "the PDF worker cannot be used");
                    return Err(unusable());
                }
            };
        }
    }

    /// Makes the document of an answer, on a blocking thread if the answer is large.
    async fn document(
        &self,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        answer: Vec<u8>,
    ) -> Result<Transformed, PageError> {
        let interrupt = Interrupt::armed();
        // The extraction of fields takes longer than the conversion.
        if answer.len() <= LARGE_ANSWER && options.formats.json.is_none() {
            return document(self.documents.as_ref(), page, options, &answer, &interrupt);
        }
        // Ends the work if this future is dropped.
        let _guard = interrupt.raise_on_drop();
        let (documents, page, options) = (Arc::clone(&self.documents), page.clone(), options.clone());
        let work = {
            let interrupt = interrupt.clone();
            move || document(documents.as_ref(), &page, &options, &answer, &interrupt)
        };
        spawn_blocking(work).await.unwrap_or_else(|_| Err(unusable()))
    }
}

impl ReadPdf for PdfWorkers {
    fn read_pdf<'a>(
        &'a self,
        page: &'a Fetched,
        options: &'a ScrapeOptionsPlan,
        task: PdfTask<'a>,
    ) -> BoxFuture<'a, Option<Result<Transformed, PageError>>> {
        Box::pin(async move {
            let parser = options.pdf.filter(|parser| parser.mode != PdfMode::Ocr)?;
            if !is_pdf(page.content_type.as_deref(), &page.body) || page.body.len() > MAX_BODY_BYTES {
                return None;
            }
            let slot_owner = SlotOwner::new(task.team, &page.url);
            let converted = timeout_at(task.deadline, self.convert(page, options, parser, &slot_owner)).await;
            Some(converted.unwrap_or_else(|_| Err(timed_out())))
        })
    }
}

fn document(
    documents: &dyn CompletePdf,
    page: &Fetched,
    options: &ScrapeOptionsPlan,
    answer: &[u8],
    interrupt: &Interrupt,
) -> Result<Transformed, PageError> {
    let Some(converted) = read_answer(answer) else {
        tracing::error!(
            "the PDF worker gave no valid answer: it must call `pdf::serve` of the same version of gleaner"
        );
        return Err(unusable());
    };
    documents.complete_pdf(page, options, converted, interrupt)
}

/// The error of a file whose process ended without an answer.
fn died(status: ExitStatus) -> PageError {
    if status.code().is_some() {
        tracing::error!(%status, "the PDF worker exited without an answer");
    }
    let reason = if ended_by_time(status) {
        format!("the conversion of the PDF takes more than {MAX_WORKER_SECONDS} seconds of CPU time")
    } else {
        "the conversion of the PDF exceeds its memory limit, or crashes the parser".to_owned()
    };
    let error =
        gleaner_transform::Error::from(gleaner_transform::ErrorKind::Pdf { reason, encrypted: false });
    PageError { code: error.code(), message: error.to_string() }
}

fn timed_out() -> PageError {
    PageError {
        code: ErrorCode::ScrapeTimeout,
        message: "the PDF was not converted within the timeout of its page".to_owned(),
    }
}

/// The worker program is unusable. Clients do not see the cause; the log has it.
fn unusable() -> PageError {
    PageError {
        code: ErrorCode::UnknownError,
        message: "the engine could not convert the PDF: the program that converts PDFs does not work"
            .to_owned(),
    }
}
