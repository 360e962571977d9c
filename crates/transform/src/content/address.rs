//! What an address says about a page: its depth, and whether it ends in the words of a title, a number or a date.
//!
//! Only its form counts. Phrases such as "you may also like" and path names such as `/product/` were tried as well:
//! the model was no better with them on sites that it had not seen, and they speak one language only.

/// How many numbers an address gives.
pub(super) const FACTS: usize = 5;

/// The depth of an address, the length of its last part in words, whether it holds a long number or a year, and how
/// many parameters it has.
pub(super) fn of_address(path: &str, query: Option<&str>) -> [f32; FACTS] {
    let segments = || path.split('/').filter(|segment| !segment.is_empty());
    let last = segments().next_back().unwrap_or_default();
    let depth = segments().count();
    let number = |segment: &str| {
        segment.len() >= 5 && segment.bytes().filter(u8::is_ascii_digit).count() * 2 > segment.len()
    };
    let year = |segment: &str| {
        segment.len() == 4
            && (segment.starts_with("19") || segment.starts_with("20"))
            && segment.bytes().all(|byte| byte.is_ascii_digit())
    };
    [
        depth.min(10) as f32,
        last.split(['-', '_']).count().min(20) as f32,
        f32::from(u8::from(segments().any(number))),
        f32::from(u8::from(segments().any(year))),
        query.map_or(0.0, |query| query.split('&').count().min(10) as f32),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_tell_kinds_of_pages() {
        assert_eq!(of_address("/blog/2024/how-to-bake", None), [3.0, 3.0, 0.0, 1.0, 0.0]);
        assert_eq!(of_address("/item/123456789", Some("a=1&b=2")), [2.0, 1.0, 1.0, 0.0, 2.0]);
        assert_eq!(of_address("/", None), [0.0, 1.0, 0.0, 0.0, 0.0]);
    }
}
