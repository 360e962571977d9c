//! From arguments to an engine, and from its refusals to words.

use std::io;

use gleaner::{Engine, EngineBuilder, Error, ErrorCode, ErrorKind};
use url::Url;

use super::Session;
use super::run::Run;
use crate::args::{EngineArgs, OutputArgs, in_flags, told};
use crate::exit;
use crate::failure::Failure;
use crate::hint;
use crate::names::Names;
use crate::output::{Folder, INDEX, Printer, Sink};
use crate::say::say;

/// The engine as the command line wants it.
pub(super) fn start(args: &EngineArgs) -> Result<Engine, Failure> {
    start_with(Engine::builder(), args)
}

/// As [`start`], from a builder that has more set.
pub(super) fn start_with(mut builder: EngineBuilder, args: &EngineArgs) -> Result<Engine, Failure> {
    for range in &args.allow_private {
        builder = builder.allow_private(*range);
    }
    if let Some(agent) = &args.user_agent {
        builder = builder.user_agent(agent.as_str());
    }
    if let Some(most) = args.concurrency {
        builder = builder.concurrency(most, most);
    }
    builder.build().map_err(refused)
}

/// Where documents shall go.
pub(super) fn sink(args: &OutputArgs) -> Result<Sink, Failure> {
    Ok(match &args.out {
        Some(path) => Sink::Folder(Folder::create(path, Names::with_hosts()).map_err(no_folder)?),
        None => Sink::Lines(Printer::stdout()),
    })
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
        _ => Failure::failed(error),
    }
}

/// As [`refused`], where all that was asked for is `url`.
pub(super) fn refused_page(error: Error, url: &str, network: &EngineArgs) -> Failure {
    let is_blocked = error.code() == ErrorCode::ScrapeBlocked;
    match refused(error) {
        Failure::Failed { message, .. } if is_blocked => {
            let url = Url::parse(url).or_else(|_| Url::parse(&format!("https://{url}"))).ok();
            Failure::Failed {
                message,
                hint: url.and_then(|url| hint::for_refused(&url, &network.allow_private)),
            }
        }
        failure => failure,
    }
}

/// Says how a job went.
pub(super) fn tell(session: Session, run: &Run, network: &EngineArgs, output: &OutputArgs) {
    // Also where quiet was asked for: why nothing came out is an error, and errors are told.
    if !session.quiet || run.exit_code() == exit::FAILED {
        say(run.summary(&network.allow_private).text());
    }
    if let Some(path) = output.out.as_ref().filter(|_| run.written > 0) {
        session.note(format_args!("written to {} ({INDEX} lists the pages)", path.display()));
    }
}
