//! Chooses the list of a property and joins its parts.

use hashbrown::HashSet;
use std::ops::Range;

use super::items::{CleanItem, is_term};
use super::lists::{ListForm, MIN_SIBLINGS, PageList};
use super::outline::label_before;
use super::page_view::PageView;
use super::rating::{Rating, continuation, rate};
use super::subject::Subject;

/// Difference of two scores up to which both lists fit equally well.
const SAME_SCORE: f64 = 0.02;
/// Upper bound on other lists that fit equally well. With more, the page has many things with such a list.
const MAX_RIVALS: usize = 1;
/// Upper bound on the lists on either side that may continue a list.
const MAX_NEIGHBOURS: usize = 200;
/// Upper bound on the visible text between parts of a list that have its name, in bytes.
const MAX_NAMED_GAP: usize = 2_000;
/// Upper bound on the lines of captions between parts of a list.
const MAX_CAPTION_LINES: usize = 3;
/// Longest caption of a part of a list, in bytes.
const MAX_CAPTION_BYTES: usize = 80;
/// Words that a caption of a part starts with: "For the sauce".
const FOR: &str = "for|für|fuer|pour|para|per|voor|för|til|till|na|pro|dla|для|за|için|για|ל";

/// The list that a property asks for, with its score.
pub(super) fn choose(view: &PageView<'_, '_>, subject: &Subject) -> Option<(f64, Vec<CleanItem>)> {
    let tree = &view.evidence.tree;
    let lists = view.lists();
    let mut rated: Vec<(usize, Rating)> = Vec::new();
    for (at, list) in lists.iter().enumerate() {
        if tree.interrupt().spend(1) {
            break;
        }
        rated.extend(rate(view, subject, list).map(|rating| (at, rating)));
    }
    // Between equals the first.
    let best = rated.iter().rev().max_by(|left, right| left.1.score.total_cmp(&right.1.score))?;
    let parts = parts(view, subject, lists, best);
    let items: Vec<CleanItem> = parts.iter().flat_map(|(_, items)| items.iter().cloned()).collect();
    let rivals = {
        let texts: HashSet<&str> = items.iter().map(|item| item.text.as_str()).collect();
        let differs =
            |rating: &Rating| rating.items.first().is_some_and(|item| !texts.contains(item.text.as_str()));
        let is_rival = |(at, rating): &&(usize, Rating)| {
            rating.score + SAME_SCORE >= best.1.score
                && !parts.iter().any(|(part, _)| part == at)
                && differs(rating)
        };
        rated.iter().filter(is_rival).count()
    };
    (rivals <= MAX_RIVALS).then_some((best.1.score, items))
}

/// The parts of a list in page order, each with its position among all lists: the ingredients of the dough
/// and of the sauce.
fn parts<'a>(
    view: &PageView<'_, 'a>,
    subject: &Subject,
    lists: &[PageList<'a>],
    best: &(usize, Rating),
) -> Vec<(usize, Vec<CleanItem>)> {
    let (at, rating) = best;
    let Some(chosen) = lists.get(*at) else { return Vec::new() };
    let joined = Joined { view, subject, chosen, rating };
    let mut known: HashSet<String> = rating.items.iter().map(|item| item.text.clone()).collect();
    let mut before = joined.neighbours(lists.iter().enumerate().take(*at).rev(), &mut known);
    before.reverse();
    let after = joined.neighbours(lists.iter().enumerate().skip(at + 1), &mut known);
    before.push((*at, rating.items.clone()));
    before.extend(after);
    before
}

/// A chosen list, to which parts are joined.
struct Joined<'v, 'e, 'a> {
    view: &'v PageView<'e, 'a>,
    subject: &'v Subject,
    chosen: &'v PageList<'a>,
    rating: &'v Rating,
}

impl<'v, 'a> Joined<'v, '_, 'a> {
    /// The lists on one side, nearest first, that continue the chosen one.
    fn neighbours(
        &self,
        lists: impl Iterator<Item = (usize, &'v PageList<'a>)>,
        known: &mut HashSet<String>,
    ) -> Vec<(usize, Vec<CleanItem>)> {
        let mut found = Vec::new();
        let mut edge = self.chosen.text();
        for (at, list) in lists.take(MAX_NEIGHBOURS) {
            let text = list.text();
            let gap = if text.start >= edge.end { edge.end..text.start } else { text.end..edge.start };
            // Lists within a list overlap with it.
            if gap.start > gap.end || !self.has_same_markup(list) {
                continue;
            }
            if gap.len() > MAX_NAMED_GAP || !self.continues(list, gap, text.start) {
                break;
            }
            let Some(items) = continuation(self.view, self.subject, list) else { break };
            edge = edge.start.min(text.start)..edge.end.max(text.end);
            // A copy for small screens.
            if items.iter().all(|item| known.contains(&item.text)) {
                continue;
            }
            known.extend(items.iter().map(|item| item.text.clone()));
            found.push((at, items));
        }
        found
    }

    fn has_same_markup(&self, other: &PageList<'_>) -> bool {
        let tree = &self.view.evidence.tree;
        let class = |list: &PageList<'_>| {
            let classes = tree.attribute(list.parent, "class").unwrap_or_default();
            classes.split_ascii_whitespace().next().unwrap_or_default().to_owned()
        };
        let is_list = other.form != ListForm::Lines || other.items.len() >= MIN_SIBLINGS;
        is_list
            && self.chosen.form == other.form
            && self.chosen.markup == other.markup
            && tree.name(self.chosen.parent) == tree.name(other.parent)
            && class(self.chosen) == class(other)
    }

    /// Whether a list is under the same heading, with nothing but captions between.
    fn continues(&self, list: &PageList<'_>, gap: Range<usize>, start: usize) -> bool {
        let tree = &self.view.evidence.tree;
        let between = tree.text().get(gap).unwrap_or_default();
        if !between.contains(char::is_alphanumeric) {
            return true;
        }
        let label = label_before(tree, start).unwrap_or_default();
        if is_term(self.subject.kind) || self.subject.is_other(label) {
            return false;
        }
        let outline = self.view.outline();
        let nearest = |list: &PageList<'_>| outline.above(list.first()).next().map(|heading| heading.node);
        let is_below = match self.rating.heading {
            Some(own) => outline.above(list.first()).any(|heading| heading.node == own),
            None => self.rating.is_named || nearest(list) == nearest(self.chosen),
        };
        let mut lines = between.lines().filter(|line| !line.trim().is_empty());
        let are_captions = lines
            .by_ref()
            .take(MAX_CAPTION_LINES)
            .all(|line| line.len() <= MAX_CAPTION_BYTES && !line.trim_end().ends_with(['.', '!', '。']));
        let are_captions = are_captions && lines.next().is_none();
        // Below a label that is no heading, any other label may start another list.
        let is_sure = self.rating.heading.is_some() || starts_with_for(label);
        is_below && (self.rating.is_named || (are_captions && is_sure))
    }
}

fn starts_with_for(label: &str) -> bool {
    let first = label.split(|found: char| !found.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    FOR.split('|').any(|known| known == first)
}
