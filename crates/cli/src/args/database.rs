//! The option for the URL of a PostgreSQL database. The URL may contain a password.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use gleaner::postgres::PostgresConfig;

/// The schemes of the URL of a PostgreSQL database.
const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];

/// The URL of a database. It may contain a password, so `Debug` does not show it.
#[derive(Clone)]
pub(crate) struct DatabaseUrl(String);

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(…)")
    }
}

impl FromStr for DatabaseUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if SCHEMES.iter().any(|scheme| text.starts_with(scheme)) {
            Ok(Self(text.to_owned()))
        } else {
            Err("write postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
        }
    }
}

impl DatabaseUrl {
    /// The store of this database.
    pub(crate) fn config(&self) -> PostgresConfig {
        PostgresConfig::new(self.0.as_str())
    }
}

/// The database of jobs, for a command that works with one.
#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// The PostgreSQL database with the jobs, such as postgresql://USER:PASSWORD@HOST/DATABASE
    #[arg(long, value_name = "URL")]
    pub(crate) database: DatabaseUrl,
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn a_url_is_not_shown() {
        let url: DatabaseUrl = "postgresql://a:geheim@b/c".parse().unwrap();
        assert!(!format!("{url:?}").contains("geheim"));
        assert!("https://b/c".parse::<DatabaseUrl>().is_err());
    }

    #[test]
    fn errors_do_not_show_it() {
        for words in [
            ["migrate", "--database", "mysql://a:geheim@b/c"],
            ["jobs", "--database=postgresql://a:geheim@b/c", "jobs.db"],
        ] {
            let words = ["gleaner"].into_iter().chain(words).map(OsString::from);
            let error = Cli::read(words).unwrap_err();
            assert!(!error.to_string().contains("geheim"), "{error}");
        }
    }
}
