//! Matches selectors against the elements of a tree.

use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::matches_selector;

use super::element::ElementRef;
use super::index::{Rule, Selectors};
use super::steps::Steps;
use crate::tree::{NodeId, Tree};

/// The caches are cleared after this many steps. Each step may add one entry.
const MAX_CACHED_STEPS: u64 = 1 << 20;

/// Upper bound on backward moves of a selector with several `:has` arguments: at each of them the `selectors`
/// crate builds a filter of 4 KiB.
const MAX_BACKWARD_MOVES: u32 = 4_096;

/// Matches elements of one tree.
pub(crate) struct Matcher<'s> {
    selectors: &'s Selectors,
    tree: &'s Tree,
    steps: &'s Steps<'s>,
    caches: SelectorCaches,
    /// The remaining steps when the caches were last cleared.
    cleared_at: u64,
    candidates: Vec<&'s [u32]>,
}

impl<'s> Matcher<'s> {
    pub(crate) fn new(selectors: &'s Selectors, tree: &'s Tree, steps: &'s Steps<'s>) -> Self {
        Self {
            selectors,
            tree,
            steps,
            caches: SelectorCaches::default(),
            cleared_at: steps.left(),
            candidates: Vec::new(),
        }
    }

    /// True if any selector matches the element.
    pub(crate) fn matches(&mut self, node: NodeId) -> bool {
        if self.steps.is_exhausted() {
            return false;
        }
        let (selectors, tree, steps) = (self.selectors, self.tree, self.steps);
        let mut candidates = std::mem::take(&mut self.candidates);
        let matches = selectors.look_up(tree, node, steps, &mut candidates)
            || candidates.iter().copied().flatten().any(|number| self.rule_matches(*number, node));
        self.candidates = candidates;
        // A match that ran out of steps may be wrong (`:not(a ~ b)`).
        matches && !self.steps.is_exhausted()
    }

    /// True if one rule matches the element.
    fn rule_matches(&mut self, number: u32, node: NodeId) -> bool {
        let (selectors, tree, steps) = (self.selectors, self.tree, self.steps);
        let Some(rule) = selectors.rule(number) else { return false };
        let backward_moves = if rule.has_arguments > 1 { MAX_BACKWARD_MOVES } else { u32::MAX };
        if !steps.begin_rule(rule.parts, backward_moves) {
            return false;
        }
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut self.caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let matches =
            matches_selector(&rule.selector, 0, None, ElementRef { tree, node, steps }, &mut context);
        self.trim_caches(rule);
        matches
    }

    /// Clears caches that may have grown.
    fn trim_caches(&mut self, rule: &Rule) {
        if rule.has_arguments > 0 {
            self.caches.relative_selector_filter_map = Default::default();
        }
        let left = self.steps.left();
        if self.cleared_at.saturating_sub(left) > MAX_CACHED_STEPS {
            self.caches = SelectorCaches::default();
            self.cleared_at = left;
        }
    }
}

#[cfg(test)]
mod tests {
    use gleaner_types::Interrupt;

    use super::*;
    use crate::tree::{ParseOptions, Tag, parse};

    #[test]
    fn candidates_grow_with_the_words_of_a_class_and_not_with_the_rules() {
        let rules = vec![["i .a"; 100].join(","); 500];
        let selectors = Selectors::parse(&rules).unwrap();
        let html = format!("<p class='{}'>x", "a ".repeat(2_000));
        let tree = parse(&html, ParseOptions { all_attributes: true, ..ParseOptions::default() });
        let never = Interrupt::never();
        let steps = Steps::of_page(html.len(), &never);
        let mut matcher = Matcher::new(&selectors, &tree, &steps);
        assert!(!matcher.matches(tree.find(Tag::P).unwrap()));
        assert!(matcher.candidates.len() <= 2_001, "{} for 2,000 words", matcher.candidates.len());
        assert!(steps.is_exhausted(), "each rule that is tried counts");
    }
}
