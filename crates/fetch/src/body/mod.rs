//! Bodies: taken in piece by piece, decoded as they come, and stopped at a limit.

mod codec;
mod decode;
mod memory;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http_body_util::BodyExt;
use url::Url;

pub(crate) use decode::{Limits, Stopped};
pub(crate) use memory::{Account, BodyMemory};
pub use memory::{FREE_BODY_BYTES, MEMORY_TIMEOUT};

use crate::door::{self, Incoming};
use crate::error::{Error, ErrorKind};
use crate::media::{self, Accept};
use codec::Coding;
use decode::Decoder;

/// Most content codings that may lie over each other.
pub const MAX_CODINGS: usize = 3;
/// A body, and what each of its codings decodes to, may be at most so many times its size as sent, once it exceeds [`RATIO_FREE_BYTES`]. Markup reaches
/// about 50, a table of zeros 1,000 per coding.
pub const MAX_RATIO: u64 = 250;
/// Up to so many decoded bytes the ratio does not matter.
pub const RATIO_FREE_BYTES: u64 = 1024 * 1024;
/// Most bytes after the end of a coded stream that are dropped, as browsers drop them: servers pad. With more the body
/// counts as broken.
pub const MAX_TRAILING: u64 = 64 * 1024;
/// Bytes of a coded body that are decoded before what comes of them is counted.
const DECODED_AT_ONCE: usize = 4 * 1024;
/// Most that is reserved for a body on the word of its `Content-Length`.
const MAX_RESERVE: usize = 64 * 1024;

/// Reads the body of `response` to its end, undoing its content codings. What comes off the wire is added to `meter`, and
/// what is kept is taken from `account`.
pub(crate) async fn read(
    response: &mut http::Response<Incoming>,
    url: &Url,
    limits: Limits,
    accept: Accept,
    meter: Option<&AtomicU64>,
    mut account: Account<'_>,
) -> Result<(HeaderMap, Bytes), Error> {
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    let headers = std::mem::take(response.headers_mut());
    if accept == Accept::Nothing {
        return Ok((headers, Bytes::new()));
    }
    let codings = codings(&headers, url)?;
    let verdict = media::judge_type(accept, &headers);
    if let media::Verdict::Refused(kind) = &verdict {
        // Of an error its status is what counts; a picture that says so is not read.
        return if is_error { Ok((headers, Bytes::new())) } else { Err(unsupported(url, kind)) };
    }
    let length =
        headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    if length.is_some_and(|length| length > limits.bytes) {
        return Err(too_large(url, limits, Stopped::Size));
    }
    let Some(first) = chunk(response, url, meter).await? else { return Ok((headers, Bytes::new())) };
    let mut sniffed = accept == Accept::Any;
    let mut sniff = |bytes: &[u8], at_end: bool| {
        if sniffed || (bytes.len() < media::SNIFFED_BYTES && !at_end) {
            return Ok(());
        }
        sniffed = true;
        media::judge_bytes(accept, &headers, bytes).map_err(|kind| unsupported(url, &kind))
    };
    if codings.is_empty() {
        sniff(&first, false)?;
        if first.len() as u64 > limits.bytes {
            return Err(too_large(url, limits, Stopped::Size));
        }
        account.cover(first.len(), url).await?;
        // Most pages that are small come in one piece, which is then the body without a copy.
        let Some(second) = chunk(response, url, meter).await? else {
            sniff(&first, true)?;
            return Ok((headers, account.around(first)));
        };
        let reserve = length.map_or(0, |length| usize::try_from(length).unwrap_or(MAX_RESERVE));
        let mut body = BytesMut::with_capacity(reserve.min(MAX_RESERVE).max(first.len() + second.len()));
        body.extend_from_slice(&first);
        let mut next = Some(second);
        while let Some(piece) = next {
            if (body.len() + piece.len()) as u64 > limits.bytes {
                return Err(too_large(url, limits, Stopped::Size));
            }
            account.cover(body.len() + piece.len(), url).await?;
            body.extend_from_slice(&piece);
            sniff(&body, false)?;
            next = chunk(response, url, meter).await?;
        }
        sniff(&body, true)?;
        return Ok((headers, account.around(body.freeze())));
    }
    let mut decoder = Decoder::new(&codings, limits).map_err(|stopped| stop(url, limits, stopped))?;
    let mut next = Some(first);
    while let Some(piece) = next {
        for part in piece.chunks(DECODED_AT_ONCE) {
            decoder.push(part).await.map_err(|stopped| stop(url, limits, stopped))?;
            account.cover(decoder.decoded().len(), url).await?;
        }
        sniff(decoder.decoded(), false)?;
        next = chunk(response, url, meter).await?;
    }
    let body = decoder.finish().map_err(|stopped| stop(url, limits, stopped))?;
    sniff(&body, true)?;
    Ok((headers, account.around(body)))
}

/// The next piece of the body. Trailers say nothing that anybody here asks for.
async fn chunk(
    response: &mut http::Response<Incoming>,
    url: &Url,
    meter: Option<&AtomicU64>,
) -> Result<Option<Bytes>, Error> {
    while let Some(frame) = response.body_mut().frame().await {
        let frame = frame.map_err(|error| door::classify(&error, url))?;
        if let Ok(data) = frame.into_data() {
            if let Some(meter) = meter {
                meter.fetch_add(data.len() as u64, Relaxed);
            }
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// The decoder for a body with these headers.
pub(crate) fn decoder(headers: &HeaderMap, url: &Url, limits: Limits) -> Result<Decoder, Error> {
    Decoder::new(&codings(headers, url)?, limits).map_err(|stopped| stop(url, limits, stopped))
}

/// The codings of a body in the order in which they were applied.
fn codings(headers: &HeaderMap, url: &Url) -> Result<Vec<Coding>, Error> {
    let mut codings = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let text = value.to_str().unwrap_or("?");
        for name in text.split(',').map(str::trim) {
            match Coding::named(name) {
                Ok(coding) => codings.extend(coding),
                Err(()) => {
                    return Err(Error::new(
                        ErrorKind::Decode,
                        url,
                        "the content coding of the body is unknown",
                    ));
                }
            }
            if codings.len() > MAX_CODINGS {
                return Err(Error::new(
                    ErrorKind::Decode,
                    url,
                    format!("the body has more than {MAX_CODINGS} content codings over each other"),
                ));
            }
        }
    }
    Ok(codings)
}

fn stop(url: &Url, limits: Limits, stopped: Stopped) -> Error {
    match stopped {
        Stopped::Broken => {
            Error::new(ErrorKind::Decode, url, "the compressed body is broken or ends before its time")
        }
        Stopped::Size | Stopped::Ratio => too_large(url, limits, stopped),
    }
}

fn too_large(url: &Url, limits: Limits, stopped: Stopped) -> Error {
    let detail = match stopped {
        Stopped::Ratio => format!("the body decodes to more than {MAX_RATIO} times its size"),
        Stopped::Size | Stopped::Broken => format!("the body is larger than {} bytes", limits.bytes),
    };
    Error::new(ErrorKind::TooLarge, url, detail)
}

fn unsupported(url: &Url, kind: &str) -> Error {
    let shown: String = kind.chars().filter(char::is_ascii_graphic).take(64).collect();
    Error::new(ErrorKind::UnsupportedMedia, url, format!("a body of type {shown} is not a page"))
}
