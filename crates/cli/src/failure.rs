use std::io;

use crate::exit;
use crate::say::say;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line or what it names is wrong; each line names the option, what is wrong and what would be right.
    Usage(Vec<String>),
    /// Nothing came out.
    Failed {
        /// What happened.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// Whoever read standard output has enough: no reason to complain.
    ReaderGone,
    /// Ctrl-C or a signal that asks for the end, before anything came out.
    Interrupted,
}

impl Failure {
    /// Without a hint.
    pub(crate) fn failed(message: impl ToString) -> Self {
        Self::Failed { message: message.to_string(), hint: None }
    }

    /// Wrong usage, in one line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(vec![message.into()])
    }

    /// With another word in place of one in what is said about usage.
    pub(crate) fn reworded(mut self, from: &str, to: &str) -> Self {
        if let Self::Usage(messages) = &mut self {
            for message in messages {
                *message = message.replace(from, to);
            }
        }
        self
    }

    /// Tells the person and gives the exit code.
    pub(crate) fn tell(self, command: &str) -> u8 {
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

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ReaderGone } else { Self::failed(error) }
    }
}
