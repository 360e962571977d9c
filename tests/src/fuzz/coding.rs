//! Content codings. Input: a byte that chooses them, a byte that chooses the size of pieces, and a body.

use std::io::{Read as _, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::{GzEncoder, ZlibEncoder};
use gleaner_fetch::fuzzing;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, HeaderValue};
use url::Url;

use super::BASE;

/// Values of `Content-Encoding`.
const CODINGS: [&str; 8] =
    ["gzip", "deflate", "br", "zstd", "gzip, gzip", "identity, X-GZip", "zstd, gzip", "br, deflate, gzip"];

/// Upper bound on a decoded body. It is below the size at which the expansion ratio counts, because that
/// check depends on the size of pieces.
const LIMIT: u64 = 256 * 1024;

/// The size of pieces does not change the decoded body, the limit holds to the byte, and other decoders and
/// encoders agree.
#[expect(clippy::expect_used, reason = "an oracle that fails must panic")]
pub fn coding(data: &[u8]) {
    let [choice, size, body @ ..] = data else { return };
    let codings = CODINGS.get(usize::from(*choice) % CODINGS.len()).copied().unwrap_or_default();
    let size = usize::from(*size) + 1;
    let whole = decoded(codings, body, body.len(), LIMIT);
    assert_eq!(decoded(codings, body, size, LIMIT), whole, "{codings} in pieces of {size}");
    if let Some(plain) = &whole {
        assert!(plain.len() as u64 <= LIMIT, "{} bytes", plain.len());
        let short = (plain.len() as u64).saturating_sub(1);
        assert!(plain.is_empty() || decoded(codings, body, size, short).is_none(), "beyond its limit");
    }
    if codings == "gzip" {
        let mut theirs = Vec::new();
        let read = MultiGzDecoder::new(body).take(LIMIT + 1).read_to_end(&mut theirs);
        if let (Ok(_), Some(ours)) = (read, &whole) {
            assert_eq!(&ours[..], &theirs[..], "another decoder reads something else");
        }
    }
    let packed =
        gzipped(&deflated(body).expect("writing to memory succeeds")).expect("writing to memory succeeds");
    let limit = 2 * (body.len() as u64 + 1_024);
    assert_eq!(decoded("deflate, gzip", &packed, size, limit).as_deref(), Some(body), "round trip");
}

fn decoded(codings: &str, body: &[u8], piece: usize, limit: u64) -> Option<Bytes> {
    let headers = HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_str(codings).ok()?)]);
    fuzzing::decoded(&Url::parse(BASE).ok()?, &headers, body, piece, limit)
}

fn deflated(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body)?;
    encoder.finish()
}

fn gzipped(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body)?;
    encoder.finish()
}
