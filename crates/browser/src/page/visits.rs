//! The documents that follow each other without an action: scripts may lead from one to the next without end.

use std::collections::HashMap;
use std::time::Duration;

use gleaner_fetch::DEFAULT_MAX_REDIRECTS;
use url::Url;

/// Maximum visits of one address. Pages that set a cookie need two or three.
const MAX_VISITS: u32 = 5;

/// A document that stays for longer is no redirect.
const SHORT: Duration = Duration::from_secs(2);

/// Documents that were left at once.
#[derive(Debug, Default)]
pub(super) struct Visits {
    counts: HashMap<Url, u32>,
    all: u32,
}

impl Visits {
    /// A document is shown after another one that stayed for `shown`.
    pub(super) fn add(&mut self, url: &Url, shown: Duration) {
        if shown > SHORT {
            *self = Self::default();
        }
        if !self.is_endless() {
            self.all += 1;
            *self.counts.entry(url.clone()).or_default() += 1;
        }
    }

    /// Whether there is no end to expect.
    pub(super) fn is_endless(&self) -> bool {
        self.all >= DEFAULT_MAX_REDIRECTS || self.counts.values().any(|count| *count >= MAX_VISITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether documents with these numbers in their addresses, each left after this time, are endless.
    fn is_endless(numbers: impl IntoIterator<Item = u32>, shown: Duration) -> bool {
        let mut visits = Visits::default();
        for number in numbers {
            visits.add(&Url::parse(&format!("https://a.example/{number}")).unwrap(), shown);
        }
        visits.is_endless()
    }

    #[test]
    fn documents_that_come_again_or_go_on_are_endless() {
        let at_once = Duration::from_millis(10);
        assert!(is_endless([1, 2, 1, 2, 1, 2, 1, 2, 1], at_once));
        assert!(is_endless(0..DEFAULT_MAX_REDIRECTS, at_once));
        assert!(!is_endless([1; 4], at_once), "a page may set cookies");
        assert!(!is_endless(1..DEFAULT_MAX_REDIRECTS, at_once));
        assert!(!is_endless([1; 30], SHORT * 2), "a page that refreshes itself");
    }
}
