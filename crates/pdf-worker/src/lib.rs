//! PDFs converted by processes, one for each file.
//!
//! A crafted PDF can keep its parser busy for minutes, or make it take all memory there is. Within a program
//! only an estimate made beforehand bounds that. A process can be ended. So each file is given to a
//! [`PdfWorker`] of its own, which the system holds to its memory and its computing time, and which ends when
//! nobody waits for it any longer. [`PdfWorkers`] fits them to the runtime's port.

mod child;
mod fair_semaphore;
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

use async_trait::async_trait;
use gleaner_runtime::{Fetched, PdfTurn, ReadPdf, Transformed, spawn_blocking};
use gleaner_transform::pdf::{
    self, Converted, Limits, MAX_WORKER_SECONDS, convert_options, ended_by_time, read_answer, request_head,
};
use gleaner_transform::{MAX_BODY_BYTES, is_pdf};
use gleaner_types::plan::{PdfMode, PdfParser, ScrapeOptionsPlan};
use gleaner_types::{ErrorCode, Interrupt, PageError};
use tokio::time::timeout_at;

use self::child::Ended;
use self::fair_semaphore::{FairSemaphore, FileOwner};

/// Seconds of computing that a PDF has in a fast place. One that takes more begins anew in the slow one.
pub const FAST_SECONDS: u64 = 1;

/// Bytes of address space that a PDF has in a fast place. One that takes more begins anew in the slow one.
pub const FAST_MEMORY: u64 = 512 << 20;

/// Fast places, at most: one for each core of the machine, up to this many.
pub const MAX_FAST_PLACES: usize = 8;

/// Answers longer than this are not made a document of on a thread of the runtime.
const LARGE_ANSWER: usize = 256 << 10;

/// A program that converts PDFs for this one: it calls [`serve`] and ends.
///
/// It is started for each PDF, with standard input and output of its own, nothing on standard error, and on
/// Unix without the environment of this program and in a process group of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfWorker {
    program: PathBuf,
    args: Vec<OsString>,
}

impl PdfWorker {
    /// The program at this path, of this version of gleaner.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), args: Vec::new() }
    }

    /// Starts it with one more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }
}

/// Converts one PDF from standard input to standard output, for the engine that started this process.
///
/// The process is held to 1 GiB of address space and 30 seconds of computing before it reads anything, and to
/// what the engine asks for before it reads the file. That holds on Linux, Android and FreeBSD, and on macOS
/// but for the memory; elsewhere nothing is held, and the engine ends a process when its page is due.
///
/// # Errors
/// Where the limits cannot be had, what comes in is no request, or nobody takes the answer.
pub fn serve() -> io::Result<()> {
    pdf::serve(io::stdin().lock(), io::stdout().lock())
}

/// Makes documents of PDFs that were converted.
pub trait CompletePdf: Debug + Send + Sync + 'static {
    /// Makes a document of what was converted of a page. It ends soon after the interrupt is raised.
    ///
    /// # Errors
    /// Where the file could not be converted.
    fn complete_pdf(
        &self,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        converted: Result<Converted, pdf::Error>,
        interrupt: &Interrupt,
    ) -> Result<Transformed, PageError>;
}

/// [`ReadPdf`] by processes.
#[derive(Debug)]
pub struct PdfWorkers {
    worker: PdfWorker,
    documents: Arc<dyn CompletePdf>,
    fast: FairSemaphore,
    slow: FairSemaphore,
}

/// How often a file has been tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// In a fast place, which it leaves for others that have not been tried.
    First,
    /// In a fast place, to the end of its second.
    Second,
    /// In the slow place.
    Last,
}

impl PdfWorkers {
    /// Processes of this program, whose answers become documents by `documents`.
    #[must_use]
    pub fn new(worker: PdfWorker, documents: Arc<dyn CompletePdf>) -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self {
            worker,
            documents,
            fast: FairSemaphore::new(cores.min(MAX_FAST_PLACES)),
            slow: FairSemaphore::new(1),
        }
    }

    async fn convert(
        &self,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        parser: PdfParser,
        owner: &FileOwner,
    ) -> Result<Transformed, PageError> {
        let wanted = convert_options(parser);
        let fast = Limits { memory: FAST_MEMORY, seconds: FAST_SECONDS, ..Limits::default() };
        let mut round = Attempt::First;
        loop {
            let (fair_semaphore, limits) = match round {
                Attempt::First | Attempt::Second => (&self.fast, fast),
                Attempt::Last => (&self.slow, Limits { yields: true, ..Limits::default() }),
            };
            let place = fair_semaphore.place(owner, round != Attempt::First).await;
            let head = request_head(&wanted, limits, page.body.len());
            tracing::debug!(?round, "a worker converts a PDF");
            let (ended, place) =
                child::run(&self.worker, &head, &page.body, place, round == Attempt::First).await;
            round = match ended {
                Ended::Answered(answer) => {
                    let read = self.document(page, options, answer).await;
                    // What it takes to make a document of an answer is bounded by the places too.
                    drop(place);
                    return read;
                }
                Ended::Interrupted => Attempt::Second,
                Ended::Died(_) if round != Attempt::Last => Attempt::Last,
                Ended::Died(status) => return Err(died(status)),
                Ended::Failed(error) => {
                    tracing::error!(%error, "the PDF worker cannot be used");
                    return Err(unusable());
                }
            };
        }
    }

    /// Makes a document of an answer, aside where it is large.
    async fn document(
        &self,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        answer: Vec<u8>,
    ) -> Result<Transformed, PageError> {
        let interrupt = Interrupt::armed();
        // Fields are bound to all that the page says, which takes longer than to read it.
        if answer.len() <= LARGE_ANSWER && options.formats.json.is_none() {
            return document(self.documents.as_ref(), page, options, &answer, &interrupt);
        }
        // The turn is over when this is dropped.
        let _ends = interrupt.raise_on_drop();
        let (documents, page, options) = (Arc::clone(&self.documents), page.clone(), options.clone());
        let work = {
            let interrupt = interrupt.clone();
            move || document(documents.as_ref(), &page, &options, &answer, &interrupt)
        };
        spawn_blocking(work).await.unwrap_or_else(|_| Err(unusable()))
    }
}

#[async_trait]
impl ReadPdf for PdfWorkers {
    async fn read_pdf(
        &self,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        owner: PdfTurn<'_>,
    ) -> Option<Result<Transformed, PageError>> {
        let parser = options.pdf.filter(|parser| parser.mode != PdfMode::Ocr)?;
        if !is_pdf(&page.body) || page.body.len() > MAX_BODY_BYTES {
            return None;
        }
        let team = match owner.team {
            Some(team) => team.as_str(),
            None => "",
        };
        let of = FileOwner::of(team, &page.url);
        let read = timeout_at(owner.until, self.convert(page, options, parser, &of)).await;
        Some(read.unwrap_or_else(|_| Err(late())))
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
            "the PDF worker gives no answer: is it a program of this version that calls `gleaner::pdf::serve`?"
        );
        return Err(unusable());
    };
    documents.complete_pdf(page, options, converted, interrupt)
}

/// The file that made a process end without an answer.
fn died(status: ExitStatus) -> PageError {
    if status.code().is_some() {
        tracing::error!(%status, "the PDF worker ended by itself and gave no answer");
    }
    let reason = if ended_by_time(status) {
        format!("to convert the PDF takes more than {MAX_WORKER_SECONDS} seconds of computing")
    } else {
        "to convert the PDF takes more memory than there is for it, or brings out a fault of the parser"
            .to_owned()
    };
    let error =
        gleaner_transform::Error::from(gleaner_transform::ErrorKind::Pdf { reason, encrypted: false });
    PageError { code: error.code(), message: error.to_string() }
}

fn late() -> PageError {
    PageError {
        code: ErrorCode::ScrapeTimeout,
        message: "the PDF was not converted within the timeout of its page".to_owned(),
    }
}

/// Not the file's fault; the log has more.
fn unusable() -> PageError {
    PageError {
        code: ErrorCode::UnknownError,
        message: "the engine could not convert the PDF: the program that converts PDFs does not work"
            .to_owned(),
    }
}
