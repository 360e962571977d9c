//! A scan of the bytes of a file before any parser reads them: how many objects it declares, and the size of
//! its inflated streams.
//!
//! On the bytes rather than on the parsed file, because parsing inflates object streams and keeps them. The
//! scan inflates everything once into a buffer that is thrown away. It recognises streams by their bytes, not
//! by their dictionary, which can be written in many ways. Only pictures are recognised by their dictionary:
//! most large files consist of them, and nothing here ever inflates them.

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;

use crate::{Error, ErrorKind, Options, shape};

/// The header may be anywhere in the first bytes, this many (PDF 32000-1, annex H, note 13).
const HEADER_BYTES: usize = 1_024;

/// The dictionary of a stream is searched in this many bytes before it.
const DICTIONARY_BYTES: usize = 2_048;

/// Bytes inflated at a time.
const BUFFER_BYTES: usize = 32 * 1_024;

/// Most inflated bytes of the cross-reference tables of a file: at least three bytes for each object.
const MAX_TABLE_BYTES: u64 = 32 * 1_024 * 1_024;

/// Most layers of streams within streams that are inflated.
const MAX_LAYERS: u8 = 3;

/// Refuses files that are not a PDF or would cost too much.
pub(crate) fn check(bytes: &[u8], options: &Options) -> Result<(), Error> {
    let head = bytes.get(..HEADER_BYTES).unwrap_or(bytes);
    if memmem::find(head, b"%PDF-").is_none() {
        return Err(ErrorKind::NotPdf.into());
    }
    if memmem::find_iter(bytes, b" obj").take(options.max_objects.saturating_add(1)).count()
        > options.max_objects
    {
        return Err(ErrorKind::TooManyObjects { limit: options.max_objects }.into());
    }
    shape::check(bytes)?;
    let mut left = options.max_inflated_bytes;
    let mut tables_left = MAX_TABLE_BYTES;
    let mut inflater = Inflater::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memmem::find(rest, b"stream")) {
        let keyword = at + found;
        at = keyword + b"stream".len();
        if bytes.get(..keyword).is_some_and(|before| before.ends_with(b"end")) {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let line_end = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n' | b' ')).count();
        let data = rest.get(line_end..).unwrap_or_default();
        let before = bytes.get(keyword.saturating_sub(DICTIONARY_BYTES)..keyword).unwrap_or_default();
        // A picture is never inflated, neither here nor later. The search goes on after its dictionary.
        if is_picture(before) {
            continue;
        }
        let left_before = left;
        if !inflater.fits(data, &mut left, MAX_LAYERS) {
            return Err(ErrorKind::TooLarge { limit: options.max_inflated_bytes }.into());
        }
        if is_table(before) {
            tables_left = tables_left
                .checked_sub(left_before - left)
                .ok_or(ErrorKind::TooManyObjects { limit: options.max_objects })?;
        }
        // The search does not skip the inflated bytes: an object may begin within them, in an uncompressed
        // block of deflate. Bytes that are inflated twice count twice.
    }
    Ok(())
}

/// Whether the dictionary that ends here is that of a picture. Dictionaries with escaped names do not count,
/// and neither do those of streams that the parser inflates in any case.
fn is_picture(before: &[u8]) -> bool {
    let start = memmem::rfind(before, b" obj").unwrap_or(0);
    let dictionary = before.get(start..).unwrap_or_default();
    let has = |name: &[u8]| memmem::find(dictionary, name).is_some();
    let subtype = memmem::find(dictionary, b"/Subtype").and_then(|at| dictionary.get(at + 8..));
    subtype.is_some_and(|value| value.trim_ascii_start().starts_with(b"/Image"))
        && !has(b"/ObjStm")
        && !has(b"/XRef")
        && !is_table(before)
        && !dictionary.contains(&b'#')
}

/// Whether the dictionary that ends here may be that of a cross-reference table, which has the widths of its
/// columns.
fn is_table(before: &[u8]) -> bool {
    let start = memmem::rfind(before, b" obj").unwrap_or(0);
    let dictionary = before.get(start..).unwrap_or_default();
    dictionary.contains(&b'#')
        || memmem::find_iter(dictionary, b"/W")
            .any(|at| dictionary.get(at + 2).is_none_or(|next| !next.is_ascii_alphabetic()))
}

/// Inflates streams one after the other, with the same buffers.
struct Inflater {
    zlib: Decompress,
    raw: Decompress,
    buffer: Vec<u8>,
}

impl Inflater {
    fn new() -> Self {
        Self { zlib: Decompress::new(true), raw: Decompress::new(false), buffer: vec![0; BUFFER_BYTES] }
    }

    /// Inflates the zlib data at the start of `data`, or else deflate data after two bytes of anything, which
    /// the parser accepts too, and subtracts the output from `left`. Returns whether it was enough. Output
    /// that is kept to be inflated again is subtracted too, so it is never more than the limit.
    fn fits(&mut self, data: &[u8], left: &mut u64, layers: u8) -> bool {
        let zlib = is_zlib(data);
        let data = if zlib { data } else { data.get(2..).unwrap_or_default() };
        let state = if zlib { &mut self.zlib } else { &mut self.raw };
        state.reset(zlib);
        let mut inner: Vec<u8> = Vec::new();
        let mut has_inner = None;
        loop {
            let read = usize::try_from(state.total_in()).unwrap_or(usize::MAX);
            let before = state.total_out();
            let input = data.get(read..).unwrap_or_default();
            let status = state.decompress(input, &mut self.buffer, FlushDecompress::None);
            let written = state.total_out() - before;
            match left.checked_sub(written) {
                Some(rest) => *left = rest,
                None => return false,
            }
            let chunk = self.buffer.get(..usize::try_from(written).unwrap_or(0)).unwrap_or_default();
            if *has_inner.get_or_insert_with(|| layers > 0 && is_zlib(chunk)) {
                inner.extend_from_slice(chunk);
            }
            if !matches!(status, Ok(Status::Ok)) || written == 0 {
                return inner.is_empty() || self.fits(&inner, left, layers - 1);
            }
        }
    }
}

/// Whether this begins with a header of RFC 1950: method deflate, and a multiple of 31 as the first two
/// bytes.
fn is_zlib(data: &[u8]) -> bool {
    match data {
        [method, flags, _, ..] => {
            method & 0x0F == 8
                && method >> 4 <= 7
                && (u16::from(*method) << 8 | u16::from(*flags)).is_multiple_of(31)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn file(dictionary: &str, stream: &[u8]) -> Vec<u8> {
        let mut file = format!("%PDF-1.7\n1 0 obj\n<<{dictionary}>>\nstream\n").into_bytes();
        file.extend_from_slice(stream);
        file.extend_from_slice(b"\nendstream endobj\n");
        file
    }

    #[test]
    fn files_that_inflate_to_too_much_are_refused() {
        let options = Options::default().max_inflated_bytes(1_000_000);
        let zeros = vec![0; 2_000_000];
        let check = |dictionary: &str, stream: &[u8]| check(&file(dictionary, stream), &options);
        assert!(check("", &packed(&zeros[..900_000])).is_ok());
        assert!(check("", &packed(&zeros)).unwrap_err().is_limit());
        assert!(
            check("/Filter [/FlateDecode /FlateDecode]", &packed(&packed(&zeros))).unwrap_err().is_limit()
        );
        assert!(check("/Subtype /Image", &packed(&zeros)).is_ok(), "pictures are not read");
        let (picture, left) = (packed(&packed(&zeros)), &mut 10);
        assert!(
            !Inflater::new().fits(&picture, left, MAX_LAYERS) && *left == 10,
            "nothing is kept beyond the limit"
        );
        assert!(check("/Subtype /Image", &picture).is_ok());
        assert!(check("/Type /ObjStm /X /Image", &packed(&zeros)).unwrap_err().is_limit());
        assert!(check("/Subtype /Imag#65", &packed(&zeros)).unwrap_err().is_limit());
        assert!(check("/Subtype /Form /ProcSet [/PDF /ImageC]", &packed(&zeros)).unwrap_err().is_limit());
        let mut raw = vec![0, 0];
        raw.extend_from_slice(&packed(&zeros)[2..]);
        assert!(check("", &raw).unwrap_err().is_limit(), "deflate behind a damaged header");
        assert!(check("", &zeros).is_ok(), "data that is not packed does not grow");
        let mut two = file("", &packed(&zeros[..600_000]));
        two.extend(file("", &packed(&zeros[..600_000])));
        assert!(super::check(&two, &options).unwrap_err().is_limit(), "all streams count together");
    }

    #[test]
    fn other_files_and_too_many_objects_are_refused() {
        let options = Options::default().max_objects(3);
        assert_eq!(*check(b"", &options).unwrap_err().kind(), ErrorKind::NotPdf);
        assert_eq!(*check(b"PK\x03\x04", &options).unwrap_err().kind(), ErrorKind::NotPdf);
        assert!(check(b"junk %PDF-1.4\n1 0 obj 2 0 obj 3 0 obj", &options).is_ok());
        assert!(check(b"%PDF-1.4\n1 0 obj 2 0 obj 3 0 obj 4 0 obj", &options).unwrap_err().is_limit());
    }
}
