//! The URL of a database.

use std::path::PathBuf;

use gleaner_store::{Error, ErrorKind};
use percent_encoding::percent_decode_str;
use tokio_postgres::config::{Host, SslMode};

const FORM: &str = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE";
const DEFAULT_PORT: u16 = 5432;

/// What the URL of a database says.
#[derive(Debug)]
pub(crate) struct Address {
    pub(crate) options: tokio_postgres::Config,
    /// The certificate of the server and its name are verified.
    pub(crate) verifies: bool,
    /// `sslrootcert`: a file with certificates of authorities.
    pub(crate) ca_certificate: Option<PathBuf>,
}

impl Address {
    /// Errors never quote the URL: any part of it may be a password with characters that are not escaped.
    pub(crate) fn parse(url: &str) -> Result<Self, Error> {
        let invalid = |what: &str| {
            Error::new(ErrorKind::Unsuitable, format!("the database URL {what}; its form is {FORM}"))
        };
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(invalid("does not begin with postgresql://"));
        }
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut verifies, mut ca_certificate) = (SslMode::Prefer, false, None);
        let mut others = Vec::new();
        for option in query.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", value)) => {
                    (mode, verifies) = match value {
                        "disable" => (SslMode::Disable, false),
                        "prefer" => (SslMode::Prefer, false),
                        "require" => (SslMode::Require, false),
                        "verify-full" => (SslMode::Require, true),
                        _ => {
                            let modes = "disable, prefer, require or verify-full";
                            return Err(invalid(&format!("has an unknown sslmode: use {modes}")));
                        }
                    };
                }
                Some(("sslrootcert", value)) => {
                    let path = percent_decode_str(value).decode_utf8();
                    let path = path.map_err(|_| invalid("has an sslrootcert that is not UTF-8"))?;
                    ca_certificate = Some(PathBuf::from(&*path));
                }
                _ => others.push(option),
            }
        }
        let rest = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
        let parsed = rest.parse::<tokio_postgres::Config>();
        let mut options = parsed.map_err(|_| {
            invalid("is not valid or has an unknown option (characters such as @ : / ? are escaped with %)")
        })?;
        if options.get_hosts().is_empty() && options.get_hostaddrs().is_empty() {
            return Err(invalid("names no host"));
        }
        // The default of the library is an environment variable.
        if options.get_user().is_none() {
            return Err(invalid("names no user"));
        }
        options.ssl_mode(mode);
        Ok(Self { options, verifies, ca_certificate })
    }

    /// The address for messages, without the password.
    pub(crate) fn place(&self) -> String {
        let user = self.options.get_user().unwrap_or_default();
        let database = self.options.get_dbname().unwrap_or(user);
        let ports = self.options.get_ports();
        let port = |at: usize| ports.get(at).or(ports.first()).copied().unwrap_or(DEFAULT_PORT);
        let named = self.options.get_hosts().iter().enumerate().map(|(at, host)| match host {
            Host::Tcp(name) => format!("{name}:{}", port(at)),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        let mut hosts: Vec<String> = named.collect();
        if hosts.is_empty() {
            let addresses = self.options.get_hostaddrs().iter().enumerate();
            hosts = addresses.map(|(at, address)| format!("{address}:{}", port(at))).collect();
        }
        format!("{user}@{}/{database}", hosts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn urls_have_options_of_libpq_for_tls() {
        for (query, mode, verifies) in [
            ("", SslMode::Prefer, false),
            ("?sslmode=disable", SslMode::Disable, false),
            ("?connect_timeout=3&sslmode=require", SslMode::Require, false),
            ("?sslmode=verify-full&connect_timeout=3", SslMode::Require, true),
        ] {
            let address = Address::parse(&format!("postgresql://a:b%40c@db.test/crawl{query}")).unwrap();
            assert_eq!((address.options.get_ssl_mode(), address.verifies), (mode, verifies), "{query}");
            assert_eq!(address.options.get_password(), Some(&b"b@c"[..]));
            assert_eq!(address.options.get_connect_timeout().is_some(), query.contains("timeout"));
        }
        let address = Address::parse("postgres://a@h/d?sslrootcert=/etc/my%20ca.pem").unwrap();
        assert_eq!(address.ca_certificate.as_deref(), Some(Path::new("/etc/my ca.pem")));
    }

    #[test]
    fn addresses_are_shown_without_passwords() {
        for (url, place) in [
            ("postgresql://a:secret@db.test/crawl", "a@db.test:5432/crawl"),
            ("postgresql://a:secret@one:1,two:2/crawl", "a@one:1,two:2/crawl"),
            ("postgresql:///crawl?host=/run/postgresql&user=a", "a@/run/postgresql/crawl"),
        ] {
            assert_eq!(Address::parse(url).unwrap().place(), place);
        }
    }

    #[test]
    fn unsuitable_urls_are_explained_without_quoting_them() {
        for (url, text) in [
            ("mysql://a:secret@h/d", "does not begin with postgresql://"),
            ("host=h user=a password=secret", "does not begin with postgresql://"),
            ("postgresql://a:secret@h/d?sslmode=secret", "use disable, prefer, require or verify-full"),
            ("postgresql://a:b@h/d?secret=1", "unknown option"),
            ("postgresql://h/d?password=secret", "names no user"),
            ("postgresql:///d?user=a&password=secret", "names no host"),
        ] {
            let error = Address::parse(url).unwrap_err();
            assert!(error.is_unsuitable() && error.to_string().contains(text), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
