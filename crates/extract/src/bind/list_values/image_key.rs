//! Tells the sizes and thumbnails of one image from other images, by their addresses.

/// Words at the end of a file name that say how large an image is or that it is one.
const SIZE_WORDS: [&str; 22] = [
    "scaled",
    "small",
    "medium",
    "large",
    "grande",
    "compact",
    "thumb",
    "thumbnail",
    "mini",
    "big",
    "full",
    "fullsize",
    "zoom",
    "preview",
    "default",
    "original",
    "master",
    "retina",
    "image",
    "img",
    "photo",
    "picture",
];
/// Upper bound on the words and sizes at the end of a file name.
const MAX_SIZE_PARTS: usize = 4;
/// Suffixes of image files. An address without one may say in its query which image it is.
const SUFFIXES: [&str; 8] = ["jpg", "jpeg", "png", "webp", "avif", "gif", "tif", "tiff"];
/// Words in file names of signs of the site rather than pictures of a thing.
const SIGN_WORDS: [&str; 6] = ["logo", "logos", "icon", "favicon", "placeholder", "wordmark"];

/// A key that is equal for all sizes of one image: its file name without the size or, if the name says only
/// the size, the folder.
pub(super) fn image_key(address: &str) -> String {
    let path = path(address);
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let suffix = name.rsplit_once('.').map_or("", |(_, suffix)| suffix).to_lowercase();
    if !SUFFIXES.contains(&suffix.as_str()) {
        return address.to_owned();
    }
    let stem = file_stem(address);
    let mut rest = stem.as_str();
    for _ in 0..MAX_SIZE_PARTS {
        match rest.rsplit_once(['-', '_', '@', '.']) {
            Some((before, part)) if is_size(part) => rest = before,
            None if is_size(rest) => rest = "",
            _ => break,
        }
    }
    if rest.len() > 1 {
        return rest.to_owned();
    }
    let folder = folders.rsplit('/').next().unwrap_or_default();
    format!("{folder}/{rest}")
}

/// The file name of an address without its suffix, in lower case.
pub(super) fn file_stem(address: &str) -> String {
    let path = path(address);
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem).to_owned()
}

/// Whether an address is that of a logo, or names an image and no file: `https://shop.example/#logo`.
pub(super) fn is_sign(address: &str) -> bool {
    let stem = file_stem(address);
    let mut words = stem.split(|found: char| !found.is_alphanumeric());
    address.contains('#') || path(address).ends_with('/') || words.any(|word| SIGN_WORDS.contains(&word))
}

/// An address without its query and its fragment.
fn path(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

/// Whether a part of a file name says how large the image is: `600x600`, `1024x`, `1500w`, `l1600`, `thumb`.
fn is_size(part: &str) -> bool {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let by_edges = |(width, height): (&str, &str)| part.len() > 1 && is_number(width) && is_number(height);
    let width = part.strip_prefix(['w', 'h', 'l', 's']).or_else(|| part.strip_suffix(['w', 'h']));
    SIZE_WORDS.contains(&part)
        || part.split_once('x').is_some_and(by_edges)
        || width.is_some_and(|width| (3..=4).contains(&width.len()) && is_number(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_one_image_have_one_key() {
        let rows = [
            ("https://s.example/i/cup-600x600.jpg", "https://s.example/t/cup.webp?width=90", true),
            ("https://s.example/cup_1024x.jpg", "https://s.example/Cup_100x@2x.jpg", true),
            ("https://s.example/cup-scaled.jpg", "https://s.example/cup_thumb.jpg", true),
            ("https://s.example/g/Qx7/s-l1600.jpg", "https://s.example/g/Qx7/s-l140.jpg", true),
            ("https://s.example/g/Qx7/s-l1600.jpg", "https://s.example/g/Ry8/s-l1600.jpg", false),
            ("https://s.example/a1/original.png", "https://s.example/b2/original.png", false),
            ("https://s.example/cup-1.jpg", "https://s.example/cup-2.jpg", false),
            ("https://s.example/cup_E_blue.jpg", "https://s.example/cup_F_blue.jpg", false),
            ("https://s.example/show?image=1", "https://s.example/show?image=2", false),
        ];
        for (left, right, same) in rows {
            assert_eq!(image_key(left) == image_key(right), same, "{left} {right}");
        }
    }

    #[test]
    fn signs_are_known_by_their_address() {
        for sign in ["https://s.example/my-logo-240x120.png", "https://s.example/#primaryimage"] {
            assert!(is_sign(sign), "{sign}");
        }
        assert!(!is_sign("https://s.example/img/logos/catalogo.jpg?v=2"));
    }
}
