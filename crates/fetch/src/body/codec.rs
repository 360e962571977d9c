//! Content codings, one step at a time.
//!
//! Every codec takes a slice of input and a scratch buffer for output, so the caller sees each piece before
//! the next is produced. Decoders that own their output (a `Read` adapter, the client's automatic decoding)
//! can be stopped only between pieces of their own choosing, and do not report how much input a piece took.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};

/// Largest accepted zstd window, as a power of two: 8 MiB, the bound of RFC 9659 for this content coding.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// Most members of one gzip stream, and most frames of one zstd stream. Each costs a new decoder, even if it
/// is empty. Encoders that split a stream do so about every 64 KiB.
const MAX_MEMBERS: u32 = 8192;

/// A content coding of RFC 9110 section 8.4.1, or of RFC 7932 (br) and RFC 8878 (zstd).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// The coding of this name, in any letter case. `None` within `Ok` is `identity`.
    pub(crate) fn named(name: &str) -> Result<Option<Self>, ()> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("gzip") || is("x-gzip") {
            Ok(Some(Self::Gzip))
        } else if is("deflate") {
            Ok(Some(Self::Deflate))
        } else if is("br") {
            Ok(Some(Self::Brotli))
        } else if is("zstd") {
            Ok(Some(Self::Zstd))
        } else if is("identity") || name.is_empty() {
            Ok(None)
        } else {
            Err(())
        }
    }
}

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) consumed: usize,
    pub(crate) produced: usize,
}

/// The stream is invalid in its coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

/// A decoder in the middle of its stream.
pub(crate) enum Codec {
    Gzip(Gzip),
    Deflate(Deflate),
    Brotli(Box<Brotli>),
    Zstd(Zstd),
}

impl Codec {
    pub(crate) fn new(coding: Coding) -> Result<Self, Broken> {
        Ok(match coding {
            Coding::Gzip => Self::Gzip(Gzip::new()),
            Coding::Deflate => Self::Deflate(Deflate::Unknown),
            Coding::Brotli => Self::Brotli(Box::new(Brotli::new())),
            Coding::Zstd => Self::Zstd(Zstd::new()?),
        })
    }

    /// Decodes some of `input` into `output`. A step that neither consumes nor produces needs more input, or
    /// has reached the end of its stream.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, Broken> {
        match self {
            Self::Gzip(codec) => codec.step(input, output),
            Self::Deflate(codec) => codec.step(input, output),
            Self::Brotli(codec) => codec.step(input, output),
            Self::Zstd(codec) => codec.step(input, output),
        }
    }

    /// Whether the stream is complete.
    pub(crate) fn is_complete(&self) -> bool {
        match self {
            Self::Gzip(codec) => codec.complete,
            Self::Deflate(codec) => matches!(codec, Deflate::Done),
            Self::Brotli(codec) => codec.complete,
            Self::Zstd(codec) => codec.complete,
        }
    }

    /// Whether all further input is dropped.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            Self::Gzip(codec) => codec.finished,
            Self::Deflate(codec) => matches!(codec, Deflate::Done),
            Self::Brotli(codec) => codec.complete,
            Self::Zstd(_) => false,
        }
    }
}

/// One or more gzip members (RFC 1952). Bytes after the last member that do not begin another one are
/// dropped, as in browsers, because some servers pad.
pub(crate) struct Gzip {
    inflate: Decompress,
    complete: bool,
    finished: bool,
    members: u32,
}

impl Gzip {
    const WINDOW_BITS: u8 = 15;
    const FIRST_BYTE: u8 = 0x1f;

    fn new() -> Self {
        Self {
            inflate: Decompress::new_gzip(Self::WINDOW_BITS),
            complete: false,
            finished: false,
            members: 1,
        }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, Broken> {
        if self.complete && !self.finished {
            match input.first() {
                None => return Ok(Step { consumed: 0, produced: 0 }),
                Some(&Self::FIRST_BYTE) => {
                    self.members += 1;
                    if self.members > MAX_MEMBERS {
                        return Err(Broken);
                    }
                    self.inflate = Decompress::new_gzip(Self::WINDOW_BITS);
                    self.complete = false;
                }
                Some(_) => self.finished = true,
            }
        }
        if self.finished {
            return Ok(Step { consumed: input.len(), produced: 0 });
        }
        let (step, ended) = inflate(&mut self.inflate, input, output)?;
        self.complete = ended;
        Ok(step)
    }
}

/// `deflate` is the zlib format (RFC 1950) in RFC 9110, but raw deflate (RFC 1951) from some servers. The
/// first byte distinguishes them.
pub(crate) enum Deflate {
    Unknown,
    Running(Decompress),
    Done,
}

impl Deflate {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, Broken> {
        if let Self::Unknown = self {
            let Some(first) = input.first() else { return Ok(Step { consumed: 0, produced: 0 }) };
            // The low four bits of a zlib header are the method, 8, and the high bit is clear for windows of
            // at most 32 KiB. Encoders do not begin raw deflate like this.
            let zlib = first & 0x8f == 0x08;
            *self = Self::Running(Decompress::new(zlib));
        }
        match self {
            Self::Running(decompress) => {
                let (step, ended) = inflate(decompress, input, output)?;
                if ended {
                    *self = Self::Done;
                }
                Ok(step)
            }
            Self::Unknown | Self::Done => Ok(Step { consumed: input.len(), produced: 0 }),
        }
    }
}

fn inflate(decompress: &mut Decompress, input: &[u8], output: &mut [u8]) -> Result<(Step, bool), Broken> {
    let (before_in, before_out) = (decompress.total_in(), decompress.total_out());
    let status = decompress.decompress(input, output, FlushDecompress::None).map_err(|_| Broken)?;
    let moved = |now: u64, before: u64| usize::try_from(now - before).map_err(|_| Broken);
    let step = Step {
        consumed: moved(decompress.total_in(), before_in)?,
        produced: moved(decompress.total_out(), before_out)?,
    };
    Ok((step, status == Status::StreamEnd))
}

/// Brotli (RFC 7932), without the large-window extension, whose windows reach 1 GiB.
pub(crate) struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    complete: bool,
}

impl Brotli {
    fn new() -> Self {
        let state = BrotliState::new_strict(
            StandardAlloc::default(),
            StandardAlloc::default(),
            StandardAlloc::default(),
        );
        Self { state, complete: false }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, Broken> {
        if self.complete {
            return Ok(Step { consumed: input.len(), produced: 0 });
        }
        let (mut available_in, mut consumed) = (input.len(), 0);
        let (mut available_out, mut produced) = (output.len(), 0);
        let mut total = 0;
        let result = BrotliDecompressStream(
            &mut available_in,
            &mut consumed,
            input,
            &mut available_out,
            &mut produced,
            output,
            &mut total,
            &mut self.state,
        );
        match result {
            BrotliResult::ResultFailure => return Err(Broken),
            BrotliResult::ResultSuccess => self.complete = true,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
        }
        Ok(Step { consumed, produced })
    }
}

/// One or more zstd frames (RFC 8878).
pub(crate) struct Zstd {
    decoder: ZstdDecoder<'static>,
    complete: bool,
    frames: u32,
}

impl Zstd {
    fn new() -> Result<Self, Broken> {
        let mut decoder = ZstdDecoder::new().map_err(|_| Broken)?;
        decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX)).map_err(|_| Broken)?;
        Ok(Self { decoder, complete: false, frames: 0 })
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, Broken> {
        if input.is_empty() && self.complete {
            return Ok(Step { consumed: 0, produced: 0 });
        }
        let mut source = InBuffer::around(input);
        let mut target = OutBuffer::around(output);
        let hint = self.decoder.run(&mut source, &mut target).map_err(|_| Broken)?;
        self.complete = hint == 0;
        self.frames += u32::from(self.complete);
        if self.frames > MAX_MEMBERS {
            return Err(Broken);
        }
        Ok(Step { consumed: source.pos(), produced: target.pos() })
    }
}
