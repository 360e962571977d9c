//! Serves a generated site until Ctrl-C, for manual tests of a crawler and for benchmarks in another process.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use gleaner_testkit::{Extras, LogDetail, ServeOptions, Site, SiteSpec};

const HELP: &str = "\
Serves a generated site on 127.0.0.1 until Ctrl-C.

Usage: site [OPTIONS]

  --port PORT          port to listen on; 0 lets the system choose (default 0)
  --pages N            numbered pages, including the start page (default 1000)
  --seed N             seed of texts and links (default 1)
  --latency-ms MS      latency of each response (default 0)
  --jitter-ms MS       upper bound on additional latency, chosen by the path (default 0)
  --extras LIST        all, none, or names separated by commas (default none)
  --crawl-delay S      Crawl-delay in robots.txt, in seconds (with the extra `robots`)
  --external URL       a URL on another host for the start page to link to
  --help               this text
";

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)) {
        Ok(Some((spec, port))) => match run(spec, port) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        },
        Ok(None) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}\n\nTry --help.");
            ExitCode::from(2)
        }
    }
}

/// The specification and the port; `None` if help is requested.
fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<(SiteSpec, u16)>, String> {
    let mut spec = SiteSpec::pages(1_000);
    let mut port = 0;
    while let Some(argument) = arguments.next() {
        let (name, joined) = match argument.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (argument, None),
        };
        if name == "--help" || name == "-h" {
            return Ok(None);
        }
        let mut value = || {
            let value = joined.clone().or_else(|| arguments.next());
            value.ok_or_else(|| format!("{name} needs a value"))
        };
        match name.as_str() {
            "--port" => port = number(&name, &value()?)?,
            "--pages" => spec.pages = number(&name, &value()?)?,
            "--seed" => spec.seed = number(&name, &value()?)?,
            "--latency-ms" => spec.latency = Duration::from_millis(number(&name, &value()?)?),
            "--jitter-ms" => spec.jitter = Duration::from_millis(number(&name, &value()?)?),
            "--extras" => spec.extras = value()?.parse().map_err(|error| format!("--extras: {error}"))?,
            "--crawl-delay" => {
                let text = value()?;
                let delay = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                spec.crawl_delay =
                    Some(delay.ok_or_else(|| format!("--crawl-delay: `{text}` is not a number of seconds"))?);
            }
            "--external" => spec.external = Some(value()?),
            _ => return Err(format!("unknown option `{name}`")),
        }
    }
    if spec.pages == 0 {
        return Err("--pages: a site has at least 1 page".to_owned());
    }
    if spec.crawl_delay.is_some() && !spec.extras.robots {
        return Err("--crawl-delay needs the extra `robots`: add --extras robots".to_owned());
    }
    Ok(Some((spec, port)))
}

fn number<N: std::str::FromStr>(name: &str, text: &str) -> Result<N, String>
where
    N::Err: std::fmt::Display,
{
    text.parse().map_err(|error| format!("{name}: `{text}`: {error}"))
}

fn run(spec: SiteSpec, port: u16) -> std::io::Result<()> {
    let start = Instant::now();
    let Extras { robots, sitemap, .. } = spec.extras;
    let site = Site::generate(spec);
    let server = site.serve_with(ServeOptions { port, log: LogDetail::Off, ..ServeOptions::default() })?;
    let truth = site.truth();
    let deepest = (0..site.spec().pages).map(|id| truth.depth(id)).max().unwrap_or(0);
    println!("{}/", server.base_url());
    println!(
        "{} pages, the maximum depth {deepest}, generated in {:.1?}",
        site.spec().pages,
        start.elapsed()
    );
    if robots {
        println!("{}", server.url("/robots.txt"));
    }
    if sitemap {
        println!("{}", server.url("/sitemap.xml"));
    }
    for index in truth.paths().filter(|path| path.path.ends_with('/') && path.depth == Some(1)) {
        println!("{}  {}", server.url(&index.path), index.title);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(tokio::signal::ctrl_c())?;
    println!("{} requests served", server.requests());
    Ok(())
}
