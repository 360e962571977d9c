//! A server of the web-data API: the service over hyper, with options to try it out.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the program prints its address and errors")]

#[path = "host/serve.rs"]
mod serve;

use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use gleaner::browser::{Browser, BrowserConfigError};
use gleaner::models::{HttpModel, Provider};
use gleaner::pdf::{self, PdfWorker};
use gleaner::postgres::{self, PostgresConfig};
use gleaner::service::{MemoryAccounts, Operation, Secret, Team, TeamConfig, TeamId};
use gleaner::{Engine, EngineBuilder, FetcherBuilder, Network};
use gleaner_http::Service;
use ipnet::IpNet;
use url::Url;

#[derive(Debug, Parser)]
struct Options {
    /// The address to listen on; port 0 selects a free port
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The API key of the only team
    #[arg(long)]
    api_key: String,
    /// Allow a range of addresses that the egress guard refuses by default
    #[arg(long, value_name = "CIDR")]
    allow_private: Vec<IpNet>,
    /// Trust the certificate authorities in this PEM file, for webhooks, the model, and pages with
    /// `skipTlsVerification: false`; repeat for more files
    #[arg(long, value_name = "FILE")]
    ca_certificate: Vec<PathBuf>,
    /// The browser for pages that need one: the program of a Chromium, auto (an installed one, or none) or
    /// never
    #[arg(long, value_name = "PATH|auto|never", default_value = "auto")]
    browser: PathBuf,
    /// Keep jobs and their results in this folder, which is created for its owner only: they go on when the
    /// server is started again with it. By default, they end with the server
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Keep jobs and their results in this PostgreSQL database, whose tables are created. Any number of
    /// servers may share it; each one answers for all jobs
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    database: Option<String>,
    /// The team's credits; unlimited by default. The balance is kept in memory: it is back at this number
    /// when the server is started again, also with --data, and each server of a --database has one
    #[arg(long)]
    credits: Option<u64>,
    /// Requests per minute and operation (scrapes, crawls, reads, ...); 0 disables the limit
    #[arg(long, default_value_t = 600)]
    requests_per_minute: u32,
    /// The secret that signs webhooks
    #[arg(long)]
    webhook_secret: Option<String>,
    /// The base URL of an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1
    #[arg(long, requires = "model")]
    model_url: Option<Url>,
    /// The name of the model at that endpoint
    #[arg(long, requires = "model_url")]
    model: Option<String>,
}

/// The argument that starts this program as a PDF worker of the server.
const PDF_WORKER: &str = "pdf-worker";

/// The file with the jobs in the folder of `--data`.
const JOBS_FILE: &str = "gleaner.db";

fn main() -> ExitCode {
    // Before any setup, because all memory and time of a worker counts against the limits of its file.
    let is_worker = std::env::args_os().nth(1).is_some_and(|argument| argument == PDF_WORKER);
    let ended: Result<(), Box<dyn std::error::Error>> =
        if is_worker { pdf::serve().map_err(Into::into) } else { serve() };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Connections of clients may take one in this many of the files that the process may have open.
const FILES_PER_CLIENT: usize = 4;

#[tokio::main]
async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    let options = Options::parse();
    let files = gleaner::raise_open_files().and_then(|files| usize::try_from(files).ok());
    let max_connections =
        files.map_or(serve::MAX_CONNECTIONS, |files| serve::MAX_CONNECTIONS.min(files / FILES_PER_CLIENT));
    let mut team = TeamConfig::new(Team::new(TeamId::default()));
    team.credits = options.credits;
    team.requests_per_minute = match options.requests_per_minute {
        0 => Vec::new(),
        rate => Operation::ALL.map(|operation| (operation, rate)).into(),
    };
    team.webhook_secret = options.webhook_secret.map(Secret::new);

    let accounts = MemoryAccounts::new().with_team(options.api_key, team);
    let worker = PdfWorker::new(std::env::current_exe()?).arg(PDF_WORKER);
    let mut builder = Engine::builder().accounts(Arc::new(accounts)).pdf_worker(worker);
    let (mut network, mut client) = (Network::new(), FetcherBuilder::default());
    for file in &options.ca_certificate {
        let pem = read_pem(file)?;
        network = network.add_root_certificates_pem(pem.as_slice());
        client = client.add_root_certificates_pem(pem);
    }
    builder = builder.network(network);
    if let (Some(url), Some(name)) = (options.model_url, options.model) {
        let model = HttpModel::builder(Provider::OpenAi, name).base_url(url).transport(client).build()?;
        builder = builder.model(Arc::new(model));
    }
    if let Some(folder) = &options.data {
        create_folder(folder)
            .map_err(|error| format!("--data: cannot create {}: {error}", folder.display()))?;
        builder = builder.store_at(folder.join(JOBS_FILE));
    }
    if let Some(url) = &options.database {
        let config = PostgresConfig::new(url.as_str());
        postgres::migrate(&config).await?;
        builder = builder.store_in_database(config);
    }
    let browser = browser(&options.browser)?;
    if let Some(browser) = &browser {
        builder = builder.browser(browser.clone());
    }
    let engine = options.allow_private.into_iter().fold(builder, EngineBuilder::allow_private);
    let engine = engine.build_async().await?;
    // The jobs of an earlier run go on, also if no request comes.
    engine.resume().await;
    let listener = tokio::net::TcpListener::bind(options.listen).await.map_err(|error| {
        format!("--listen: cannot listen at {}: {error}; choose another port", options.listen)
    })?;
    println!("http://{}", listener.local_addr()?);
    tokio::select! {
        () = serve::serve(listener, Service::new(engine.clone()), max_connections) => {}
        stopped = stop_signal() => stopped?,
    }
    // Nothing is accepted any more. Pages in work are finished or wait for the next run, or go on at once in
    // another server of the database.
    engine.stop().await;
    // It would end with the program, but the folder of its profile would remain.
    if let Some(browser) = browser {
        browser.close().await;
    }
    Ok(())
}

/// Waits for Ctrl-C or, on Unix, for SIGTERM.
async fn stop_signal() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            pressed = tokio::signal::ctrl_c() => pressed,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    {
        tokio::signal::ctrl_c().await
    }
}

/// Creates a folder that, on Unix, only its owner can read. One that exists stays as it is.
fn create_folder(path: &Path) -> io::Result<()> {
    let mut folder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.recursive(true).create(path)
}

/// The browser of the option, if there is one.
fn browser(option: &Path) -> Result<Option<Browser>, BrowserConfigError> {
    let program = match option.to_str() {
        Some("never") => None,
        Some("auto") => Browser::find().ok(),
        _ => Some(option.to_owned()),
    };
    let Some(program) = program else { return Ok(None) };
    // Chromium's sandbox refuses root, so the user `nobody` runs it.
    Browser::builder().program(program).user_if_root(65_534, 65_534).build().map(Some)
}

/// The content of a file of certificates in PEM.
fn read_pem(file: &Path) -> Result<Vec<u8>, String> {
    let unusable = |reason: &dyn Display| {
        format!(
            "--ca-certificate: cannot use {}: {reason}; name a PEM file with certificates",
            file.display()
        )
    };
    let pem = std::fs::read(file).map_err(|error| unusable(&error))?;
    let built = FetcherBuilder::default().add_root_certificates_pem(pem.as_slice()).build();
    built.map(|_| pem).map_err(|error| unusable(&error))
}
