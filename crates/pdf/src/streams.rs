//! The inflated sizes of the streams of a loaded file, with every filter that the parser supports.
//!
//! The [scan](crate::scan) of the bytes handles only zlib, and skips everything that claims to be a picture.
//! Here the file is parsed and dictionaries are reliable: every stream that the parser may inflate is
//! inflated once, by the parser's own decoder, within a common limit.

use std::collections::{HashMap, HashSet};

use lopdf::{Document, Object, ObjectId, Stream};

use crate::{Error, ErrorKind, Options};

/// The parser inflates streams under these keys, whatever their dictionary says.
const INFLATED_KEYS: [&[u8]; 8] = [
    b"CIDToGIDMap",
    b"Contents",
    b"Encoding",
    b"FontFile",
    b"FontFile2",
    b"FontFile3",
    b"ToUnicode",
    b"UseCMap",
];

/// Refuses a file whose streams, except pictures, inflate to too much. Returns the inflated size of each.
pub(crate) fn check(document: &Document, options: &Options) -> Result<HashMap<ObjectId, u64>, Error> {
    let mut left = options.max_inflated_bytes;
    let mut inflated = None;
    let mut sizes = HashMap::new();
    for (id, object) in &document.objects {
        let Object::Stream(stream) = object else { continue };
        if is_picture(stream) && !inflated.get_or_insert_with(|| inflated_by_key(document)).contains(id) {
            continue;
        }
        let size = inflated_size(stream, left);
        left = left.checked_sub(size).ok_or(ErrorKind::TooLarge { limit: options.max_inflated_bytes })?;
        sizes.insert(*id, size);
    }
    Ok(sizes)
}

/// The inflated size of a stream in bytes; `u64::MAX` if it exceeds the limit.
fn inflated_size(stream: &Stream, limit: u64) -> u64 {
    content(stream, limit).map_or(u64::MAX, |content| content.len() as u64)
}

/// The inflated content of a stream, or its raw content if it cannot be inflated; `None` if it exceeds
/// `limit` bytes.
pub(crate) fn content(stream: &Stream, limit: u64) -> Option<Vec<u8>> {
    match stream.get_plain_content_with_limit(usize::try_from(limit).unwrap_or(usize::MAX)) {
        Ok(content) => Some(content),
        Err(lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })) => None,
        Err(_) => Some(stream.content.clone()),
    }
}

/// The content of a page as the analysis reads it: its streams in order, with a line end after each. `None`
/// if it exceeds `limit` bytes.
pub(crate) fn of_page(document: &Document, streams: &[ObjectId], limit: u64) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for stream in streams {
        let Ok(Object::Stream(stream)) = document.get_object(*stream) else { continue };
        let mut piece = content(stream, limit.checked_sub(all.len() as u64)?)?;
        // Most pages have one stream. It is not copied.
        if all.is_empty() {
            all = piece;
        } else {
            all.append(&mut piece);
        }
        all.push(b'\n');
    }
    Some(all)
}

/// Whether this is a picture. Most large files consist of pictures, and nothing inflates them.
fn is_picture(stream: &Stream) -> bool {
    stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image")
}

/// The objects under [`INFLATED_KEYS`] anywhere, alone or in an array.
fn inflated_by_key(document: &Document) -> HashSet<ObjectId> {
    let mut inflated = HashSet::new();
    // A reference may refer to another reference or to an array. Both are followed as if they were under the
    // key.
    let mut stack: Vec<(&Object, bool)> = document.objects.values().map(|object| (object, false)).collect();
    while let Some((object, is_inflated)) = stack.pop() {
        match object {
            Object::Reference(id) if is_inflated => {
                if inflated.insert(*id)
                    && let Some(object @ (Object::Reference(_) | Object::Array(_))) = document.objects.get(id)
                {
                    stack.push((object, true));
                }
            }
            Object::Array(items) => stack.extend(items.iter().map(|item| (item, is_inflated))),
            Object::Dictionary(entries) | Object::Stream(Stream { dict: entries, .. }) => {
                stack.extend(
                    entries.iter().map(|(key, value)| (value, INFLATED_KEYS.contains(&key.as_slice()))),
                );
            }
            _ => {}
        }
    }
    inflated
}
