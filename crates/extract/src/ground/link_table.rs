//! Replaces link addresses by short ids before a model sees a page, and resolves them afterwards.

use std::collections::BTreeMap;

use url::Url;

use super::link_address::LinkAddress;

/// Upper bound on the links of a page that get an id.
pub const MAX_LINK_IDS: usize = 2_000;

/// The link addresses of a page by short ids. A model sees and returns only ids, so it cannot invent an
/// address.
#[derive(Debug, Default)]
pub(crate) struct LinkTable {
    urls: Vec<String>,
    ids: BTreeMap<String, usize>,
}

impl LinkTable {
    /// Replaces the addresses of Markdown links and images by ids: `[Cup](https://x.example/cup)` becomes
    /// `[Cup](L0)`.
    pub(crate) fn replace(&mut self, markdown: &str, base: &Url) -> String {
        let mut out = String::with_capacity(markdown.len());
        let mut rest = markdown;
        while let Some(at) = rest.find("](") {
            let (before, after) = rest.split_at_checked(at + 2).unwrap_or((rest, ""));
            out.push_str(before);
            let length = LinkAddress::read(after).map_or(0, |address| address.length);
            let target = after.get(..length).unwrap_or_default();
            if let Some(id) = self.id_of(target.trim_matches(['<', '>']), base) {
                out.push_str(&id);
                rest = after.get(target.len()..).unwrap_or_default();
            } else {
                rest = after;
            }
        }
        out.push_str(rest);
        out
    }

    fn id_of(&mut self, target: &str, base: &Url) -> Option<String> {
        if target.is_empty() {
            return None;
        }
        let url = base.join(target).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let known = self.ids.get(url.as_str()).copied();
        let id = match known {
            Some(id) => id,
            None if self.urls.len() < MAX_LINK_IDS => {
                self.urls.push(url.as_str().to_owned());
                self.ids.insert(url.into(), self.urls.len() - 1);
                self.urls.len() - 1
            }
            None => return None,
        };
        Some(format!("L{id}"))
    }

    /// The address of an id, or an address that the page itself links to.
    pub(crate) fn resolve(&self, claim: &str) -> Option<&str> {
        let claim = claim.trim();
        if let Some(id) = claim.strip_prefix('L').and_then(|id| id.parse::<usize>().ok()) {
            return self.urls.get(id).map(String::as_str);
        }
        let url = Url::parse(claim).ok()?;
        self.ids.get(url.as_str()).and_then(|id| self.urls.get(*id)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paired_brackets_belong_to_the_address() {
        let base = "https://x.example/".parse().unwrap();
        let mut table = LinkTable::default();
        assert_eq!(table.replace("[a](/wiki/A_(b)) [c](<d>)", &base), "[a](L0) [c](L1)");
        assert_eq!(table.resolve("L0"), Some("https://x.example/wiki/A_(b)"));
        assert_eq!(table.resolve("L1"), Some("https://x.example/d"));
    }

    #[test]
    fn only_addresses_of_the_page_resolve() {
        let base = "https://x.example/a/".parse().unwrap();
        let mut table = LinkTable::default();
        let text = table.replace("[b](b) ![i](/i.png \"t\") [m](mailto:a@b.c) [b](b)", &base);
        assert_eq!(text, "[b](L0) ![i](L1 \"t\") [m](mailto:a@b.c) [b](L0)");
        let rows = [
            ("L0", Some("https://x.example/a/b")),
            ("L1", Some("https://x.example/i.png")),
            ("https://x.example/i.png", Some("https://x.example/i.png")),
            ("L7", None),
            ("https://evil.example/", None),
            ("", None),
        ];
        for (claim, expected) in rows {
            assert_eq!(table.resolve(claim), expected, "{claim}");
        }
    }
}
