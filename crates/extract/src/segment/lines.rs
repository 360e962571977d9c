//! The lines of the visible text.

use std::ops::Range;

use crate::markup::Tree;

/// The lines of the visible text.
#[derive(Debug)]
pub(super) struct Lines {
    /// The start of each line.
    starts: Vec<usize>,
    /// The end of the text.
    end: usize,
}

impl Lines {
    pub(super) fn read(tree: &Tree<'_>) -> Self {
        let mut starts = Vec::new();
        let mut at = 0;
        for line in tree.text().split_inclusive('\n') {
            if tree.interrupt().spend(1 + line.len() / 64) {
                break;
            }
            starts.push(at);
            at += line.len();
        }
        Self { starts, end: at }
    }

    pub(super) const fn len(&self) -> usize {
        self.starts.len()
    }

    /// The number of the line at a position.
    pub(super) fn number(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// The range of a line, with its line break.
    pub(super) fn range(&self, number: usize) -> Range<usize> {
        let start = self.starts.get(number).copied().unwrap_or(self.end);
        start..self.starts.get(number + 1).copied().unwrap_or(self.end)
    }

    /// The numbers of the lines, those from a position on first.
    pub(super) fn numbers_from(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let first = self.number(at);
        (first..self.len()).chain(0..first)
    }
}
