//! Bodies: read piece by piece, decoded as they come, and stopped at a limit.

mod codec;
mod decode;
mod memory;
#[cfg_attr(not(feature = "zstd"), path = "no_zstd.rs")]
mod zstd;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use gleaner_types::media::{SNIFFED_BYTES, is_recognised};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use hyper::body::Frame;
use url::Url;

pub(crate) use decode::Limits;
pub(crate) use memory::{BodyMemory, Reservation};
pub use memory::{FREE_BODY_BYTES, MEMORY_TIMEOUT};

use crate::error::{Error, ErrorKind};
use crate::layer::LayerAnswer;
use crate::media::{self, Accept};
use crate::transport;
use codec::Coding;
use decode::{DecodeError, Decoder};

/// Most content codings on top of each other.
pub const MAX_CODINGS: usize = 3;
/// Greatest ratio of decoded to sent bytes, for each content coding, once [`RATIO_FREE_BYTES`] are decoded.
/// Markup reaches about 50, a table of zeros 1,000 per coding.
pub const MAX_RATIO: u64 = 250;
/// The ratio does not apply below this many decoded bytes.
pub const RATIO_FREE_BYTES: u64 = 1024 * 1024;
/// Most bytes after the end of a coded stream. Some servers pad, so fewer are dropped, as in browsers; with
/// more the body counts as broken.
pub const MAX_TRAILING: u64 = 64 * 1024;
/// Bytes of a coded body that are decoded before the result is counted.
const DECODED_AT_ONCE: usize = 4 * 1024;
/// Most bytes that are reserved for a body because of its `Content-Length`.
const MAX_RESERVE: usize = 64 * 1024;

/// A body that comes in.
pub(crate) struct Source<'a> {
    pub(crate) response: &'a mut LayerAnswer,
    pub(crate) url: &'a Url,
    /// Counts the bytes that come off the wire.
    pub(crate) meter: Option<&'a AtomicU64>,
    /// Longest wait for the next piece.
    pub(crate) read_timeout: Option<Duration>,
}

impl Source<'_> {
    /// The next piece of the body. Trailers are skipped.
    async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        while let Some(frame) = self.frame().await? {
            if let Ok(data) = frame.into_data() {
                if let Some(meter) = self.meter {
                    meter.fetch_add(data.len() as u64, Relaxed);
                }
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    async fn frame(&mut self) -> Result<Option<Frame<Bytes>>, Error> {
        let frame = self.response.body_mut().frame();
        let frame = match self.read_timeout {
            None => frame.await,
            Some(limit) => tokio::time::timeout(limit, frame)
                .await
                .map_err(|_| Error::silent(self.url, limit, "reading the body"))?,
        };
        frame.transpose().map_err(|error| transport::classify(&error, self.url))
    }
}

/// Reads the body of `source` to its end and undoes its content codings. `memory` covers the bytes that are
/// kept.
pub(crate) async fn read(
    mut source: Source<'_>,
    limits: Limits,
    accept: Accept,
    mut memory: Reservation<'_>,
) -> Result<(HeaderMap, Bytes), Error> {
    let url = source.url;
    let status = source.response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let headers = std::mem::take(source.response.headers_mut());
    if accept == Accept::Nothing {
        return Ok((headers, Bytes::new()));
    }
    let codings = codings(&headers, url)?;
    if let media::Verdict::Refused(kind) = media::judge_type(accept, &headers) {
        // The status of an error is enough; a picture as its body is not read.
        return if is_error { Ok((headers, Bytes::new())) } else { Err(unsupported(url, &kind)) };
    }
    let length =
        headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    if length.is_some_and(|length| length > limits.bytes) {
        return Err(too_large(url, limits));
    }
    let Some(first) = source.chunk().await? else { return Ok((headers, Bytes::new())) };
    let mut sniffed = accept == Accept::Any;
    let mut sniff = |bytes: &[u8], at_end: bool| {
        if sniffed || (bytes.len() < SNIFFED_BYTES && !at_end) {
            return Ok(());
        }
        sniffed = true;
        if let Some(name) = &codings.unknown
            && codings.known.is_empty()
            && !is_recognised(bytes)
        {
            return Err(Error::new(
                ErrorKind::Decode,
                url,
                format!("the body is coded as `{name}`, which is unknown"),
            ));
        }
        media::judge_bytes(accept, &headers, bytes).map_err(|kind| unsupported(url, &kind))
    };
    if codings.known.is_empty() {
        sniff(&first, false)?;
        if first.len() as u64 > limits.bytes {
            return Err(too_large(url, limits));
        }
        memory.cover(first.len(), url).await?;
        // Most small pages come in one piece, which becomes the body without a copy.
        let second = match source.chunk().await {
            Err(error) if broke_off(&error) && ends_as_page(&first) => None,
            second => second?,
        };
        let Some(second) = second else {
            sniff(&first, true)?;
            return Ok((headers, memory.attach_to(first)));
        };
        let reserve = length.map_or(0, |length| usize::try_from(length).unwrap_or(MAX_RESERVE));
        let mut body = BytesMut::with_capacity(reserve.min(MAX_RESERVE).max(first.len() + second.len()));
        body.extend_from_slice(&first);
        let mut next = Some(second);
        while let Some(piece) = next {
            if (body.len() + piece.len()) as u64 > limits.bytes {
                return Err(too_large(url, limits));
            }
            memory.cover(body.len() + piece.len(), url).await?;
            body.extend_from_slice(&piece);
            sniff(&body, false)?;
            next = match source.chunk().await {
                Err(error) if broke_off(&error) && ends_as_page(&body) => None,
                piece => piece?,
            };
        }
        sniff(&body, true)?;
        return Ok((headers, memory.attach_to(body.freeze())));
    }
    let failed = |error| decode_failure(url, limits, error);
    let mut decoder = Decoder::new(&codings.known, limits);
    let mut next = Some(first);
    while let Some(piece) = next {
        for part in piece.chunks(DECODED_AT_ONCE) {
            decoder.push(part).await.map_err(failed)?;
            memory.cover(decoder.decoded().len(), url).await?;
        }
        sniff(decoder.decoded(), false)?;
        next = match source.chunk().await {
            Ok(piece) => piece,
            Err(error) => {
                // Some servers send the length from before the coding.
                if !broke_off(&error) || !decoder.has_ended().await {
                    return Err(error);
                }
                None
            }
        };
    }
    let body = decoder.finish().await.map_err(failed)?;
    sniff(&body, true)?;
    Ok((headers, memory.attach_to(body)))
}

/// True if the connection ended before its `Content-Length` or its last chunk. A body that is whole by itself
/// counts then: its length was wrong. Browsers show it, and each further attempt would fail too.
fn broke_off(error: &Error) -> bool {
    error.kind() == ErrorKind::Protocol
}

fn ends_as_page(body: &[u8]) -> bool {
    const END: &[u8] = b"</html>";
    let end = body.trim_ascii_end().last_chunk::<{ END.len() }>();
    end.is_some_and(|end| end.eq_ignore_ascii_case(END))
}

/// The decoder for a body with these headers.
pub(crate) fn decoder(headers: &HeaderMap, url: &Url, limits: Limits) -> Result<Decoder, Error> {
    Ok(Decoder::new(&codings(headers, url)?.known, limits))
}

/// The codings that `Content-Encoding` names.
struct Codings {
    /// In the order in which they were applied.
    known: Vec<Coding>,
    /// The first name that is not a coding. Servers write charsets, transfer encodings and misspellings there,
    /// and browsers ignore them.
    unknown: Option<String>,
}

fn codings(headers: &HeaderMap, url: &Url) -> Result<Codings, Error> {
    let mut codings = Codings { known: Vec::new(), unknown: None };
    for value in headers.get_all(CONTENT_ENCODING) {
        let text = String::from_utf8_lossy(value.as_bytes());
        for name in text.split(',') {
            // Quotes and parameters do not belong there.
            let name = name.split(';').next().unwrap_or_default();
            let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
            match Coding::named(name) {
                Some(coding) => codings.known.push(coding),
                None if name.is_empty() || name.eq_ignore_ascii_case("identity") => {}
                None => {
                    codings.unknown.get_or_insert_with(|| shown(name));
                }
            }
            if codings.known.len() > MAX_CODINGS {
                return Err(Error::new(
                    ErrorKind::Decode,
                    url,
                    format!("the body has more than {MAX_CODINGS} content codings"),
                ));
            }
        }
    }
    Ok(codings)
}

fn decode_failure(url: &Url, limits: Limits, error: DecodeError) -> Error {
    match error {
        DecodeError::Broken(coding) => {
            let text = format!("the body is coded as `{}`, but is broken or ends too early", coding.name());
            Error::new(ErrorKind::Decode, url, text)
        }
        DecodeError::Size => too_large(url, limits),
        DecodeError::Ratio => {
            let text = format!("the body decodes to more than {MAX_RATIO} times its size");
            Error::new(ErrorKind::TooLarge, url, text)
        }
    }
}

fn too_large(url: &Url, limits: Limits) -> Error {
    Error::new(ErrorKind::TooLarge, url, format!("the body is larger than {} bytes", limits.bytes))
}

fn unsupported(url: &Url, kind: &str) -> Error {
    let text = format!("a body of type {} is not a page", shown(kind));
    Error::new(ErrorKind::UnsupportedMedia, url, text)
}

/// A name from a header, as an error shows it.
fn shown(name: &str) -> String {
    name.chars().filter(char::is_ascii_graphic).take(64).collect()
}
