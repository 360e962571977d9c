//! From arguments to an engine, and from its refusals to words.

use std::io;
use std::sync::Arc;

use gleaner::{DiskCache, Engine, EngineBuilder, Error, ErrorCode, ErrorKind};
use url::Url;

use super::results::Results;
use super::run::Run;
use crate::args::{EngineArgs, OutputArgs, in_flags, told};
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::hint;
use crate::pdf_worker;

/// The most that the folder of `--cache` holds.
const MAX_CACHE_BYTES: u64 = 1 << 30;

/// The engine as the command line wants it, from a builder that has more set.
pub(super) fn start_with(mut builder: EngineBuilder, args: &EngineArgs) -> Result<Engine, Failure> {
    for range in &args.allow_private {
        builder = builder.allow_private(*range);
    }
    // Pages that strangers link to may be PDFs, and some of those are made to hurt.
    if let Some(worker) = pdf_worker::own() {
        builder = builder.pdf_worker(worker);
    }
    if let Some(agent) = &args.user_agent {
        builder = builder.user_agent(agent.as_str());
    }
    if let Some(most) = args.concurrency {
        builder = builder.concurrency(most, most);
    }
    if let Some(pool) = args.proxies()? {
        builder = builder.basic_proxies(pool);
    }
    if let Some(pool) = args.stealth_proxies()? {
        builder = builder.stealth_proxies(pool);
    }
    if let Some(folder) = &args.cache {
        let cache = DiskCache::open(folder, MAX_CACHE_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::ResourceBusy => {
                Failure::failed(format!("--cache: another gleaner has {} open", folder.display()))
            }
            _ => Failure::usage(format!(
                "--cache: cannot use {}: {error}; give a folder that can be written to",
                folder.display()
            )),
        })?;
        builder = builder.cache(Arc::new(cache));
    } else {
        // Copies in memory would go with the command, and hold more than all the rest of a crawl.
        builder = builder.no_cache();
    }
    builder.check_certificates(!args.skips_tls_verification()).build().map_err(refused)
}

/// What is wrong with the folder that `--out` names.
pub(super) fn no_folder(error: io::Error) -> Failure {
    Failure::usage(format!("--out: {error}; give a folder that can be written to"))
}

/// A refusal of the engine, in the words of the command line.
pub(super) fn refused(error: Error) -> Failure {
    match (error.kind(), error.faults()) {
        (_, Some(faults)) => Failure::Usage(faults.as_slice().iter().map(told).collect()),
        // The one setting of the engine that can be wrong and that the command line does not check.
        (ErrorKind::Configuration, _) => Failure::usage(format!("--user-agent: {error}")),
        (ErrorKind::Request | ErrorKind::Unsupported, _) => Failure::usage(in_flags(&error.to_string())),
        _ => Failure::failed(in_flags(&error.to_string())),
    }
}

/// As [`refused`], where all that was asked for is `url`.
pub(super) fn refused_page(error: Error, url: &str, network: &EngineArgs) -> Failure {
    let code = error.code();
    match refused(error) {
        Failure::Failed { message, .. } => {
            let hint = match code {
                ErrorCode::ScrapeBlocked => Url::parse(url)
                    .or_else(|_| Url::parse(&format!("https://{url}")))
                    .ok()
                    .and_then(|url| hint::for_refused(&url, &network.allow_private)),
                ErrorCode::ScrapeSslError => hint::for_certificates(network.skips_tls_verification()),
                _ => None,
            };
            Failure::Failed { message, hint }
        }
        failure => failure,
    }
}

/// Says how a job went.
pub(super) fn tell(
    console: &Console,
    run: &Run,
    network: &EngineArgs,
    results: &Results,
    output: &OutputArgs,
) {
    // Also where quiet was asked for: why nothing came out is an error, and errors are told.
    if !console.is_quiet() || run.exit_code() == exit::FAILED {
        console.error(run.summary(network, results.lists_failures()).text());
    }
    if let Some(told) = results.told(run, output) {
        console.note(told);
    }
}
