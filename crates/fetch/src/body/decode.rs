//! A stack of codecs, with limits on what goes in and on what comes out of each.
//!
//! The limits apply to the output of each layer, not only to the body: if the innermost layer drops
//! everything, the outer ones could cost as much as a bomb and still give an empty body.

use bytes::Bytes;

use super::codec::{Broken, Codec, Coding};
use super::{MAX_RATIO, MAX_TRAILING, RATIO_FREE_BYTES};

/// Most bytes that one step of a codec produces. A limit is exceeded by at most this much.
const SCRATCH: usize = 32 * 1024;
/// Bytes, consumed and produced by all layers, after which the task yields to others of its thread.
const STRIDE: usize = 1024 * 1024;

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
    /// The stream is invalid, ends too early, or goes on long after its end.
    Broken,
}

impl From<Broken> for DecodeError {
    fn from(_: Broken) -> Self {
        Self::Broken
    }
}

/// Undoes a stack of codings, outermost first.
pub(crate) struct Decoder {
    layers: Vec<Layer>,
    limits: Limits,
    received: u64,
    decoded: Vec<u8>,
}

struct Layer {
    codec: Codec,
    /// Output of the codec. The bytes from `taken` to `filled` wait for the next layer.
    scratch: Box<[u8]>,
    filled: usize,
    taken: usize,
    /// Bytes that the codec has produced so far.
    produced: u64,
    /// Bytes after the end of its stream.
    trailing: u64,
}

impl Layer {
    fn rest(&self) -> &[u8] {
        self.scratch.get(self.taken..self.filled).unwrap_or_default()
    }

    /// Decodes some of `input` and returns how much of it was consumed.
    fn step(&mut self, input: &[u8]) -> Result<usize, DecodeError> {
        let step = self.codec.step(input, &mut self.scratch)?;
        (self.taken, self.filled) = (0, step.produced);
        self.produced += step.produced as u64;
        if self.codec.is_finished() && step.produced == 0 {
            self.trailing += step.consumed as u64;
            if self.trailing > MAX_TRAILING {
                return Err(DecodeError::Broken);
            }
        }
        Ok(step.consumed)
    }
}

impl Decoder {
    /// For a body to which `codings` were applied in this order.
    pub(crate) fn new(codings: &[Coding], limits: Limits) -> Result<Self, DecodeError> {
        let layer = |coding: &Coding| -> Result<Layer, DecodeError> {
            let scratch = vec![0; SCRATCH].into_boxed_slice();
            Ok(Layer { codec: Codec::new(*coding)?, scratch, filled: 0, taken: 0, produced: 0, trailing: 0 })
        };
        let layers = codings.iter().rev().map(layer).collect::<Result<_, _>>()?;
        Ok(Self { layers, limits, received: 0, decoded: Vec::new() })
    }

    /// Decodes the next piece of the body as sent. Yields in between, because a small piece may be much work.
    pub(crate) async fn push(&mut self, mut input: &[u8]) -> Result<(), DecodeError> {
        self.received += input.len() as u64;
        if self.received > self.limits.bytes {
            return Err(DecodeError::Size);
        }
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
            let consumed = match before.last_mut() {
                None => {
                    let consumed = layer.step(input)?;
                    *input = input.get(consumed..).unwrap_or_default();
                    consumed
                }
                Some(outer) => {
                    let consumed = layer.step(outer.rest())?;
                    outer.taken += consumed;
                    consumed
                }
            };
            moved += consumed + layer.filled;
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
    pub(crate) fn finish(self) -> Result<Bytes, DecodeError> {
        if self.layers.iter().all(|layer| layer.codec.is_complete()) {
            Ok(self.decoded.into())
        } else {
            Err(DecodeError::Broken)
        }
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
        let mut decoder = Decoder::new(codings, LIMITS)?;
        push_all(&mut decoder, encoded, piece)?;
        decoder.finish()
    }

    fn push_all(decoder: &mut Decoder, encoded: &[u8], piece: usize) -> Result<(), DecodeError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for chunk in encoded.chunks(piece) {
                decoder.push(chunk).await?;
            }
            Ok(())
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
        for (coding, encoded) in [
            (Coding::Gzip, gzip(&data)),
            (Coding::Deflate, zlib(&data)),
            (Coding::Deflate, raw_deflate(&data)),
            (Coding::Brotli, brotli(&data)),
            (Coding::Zstd, zstd(&data)),
        ] {
            for cut in [1, encoded.len() / 2, encoded.len() - 1] {
                assert_eq!(
                    decode(&[coding], &encoded[..cut], 512),
                    Err(DecodeError::Broken),
                    "{coding:?} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn a_wrong_checksum_and_garbage_are_broken() {
        let mut encoded = gzip(&text(5000));
        let at = encoded.len() - 6;
        encoded[at] ^= 0x55;
        assert_eq!(decode(&[Coding::Gzip], &encoded, 64), Err(DecodeError::Broken));
        for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstd] {
            assert_eq!(
                decode(&[coding], b"<!doctype html><p>not compressed at all", 5),
                Err(DecodeError::Broken)
            );
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
            let mut decoder = Decoder::new(codings, LIMITS).unwrap();
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
            let mut decoder = Decoder::new(codings, LIMITS).unwrap();
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
            let mut decoder = Decoder::new(&[Coding::Deflate], limits).unwrap();
            assert_eq!(push_all(&mut decoder, &encoded, encoded.len()).err(), expected);
            assert!(decoder.decoded.len() as u64 <= limits.bytes);
        }
    }

    #[test]
    fn a_huge_zstd_window_is_refused() {
        // Magic, a descriptor without content size, and a window descriptor of exponent 21: 2 GiB.
        let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00];
        assert_eq!(decode(&[Coding::Zstd], &frame, 16), Err(DecodeError::Broken));
    }

    #[test]
    fn a_large_brotli_window_is_refused() {
        // RFC 7932 reserves this header; the large-window extension reads a window of 2^30 from it.
        assert_eq!(decode(&[Coding::Brotli], &[0x11, 30, 0x00, 0x03], 16), Err(DecodeError::Broken));
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
