//! Builds the engine from arguments, and converts its errors to messages.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gleaner::postgres::PostgresConfig;
use gleaner::{
    DiskCache, Engine, EngineBuilder, Error, ErrorKind, FetcherBuilder, Network, Politeness, Storage,
};
use tokio::runtime::Handle;
use url::Url;

use super::place::Place;
use super::reach;
use super::results::Results;
use super::run::Run;
use super::stored;
use crate::args::{EngineArgs, OutputArgs, described, in_flags};
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::hint;
use crate::pdf_worker;

/// The greatest size of the `--cache` folder.
const MAX_CACHE_BYTES: u64 = 1 << 30;

/// Builds the engine that the arguments describe. Other settings come from `builder`.
pub(super) fn start_with(
    builder: EngineBuilder,
    args: &EngineArgs,
    browser: &Browser,
) -> Result<Engine, Failure> {
    configured(builder, args, browser)?.build().map_err(refused)
}

/// Like [`start_with`], with the file or the database of the job, if there is one.
pub(super) async fn start_for(
    place: &Place,
    builder: EngineBuilder,
    args: &EngineArgs,
    browser: &Browser,
) -> Result<Engine, Failure> {
    match place {
        Place::Memory => start_with(builder, args, browser),
        Place::File(file) => {
            if let Some(target) = file.unfinished() {
                reach::check(target, args).await?;
            }
            if let Some(label) = file.unfinished_label() {
                reach::check_ranges(label, args)?;
            }
            start_on(file.path(), builder, args, browser)
        }
        Place::Database(config) => start_in(config, builder, args, browser).await,
    }
}

/// Like [`start_with`], with the jobs of a database.
pub(super) async fn start_in(
    config: &PostgresConfig,
    builder: EngineBuilder,
    args: &EngineArgs,
    browser: &Browser,
) -> Result<Engine, Failure> {
    let builder = configured(builder, args, browser)?.store_in_database(config.clone());
    builder.build_async().await.map_err(|error| match error.kind() {
        ErrorKind::Store => super::database::unusable(&error),
        _ => refused(error),
    })
}

/// Like [`start_with`], with the jobs of a file. They are kept until the user deletes the file. It reads what
/// waits in the file first, so it takes longer the more that is.
pub(super) fn start_on(
    file: &Path,
    builder: EngineBuilder,
    args: &EngineArgs,
    browser: &Browser,
) -> Result<Engine, Failure> {
    let builder = configured(builder, args, browser)?
        .store_at(file)
        .storage(Storage::new().result_retention(Duration::MAX));
    builder.build().map_err(|error| match error.kind() {
        ErrorKind::Configuration => refused(error),
        _ => stored::refused(file, &error),
    })
}

fn configured(
    builder: EngineBuilder,
    args: &EngineArgs,
    browser: &Browser,
) -> Result<EngineBuilder, Failure> {
    let mut builder = browser.add_to(builder).on_runtime(Handle::current());
    for range in &args.allow_private {
        builder = builder.allow_private(*range);
    }
    // Links may lead to malicious PDFs.
    if let Some(worker) = pdf_worker::own() {
        builder = builder.pdf_worker(worker);
    }
    if let Some(agent) = &args.user_agent {
        builder = builder.user_agent(agent.as_str());
    }
    let mut network = Network::new().check_certificates(!args.skips_tls_verification());
    for pem in args.ca_certificates()? {
        network = network.add_root_certificates_pem(pem);
    }
    if let Some(pages) = args.concurrency {
        builder = builder.concurrency(pages).politeness(Politeness::new().concurrency_per_host(pages));
    }
    if let Some(pool) = args.proxies()? {
        network = network.basic_proxies(pool);
    }
    if let Some(pool) = args.stealth_proxies()? {
        network = network.stealth_proxies(pool);
    }
    let storage = if let Some(folder) = &args.cache {
        let cache = DiskCache::open(folder, MAX_CACHE_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::ResourceBusy => {
                Failure::failed(format!("--cache: another gleaner process is using {}", folder.display()))
            }
            _ => Failure::usage(format!(
                "--cache: cannot use {}: {error}; name a writable folder",
                folder.display()
            )),
        })?;
        Storage::new().cache(Arc::new(cache))
    } else {
        // Copies in memory would be lost at the end of the command, and would need more memory than the rest
        // of a crawl.
        Storage::new().no_cache()
    };
    Ok(builder.network(network).storage(storage))
}

/// The client of a model or a search engine. It trusts the same certificate authorities as the engine.
pub(super) fn transport(args: &EngineArgs) -> Result<FetcherBuilder, Failure> {
    let certificates = args.ca_certificates()?.into_iter();
    Ok(certificates.fold(FetcherBuilder::default(), FetcherBuilder::add_root_certificates_pem))
}

/// The failure for an unusable `--out` folder.
pub(super) fn unusable_folder(error: io::Error) -> Failure {
    Failure::usage(format!("--out: {error}; name a writable folder"))
}

/// The failure for an error of the engine, with the names of options.
pub(super) fn refused(error: Error) -> Failure {
    match (error.kind(), error.faults()) {
        (_, Some(faults)) => Failure::Usage(faults.as_slice().iter().map(described).collect()),
        (ErrorKind::Request | ErrorKind::Unsupported | ErrorKind::Configuration, _) => {
            Failure::usage(in_flags(&error.to_string()))
        }
        _ => Failure::failed(in_flags(&error.to_string())),
    }
}

/// Like [`refused`], for a command with the single target `url`.
pub(super) fn refused_page(error: Error, url: &str, network: &EngineArgs) -> Failure {
    let code = error.code();
    match refused(error) {
        Failure::Failed { message, .. } => {
            let url = Url::parse(url).or_else(|_| Url::parse(&format!("https://{url}"))).ok();
            let hint = hint::for_page(code, &message, url.as_ref(), network);
            Failure::Failed { message, hint }
        }
        failure => failure,
    }
}

/// Reports the outcome of a job.
pub(super) fn report(
    console: &Console,
    run: &Run,
    network: &EngineArgs,
    results: &Results,
    output: &OutputArgs,
) {
    let summary = run.summary(network, results.lists_failures());
    if let Some(report) = console.report() {
        summary.add_to(report);
    } else if !console.is_quiet() || run.exit_code() == exit::FAILED {
        // The reason for an empty result is an error, and --quiet does not suppress errors.
        console.error(summary.text());
    }
    if let Some(text) = results.description(run, output) {
        console.note(text);
    }
}
