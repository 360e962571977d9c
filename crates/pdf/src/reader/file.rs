//! Reads the objects of a PDF on demand, within budgets of values and memory.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use memchr::memmem;
use pdfboss_core::filters::decode_stream;
use pdfboss_core::objstm::ObjStm;
use pdfboss_core::parser::{NoResolve, Parser, Resolve};
use pdfboss_core::xref::{XrefEntry, load_xref, startxref};
use pdfboss_core::{
    Decryptor, Dict, Error as ReadError, Name, ObjRef, Object, ObjectSource, Result as Read, Stream,
    direct_crypt_filters, resolve_sync_with,
};

use super::content::{self, MAX_PAGE_TEXTS};
use super::fonts;
use super::marks::Marks;
use super::sections;
use super::table::Table;
use super::tame::tame;
use super::type3;
use crate::{Error, ErrorKind, Options};

/// Most values that are read from a file: numbers, names, strings, arrays. A value counts each time.
pub const MAX_VALUES: u64 = 60_000_000;

/// Most values that are kept to be read again. A value takes about 50 bytes.
const MAX_KEPT_VALUES: u64 = 2_000_000;

/// Most bytes of unpacked object streams that are kept.
const MAX_KEPT_BYTES: usize = 64 * 1024 * 1024;

/// Most objects that are read in order to read another one.
const MAX_DEPTH: u32 = 16;

/// Bytes of the file that cost as much to parse as copying a value.
const BYTES_PER_VALUE: usize = 32;

/// Memory of a parsed character map for each of its bytes.
const MAP_COST: u64 = 8;

/// Most hexadecimal digits of the text of one code in a character map: 10 UTF-16 units. The text replaces
/// each code, so a long one would multiply a page.
const MAX_MAPPED_DIGITS: usize = 40;

/// The end of a file is in its last bytes, this many.
const END_BYTES: usize = 4_096;

/// A budget that a file exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Values,
    Inflated,
    Marks,
}

/// The bytes of a file, and its objects on demand.
///
/// Alternative: `pdfboss_core::Document`. It has no limits for the sum of what it unpacks and keeps, and a
/// chain of objects that each need the next one can overflow its stack.
pub(crate) struct File<'b> {
    bytes: &'b [u8],
    is_cut: bool,
    table: Table,
    decryptor: Option<Decryptor>,
    kept: RefCell<HashMap<ObjRef, (Rc<Object>, u64)>>,
    kept_values: Cell<u64>,
    /// Unpacked object streams; `None` while one is unpacked, or if it cannot be.
    packed: RefCell<HashMap<u32, Option<Rc<ObjStm>>>>,
    packed_bytes: Cell<usize>,
    depth: Cell<u32>,
    /// Fonts whose programs were read, and whether one is being read.
    fonts: Cell<u32>,
    is_in_font: Cell<bool>,
    values_left: Cell<u64>,
    inflated_left: Cell<u64>,
    max_inflated: u64,
    exceeded: Cell<Option<Limit>>,
    marks: Cell<Marks>,
    /// A content that has been read and counted. It is the data of the next stream without entries.
    counted: RefCell<Option<Vec<u8>>>,
}

impl<'b> File<'b> {
    /// Reads the table of a file, and the key of an encrypted one that needs no password.
    pub(crate) fn open(bytes: &'b [u8], options: &Options) -> Result<Self, Error> {
        let is_cut = is_cut(bytes);
        let bytes = from_header(bytes);
        sections::check(bytes, options)?;
        let table = load_xref(bytes).map_err(Error::malformed)?;
        if table.len() > options.max_objects {
            return Err(ErrorKind::TooManyObjects { limit: options.max_objects }.into());
        }
        let mut file = Self {
            bytes,
            is_cut,
            table: Table::of(table),
            decryptor: None,
            kept: RefCell::default(),
            kept_values: Cell::new(0),
            packed: RefCell::default(),
            packed_bytes: Cell::new(0),
            depth: Cell::new(0),
            fonts: Cell::new(0),
            is_in_font: Cell::new(false),
            values_left: Cell::new(MAX_VALUES),
            inflated_left: Cell::new(options.max_inflated_bytes),
            max_inflated: options.max_inflated_bytes,
            exceeded: Cell::new(None),
            marks: Cell::default(),
            counted: RefCell::default(),
        };
        file.table.find_trailer(bytes);
        file.decryptor = file.find_decryptor()?;
        // What was read before is not decrypted.
        file.forget();
        file.find_packed(options.max_objects);
        Ok(file)
    }

    fn find_decryptor(&self) -> Result<Option<Decryptor>, Error> {
        let Some(entry) = self.trailer().get("Encrypt").filter(|entry| !entry.is_null()) else {
            return Ok(None);
        };
        let encrypted = || Error::from(ErrorKind::Encrypted);
        let entries = self.resolve(entry).map_err(|_| encrypted())?;
        let entries = entries.as_dict().ok_or_else(encrypted)?;
        let entries = direct_crypt_filters(entries, |reference| self.get(reference).ok());
        let id = self.trailer().get_array("ID").and_then(<[Object]>::first).and_then(Object::as_str_bytes);
        match Decryptor::from_standard_with_password_str(&entries, id.unwrap_or_default(), "") {
            Some(decryptor) => Ok(Some(decryptor)),
            None => Err(encrypted()),
        }
    }

    /// Finds the objects that are packed in streams, if the table knows none of them.
    fn find_packed(&mut self, max_objects: usize) {
        let mut objects = self.table.numbers().count();
        for stream in self.table.unknown_packed(self.bytes) {
            let numbers = self.packed_numbers(stream).unwrap_or_default();
            objects = objects.saturating_add(numbers.len());
            if objects > max_objects || self.exceeded.get().is_some() {
                return;
            }
            self.table.add_packed(stream, numbers);
        }
        if self.dict(self.trailer(), "Root").is_none() {
            let catalog = self.object_numbers().into_iter().find(|number| {
                let object = self.get(ObjRef { num: *number, r#gen: 0 }).ok();
                let kind =
                    object.as_ref().and_then(Object::as_dict).and_then(|entries| entries.get_name("Type"));
                kind.is_some_and(|name| name.0 == "Catalog")
            });
            if let Some(num) = catalog {
                let root = Object::Ref(ObjRef { num, r#gen: 0 });
                self.table.trailer.insert(Name("Root".to_owned()), root);
            }
        }
    }

    /// The numbers of the objects that are packed in a stream, in their order.
    fn packed_numbers(&self, number: u32) -> Option<Vec<u32>> {
        let Some(XrefEntry::InFile { offset, .. }) = self.table.get(number) else { return None };
        let Object::Stream(stream) = self.parse(offset, ObjRef { num: number, r#gen: 0 }).ok()? else {
            return None;
        };
        let first =
            self.value(&stream.dict, "First").and_then(|first| usize::try_from(first.as_int()?).ok())?;
        let content = self.inflate(&stream).ok()?;
        let head = content.get(..first)?.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        // Each number is followed by its offset.
        head.step_by(2).map(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect()
    }

    fn forget(&self) {
        self.kept.borrow_mut().clear();
        self.kept_values.set(0);
        self.packed.borrow_mut().clear();
        self.packed_bytes.set(0);
    }

    /// The trailer: where reading begins.
    pub(crate) fn trailer(&self) -> &Dict {
        &self.table.trailer
    }

    /// Whether the end of the file is missing.
    pub(crate) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The numbers of all objects, in their order.
    pub(crate) fn object_numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.table.numbers().collect();
        numbers.sort_unstable();
        numbers
    }

    /// The budget that is exceeded, as an error.
    pub(crate) fn exceeded(&self) -> Option<Error> {
        let kind = match self.exceeded.get()? {
            Limit::Values => ErrorKind::TooManyValues { limit: MAX_VALUES },
            Limit::Inflated => ErrorKind::TooLarge { limit: self.max_inflated },
            Limit::Marks => ErrorKind::TooManyMarks { limit: MAX_PAGE_TEXTS },
        };
        Some(kind.into())
    }

    /// Begins a page: its marks count from zero.
    pub(super) fn begin_page(&self) {
        self.marks.set(Marks::default());
    }

    /// The marks of the page so far.
    pub(super) fn marks(&self) -> Marks {
        self.marks.get()
    }

    /// Says that this page draws too much.
    pub(super) fn exceed_marks(&self) {
        if self.exceeded.get().is_none() {
            self.exceeded.set(Some(Limit::Marks));
        }
    }

    /// Gives a content that has been counted to the next stream that is unpacked, which has no entries. The
    /// stream itself would be copied each time that it is resolved.
    pub(super) fn expect_counted(&self, content: Vec<u8>) {
        *self.counted.borrow_mut() = Some(content);
    }

    /// Counts the marks of a content of this page, and removes what would multiply.
    pub(super) fn cleaned(&self, content: Vec<u8>) -> Read<Vec<u8>> {
        match content::clean(content, self.marks.get()) {
            Some((content, marks)) => {
                self.marks.set(self.marks.get().and(marks));
                Ok(content)
            }
            None => Err(self.exceed(Limit::Marks)),
        }
    }

    /// The dictionary behind an entry.
    pub(crate) fn dict(&self, entries: &Dict, key: &str) -> Option<Dict> {
        match self.resolve(entries.get(key)?).ok()? {
            Object::Dict(found) => Some(found),
            Object::Stream(stream) => Some(stream.dict),
            _ => None,
        }
    }

    /// The value behind an entry.
    pub(super) fn value(&self, entries: &Dict, key: &str) -> Option<Object> {
        self.resolve(entries.get(key)?).ok().filter(|value| !value.is_null())
    }

    fn exceed(&self, limit: Limit) -> ReadError {
        if self.exceeded.get().is_none() {
            self.exceeded.set(Some(limit));
        }
        ReadError::Other("a limit is exceeded".to_owned())
    }

    fn check(&self) -> Read<()> {
        self.exceeded.get().map_or(Ok(()), |limit| Err(self.exceed(limit)))
    }

    fn spend(&self, values: u64) -> Read<()> {
        let left = self.values_left.get().checked_sub(values).ok_or_else(|| self.exceed(Limit::Values))?;
        self.values_left.set(left);
        Ok(())
    }

    fn spend_inflated(&self, bytes: u64) -> Read<()> {
        let left = self.inflated_left.get().checked_sub(bytes).ok_or_else(|| self.exceed(Limit::Inflated))?;
        self.inflated_left.set(left);
        Ok(())
    }

    /// Runs `read` unless it is needed by too many others.
    fn nested<T>(&self, read: impl FnOnce() -> Read<T>) -> Read<T> {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return Err(ReadError::Other("objects need one another".to_owned()));
        }
        self.depth.set(depth + 1);
        let result = read();
        self.depth.set(depth);
        result
    }

    /// A Type 3 font with its widths in thousandths, and its weight. Its parts are loaded as they are, so a
    /// font that refers to itself ends.
    fn with_widths(&self, font: Dict, weight: u64) -> Read<(Object, u64)> {
        let part = |key: &str| match font.get(key)? {
            Object::Ref(reference) => self.nested(|| self.load(*reference)).ok().map(tame),
            value => Some((value.clone(), 0)),
        };
        let (Some((matrix, first)), Some((widths, second))) = (part("FontMatrix"), part("Widths")) else {
            return Ok((Object::Dict(font), weight));
        };
        let more = first.saturating_add(second);
        self.spend(more)?;
        Ok((Object::Dict(type3::in_thousandths(font, &matrix, &widths)), weight.saturating_add(more)))
    }

    /// A font with the characters that its program says, and its weight. Fonts that it refers to are read as
    /// they are, so a font that refers to itself ends.
    fn with_characters(&self, font: Dict, weight: u64) -> Read<(Object, u64)> {
        if self.fonts.get() >= fonts::MAX_FONTS {
            return Ok((Object::Dict(font), weight));
        }
        self.fonts.set(self.fonts.get() + 1);
        self.is_in_font.set(true);
        let completed = fonts::completed(self, font.clone());
        self.is_in_font.set(false);
        let Some(completed) = completed else { return Ok((Object::Dict(font), weight)) };
        let (object, weight) = tame(Object::Dict(completed));
        self.spend(weight)?;
        Ok((object, weight))
    }

    fn load(&self, reference: ObjRef) -> Read<Object> {
        match self.table.get(reference.num) {
            None | Some(XrefEntry::Free) => Err(ReadError::ObjectNotFound(reference.num, reference.r#gen)),
            Some(XrefEntry::InFile { offset, .. }) => self.parse(offset, reference),
            Some(XrefEntry::InStream { stream_num, index }) => self.packed(stream_num)?.object(index),
        }
    }

    fn parse(&self, offset: u64, reference: ObjRef) -> Read<Object> {
        let missing = ReadError::ObjectNotFound(reference.num, reference.r#gen);
        let Some(offset) = usize::try_from(offset).ok().filter(|offset| *offset < self.bytes.len()) else {
            return Err(missing);
        };
        let mut parser = Parser::at(self.bytes, offset);
        let (found, mut object) = parser.parse_indirect(&Lengths(self))?;
        let data = object.as_stream().map_or(0, |stream| stream.data.len());
        self.spend((parser.pos().saturating_sub(offset + data) / BYTES_PER_VALUE) as u64)?;
        if let Object::Stream(stream) = &mut object
            && stream.dict.get_name("Subtype").is_some_and(|name| name.0 == "Image")
        {
            // A page says where its pictures are; nothing reads what is in them.
            stream.data = Vec::new();
        }
        if let Some(decryptor) = &self.decryptor {
            decryptor.decrypt_object(&mut object, found.num, found.r#gen);
        }
        Ok(object)
    }

    /// The objects that are packed in a stream.
    fn packed(&self, number: u32) -> Read<Rc<ObjStm>> {
        let damaged = || ReadError::Other("the object stream is damaged".to_owned());
        if let Some(known) = self.packed.borrow().get(&number) {
            return known.clone().ok_or_else(damaged);
        }
        if self.packed_bytes.get() > MAX_KEPT_BYTES {
            self.packed.borrow_mut().clear();
            self.packed_bytes.set(0);
        }
        self.packed.borrow_mut().insert(number, None);
        let unpacked = self.nested(|| self.unpack(number))?;
        let unpacked = Rc::new(unpacked);
        self.packed.borrow_mut().insert(number, Some(Rc::clone(&unpacked)));
        Ok(unpacked)
    }

    fn unpack(&self, number: u32) -> Read<ObjStm> {
        let Some(XrefEntry::InFile { offset, .. }) = self.table.get(number) else {
            return Err(ReadError::ObjectNotFound(number, 0));
        };
        let Object::Stream(stream) = self.parse(offset, ObjRef { num: number, r#gen: 0 })? else {
            return Err(ReadError::MissingKey("Type"));
        };
        let count = |key: &'static str| {
            let value = self.value(&stream.dict, key).and_then(|value| value.as_int());
            value.and_then(|value| usize::try_from(value).ok()).ok_or(ReadError::MissingKey(key))
        };
        let (objects, first) = (count("N")?, count("First")?);
        let content = self.inflate(&stream)?;
        // Each object has two numbers before all objects. The loader reserves memory for all of them.
        if objects > content.len() / 4 + 1 {
            return Err(ReadError::Other("the object stream has too few bytes".to_owned()));
        }
        self.packed_bytes.set(self.packed_bytes.get().saturating_add(content.len()));
        ObjStm::parse(content, objects, first)
    }

    fn inflate(&self, stream: &Stream) -> Read<Vec<u8>> {
        self.check()?;
        let content = self.decoded(stream).map_err(|error| match error {
            // The decoders have a limit of their own, which is no kind of error.
            ReadError::Decode(reason) if reason.ends_with("exceeds size limit") => {
                self.exceed(Limit::Inflated)
            }
            other => other,
        })?;
        self.spend_inflated(content.len() as u64)?;
        Ok(content)
    }

    fn decoded(&self, stream: &Stream) -> Read<Vec<u8>> {
        let decoded = decode_stream(stream, &Values(self));
        // Nothing is left of a packed stream with a wrong checksum. Without the two bytes before it, it is
        // packed data that have none.
        let is_unpacked =
            !matches!(&decoded, Err(ReadError::Decode(reason)) if reason.starts_with("flate: no"));
        match stream.data.split_at_checked(2) {
            Some((&[0x08 | 0x18 | 0x28 | 0x38 | 0x48 | 0x58 | 0x68 | 0x78, _], data)) if !is_unpacked => {
                let stream = Stream { dict: stream.dict.clone(), data: data.to_vec() };
                decode_stream(&stream, &Values(self)).or(decoded)
            }
            _ => decoded,
        }
    }

    /// A number in an object of its own: the length of a stream.
    fn length(&self, reference: ObjRef) -> Option<Object> {
        let read = || -> Read<Object> {
            match self.table.get(reference.num) {
                Some(XrefEntry::InFile { offset, .. }) => {
                    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                    // At most a few bytes, so a long object is not parsed for nothing.
                    let bytes = self.bytes.get(offset..).unwrap_or_default();
                    let bytes = bytes.get(..64).unwrap_or(bytes);
                    Ok(Parser::new(bytes).parse_indirect(&NoResolve)?.1)
                }
                Some(XrefEntry::InStream { stream_num, index }) => self.packed(stream_num)?.object(index),
                _ => Err(ReadError::ObjectNotFound(reference.num, reference.r#gen)),
            }
        };
        self.nested(read).ok().filter(|length| length.as_int().is_some())
    }
}

impl ObjectSource for File<'_> {
    fn get(&self, reference: ObjRef) -> Read<Object> {
        self.check()?;
        let kept = self.kept.borrow().get(&reference).cloned();
        if let Some((object, weight)) = kept {
            self.spend(weight)?;
            return Ok((*object).clone());
        }
        let (object, weight) = tame(self.nested(|| self.load(reference))?);
        self.spend(weight)?;
        // Pictures are noticed here because nothing decodes them.
        if let Object::Stream(stream) = &object {
            if stream.dict.get_name("Subtype").is_some_and(|name| name.0 == "Image") {
                let mut marks = self.marks.get();
                marks.pictures = marks.pictures.saturating_add(1);
                self.marks.set(marks);
            }
            return Ok(object);
        }
        let (object, weight) = match object {
            Object::Dict(font) if type3::is_font(&font) => self.with_widths(font, weight)?,
            Object::Dict(font) if fonts::may_lack_characters(&font) => {
                if self.is_in_font.get() {
                    return Ok(Object::Dict(font));
                }
                self.with_characters(font, weight)?
            }
            other => (other, weight),
        };
        if self.kept_values.get().saturating_add(weight) > MAX_KEPT_VALUES {
            self.kept.borrow_mut().clear();
            self.kept_values.set(0);
        }
        self.kept_values.set(self.kept_values.get().saturating_add(weight));
        self.kept.borrow_mut().insert(reference, (Rc::new(object.clone()), weight));
        Ok(object)
    }

    fn stream_data(&self, stream: &Stream) -> Read<Vec<u8>> {
        if let Some(content) = self.counted.take()
            && stream.dict.is_empty()
        {
            return Ok(content);
        }
        let content = self.inflate(stream)?;
        let kind = self.value(&stream.dict, "Subtype");
        if kind.is_some_and(|kind| kind.as_name().is_some_and(|name| name.0 == "Form")) {
            return self.cleaned(content);
        }
        if memmem::find(&content, b"beginbf").is_some() || memmem::find(&content, b"begincid").is_some() {
            self.spend_inflated(MAP_COST * content.len() as u64)?;
            if has_long_text(&content) {
                return Err(ReadError::Other("the character map has long texts".to_owned()));
            }
        }
        Ok(content)
    }

    fn resolve(&self, object: &Object) -> Read<Object> {
        if let Object::Ref(_) = object {
            return resolve_sync_with(self, object);
        }
        self.check()?;
        let (object, weight) = tame(object.clone());
        self.spend(weight)?;
        Ok(object)
    }
}

/// The bytes that offsets count from: the header, or what is before it if the table is where it says only
/// then.
fn from_header(bytes: &[u8]) -> &[u8] {
    let header = memmem::find(bytes, b"%PDF-").unwrap_or(0);
    let behind = bytes.get(header..).unwrap_or(bytes);
    let has_table = |bytes: &[u8]| {
        let place = startxref(bytes).and_then(|start| bytes.get(start..)).unwrap_or_default();
        let place = place.trim_ascii_start();
        let mut words = place.get(..40).unwrap_or(place).split(u8::is_ascii_whitespace);
        let mut is_number = || words.next().is_some_and(|word| word.iter().all(u8::is_ascii_digit));
        place.starts_with(b"xref")
            || (is_number() && is_number() && words.next().is_some_and(|word| word.starts_with(b"obj")))
    };
    if header > 0 && !has_table(behind) && has_table(bytes) { bytes } else { behind }
}

/// Whether the end of a file is missing: its last bytes have none, or it says that it is longer.
fn is_cut(bytes: &[u8]) -> bool {
    let end = bytes.get(bytes.len().saturating_sub(END_BYTES)..).unwrap_or(bytes);
    if memmem::find(end, b"%%EOF").is_none() && memmem::find(end, b"startxref").is_none() {
        return true;
    }
    let head = bytes.get(..END_BYTES).unwrap_or(bytes);
    let Some(linear) = memmem::find(head, b"/Linearized") else { return false };
    let entries = head.get(linear..).unwrap_or_default();
    let entries = entries.get(..memmem::find(entries, b">>").unwrap_or(0)).unwrap_or_default();
    memmem::find_iter(entries, b"/L").any(|at| {
        let value = entries.get(at + 2..).unwrap_or_default().trim_ascii_start();
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).take(15);
        let length = digits.fold(0_u64, |length, digit| 10 * length + u64::from(digit - b'0'));
        length > bytes.len() as u64
    })
}

/// Whether a character map has a string of many digits.
fn has_long_text(map: &[u8]) -> bool {
    let mut rest = map;
    while let Some(start) = memchr::memchr(b'<', rest) {
        rest = rest.get(start + 1..).unwrap_or_default();
        let is_digit = |byte: &u8| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace();
        let end = rest.iter().take(MAX_MAPPED_DIGITS + 1).position(|byte| !is_digit(byte));
        match end {
            Some(end) => rest = rest.get(end..).unwrap_or_default(),
            None if rest.len() > MAX_MAPPED_DIGITS => return true,
            None => return false,
        }
    }
    false
}

/// Resolves the lengths of streams while they are parsed.
struct Lengths<'f, 'b>(&'f File<'b>);

impl Resolve for Lengths<'_, '_> {
    fn resolve_ref(&self, reference: ObjRef) -> Option<Object> {
        self.0.length(reference)
    }
}

/// Resolves the parameters of filters.
struct Values<'f, 'b>(&'f File<'b>);

impl Resolve for Values<'_, '_> {
    fn resolve_ref(&self, reference: ObjRef) -> Option<Object> {
        self.0.get(reference).ok()
    }
}

#[cfg(test)]
mod tests {
    use gleaner_testkit::pdf::{file, stream};

    use super::*;

    fn open(bytes: &[u8]) -> File<'_> {
        File::open(bytes, &Options::default()).unwrap()
    }

    fn reference(num: u32) -> ObjRef {
        ObjRef { num, r#gen: 0 }
    }

    #[test]
    fn streams_whose_lengths_need_one_another_are_read() {
        let objects: Vec<Vec<u8>> = (1..200)
            .map(|number| format!("<< /Length {} 0 R >>\nstream\nabc\nendstream", number + 1).into_bytes())
            .collect();
        let bytes = file(&objects, "");
        let Object::Stream(stream) = open(&bytes).get(reference(1)).unwrap() else { panic!() };
        assert_eq!(stream.data, b"abc");
    }

    #[test]
    fn what_is_unpacked_counts_each_time() {
        let bytes = file(&[stream("", &[b'x'; 600])], "");
        let file = File::open(&bytes, &Options::default().max_inflated_bytes(1_000)).unwrap();
        let Object::Stream(stream) = file.get(reference(1)).unwrap() else { panic!() };
        assert!(file.stream_data(&stream).is_ok() && file.exceeded().is_none());
        assert!(file.stream_data(&stream).is_err());
        assert!(file.exceeded().unwrap().is_limit());
        assert!(file.get(reference(1)).is_err(), "nothing more is read");
    }

    #[test]
    fn packed_objects_of_a_file_with_a_damaged_table_are_found() {
        let packed = b"1 0 7 33 << /Type /Catalog /Pages 7 0 R >> << /Type /Pages /Kids [] >>";
        let head = "/Type /ObjStm /N 2 /First 9";
        let bytes = [b"%PDF-1.5\n5 0 obj\n".as_slice(), &stream(head, packed), b"\nendobj\n"].concat();
        let file = open(&bytes);
        assert_eq!(file.trailer().get_ref("Root"), Some(reference(1)));
        let pages = file.get(reference(7)).unwrap();
        assert_eq!(pages.as_dict().and_then(|pages| pages.get_name("Type")).unwrap().0, "Pages");
    }

    #[test]
    fn a_stream_with_a_wrong_checksum_is_unpacked() {
        // Stored as it is (RFC 1951, 3.2.4), with a wrong sum behind it.
        let packed = b"\x78\x01\x01\x03\0\xfc\xffabc\0\0\0\0";
        let bytes = file(&[stream("/Filter /FlateDecode", packed)], "");
        let file = open(&bytes);
        let Object::Stream(stream) = file.get(reference(1)).unwrap() else { panic!() };
        assert_eq!(file.stream_data(&stream).unwrap(), b"abc");
    }

    #[test]
    fn a_file_without_its_end_is_cut() {
        let whole = file(&[stream("", &[b'x'; 600])], "");
        assert!(!open(&whole).is_cut());
        assert!(is_cut(&whole[..600]));
        let linear = |length: usize| {
            let entries = format!("<< /Linearized 1 /L {length} /H [9 9] >>").into_bytes();
            file(&[entries, stream("", &[b'x'; 600])], "")
        };
        assert!(!is_cut(&linear(600)));
        assert!(is_cut(&linear(9_000)));
    }

    #[test]
    fn offsets_may_count_from_the_bytes_before_the_header() {
        let bytes = file(&[b"<< /Type /Catalog >>".to_vec()], "");
        let before = [b"HTTP/1.1 200 OK\n\n".as_slice(), &bytes].concat();
        assert!(open(&before).get(reference(1)).is_ok());
        // The same with a table whose offsets count from the first byte.
        let shifted = String::from_utf8(before).unwrap();
        let table = shifted.find("xref\n0").unwrap();
        let (start, _) = shifted.split_once("startxref").unwrap();
        let counted = start.replace("0000000009", &format!("{:010}", shifted.find("1 0 obj").unwrap()));
        let counted = format!("{counted}startxref\n{table}\n%%EOF\n");
        assert!(open(counted.as_bytes()).get(reference(1)).is_ok());
    }

    #[test]
    fn texts_of_character_maps_are_short() {
        assert!(!has_long_text(b"<0041> <0042> <0043>"));
        let long = format!("<0041> <{}>", "0042".repeat(100));
        assert!(has_long_text(long.as_bytes()));
    }
}
