//! Content codings, one step at a time.
//!
//! Every codec takes a slice of input and a scratch buffer for output, so the caller sees each piece before
//! the next is produced. Decoders that own their output (a `Read` adapter, the client's automatic decoding)
//! can be stopped only between pieces of their own choosing, and do not report how much input a piece took.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};

use super::zstd::Zstd;

/// Most members of one gzip stream, and most frames of one zstd stream. Each costs a new decoder, even if it
/// is empty. Encoders that split a stream do so about every 64 KiB.
pub(super) const MAX_MEMBERS: u32 = 8192;

/// A content coding of RFC 9110 section 8.4.1, or of RFC 7932 (br) and RFC 8878 (zstd).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// The coding of this name, in any letter case; `None` if it is none that can be undone.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("gzip") || is("x-gzip") {
            Some(Self::Gzip)
        } else if is("deflate") {
            Some(Self::Deflate)
        } else if is("br") {
            Some(Self::Brotli)
        } else if is("zstd") && Zstd::IS_BUILT {
            Some(Self::Zstd)
        } else {
            None
        }
    }

    /// Its name in `Content-Encoding`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
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
    /// A decoder of a stream that begins with `start`, which is still to be decoded.
    pub(crate) fn new(coding: Coding, start: &[u8]) -> Result<Self, Broken> {
        Ok(match coding {
            Coding::Gzip => Self::Gzip(Gzip::new()),
            Coding::Deflate => Self::Deflate(Deflate::new(start)),
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
            Self::Gzip(codec) => codec.is_complete(),
            Self::Deflate(codec) => codec.complete,
            Self::Brotli(codec) => codec.complete,
            Self::Zstd(codec) => codec.is_complete(),
        }
    }

    /// Whether all further input is dropped.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            Self::Gzip(codec) => matches!(codec.part, GzipPart::Done),
            Self::Deflate(codec) => codec.complete,
            Self::Brotli(codec) => codec.complete,
            Self::Zstd(codec) => codec.is_finished(),
        }
    }
}

/// One or more gzip members (RFC 1952). As in browsers, bytes after the last member that do not begin another
/// one are dropped, because some servers pad, and the trailer of a member is not read: a page whose text is
/// whole must not be lost because its checksum is missing or wrong.
pub(crate) struct Gzip {
    part: GzipPart,
    /// Members whose header was read.
    members: u32,
}

enum GzipPart {
    Header(GzipHeader),
    Data(Decompress),
    /// So many bytes are left of the checksum and the size.
    Trailer(usize),
    Done,
}

impl Gzip {
    const TRAILER: usize = 8;

    fn new() -> Self {
        Self { part: GzipPart::Header(GzipHeader::default()), members: 0 }
    }

    fn is_complete(&self) -> bool {
        match &self.part {
            GzipPart::Header(header) => self.members > 0 && header.is_unread(),
            GzipPart::Data(_) => false,
            GzipPart::Trailer(_) | GzipPart::Done => true,
        }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, Broken> {
        let (step, next) = match &mut self.part {
            GzipPart::Header(header) => {
                let mut consumed = 0;
                let mut next = None;
                for byte in input {
                    consumed += 1;
                    match header.read(*byte) {
                        Ok(false) => continue,
                        Ok(true) => next = Some(GzipPart::Data(Decompress::new(false))),
                        Err(Broken) if self.members > 0 => next = Some(GzipPart::Done),
                        Err(Broken) => return Err(Broken),
                    }
                    break;
                }
                (Step { consumed, produced: 0 }, next)
            }
            GzipPart::Data(decompress) => {
                let (step, ended) = inflate(decompress, input, output)?;
                (step, ended.then_some(GzipPart::Trailer(Self::TRAILER)))
            }
            GzipPart::Trailer(left) => {
                let consumed = input.len().min(*left);
                *left -= consumed;
                let next = (*left == 0).then(|| GzipPart::Header(GzipHeader::default()));
                (Step { consumed, produced: 0 }, next)
            }
            GzipPart::Done => (Step { consumed: input.len(), produced: 0 }, None),
        };
        if let Some(next) = next {
            if matches!(next, GzipPart::Data(_)) {
                self.members += 1;
                if self.members > MAX_MEMBERS {
                    return Err(Broken);
                }
            }
            self.part = next;
        }
        Ok(step)
    }
}

/// The header of a gzip member (RFC 1952 section 2.3), byte by byte. Nothing in it is needed.
#[derive(Default)]
struct GzipHeader {
    /// How many of the ten fixed bytes were read.
    fixed: u8,
    /// The flags of the parts that are still to be read.
    flags: u8,
    part: HeaderPart,
}

#[derive(Default, Clone, Copy)]
enum HeaderPart {
    #[default]
    Fixed,
    ExtraLength,
    /// The low byte of the length is known.
    ExtraHighLength(u8),
    /// So many bytes are left of the extra field.
    Extra(u16),
    /// A name or a comment, up to a zero.
    Text,
    /// So many bytes are left of the header's checksum.
    Checksum(u8),
}

impl GzipHeader {
    const FIXED: u8 = 10;
    const RESERVED_FLAGS: u8 = 0xe0;

    fn is_unread(&self) -> bool {
        self.fixed == 0
    }

    /// Reads the next byte; whether it was the last one.
    fn read(&mut self, byte: u8) -> Result<bool, Broken> {
        let is_read = match &mut self.part {
            HeaderPart::Fixed => {
                let is_valid = match self.fixed {
                    0 => byte == 0x1f,
                    1 => byte == 0x8b,
                    2 => byte == 8,
                    3 => {
                        self.flags = byte;
                        byte & Self::RESERVED_FLAGS == 0
                    }
                    _ => true,
                };
                if !is_valid {
                    return Err(Broken);
                }
                self.fixed += 1;
                self.fixed == Self::FIXED
            }
            HeaderPart::ExtraLength => {
                self.part = HeaderPart::ExtraHighLength(byte);
                false
            }
            HeaderPart::ExtraHighLength(low) => {
                let length = u16::from_le_bytes([*low, byte]);
                self.part = HeaderPart::Extra(length);
                length == 0
            }
            HeaderPart::Extra(left) => {
                *left -= 1;
                *left == 0
            }
            HeaderPart::Text => byte == 0,
            HeaderPart::Checksum(left) => {
                *left -= 1;
                *left == 0
            }
        };
        Ok(is_read && !self.begin_next_part())
    }

    /// Whether another part follows.
    fn begin_next_part(&mut self) -> bool {
        const PARTS: [(u8, HeaderPart); 4] = [
            (0x04, HeaderPart::ExtraLength),
            (0x08, HeaderPart::Text),
            (0x10, HeaderPart::Text),
            (0x02, HeaderPart::Checksum(2)),
        ];
        let Some((flag, part)) = PARTS.into_iter().find(|(flag, _)| self.flags & flag != 0) else {
            return false;
        };
        self.flags &= !flag;
        self.part = part;
        true
    }
}

/// `deflate` is the zlib format (RFC 1950) in RFC 9110, but raw deflate (RFC 1951) from some servers. The
/// first two bytes distinguish them. As for [`Gzip`], the checksum is not read.
pub(crate) struct Deflate {
    inflate: Decompress,
    /// So many bytes are left of the header.
    header: usize,
    complete: bool,
}

impl Deflate {
    fn new(start: &[u8]) -> Self {
        // The low four bits of the first byte are the method, 8; the high bit is clear for windows of at most
        // 32 KiB. The two bytes are a multiple of 31. Encoders rarely begin raw deflate like this.
        let is_zlib = match start {
            [method, flags, ..] => {
                method & 0x8f == 0x08 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
            }
            _ => false,
        };
        Self { inflate: Decompress::new(false), header: if is_zlib { 2 } else { 0 }, complete: false }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, Broken> {
        if self.complete {
            return Ok(Step { consumed: input.len(), produced: 0 });
        }
        if self.header > 0 {
            let consumed = input.len().min(self.header);
            self.header -= consumed;
            return Ok(Step { consumed, produced: 0 });
        }
        let (step, ended) = inflate(&mut self.inflate, input, output)?;
        self.complete = ended;
        Ok(step)
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
