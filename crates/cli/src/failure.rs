//! The ways in which a command ends early, with messages and exit codes.

use std::io;

use crate::console::Console;
use crate::exit;
use crate::printable::printable_target;
use crate::report::Report;
use crate::say::say;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line or a file that it names is wrong. Each line names the option, the fault and a
    /// correction.
    Usage(Vec<String>),
    /// There is no output.
    Failed {
        /// What happened.
        message: String,
        /// A possible remedy.
        hint: Option<String>,
    },
    /// The reader of standard output has closed it, which is not an error.
    ReaderGone,
    /// Ctrl-C or a termination signal, before any output.
    Interrupted,
}

impl Failure {
    /// A failure without a hint.
    pub(crate) fn failed(message: impl ToString) -> Self {
        Self::Failed { message: message.to_string(), hint: None }
    }

    /// A usage error with one line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(vec![message.into()])
    }

    /// Replaces a text in the lines of a usage error.
    pub(crate) fn reworded(mut self, from: &str, to: &str) -> Self {
        if let Self::Usage(messages) = &mut self {
            for message in messages {
                *message = message.replace(from, to);
            }
        }
        self
    }

    /// Begins the message with the URL of the page that it is about, unless it begins with one.
    pub(crate) fn about(mut self, url: &str) -> Self {
        if let Self::Failed { message, .. } = &mut self
            && !message.starts_with("http://")
            && !message.starts_with("https://")
        {
            *message = format!("{}: {message}", printable_target(url));
        }
        self
    }

    /// Prints the failure, or adds it to the summary of `--json`, and returns the exit code.
    pub(crate) fn report(self, console: &Console, command: &str) -> u8 {
        if let Some(report) = console.report() {
            return self.add_to(report);
        }
        match self {
            Self::Usage(messages) => {
                for message in messages {
                    say(format_args!("error: {message}"));
                }
                say(format_args!("\nFor more information, try 'gleaner {command} --help'."));
                exit::USAGE
            }
            Self::Failed { message, hint } => {
                say(format_args!("error: {message}"));
                if let Some(hint) = hint {
                    say(format_args!("hint: {hint}"));
                }
                exit::FAILED
            }
            Self::ReaderGone => exit::DONE,
            Self::Interrupted => {
                say("interrupted");
                exit::INTERRUPTED
            }
        }
    }
}

impl Failure {
    fn add_to(self, report: &Report) -> u8 {
        match self {
            Self::Usage(messages) => {
                report.set("error", messages.join("\n"));
                exit::USAGE
            }
            Self::Failed { message, hint } => {
                report.set("error", message);
                if let Some(hint) = hint {
                    report.set("hint", hint);
                }
                exit::FAILED
            }
            Self::ReaderGone => exit::DONE,
            Self::Interrupted => {
                report.set("error", "interrupted");
                exit::INTERRUPTED
            }
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ReaderGone } else { Self::failed(error) }
    }
}
