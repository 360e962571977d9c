//! The server under test, in a process of its own, so that its memory is that of one flood.

use std::future::Future;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use gleaner_benches::engine::loopback;
use gleaner_benches::{peak_memory_of, reset_peak_memory, resident_memory_of};
use gleaner_http::Service;
use gleaner_testkit::KilledOnDrop;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::Failure;
use crate::measured::{Latencies, MeasuredTeam, measure_during};

#[path = "../../../../crates/http/examples/host/serve.rs"]
mod host;

/// The argument with which this program is the server.
pub(crate) const SERVE: &str = "serve";
/// Pages of the site of the other team.
pub(crate) const PAGES: u32 = 50;

/// Worker threads of the server.
const WORKERS: usize = 2;
/// The other team starts a scrape this often, even if earlier ones still run.
const SCRAPE_INTERVAL: Duration = Duration::from_millis(20);
/// A first second opens connections, fills caches and starts threads.
const WARM_UP: Duration = Duration::from_secs(1);

/// Serves until standard input ends, and prints its address. From each odd line of input to the next one it
/// scrapes pages of the site `innocent` as another team, and prints the latencies.
pub(crate) fn serve(innocent: &str) -> Result<(), Failure> {
    gleaner::raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    let result = runtime.block_on(serve_and_measure(innocent));
    // A drop would wait for blocking work of the flood.
    runtime.shutdown_background();
    result
}

async fn serve_and_measure(innocent: &str) -> Result<(), Failure> {
    let engine = loopback().build()?;
    let urls: Vec<String> = (1..=PAGES).map(|page| format!("{innocent}/p/{page}")).collect();
    let team = Arc::new(MeasuredTeam::new(&engine, &urls, SCRAPE_INTERVAL)?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(host::serve(listener, Service::new(engine), host::MAX_CONNECTIONS));
    measure_during(&team, tokio::time::sleep(WARM_UP)).await?;
    println!("{address}");
    let mut lines = input_lines();
    let mut alone: Option<Latencies> = None;
    while lines.recv().await.is_some() {
        let (_, latencies) = measure_during(&team, lines.recv()).await?;
        match &alone {
            Some(alone) => println!("{latencies}, {}", latencies.compared_with(alone)),
            None => {
                println!("{latencies}");
                alone = Some(latencies);
            }
        }
    }
    Ok(())
}

/// A message for each line of standard input.
fn input_lines() -> UnboundedReceiver<()> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || {
        for _ in io::stdin().lines().map_while(Result::ok) {
            if sender.send(()).is_err() {
                break;
            }
        }
    });
    receiver
}

/// A running server.
pub(crate) struct ServerProcess {
    child: KilledOnDrop,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl ServerProcess {
    pub(crate) fn start(innocent: &str) -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([SERVE, innocent]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = KilledOnDrop(command.spawn()?);
        let pipes = child.0.stdin.take().zip(child.0.stdout.take());
        let (input, output) = pipes.ok_or("the server has no pipes")?;
        let mut output = BufReader::new(output);
        let address = read_line(&mut output)?.parse()?;
        Ok(Self { child, input, output, address })
    }

    /// The latencies of the other team while a future runs.
    pub(crate) async fn measured<T>(
        &mut self,
        load: impl Future<Output = T>,
    ) -> Result<(T, String), Failure> {
        writeln!(self.input)?;
        let result = load.await;
        writeln!(self.input)?;
        Ok((result, read_line(&mut self.output)?))
    }

    /// Its memory now, in KiB.
    pub(crate) fn resident(&self) -> Result<u64, Failure> {
        resident_memory_of(self.child.0.id()).ok_or_else(|| "the memory of the server is unknown".into())
    }

    /// Its peak memory since [`reset_peak`](Self::reset_peak), in KiB.
    pub(crate) fn peak(&self) -> Result<u64, Failure> {
        peak_memory_of(self.child.0.id()).ok_or_else(|| "the memory of the server is unknown".into())
    }

    pub(crate) fn reset_peak(&self) -> Result<(), Failure> {
        reset_peak_memory(self.child.0.id())
            .map_err(|error| format!("the peak of the server's memory cannot be reset: {error}").into())
    }
}

fn read_line(output: &mut BufReader<ChildStdout>) -> Result<String, Failure> {
    let mut line = String::new();
    match output.read_line(&mut line)? {
        0 => Err("the server has ended".into()),
        _ => Ok(line.trim_end().to_owned()),
    }
}
