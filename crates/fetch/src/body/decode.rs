//! Codecs over each other, with limits on what goes in and on what comes out of each.
//!
//! Each layer's output is held against the limits, not the body's alone: layers that make much of little, of which the
//! innermost drops everything, would cost as much as a bomb and give an empty body.

use bytes::Bytes;

use super::codec::{Broken, Codec, Coding};
use super::{MAX_RATIO, MAX_TRAILING, RATIO_FREE_BYTES};

/// Bytes that one step of a codec may make. What exceeds a limit is at most so much.
const SCRATCH: usize = 32 * 1024;
/// Bytes, taken and made by all layers, after which other tasks of the thread have their turn.
const STRIDE: usize = 1024 * 1024;

/// How much a body may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Most bytes, as sent and as each coding decodes to.
    pub(crate) bytes: u64,
}

/// Why decoding stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// More bytes than allowed, as sent or as decoded.
    Size,
    /// Too many bytes for what was sent.
    Ratio,
    /// The stream is not what its coding says, ends too early, or goes on long after its end.
    Broken,
}

impl From<Broken> for Stopped {
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
    /// What the codec has made and the next has not yet taken.
    scratch: Box<[u8]>,
    filled: usize,
    taken: usize,
    /// What the codec has made so far.
    made: u64,
    /// What came after the end of its stream.
    trailing: u64,
}

impl Layer {
    fn rest(&self) -> &[u8] {
        self.scratch.get(self.taken..self.filled).unwrap_or_default()
    }

    /// Decodes some of `input`, and gives how much of it that was.
    fn step(&mut self, input: &[u8]) -> Result<usize, Stopped> {
        let step = self.codec.step(input, &mut self.scratch)?;
        (self.taken, self.filled) = (0, step.produced);
        self.made += step.produced as u64;
        if self.codec.is_finished() && step.produced == 0 {
            self.trailing += step.consumed as u64;
            if self.trailing > MAX_TRAILING {
                return Err(Stopped::Broken);
            }
        }
        Ok(step.consumed)
    }
}

impl Decoder {
    /// For a body to which `codings` were applied in this order.
    pub(crate) fn new(codings: &[Coding], limits: Limits) -> Result<Self, Stopped> {
        let layer = |coding: &Coding| -> Result<Layer, Stopped> {
            let scratch = vec![0; SCRATCH].into_boxed_slice();
            Ok(Layer { codec: Codec::new(*coding)?, scratch, filled: 0, taken: 0, made: 0, trailing: 0 })
        };
        let layers = codings.iter().rev().map(layer).collect::<Result<_, _>>()?;
        Ok(Self { layers, limits, received: 0, decoded: Vec::new() })
    }

    /// Takes the next piece as it was sent. Lets other tasks go on in between, since a small piece may be much work.
    pub(crate) async fn push(&mut self, mut input: &[u8]) -> Result<(), Stopped> {
        self.received += input.len() as u64;
        if self.received > self.limits.bytes {
            return Err(Stopped::Size);
        }
        let mut work = 0;
        loop {
            let moved = self.turn(&mut input)?;
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

    /// Lets each layer make one step, and gives the bytes that were taken and made: none where no layer could move.
    fn turn(&mut self, input: &mut &[u8]) -> Result<usize, Stopped> {
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
            let made = layer.made;
            if made > self.limits.bytes {
                return Err(Stopped::Size);
            }
            if made > RATIO_FREE_BYTES && made > self.received.saturating_mul(MAX_RATIO) {
                return Err(Stopped::Ratio);
            }
        }
        // What the last layer made is the body.
        if let Some(last) = self.layers.last_mut() {
            self.decoded.extend_from_slice(last.rest());
            last.taken = last.filled;
        }
        Ok(moved)
    }

    /// What has been decoded so far.
    pub(crate) fn decoded(&self) -> &[u8] {
        &self.decoded
    }

    /// The whole body, once its last piece was pushed.
    pub(crate) fn finish(self) -> Result<Bytes, Stopped> {
        if self.layers.iter().all(|layer| layer.codec.is_complete()) {
            Ok(self.decoded.into())
        } else {
            Err(Stopped::Broken)
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

    /// A brotli stream of stored blocks, written by RFC 7932 sections 9.1 and 9.2 (no encoder is a dependency here).
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

    fn decode(codings: &[Coding], encoded: &[u8], piece: usize) -> Result<Bytes, Stopped> {
        let mut decoder = Decoder::new(codings, LIMITS)?;
        push_all(&mut decoder, encoded, piece)?;
        decoder.finish()
    }

    fn push_all(decoder: &mut Decoder, encoded: &[u8], piece: usize) -> Result<(), Stopped> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for chunk in encoded.chunks(piece) {
                decoder.push(chunk).await?;
            }
            Ok(())
        })
    }

    /// A page-like text that does not compress to nothing.
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
    fn every_coding_in_pieces_of_any_size() {
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
                    Err(Stopped::Broken),
                    "{coding:?} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn wrong_checksum_and_garbage_are_broken() {
        let mut encoded = gzip(&text(5000));
        let at = encoded.len() - 6;
        encoded[at] ^= 0x55;
        assert_eq!(decode(&[Coding::Gzip], &encoded, 64), Err(Stopped::Broken));
        for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstd] {
            assert_eq!(
                decode(&[coding], b"<!doctype html><p>not compressed at all", 5),
                Err(Stopped::Broken)
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
            let stopped = push_all(&mut decoder, &encoded, 4096).err();
            assert_eq!(stopped, Some(Stopped::Ratio), "{name}");
            assert!(
                decoder.decoded.len() as u64 <= RATIO_FREE_BYTES.max(decoder.received * MAX_RATIO),
                "{name}"
            );
        }
    }

    #[test]
    fn layers_that_work_for_nothing_are_stopped() {
        let zeros = vec![0; 64 * 1024 * 1024];
        let (gz, zs) = (Coding::Gzip, Coding::Zstd);
        let x = gzip(b"x");
        let padded = [x.clone(), zeros.clone()].concat();
        let members = gzip(b"").repeat(1 << 20);
        let frames = zstd(b"").repeat(1 << 20);
        // Magic 0x184D2A50 and a length of 4, and so many zeros (RFC 8878 section 3.1.2).
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
            let stopped = push_all(&mut decoder, &encoded, 4096).err();
            assert!(stopped.is_some(), "{name}");
            let most = decoder.layers.iter().map(|layer| layer.made).max().unwrap();
            assert!(most <= LIMITS.bytes + SCRATCH as u64, "{name}: a layer made {most} bytes");
        }
    }

    #[test]
    fn the_size_limit_holds_to_the_byte() {
        let data = text(100_000);
        let encoded = zlib(&data);
        let exact = Limits { bytes: data.len() as u64 };
        let short = Limits { bytes: data.len() as u64 - 1 };
        for (limits, expected) in [(exact, None), (short, Some(Stopped::Size))] {
            let mut decoder = Decoder::new(&[Coding::Deflate], limits).unwrap();
            assert_eq!(push_all(&mut decoder, &encoded, encoded.len()).err(), expected);
            assert!(decoder.decoded.len() as u64 <= limits.bytes);
        }
    }

    #[test]
    fn a_huge_zstd_window_is_refused() {
        // Magic, a descriptor without content size, and a window descriptor of exponent 21: 2 GiB.
        let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00];
        assert_eq!(decode(&[Coding::Zstd], &frame, 16), Err(Stopped::Broken));
    }

    #[test]
    fn a_large_brotli_window_is_refused() {
        // RFC 7932 reserves this header; the large-window extension reads a window of 2^30 from it.
        assert_eq!(decode(&[Coding::Brotli], &[0x11, 30, 0x00, 0x03], 16), Err(Stopped::Broken));
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(data in proptest::collection::vec(any::<u8>(), 0..5000), piece in 1_usize..600) {
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
