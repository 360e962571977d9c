//! Characters of the glyphs of a TrueType or OpenType font (ISO/IEC 14496-22), from its own tables.

use std::collections::HashMap;

/// Most codes of the character maps of a font that are read. A group of a few bytes may have a million.
const MAX_CODES: usize = 300_000;

/// Most subtables of a character map.
const MAX_SUBTABLES: u16 = 64;

/// Most tables of a font.
const MAX_TABLES: u16 = 256;

/// Codes of symbols begin here.
const SYMBOLS: u32 = 0xF000;

/// A font program.
pub(super) struct Sfnt<'f> {
    bytes: &'f [u8],
    /// Where its table directory is.
    start: usize,
}

impl<'f> Sfnt<'f> {
    /// The font, if the bytes are one; of a collection the first.
    pub(super) fn of(bytes: &'f [u8]) -> Option<Self> {
        let start = if bytes.starts_with(b"ttcf") { index(u32_at(bytes, 12)?)? } else { 0 };
        let kind = bytes.get(start..)?.get(..4)?;
        matches!(kind, b"\0\x01\0\0" | b"OTTO" | b"true").then_some(Self { bytes, start })
    }

    fn table(&self, tag: &[u8; 4]) -> Option<&'f [u8]> {
        let count = u16_at(self.bytes, self.start.checked_add(4)?)?.min(MAX_TABLES);
        (0..usize::from(count)).find_map(|at| {
            let entry = self.bytes.get(self.start.checked_add(12 + 16 * at)?..)?;
            if entry.get(..4)? != tag {
                return None;
            }
            self.bytes.get(index(u32_at(entry, 8)?)?..)
        })
    }

    /// The subtables of the character map, with their platforms and encodings.
    fn maps(&self) -> Vec<(u16, u16, &'f [u8])> {
        let Some(table) = self.table(b"cmap") else { return Vec::new() };
        let count = u16_at(table, 2).unwrap_or(0).min(MAX_SUBTABLES);
        let map = |at: usize| {
            let entry = table.get(4 + 8 * at..)?;
            Some((u16_at(entry, 0)?, u16_at(entry, 2)?, table.get(index(u32_at(entry, 4)?)?..)?))
        };
        (0..usize::from(count)).filter_map(map).collect()
    }

    /// The character of each glyph: of several the first in Unicode.
    pub(super) fn characters(&self) -> HashMap<u16, char> {
        let mut characters: HashMap<u16, char> = HashMap::new();
        let mut left = MAX_CODES;
        let mut add = |code: u32, glyph: u16| {
            if let Some(c) = char::from_u32(code).filter(|c| !c.is_control()) {
                characters.entry(glyph).and_modify(|known| *known = c.min(*known)).or_insert(c);
            }
        };
        for (platform, encoding, map) in self.maps() {
            match (platform, encoding) {
                (0, _) | (3, 1 | 10) => each(map, &mut left, &mut add),
                // Codes of symbols, and of the Macintosh, are those of ASCII there.
                (3, 0) => each(map, &mut left, &mut |code: u32, glyph: u16| {
                    let code = code.checked_sub(SYMBOLS).unwrap_or(code);
                    if (0x20..0x7F).contains(&code) {
                        add(code, glyph);
                    }
                }),
                (1, 0) => each(map, &mut left, &mut |code: u32, glyph: u16| {
                    if (0x20..0x7F).contains(&code) {
                        add(code, glyph);
                    }
                }),
                _ => {}
            }
        }
        characters
    }

    /// Whether the font has codes of Windows.
    pub(super) fn is_of_windows(&self) -> bool {
        self.maps().iter().any(|(platform, ..)| *platform == 3)
    }

    /// The glyphs of the codes of a font whose codes are one byte each.
    pub(super) fn glyphs(&self) -> HashMap<u8, u16> {
        let mut glyphs = HashMap::new();
        let mut left = MAX_CODES;
        for (platform, encoding, map) in self.maps() {
            if !matches!((platform, encoding), (3, 0) | (1, 0)) {
                continue;
            }
            each(map, &mut left, &mut |code: u32, glyph: u16| {
                let code = if platform == 3 { code.checked_sub(SYMBOLS).unwrap_or(code) } else { code };
                if let Ok(code) = u8::try_from(code) {
                    glyphs.entry(code).or_insert(glyph);
                }
            });
        }
        glyphs
    }

    /// The names that the font gives to its glyphs.
    pub(super) fn names(&self) -> HashMap<u16, String> {
        let mut names = HashMap::new();
        let Some(post) = self.table(b"post").filter(|post| u32_at(post, 0) == Some(0x0002_0000)) else {
            return names;
        };
        let count = u16_at(post, 32).unwrap_or(0);
        let mut rest = post.get(34 + 2 * usize::from(count)..).unwrap_or_default();
        let mut strings: Vec<&[u8]> = Vec::new();
        while let Some((length, behind)) = rest.split_first()
            && let Some((name, behind)) = behind.split_at_checked(usize::from(*length))
            && strings.len() < usize::from(u16::MAX)
        {
            strings.push(name);
            rest = behind;
        }
        for glyph in 0..count {
            let Some(name) = u16_at(post, 34 + 2 * usize::from(glyph)) else { break };
            let name = match name {
                // The first names are those of the Macintosh, where those of ASCII follow each other.
                3..=97 => Some(format!("uni{:04X}", name + 0x1D)),
                258.. => strings
                    .get(usize::from(name - 258))
                    .map(|name| String::from_utf8_lossy(name).into_owned()),
                _ => None,
            };
            if let Some(name) = name.filter(|name| !name.is_empty() && name.is_ascii()) {
                names.insert(glyph, name);
            }
        }
        names
    }
}

/// Calls for each code of a character map and its glyph, as long as codes are left.
fn each(map: &[u8], left: &mut usize, found: &mut impl FnMut(u32, u16)) {
    let mut found = |code: u32, glyph: u16| {
        *left = left.saturating_sub(1);
        if glyph != 0 {
            found(code, glyph);
        }
        *left > 0
    };
    // The end of the map, or of what is read of it, ends it.
    let _ = match u16_at(map, 0) {
        Some(0) => each_byte(map, &mut found),
        Some(4) => each_segment(map, &mut found),
        Some(6) => each_listed(map, &mut found),
        Some(12) => each_group(map, &mut found),
        _ => None,
    };
}

fn each_byte(map: &[u8], found: &mut impl FnMut(u32, u16) -> bool) -> Option<()> {
    let glyphs = map.get(6..)?;
    (0..256).zip(glyphs).try_for_each(|(code, glyph)| found(code, u16::from(*glyph)).then_some(()))
}

fn each_segment(map: &[u8], found: &mut impl FnMut(u32, u16) -> bool) -> Option<()> {
    let size = usize::from(u16_at(map, 6)? & !1);
    for at in (0..size).step_by(2) {
        let (end, start) = (u16_at(map, 14 + at)?, u16_at(map, 16 + size + at)?);
        let delta = u16_at(map, 16 + 2 * size + at)?;
        let place = 16 + 3 * size + at;
        let offset = usize::from(u16_at(map, place)?);
        for code in start..=end {
            let glyph = match offset {
                0 => code.wrapping_add(delta),
                _ => match u16_at(map, place + offset + 2 * usize::from(code - start)) {
                    Some(glyph @ 1..) => glyph.wrapping_add(delta),
                    _ => 0,
                },
            };
            if !found(u32::from(code), glyph) {
                return None;
            }
        }
    }
    Some(())
}

fn each_listed(map: &[u8], found: &mut impl FnMut(u32, u16) -> bool) -> Option<()> {
    let (first, count) = (u16_at(map, 6)?, u16_at(map, 8)?);
    for at in 0..count {
        let glyph = u16_at(map, 10 + 2 * usize::from(at))?;
        if !found(u32::from(first) + u32::from(at), glyph) {
            return None;
        }
    }
    Some(())
}

fn each_group(map: &[u8], found: &mut impl FnMut(u32, u16) -> bool) -> Option<()> {
    for group in map.get(16..)?.chunks_exact(12).take(index(u32_at(map, 12)?)?) {
        let (start, end, glyph) = (u32_at(group, 0)?, u32_at(group, 4)?, u32_at(group, 8)?);
        for code in start..=end {
            let glyph = u16::try_from(glyph.saturating_add(code - start)).unwrap_or(0);
            if !found(code, glyph) {
                return None;
            }
        }
    }
    Some(())
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn index(offset: u32) -> Option<usize> {
    usize::try_from(offset).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A font with these tables.
    pub(in crate::reader) fn font(tables: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
        let mut font = b"\0\x01\0\0".to_vec();
        font.extend((tables.len() as u16).to_be_bytes());
        font.extend([0; 6]);
        let mut place = 12 + 16 * tables.len();
        for (tag, table) in tables {
            font.extend(*tag);
            font.extend([0; 4]);
            font.extend((place as u32).to_be_bytes());
            font.extend((table.len() as u32).to_be_bytes());
            place += table.len();
        }
        tables.iter().for_each(|(_, table)| font.extend(table));
        font
    }

    /// A character map of one subtable with these numbers.
    pub(in crate::reader) fn map(platform: u16, encoding: u16, subtable: &[u16]) -> Vec<u8> {
        let head = [0, 1, platform, encoding, 0, 12];
        head.iter().chain(subtable).flat_map(|number| number.to_be_bytes()).collect()
    }

    #[test]
    fn glyphs_have_the_characters_of_their_codes() {
        // Codes 65 to 66 by a difference, and 97 by a list.
        let segments = [4, 0, 0, 6, 0, 0, 0, 66, 97, 0xFFFF, 0, 65, 97, 0xFFFF, 0xFFC4, 0, 1, 0, 4, 0, 9];
        let bytes = font(&[(b"cmap", map(3, 1, &segments))]);
        let characters = Sfnt::of(&bytes).unwrap().characters();
        assert_eq!(characters.get(&5), Some(&'A'));
        assert_eq!(characters.get(&6), Some(&'B'));
        assert_eq!(characters.get(&9), Some(&'a'));
    }

    #[test]
    fn a_map_of_all_codes_is_read_in_part() {
        let groups = [12, 0, 0, 28, 0, 0, 0, 1, 0, 0, 0xFFFF, 0xFFFF, 0, 1];
        let bytes = font(&[(b"cmap", map(3, 10, &groups))]);
        assert!(Sfnt::of(&bytes).unwrap().characters().len() <= usize::from(u16::MAX));
        assert!(Sfnt::of(b"%!PS").is_none());
    }

    #[test]
    fn names_of_glyphs_are_read() {
        let mut post = [0, 2, 0, 0].to_vec();
        post.extend([0; 28]);
        post.extend([3_u16, 0, 36, 258].iter().flat_map(|number| number.to_be_bytes()));
        post.extend(b"\x06eacute");
        let bytes = font(&[(b"post", post)]);
        let names = Sfnt::of(&bytes).unwrap().names();
        assert_eq!(names.get(&1).map(String::as_str), Some("uni0041"));
        assert_eq!(names.get(&2).map(String::as_str), Some("eacute"));
    }
}
