//! A first load with bounds: can the file be opened at all, how many pages has it, and do its pages stay within what the
//! file may inflate to even where many of them share a stream?

use std::collections::HashMap;

use lopdf::{Document, LoadOptions, Object, ObjectId};

use crate::{Error, ErrorKind, Options};

/// Pages of a file that can be opened.
pub(crate) fn pages(bytes: &[u8], options: &Options) -> Result<u32, Error> {
    let limit = usize::try_from(options.max_inflated_bytes).unwrap_or(usize::MAX);
    let load = LoadOptions { max_decompressed_size: Some(limit), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(bytes, load).map_err(|error| refused(&error, options))?;
    if document.is_encrypted() && document.encryption_state.is_none() {
        return Err(ErrorKind::Encrypted.into());
    }
    let mut pages = 0_u32;
    let mut left = options.max_inflated_bytes;
    let mut sizes = HashMap::new();
    for page in document.page_iter() {
        pages = pages.saturating_add(1);
        if pages > options.max_pages {
            continue;
        }
        for stream in document.get_page_contents(page) {
            let size = *sizes.entry(stream).or_insert_with(|| size(&document, stream, limit));
            // A stream that is named costs something even where it is empty.
            left = left
                .checked_sub(size.saturating_add(16))
                .ok_or(ErrorKind::TooLarge { limit: options.max_inflated_bytes })?;
        }
    }
    if pages == 0 {
        return Err(Error::malformed("it has no pages"));
    }
    Ok(pages)
}

/// Bytes that a stream inflates to; more than all that is allowed where it does not end before.
fn size(document: &Document, stream: ObjectId, limit: usize) -> u64 {
    let Ok(Object::Stream(stream)) = document.get_object(stream) else { return 0 };
    match stream.get_plain_content_with_limit(limit) {
        Ok(content) => content.len() as u64,
        Err(lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })) => u64::MAX,
        Err(_) => stream.content.len() as u64,
    }
}

fn refused(error: &lopdf::Error, options: &Options) -> Error {
    match error {
        lopdf::Error::Decryption(_)
        | lopdf::Error::InvalidPassword
        | lopdf::Error::UnsupportedSecurityHandler(_) => ErrorKind::Encrypted.into(),
        lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. }) => {
            ErrorKind::TooLarge { limit: options.max_inflated_bytes }.into()
        }
        other => Error::malformed(other),
    }
}
