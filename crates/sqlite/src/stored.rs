//! The values of rows in the form of the file.

use std::collections::BTreeMap;
use std::time::Duration;

use gleaner_store::journal::Damage;
use gleaner_store::{Conclusion, PastScrape};
use gleaner_types::JobKind;
use serde_json::Value;

use crate::seal::{seal, unseal};

/// A time as nanoseconds since the Unix epoch, which suffice until the year 2262.
pub(crate) fn nanoseconds(at: Duration) -> i64 {
    i64::try_from(at.as_nanos()).unwrap_or(i64::MAX)
}

/// The time of [`nanoseconds`].
pub(crate) fn time(nanoseconds: i64) -> Duration {
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(0))
}

/// The number of a kind of job.
pub(crate) const fn kind_number(kind: JobKind) -> i64 {
    match kind {
        JobKind::Crawl => 1,
        JobKind::BatchScrape => 2,
        JobKind::Extract => 3,
    }
}

/// The kind of job with this number.
pub(crate) fn kind(number: i64) -> Result<JobKind, Damage> {
    match number {
        1 => Ok(JobKind::Crawl),
        2 => Ok(JobKind::BatchScrape),
        3 => Ok(JobKind::Extract),
        _ => Err(Damage::Newer),
    }
}

/// The tag of a history as a column that is never NULL, because NULLs are all different in a key.
pub(crate) fn tag(tag: Option<&str>) -> String {
    tag.map_or_else(String::new, |tag| format!("#{tag}"))
}

/// The form of a scrape: the JSON of its fields.
pub(crate) fn scrape_bytes(scrape: &PastScrape) -> Vec<u8> {
    let json = scrape.json.as_ref().map(|json| (json,));
    let fields = (nanoseconds(scrape.at), scrape.status, &*scrape.markdown, json);
    // Numbers, texts and JSON can always be written.
    seal(&serde_json::to_vec(&fields).unwrap_or_default())
}

pub(crate) fn scrape(bytes: &[u8]) -> Result<PastScrape, Damage> {
    type Fields = (i64, Option<u16>, String, Option<(Value,)>);
    let (at, status, markdown, json): Fields =
        serde_json::from_slice(unseal(bytes)?).map_err(|_| Damage::Invalid)?;
    Ok(PastScrape { at: time(at), status, markdown: markdown.into(), json: json.map(|(json,)| json) })
}

/// The form of a conclusion: the JSON of its fields.
pub(crate) fn conclusion_bytes(conclusion: &Conclusion) -> Vec<u8> {
    let Conclusion { data, sources, warning, tokens_used, credits } = conclusion;
    seal(&serde_json::to_vec(&(data, sources, warning, tokens_used, credits)).unwrap_or_default())
}

pub(crate) fn conclusion(bytes: &[u8]) -> Result<Conclusion, Damage> {
    type Fields = (Value, Option<BTreeMap<String, Vec<String>>>, Option<String>, u64, u64);
    let (data, sources, warning, tokens_used, credits): Fields =
        serde_json::from_slice(unseal(bytes)?).map_err(|_| Damage::Invalid)?;
    Ok(Conclusion { data, sources, warning, tokens_used, credits })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scrapes_are_read_as_written() {
        for json in [None, Some(Value::Null), Some(json!({"price": 7}))] {
            let past = PastScrape {
                at: Duration::new(1_700_000_000, 123_456_789),
                status: json.is_some().then_some(404),
                markdown: "# Title\n\u{1f980}".into(),
                json,
            };
            let bytes = scrape_bytes(&past);
            assert_eq!(scrape(&bytes), Ok(past));
            assert_eq!(scrape(&bytes[1..]), Err(Damage::Checksum));
        }
        assert_eq!(scrape(&seal(b"[]")), Err(Damage::Invalid));
    }

    #[test]
    fn conclusions_are_read_as_written() {
        let sources = BTreeMap::from([("offers[0]".to_owned(), vec!["https://a.example/".to_owned()])]);
        let full = Conclusion {
            data: json!([1, null, "a"]),
            sources: Some(sources),
            warning: Some("incomplete".to_owned()),
            tokens_used: u64::MAX,
            credits: 3,
        };
        for expected in [Conclusion::default(), full] {
            assert_eq!(conclusion(&conclusion_bytes(&expected)), Ok(expected));
        }
    }

    #[test]
    fn small_values_are_read_as_written() {
        for at in [Duration::ZERO, Duration::new(1_800_000_000, 1)] {
            assert_eq!(time(nanoseconds(at)), at);
        }
        for job in [JobKind::Crawl, JobKind::BatchScrape, JobKind::Extract] {
            assert_eq!(kind(kind_number(job)), Ok(job));
        }
        assert_eq!(kind(9), Err(Damage::Newer));
        assert_eq!((tag(None), tag(Some("")), tag(Some("a"))), (String::new(), "#".into(), "#a".into()));
    }
}
