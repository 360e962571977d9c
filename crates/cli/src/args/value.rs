//! Parsers of option values. Each error says what is expected; clap adds the option's name.

use std::fs::File;
use std::io::Read as _;
use std::net::IpAddr;
use std::path::Path;

use gleaner::JobId;
use gleaner::media::MediaType;
use ipnet::IpNet;
use serde_json::{Number, Value};

use super::invisible;

/// How a sitemap is used. Shells complete these values.
pub(super) const SITEMAP: [&str; 3] = ["include", "skip", "only"];

/// An integer of any sign and size. The check of the request checks its range.
pub(super) fn integer(text: &str) -> Result<Number, String> {
    text.parse::<u64>()
        .map(Number::from)
        .or_else(|_| text.parse::<i64>().map(Number::from))
        .map_err(|_| "expected a whole number, such as 20".to_owned())
}

/// A number of seconds.
pub(super) fn seconds(text: &str) -> Result<Number, String> {
    integer(text)
        .ok()
        .or_else(|| text.parse().ok().and_then(Number::from_f64))
        .ok_or_else(|| "expected a number of seconds, such as 2 or 0.5".to_owned())
}

/// One or more formats or parsers: comma-separated words, or one JSON object.
pub(super) fn entries(text: &str) -> Result<Entries, String> {
    if text.trim_start().starts_with('{') {
        return match serde_json::from_str(text) {
            Ok(object) => Ok(Entries(vec![object])),
            Err(error) => Err(format!(
                "expected a word such as markdown, or one JSON object such as \
                 {{\"type\":\"json\",\"prompt\":\"...\"}}; this is not JSON ({error})"
            )),
        };
    }
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    if words.contains(&"") {
        return Err("expected comma-separated words, such as markdown,links".to_owned());
    }
    Ok(Entries(words.into_iter().map(Value::from).collect()))
}

/// The greatest size of a file that is an option's value, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A JSON Schema in a file.
pub(super) fn schema(path: &str) -> Result<Value, String> {
    match json_file(path, "a JSON Schema")? {
        schema @ Value::Object(_) => Ok(schema),
        _ => Err("expected a JSON Schema, which is a JSON object".to_owned()),
    }
}

/// A list of actions in a file. The check of the request checks each of them.
pub(super) fn actions(path: &str) -> Result<Value, String> {
    match json_file(path, "a list of actions")? {
        actions @ Value::Array(_) => Ok(actions),
        _ => Err("expected a list of actions, which is a JSON array, such as \
                  [{\"type\":\"click\",\"selector\":\"#more\"}]"
            .to_owned()),
    }
}

/// The JSON value in a file. `what` says for errors what it is.
fn json_file(path: &str, what: &str) -> Result<Value, String> {
    serde_json::from_str(&text_file(Path::new(path), what)?)
        .map_err(|error| format!("expected {what}; the file is not JSON ({error})"))
}

/// The text of a file. `what` says for errors what it should be.
pub(super) fn text_file(path: &Path, what: &str) -> Result<String, String> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text));
    match read {
        Ok(bytes) if u64::try_from(bytes).is_ok_and(|bytes| bytes <= MAX_FILE_BYTES) => {}
        Ok(_) => return Err(format!("the file is larger than {} KiB", MAX_FILE_BYTES >> 10)),
        Err(error) => return Err(format!("{error}; name a file with {what}")),
    }
    // Some editors write a byte-order mark, which is not part of the text.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The value of one `--formats` or `--parsers`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entries(pub(super) Vec<Value>);

/// The address of a page. The check of the request checks it; this finds what would make it another one.
pub(super) fn address(text: &str) -> Result<String, String> {
    match invisible(text) {
        Some(fault) => Err(fault),
        None => Ok(text.to_owned()),
    }
}

/// A URL with a scheme. The check of the request checks the rest.
pub(super) fn with_scheme(text: &str) -> Result<String, String> {
    if text.contains("://") {
        Ok(text.to_owned())
    } else {
        Err("expected a URL with its scheme, such as https://hooks.example/gleaner".to_owned())
    }
}

/// A media type: `type/subtype`, with optional parameters.
pub(super) fn media_type(text: &str) -> Result<String, String> {
    match MediaType::parse(text) {
        Some(_) => Ok(text.trim().to_owned()),
        None => Err("expected a media type, such as text/html or 'text/csv; charset=utf-8'".to_owned()),
    }
}

/// Headers of the connection or the message framing, which the engine sets itself.
const CONNECTION_HEADERS: [&str; 12] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A header `Name: value`. Errors repeat only a valid name, because the rest may be a secret.
pub(super) fn header(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
    let Some((name, value)) = parts.filter(|(name, _)| is_field_name(name)) else {
        return Err("expected `Name: value`, the name of letters, digits and hyphens, such as \
                    'Accept-Language: de'"
            .to_owned());
    };
    if CONNECTION_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
        return Err(format!("`{name}` belongs to the connection and is set by gleaner itself: leave it out"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// A token (RFC 9110, section 5.6.2).
fn is_field_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// A user agent that a header can hold.
pub(super) fn user_agent(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it is empty; tell sites who sends the requests, such as 'my-crawler/1.0 \
                    (+https://example.com/bot)'"
            .to_owned());
    }
    if text.chars().any(|letter| letter.is_control() && letter != '\t') {
        return Err("it holds a line break or another control character".to_owned());
    }
    Ok(text.to_owned())
}

/// The id of a job.
pub(super) fn job(text: &str) -> Result<JobId, String> {
    text.parse().map_err(|_| {
        "expected the id of a job, such as 0197c2f4-8d5e-7b1a-9c3d-2f60a1b4c8e7; gleaner jobs FILE lists them"
            .to_owned()
    })
}

/// A user and a group: `UID:GID`, or `UID` if the group has the same number.
pub(super) fn user(text: &str) -> Result<(u32, u32), String> {
    let (user, group) = text.split_once(':').unwrap_or((text, text));
    match (user.parse(), group.parse()) {
        (Ok(0), _) => Err("expected a user other than root, such as 65534:65534".to_owned()),
        (Ok(user), Ok(group)) => Ok((user, group)),
        _ => Err("expected the numbers of a user and a group, such as 65534:65534".to_owned()),
    }
}

/// An IP address range, or one IP address.
pub(super) fn address_range(text: &str) -> Result<IpNet, String> {
    text.parse::<IpNet>()
        .map(|range| range.trunc())
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| "expected an IP range such as 127.0.0.0/8 or fd00::/8, or one IP address".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_are_parsed_and_other_words_refused() {
        for (name, text, want) in [
            ("plain", "20", Some(json!(20))),
            ("negative, which the check of the request refuses", "-1", Some(json!(-1))),
            ("beyond i64", "18446744073709551615", Some(json!(u64::MAX))),
            ("fraction", "1.5", None),
            ("word", "many", None),
            ("empty", "", None),
        ] {
            assert_eq!(integer(text).ok().map(Value::from), want, "{name}");
        }
        assert_eq!(seconds("0.5").map(Value::from), Ok(json!(0.5)));
        assert_eq!(seconds("2").map(Value::from), Ok(json!(2)));
        assert!(seconds("NaN").is_err() && seconds("soon").is_err());
    }

    #[test]
    fn formats_are_words_or_one_object() {
        assert_eq!(entries("markdown, links"), Ok(Entries(vec![json!("markdown"), json!("links")])));
        assert_eq!(
            entries(r#"{"type":"json","prompt":"a,b"}"#),
            Ok(Entries(vec![json!({"type":"json","prompt":"a,b"})]))
        );
        assert!(entries("markdown,,links").unwrap_err().contains("comma-separated"));
        assert!(entries("{type:json}").unwrap_err().contains("not JSON"));
    }

    #[test]
    fn headers_are_split_at_the_first_colon() {
        assert_eq!(header("Referer: http://a/"), Ok(("Referer".to_owned(), "http://a/".to_owned())));
        assert!(header("no colon").is_err() && header(": value").is_err());
        assert!(header("HOST : b.example").unwrap_err().contains("`HOST` belongs to the connection"));
        // In a cookie without its header name, the first colon is in a time.
        let error = header("Cookie sid=hush; expires=Thu, 01 Jan 2026 00:00:00 GMT").unwrap_err();
        assert!(!error.contains("hush"), "{error}");
    }

    #[test]
    fn users_are_numbers_and_not_root() {
        for (text, want) in [
            ("65534:65533", Ok((65_534, 65_533))),
            ("1000", Ok((1_000, 1_000))),
            ("0:1000", Err("other than root")),
            ("0", Err("other than root")),
            ("nobody", Err("numbers")),
            ("1000:", Err("numbers")),
            ("-1", Err("numbers")),
        ] {
            match (user(text), want) {
                (Err(error), Err(part)) => assert!(error.contains(part), "{text}: {error}"),
                (parsed, want) => assert_eq!(parsed.ok(), want.ok(), "{text}"),
            }
        }
    }

    #[test]
    fn ranges_and_single_addresses_are_parsed() {
        for (text, want) in [("127.0.0.1/8", "127.0.0.0/8"), ("10.1.2.3", "10.1.2.3/32"), ("::1", "::1/128")]
        {
            assert_eq!(address_range(text).map(|range| range.to_string()).as_deref(), Ok(want));
        }
        assert!(address_range("localhost").unwrap_err().contains("127.0.0.0/8"));
    }
}
