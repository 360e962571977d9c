//! Character encodings. Input: a byte that chooses the header, a byte that chooses the size of chunks, and a
//! body.

use encoding_rs::Encoding;
use gleaner_transform::decode;

/// Values of `Content-Type`.
const HEADERS: [Option<&str>; 12] = [
    None,
    Some("text/html"),
    Some("text/html; charset=utf-8"),
    Some("text/html; charset=latin1"),
    Some("text/html; charset=shift_jis"),
    Some("text/html; charset=gb18030"),
    Some("text/html; charset=iso-2022-jp"),
    Some("text/html; charset=utf-16le"),
    Some("text/html; charset=utf-7"),
    Some("text/html; charset=\"big5\"; x=y"),
    Some("text/html; charset=euc-kr"),
    Some("text/html;charset"),
];

/// Upper bound on bytes of text per byte of input: U+FFFD and characters of legacy encodings take three.
const GROWTH: usize = 3;

/// Any bytes decode to text, the size of chunks changes nothing, and replaced characters are reported.
pub fn charset(data: &[u8]) {
    let [choice, chunk, body @ ..] = data else { return };
    let header = HEADERS.get(usize::from(*choice) % HEADERS.len()).copied().flatten();
    let decoded = decode(body, header);
    assert!(decoded.text.len() <= GROWTH * body.len() + GROWTH, "{} bytes of text", decoded.text.len());
    let Some(encoding) = Encoding::for_label(decoded.encoding.as_bytes()) else {
        assert_eq!(decoded.encoding, "replacement", "the encoding is in the Encoding Standard");
        return;
    };
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let mut text = String::new();
    let size = usize::from(*chunk) % 16 + 1;
    for part in body.chunks(size).chain(std::iter::once(&[][..])) {
        text.reserve(part.len() * GROWTH + 64);
        let _checked_below = decoder.decode_to_string(part, &mut text, part.is_empty());
    }
    assert_eq!(text, decoded.text, "{} in chunks of {size}", decoded.encoding);
    assert!(
        decoded.malformed
            || std::str::from_utf8(body).is_err()
            || !text.contains('\u{FFFD}')
            || body.windows(3).any(|bytes| bytes == "\u{FFFD}".as_bytes()),
        "malformed input is not reported"
    );
}
