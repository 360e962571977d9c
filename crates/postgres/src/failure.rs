//! Why an operation failed.

use std::error::Error as _;
use std::fmt;
use std::io;

use gleaner_store::{Error, ErrorKind};
use tokio_postgres::error::SqlState;

/// Why an operation was not committed, or is not known to be.
pub(crate) enum Failure {
    /// The operation is not possible: the caller gets this error.
    Refused(Error),
    /// The database failed. It may be worth another try.
    Database(tokio_postgres::Error),
    /// The database did not answer in time. The connection is not used again.
    Silent,
    /// The patience is over. The operation may have been committed: an operation that is not the same if it
    /// happens twice must not be tried again.
    Unknown(Error),
    /// The term of this worker has ended, so nothing of it is committed.
    TermEnded,
}

impl Failure {
    /// Stored data cannot be read. `what` names the place.
    pub(crate) fn damaged(what: impl fmt::Display) -> Self {
        Self::Refused(Error::new(ErrorKind::Damaged, format!("{what} in the database cannot be read")))
    }

    /// The same operation may succeed when it is tried again.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Refused(_) | Self::TermEnded => false,
            Self::Silent | Self::Unknown(_) => true,
            Self::Database(error) => match error.code() {
                Some(code) => remedy(code) == Remedy::Again,
                None => error.is_closed() || has_lost_connection(error),
            },
        }
    }

    /// The server has rolled the transaction back for want of disk or the like: others fail in the same way.
    pub(crate) fn is_of_server(&self) -> bool {
        matches!(self, Self::Database(error) if error.code().is_some_and(|code| remedy(code) == Remedy::Later))
    }

    /// A statement did not get a lock in the time that it may wait.
    pub(crate) fn is_lock_timeout(&self) -> bool {
        matches!(self, Self::Database(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE))
    }

    /// The server has answered, so the connection can be used again after a rollback.
    pub(crate) fn is_answer(&self) -> bool {
        match self {
            Self::Refused(_) | Self::TermEnded => true,
            Self::Silent | Self::Unknown(_) => false,
            // After a fatal error the connection is closed, which its next user sees.
            Self::Database(error) => error.code().is_some(),
        }
    }
}

/// What another try of a transaction can achieve after an answer of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remedy {
    /// The cause passes by itself: the operation is tried again within the patience.
    Again,
    /// The cause passes when someone helps the server. The caller is told at once. A client decides for
    /// itself; the runtime repeats what it must not lose.
    Later,
    /// Each try gets the same answer.
    Never,
}

/// The remedy for an answer of the server, or of a pooler before it.
fn remedy(code: &SqlState) -> Remedy {
    // Class 08: no connection, also PgBouncer without a server. Class 40: the transaction was rolled back.
    if code.code().starts_with("08") {
        return Remedy::Again;
    }
    if code.code().starts_with("40") && *code != SqlState::T_R_INTEGRITY_CONSTRAINT_VIOLATION {
        return Remedy::Again;
    }
    match *code {
        // A standby that is about to take over.
        SqlState::READ_ONLY_SQL_TRANSACTION
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        | SqlState::OUT_OF_MEMORY
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::LOCK_NOT_AVAILABLE
        | SqlState::QUERY_CANCELED
        | SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::IDLE_SESSION_TIMEOUT => Remedy::Again,
        SqlState::DISK_FULL
        | SqlState::INSUFFICIENT_RESOURCES
        | SqlState::CONFIGURATION_LIMIT_EXCEEDED
        | SqlState::SYSTEM_ERROR
        | SqlState::IO_ERROR => Remedy::Later,
        _ => Remedy::Never,
    }
}

/// The connection failed, and not what was sent over it: invalid data may be a certificate that is not valid.
fn has_lost_connection(error: &tokio_postgres::Error) -> bool {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| {
        !matches!(cause.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)
    })
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) | Self::Unknown(error) => write!(f, "{error}"),
            Self::Database(error) => write!(f, "PostgreSQL failed: {}", text(error)),
            Self::Silent => f.write_str("PostgreSQL did not answer in time"),
            Self::TermEnded => f.write_str(
                "the term of this process has ended, because it was not renewed in time; other processes go \
                 on with its pages",
            ),
        }
    }
}

/// The same text: the details of the server quote data.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let explained = match failure {
            Failure::Refused(error) | Failure::Unknown(error) => return error,
            Failure::Database(ref error) => error.code().and_then(explanation),
            Failure::Silent | Failure::TermEnded => None,
        };
        match explained {
            Some((kind, advice)) => Self::new(kind, format!("{advice} ({failure})")),
            None => Self::new(ErrorKind::Io, failure.to_string()),
        }
    }
}

/// What an answer of the server means, and what would help.
fn explanation(code: &SqlState) -> Option<(ErrorKind, &'static str)> {
    Some(match *code {
        SqlState::DISK_FULL => {
            (ErrorKind::Full, "the disk of the PostgreSQL server is full; free space there")
        }
        SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => (
            ErrorKind::Unsuitable,
            "PostgreSQL refuses the user or password of the database URL; use one that pg_hba.conf allows",
        ),
        SqlState::INVALID_CATALOG_NAME => {
            (ErrorKind::Unsuitable, "there is no such database; make it with `createdb`, or name another one")
        }
        SqlState::INSUFFICIENT_PRIVILEGE => (
            ErrorKind::Unsuitable,
            "the user of the database URL may not do this; let it own the schema, or create it",
        ),
        SqlState::UNDEFINED_TABLE | SqlState::UNDEFINED_COLUMN | SqlState::INVALID_SCHEMA_NAME => (
            ErrorKind::Unsuitable,
            "the schema does not have the tables of this version; run `gleaner migrate`",
        ),
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
            (ErrorKind::Damaged, "PostgreSQL found damaged data; restore it from a backup")
        }
        _ => return None,
    })
}

/// The error with its causes. The details of the server are left out: they quote data.
fn text(error: &tokio_postgres::Error) -> String {
    if let Some(answer) = error.as_db_error() {
        return format!("{} [{}]", answer.message(), answer.code().code());
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_worth_another_try_unless_they_stay_the_same() {
        for (code, expected) in [
            ("08000", Remedy::Again),
            ("08001", Remedy::Again),
            ("08003", Remedy::Again),
            ("08004", Remedy::Again),
            ("08006", Remedy::Again),
            ("08P01", Remedy::Again),
            ("25006", Remedy::Again),
            ("25P03", Remedy::Again),
            ("40001", Remedy::Again),
            ("40P01", Remedy::Again),
            ("53200", Remedy::Again),
            ("53300", Remedy::Again),
            ("55P03", Remedy::Again),
            ("57014", Remedy::Again),
            ("57P01", Remedy::Again),
            ("57P02", Remedy::Again),
            ("57P03", Remedy::Again),
            ("57P05", Remedy::Again),
            ("53000", Remedy::Later),
            ("53100", Remedy::Later),
            ("53400", Remedy::Later),
            ("58000", Remedy::Later),
            ("58030", Remedy::Later),
            ("23505", Remedy::Never),
            ("28P01", Remedy::Never),
            ("3D000", Remedy::Never),
            ("40002", Remedy::Never),
            ("42501", Remedy::Never),
            ("42P01", Remedy::Never),
            ("57P04", Remedy::Never),
            ("XX001", Remedy::Never),
        ] {
            let code = SqlState::from_code(code);
            assert_eq!(remedy(&code), expected, "{code:?}");
            // The runtime repeats what passes, by the kind of the error.
            let kind = explanation(&code).map_or(ErrorKind::Io, |(kind, _)| kind);
            let is_passing = Error::new(kind, "").is_passing();
            assert!(is_passing || expected == Remedy::Never, "{code:?}");
        }
    }

    #[test]
    fn answers_are_explained() {
        for (code, kind) in [
            ("53100", Some(ErrorKind::Full)),
            ("28P01", Some(ErrorKind::Unsuitable)),
            ("42P01", Some(ErrorKind::Unsuitable)),
            ("XX001", Some(ErrorKind::Damaged)),
            ("22012", None),
        ] {
            let found = explanation(&SqlState::from_code(code)).map(|(kind, _)| kind);
            assert_eq!(found, kind, "{code}");
        }
        assert_eq!(Error::from(Failure::TermEnded).kind(), ErrorKind::Io);
        assert!(Error::from(Failure::damaged("a block")).is_damaged());
    }

    #[test]
    fn a_broken_setting_is_not_tried_again() {
        let invalid = "postgresql://a@h/d?port=x".parse::<tokio_postgres::Config>().unwrap_err();
        assert!(!Failure::Database(invalid).is_transient());
        assert!(Failure::Silent.is_transient() && !Failure::Silent.is_answer());
        let unknown = Failure::Unknown(Error::new(ErrorKind::Io, "no answer"));
        assert!(unknown.is_transient() && !unknown.is_answer());
        assert_eq!(format!("{unknown:?}"), "no answer");
        assert!(Failure::TermEnded.is_answer() && !Failure::TermEnded.is_transient());
    }
}
