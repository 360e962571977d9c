//! Model features of a page's URL: its depth, and whether it ends in the words of a title, a number or a
//! date.
//!
//! Only the form of the URL counts. Phrases such as "you may also like" and path names such as `/product/`
//! were tried: they did not improve the model on unseen sites, and they exist in one language only.

/// The number of features of a URL.
pub(super) const COUNT: usize = 5;

/// The depth of a URL, the words of its last segment, whether it has a long number or a year, and its number
/// of query parameters.
pub(super) fn of_url(path: &str, query: Option<&str>) -> [f32; COUNT] {
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
    fn features_reflect_the_form_of_a_url() {
        assert_eq!(of_url("/blog/2024/how-to-bake", None), [3.0, 3.0, 0.0, 1.0, 0.0]);
        assert_eq!(of_url("/item/123456789", Some("a=1&b=2")), [2.0, 1.0, 1.0, 0.0, 2.0]);
        assert_eq!(of_url("/", None), [0.0, 1.0, 0.0, 0.0, 0.0]);
    }
}
