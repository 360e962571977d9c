//! Characters for fonts that do not say which ones their codes are.
//!
//! The text reader knows the maps of a file to Unicode, the names of glyphs, and the collections of Chinese,
//! Japanese and Korean. It does not look into font programs, so what they say is added to the font here: as
//! a map to Unicode, or as names of glyphs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use memchr::memmem;
use pdfboss_core::{
    CidCmap, Dict, Immediate, Name, Object, ObjectSource, Stream, block_on, cid_to_unicode, type0_encoding,
};

use super::cff::Cff;
use super::sfnt::Sfnt;

/// Most fonts whose programs are read.
pub(super) const MAX_FONTS: u32 = 2_000;

/// Entries of a font descriptor that hold a program.
const PROGRAMS: [&str; 3] = ["FontFile", "FontFile2", "FontFile3"];

/// A map in which each code is its character.
const IDENTITY: &[u8] = b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange \
                          1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap";

/// Most bytes of a map to Unicode that may have no characters.
const MAX_EMPTY_BYTES: usize = 8_192;

/// Collections of characters that the text reader knows.
const KNOWN: [&str; 5] = ["Japan1", "GB1", "CNS1", "Korea1", "KR"];

/// Whether these are the entries of a font whose characters may be unknown.
pub(super) fn may_lack_characters(entries: &Dict) -> bool {
    let is_text = |entry: Option<&Object>| matches!(entry, Some(Object::Ref(_) | Object::Stream(_)));
    match entries.get_name("Subtype").map(|name| name.0.as_str()) {
        Some("Type0") => true,
        Some("Type1" | "MMType1" | "TrueType") => {
            !is_text(entries.get("ToUnicode"))
                && entries.get("FontDescriptor").is_some()
                && !matches!(entries.get("Encoding"), Some(Object::Name(_)))
        }
        _ => false,
    }
}

/// The font with what its program says, if it says anything.
pub(super) fn completed(source: &impl ObjectSource, mut font: Dict) -> Option<Dict> {
    let is_composite = font.get_name("Subtype").is_some_and(|name| name.0 == "Type0");
    if is_composite {
        let map = composite_map(source, &font)?;
        let mut entries = Dict::new();
        entries.insert(name("Type"), Object::Name(name("CMap")));
        font.insert(name("ToUnicode"), Object::Stream(Stream { dict: entries, data: map }));
    } else {
        let encoding = encoding(source, &font)?;
        font.insert(name("Encoding"), Object::Dict(encoding));
    }
    Some(font)
}

fn name(text: &str) -> Name {
    Name(text.to_owned())
}

fn value(source: &impl ObjectSource, entries: &Dict, key: &str) -> Option<Object> {
    source.resolve(entries.get(key)?).ok().filter(|value| !value.is_null())
}

fn dict(source: &impl ObjectSource, entries: &Dict, key: &str) -> Option<Dict> {
    match value(source, entries, key)? {
        Object::Dict(found) => Some(found),
        _ => None,
    }
}

fn stream(source: &impl ObjectSource, entries: &Dict, key: &str) -> Option<Vec<u8>> {
    match value(source, entries, key)? {
        Object::Stream(stream) => source.stream_data(&stream).ok(),
        _ => None,
    }
}

/// A map from the codes of a composite font to Unicode.
fn composite_map(source: &impl ObjectSource, font: &Dict) -> Option<Vec<u8>> {
    let to_unicode = value(source, font, "ToUnicode");
    let is_identity = |name: &Name| name.0.starts_with("Identity");
    if to_unicode.as_ref().and_then(Object::as_name).is_some_and(is_identity) {
        return Some(IDENTITY.to_vec());
    }
    let Some(Object::Array(fonts)) = value(source, font, "DescendantFonts") else { return None };
    let Ok(Object::Dict(descendant)) = source.resolve(fonts.first()?) else { return None };
    let descriptor = dict(source, &descendant, "FontDescriptor").unwrap_or_default();
    let is_embedded = PROGRAMS.iter().any(|key| descriptor.get(key).is_some());
    if let Some(Object::Stream(map)) = &to_unicode {
        // Some maps are empty, or lead to the numbers of glyphs. They are short.
        let has_characters =
            || source.stream_data(map).is_ok_and(|map| memmem::find(&map, b"beginbf").is_some());
        if map.data.len() > MAX_EMPTY_BYTES || has_characters() {
            return None;
        }
    }
    let collection =
        dict(source, &descendant, "CIDSystemInfo").and_then(|info| value(source, &info, "Ordering"));
    let collection = collection.as_ref().and_then(Object::as_str_bytes).unwrap_or_default();
    if KNOWN.iter().any(|known| known.as_bytes() == collection) {
        return None;
    }
    let encoding = value(source, font, "Encoding");
    let encoding = encoding.as_ref().and_then(Object::as_name).map_or("", |name| name.0.as_str());
    // The codes of these are characters.
    if encoding.starts_with("Uni") && (encoding.contains("UCS2") || encoding.contains("UTF16")) {
        return Some(IDENTITY.to_vec());
    }
    let codes = if encoding.starts_with("Identity") {
        None
    } else {
        Some(block_on(type0_encoding(&Immediate(source), font)).cmap?)
    };
    if let Some(characters) = collection_of(encoding).and_then(cid_to_unicode) {
        return written(codes.as_deref(), |cid| characters.lookup(u32::from(cid)));
    }
    let glyphs: BTreeMap<u16, char> = if is_embedded {
        let program =
            stream(source, &descriptor, "FontFile2").or_else(|| stream(source, &descriptor, "FontFile3"))?;
        match Sfnt::of(&program) {
            Some(font) => font.characters().into_iter().collect(),
            None => Cff::of(&program)?.characters(),
        }
    } else if descendant.get_name("Subtype").is_some_and(|name| name.0 == "CIDFontType2") {
        // A font of the system. In most of them the glyphs of ASCII follow each other, from the fourth on.
        (3..).zip(' '..='~').collect()
    } else {
        return None;
    };
    let to_glyphs = stream(source, &descendant, "CIDToGIDMap");
    if to_glyphs.is_some() && !is_embedded && codes.is_none() {
        // The codes are characters, since glyphs have other numbers.
        return Some(IDENTITY.to_vec());
    }
    let character = |cid: u16| {
        let glyph = match &to_glyphs {
            Some(map) => u16::from_be_bytes(*map.get(2 * usize::from(cid)..)?.first_chunk()?),
            None => cid,
        };
        glyphs.get(&glyph).copied()
    };
    written(codes.as_deref(), character)
}

/// The collection of characters of a predefined encoding (PDF 32000-1, 9.7.5.2).
fn collection_of(encoding: &str) -> Option<&'static str> {
    const STARTS: [(&str, &[&str]); 4] = [
        ("Japan1", &["83pv-", "90ms", "90pv-", "Add-", "EUC-", "Ext-", "UniJIS"]),
        ("GB1", &["GB", "UniGB"]),
        ("CNS1", &["B5pc-", "CNS-", "ETen", "HKscs-", "UniCNS"]),
        ("Korea1", &["KSC", "UniKS"]),
    ];
    let is_of = |starts: &[&str]| starts.iter().any(|start| encoding.starts_with(*start));
    STARTS.iter().find(|(_, starts)| is_of(starts)).map(|(collection, _)| *collection)
}

/// Writes a map from codes to the characters of their glyphs; `None` if no code has one.
fn written(codes: Option<&CidCmap>, character: impl Fn(u16) -> Option<char>) -> Option<Vec<u8>> {
    let mut map = String::new();
    let mut units = [0; 2];
    for code in 0..=u16::MAX {
        let (cid, width) = match codes {
            None => (Some(code), 4),
            Some(codes) => match codes.cid(u32::from(code), 2) {
                None | Some(0) if code < 0x100 => (codes.cid(u32::from(code), 1).and_then(narrow), 2),
                cid => (cid.and_then(narrow), 4),
            },
        };
        let Some(c) = cid.and_then(&character) else { continue };
        let _ = write!(map, "<{code:0width$X}> <");
        for unit in c.encode_utf16(&mut units) {
            let _ = write!(map, "{unit:04X}");
        }
        map.push_str(">\n");
    }
    (!map.is_empty()).then(|| format!("begincmap\n1 beginbfchar\n{map}endbfchar\nendcmap").into_bytes())
}

fn narrow(cid: u32) -> Option<u16> {
    u16::try_from(cid).ok()
}

/// The names of the glyphs of a simple font by their codes, from its program, and whether other codes are
/// those of Windows.
fn glyph_names(source: &impl ObjectSource, font: &Dict) -> Option<(BTreeMap<u8, String>, bool)> {
    let descriptor = dict(source, font, "FontDescriptor")?;
    if let Some(program) = stream(source, &descriptor, "FontFile3") {
        return Some((Cff::of(&program)?.encoding()?, false));
    }
    // Codes from the first on were given to the glyphs as they were needed.
    let first = value(source, font, "FirstChar").and_then(|first| first.as_int());
    if first.is_none_or(|first| first >= i64::from(b' ')) {
        return None;
    }
    let program = stream(source, &descriptor, "FontFile2")?;
    let program = Sfnt::of(&program)?;
    let names = program.names();
    let named = |(code, glyph): (u8, u16)| Some((code, names.get(&glyph)?.clone()));
    let named = program.glyphs().into_iter().filter_map(named).collect();
    Some((named, program.is_of_windows()))
}

/// The encoding of a simple font with what its program says below what it says itself; `None` if that is
/// nothing, or if it names a base.
fn encoding(source: &impl ObjectSource, font: &Dict) -> Option<Dict> {
    let own = value(source, font, "Encoding");
    let has_none = own.is_none();
    let mut encoding = match own {
        Some(Object::Dict(encoding)) => encoding,
        None => Dict::new(),
        Some(_) => return None,
    };
    if value(source, &encoding, "BaseEncoding").is_some() {
        return None;
    }
    let (names, is_of_windows) = glyph_names(source, font)?;
    if names.is_empty() {
        return None;
    }
    let mut differences: Vec<Object> = Vec::new();
    for (code, glyph) in names {
        differences.push(Object::Int(i64::from(code)));
        differences.push(Object::Name(Name(glyph)));
    }
    if let Some(Object::Array(own)) = value(source, &encoding, "Differences") {
        differences.extend(own);
    }
    if has_none && is_of_windows {
        encoding.insert(name("BaseEncoding"), Object::Name(name("WinAnsiEncoding")));
    }
    encoding.insert(name("Differences"), Object::Array(differences));
    Some(encoding)
}

#[cfg(test)]
mod tests {
    use pdfboss_core::{Error, ObjRef, Result as Read};

    use super::super::sfnt::tests::{font, map};
    use super::*;

    /// Streams without filters, and no objects.
    struct Direct;

    impl ObjectSource for Direct {
        fn get(&self, reference: ObjRef) -> Read<Object> {
            Err(Error::ObjectNotFound(reference.num, reference.r#gen))
        }

        fn stream_data(&self, stream: &Stream) -> Read<Vec<u8>> {
            Ok(stream.data.clone())
        }
    }

    fn entries<const N: usize>(entries: [(&str, Object); N]) -> Dict {
        let mut dict = Dict::new();
        for (key, value) in entries {
            dict.insert(name(key), value);
        }
        dict
    }

    fn data(data: Vec<u8>) -> Object {
        Object::Stream(Stream { dict: Dict::new(), data })
    }

    fn named(text: &str) -> Object {
        Object::Name(name(text))
    }

    /// A map of the glyphs 5 and 6 to `A` and `B`.
    fn program() -> Vec<u8> {
        font(&[(b"cmap", map(3, 1, &[6, 0, 0, 65, 2, 5, 6]))])
    }

    fn composite(descendant: Dict, encoding: Object) -> Dict {
        entries([
            ("Subtype", named("Type0")),
            ("Encoding", encoding),
            ("DescendantFonts", Object::Array(vec![Object::Dict(descendant)])),
        ])
    }

    fn map_of(font: Dict) -> Option<String> {
        let font = completed(&Direct, font)?;
        let Some(Object::Stream(map)) = font.get("ToUnicode") else { return None };
        Some(String::from_utf8_lossy(&map.data).into_owned())
    }

    #[test]
    fn the_program_of_a_composite_font_says_its_characters() {
        let descriptor = || Object::Dict(entries([("FontFile2", data(program()))]));
        let whole = map_of(composite(entries([("FontDescriptor", descriptor())]), named("Identity-H")));
        assert!(whole.unwrap().contains("<0005> <0041>\n<0006> <0042>"));
        // Code 1 is glyph 6.
        let to_glyphs = data(vec![0, 0, 0, 6]);
        let descendant = entries([("FontDescriptor", descriptor()), ("CIDToGIDMap", to_glyphs)]);
        assert!(map_of(composite(descendant, named("Identity-H"))).unwrap().contains("<0001> <0042>"));
        // Code 0x21 of one byte is glyph 5.
        let codes = b"begincmap 1 begincodespacerange <00> <FF> endcodespacerange \
                      1 begincidrange <21> <21> 5 endcidrange endcmap";
        let descendant = entries([("FontDescriptor", descriptor())]);
        assert!(map_of(composite(descendant, data(codes.to_vec()))).unwrap().contains("<21> <0041>"));
    }

    #[test]
    fn glyphs_of_fonts_of_the_system_are_those_of_ascii() {
        let descendant = || entries([("Subtype", named("CIDFontType2"))]);
        let map = map_of(composite(descendant(), named("Identity-H"))).unwrap();
        assert!(map.contains("<0024> <0041>"), "{map}");
        let known = entries([("Ordering", Object::String(b"Japan1".to_vec()))]);
        let mut descendant = descendant();
        descendant.insert(name("CIDSystemInfo"), Object::Dict(known));
        assert_eq!(map_of(composite(descendant, named("Identity-H"))), None);
    }

    #[test]
    fn codes_may_be_characters() {
        let mut font = composite(Dict::new(), named("Identity-H"));
        font.insert(name("ToUnicode"), named("Identity-H"));
        assert!(map_of(font).unwrap().contains("<0000> <FFFF> <0000>"));
        assert!(map_of(composite(Dict::new(), named("UniJIS-UCS2-H"))).is_some());
        // Those of a collection that only the encoding names: U+65E5 in Shift JIS.
        let map = map_of(composite(Dict::new(), named("90ms-RKSJ-H"))).unwrap();
        assert!(map.contains("<93FA> <65E5>"), "{map}");
    }

    #[test]
    fn names_of_glyphs_stand_below_the_encoding_of_a_font() {
        let mut post = [0, 2, 0, 0].to_vec();
        post.extend([0; 28]);
        post.extend([3_u16, 0, 36, 258].iter().flat_map(|number| number.to_be_bytes()));
        post.extend(b"\x06eacute");
        let program = font(&[(b"cmap", map(1, 0, &[6, 0, 0, 1, 2, 1, 2])), (b"post", post)]);
        let descriptor = entries([("FontFile2", data(program))]);
        let own = entries([("Differences", Object::Array(vec![Object::Int(2), named("egrave")]))]);
        let simple = entries([
            ("Subtype", named("TrueType")),
            ("FirstChar", Object::Int(1)),
            ("FontDescriptor", Object::Dict(descriptor)),
            ("Encoding", Object::Dict(own)),
        ]);
        let font = completed(&Direct, simple).unwrap();
        let Some(Object::Dict(encoding)) = font.get("Encoding") else { panic!("an encoding") };
        let expected = [
            Object::Int(1),
            named("uni0041"),
            Object::Int(2),
            named("eacute"),
            Object::Int(2),
            named("egrave"),
        ];
        assert_eq!(encoding.get_array("Differences"), Some(expected.as_slice()));
    }
}
