//! The encodings of texts in RTF, by code pages and by the character sets of fonts.

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
};

/// The encoding of a code page of Windows.
pub(super) fn of_code_page(number: i32) -> &'static Encoding {
    match number {
        874 => WINDOWS_874,
        932 => SHIFT_JIS,
        936 => GBK,
        949 | 1361 => EUC_KR,
        950 => BIG5,
        1250 => WINDOWS_1250,
        1251 => WINDOWS_1251,
        1253 => WINDOWS_1253,
        1254 => WINDOWS_1254,
        1255 => WINDOWS_1255,
        1256 => WINDOWS_1256,
        1257 => WINDOWS_1257,
        1258 => WINDOWS_1258,
        10_000 => MACINTOSH,
        65_001 => UTF_8,
        _ => WINDOWS_1252,
    }
}

/// The encoding of the character set of a font; `None` for that of the document.
pub(super) fn of_character_set(number: i32) -> Option<&'static Encoding> {
    Some(of_code_page(match number {
        77 => 10_000,
        128 => 932,
        129 | 130 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    }))
}

/// The character set of fonts of symbols.
pub(super) const SYMBOLS: i32 = 2;

/// The character for a sign of the common fonts of symbols.
pub(super) const fn symbol(byte: u8) -> char {
    match byte {
        0xA7 => '▪',
        0xA8 => '□',
        0xB7 => '•',
        0xD8 => '➢',
        0xE0 => '→',
        0xFC | 0xFE => '✓',
        0x20..=0x7E => byte as char,
        _ => '•',
    }
}
