//! The built-in encoding of a font in the Compact Font Format (Adobe Technical Note 5176).

use std::collections::BTreeMap;

/// Names that every font has, from the first glyph on: those of Latin text.
const STANDARD: &str = "
    .notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright
    asterisk plus comma hyphen period slash zero one two three four five six seven eight nine colon
    semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z
    bracketleft backslash bracketright asciicircum underscore quoteleft a b c d e f g h i j k l m n o p q
    r s t u v w x y z braceleft bar braceright asciitilde exclamdown cent sterling fraction yen florin
    section currency quotesingle quotedblleft guillemotleft guilsinglleft guilsinglright fi fl endash
    dagger daggerdbl periodcentered paragraph bullet quotesinglbase quotedblbase quotedblright
    guillemotright ellipsis perthousand questiondown grave acute circumflex tilde macron breve dotaccent
    dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE ordmasculine
    ae dotlessi lslash oslash oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus
    Thorn onequarter divide brokenbar degree thorn threequarters twosuperior registered minus eth
    multiply threesuperior copyright Aacute Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute
    Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute Ocircumflex Odieresis
    Ograve Otilde Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute acircumflex
    adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis egrave iacute icircumflex
    idieresis igrave ntilde oacute ocircumflex odieresis ograve otilde scaron uacute ucircumflex
    udieresis ugrave yacute ydieresis zcaron";

/// Strings of a font of its own have numbers from here on.
const FIRST_OWN: u16 = 391;

/// Operators of the top dictionary.
const CHARSET: u16 = 15;
const ENCODING: u16 = 16;
const CHAR_STRINGS: u16 = 17;
const REGISTRY: u16 = 0x0C1E;

/// A font program.
pub(super) struct Cff<'f> {
    bytes: &'f [u8],
    strings: Vec<&'f [u8]>,
    charset: usize,
    encoding: usize,
    glyphs: usize,
}

impl<'f> Cff<'f> {
    /// The font, if the bytes are one whose glyphs have names.
    pub(super) fn of(bytes: &'f [u8]) -> Option<Self> {
        if bytes.first() != Some(&1) {
            return None;
        }
        let (_, rest) = array(bytes, usize::from(*bytes.get(2)?))?;
        let (tops, rest) = array(bytes, rest)?;
        let (strings, _) = array(bytes, rest)?;
        let top = entries(tops.first()?);
        let place = |operator: u16| top.get(&operator).copied();
        if place(REGISTRY).is_some() {
            return None;
        }
        let (glyphs, _) = array(bytes, place(CHAR_STRINGS)?)?;
        Some(Self {
            bytes,
            strings,
            charset: place(CHARSET).unwrap_or(0),
            encoding: place(ENCODING).unwrap_or(0),
            glyphs: glyphs.len().min(usize::from(u16::MAX)),
        })
    }

    /// The names of glyphs by their codes; `None` if it is a standard encoding.
    pub(super) fn encoding(&self) -> Option<BTreeMap<u8, String>> {
        if self.encoding < 2 {
            return None;
        }
        let names = self.charset();
        let name = |glyph: usize| names.get(glyph).and_then(|number| self.string(*number));
        let format = *self.bytes.get(self.encoding)?;
        let count = usize::from(*self.bytes.get(self.encoding + 1)?);
        let rows = self.bytes.get(self.encoding + 2..)?;
        let mut found = BTreeMap::new();
        let mut glyph = 1;
        let end = if format & 0x7F == 0 {
            for code in rows.iter().take(count) {
                found.extend(name(glyph).map(|name| (*code, name)));
                glyph += 1;
            }
            count
        } else {
            for range in rows.chunks_exact(2).take(count) {
                let [first, more] = range else { break };
                for code in *first..=first.saturating_add(*more) {
                    found.extend(name(glyph).map(|name| (code, name)));
                    glyph += 1;
                }
            }
            2 * count
        };
        if format & 0x80 != 0 {
            let more = usize::from(*rows.get(end)?);
            for row in rows.get(end + 1..)?.chunks_exact(3).take(more) {
                let [code, high, low] = row else { break };
                found.extend(self.string(u16::from_be_bytes([*high, *low])).map(|name| (*code, name)));
            }
        }
        Some(found)
    }

    /// The characters of glyphs that have the names of ASCII, or of a code of Unicode.
    pub(super) fn characters(&self) -> BTreeMap<u16, char> {
        let character = |number: u16| match number {
            // The names of ASCII follow each other.
            1..=95 => char::from_u32(u32::from(number) + 0x1F),
            _ => {
                let name = self.strings.get(usize::from(number.checked_sub(FIRST_OWN)?))?;
                let code = std::str::from_utf8(name.strip_prefix(b"uni")?).ok()?;
                char::from_u32(u32::from_str_radix(code, 16).ok()?)
            }
        };
        let glyphs = (0_u16..).zip(self.charset());
        glyphs.filter_map(|(glyph, number)| Some((glyph, character(number)?))).collect()
    }

    /// The numbers of the names of all glyphs.
    fn charset(&self) -> Vec<u16> {
        let mut names: Vec<u16> = vec![0];
        match self.charset {
            // That of Latin text, whose names are in the order of their numbers.
            0 => return (0..u16::try_from(self.glyphs).unwrap_or(u16::MAX)).collect(),
            // Those of expert fonts.
            1 | 2 => return names,
            _ => {}
        }
        let format = self.bytes.get(self.charset).copied().unwrap_or(u8::MAX);
        let rows = self.bytes.get(self.charset + 1..).unwrap_or_default();
        let width = match format {
            0 => 2,
            1 => 3,
            2 => 4,
            _ => return names,
        };
        for row in rows.chunks_exact(width) {
            if names.len() >= self.glyphs {
                break;
            }
            let (first, more) = match row {
                [high, low] => (u16::from_be_bytes([*high, *low]), 0),
                [high, low, more] => (u16::from_be_bytes([*high, *low]), u16::from(*more)),
                [high, low, more, less] => {
                    (u16::from_be_bytes([*high, *low]), u16::from_be_bytes([*more, *less]))
                }
                _ => break,
            };
            names.extend(first..=first.saturating_add(more));
        }
        names.truncate(self.glyphs);
        names
    }

    fn string(&self, number: u16) -> Option<String> {
        match number.checked_sub(FIRST_OWN) {
            Some(own) => {
                let name = self.strings.get(usize::from(own))?;
                name.is_ascii().then(|| String::from_utf8_lossy(name).into_owned())
            }
            None => STANDARD.split_whitespace().nth(usize::from(number)).map(str::to_owned),
        }
        .filter(|name| name != ".notdef" && !name.is_empty())
    }
}

/// The parts of an array (`INDEX`), and the place behind it.
fn array(bytes: &[u8], at: usize) -> Option<(Vec<&[u8]>, usize)> {
    let count = usize::from(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    if count == 0 {
        return Some((Vec::new(), at + 2));
    }
    let width = usize::from(*bytes.get(at + 2)?);
    if !(1..=4).contains(&width) {
        return None;
    }
    let offsets = bytes.get(at + 3..)?.get(..(count + 1) * width)?;
    // Offsets count from the byte before the parts.
    let base = at + 2 + (count + 1) * width;
    let place = |offset: &[u8]| base + offset.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    let places: Vec<usize> = offsets.chunks_exact(width).map(place).collect();
    let mut parts = Vec::with_capacity(count);
    for pair in places.windows(2) {
        let [start, end] = pair else { return None };
        parts.push(bytes.get(*start..*end)?);
    }
    Some((parts, *places.last()?))
}

/// The last number before each operator of a dictionary that is a place.
fn entries(dictionary: &[u8]) -> BTreeMap<u16, usize> {
    let mut found = BTreeMap::new();
    let mut number = 0_i32;
    let mut rest = dictionary.iter().copied();
    while let Some(byte) = rest.next() {
        let mut next = || i32::from(rest.next().unwrap_or(0));
        match byte {
            0..=21 => {
                let operator = if byte == 12 { 0x0C00 | next() } else { i32::from(byte) };
                let operator = u16::try_from(operator).unwrap_or(0);
                found.insert(operator, usize::try_from(number).unwrap_or(0));
                number = 0;
            }
            28 => number = i32::from((next() << 8 | next()) as i16),
            29 => number = (0..4).fold(0, |sum, _| sum << 8 | next()),
            // A fraction, which ends with a half byte of ones.
            30 => while rest.next().is_some_and(|byte| byte & 0x0F != 0x0F && byte >> 4 != 0x0F) {},
            32..=246 => number = i32::from(byte) - 139,
            247..=250 => number = (i32::from(byte) - 247) * 256 + next() + 108,
            251..=254 => number = -(i32::from(byte) - 251) * 256 - next() - 108,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array of parts, with offsets of one byte.
    fn index(parts: &[&[u8]]) -> Vec<u8> {
        let mut bytes = (parts.len() as u16).to_be_bytes().to_vec();
        if parts.is_empty() {
            return bytes;
        }
        bytes.extend([1, 1]);
        let mut end = 1;
        for part in parts {
            end += part.len() as u8;
            bytes.push(end);
        }
        parts.iter().for_each(|part| bytes.extend(*part));
        bytes
    }

    #[test]
    fn the_encoding_names_the_glyphs_of_codes() {
        // The places are below 108, so that each takes one byte.
        let top =
            |charset: u8, encoding: u8, glyphs: u8| [charset + 139, 15, encoding + 139, 16, glyphs + 139, 17];
        let head = |top: &[u8]| {
            [&[1_u8, 0, 4, 1][..], &index(&[b"F"]), &index(&[top]), &index(&[b"alpha"]), &index(&[])].concat()
        };
        let start = head(&top(0, 0, 0)).len() as u8;
        let charset: &[u8] = &[0, 0, 34, 1, 135];
        let encoding: &[u8] = &[0x80, 2, 1, 2, 1, 9, 0, 1];
        let mut font = head(&top(start, start + 5, start + 13));
        font.extend(charset);
        font.extend(encoding);
        font.extend(index(&[b"x", b"y", b"z"]));
        let font = Cff::of(&font).unwrap();
        assert_eq!(font.characters().into_iter().collect::<Vec<_>>(), [(1, 'A')]);
        let names = font.encoding().unwrap();
        let names: Vec<(u8, &str)> = names.iter().map(|(code, name)| (*code, name.as_str())).collect();
        assert_eq!(names, [(1, "A"), (2, "alpha"), (9, "space")]);
    }

    #[test]
    fn damaged_fonts_have_no_encoding() {
        for bytes in [&b""[..], b"\x01\0\x04\x01", b"\x01\0\x04\x01\xff\xff\x04", b"%!PS-AdobeFont"] {
            assert!(Cff::of(bytes).is_none());
        }
    }
}
