//! The content coding zstd.

use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};

use super::codec::{Broken, MAX_MEMBERS, Step};

/// Largest accepted zstd window, as a power of two: 8 MiB, the bound of RFC 9659 for this content coding.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// One or more zstd frames (RFC 8878). Bytes after the last frame that do not begin another one are dropped.
pub(super) struct Zstd {
    decoder: ZstdDecoder<'static>,
    complete: bool,
    finished: bool,
    frames: u32,
}

impl Zstd {
    /// Whether this program decodes zstd.
    pub(super) const IS_BUILT: bool = true;

    pub(super) fn new() -> Result<Self, Broken> {
        let mut decoder = ZstdDecoder::new().map_err(|_| Broken)?;
        decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX)).map_err(|_| Broken)?;
        Ok(Self { decoder, complete: false, finished: false, frames: 0 })
    }

    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }

    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, Broken> {
        if self.complete {
            // The first bytes of the magic numbers of frames and of skippable frames.
            self.finished |= input.first().is_some_and(|byte| !matches!(byte, 0x28 | 0x50..=0x5f));
            if self.finished || input.is_empty() {
                return Ok(Step { consumed: input.len(), produced: 0 });
            }
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
