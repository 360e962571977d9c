//! Finds the extent of a link address in Markdown.

/// Upper bound on the length of a link's address, in bytes.
const MAX_ADDRESS_BYTES: usize = 4_096;

/// The end of `](address)`, if one starts at this bracket. An address that is not closed ends with its line.
pub(super) fn address_end(source: &str, bracket: usize) -> Option<usize> {
    let after = source.get(bracket..)?.strip_prefix("](")?;
    Some(bracket + 2 + LinkAddress::read(after)?.end)
}

/// The extent of the address that follows `](`, in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LinkAddress {
    /// Its length without a title.
    pub(super) length: usize,
    /// The first byte after its closing bracket.
    pub(super) end: usize,
}

impl LinkAddress {
    /// Pairs of brackets belong to the address, and so does everything between `<` and `>` (CommonMark 0.31,
    /// 6.3). If the brackets do not pair, the first closing one ends the address.
    pub(super) fn read(after: &str) -> Option<Self> {
        let mut length = None;
        let mut first_close = None;
        let (mut depth, mut in_angles, mut escaped) = (0_usize, after.starts_with('<'), false);
        for (at, byte) in after.bytes().enumerate().take(MAX_ADDRESS_BYTES) {
            if std::mem::take(&mut escaped) {
                continue;
            }
            match byte {
                b'\n' => {
                    let end = first_close.unwrap_or(at);
                    return Some(Self { length: length.unwrap_or(end).min(end), end: end + 1 });
                }
                b'\\' => escaped = true,
                b'>' if in_angles => in_angles = false,
                _ if in_angles => {}
                b' ' => length = length.or(Some(at)),
                b'(' => depth += 1,
                b')' if depth == 0 => return Some(Self { length: length.unwrap_or(at), end: at + 1 }),
                b')' => {
                    first_close = first_close.or(Some(at));
                    depth -= 1;
                }
                _ => {}
            }
        }
        let end = first_close?;
        Some(Self { length: length.unwrap_or(end).min(end), end: end + 1 })
    }
}
