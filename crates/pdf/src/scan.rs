//! A look through the bytes of a file before any parser sees them: how many objects it declares, and what its streams
//! would inflate to.
//!
//! Why on the bytes and not on the parsed file: parsing inflates object streams and keeps them. Here everything is
//! inflated once into a buffer that is thrown away, and what counts as a stream is decided by what the bytes are, not by
//! what their dictionary says, which can be written in many ways. Pictures alone are believed: they are what most large
//! files consist of, and nothing here ever inflates them.

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;

use crate::{Error, ErrorKind, Options, shape};

/// The header may stand anywhere in so many bytes (PDF 32000-1, annex H, note 13).
const HEADER_BYTES: usize = 1_024;

/// The dictionary of a stream is looked for in so many bytes before it.
const DICTIONARY_BYTES: usize = 2_048;

/// Bytes inflated at a time.
const BUFFER_BYTES: usize = 32 * 1_024;

/// What the tables of places in a file may inflate to: three bytes and more for each object.
const MAX_TABLE_BYTES: u64 = 32 * 1_024 * 1_024;

/// Streams packed into streams are followed so deep.
const LAYERS: u8 = 3;

/// Refuses what is no PDF and what would cost too much.
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
        // A picture is never inflated, neither here nor later: what counts is looked for behind its dictionary.
        if is_picture(before) {
            continue;
        }
        let before_it = left;
        if !inflater.fits(data, &mut left, LAYERS) {
            return Err(ErrorKind::TooLarge { limit: options.max_inflated_bytes }.into());
        }
        if is_table(before) {
            tables_left = tables_left
                .checked_sub(before_it - left)
                .ok_or(ErrorKind::TooManyObjects { limit: options.max_objects })?;
        }
        // Not behind what was inflated: an object may begin within it, in a block of deflate that is stored as it is.
        // What is inflated again is taken off the same bound.
    }
    Ok(())
}

/// Does the dictionary that ends here describe a picture? Names written with escapes are believed nothing, and neither
/// are those of what the parser inflates whatever else they say.
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

/// May the dictionary that ends here be that of a table of places? Such a one has the widths of its columns.
fn is_table(before: &[u8]) -> bool {
    let start = memmem::rfind(before, b" obj").unwrap_or(0);
    let dictionary = before.get(start..).unwrap_or_default();
    dictionary.contains(&b'#')
        || memmem::find_iter(dictionary, b"/W")
            .any(|at| dictionary.get(at + 2).is_none_or(|next| !next.is_ascii_alphabetic()))
}

/// Inflates streams one after the other, in the same memory.
struct Inflater {
    zlib: Decompress,
    raw: Decompress,
    buffer: Vec<u8>,
}

impl Inflater {
    fn new() -> Self {
        Self { zlib: Decompress::new(true), raw: Decompress::new(false), buffer: vec![0; BUFFER_BYTES] }
    }

    /// Inflates what is at the start of `data`, if it is zlib data at all or deflate behind two bytes of anything, as
    /// which the parser reads it too, and takes what came out off `left`. Did the bound hold? What is kept to be inflated
    /// again has been taken off `left` too, so that it is never more than the bound.
    fn fits(&mut self, data: &[u8], left: &mut u64, layers: u8) -> bool {
        let zlib = is_zlib(data);
        let data = if zlib { data } else { data.get(2..).unwrap_or_default() };
        let state = if zlib { &mut self.zlib } else { &mut self.raw };
        state.reset(zlib);
        let mut inner: Vec<u8> = Vec::new();
        let mut is_packed_again = None;
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
            if *is_packed_again.get_or_insert_with(|| layers > 0 && is_zlib(chunk)) {
                inner.extend_from_slice(chunk);
            }
            if !matches!(status, Ok(Status::Ok)) || written == 0 {
                return inner.is_empty() || self.fits(&inner, left, layers - 1);
            }
        }
    }
}

/// The header of RFC 1950: deflate, and a check that the first two bytes are a multiple of 31.
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
    fn what_would_inflate_to_too_much_is_refused() {
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
            !Inflater::new().fits(&picture, left, LAYERS) && *left == 10,
            "nothing is kept beyond the bound"
        );
        assert!(check("/Subtype /Image", &picture).is_ok());
        assert!(check("/Type /ObjStm /X /Image", &packed(&zeros)).unwrap_err().is_limit());
        assert!(check("/Subtype /Imag#65", &packed(&zeros)).unwrap_err().is_limit());
        assert!(check("/Subtype /Form /ProcSet [/PDF /ImageC]", &packed(&zeros)).unwrap_err().is_limit());
        let mut raw = vec![0, 0];
        raw.extend_from_slice(&packed(&zeros)[2..]);
        assert!(check("", &raw).unwrap_err().is_limit(), "deflate behind a damaged header");
        assert!(check("", &zeros).is_ok(), "what is not packed is as large as it is");
        let mut two = file("", &packed(&zeros[..600_000]));
        two.extend(file("", &packed(&zeros[..600_000])));
        assert!(super::check(&two, &options).unwrap_err().is_limit(), "all streams count together");
    }

    #[test]
    fn what_is_no_pdf_or_too_many_objects_is_refused() {
        let options = Options::default().max_objects(3);
        assert_eq!(*check(b"", &options).unwrap_err().kind(), ErrorKind::NotPdf);
        assert_eq!(*check(b"PK\x03\x04", &options).unwrap_err().kind(), ErrorKind::NotPdf);
        assert!(check(b"junk %PDF-1.4\n1 0 obj 2 0 obj 3 0 obj", &options).is_ok());
        assert!(check(b"%PDF-1.4\n1 0 obj 2 0 obj 3 0 obj 4 0 obj", &options).unwrap_err().is_limit());
    }
}
