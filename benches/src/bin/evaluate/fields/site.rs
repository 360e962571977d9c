//! The site of a page and its fold in cross-validation.

use url::Url;

/// Folds of the cross-validation. All pages of a site are in one fold.
pub(super) const FOLDS: u64 = 5;

/// The registrable domain of a page, approximately: the last two labels of its host, or three if the last two
/// are short (`shop.co.uk`).
pub(super) fn site(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
    let labels: Vec<&str> = host.split('.').collect();
    let count = match labels.as_slice() {
        [.., second, top] if second.len() <= 3 && top.len() == 2 => 3,
        _ => 2,
    };
    labels.get(labels.len().saturating_sub(count)..).unwrap_or_default().join(".")
}

/// The fold of a site, the same on every machine.
pub(super) fn fold(site: &str) -> u64 {
    hash(site) % FOLDS
}

/// A number for a text, the same on every machine (FNV-1a).
pub(super) fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_site_are_in_one_fold() {
        let rows = [
            ("https://www.shop.example/a", "shop.example"),
            ("https://m.shop.co.uk/", "shop.co.uk"),
            ("https://a.b.news.de/", "news.de"),
            ("https://localhost/", "localhost"),
        ];
        for (url, expected) in rows {
            assert_eq!(site(&url.parse().unwrap()), expected, "{url}");
        }
        let folds: Vec<u64> = (0..200).map(|at| fold(&format!("site{at}.example"))).collect();
        assert!((0..FOLDS).all(|fold| folds.iter().filter(|own| **own == fold).count() > 20), "{folds:?}");
    }
}
