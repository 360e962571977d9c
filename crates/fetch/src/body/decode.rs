//! A stack of codecs, with limits on what goes in and on what comes out of each.
//!
//! The limits apply to the output of each layer, not only to the body: if the innermost layer drops
//! everything, the outer ones could cost as much as a bomb and still give an empty body.
//!
//! A coding is a claim of the server, and often a wrong one. So the first bytes of each layer decide whether
//! its stream is coded at all.

use bytes::Bytes;
use gleaner_types::media::is_recognised;

use super::codec::{Broken, Codec, Coding, Step};
use super::{MAX_RATIO, MAX_TRAILING, RATIO_FREE_BYTES};

/// Most bytes that one step of a codec produces. A limit is exceeded by at most this much.
const SCRATCH: usize = 32 * 1024;
/// Bytes, consumed and produced by all layers, after which the task yields to others of its thread.
const STRIDE: usize = 1024 * 1024;
/// First bytes of a layer that decide whether it is coded.
const START: usize = 512;

/// How large a body may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Most bytes, as sent and as each coding decodes to.
    pub(crate) bytes: u64,
}

/// Why decoding stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// More bytes than allowed, as sent or as decoded.
    Size,
    /// More than [`MAX_RATIO`] times the bytes that were sent.
    Ratio,
    /// The stream of this coding is invalid or ends too early, or many bytes follow it.
    Broken(Coding),
}

/// Undoes a stack of codings, outermost first.
pub(crate) struct Decoder {
    layers: Vec<Layer>,
    limits: Limits,
    received: u64,
    decoded: Vec<u8>,
}

struct Layer {
    coding: Coding,
    stage: Stage,
    /// The first bytes of the stream. They are decoded once they are complete.
    start: Vec<u8>,
    /// How many of them were decoded.
    replayed: usize,
    /// Output of the codec. The bytes from `taken` to `filled` wait for the next layer.
    scratch: Box<[u8]>,
    filled: usize,
    taken: usize,
    /// Bytes that the codec has produced so far.
    produced: u64,
    /// Bytes after the end of its stream.
    trailing: u64,
}

enum Stage {
    /// The first bytes come in.
    Start,
    Coded(Codec),
    /// The stream is not coded.
    Plain,
}

/// The result of a step of a layer.
struct Progress {
    /// Bytes of the input.
    consumed: usize,
    /// Bytes consumed and produced.
    moved: usize,
}

impl Layer {
    fn new(coding: Coding) -> Self {
        Self {
            coding,
            stage: Stage::Start,
            start: Vec::new(),
            replayed: 0,
            scratch: vec![0; SCRATCH].into_boxed_slice(),
            filled: 0,
            taken: 0,
            produced: 0,
            trailing: 0,
        }
    }

    fn rest(&self) -> &[u8] {
        self.scratch.get(self.taken..self.filled).unwrap_or_default()
    }

    /// Decodes some of `input`.
    fn step(&mut self, input: &[u8]) -> Result<Progress, DecodeError> {
        if let Stage::Start = self.stage {
            let taken = input.len().min(START.saturating_sub(self.start.len()));
            self.start.extend_from_slice(input.get(..taken).unwrap_or_default());
            if self.start.len() >= START {
                self.decide(false)?;
            }
            return Ok(Progress { consumed: taken, moved: taken });
        }
        let coding = self.coding;
        let replays = self.replayed < self.start.len();
        let source = if replays { self.start.get(self.replayed..).unwrap_or_default() } else { input };
        let step = match &mut self.stage {
            Stage::Coded(codec) => {
                codec.step(source, &mut self.scratch).map_err(|Broken| DecodeError::Broken(coding))?
            }
            Stage::Start | Stage::Plain => copy(source, &mut self.scratch),
        };
        (self.taken, self.filled) = (0, step.produced);
        self.produced += step.produced as u64;
        let is_finished = matches!(&self.stage, Stage::Coded(codec) if codec.is_finished());
        if is_finished && step.produced == 0 {
            self.trailing += step.consumed as u64;
            if self.trailing > MAX_TRAILING {
                return Err(DecodeError::Broken(coding));
            }
        }
        let consumed = if replays { 0 } else { step.consumed };
        self.replayed += step.consumed - consumed;
        Ok(Progress { consumed, moved: step.consumed + step.produced })
    }

    /// Decides by the first bytes whether the stream is coded. `at_end`: there are no others.
    fn decide(&mut self, at_end: bool) -> Result<(), DecodeError> {
        let broken = |Broken| DecodeError::Broken(self.coding);
        let is_plain = is_recognised(&self.start)
            && !begins_with(self.coding, &self.start, at_end, &mut self.scratch).map_err(broken)?;
        self.stage = if is_plain {
            Stage::Plain
        } else {
            Stage::Coded(Codec::new(self.coding, &self.start).map_err(broken)?)
        };
        Ok(())
    }

    /// Whether the stream is complete.
    fn is_complete(&self) -> bool {
        match &self.stage {
            Stage::Coded(codec) => codec.is_complete(),
            Stage::Start | Stage::Plain => true,
        }
    }
}

/// Whether `start`, which looks like a body that is not coded, is the beginning of a stream of this coding.
fn begins_with(coding: Coding, start: &[u8], at_end: bool, scratch: &mut [u8]) -> Result<bool, Broken> {
    let mut codec = Codec::new(coding, start)?;
    let (mut rest, mut produced) = (start, 0);
    loop {
        // Some text is an empty stream with bytes after it, such as `{` of JSON for brotli.
        if codec.is_complete() {
            return Ok(rest.is_empty());
        }
        let Ok(step) = codec.step(rest, scratch) else { return Ok(false) };
        rest = rest.get(step.consumed..).unwrap_or_default();
        produced += step.produced;
        if produced >= SCRATCH {
            return Ok(true);
        }
        if step.consumed + step.produced == 0 {
            return Ok(!at_end);
        }
    }
}

fn copy(source: &[u8], target: &mut [u8]) -> Step {
    let length = source.len().min(target.len());
    for (to, from) in target.iter_mut().zip(source) {
        *to = *from;
    }
    Step { consumed: length, produced: length }
}

impl Decoder {
    /// For a body to which `codings` were applied in this order.
    pub(crate) fn new(codings: &[Coding], limits: Limits) -> Self {
        let layers = codings.iter().rev().map(|coding| Layer::new(*coding)).collect();
        Self { layers, limits, received: 0, decoded: Vec::new() }
    }

    /// Decodes the next piece of the body as sent. Yields in between, because a small piece may be much work.
    pub(crate) async fn push(&mut self, input: &[u8]) -> Result<(), DecodeError> {
        self.received += input.len() as u64;
        if self.received > self.limits.bytes {
            return Err(DecodeError::Size);
        }
        self.run(input).await
    }

    /// Decodes until no layer can move.
    async fn run(&mut self, mut input: &[u8]) -> Result<(), DecodeError> {
        let mut work = 0;
        loop {
            let moved = self.advance(&mut input)?;
            if moved == 0 {
                return Ok(());
            }
            work += moved;
            if work >= STRIDE {
                work = 0;
                tokio::task::yield_now().await;
            }
        }
    }

    /// Makes one step in each layer and returns how many bytes were consumed and produced: 0 if no layer
    /// could move.
    fn advance(&mut self, input: &mut &[u8]) -> Result<usize, DecodeError> {
        let mut moved = 0;
        for index in 0..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(index);
            let Some((layer, _)) = rest.split_first_mut() else { break };
            if layer.taken < layer.filled {
                continue;
            }
            let progress = match before.last_mut() {
                None => {
                    let progress = layer.step(input)?;
                    *input = input.get(progress.consumed..).unwrap_or_default();
                    progress
                }
                Some(outer) => {
                    let progress = layer.step(outer.rest())?;
                    outer.taken += progress.consumed;
                    progress
                }
            };
            moved += progress.moved;
            let produced = layer.produced;
            if produced > self.limits.bytes {
                return Err(DecodeError::Size);
            }
            if produced > RATIO_FREE_BYTES && produced > self.received.saturating_mul(MAX_RATIO) {
                return Err(DecodeError::Ratio);
            }
        }
        // The output of the last layer is the body.
        if let Some(last) = self.layers.last_mut() {
            self.decoded.extend_from_slice(last.rest());
            last.taken = last.filled;
        }
        Ok(moved)
    }

    /// The bytes decoded so far.
    pub(crate) fn decoded(&self) -> &[u8] {
        &self.decoded
    }

    /// The whole body, once its last piece was pushed.
    pub(crate) async fn finish(mut self) -> Result<Bytes, DecodeError> {
        self.end().await?;
        match self.layers.iter().find(|layer| !layer.is_complete()) {
            None => Ok(self.decoded.into()),
            Some(layer) => Err(DecodeError::Broken(layer.coding)),
        }
    }

    /// Whether the streams of all codings have ended, if no further bytes come.
    pub(crate) async fn has_ended(&mut self) -> bool {
        let ended = |layer: &Layer| matches!(&layer.stage, Stage::Coded(codec) if codec.is_complete());
        self.end().await.is_ok() && self.layers.iter().all(ended)
    }

    /// Decodes what waits for further first bytes: none come.
    async fn end(&mut self) -> Result<(), DecodeError> {
        for index in 0..self.layers.len() {
            // All outer layers have given what they had.
            if let Some(layer) = self.layers.get_mut(index)
                && matches!(layer.stage, Stage::Start)
            {
                layer.decide(true)?;
                self.run(&[]).await?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits { bytes: 8 * 1024 * 1024 };

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(data: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(data: &[u8]) -> Vec<u8> {
        zstd::encode_all(data, 3).unwrap()
    }

    /// A brotli stream of stored blocks, written by RFC 7932 sections 9.1 and 9.2 (no encoder is a dependency
    /// here).
    fn brotli(data: &[u8]) -> Vec<u8> {
        let mut bits: Vec<bool> = vec![false]; // WBITS = 16
        let push = |bits: &mut Vec<bool>, value: usize, count: usize| {
            bits.extend((0..count).map(|bit| value >> bit & 1 == 1));
        };
        for block in data.chunks(1 << 16) {
            push(&mut bits, 0, 1); // ISLAST
            push(&mut bits, 0, 2); // MNIBBLES = 4
            push(&mut bits, block.len() - 1, 16);
            push(&mut bits, 1, 1); // ISUNCOMPRESSED
            while !bits.len().is_multiple_of(8) {
                bits.push(false);
            }
            block.iter().for_each(|byte| push(&mut bits, usize::from(*byte), 8));
        }
        push(&mut bits, 0b11, 2); // ISLAST, ISLASTEMPTY
        bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |sum, bit| sum << 1 | u8::from(*bit))).collect()
    }

    fn decode(codings: &[Coding], encoded: &[u8], piece: usize) -> Result<Bytes, DecodeError> {
        let mut decoder = Decoder::new(codings, LIMITS);
        push_all(&mut decoder, encoded, piece)?;
        runtime().block_on(decoder.finish())
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    fn push_all(decoder: &mut Decoder, encoded: &[u8], piece: usize) -> Result<(), DecodeError> {
        runtime().block_on(async {
            for chunk in encoded.chunks(piece) {
                decoder.push(chunk).await?;
            }
            decoder.end().await
        })
    }

    /// A page-like text that does not compress too well.
    fn text(length: usize) -> Vec<u8> {
        let mut state = 17_u32;
        let word = |state: &mut u32| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("<p>word {} of the text</p>\n", *state >> 20)
        };
        let mut out = Vec::new();
        while out.len() < length {
            out.extend_from_slice(word(&mut state).as_bytes());
        }
        out
    }

    #[test]
    fn every_coding_decodes_in_pieces_of_any_size() {
        let data = text(200_000);
        let rows: [(&str, &[Coding], Vec<u8>); 8] = [
            ("gzip", &[Coding::Gzip], gzip(&data)),
            ("two gzip members", &[Coding::Gzip], [gzip(&data[..1000]), gzip(&data[1000..])].concat()),
            ("gzip with padding", &[Coding::Gzip], [gzip(&data), vec![0; 100]].concat()),
            ("zlib", &[Coding::Deflate], zlib(&data)),
            ("raw deflate", &[Coding::Deflate], raw_deflate(&data)),
            ("brotli", &[Coding::Brotli], brotli(&data)),
            ("zstd in two frames", &[Coding::Zstd], [zstd(&data[..777]), zstd(&data[777..])].concat()),
            (
                "zstd, gzip, brotli",
                &[Coding::Zstd, Coding::Gzip, Coding::Brotli],
                brotli(&gzip(&zstd(&data))),
            ),
        ];
        for (name, codings, encoded) in rows {
            for piece in [1, 2, 3, 7, 1000, 16 * 1024, encoded.len()] {
                assert!(
                    decode(codings, &encoded, piece).as_deref() == Ok(&data),
                    "{name} in pieces of {piece}"
                );
            }
        }
    }

    #[test]
    fn a_stream_that_ends_early_is_broken() {
        let data = text(50_000);
        for (coding, encoded, trailer) in [
            (Coding::Gzip, gzip(&data), 8),
            (Coding::Deflate, zlib(&data), 4),
            (Coding::Deflate, raw_deflate(&data), 0),
            (Coding::Brotli, brotli(&data), 0),
            (Coding::Zstd, zstd(&data), 0),
        ] {
            for cut in [600, encoded.len() / 2, encoded.len() - trailer - 1] {
                assert_eq!(
                    decode(&[coding], &encoded[..cut], 512),
                    Err(DecodeError::Broken(coding)),
                    "{coding:?} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn a_body_is_whole_without_its_checksum() {
        let data = text(5000);
        for (coding, encoded, trailer) in [(Coding::Gzip, gzip(&data), 8), (Coding::Deflate, zlib(&data), 4)]
        {
            let whole = encoded.len();
            for cut in 0..=trailer {
                let cut = &encoded[..whole - cut];
                assert_eq!(decode(&[coding], cut, 64).as_deref(), Ok(&data[..]), "{coding:?}");
            }
            let mut wrong = encoded.clone();
            wrong[whole - 3] ^= 0x55;
            assert_eq!(decode(&[coding], &wrong, 64).as_deref(), Ok(&data[..]), "{coding:?}");
        }
    }

    #[test]
    fn what_follows_a_stream_is_dropped() {
        let data = text(5000);
        for (coding, encoded) in [
            (Coding::Gzip, gzip(&data)),
            (Coding::Deflate, zlib(&data)),
            (Coding::Brotli, brotli(&data)),
            (Coding::Zstd, zstd(&data)),
        ] {
            for garbage in [&b"\0\0\0\0"[..], b"\r\n", b"\x1f<!-- served in 3 ms -->", b"<p>x"] {
                let encoded = [&encoded[..], garbage].concat();
                assert_eq!(decode(&[coding], &encoded, 97).as_deref(), Ok(&data[..]), "{coding:?}");
            }
        }
    }

    #[test]
    fn every_part_of_a_gzip_header_is_skipped() {
        let data = text(3000);
        let deflated = raw_deflate(&data);
        for (flags, parts) in [
            (0x01, &b""[..]),
            (0x04, b"\x03\0abc"),
            (0x04, b"\0\0"),
            (0x08, b"name\0"),
            (0x10, b"comment\0"),
            (0x02, b"\x12\x34"),
            (0x1e, b"\x01\0anameA\0commentB\0\x12\x34"),
        ] {
            let head = [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3][..], parts].concat();
            let encoded = [&head[..], &deflated, &[0; 8]].concat();
            for piece in [1, 7, 4096] {
                assert_eq!(decode(&[Coding::Gzip], &encoded, piece).as_deref(), Ok(&data[..]), "{flags:x}");
            }
        }
        let reserved = [&[0x1f, 0x8b, 8, 0x20, 0, 0, 0, 0, 0, 3][..], &deflated].concat();
        assert_eq!(decode(&[Coding::Gzip], &reserved, 64), Err(DecodeError::Broken(Coding::Gzip)));
    }

    #[test]
    fn a_body_that_is_not_coded_stays_as_it_is() {
        let long = text(20_000);
        let bodies: [&[u8]; 9] = [
            b"<!doctype html><p>not compressed at all",
            b"{\"ok\":true,\"note\":\"not compressed\"}",
            b"[]",
            b"User-agent: *\nDisallow: /shut\n",
            b"x^2 + y^2",
            "Größe; Länge".as_bytes(),
            b"\xef\xbb\xbfname,price\n",
            b"%PDF-1.7\n\0\0\x01",
            &long,
        ];
        for coding in [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd] {
            for body in bodies {
                for piece in [1, 4096] {
                    let name = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
                    assert_eq!(decode(&[coding], body, piece).as_deref(), Ok(body), "{coding:?}: {name}");
                }
            }
            let once = gzip(&long);
            assert_eq!(decode(&[coding, Coding::Gzip], &once, 999).as_deref(), Ok(&long[..]), "{coding:?}");
            let binary = b"\x01\x02\x03 neither text nor coded \x04\x05".repeat(30);
            let error = decode(&[coding], &binary, 100).err();
            assert_eq!(error, Some(DecodeError::Broken(coding)));
        }
    }

    #[test]
    fn bombs_stop_at_the_ratio() {
        let zeros = vec![0; 64 * 1024 * 1024];
        let rows: [(&str, &[Coding], Vec<u8>); 4] = [
            ("gzip", &[Coding::Gzip], gzip(&zeros)),
            ("zlib", &[Coding::Deflate], zlib(&zeros)),
            ("zstd", &[Coding::Zstd], zstd(&zeros)),
            ("gzip in gzip", &[Coding::Gzip, Coding::Gzip], gzip(&gzip(&zeros))),
        ];
        for (name, codings, encoded) in rows {
            let mut decoder = Decoder::new(codings, LIMITS);
            let error = push_all(&mut decoder, &encoded, 4096).err();
            assert_eq!(error, Some(DecodeError::Ratio), "{name}");
            assert!(
                decoder.decoded.len() as u64 <= RATIO_FREE_BYTES.max(decoder.received * MAX_RATIO),
                "{name}"
            );
        }
    }

    #[test]
    fn layers_that_decode_to_nothing_are_stopped() {
        let zeros = vec![0; 64 * 1024 * 1024];
        let (gz, zs) = (Coding::Gzip, Coding::Zstd);
        let x = gzip(b"x");
        let padded = [x.clone(), zeros.clone()].concat();
        let members = gzip(b"").repeat(1 << 20);
        let frames = zstd(b"").repeat(1 << 20);
        // Magic 0x184D2A50, a length of 4, and 4 zeros (RFC 8878 section 3.1.2).
        let skipped = [b"\x50\x2a\x4d\x18\x04\0\0\0\0\0\0\0".repeat(1 << 20), zstd(b"x")].concat();
        for (name, codings, encoded) in [
            ("padding inside", &[gz, gz, gz][..], gzip(&gzip(&padded))),
            ("padding in the middle", &[gz, gz], gzip(&padded)),
            ("padding after brotli", &[Coding::Brotli, gz], gzip(&[brotli(b"x"), zeros.clone()].concat())),
            ("padding after deflate", &[Coding::Deflate, gz], gzip(&[zlib(b"x"), zeros.clone()].concat())),
            ("padding on the wire", &[gz], [x, vec![0; MAX_TRAILING as usize + 4096]].concat()),
            ("empty members", &[gz, gz], gzip(&members)),
            ("empty frames", &[zs, gz], gzip(&frames)),
            ("skipped frames", &[zs, gz], gzip(&skipped)),
        ] {
            let mut decoder = Decoder::new(codings, LIMITS);
            assert!(push_all(&mut decoder, &encoded, 4096).is_err(), "{name}");
            let most = decoder.layers.iter().map(|layer| layer.produced).max().unwrap();
            assert!(most <= LIMITS.bytes + SCRATCH as u64, "{name}: a layer produced {most} bytes");
        }
    }

    #[test]
    fn the_size_limit_is_exact() {
        let data = text(100_000);
        let encoded = zlib(&data);
        let exact = Limits { bytes: data.len() as u64 };
        let short = Limits { bytes: data.len() as u64 - 1 };
        for (limits, expected) in [(exact, None), (short, Some(DecodeError::Size))] {
            let mut decoder = Decoder::new(&[Coding::Deflate], limits);
            assert_eq!(push_all(&mut decoder, &encoded, encoded.len()).err(), expected);
            assert!(decoder.decoded.len() as u64 <= limits.bytes);
        }
    }

    #[test]
    fn a_huge_zstd_window_is_refused() {
        // Magic, a descriptor without content size, and a window descriptor of exponent 21: 2 GiB.
        let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00];
        assert_eq!(decode(&[Coding::Zstd], &frame, 16), Err(DecodeError::Broken(Coding::Zstd)));
    }

    #[test]
    fn a_large_brotli_window_is_refused() {
        // RFC 7932 reserves this header; the large-window extension reads a window of 2^30 from it.
        let window = [0x11, 30, 0x00, 0x03];
        assert_eq!(decode(&[Coding::Brotli], &window, 16), Err(DecodeError::Broken(Coding::Brotli)));
    }

    proptest! {
        #[test]
        fn the_size_of_pieces_does_not_matter(
            data in proptest::collection::vec(any::<u8>(), 0..5000),
            piece in 1_usize..600,
        ) {
            let stack = [Coding::Brotli, Coding::Deflate];
            prop_assert_eq!(decode(&stack, &zlib(&brotli(&data)), piece).unwrap(), data);
        }

        #[test]
        fn garbage_never_panics(data in proptest::collection::vec(any::<u8>(), 0..2000)) {
            for coding in [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd] {
                let _ = decode(&[coding], &data, 97);
            }
        }
    }
}
