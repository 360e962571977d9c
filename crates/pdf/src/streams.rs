//! What the streams of a loaded file inflate to, by any filter that the parser knows.
//!
//! The [scan](crate::scan) of the bytes sees zlib alone, and believes what calls itself a picture. Here the file has been
//! parsed, so that dictionaries say what they say: every stream that the parser may inflate is inflated once, by the
//! parser's own decoder, under a bound that they share.

use std::collections::{HashMap, HashSet};

use lopdf::{Document, Object, ObjectId, Stream};

use crate::{Error, ErrorKind, Options};

/// Keys whose streams the parser inflates whatever their dictionary says that they are.
const READ: [&[u8]; 8] = [
    b"CIDToGIDMap",
    b"Contents",
    b"Encoding",
    b"FontFile",
    b"FontFile2",
    b"FontFile3",
    b"ToUnicode",
    b"UseCMap",
];

/// Refuses a file whose streams inflate to too much, pictures left out. Gives the bytes that each inflates to.
pub(crate) fn check(document: &Document, options: &Options) -> Result<HashMap<ObjectId, u64>, Error> {
    let mut left = options.max_inflated_bytes;
    let mut read = None;
    let mut sizes = HashMap::new();
    for (id, object) in &document.objects {
        let Object::Stream(stream) = object else { continue };
        if is_picture(stream) && !read.get_or_insert_with(|| read_by_key(document)).contains(id) {
            continue;
        }
        let size = inflated_bytes(stream, left);
        left = left.checked_sub(size).ok_or(ErrorKind::TooLarge { limit: options.max_inflated_bytes })?;
        sizes.insert(*id, size);
    }
    Ok(sizes)
}

/// Bytes that a stream inflates to; more than all that is allowed where it does not end before.
fn inflated_bytes(stream: &Stream, limit: u64) -> u64 {
    content(stream, limit).map_or(u64::MAX, |content| content.len() as u64)
}

/// What a stream inflates to, or as it is where it cannot be; `None` where that is more than `limit` bytes.
pub(crate) fn content(stream: &Stream, limit: u64) -> Option<Vec<u8>> {
    match stream.get_plain_content_with_limit(usize::try_from(limit).unwrap_or(usize::MAX)) {
        Ok(content) => Some(content),
        Err(lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })) => None,
        Err(_) => Some(stream.content.clone()),
    }
}

/// The content of a page as the analysis reads it: its streams one behind the other, with a line end behind each. `None`
/// where that is more than `limit` bytes.
pub(crate) fn of_page(document: &Document, streams: &[ObjectId], limit: u64) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for stream in streams {
        let Ok(Object::Stream(stream)) = document.get_object(*stream) else { continue };
        let mut piece = content(stream, limit.checked_sub(all.len() as u64)?)?;
        // Most pages have one stream, which is not copied.
        if all.is_empty() {
            all = piece;
        } else {
            all.append(&mut piece);
        }
        all.push(b'\n');
    }
    Some(all)
}

/// Pictures are what most large files consist of, and nothing inflates them.
fn is_picture(stream: &Stream) -> bool {
    stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image")
}

/// The objects that stand under a key of [`READ`] anywhere, alone or in a list.
fn read_by_key(document: &Document) -> HashSet<ObjectId> {
    let mut read = HashSet::new();
    // A reference may lead to another, and to a list: what such a key leads to is followed as if it stood there.
    let mut stack: Vec<(&Object, bool)> = document.objects.values().map(|object| (object, false)).collect();
    while let Some((object, is_read)) = stack.pop() {
        match object {
            Object::Reference(id) if is_read => {
                if read.insert(*id)
                    && let Some(object @ (Object::Reference(_) | Object::Array(_))) = document.objects.get(id)
                {
                    stack.push((object, true));
                }
            }
            Object::Array(items) => stack.extend(items.iter().map(|item| (item, is_read))),
            Object::Dictionary(entries) | Object::Stream(Stream { dict: entries, .. }) => {
                stack.extend(entries.iter().map(|(key, value)| (value, READ.contains(&key.as_slice()))));
            }
            _ => {}
        }
    }
    read
}
